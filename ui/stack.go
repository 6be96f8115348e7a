package ui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

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
		a.drop(a.screens[n-1])
		return
	}
	a.setFocus(a.frame.Before())
}

// drop closes a screen, wherever it is.
func (a *App) drop(p screen.Pane) {
	i := slices.Index(a.screens, p)
	if i < 0 {
		return
	}
	if c, ok := p.(screen.Closer); ok {
		c.Close()
	}
	a.screens = slices.Delete(a.screens, i, i+1)
	a.resize()
}

// uncover closes the screens that cover the memory just opened.
func (a *App) uncover() {
	for n := len(a.screens); n > 0; n = len(a.screens) {
		if d, ok := a.screens[n-1].(screen.Decider); ok && d.Stays() {
			return
		}
		a.back()
	}
}

// whyDeciding returns why actions of the root can't change the store now: see screen.Decider.
func (a *App) whyDeciding() string {
	for _, p := range a.screens {
		if d, ok := p.(screen.Decider); ok {
			return "finish or leave the " + d.Decides() + " first"
		}
	}
	return ""
}
