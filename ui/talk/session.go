package talk

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// Session is a conversation that runs in this process. Its methods may be called
// from commands; of them only Preview and Close wait for something.
type Session interface {
	ID() versions.SessionID
	State() agent.State
	Send(text string) error
	Stop()
	Compact() error
	UndoCompact() error
	Set(agent.Settings) error
	Preview(context.Context, agent.Settings) (agent.Preview, error)
	// Close ends it and waits for that.
	Close() error
	// Watch tells what happens from now on.
	Watch(context.Context) Watch
}

// Watch is somebody who watches a session. Next waits for events; its error is
// io.EOF after the last.
type Watch interface {
	Next(context.Context) ([]agent.Event, error)
}

// Of is a session as the screens know it.
func Of(s *agent.Session) Session { return running{s} }

type running struct{ *agent.Session }

func (r running) Watch(ctx context.Context) Watch { return r.Session.Watch(ctx) }

// Kept is where conversations are kept. *conversations.Folder satisfies it.
type Kept interface {
	Read(id versions.SessionID, from int64) (objects [][]byte, next int64, err error)
	ReadBack(id versions.SessionID, before int64) (objects [][]byte, start int64, err error)
}

// What commands bring back. To is the view that asked: several may be open.
type (
	openedMsg struct {
		screen.Answered
		to     int
		watch  Watch // nil: nothing comes but by Grown
		state  agent.State
		events []agent.Event // the newest that are kept
		start  int64         // where the first of them stands
		end    int64         // where what comes next will stand
		err    error
	}
	// batchMsg brings what happened.
	batchMsg struct {
		screen.Answered
		to     int
		events []agent.Event
		end    int64 // of what was read, when it came from where it is kept
		kept   bool
		err    error
	}
	pageMsg struct {
		screen.Answered
		to     int
		id     int
		events []agent.Event
		start  int64
		err    error
	}
	diffMsg struct {
		screen.Answered
		to   int
		call *call
		diff *inline
	}
	tickMsg struct {
		screen.Answered
		to  int
		now time.Time
	}
	// didMsg is the outcome of something that was asked of the session.
	didMsg struct {
		screen.Answered
		to   int
		what string
		back string // a prompt that was not taken
		err  error
	}
)

// Start reads what there is, and watches what comes.
func (v *View) Start() tea.Cmd {
	ctx, to, session, kept, id, elsewhere := v.env.Ctx, v.id, v.c.Session, v.c.Kept, v.c.ID, v.c.Elsewhere
	return func() tea.Msg { return opened(ctx, to, session, kept, id, elsewhere) }
}

func opened(ctx context.Context, to int, session Session, kept Kept, id versions.SessionID, elsewhere bool) openedMsg {
	msg := openedMsg{to: to}
	if session != nil { // watched before the past is read, so that nothing falls between
		msg.watch = session.Watch(ctx)
		msg.state = session.State()
	}
	if kept == nil {
		return msg
	}
	objects, start, err := kept.ReadBack(id, -1)
	if err != nil && !(session != nil && errors.Is(err, conversations.ErrNotFound)) { // it may not have begun to keep
		msg.err = err
		return msg
	}
	msg.events, msg.start = eventsOf(objects), start
	if session != nil {
		return msg
	}
	for at := int64(0); ctx.Err() == nil; { // the figures need all of it
		objects, next, err := kept.Read(id, at)
		if err != nil || next == at {
			msg.err = err
			break
		}
		for _, ev := range eventsOf(objects) {
			msg.state.Take(ev)
		}
		at, msg.end = next, next
	}
	if !elsewhere {
		msg.state.Abandon()
	}
	return msg
}

func eventsOf(objects [][]byte) []agent.Event {
	out := make([]agent.Event, 0, len(objects))
	for _, o := range objects {
		var ev agent.Event
		if json.Unmarshal(o, &ev) == nil {
			out = append(out, ev)
		}
	}
	return out
}

// next waits for the next batch; each one that came arms it again.
func (v *View) next() tea.Cmd {
	if v.watch == nil {
		return nil
	}
	ctx, to, watch := v.env.Ctx, v.id, v.watch
	return func() tea.Msg {
		events, err := watch.Next(ctx)
		return batchMsg{to: to, events: events, err: err}
	}
}

// Grown reads what another process added to the conversation.
func (v *View) Grown() tea.Cmd {
	if v.c.Kept == nil || v.watch != nil || v.opening {
		return nil
	}
	if v.growing {
		v.grown = true
		return nil
	}
	v.growing = true
	to, kept, id, at := v.id, v.c.Kept, v.c.ID, v.reached
	return func() tea.Msg {
		objects, next, err := kept.Read(id, at)
		return batchMsg{to: to, events: eventsOf(objects), end: next, kept: true, err: err}
	}
}

// lostPlace stands for the place in what is kept where the first block held stands,
// when blocks were left behind: it is found again by going back from the end.
const lostPlace = -1

// older reads the page before what is held.
func (v *View) older() tea.Cmd {
	if v.c.Kept == nil || v.paging || v.start == 0 || len(v.tr.items) == 0 {
		return nil
	}
	v.paging = true
	v.page++
	msg := pageMsg{to: v.id, id: v.page, start: v.start}
	ctx, kept, session, first := v.env.Ctx, v.c.Kept, v.c.ID, v.tr.items[0].seq
	return func() tea.Msg {
		for msg.start != 0 && len(msg.events) == 0 && ctx.Err() == nil {
			objects, start, err := kept.ReadBack(session, msg.start)
			if err != nil {
				msg.err = err
				break
			}
			msg.start = start
			for _, ev := range eventsOf(objects) {
				if ev.Seq < first {
					msg.events = append(msg.events, ev)
				}
			}
		}
		return msg
	}
}

// loadDiffs asks for what the calls in the window changed.
func (v *View) loadDiffs() tea.Cmd {
	if v.c.Store == nil {
		return nil
	}
	var cmds []tea.Cmd
	last := -1
	for _, r := range v.window {
		if r.item == last || r.item < 0 {
			continue
		}
		last = r.item
		c := v.tr.items[r.item].call
		if c == nil || c.change == 0 || c.asked {
			continue
		}
		c.asked = true
		ctx, to, of, store, n, at := v.env.Ctx, v.id, c, v.c.Store, c.change, c.store
		cmds = append(cmds, func() tea.Msg {
			s, err := store(ctx, at)
			if err != nil {
				return diffMsg{to: to, call: of, diff: words(hidden(err))}
			}
			return diffMsg{to: to, call: of, diff: inlineOf(ctx, s, n)}
		})
	}
	return tea.Batch(cmds...)
}

// do asks something of the session.
func (v *View) do(what, back string, f func(Session) error) tea.Cmd {
	to, s := v.id, v.c.Session
	return func() tea.Msg { return didMsg{to: to, what: what, back: back, err: f(s)} }
}
