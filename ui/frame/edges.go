package frame

import (
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// Body holds the rows of the panes, beginning with their titles.
type Body struct {
	Front []string // of a screen that covers the whole frame; nil for none
	Panes [Slots][]string
}

// Body draws row y of the panes and the lines between them.
func (c Canvas) Body(dst []byte, f *Frame, y int, b Body) []byte {
	if b.Front != nil {
		return c.row(dst, b.Front, y, f.W)
	}
	for x := 0; x < f.W; {
		s, ok := f.At(x, y)
		if !ok {
			dst = c.separator(dst, f, x, y)
			x++
			continue
		}
		r := f.Panes[s]
		dst = c.row(dst, b.Panes[s], y-r.Y, r.W)
		x = r.X + r.W
	}
	return dst
}

func (c Canvas) row(dst []byte, rows []string, i, w int) []byte {
	if i < len(rows) {
		return append(dst, rows[i]...)
	}
	return text.Spaces(dst, w)
}

// separator draws one cell of the line between two panes.
func (c Canvas) separator(dst []byte, f *Frame, x, y int) []byte {
	st, lines := c.Border, c.Lines
	cell := lines.Down
	_, titleRight := f.titleAt(x+1, y)
	_, titleLeft := f.titleAt(x-1, y)
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

// titleAt returns the pane whose title row contains the cell.
func (f *Frame) titleAt(x, y int) (Slot, bool) {
	s, ok := f.At(x, y)
	return s, ok && f.Panes[s].Y == y
}

// TitleRow draws an upper edge with a name and notes.
func (c Canvas) TitleRow(dst []byte, w int, focused bool, title, info string) []byte {
	p := draw.NewRow(dst, w)
	c.edge(&p, focused, 2)
	c.titleRest(&p, focused, title, info)
	return p.End()
}

// TitleFits reports whether a title row of w columns has room for a name and all of what is beside it.
func TitleFits(w int, title, info string) bool { return text.Width(title)+text.Width(info)+9 <= w }

// edge draws cols columns of an upper edge, the last of them blank.
func (c Canvas) edge(p *draw.Row, focused bool, cols int) {
	line := c.Border
	if focused {
		line = c.BorderFocused
	}
	p.Put(strings.Repeat(c.Lines.Across, max(cols-1, 0))+" ", line)
}

func (c Canvas) titleRest(p *draw.Row, focused bool, title, info string) {
	name := c.Title
	if focused {
		name = c.TitleFocused
	}
	room := p.W - p.Used - 3
	least, put := text.Width(title), (*draw.Row).Clip
	if strings.Contains(title, "/") { // keep the end of a path
		least, put = min(least, 10), (*draw.Row).Path
	}
	if room-4-text.Width(info) < least { // too little is left for the name
		info = fitting(info, room-4-text.Width(title))
	}
	infoCols := 0
	if info != "" {
		infoCols = text.Width(info) + 4
		room -= infoCols
	}
	if room > 0 && (room >= 8 || room >= text.Width(title)) { // a shorter name would be useless
		put(p, title, room, name)
	}
	p.Space(1)
	line := c.Border
	if focused {
		line = c.BorderFocused
	}
	p.Put(strings.Repeat(c.Lines.Across, max(p.W-infoCols-p.Used, 0)), line)
	if infoCols > 0 {
		p.Space(1)
		p.Put(info, c.Dim)
		p.Space(1)
		p.Put(strings.Repeat(c.Lines.Across, p.Left()), line)
	}
}

// TabRow draws the title row of the visible pane when only one is shown at a time; names
// are the names of the open panes, "" for the others.
func (c Canvas) TabRow(dst []byte, w int, names [Slots]string, focus Slot, title, info string) []byte {
	p := draw.NewRow(dst, w)
	c.edge(&p, true, 2)
	for s, name := range names {
		if name == "" {
			continue
		}
		st := c.Title
		if Slot(s) == focus {
			st = c.Selected
		}
		p.Put(" "+name+" ", st)
	}
	p.Put(" ", theme.Style{})
	c.titleRest(&p, true, title, info)
	return p.End()
}

// TabAt returns the pane whose name is at a column of that row.
func TabAt(names [Slots]string, x int) (Slot, bool) {
	at := 2
	for s, name := range names {
		if name == "" {
			continue
		}
		if at += len(name) + 2; x < at {
			return Slot(s), true
		}
	}
	return 0, false
}

// fitting returns as many of the notes as fit into w columns; the most important come
// first.
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

// TooSmall draws a frame for a terminal that is too small.
func TooSmall(w, h int) string {
	var dst []byte
	for y := range h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		s := ""
		switch y {
		case h / 2:
			s = "too small: 20×5 are needed"
			if w < 26 {
				s = "needs 20×5"
			}
			if w < 10 {
				s = "small"
			}
		}
		dst = text.Pad(dst, s, w)
	}
	return string(dst)
}
