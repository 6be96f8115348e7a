package ui

import (
	"slices"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

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

// entriesOf returns the actions of a pane, everywhere the actions of the root.
func (a *App) entriesOf(p screen.Pane) []keys.Entry { return possible(p.Entries(), a.cfg.ReadOnly) }
func (a *App) everywhere() []keys.Entry             { return possible(a.keys.Entries(a), a.cfg.ReadOnly) }

// besideFront is everywhere without the keys that the pane in front handles itself.
func (a *App) besideFront() []keys.Entry {
	taken := map[string]bool{}
	for _, e := range a.front().Entries() {
		for _, k := range e.Keys {
			taken[k] = true
		}
	}
	out := a.everywhere()
	for i := range out {
		out[i].Keys = slices.DeleteFunc(slices.Clone(out[i].Keys), func(k string) bool { return taken[k] })
	}
	return out
}
