package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// stack is the open screens; the last one is in front.
type stack []screen.Pane

// drop closes a screen, wherever it is.
func (s *stack) drop(p screen.Pane) {
	i := slices.Index(*s, p)
	if i < 0 {
		return
	}
	if c, ok := p.(screen.Closer); ok {
		c.Close()
	}
	*s = slices.Delete(*s, i, i+1)
}

// uncover closes the screens that cover the memory just opened.
func (s *stack) uncover() {
	for _, p := range slices.Backward(*s) {
		if d, ok := p.(screen.Decider); ok && d.Stays() {
			return
		}
		s.drop(p)
	}
}

// deciding returns why actions of the root can't change the store now: see screen.Decider.
func (s stack) deciding() string {
	for _, p := range s {
		if d, ok := p.(screen.Decider); ok {
			return "finish or leave the " + d.Decides() + " first"
		}
	}
	return ""
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
