package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
)

// Env is the environment that every pane is created with.
type Env struct {
	Ctx   context.Context // ends with the program
	Theme *theme.Theme    // the initial theme; SetTheme changes it
	Keys  keys.Bindings   // key bindings that replace the defaults
	Out   *Out
	Later func(time.Duration, tea.Msg) tea.Cmd // sends a message after a delay; tests replace it to avoid waiting

	// Actions lists the actions of the whole program, for Hint; nil in tests of a single pane.
	Actions func() []keys.Entry
}

// Hint returns the key that messages name for an action of any pane, "global.undo", or the
// action's name if it has no key.
func (e Env) Hint(id string) string {
	if e.Actions != nil {
		for _, a := range e.Actions() {
			if a.ID == id {
				return a.Named()
			}
		}
	}
	return "“" + id + "”"
}

// During returns e for a pane that lives no longer than ctx.
func (e Env) During(ctx context.Context) Env {
	e.Ctx = ctx
	return e
}

// Do calls Out.Do.
func (e Env) Do(r Request) tea.Cmd { return e.Out.Do(r) }

// Out is the queue of requests from panes to the root. The root performs them in order as soon
// as the pane has handled its message, because the next key may be meant for what a request
// opens. Only the goroutine of Update may use it; a command that runs elsewhere returns its
// request as its message instead.
type Out struct{ queue []Request }

// Do appends a request. It always returns a nil command, so that a handler can return its
// result.
func (o *Out) Do(r Request) tea.Cmd {
	o.queue = append(o.queue, r)
	return nil
}

// Next removes and returns the oldest request.
func (o *Out) Next() (r Request, ok bool) {
	if len(o.queue) == 0 {
		return nil, false
	}
	r, o.queue = o.queue[0], o.queue[1:]
	return r, true
}
