package talk

import (
	"context"
	"encoding/json"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// Session is a conversation that runs in this process. Its methods may be called from
// commands; only Close blocks.
type Session interface {
	ID() versions.SessionID
	State() agent.State
	Send(text string) error
	Stop()
	Compact() error
	// Close ends the session and waits until it has ended.
	Close() error
	// Watch returns the events from now on.
	Watch(context.Context) Watch
}

// Watch receives the events of a session. Next waits for events; its error is io.EOF after the
// last.
type Watch interface {
	Next(context.Context) ([]agent.Event, error)
}

// Of adapts s for the screens.
func Of(s *agent.Session) Session { return running{s} }

type running struct{ *agent.Session }

func (r running) Watch(ctx context.Context) Watch { return r.Session.Watch(ctx) }

// Recorded holds the recorded conversations. *conversations.Folder implements it.
type Recorded interface {
	Read(id versions.SessionID, from int64) (objects [][]byte, next int64, err error)
	ReadBack(id versions.SessionID, before int64) (objects [][]byte, start int64, err error)
}

// loads are the pending requests.
type loads struct {
	opens   screen.Load[opening]
	batches screen.Load[[]agent.Event]
	grown   screen.Load[growth]
	pages   screen.Load[page]
}

// opening is the state of a conversation when it is opened.
type opening struct {
	watch  Watch // nil if new events come only by Grown
	state  agent.State
	events []agent.Event // the newest recorded ones
	start  int64         // offset of the first of them
	end    int64         // offset of the next event
}

// growth is what another process appended, up to end.
type growth struct {
	events []agent.Event
	end    int64
}

// page is a page of older events; start is the offset of the first one.
type page struct {
	events []agent.Event
	start  int64
}

// Start reads the recorded events and watches for new ones.
func (v *View) Start() tea.Cmd {
	life, c := v.env.Ctx, v.c
	return v.loads.opens.Begin(life, func(ctx context.Context) (opening, error) {
		return openConversation(ctx, life, c)
	}, func(o opening, err error) tea.Cmd { return v.redraw(v.opened(o, err)) })
}

// openConversation reads a conversation with ctx; it is watched until life ends.
func openConversation(ctx, life context.Context, c Config) (o opening, err error) {
	if c.Session != nil { // watch before reading, so that no event is missed in between
		o.watch = c.Session.Watch(life)
		o.state = c.Session.State()
	}
	if c.Recorded == nil {
		return o, nil
	}
	objects, start, err := c.Recorded.ReadBack(c.ID, -1)
	if err != nil && !(c.Session != nil && errors.Is(err, conversations.ErrNotFound)) { // its first event may not be written yet
		return o, err
	}
	o.events, o.start = eventsOf(objects), start
	if c.Session != nil {
		return o, nil
	}
	for at := int64(0); ctx.Err() == nil; { // the figures need all events
		objects, next, err := c.Recorded.Read(c.ID, at)
		if err != nil || next == at {
			if !c.Elsewhere && !c.Record { // no process continues it
				o.state.Abandon()
			}
			return o, err
		}
		for _, ev := range eventsOf(objects) {
			o.state.Take(ev)
			if n := len(o.events); n == 0 || ev.Seq > o.events[n-1].Seq { // it was appended meanwhile
				o.events = append(o.events, ev)
			}
		}
		at, o.end = next, next
	}
	return o, ctx.Err()
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

// next waits for the next batch; it is called again after each batch.
func (v *View) next() tea.Cmd {
	if v.watch == nil {
		return nil
	}
	return v.loads.batches.Begin(v.env.Ctx, v.watch.Next, v.batch)
}

// Grown reads what another process appended to the conversation.
func (v *View) Grown() tea.Cmd {
	if v.c.Recorded == nil || v.watch != nil || v.opening || v.loads.grown.After(v.Grown) {
		return nil
	}
	kept, id, at := v.c.Recorded, v.c.ID, v.reached
	return v.loads.grown.Begin(v.env.Ctx, func(context.Context) (growth, error) {
		objects, next, err := kept.Read(id, at)
		return growth{eventsOf(objects), next}, err
	}, v.grew)
}

// lostPlace is the start offset after blocks were dropped. The offset is found again by
// reading backwards from the end.
const lostPlace = -1

// older reads the page before the first block in memory.
func (v *View) older() tea.Cmd {
	if v.c.Recorded == nil || v.loads.pages.Waiting() || v.start == 0 || len(v.blocks.items) == 0 {
		return nil
	}
	kept, session, first, from := v.c.Recorded, v.c.ID, v.blocks.items[0].seq, v.start
	return v.loads.pages.Begin(v.env.Ctx, func(ctx context.Context) (page, error) {
		p := page{start: from}
		for p.start != 0 && len(p.events) == 0 && ctx.Err() == nil {
			objects, start, err := kept.ReadBack(session, p.start)
			if err != nil {
				return p, err
			}
			p.start = start
			for _, ev := range eventsOf(objects) {
				if ev.Seq < first {
					p.events = append(p.events, ev)
				}
			}
		}
		return p, nil
	}, v.takePage)
}

// loadDiffs requests the diffs of the calls in the window.
func (v *View) loadDiffs() tea.Cmd {
	if v.c.Store == nil {
		return nil
	}
	var cmds []tea.Cmd
	last := -1
	for _, r := range v.blocks.shown {
		if r.item == last || r.item < 0 {
			continue
		}
		last = r.item
		c := v.blocks.items[r.item].call
		if c == nil || c.change == 0 || c.asked {
			continue
		}
		c.asked = true
		ctx, store, n, at := v.env.Ctx, v.c.Store, c.change, c.store
		cmds = append(cmds, screen.Run(func() *inline {
			s, err := store(ctx, at)
			if err != nil {
				return words(hidden(err))
			}
			return inlineOf(ctx, s, n)
		}, func(diff *inline) tea.Cmd { c.diff = diff; return v.redraw(nil) }))
	}
	return tea.Batch(cmds...)
}

// do sends a request to the session, and says why the session refuses it; a prompt is put back into
// the field then.
func (v *View) do(what, prompt string, f func(Session) error) tea.Cmd {
	s := v.c.Session
	return screen.Run(func() error { return f(s) }, func(err error) tea.Cmd {
		if err == nil {
			return v.redraw(nil)
		}
		if v.field.value == "" {
			v.field.set(prompt)
		}
		text := what + ": " + err.Error()
		if hint := Advice(err); hint != "" {
			text += " · " + hint
		}
		return v.redraw(v.env.Do(screen.Notice{Text: text, Bad: true}))
	})
}
