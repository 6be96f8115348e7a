package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/ui/rules"
	"github.com/memend/memend/versions"
)

// announce says that a change by somebody else waits.
func (a *App) announce(w live.Waits) tea.Cmd {
	said := fmt.Sprintf("%s wants to %s %s: %s waits for you", actors.Short(w.Held.By.Actor), w.Held.Kind, w.Held.Path, w.Name)
	if w.More > 0 {
		said += fmt.Sprintf(", and %d more", w.More)
	}
	if a.queueKey != "" {
		said += " · " + a.queueKey + " shows it"
	}
	return a.say(said, false)
}

// trustKeys returns the actions that change who may change what.
func trustKeys() []keys.Action[*App] {
	pin := func(id, name string, ask func(memfs.Path) tea.Msg, why func(*App) string) keys.Action[*App] {
		return keys.Action[*App]{ID: id, Writes: true, Name: name, Why: why, Do: func(a *App, _ int) tea.Cmd { return a.out.Ask(ask(a.here())) }}
	}
	pinAs := func(whom versions.PinFor) func(memfs.Path) tea.Msg {
		return func(p memfs.Path) tea.Msg { return request.Pin{Path: p, For: whom} }
	}
	return []keys.Action[*App]{
		{ID: "policy", Writes: true, Name: "policy…", Keys: []string{"P"}, Do: func(a *App, _ int) tea.Cmd {
			return a.out.Ask(request.Policy{Session: a.session()})
		}},
		pin("pin-agents", "pin for agents", pinAs(versions.PinAgents), (*App).pinDisabled),
		pin("pin-all", "pin for all", pinAs(versions.PinAll), (*App).pinDisabled),
		pin("unpin", "unpin", func(p memfs.Path) tea.Msg { return request.Unpin{Path: p} }, (*App).unpinDisabled),
	}
}

// policyNote names the policy of the store, how to change it, and how many changes wait.
func (a *App) policyNote() string {
	note := "policy: " + rules.Name(a.live.Policy()) + " · " + a.keys.Hint("policy") + " changes it"
	if n := a.live.Waiting(); n > 0 {
		note += " · " + keyed(a.queueKey, draw.Plural(n, "waits", "wait")+" for you")
	}
	return note
}

// here returns the memory or folder that the person is at, or the root.
func (a *App) here() memfs.Path {
	if a.frame.Focus() == frame.Memory && !a.memory.Path().IsRoot() {
		return a.memory.Path()
	}
	return a.tree.Here()
}

// traceable is a pane with something that can be traced under its cursor.
type traceable interface {
	// Traced returns what the cursor is on, or why it can't be traced.
	Traced() (from request.Trace, why string)
}

// traced returns what is under the cursor of the pane in front.
func (a *App) traced() (request.Trace, string) {
	if a.cfg.Trail == nil {
		return request.Trace{}, "nothing records what was read here"
	}
	if p, ok := a.front().(traceable); ok {
		return p.Traced()
	}
	return request.Trace{}, "there is no memory, version or session here"
}

func (a *App) traceDisabled() string {
	_, why := a.traced()
	return why
}

func (a *App) traceHere(int) tea.Cmd {
	from, _ := a.traced()
	return a.out.Ask(from)
}

// session returns the session that is selected in the pane in front, or "".
func (a *App) session() versions.SessionID {
	if s, ok := a.front().(interface{ Session() versions.SessionID }); ok {
		return s.Session()
	}
	return ""
}

func (a *App) pinDisabled() string {
	if a.here().IsRoot() {
		return "no memory and no folder is selected"
	}
	return ""
}

// unpinDisabled returns why what is selected can't be unpinned.
func (a *App) unpinDisabled() string {
	if why := a.pinDisabled(); why != "" {
		return why
	}
	switch pin, ok := a.tree.Pin(a.here()); {
	case !ok:
		return "it is not pinned"
	case pin.Path != a.here():
		return pin.Path.String() + " is pinned: unpin that"
	}
	return ""
}
