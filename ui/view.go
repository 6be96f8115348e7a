package ui

import (
	"strings"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// View returns the frame: exactly the screen's height, and every row exactly its width.
func (a *App) View() string {
	if a.w < 1 || a.h < 1 {
		return ""
	}
	if a.frame.TooSmall {
		return frame.TooSmall(a.w, a.h)
	}
	dst := make([]byte, 0, a.w*a.h*2+4096)
	canvas, body := a.canvas(), a.body()
	message := a.messageRows()
	for y := range a.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if i := y - a.frame.Status + len(message) - 1; i >= 0 && i < len(message) {
			dst = append(dst, message[i]...)
			continue
		}
		switch y {
		case a.frame.Status:
			dst = a.bottom(dst)
		case a.frame.Hints:
			dst = a.canvas().Hints(dst, a.w, a.hints(), a.helpKey())
		default:
			dst = canvas.Body(dst, &a.frame, y, body)
		}
	}
	isolate := a.cfg.Reorders && (a.overlay != nil || text.RightToLeft(dst))
	if a.overlay == nil && !isolate {
		return string(dst)
	}
	rows := strings.Split(string(dst), "\n")
	if a.overlay != nil {
		a.canvas().Overlay(rows, a.overlay, a.w, a.h)
	}
	for y := range rows {
		if isolate {
			rows[y] = text.Isolate(rows[y])
		}
	}
	return strings.Join(rows, "\n")
}

// body returns the visible panes with their titles: a screen replaces all of them.
func (a *App) body() frame.Body {
	var b frame.Body
	if n := len(a.screens); n > 0 {
		name, info := a.front().Title()
		b.Front = append([]string{string(a.canvas().TitleRow(nil, a.w, true, name, info))}, strings.Split(a.screens[n-1].View(), "\n")...)
		return b
	}
	for s, r := range a.frame.Panes {
		if s := frame.Slot(s); !r.Empty() {
			b.Panes[s] = append([]string{string(a.titleRow(nil, s, r.W))}, strings.Split(a.pane(s).View(), "\n")...)
		}
	}
	return b
}

// bottom draws the status line, or the prompt in its place.
func (a *App) bottom(dst []byte) []byte {
	if a.prompt != nil {
		s, _ := a.prompt.View(a.th, a.w)
		return append(dst, s...)
	}
	return a.canvas().StatusLine(dst, a.w, a.status())
}

// Selected returns where the selection begins; the terminal's cursor is placed there for
// screen readers.
func (a *App) Selected() (x, y int, ok bool) {
	if a.w < 1 || a.h < 1 || a.frame.TooSmall {
		return 0, 0, false
	}
	if a.overlay != nil {
		r := a.overlay.Place(a.w, a.h)
		c, is := a.overlay.(*dialog.Choice)
		if !is || r.W < 3 {
			return 0, 0, false
		}
		y = c.OptionsFrom(r.W-2, r.H-2) + c.Cur
		return r.X + 1, r.Y + 1 + y, y < r.H-2
	}
	s, is := a.front().(screen.Selector)
	if !is {
		return 0, 0, false
	}
	x, y, ok = s.Selected()
	if len(a.screens) > 0 {
		return x, y + 1, ok && y+1 < a.frame.Body
	}
	r := a.frame.Panes[a.frame.Focus()]
	return r.X + x, r.Y + 1 + y, ok && y+1 < r.H
}

// Cursor returns the place of the terminal's cursor, if it is visible.
func (a *App) Cursor() (x, y int, ok bool) {
	switch {
	case a.w < 1 || a.h < 1 || a.frame.TooSmall:
	case a.overlay != nil:
		r := a.overlay.Place(a.w, a.h)
		if _, cur := a.overlay.View(a.th, r.W-2, r.H-2); cur != nil {
			return r.X + 1 + cur.X, r.Y + 1 + cur.Y, true
		}
	case a.prompt != nil:
		_, x := a.prompt.View(a.th, a.w)
		return x, a.frame.Status, true
	case len(a.screens) > 0:
		if x, y, ok := a.front().Cursor(); ok {
			return x, y + 1, true
		}
	default:
		if x, y, ok := a.front().Cursor(); ok {
			r := a.frame.Panes[a.frame.Focus()]
			return r.X + x, r.Y + 1 + y, true
		}
	}
	return 0, 0, false
}

// titleRow draws the upper edge of the pane in a slot.
func (a *App) titleRow(dst []byte, s frame.Slot, w int) []byte {
	title, info := a.paneTitle(s)
	if a.frame.Tabs {
		return a.canvas().TabRow(dst, w, a.tabNames(), a.frame.Focus(), title, info)
	}
	return a.canvas().TitleRow(dst, w, s == a.frame.Focus(), title, info)
}

// tabNames returns the names of the open panes for tabs with room for one word. The memory is
// named by its kind, because its title is longer.
func (a *App) tabNames() (names [frame.Slots]string) {
	for s, open := range a.open() {
		if open {
			names[s] = frame.Names[s]
		}
	}
	if a.editing.Pane() != nil {
		names[frame.Memory] = "edit"
	}
	return names
}

// paneTitle returns the title of a pane, and details about it.
func (a *App) paneTitle(s frame.Slot) (title, info string) {
	if s == frame.Memory && a.editing.Pane() != nil {
		title, info = a.editing.Title()
		if edit := "edit " + title; !a.frame.Tabs && frame.TitleFits(a.frame.Panes[s].W, edit, info) { // a tab shows it
			title = edit
		}
		return title, info
	}
	title, info = a.pane(s).Title()
	switch {
	case !a.frame.Tabs:
	case s == frame.Tree:
		title = a.info.Name
	case s == frame.Agents: // its tab shows it
		title = ""
	}
	return title, info
}

// title returns the title of the terminal's window.
func (a *App) title() string { return "memend · " + text.Field(a.info.Name) }
