package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// moveCursor moves the cursor by lines. A line that is longer than the screen scrolls first.
func (m *Pane) moveCursor(d int) {
	if (d == 1 && !m.endVisible() || d == -1 && !m.beginVisible()) && m.scrolled(d) {
		return
	}
	if s := m.sheet; s != nil {
		i := s.begins(m.cur.line)
		for ; d > 0 && s.first(s.lineOf(i)+1) < s.len(); d-- {
			i = s.first(s.lineOf(i) + 1)
		}
		for ; d < 0 && s.first(s.lineOf(i)) > 0; d++ {
			i = s.first(s.lineOf(i)) - 1
		}
		m.moveCursorTo(s.lineOf(i))
		return
	}
	m.moveCursorTo(min(max(m.cur.line+d, 0), m.lastLine()))
}

func (m *Pane) lastLine() int { return max(len(m.doc.lines)-1, 0) }

// scrolled scrolls, and reports whether that was possible.
func (m *Pane) scrolled(d int) bool {
	was := m.top
	m.scroll(d)
	return m.top != was
}

// rowsOfCursor returns the rows of the screen on which the line of the cursor begins and ends.
func (m *Pane) rowsOfCursor() (from, to int) {
	line := m.cur.line
	if s := m.sheet; s != nil {
		top := s.index(m.top)
		return s.begins(line) - top, max(s.first(line+1)-1, s.begins(line)) - top
	}
	if line < m.top.line {
		return -1, -1
	}
	from = -m.top.row
	for i := m.top.line; i < line && from < m.h; i++ {
		from += m.rowsOf(i)
	}
	return from + m.ruled(line), from + m.rowsOf(line) - 1
}

// cursorRow returns the row of the screen on which the line of the cursor begins, or the first.
func (m *Pane) cursorRow() int {
	from, _ := m.rowsOfCursor()
	return max(from, 0)
}

func (m *Pane) beginVisible() bool {
	from, to := m.rowsOfCursor()
	return from >= 0 || to < 0
}

func (m *Pane) endVisible() bool {
	from, to := m.rowsOfCursor()
	return to < m.h || from >= m.h
}

// scrollPage scrolls by rows. The cursor keeps its row of the screen, and goes to the first or last
// line if nothing is left to scroll.
func (m *Pane) scrollPage(d int) {
	y, _ := m.rowsOfCursor()
	scrolled := m.scrolled(d)
	at, ok := m.rowAt(min(max(y, 0), m.h-1))
	switch {
	case scrolled && ok:
		m.setCursor(at.line)
	case d > 0:
		m.setCursor(m.lastLine())
	default:
		m.setCursor(0)
	}
}

// setCursor moves the cursor to a line without scrolling.
func (m *Pane) setCursor(line int) {
	if line != m.cur.line {
		m.cur = spot{line: line}
	}
	if m.sel.on {
		m.sel.extend(line)
	}
}

// keepCursor moves the cursor to the nearest visible line, after the window was scrolled.
func (m *Pane) keepCursor() {
	if !m.shown() || m.h == 0 {
		return
	}
	first, _ := m.rowAt(0)
	last, ok := m.rowAt(m.h - 1)
	if !ok {
		last.line = m.lastLine()
	}
	if to := min(max(m.cur.line, first.line), last.line); to != m.cur.line {
		m.cur = spot{line: to}
	}
}

// reveal scrolls to the cursor after the size or the layout of the text changed.
func (m *Pane) reveal() {
	if m.shown() && m.h > 0 {
		if from, to := m.rowsOfCursor(); to < 0 || from >= m.h {
			m.scrollTo(min(m.cur.line, m.lastLine()))
		}
	}
}

// moveCursorTo moves the cursor to a line, and scrolls no more than necessary.
func (m *Pane) moveCursorTo(line int) {
	m.setCursor(line)
	m.scrollTo(line)
}

// scrollTo scrolls no more than necessary to show a line.
func (m *Pane) scrollTo(line int) {
	if s := m.sheet; s != nil && s.begins(line) < s.index(m.top) {
		m.top = s.place(s.begins(line))
		return
	}
	if m.sheet == nil && (line < m.top.line || line == m.top.line && m.top.row > 0) {
		m.top = place{line: line}
		m.scroll(0)
		return
	}
	for range m.h {
		if m.shows(line) {
			return
		}
		m.scroll(1)
	}
	if !m.shows(line) {
		m.showNear(line)
	}
}

// aside scrolls sideways.
func (m *Pane) aside(d int) {
	if !m.wrap && m.sheet == nil {
		m.col = min(max(m.col+d, 0), versions.DefaultMaxBytes)
	}
}

// toLine goes to a line, counted from 1, or to the end.
func (m *Pane) toLine(n int) {
	switch {
	case n == 0:
		m.toEnd()
	case n == 1:
		m.top, m.cur = place{}, spot{}
		m.scroll(0)
	default:
		m.goTo(n - 1)
	}
	if m.sel.on {
		m.sel.extend(m.cur.line)
	}
}

func (m *Pane) toggleWrap(int) tea.Cmd {
	m.wrap = !m.wrap
	m.col = 0
	m.top.row = 0
	m.scroll(0)
	m.reach(m.cur)
	return nil
}

// back ends the latest of a selection, a selected link and a search; otherwise it moves the
// focus to the tree.
func (m *Pane) back(int) tea.Cmd {
	switch {
	case m.sel.on:
		m.sel = selection{}
	case m.link.on:
		m.link.forget()
	case m.find.query != "":
		m.stopSearch()
	case m.blame.on:
		return m.toggleBlame(0)
	default:
		return m.env.Ask(screen.FocusTree{})
	}
	return nil
}
