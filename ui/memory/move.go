package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

// hasCursor reports whether there is a line cursor: while lines are selected or blamed.
// Otherwise keys scroll the window.
func (m *Pane) hasCursor() bool { return m.sel.on || m.blame.on }

// by moves by d rows, or by d lines if there is a line cursor.
func (m *Pane) by(d int) {
	switch {
	case m.hasCursor():
		m.moveCursor(d)
	default:
		m.scroll(d)
	}
}

// moveCursor moves the line cursor over visible lines.
func (m *Pane) moveCursor(d int) {
	if s := m.sheet; s != nil {
		i := s.begins(m.lineHere())
		for ; d > 0 && s.first(s.lineOf(i)+1) < s.len(); d-- {
			i = s.first(s.lineOf(i) + 1)
		}
		for ; d < 0 && s.first(s.lineOf(i)) > 0; d++ {
			i = s.first(s.lineOf(i)) - 1
		}
		m.moveCursorTo(s.lineOf(i))
		return
	}
	last := m.doc.index.lines - 1
	to := min(max(m.lineHere()+d, 0), max(last, 0))
	m.moveCursorTo(to)
}

// moveCursorTo moves the line cursor to a line, and scrolls no more than necessary.
func (m *Pane) moveCursorTo(line int) {
	m.here = line
	if m.sel.on {
		m.sel.extend(line)
	}
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
		m.goTo(line)
	}
}

// aside scrolls sideways.
func (m *Pane) aside(d int) {
	if !m.wrap && m.sheet == nil {
		m.col = min(max(m.col+d, 0), maxLineBytes)
	}
}

// toLine goes to a line, counted from 1, or to the end.
func (m *Pane) toLine(n int) {
	switch {
	case n == 0 && m.hasCursor():
		m.goTo(max(m.doc.index.lines-1, 0))
	case n == 0:
		m.toEnd()
	case n == 1:
		m.top = place{}
		if m.hasCursor() {
			m.here = 0
		}
		m.scroll(0)
	default:
		m.goTo(n - 1)
	}
	if m.sel.on {
		m.sel.extend(m.here)
	}
}

func (m *Pane) toggleWrap(int) tea.Cmd {
	m.wrap = !m.wrap
	m.col = 0
	m.top.row = 0
	m.scroll(0)
	return m.Fetch()
}

// lineHere returns the line at which an editor should open.
func (m *Pane) lineHere() int {
	if m.here >= 0 && m.shows(m.here) {
		return m.here
	}
	return m.top.line
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
