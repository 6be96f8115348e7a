package ui

import (
	"slices"

	"github.com/memend/memend/ui/keys"
)

// available are the actions that keys can run now.
type available struct {
	front  []keys.Entry // of the pane in front
	root   []keys.Entry
	typing bool // keys are text for the pane in front
}

// available returns the actions of the pane in front and of the root.
func (a *App) available() available {
	front := a.front()
	return available{possible(front.Entries(), a.cfg.ReadOnly), possible(a.keys.Entries(a), a.cfg.ReadOnly), front.TakesText()}
}

// possible disables the actions that write if the store is read-only. They are not shown as
// hints then, and lists of all actions show why they are disabled.
func possible(entries []keys.Entry, readOnly bool) []keys.Entry {
	if !readOnly {
		return entries
	}
	for i := range entries {
		if e := &entries[i]; e.Writes && e.Why == "" {
			e.Why = "read-only"
		}
	}
	return entries
}

// all lists the actions of the pane in front, then those of the root.
func (av available) all() []keys.Entry {
	if av.typing {
		return av.front
	}
	return append(av.front, av.beside()...)
}

// beside lists the actions of the root without the keys that the pane in front handles itself.
func (av available) beside() []keys.Entry {
	taken := map[string]bool{}
	for _, e := range av.front {
		for _, k := range e.Keys {
			taken[k] = true
		}
	}
	return withoutKeys(av.root, func(k string) bool { return taken[k] })
}

// whileTyping lists the actions of the root that work while keys are text, with their keys that
// are not text.
func (av available) whileTyping() (out []keys.Entry) {
	for _, e := range av.root {
		if e.ID == paletteID || e.ID == helpID {
			out = append(out, e)
		}
	}
	return withoutKeys(out, keys.Types)
}

const (
	paletteID = "global.palette"
	helpID    = "global.help"
)

// ofRoot returns an action of the root.
func (av available) ofRoot(id string) (keys.Entry, bool) {
	return find(av.root, func(e keys.Entry) bool { return e.ID == id })
}

// pressed returns the action of the root for a key, by its names, while keys are text. The pane
// in front takes precedence.
func (av available) pressed(names []string) (keys.Entry, bool) {
	if slices.ContainsFunc(av.front, boundTo(names)) {
		return keys.Entry{}, false
	}
	return find(av.whileTyping(), boundTo(names))
}

// pressedInPrompt returns the action that shows all actions, for its key: it leaves a prompt.
func (av available) pressedInPrompt(names []string) (keys.Entry, bool) {
	return find(av.whileTyping(), func(e keys.Entry) bool { return e.ID == paletteID && boundTo(names)(e) })
}

// find returns the first of the actions that is wanted.
func find(entries []keys.Entry, wanted func(keys.Entry) bool) (keys.Entry, bool) {
	if i := slices.IndexFunc(entries, wanted); i >= 0 {
		return entries[i], true
	}
	return keys.Entry{}, false
}

// boundTo returns a function that reports whether an action has a key with one of the names.
func boundTo(names []string) func(keys.Entry) bool {
	return func(e keys.Entry) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(e.Keys, name) })
	}
}

// withoutKeys returns the actions without some of their keys.
func withoutKeys(entries []keys.Entry, without func(key string) bool) []keys.Entry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Keys = slices.DeleteFunc(slices.Clone(out[i].Keys), without)
	}
	return out
}
