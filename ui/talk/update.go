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

// How much of a conversation is in memory. Older blocks are read again when the user scrolls
// to them.
const (
	maxItems  = 3000
	maxBytes  = 16 << 20
	tickEvery = 120 * time.Millisecond
)

// Update handles mouse events relative to the view and, while a text is typed, keys and pasted
// text.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return v.redraw(v.typeKey(msg))
	case tea.MouseClickMsg:
		return v.redraw(v.click(msg))
	case tea.MouseWheelMsg:
		v.scroll(list.Wheel(msg))
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
		v.tr.take(ev)
	}
	v.updateCleared()
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

// add adds events; its cost depends only on their number. It reports whether events in between
// are missing.
func (v *View) add(events []agent.Event) (missed bool) {
	n := len(v.tr.items)
	tail, away := 0, false
	if n > 0 && !v.follow {
		tail = v.rowsOf(n - 1)
	}
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
		v.tr.take(ev)
	}
	if away {
		v.updateCleared()
	}
	v.typing = v.typing && v.hasField() // it ended: nobody types into what is not drawn
	if !v.follow {
		came := -tail
		for i := max(n-1, 0); i < len(v.tr.items); i++ {
			came += v.rowsOf(i)
		}
		v.unseen += max(came, 0)
	}
	v.leave()
	return false
}

// updateCleared updates which blocks the model no longer sees. That changes with each reply, not
// with each delta.
func (v *View) updateCleared() {
	v.cleared, v.clearedThinking = setOf(v.state.Cleared), setOf(v.state.ClearedThinking)
}

// reread reads the recorded events again, because the watch was too slow and missed some.
func (v *View) reread() tea.Cmd {
	v.tr, v.cur, v.top, v.last = newTranscript(), -1, itemRow{}, 0
	v.follow, v.unseen = true, 0
	if v.c.Recorded == nil {
		return nil
	}
	v.watch = nil // Start opens another one
	v.loads.pages.Stop()
	return v.Start()
}

// leave drops blocks far above the window if they can be read again.
func (v *View) leave() {
	if v.c.Recorded == nil && !v.follow {
		return
	}
	n, drop := len(v.tr.items), 0
	if n > maxItems+maxItems/4 {
		drop = n - maxItems
	}
	if bytes := v.tr.bytes; bytes > maxBytes+maxBytes/4 {
		for i := 0; i < n-1 && (i < drop || bytes > maxBytes); i++ {
			bytes -= v.tr.items[i].size()
			drop = max(drop, i+1)
		}
	}
	if !v.follow {
		drop = min(drop, v.top.item) // keep what is visible
	}
	if drop <= 0 {
		return
	}
	v.tr.forget(drop)
	v.moved(-drop)
	v.start = lostPlace
}

// moved handles that blocks were added or dropped at the beginning.
func (v *View) moved(by int) {
	for _, item := range []*int{&v.top.item, &v.cur, &v.find.at.item, &v.find.from.item} {
		*item = max(*item+by, 0)
	}
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
	v.moved(v.tr.older(o))
	v.seek()
	return v.redraw(nil)
}

// reach requests older events when the window comes near the first block in memory.
func (v *View) reach() tea.Cmd {
	if v.opening || v.top.item > 20 {
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
	v.tick++
	v.SetNow(now)
	return v.redraw(nil)
}

// busy reports whether the session is at work in this process.
func (v *View) busy() bool {
	if v.watch == nil {
		return false
	}
	switch v.state.Phase {
	case agent.PhaseWaiting, agent.PhaseThinking, agent.PhaseWriting, agent.PhaseCalling, agent.PhaseRetrying, agent.PhaseCompacting:
		return true
	}
	return false
}

// did shows why a request to the session failed.
func (v *View) did(what, back string, err error) tea.Cmd {
	if err == nil {
		return nil
	}
	if back != "" && v.field.value == "" {
		v.field.set(back)
	}
	s := what + ": " + err.Error()
	if hint := Advice(err); hint != "" {
		s += " · " + hint
	}
	return v.env.Do(screen.Notice{Text: s, Bad: true})
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
		return v.write()
	case !t.Holds(msg.X, msg.Y) || msg.Y >= len(v.window):
		return nil
	case msg.Y == t.H-1 && v.moreBelow() != "":
		v.toEnd()
		return nil
	}
	r := v.window[msg.Y]
	v.typing = false
	if r.item < 0 {
		return nil
	}
	again := r.item == v.cur
	v.follow = false
	v.cur = r.item
	if again && v.tr.items[r.item].folds() {
		v.foldCurrent()
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
	case v.typing:
		return append(v.typed.Entries(v), fieldKeys.Entries(&v.field)...)
	}
	return v.keys.Entries(v)
}

// TakesText reports whether keys are text.
func (v *View) TakesText() bool { return v.typing || v.find.typing }
