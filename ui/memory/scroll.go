package memory

import (
	"strconv"

	"github.com/memtrail/memtrail/ui/text"
)

// gutter is how wide the line numbers are, with the space after them.
func (m *Pane) gutter() int {
	if m.doc == nil || m.w < 24 {
		return 0
	}
	return max(len(strconv.Itoa(max(m.doc.index.lines, 1))), 3) + 2
}

func (m *Pane) textWidth() int { return max(m.w-m.gutter(), 1) }

// rowsOf is how many rows a line takes; from the row limit on it need not be exact.
func (m *Pane) rowsOf(line, limit int) int {
	if !m.wrap {
		return 1
	}
	s := m.doc.window.line(line)
	if len(s) <= m.textWidth() && isASCII(s) {
		return 1
	}
	var buf [64]int
	return len(text.Wrap(buf[:0], s, m.textWidth(), 0, limit))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// maxRows bounds the rows of one line that are looked at: as many as its bytes allow.
const maxRows = maxLineBytes

// scroll moves the top by d rows and keeps the screen full.
func (m *Pane) scroll(d int) {
	if m.doc == nil {
		return
	}
	lines := m.doc.index.lines
	if !m.wrap {
		m.top = place{line: min(max(m.top.line+d, 0), max(lines-m.h, 0))}
		return
	}
	m.top.line = min(max(m.top.line, 0), max(lines-1, 0))
	m.top.row = min(m.top.row, m.rowsOf(m.top.line, maxRows)-1)
	for ; d > 0; d-- {
		if m.top.row+1 < m.rowsOf(m.top.line, m.top.row+2) {
			m.top.row++
		} else if m.top.line+1 < lines {
			m.top = place{line: m.top.line + 1}
		} else {
			break
		}
	}
	for ; d < 0; d++ {
		m.up()
	}
	m.fill()
}

// up moves the top one row up.
func (m *Pane) up() bool {
	switch {
	case m.top.row > 0:
		m.top.row--
	case m.top.line > 0:
		m.top = place{line: m.top.line - 1, row: m.rowsOf(m.top.line-1, maxRows) - 1}
	default:
		return false
	}
	return true
}

// fill moves the top up until the text below it fills the screen.
func (m *Pane) fill() {
	lines := m.doc.index.lines
	if lines-m.top.line > m.h+m.top.row {
		return
	}
	have := -m.top.row
	for i := m.top.line; i < lines && have < m.h; i++ {
		have += m.rowsOf(i, m.h+m.top.row+1)
	}
	for ; have < m.h && m.up(); have++ {
	}
}

// goTo shows a line, from 0, near the middle; one that is not known yet when it is.
func (m *Pane) goTo(line int) {
	d := m.doc
	if d == nil || line >= d.index.lines && !d.index.done {
		m.want = line
		return
	}
	m.want = -1
	m.atEnd = false
	m.now = min(max(line, 0), max(d.index.lines-1, 0))
	if m.shows(m.now) {
		return
	}
	m.top = place{line: max(m.now-m.h/3, 0)}
	m.scroll(0)
}

// shows reports whether the beginning of a line is on the screen, and not in its
// last row.
func (m *Pane) shows(line int) bool {
	if line < m.top.line || line == m.top.line && m.top.row > 0 {
		return false
	}
	y := -m.top.row
	for i := m.top.line; i < line && y < m.h-1; i++ {
		y += m.rowsOf(i, m.h+m.top.row)
	}
	return y < m.h-1
}

func (m *Pane) toEnd() {
	m.top = place{line: max(m.doc.index.lines-1, 0)}
	m.atEnd = !m.doc.index.done || !m.doc.window.holds(m.top.line)
	m.scroll(0)
}
