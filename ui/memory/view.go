package memory

import (
	"strconv"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/syntax"
	"github.com/memtrail/memtrail/ui/text"
)

func (m *Pane) View() string {
	dst := make([]byte, 0, m.h*(m.w*2+64))
	if note, st := m.notice(); note != "" {
		return string(m.noticeView(dst, note, st))
	}
	p := m.pen()
	line, row := m.top.line, m.top.row
	var rows [256]int
	for y := 0; y < m.h; line++ {
		if line >= m.doc.index.lines || !m.doc.window.holds(line) {
			dst = m.blank(dst, y, line)
			y++
			continue
		}
		s := m.doc.window.line(line)
		p.lineStyles(line, s)
		if !m.wrap {
			dst = m.lineStart(dst, y, line, 0)
			dst = p.draw(dst, s, 0, len(s), m.col)
			y++
			continue
		}
		starts := append(rows[:0], 0)
		if len(s) > m.textWidth() || !isASCII(s) {
			starts = text.Wrap(rows[:0], s, m.textWidth(), 0, row+m.h-y+1)
		}
		for ; row < len(starts) && y < m.h; row++ {
			to := len(s)
			if row+1 < len(starts) {
				to = starts[row+1]
			}
			dst = m.lineStart(dst, y, line, row)
			dst = p.draw(dst, s, starts[row], to, 0)
			y++
		}
		row = 0
	}
	return string(dst)
}

// notice says why there is no text.
func (m *Pane) notice() (string, theme.Style) {
	switch d := m.doc; {
	case d == nil && m.err != nil:
		return m.err.Error(), m.th.Error
	case d == nil && !m.opening.IsRoot():
		return "reading…", m.th.Dim
	case d == nil:
		return "Enter opens the memory under the cursor", m.th.Dim
	case d.why != "":
		return d.why, m.th.Warn
	case m.err != nil:
		return m.err.Error(), m.th.Error
	case d.size == 0:
		return "empty", m.th.Dim
	}
	return "", theme.Style{}
}

func (m *Pane) noticeView(dst []byte, note string, st theme.Style) []byte {
	var buf [16]int
	width := max(m.w-4, 1)
	starts := text.Wrap(buf[:0], note, width, 0, m.h)
	for y := range m.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := y - 1
		if m.h < 4 {
			i = y
		}
		if i < 0 || i >= len(starts) {
			dst = text.Spaces(dst, m.w)
			continue
		}
		to := len(note)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		dst = text.Spaces(dst, min(2, m.w))
		cols := 0
		dst, cols = text.Line{Width: min(width, m.w-2), Base: st.On, Mark: m.th.HiddenChar.On}.AppendRange(dst, note, starts[i], to)
		dst = text.Spaces(dst, m.w-cols-2)
	}
	return dst
}

// blank is a row without a line: below the end, or not read yet.
func (m *Pane) blank(dst []byte, y, line int) []byte {
	if y > 0 {
		dst = append(dst, '\n')
	}
	if line >= m.doc.index.lines || m.gutter() == 0 {
		return text.Spaces(dst, m.w)
	}
	dst = m.number(dst, line, m.th.LineNumber)
	return text.Spaces(dst, m.w-m.gutter())
}

// lineStart begins a row: the line's number, or a mark that it goes on.
func (m *Pane) lineStart(dst []byte, y, line, row int) []byte {
	if y > 0 {
		dst = append(dst, '\n')
	}
	g := m.gutter()
	if g == 0 {
		return dst
	}
	if row > 0 {
		dst = text.Spaces(dst, g-2)
		return append(m.th.LineNumber.Append(dst, "↪"), ' ')
	}
	st := m.th.LineNumber
	if line == m.now {
		st = m.th.LineNumberNow
	}
	return m.number(dst, line, st)
}

// number draws the number of a line and, after it, what a change did to it.
func (m *Pane) number(dst []byte, line int, st theme.Style) []byte {
	var buf [20]byte
	n := strconv.AppendInt(buf[:0], int64(line+1), 10)
	dst = text.Spaces(dst, m.gutter()-1-len(n))
	dst = append(dst, st.On...)
	dst = append(dst, n...)
	dst = append(dst, st.Off...)
	switch changed, gap := m.doc.marks.at(line); {
	case changed:
		return m.th.Changed.Append(dst, "▌")
	case gap:
		return m.th.Removed.Append(dst, "▔")
	}
	return append(dst, ' ')
}

// linePen draws the texts of lines with their layers of styles. It lives for one
// frame and reuses its memory from line to line.
type linePen struct {
	m      *Pane
	width  int
	needle []byte
	state  syntax.State
	at     int // the line that state is for
	base   string
	syntax []text.Span
	hits   []text.Span
	found  []int
}

func (m *Pane) pen() *linePen {
	p := &linePen{m: m, width: m.textWidth(), at: -1}
	if m.query != "" {
		p.needle = newSearch(m.query).needle
	}
	return p
}

// lineStyles finds the styles of a line. The state at the beginning of the first
// line is known when the file is held whole; else it is taken for ordinary text.
func (p *linePen) lineStyles(line int, s string) {
	d := p.m.doc
	switch {
	case line < len(d.states):
		p.state = d.states[line]
	case p.at != line && line > 0:
		p.state = syntax.Body
	case line == 0:
		p.state = 0
	}
	p.syntax, p.state = p.m.styles.Spans(p.syntax[:0], d.lang, s, p.state)
	p.at = line + 1
	p.base = ""
	if changed, _ := d.marks.at(line); changed && p.m.flash {
		p.base = p.m.th.Flash.On
	}
	p.hits = p.hits[:0]
	if p.needle == nil {
		return
	}
	p.found = hitsIn(p.found[:0], s, p.needle, p.m.fold)
	for _, at := range p.found {
		on := p.m.th.Match.On
		if i := p.m.hitNow; i >= 0 && i < len(p.m.hits) && p.m.hits[i] == (hit{line, at}) {
			on = p.m.th.MatchNow.On
		}
		p.hits = append(p.hits, text.Span{From: at, To: at + len(p.needle), On: on})
	}
}

// draw draws the bytes [from, to) of a line, filled up to the width.
func (p *linePen) draw(dst []byte, s string, from, to, skip int) []byte {
	l := text.Line{Width: p.width, Skip: skip, Base: p.base, Mark: p.m.th.HiddenChar.On, Fill: true}
	dst, _ = l.AppendRange(dst, s, from, to, p.syntax, p.hits)
	return dst
}
