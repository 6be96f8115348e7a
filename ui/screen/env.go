package screen

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/keys"
)

// Env is what every pane is made with.
type Env struct {
	Ctx   context.Context // ends with the program
	Theme *theme.Theme    // at first; SetTheme brings others
	Keys  keys.Bindings   // keys that replace those of actions
	Out   *Out
	Later func(time.Duration, tea.Msg) tea.Cmd // a message after a time; tests leave the time out
}

// During is the same for a pane that lives no longer than ctx.
func (e Env) During(ctx context.Context) Env {
	e.Ctx = ctx
	return e
}

// Ask is Out.Ask.
func (e Env) Ask(request tea.Msg) tea.Cmd { return e.Out.Ask(request) }

// Out is the queue of what panes ask of the root. The root obeys it, first come first
// served, as soon as the pane has handled its message: the next key may be meant for
// what a request opens. It belongs to the goroutine of Update; a command that runs
// elsewhere brings its request as its message instead.
type Out struct{ queue []tea.Msg }

// Ask puts a request at the end. It gives no command, ever: a handler may end with it.
func (o *Out) Ask(request tea.Msg) tea.Cmd {
	o.queue = append(o.queue, request)
	return nil
}

// Next takes the oldest request.
func (o *Out) Next() (request tea.Msg, ok bool) {
	if len(o.queue) == 0 {
		return nil, false
	}
	request, o.queue = o.queue[0], o.queue[1:]
	return request, true
}
