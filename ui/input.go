package ui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
)

// What keys and the mouse reach: the dialog in front, the prompt, the editor, the
// root, or the pane, in this order.

func (a *App) key(msg tea.KeyPressMsg) tea.Cmd {
	if a.frame.tooSmall { // nobody should act blind
		if key.Matches(msg, a.keys.Quit) && !a.takesText() {
			return a.quit()
		}
		return nil
	}
	if a.toast != nil && a.toast.bad {
		a.toast = nil
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
		cmd, over := p.update(msg)
		if over && a.prompt == p {
			a.prompt = nil
		}
		return cmd
	}
	if a.takesText() {
		if key.Matches(msg, editHelp) {
			a.show(a.help())
			return nil
		}
		return a.edit.pane.Update(msg)
	}
	if a.focus == slotHistory && a.history != nil && a.history.Handles(msg) { // u is for the change selected there
		return a.history.Update(msg)
	}
	return a.globalKey(msg)
}

// editHelp is help where "?" is text.
var editHelp = bind("help", "f1")

func (a *App) globalKey(msg tea.KeyPressMsg) tea.Cmd {
	k := &a.keys
	switch {
	case key.Matches(msg, k.Quit):
		return a.quit()
	case key.Matches(msg, k.Help):
		a.show(a.help())
	case key.Matches(msg, k.Messages):
		a.show(a.log())
	case key.Matches(msg, k.Find):
		return a.find()
	case key.Matches(msg, k.Next):
		a.cycle(1)
	case key.Matches(msg, k.Prev):
		a.cycle(-1)
	case key.Matches(msg, k.Zoom):
		a.zoomed = !a.zoomed
		a.resize()
	case key.Matches(msg, k.Undo):
		return a.undo(0)
	case key.Matches(msg, k.Redo):
		return a.redo(0)
	case key.Matches(msg, k.History):
		return a.toggleHistory()
	case key.Matches(msg, k.Sync):
		return tea.Batch(syncStore(a.ctx, a.cfg.Store), a.reload())
	case key.Matches(msg, k.Suspend):
		return suspend
	default:
		if a.focus == slotMemory { // somebody reads it
			a.tree.seen(a.memory.path())
		}
		return a.pane(a.focus).Update(msg)
	}
	return nil
}

func (a *App) paste(msg tea.PasteMsg) tea.Cmd {
	switch {
	case a.frame.tooSmall:
	case a.overlay != nil:
		a.overlay.Update(msg)
	case a.prompt != nil:
		a.prompt.input.update(msg)
	case a.takesText():
		return a.edit.pane.Update(msg)
	}
	return nil
}

// mouse gives a mouse message to the pane under it, in the pane's coordinates. A
// drag goes on in the pane where it began.
func (a *App) mouse(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	if a.frame.tooSmall || a.prompt != nil {
		return nil
	}
	if a.overlay != nil {
		r := overlayRect(a.overlay, a.w, a.h)
		o := a.overlay
		cmd, over := o.Update(moved(msg, r.x+1, r.y+1))
		if over && a.overlay == o {
			a.overlay = nil
		}
		return cmd
	}
	s, ok := a.frame.at(m.X, m.Y)
	switch msg.(type) {
	case tea.MouseClickMsg:
		if !ok {
			return nil
		}
		if a.frame.tabs && m.Y == 0 {
			a.clickTab(m.X)
			return nil
		}
		if s != a.focus {
			a.setFocus(s)
		}
		if m.Y == a.frame.panes[s].y {
			return nil
		}
	case tea.MouseWheelMsg:
		if !ok {
			return nil
		}
	default:
		s = a.focus
	}
	r := a.frame.panes[s]
	return a.pane(s).Update(moved(msg, r.x, r.y+1))
}

// clickTab goes to the pane whose name in the title row is at column x.
func (a *App) clickTab(x int) {
	at := 2
	for s := range slots {
		if s == slotHistory && !a.historyOpen() {
			continue
		}
		at += len(slotNames[s]) + 2
		if x < at {
			a.setFocus(s)
			return
		}
	}
}

// moved is a mouse message as seen from another corner.
func moved(msg tea.MouseMsg, x, y int) tea.Msg {
	switch m := msg.(type) {
	case tea.MouseClickMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseReleaseMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseWheelMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	case tea.MouseMotionMsg:
		m.X, m.Y = m.X-x, m.Y-y
		return m
	}
	return msg
}

func (a *App) quit() tea.Cmd {
	if a.edit != nil && a.edit.pane.Dirty() {
		a.overlay = &choice{name: "not saved", body: a.edit.path.String() + " has changes that are not saved.", cur: 2, options: []option{
			{"s", "save, then stay", a.saveAndClose},
			{"d", "leave without saving", func() tea.Cmd { a.edit = nil; return tea.Quit }},
			{"e", "stay", nil},
		}}
		return nil
	}
	return tea.Quit
}
