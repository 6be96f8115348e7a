package ui

import (
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// toast is a message to the person. It is safe to draw only through ui/text.
type toast struct {
	text string
	bad  bool
	back string // action of the root that takes back what is told of; "" for none
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

// maxToastRows is how much of the screen one message takes; the log has all of it.
const maxToastRows = 3

// maxDoneRows is how much of it tells what a person has just done, and sees.
const maxDoneRows = 2

// toastRows is the message in rows of w columns when the status line is too short
// for it: it ends in what undoes it, or in what to do.
func (a *App) toastRows(w int) []string {
	if a.toast == nil || a.prompt != nil || a.frame.body < 2*maxToastRows {
		return nil
	}
	if a.toast.back != "" && (a.overlay != nil || a.front().TakesText()) {
		return nil // the way back is a longer one, and nobody waits for it
	}
	told, next := a.toast.text, ""
	if a.toast.back != "" {
		next = a.wayBack(a.toast.back)
	} else if i := strings.LastIndex(told, " · "); i >= 0 {
		told, next = told[:i], told[i+len(" · "):]
	}
	whole := told
	if next != "" {
		whole += " · " + next
	}
	if text.Width(whole) <= w-2 {
		return nil
	}
	rows := text.Rows(whole, w-2, maxToastRows)
	if list := text.Rows(told, w-2, maxToastRows-1); next != "" && !strings.HasSuffix(rows[len(rows)-1], " · "+next) && text.Width(next) <= w-2 {
		rows = append(list, next) // what can be done stands together
	}
	if a.toast.back != "" && len(rows) > maxDoneRows {
		return nil // it is clipped, and the way back kept
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

// note puts a message into the log alone.
func (a *App) note(s string, bad bool) toast {
	if len(a.toasts) >= maxToasts {
		a.toasts = append(a.toasts[:0], a.toasts[maxToasts/2:]...)
	}
	t := toast{text: s, bad: bad, when: a.now}
	a.toasts = append(a.toasts, t)
	return t
}

// say shows a message for a while; an error stays until a key is pressed.
func (a *App) say(s string, bad bool) tea.Cmd {
	t := a.note(s, bad)
	a.toast = &t
	a.toastID++
	if bad {
		return nil
	}
	id := a.toastID
	return a.later(toastTime, screen.Then(func() tea.Cmd {
		if id == a.toastID {
			a.toast = nil
		}
		return nil
	}))
}

// sayDone tells of a change that was made. While that shows, it says how to take
// it back.
func (a *App) sayDone(did string, c versions.Change) tea.Cmd {
	cmd := a.say(did, false)
	switch {
	case c.Number == 0:
	case c.Kind == versions.KindUndo:
		a.toast.back = "redo"
	default:
		a.toast.back = "undo"
	}
	return cmd
}

// wayBack says which key takes a change back where the person is now: "u undoes".
func (a *App) wayBack(id string) string {
	does := map[string]string{"undo": "undoes", "redo": "redoes it"}[id]
	for _, e := range a.keys.Entries(a) {
		if e.ID != "global."+id || e.Hint() == "" {
			continue
		}
		if a.overlay != nil || a.prompt != nil || a.front().TakesText() || a.whyDeciding() != "" {
			return "Esc, then " + e.Hint() + " " + does
		}
		return e.Hint() + " " + does
	}
	return ""
}
