package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// trustKeys returns the actions that change who may change what.
func trustKeys() []keys.Action[*App] {
	pin := func(id, name string, ask func(memfs.Path) screen.Request, why func(*App) string) keys.Action[*App] {
		return keys.Action[*App]{ID: id, Writes: true, Name: name, Why: why, Do: func(a *App, _ int) tea.Cmd { return a.out.Do(ask(a.here())) }}
	}
	pinAs := func(whom versions.PinFor) func(memfs.Path) screen.Request {
		return func(p memfs.Path) screen.Request { return screen.Pin{Path: p, For: whom} }
	}
	pinDisabled := func(a *App) string { return whyNotPin(a.here()) }
	return []keys.Action[*App]{
		{ID: "policy", Writes: true, Name: "policy…", Keys: []string{"P"}, Do: func(a *App, _ int) tea.Cmd {
			var session versions.SessionID // selected in the pane in front
			if s, ok := a.front().(interface{ Session() versions.SessionID }); ok {
				session = s.Session()
			}
			return a.out.Do(screen.Policy{Session: session})
		}},
		pin("pin-agents", "pin for agents", pinAs(versions.PinAgents), pinDisabled),
		pin("pin-all", "pin for all", pinAs(versions.PinAll), pinDisabled),
		pin("unpin", "unpin", func(p memfs.Path) screen.Request { return screen.Unpin{Path: p} }, func(a *App) string { return whyNotUnpin(a.tree, a.here()) }),
	}
}

// here returns the memory or folder that the person is at, or the root.
func (a *App) here() memfs.Path {
	if a.frame.Focus() == frame.Memory && !a.memory.Path().IsRoot() {
		return a.memory.Path()
	}
	return a.tree.Here()
}

func whyNotPin(p memfs.Path) string {
	if p.IsRoot() {
		return "no memory and no folder is selected"
	}
	return ""
}

func whyNotUnpin(t *tree.Pane, p memfs.Path) string {
	if why := whyNotPin(p); why != "" {
		return why
	}
	switch pin, ok := t.Trust.Pin(p); {
	case !ok:
		return "it is not pinned"
	case pin.Path != p:
		return pin.Path.String() + " is pinned: unpin that"
	}
	return ""
}

// policyNote names the policy of the store, how to change it, and how many changes wait.
func policyNote(l *live.Room, root *keys.Map[*App]) string {
	note := "policy: " + rules.Name(l.Policy()) + " · " + root.Hint("policy") + " changes it"
	if n := l.Waiting(); n > 0 {
		note += " · " + keyed(root.Key("review"), draw.Plural(n, "waits", "wait")+" for you")
	}
	return note
}

// keyed puts a key before a text, if there is one.
func keyed(key, text string) string {
	if key == "" {
		return text
	}
	return key + " " + text
}

// traceable is a pane with something that can be traced under its cursor.
type traceable interface {
	// Traced returns what the cursor is on, or why it can't be traced.
	Traced() (from screen.Trace, why string)
}

// traced returns what is under the cursor of the pane in front.
func (a *App) traced() (screen.Trace, string) {
	if a.cfg.Trail == nil {
		return screen.Trace{}, "nothing records what was read here"
	}
	if p, ok := a.front().(traceable); ok {
		return p.Traced()
	}
	return screen.Trace{}, "there is no memory, version or session here"
}
