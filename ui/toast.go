package ui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// toast is a message to the person. It is safe to draw only through ui/text.
type toast struct {
	text string
	bad  bool
	when time.Time
}

const (
	toastTime = 4 * time.Second
	maxToasts = 200
)

// say shows a message for a while; an error stays until a key is pressed.
func (a *App) say(s string, bad bool) tea.Cmd {
	if len(a.toasts) >= maxToasts {
		a.toasts = append(a.toasts[:0], a.toasts[maxToasts/2:]...)
	}
	t := toast{s, bad, a.now}
	a.toasts = append(a.toasts, t)
	a.toast = &t
	a.toastID++
	if bad {
		return nil
	}
	return a.later(toastTime, toastOverMsg{a.toastID})
}
