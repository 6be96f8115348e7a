package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// moveCursor moves the cursor by lines. A line that is longer than the screen scrolls first.
func (m *Pane) moveCursor(d int) {
	if (d == 1 && !m.endVisible() || d == -1 && !m.beginVisible()) && m.scroll(d) {
		return
	}
	t := &m.text
	i := t.begins(m.cur.line)
	for ; d > 0 && t.first(t.lineOf(i)+1) < t.len(); d-- {
		i = t.first(t.lineOf(i) + 1)
	}
	for ; d < 0 && t.first(t.lineOf(i)) > 0; d++ {
		i = t.first(t.lineOf(i)) - 1
	}
	m.moveCursorTo(t.lineOf(i))
}

func (m *Pane) lastLine() int { return max(len(m.doc.lines)-1, 0) }

// rowsOfCursor returns the rows of the screen on which the line of the cursor begins and ends.
func (m *Pane) rowsOfCursor() (from, to int) {
	from = m.text.begins(m.cur.line)
	to = max(m.text.first(m.cur.line+1)-1, from)
	return from - m.win.Top, to - m.win.Top
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
	return to < m.win.H || from >= m.win.H
}

// scrollPage scrolls by rows. The cursor keeps its row of the screen, and goes to the first or last
// line if nothing is left to scroll.
func (m *Pane) scrollPage(d int) {
	y, _ := m.rowsOfCursor()
	scrolled := m.scroll(d)
	line, ok := m.lineAt(min(max(y, 0), m.win.H-1))
	switch {
	case scrolled && ok:
		m.setCursor(line)
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
	if !m.shown() || m.win.H == 0 {
		return
	}
	first, _ := m.lineAt(0)
	last, ok := m.lineAt(m.win.H - 1)
	if !ok {
		last = m.lastLine()
	}
	if to := min(max(m.cur.line, first), last); to != m.cur.line {
		m.cur = spot{line: to}
	}
}

// reveal scrolls to the cursor after the size or the layout of the text changed.
func (m *Pane) reveal() {
	if m.shown() && m.win.H > 0 {
		if from, to := m.rowsOfCursor(); to < 0 || from >= m.win.H {
			m.scrollTo(min(m.cur.line, m.lastLine()))
		}
	}
}

// moveCursorTo moves the cursor to a line, and scrolls no more than necessary.
func (m *Pane) moveCursorTo(line int) {
	m.setCursor(line)
	m.scrollTo(line)
}

// scrollTo scrolls no more than necessary to show a line, and one below it.
func (m *Pane) scrollTo(line int) {
	t := &m.text
	row := t.begins(line)
	switch below := row + 2 - m.win.H - m.win.Top; {
	case row < m.win.Top:
		if m.win.Top = row; row > 0 && row-1 == t.cut { // with the rule above it
			m.win.Top--
		}
	case m.shows(line):
	case below <= m.win.H:
		m.scroll(below)
	default:
		m.win.Near(row, t.len())
	}
}

// aside scrolls sideways.
func (m *Pane) aside(d int) {
	if !m.wrap && m.text.md == nil {
		m.col = min(max(m.col+d, 0), versions.DefaultMaxBytes)
	}
}

// toLine goes to a line, counted from 1, or to the end.
func (m *Pane) toLine(n int) {
	switch {
	case n == 0:
		m.toEnd()
	case n == 1:
		m.win.Top, m.cur = 0, spot{}
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
		return m.env.Do(screen.FocusTree{})
	}
	return nil
}
