package talk

import (
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

const tickEvery = 120 * time.Millisecond

// Update handles mouse events relative to the view and, while a text is typed, keys and pasted
// text.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return v.redraw(v.typeKey(msg))
	case tea.MouseClickMsg:
		return v.redraw(v.click(msg))
	case tea.MouseWheelMsg:
		v.blocks.scroll(list.Wheel(msg))
		return v.redraw(nil)
	}
	return nil
}

// redraw draws the frame again and requests what it lacks, in addition to cmd.
func (v *View) redraw(cmd tea.Cmd) tea.Cmd {
	v.draw()
	return tea.Batch(cmd, v.loadDiffs(), v.reach(), v.startTick())
}

func (v *View) opened(o opening, err error) tea.Cmd {
	v.opening, v.err = false, err
	v.watch, v.state = o.watch, o.state
	v.start, v.reached = o.start, o.end
	for _, ev := range o.events {
		v.last = max(v.last, ev.Seq)
		v.see(ev)
		v.blocks.transcript.take(ev)
	}
	v.blocks.setCleared(&v.state)
	v.seek()
	return v.next()
}

// see updates the clock and the start of the current turn.
func (v *View) see(ev agent.Event) {
	v.SetNow(ev.Time)
	switch ev.Kind {
	case agent.Sent, agent.Compacting:
		v.sent = ev.Time
	case agent.Idle, agent.Ended, agent.Broken:
		v.sent = time.Time{}
	}
}

// batch handles events of this process.
func (v *View) batch(events []agent.Event, err error) tea.Cmd {
	if v.add(events) {
		return v.redraw(tea.Batch(v.reread(), v.next()))
	}
	if err == nil {
		return v.redraw(v.next())
	}
	v.watch = nil
	if !errors.Is(err, io.EOF) && v.env.Ctx.Err() == nil {
		v.err = err
	}
	return v.redraw(nil)
}

// grew handles events of another process and requests more.
func (v *View) grew(more growth, err error) tea.Cmd {
	v.add(more.events)
	v.reached = max(v.reached, more.end)
	if len(more.events) > 0 {
		return v.redraw(v.Grown())
	}
	return v.redraw(nil)
}

// add adds events, and reports whether events in between are missing.
func (v *View) add(events []agent.Event) (missed bool) {
	var fresh []agent.Event
	away := false
	for _, ev := range events {
		shown := ev.Seq > 0 && (ev.Seq < v.last || ev.Seq == v.last && !ev.IsLive()) // it was read with the recorded events
		if shown && ev.IsLive() {
			continue
		}
		v.state.Take(ev) // the state was copied before these were read, and knows which events it has
		away = away || ev.Kind == agent.Replied || ev.Kind == agent.CompactedNow
		if shown {
			continue
		}
		v.last = max(v.last, ev.Seq)
		v.see(ev)
		if ev.Kind == agent.Missed {
			return true
		}
		fresh = append(fresh, ev)
	}
	if away { // that changes with each reply, not with each delta
		v.blocks.setCleared(&v.state)
	}
	v.field.typing = v.field.typing && v.hasField() // it ended: nobody types into what is not drawn
	v.blocks.take(fresh)
	if (v.c.Recorded != nil || v.blocks.follow) && v.blocks.dropFar() { // what is dropped can be read again
		v.start = lostPlace
	}
	return false
}

// reread reads the recorded events again, because the watch was too slow and missed some.
func (v *View) reread() tea.Cmd {
	if v.c.Recorded == nil {
		return nil
	}
	v.blocks, v.last = newBlocks(), 0
	v.watch = nil // Start opens another one
	v.loads.pages.Stop()
	return v.Start()
}

// takePage prepends a page of older events.
func (v *View) takePage(p page, err error) tea.Cmd {
	if err != nil {
		v.err = err
		v.start = 0
		return v.redraw(nil)
	}
	o := newTranscript()
	for _, ev := range p.events {
		o.take(ev)
	}
	v.start = p.start
	v.blocks.older(o)
	v.seek()
	return v.redraw(nil)
}

// reach requests older events when the window comes near the first block in memory.
func (v *View) reach() tea.Cmd {
	if v.opening || v.blocks.top.item > 20 {
		return nil
	}
	return v.older()
}

// startTick updates the spinner and the seconds while something is running.
func (v *View) startTick() tea.Cmd {
	if v.ticking || !v.busy() {
		return nil
	}
	v.ticking = true
	return v.c.Tick(tickEvery, func(now time.Time) tea.Msg {
		return screen.Then(func() tea.Cmd { return v.ticked(now) })
	})
}

func (v *View) ticked(now time.Time) tea.Cmd {
	v.ticking = false
	v.pulse.tick++
	v.SetNow(now)
	return v.redraw(nil)
}

// busy reports whether the session is at work in this process.
func (v *View) busy() bool {
	switch v.state.Phase {
	case "", agent.PhaseIdle, agent.PhaseEnded, agent.PhaseInterrupted:
		return false
	}
	return v.watch != nil
}

// click selects a block; a second click folds it. A click on the notice of rows below moves to
// the end.
func (v *View) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft {
		return nil
	}
	t, _, prompt := v.layout()
	switch {
	case prompt.Holds(msg.X, msg.Y):
		return v.Write()
	case !t.Holds(msg.X, msg.Y) || msg.Y >= len(v.blocks.shown):
		return nil
	case msg.Y == t.H-1 && v.blocks.moreBelow():
		v.blocks.toEnd()
		return nil
	}
	i, b := v.blocks.shown[msg.Y].item, &v.blocks
	if v.field.typing {
		v.field.typing = false
		v.draw() // with the rows of the field
	}
	if i < 0 {
		return nil
	}
	again := i == b.cur
	b.follow, b.cur = false, i
	if again {
		b.fold()
	}
	return nil
}

// Press handles a sequence of keys.
func (v *View) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	cmd, r := v.keys.Press(v, seq, n)
	if r == keys.Done {
		cmd = v.redraw(cmd)
	}
	return cmd, r
}

// Entries returns the actions that are available now.
func (v *View) Entries() []keys.Entry {
	switch {
	case v.find.typing:
		return v.finding.Entries(v)
	case v.field.typing:
		return append(v.typed.Entries(v), fieldKeys.Entries(&v.field)...)
	}
	return v.keys.Entries(v)
}

// TakesText reports whether keys are text.
func (v *View) TakesText() bool { return v.field.typing || v.find.typing }
