package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/screen"
)

// env returns the environment of new panes.
func (a *App) env() screen.Env {
	return screen.Env{Ctx: a.ctx, Theme: a.th, Keys: a.cfg.Keys, Out: &a.out, Actions: a.actions, Later: func(d time.Duration, msg tea.Msg) tea.Cmd { return a.later(d, msg) }}
}

// front returns the pane that receives keys: the screen in front, or the focused pane.
func (a *App) front() screen.Pane {
	if n := len(a.screens); n > 0 {
		return a.screens[n-1]
	}
	return a.pane(a.frame.Focus())
}

// panes returns all panes, visible or not.
func (a *App) panes() []screen.Pane {
	out := []screen.Pane{a.tree, a.memory}
	if e := a.editing.Pane(); e != nil {
		out = append(out, e)
	}
	if a.history != nil {
		out = append(out, a.history)
	}
	if a.agents != nil {
		out = append(out, a.agents)
	}
	return append(out, a.screens...)
}

// pane returns the pane in a slot.
func (a *App) pane(s frame.Slot) screen.Pane {
	switch {
	case s == frame.Tree:
		return a.tree
	case s == frame.History && a.history != nil:
		return a.history
	case s == frame.Agents && a.agents != nil:
		return a.agents
	}
	if e := a.editing.Pane(); e != nil {
		return e
	}
	return a.memory
}

// open reports which panes are open.
func (a *App) open() [frame.Slots]bool {
	return [frame.Slots]bool{frame.Tree: true, frame.Memory: true, frame.History: a.history != nil, frame.Agents: a.agents != nil}
}

func (a *App) setNow(now time.Time) {
	a.now = now
	a.live.SetNow(now)
	a.editing.SetNow(now)
	for _, p := range a.panes() {
		p.SetNow(now)
	}
}

func (a *App) resize() {
	a.frame.Resize(a.w, a.h, a.open())
	a.placed, a.covered = a.pane(frame.Memory), a.coveredRows()
	for s := range frame.Slots {
		r := a.frame.Panes[s]
		if r.Empty() {
			continue
		}
		a.pane(s).SetSize(r.W, max(min(r.H, a.frame.Body-a.covered-r.Y)-1, 0))
	}
	for _, p := range a.screens {
		p.SetSize(a.w, a.frame.Body-a.covered-1)
	}
	if a.overlay != nil {
		a.overlay.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
	}
}

// push puts a screen in front of everything.
func (a *App) push(p screen.Pane) tea.Cmd {
	p.SetNow(a.now)
	p.SetTheme(a.th) // the theme may have changed since the screen was created
	if w, ok := p.(screen.Wrapper); ok {
		w.SetWrap(!a.cfg.NoWrap)
	}
	a.screens = append(a.screens, p)
	a.resize()
	if s, ok := p.(screen.Starter); ok {
		return s.Start()
	}
	return nil
}

// back closes the screen in front, or returns the focus.
func (a *App) back() {
	if n := len(a.screens); n > 0 {
		a.screens.drop(a.screens[n-1])
		return
	}
	a.setFocus(a.frame.Before())
}

func (a *App) show(o dialog.Overlay) {
	a.overlay = o
	o.Update(tea.WindowSizeMsg{Width: a.w, Height: a.h})
}

func (a *App) setFocus(s frame.Slot) {
	a.frame.SetFocus(s)
	if a.agents != nil {
		a.agents.SetFocused(s == frame.Agents)
	}
	if a.history != nil {
		a.history.SetFocused(s == frame.History)
	}
	a.tree.SetFocused(s == frame.Tree)
	a.memory.SetFocused(s == frame.Memory)
	a.resize()
}

// say shows a message for a while; an error stays until a key is pressed.
func (a *App) say(s string, bad bool) tea.Cmd {
	return a.notices.Say(jobs.Notice{Text: s, Bad: bad, When: a.now})
}

// canvas returns how frames are drawn.
func (a *App) canvas() frame.Canvas { return frame.Canvas{Theme: a.th} }
