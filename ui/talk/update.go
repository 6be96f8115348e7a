package talk

import (
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// How much of a conversation is held. What is older is read again when one scrolls
// there.
const (
	maxItems  = 3000
	maxBytes  = 16 << 20
	wheelRows = 3
	tickEvery = 120 * time.Millisecond
)

// Update takes the answers of the view's commands, the mouse in its own cells, and
// while a text is typed, keys and what is pasted.
func (v *View) Update(msg tea.Msg) tea.Cmd {
	cmd, drawn := v.update(msg)
	if !drawn {
		return cmd
	}
	v.draw()
	return tea.Batch(cmd, v.loadDiffs(), v.reach(), v.startTick())
}

// update reports whether the frame has to be drawn again.
func (v *View) update(msg tea.Msg) (tea.Cmd, bool) {
	switch msg := msg.(type) {
	case openedMsg:
		if msg.to == v.id {
			return v.opened(msg), true
		}
	case batchMsg:
		if msg.to == v.id {
			return v.batch(msg), true
		}
	case pageMsg:
		if msg.to == v.id && msg.id == v.page {
			v.takePage(msg)
			return nil, true
		}
	case diffMsg:
		if msg.to == v.id {
			msg.call.diff = msg.diff
			return nil, true
		}
	case tickMsg:
		if msg.to == v.id {
			v.ticking = false
			v.tick++
			v.SetNow(msg.now)
			return nil, true
		}
	case didMsg:
		if msg.to == v.id {
			return v.did(msg), true
		}
	case tea.KeyPressMsg, tea.PasteMsg:
		return v.typeKey(msg), true
	case tea.MouseClickMsg:
		return v.click(msg), true
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			v.scroll(-wheelRows)
		case tea.MouseWheelDown:
			v.scroll(wheelRows)
		}
		return nil, true
	}
	return nil, false
}

func (v *View) opened(msg openedMsg) tea.Cmd {
	v.opening, v.err = false, msg.err
	v.watch, v.state = msg.watch, msg.state
	v.start, v.reached = msg.start, msg.end
	for _, ev := range msg.events {
		v.last = max(v.last, ev.Seq)
		v.see(ev)
		v.tr.take(ev)
	}
	v.lookAway()
	var cmd tea.Cmd
	if v.grown {
		v.grown = false
		cmd = v.Grown()
	}
	return tea.Batch(cmd, v.next())
}

// see notes what the clock and the turn under way can be told by.
func (v *View) see(ev agent.Event) {
	v.SetNow(ev.Time)
	switch ev.Kind {
	case agent.Sent, agent.Compacting:
		v.sent = ev.Time
	case agent.Idle, agent.Ended, agent.Broken:
		v.sent = time.Time{}
	}
}

// batch takes what happened. It costs what it brings.
func (v *View) batch(msg batchMsg) tea.Cmd {
	n := len(v.tr.items)
	tail, away := 0, false
	if n > 0 && !v.follow {
		tail = v.rowsOf(n - 1)
	}
	for _, ev := range msg.events {
		if ev.Seq > 0 && (ev.Seq < v.last || ev.Seq == v.last && !ev.IsLive()) {
			continue // it came with what is kept
		}
		v.last = max(v.last, ev.Seq)
		v.see(ev)
		v.state.Take(ev)
		away = away || ev.Kind == agent.Replied || ev.Kind == agent.CompactedNow || ev.Kind == agent.Uncompacted
		if ev.Kind == agent.Missed {
			return tea.Batch(v.reread(), v.next())
		}
		v.tr.take(ev)
	}
	if away {
		v.lookAway()
	}
	if !v.follow {
		came := -tail
		for i := max(n-1, 0); i < len(v.tr.items); i++ {
			came += v.rowsOf(i)
		}
		v.unseen += max(came, 0)
	}
	v.leave()
	if msg.kept {
		v.growing, v.reached = false, max(v.reached, msg.end)
		if v.grown || len(msg.events) > 0 {
			v.grown = false
			return v.Grown()
		}
		return nil
	}
	switch {
	case errors.Is(msg.err, io.EOF):
		v.watch = nil
		return nil
	case msg.err != nil:
		v.watch = nil
		if v.env.Ctx.Err() == nil {
			v.err = msg.err
		}
		return nil
	}
	return v.next()
}

// lookAway notes what the model does not see any more. An answer changes that, not
// each piece of it.
func (v *View) lookAway() {
	v.cleared, v.unthought = setOf(v.state.Cleared), setOf(v.state.Unthought)
}

// reread begins with what is kept again: the watch was too slow.
func (v *View) reread() tea.Cmd {
	v.tr, v.cur, v.top, v.last = newTranscript(), -1, place{}, 0
	v.follow, v.unseen = true, 0
	if v.c.Kept == nil {
		return nil
	}
	v.watch = nil // Start asks for another one
	return v.Start()
}

// leave drops what is far behind, where it can be read again.
func (v *View) leave() {
	if v.c.Kept == nil && !v.follow {
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
		drop = min(drop, v.top.item) // what is looked at stays
	}
	if drop <= 0 {
		return
	}
	v.tr.forget(drop)
	v.top.item -= min(drop, v.top.item)
	v.cur = max(v.cur-drop, 0)
	v.start = lostPlace
}

// takePage puts what is older in front.
func (v *View) takePage(msg pageMsg) {
	v.paging = false
	if msg.err != nil {
		v.err = msg.err
		v.start = 0
		return
	}
	o := newTranscript()
	for _, ev := range msg.events {
		o.take(ev)
	}
	v.start = msg.start
	n := v.tr.older(o)
	v.top.item += n
	v.cur += n
}

// reach reads what is older when the window comes near the beginning of what is held.
func (v *View) reach() tea.Cmd {
	if v.opening || v.top.item > 20 {
		return nil
	}
	return v.older()
}

// startTick turns the spinner and counts seconds while something is under way.
func (v *View) startTick() tea.Cmd {
	if v.ticking || !v.busy() {
		return nil
	}
	v.ticking = true
	to := v.id
	return v.c.Tick(tickEvery, func(now time.Time) tea.Msg { return tickMsg{to: to, now: now} })
}

// busy reports whether the session does something in this process.
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

func (v *View) did(msg didMsg) tea.Cmd {
	if msg.err == nil {
		return nil
	}
	if msg.back != "" && v.field.value == "" {
		v.field.set(msg.back)
	}
	s := msg.what + ": " + msg.err.Error()
	if hint := Advice(msg.err); hint != "" {
		s += " · " + hint
	}
	return v.env.Ask(screen.Notice{Text: s, Bad: true})
}

// click chooses a block; a second click folds it. The pill goes to the end.
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
	case msg.Y == t.H-1 && v.pill() != "":
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

// Press obeys a sequence of keys.
func (v *View) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	cmd, r := v.keys.Press(v, seq, n)
	if r == keys.Done {
		v.draw()
		cmd = tea.Batch(cmd, v.loadDiffs(), v.reach(), v.startTick())
	}
	return cmd, r
}

// Entries are the actions that there are now.
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
