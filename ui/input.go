package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// Keys and mouse events go to the dialog in front, the prompt, the editor, the root, or the
// pane, in this order.

func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	a.repeat.Stop()
	if a.frame.TooSmall { // nothing is visible, so no key may act
		if k := msg.String(); (k == "q" || k == "ctrl+c") && !a.front().TakesText() {
			return a.quit()
		}
		return nil
	}
	a.notices.Read()
	a.lastKey = msg.String()
	if p, ok := a.overlay.(*dialog.Pager); ok && p.Through { // it shows the keys that can follow
		a.overlay = nil
	}
	if a.overlay != nil {
		o := a.overlay
		cmd, over := o.Update(msg)
		if over && a.overlay == o {
			a.overlay = nil
		}
		return cmd
	}
	if a.prompt != nil {
		p := a.prompt
		palette, leaves := a.available().pressedInPrompt(keys.Names(msg))
		if leaves {
			msg = tea.KeyPressMsg{Code: tea.KeyEscape}
		}
		cmd, over := p.Update(msg)
		if over && a.prompt == p {
			a.prompt = nil
		}
		if leaves {
			return tea.Batch(cmd, palette.Do(0))
		}
		return cmd
	}
	if msg.String() == "esc" && a.jobs.Cancel() {
		return nil
	}
	if front := a.front(); front.TakesText() {
		if msg.Text == "" {
			if e, ok := a.available().pressed(keys.Names(msg)); ok {
				return e.Do(0)
			}
		}
		return front.Update(msg)
	}
	return a.press(msg)
}

// press adds a key to the pending count and sequence, and runs their action: one of the pane
// in front, or else one of the root.
func (a *App) press(msg tea.KeyPressMsg) (cmd tea.Cmd) {
	names := keys.Names(msg)
	if a.pending.Digit(names[0]) {
		return nil
	}
	if names[0] == "esc" && !a.pending.Empty() {
		a.pending.Clear()
		return nil
	}
	known := false
	id, waits := a.pending.Press(names, func(seq []string, n int) (r keys.Result) {
		if cmd, r = a.front().Press(seq, n); r == keys.Done && a.frame.Focus() == frame.Memory && len(a.screens) == 0 {
			a.live.SetFollowing(false) // the user works in the open memory
		}
		if r == keys.None {
			cmd, r = a.keys.Press(a, seq, n)
		}
		known = known || r != keys.None || len(seq) > 1
		return r
	})
	if !known {
		return elsewhere(names, a.cfg.Keys)
	}
	if waits {
		return a.later(seqWait, screen.Then(func() tea.Cmd { a.sequenceHelp(id); return nil }))
	}
	return cmd
}

// seqWait is the delay before the keys that can follow an incomplete sequence are shown.
const seqWait = 300 * time.Millisecond

// sequenceHelp lists how a sequence can continue.
func (a *App) sequenceHelp(id int) {
	begun := a.pending.Begun(id)
	if begun == "" || a.overlay != nil {
		return
	}
	p := &dialog.Pager{Name: keys.Label(begun) + " …", Through: true}
	for _, e := range a.available().all() {
		for _, k := range e.Keys {
			if strings.HasPrefix(k, begun+" ") {
				p.All = append(p.All, dialog.PagerRow{Key: keys.Label(k), Text: e.Name})
			}
		}
	}
	a.show(p)
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case a.frame.TooSmall:
	case a.overlay != nil:
		a.overlay.Update(msg)
	case a.prompt != nil:
		cmd, _ := a.prompt.Update(msg)
		return cmd
	case a.front().TakesText():
		return a.front().Update(msg)
	}
	return nil
}

// mouse handles a mouse event, and repeats a drag that scrolls.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	beyond := func() bool {
		d, ok := a.front().(screen.Dragger)
		return ok && d.Beyond() && a.overlay == nil && a.prompt == nil && !a.frame.Dragging()
	}
	return tea.Batch(a.point(msg), a.repeat.Hold(msg, beyond, a.point, a.later))
}

// point passes a mouse event to the pane under it, in the pane's coordinates. A drag stays
// with the pane where it began.
func (a *App) point(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if a.frame.TooSmall || a.prompt != nil {
		return nil
	}
	if a.overlay != nil {
		o, r := a.overlay, a.overlay.Place(a.w, a.h)
		var inner tea.Msg = screen.Within(msg, r.X+1, r.Y+1)
		if _, click := msg.(tea.MouseClickMsg); click && !r.Holds(m.X, m.Y) {
			inner = tea.KeyPressMsg{Code: tea.KeyEscape} // a click outside closes the dialog
		}
		cmd, over := o.Update(inner)
		if over && a.overlay == o {
			a.overlay = nil
		}
		return cmd
	}
	if click, ok := msg.(tea.MouseClickMsg); ok && click.Button == tea.MouseLeft {
		switch m.Y {
		case a.frame.Status:
			return a.clickStatus(m.X)
		case a.frame.Hints:
			return a.clickHint(m.X)
		}
	}
	if n := len(a.screens); n > 0 {
		return a.screens[n-1].Update(screen.Within(msg, 0, 1))
	}
	s, ok := a.frame.At(m.X, m.Y)
	switch msg.(type) {
	case tea.MouseMotionMsg:
		if a.frame.Dragging() {
			a.frame.Drag(m.X, m.Y)
			a.resize()
			return nil
		}
		s = a.frame.Focus()
	case tea.MouseReleaseMsg:
		if a.frame.Release() {
			return nil
		}
		s = a.frame.Focus()
	case tea.MouseClickMsg:
		a.frame.Release()
		if m.Button == tea.MouseLeft {
			a.frame.Grab(m.X, m.Y)
		}
		if !ok {
			return nil
		}
		if a.frame.Tabs && m.Y == 0 {
			if tab, ok := frame.TabAt(a.tabNames(), m.X); ok {
				a.setFocus(tab)
			}
			return nil
		}
		if s != a.frame.Focus() {
			a.setFocus(s)
		}
		if m.Y == a.frame.Panes[s].Y {
			return nil
		}
		a.pointedAt(s)
	case tea.MouseWheelMsg:
		if !ok {
			return nil
		}
		a.pointedAt(s)
	default:
		s = a.frame.Focus()
	}
	r := a.frame.Panes[s]
	return a.pane(s).Update(screen.Within(msg, r.X, r.Y+1))
}

// clickStatus performs what a part of the status line stands for.
func (a *App) clickStatus(x int) tea.Cmd {
	if ask := a.canvas().StatusAt(a.w, x, a.status()); ask != nil {
		return a.out.Do(ask)
	}
	return nil
}

// clickHint runs the action of a hint.
func (a *App) clickHint(x int) tea.Cmd {
	a.notices.Read()
	e, help, ok := frame.HintAt(a.w, x, a.hints(), a.helpKey())
	switch {
	case ok:
		return e.Do(0)
	case help:
		a.show(a.help())
	}
	return nil
}

// pointedAt stops following agents when the mouse is used on the memory.
func (a *App) pointedAt(s frame.Slot) {
	if s == frame.Memory {
		a.live.SetFollowing(false)
	}
}
