package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
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

func (a *App) toastStyle() theme.Style {
	if a.toast.bad {
		return a.th.StatusWarn
	}
	return a.th.StatusStrong
}

// mostToastRows is how much of the screen one message takes; the log has all of it.
const mostToastRows = 3

// toastRows is the message in rows of w columns when the status line is too short
// for it: it ends in what undoes it, or in what to do.
func (a *App) toastRows(w int) []string {
	if a.toast == nil || a.prompt != nil || text.Width(a.toast.text) <= w-2 || a.frame.body < 2*mostToastRows {
		return nil
	}
	s := a.toast.text
	starts := text.Wrap(nil, s, max(w-2, 1), 0, mostToastRows+1)
	var rows []string
	for i, from := range starts[:min(len(starts), mostToastRows)] {
		if i+1 < len(starts) && i+1 < mostToastRows {
			rows = append(rows, strings.TrimRight(s[from:starts[i+1]], " "))
		} else {
			rows = append(rows, s[from:])
		}
	}
	return rows
}

// toastRow draws one of these rows.
func (a *App) toastRow(dst []byte, s string) []byte {
	p := draw.Pen{W: a.w, Base: a.th.Status.On}
	dst = p.Space(append(dst, p.Base...), 1)
	dst = p.Clip(append(dst, text.Reset...), s, a.w-2, a.toastStyle())
	dst = p.Space(append(dst, p.Base...), a.w)
	return append(dst, text.Reset...)
}

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
