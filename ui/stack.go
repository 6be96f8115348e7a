package ui

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/merge"
	"github.com/memtrail/memtrail/ui/plan"
	"github.com/memtrail/memtrail/ui/redact"
	"github.com/memtrail/memtrail/ui/screen"
)

// front is the pane that keys are for: the screen in front, or the pane that has
// the focus.
func (a *App) front() screen.Pane {
	if n := len(a.screens); n > 0 {
		return a.screens[n-1]
	}
	return a.pane(a.focus)
}

// panes are all that there are, shown or not.
func (a *App) panes() []screen.Pane {
	out := []screen.Pane{a.tree, a.memory}
	if a.edit != nil {
		out = append(out, a.edit.pane)
	}
	if a.history != nil {
		out = append(out, a.history)
	}
	if a.agents != nil {
		out = append(out, a.agents)
	}
	return append(out, a.screens...)
}

// push puts a screen in front of everything.
func (a *App) push(p screen.Pane) {
	p.SetNow(a.now)
	p.SetTheme(a.th) // it may be made of one that was changed meanwhile
	if w, ok := p.(screen.Wrapper); ok {
		w.SetWrap(!a.cfg.NoWrap)
	}
	a.screens = append(a.screens, p)
	a.resize()
}

// back takes the screen in front away, or gives the focus back.
func (a *App) back() tea.Cmd {
	n := len(a.screens)
	if n == 0 {
		a.setFocus(a.before)
		return nil
	}
	if c, ok := a.screens[n-1].(screen.Closer); ok {
		c.Close()
	}
	a.screens = a.screens[:n-1]
	a.resize()
	return nil
}

// leaveScreens takes all screens away.
func (a *App) leaveScreens() {
	for len(a.screens) > 0 {
		a.back()
	}
}

// uncover takes the screens away that hide what a person opened from one in front of
// them. A merge and a redaction stay: they are left by their own keys.
func (a *App) uncover() {
	for n := len(a.screens); n > 0; n = len(a.screens) {
		switch a.screens[n-1].(type) {
		case *merge.Pane, *redact.Pane:
			return
		}
		a.back()
	}
}

// whyDeciding says why the store can't be changed by an action of the root: a screen
// shows what a plan, a merge or a redaction would do, and what it was made from would
// change underneath, unseen.
func (a *App) whyDeciding() string {
	for _, p := range a.screens {
		what := ""
		switch p.(type) {
		case *plan.Pane:
			what = "plan"
		case *merge.Pane:
			what = "merge"
		case *redact.Pane:
			what = "redaction"
		default:
			continue
		}
		return "finish or leave the " + what + " first"
	}
	return ""
}

// answer passes on what the command of some pane brought back; each knows its own.
func (a *App) answer(msg screen.Answer) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.panes() {
		cmds = append(cmds, p.Update(msg))
	}
	return tea.Batch(cmds...)
}
