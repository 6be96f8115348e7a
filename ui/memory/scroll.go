package memory

import (
	"sort"
	"strconv"

	"github.com/memend/memend/ui/text"
)

// gutter returns the width of everything left of the text.
func (m *Pane) gutter() int { return m.blameWidth() + m.numberWidth() }

// numberWidth returns the width of the line numbers, including the blank after them.
func (m *Pane) numberWidth() int {
	if m.doc == nil || m.w < 24 {
		return 0
	}
	return max(len(strconv.Itoa(max(len(m.doc.lines), 1))), 3) + 2
}

func (m *Pane) textWidth() int { return max(m.w-m.gutter(), 1) }

// rowsOf returns how many rows a line takes.
func (m *Pane) rowsOf(line int) int {
	var buf [64]int
	return m.ruled(line) + len(m.breaks(buf[:0], line))
}

// wrappedLines are the long lines with the places where their rows begin, for one width. A
// line can be as long as the text: a key must not take as long as wrapping it.
type wrappedLines struct {
	width  int
	starts map[int][]int
}

// keptLine is the number of bytes from which the rows of a line are kept.
const keptLine = 512

// breaks returns where the rows of a line begin. They are in buf or, for a long line, shared.
func (m *Pane) breaks(buf []int, line int) []int {
	if !m.wrap {
		return append(buf, 0)
	}
	s, w := m.doc.line(line), m.textWidth()
	switch {
	case len(s) <= w && isASCII(s):
		return append(buf, 0)
	case len(s) < keptLine:
		return text.Wrap(buf, s, w, 0, 0)
	}
	kept := &m.doc.wraps
	if kept.starts == nil || kept.width != w {
		*kept = wrappedLines{w, map[int][]int{}}
	}
	starts, ok := kept.starts[line]
	if !ok {
		starts = text.Wrap(nil, s, w, 0, 0)
		kept.starts[line] = starts
	}
	return starts
}

// ruled returns how many rows of a line come before its text.
func (m *Pane) ruled(line int) int {
	if line == m.doc.cut {
		return 1
	}
	return 0
}

// oneRowPerLine reports whether every line takes one row.
func (m *Pane) oneRowPerLine() bool { return !m.wrap && m.doc.cut < 0 }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// scroll moves the top by d rows and keeps the screen full.
func (m *Pane) scroll(d int) {
	if m.doc == nil {
		return
	}
	m.render()
	if m.sheet != nil {
		m.top = m.sheet.scroll(m.top, d, m.h)
		return
	}
	lines := len(m.doc.lines)
	if m.oneRowPerLine() {
		m.top = place{line: min(max(m.top.line+d, 0), max(lines-m.h, 0))}
		return
	}
	m.clampTop()
	for ; d > 0 && m.down(); d-- {
	}
	for ; d < 0 && m.up(); d++ {
	}
	m.fill()
}

// clampTop moves the top to an existing row.
func (m *Pane) clampTop() {
	m.top.line = min(max(m.top.line, 0), max(len(m.doc.lines)-1, 0))
	m.top.row = max(min(m.top.row, m.rowsOf(m.top.line)-1), 0)
}

// down moves the top one row down.
func (m *Pane) down() bool {
	if m.top.row+1 < m.rowsOf(m.top.line) {
		m.top.row++
		return true
	}
	if m.top.line+1 >= len(m.doc.lines) {
		return false
	}
	m.top = place{line: m.top.line + 1}
	return true
}

// up moves the top one row up.
func (m *Pane) up() bool {
	if m.top.row > 0 {
		m.top.row--
		return true
	}
	if m.top.line == 0 {
		return false
	}
	m.top.line--
	m.top.row = m.rowsOf(m.top.line) - 1
	return true
}

// fill moves the top up until the text below it fills the screen.
func (m *Pane) fill() {
	have := m.below(m.h)
	for ; have < m.h && m.up(); have++ {
	}
}

// below counts the rows from the top of the screen to the end, up to limit.
func (m *Pane) below(limit int) int {
	if m.sheet != nil {
		return min(m.sheet.len()-m.sheet.index(m.top), limit)
	}
	have := -m.top.row
	for i := m.top.line; i < len(m.doc.lines) && have < limit; i++ {
		have += m.rowsOf(i)
	}
	return have
}

// goTo shows a line, from 0, near the middle.
func (m *Pane) goTo(line int) {
	d := m.doc
	m.want = -1
	m.cur = spot{line: min(max(line, 0), m.lastLine())}
	m.unfolded = m.unfolded || m.cur.line > 0 && m.cur.line < d.front
	m.render()
	if !m.shows(m.cur.line) {
		m.showNear(m.cur.line)
	}
}

// showNear shows a line near the middle.
func (m *Pane) showNear(line int) {
	if m.sheet != nil {
		m.top = m.sheet.scroll(m.sheet.place(m.sheet.begins(line)), -m.h/3, m.h)
		return
	}
	m.top = place{line: max(line-m.h/3, 0)}
	m.scroll(0)
	if !m.shows(line) { // long lines come before it
		m.top = place{line: line}
		m.scroll(0)
	}
}

// reach shows a character: its row, and its column if lines are not wrapped.
func (m *Pane) reach(at spot) {
	m.goTo(at.line)
	s := m.doc.line(at.line)
	at.at = min(max(at.at, 0), len(s))
	m.cur.at = at.at
	switch {
	case m.sheet != nil:
		i := m.sheet.of(at.line, at.at)
		if y := i - m.sheet.index(m.top); y < 0 || y >= m.h {
			m.top = m.sheet.scroll(m.sheet.place(i), -m.h/3, m.h)
		}
	case !m.wrap:
		if col := text.Column(s, at.at, text.TabWidth); col < m.col || col >= m.col+m.textWidth() {
			m.col = max(col-m.textWidth()/2, 0)
		}
	default:
		starts := m.breaks(nil, at.line)
		row := sort.SearchInts(starts, at.at+1) - 1 + m.ruled(at.line)
		if _, ok := m.rowOn(place{at.line, row}); !ok {
			m.top = place{at.line, row}
			m.scroll(-m.h / 3)
		}
	}
}

// rowOn returns the screen row in which a row of a line is drawn.
func (m *Pane) rowOn(p place) (y int, ok bool) {
	y = p.row - m.top.row
	if p.line < m.top.line {
		return 0, false
	}
	for i := m.top.line; i < p.line && y < m.h; i++ {
		y += m.rowsOf(i)
	}
	return y, y >= 0 && y < m.h
}

// shows reports whether the beginning of a line is on the screen, and not in its last row
// unless the text ends there.
func (m *Pane) shows(line int) bool {
	if m.sheet != nil {
		y := m.sheet.begins(line) - m.sheet.index(m.top)
		return y >= 0 && (y < m.h-1 || y < m.h && m.sheet.index(m.top)+m.h >= m.sheet.len())
	}
	if line < m.top.line || line == m.top.line && m.top.row > 0 {
		return false
	}
	last := m.h - 1
	if line == len(m.doc.lines)-1 {
		last = m.h
	}
	y := -m.top.row
	for i := m.top.line; i < line && y < last; i++ {
		y += m.rowsOf(i)
	}
	return y < last
}

func (m *Pane) toEnd() {
	m.cur = spot{line: m.lastLine()}
	if m.sheet != nil {
		m.top = m.sheet.scroll(m.top, m.sheet.len(), m.h)
		return
	}
	m.top = place{m.cur.line, max(m.rowsOf(m.cur.line)-1, 0)}
	m.scroll(0)
}

// rowAt returns the line that is drawn in row y, and which of its rows that is.
func (m *Pane) rowAt(y int) (at place, ok bool) {
	if s := m.sheet; s != nil {
		if y += s.index(m.top); y < 0 || y >= s.len() {
			return place{}, false
		}
		return s.place(y), true
	}
	y += m.top.row
	for i := m.top.line; y >= 0 && i < len(m.doc.lines); i++ {
		n := m.rowsOf(i)
		if y < n {
			return place{i, y}, true
		}
		y -= n
	}
	return place{}, false
}
