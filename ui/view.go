package ui

import (
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// View is the frame: exactly the screen's height, every row exactly its width.
func (a *App) View() string {
	if a.w < 1 || a.h < 1 {
		return ""
	}
	if a.frame.tooSmall {
		return a.tooSmall()
	}
	dst := make([]byte, 0, a.w*a.h*2+4096)
	var front []string
	if n := len(a.screens); n > 0 {
		front = strings.Split(a.screens[n-1].View(), "\n")
	}
	var views [slots][]string
	for s := range slots {
		if len(a.screens) > 0 {
			break
		}
		if r := a.frame.panes[s]; !r.Empty() {
			views[s] = strings.Split(a.pane(s).View(), "\n")
		}
	}
	toast := a.toastRows(a.w)
	for y := range a.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if i := y - a.frame.status + len(toast) - 1; i >= 0 && i < len(toast) {
			dst = append(dst, a.fit(string(a.toastRow(nil, toast[i])), a.w)...)
			continue
		}
		switch y {
		case a.frame.status:
			dst = a.bottom(dst, !a.cfg.Reorders && text.RightToLeft(dst))
		case a.frame.hints:
			dst = a.hintsLine(dst, a.w)
		default:
			if front != nil {
				dst = a.screenRow(dst, y, front)
			} else {
				dst = a.bodyRow(dst, y, &views)
			}
		}
	}
	isolate := a.cfg.Reorders && (a.overlay != nil || text.RightToLeft(dst))
	if a.overlay == nil && !isolate {
		return string(dst)
	}
	rows := strings.Split(string(dst), "\n")
	if a.overlay != nil {
		a.drawOverlay(rows)
	}
	for y := range rows {
		if isolate {
			rows[y] = text.Isolate(rows[y])
		}
	}
	return strings.Join(rows, "\n")
}

// screenRow draws row y of the screen in front: its title, or a row of its own.
func (a *App) screenRow(dst []byte, y int, rows []string) []byte {
	switch {
	case y == 0:
		name, info := a.front().Title()
		title := a.edgeRow(nil, a.w, true, name, info)
		return append(dst, a.fit(string(title), a.w)...)
	case y-1 < len(rows):
		return append(dst, a.fit(rows[y-1], a.w)...)
	}
	return text.Spaces(dst, a.w)
}

// bottom is the status line, or the prompt that stands in its place. stored says
// that right-to-left text shows as it is stored.
func (a *App) bottom(dst []byte, stored bool) []byte {
	if a.prompt != nil {
		s, _ := a.prompt.View(a.th, a.w)
		return append(dst, a.fit(s, a.w)...)
	}
	return append(dst, a.fit(string(a.statusLine(nil, a.w, stored)), a.w)...)
}

// Selected is where what is selected begins, for who is led by the terminal's cursor.
func (a *App) Selected() (x, y int, ok bool) {
	if a.w < 1 || a.h < 1 || a.frame.tooSmall {
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
		return x, y + 1, ok && y+1 < a.frame.body
	}
	r := a.frame.panes[a.focus]
	return r.X + x, r.Y + 1 + y, ok && y+1 < r.H
}

// Cursor is where the terminal's cursor belongs, if it shows.
func (a *App) Cursor() (x, y int, ok bool) {
	switch {
	case a.w < 1 || a.h < 1 || a.frame.tooSmall:
	case a.overlay != nil:
		r := a.overlay.Place(a.w, a.h)
		if _, cur := a.overlay.View(a.th, r.W-2, r.H-2); cur != nil {
			return r.X + 1 + cur.X, r.Y + 1 + cur.Y, true
		}
	case a.prompt != nil:
		_, x := a.prompt.View(a.th, a.w)
		return x, a.frame.status, true
	case len(a.screens) > 0:
		if x, y, ok := a.front().Cursor(); ok {
			return x, y + 1, true
		}
	default:
		if x, y, ok := a.front().Cursor(); ok {
			r := a.frame.panes[a.focus]
			return r.X + x, r.Y + 1 + y, true
		}
	}
	return 0, 0, false
}

// bodyRow draws row y of the panes and the lines between them.
func (a *App) bodyRow(dst []byte, y int, views *[slots][]string) []byte {
	x := 0
	for x < a.w {
		s, ok := a.frame.at(x, y)
		if !ok {
			dst = a.separator(dst, x, y)
			x++
			continue
		}
		r := a.frame.panes[s]
		if y == r.Y {
			dst = append(dst, a.fit(string(a.titleRow(nil, s, r)), r.W)...)
		} else if i := y - r.Y - 1; i < len(views[s]) {
			dst = append(dst, a.fit(views[s][i], r.W)...)
		} else {
			dst = text.Spaces(dst, r.W)
		}
		x = r.X + r.W
	}
	return dst
}

// separator is one cell of the line between two panes.
func (a *App) separator(dst []byte, x, y int) []byte {
	st, lines := a.th.Border, a.th.Lines
	cell := lines.Down
	_, titleRight := a.titleAt(x+1, y)
	_, titleLeft := a.titleAt(x-1, y)
	switch {
	case titleLeft && titleRight && y == 0:
		cell = lines.TeeDown
	case titleRight:
		cell = lines.TeeRight
	case titleLeft:
		cell = lines.TeeLeft
	}
	return st.Append(dst, cell)
}

// titleAt is the pane whose title row holds the cell.
func (a *App) titleAt(x, y int) (slot, bool) {
	s, ok := a.frame.at(x, y)
	return s, ok && a.frame.panes[s].Y == y
}

// titleRow draws the upper edge of the pane in a slot.
func (a *App) titleRow(dst []byte, s slot, r geometry.Rect) []byte {
	title, info := a.paneTitle(s)
	if a.frame.tabs {
		p := draw.Pen{W: r.W}
		dst = a.edge(dst, &p, s == a.focus, 2)
		dst = a.tabs(dst, &p)
		return a.titleRest(dst, &p, s == a.focus, title, info)
	}
	return a.edgeRow(dst, r.W, s == a.focus, title, info)
}

// edgeRow draws an upper edge with a name and what is worth knowing.
func (a *App) edgeRow(dst []byte, w int, focused bool, title, info string) []byte {
	p := draw.Pen{W: w}
	dst = a.edge(dst, &p, focused, 2)
	return a.titleRest(dst, &p, focused, title, info)
}

// edge draws cols columns of an upper edge, the last of them blank.
func (a *App) edge(dst []byte, p *draw.Pen, focused bool, cols int) []byte {
	line := a.th.Border
	if focused {
		line = a.th.BorderFocused
	}
	return p.Put(dst, strings.Repeat(a.th.Lines.Across, max(cols-1, 0))+" ", line)
}

func (a *App) titleRest(dst []byte, p *draw.Pen, focused bool, title, info string) []byte {
	name := a.th.Title
	if focused {
		name = a.th.TitleFocused
	}
	room := p.W - p.Used - 3
	least := text.Width(title)
	if strings.Contains(title, "/") { // the end of a path says which it is
		least = min(least, 10)
	}
	if room-4-text.Width(info) < least { // too little is left of the name
		info = fitting(info, room-4-text.Width(title))
	}
	infoCols := 0
	if info != "" {
		infoCols = text.Width(info) + 4
		room -= infoCols
	}
	if room > 0 && (room >= 8 || room >= text.Width(title)) { // less of a name tells nothing
		cols := 0
		dst = append(dst, name.On...)
		dst, cols = draw.ClipStart(dst, title, room, name)
		dst = append(dst, name.Off...)
		p.Used += cols
	}
	dst = p.Space(dst, 1)
	line := a.th.Border
	if focused {
		line = a.th.BorderFocused
	}
	dst = p.Put(dst, strings.Repeat(a.th.Lines.Across, max(p.W-infoCols-p.Used, 0)), line)
	if infoCols > 0 {
		dst = p.Put(p.Space(dst, 1), info, a.th.Dim)
		dst = p.Put(p.Space(dst, 1), strings.Repeat(a.th.Lines.Across, max(p.W-p.Used, 0)), line)
	}
	return dst
}

// fitting is as much of some facts, the weightiest first, as w columns hold.
func fitting(facts string, w int) string {
	for text.Width(facts) > w {
		i := strings.LastIndex(facts, " · ")
		if i < 0 {
			return ""
		}
		facts = facts[:i]
	}
	return facts
}

// tabs names the panes where one is shown at a time; the title of the memory
// says more than its name.
func (a *App) tabs(dst []byte, p *draw.Pen) []byte {
	for s := range slots {
		if !a.open()[s] {
			continue
		}
		st := a.th.Title
		if s == a.focus {
			st = a.th.Selected
		}
		dst = p.Put(dst, " "+a.tabName(s)+" ", st)
	}
	return p.Put(dst, " ", theme.Style{})
}

// tabName is what a pane is called where there is room for a word.
func (a *App) tabName(s slot) string {
	if s == slotMemory && a.editing.Pane() != nil {
		return "edit"
	}
	return slotNames[s]
}

// paneTitle is what a pane is called, and what is worth knowing about it.
func (a *App) paneTitle(s slot) (title, info string) {
	if s == slotMemory && a.editing.Pane() != nil {
		if title, info = a.editing.Title(); !a.frame.tabs { // its tab says it
			title = "edit " + title
		}
		return title, info
	}
	title, info = a.pane(s).Title()
	switch {
	case !a.frame.tabs:
	case s == slotTree:
		title = a.info.Name
	case s == slotAgent: // its tab says what it is
		title = ""
	}
	return title, info
}

// tooSmall is the frame where nothing fits.
func (a *App) tooSmall() string {
	var dst []byte
	for y := range a.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		s := ""
		switch y {
		case a.h / 2:
			s = "too small: 20×5 are needed"
			if a.w < 26 {
				s = "needs 20×5"
			}
			if a.w < 10 {
				s = "small"
			}
		}
		dst = text.Pad(dst, s, a.w)
	}
	return string(dst)
}

// title is what the terminal's window is called.
func (a *App) title() string { return "memend · " + text.Field(a.info.Name) }
