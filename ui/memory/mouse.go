package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/text"
)

// drag is the state of the mouse while a button is held.
type drag struct {
	on     bool
	beyond bool  // beyond an edge
	at     spot  // where it began
	link   *link // under the pointer
	lines  bool  // it began left of the text: lines are selected
}

// mouse handles the mouse. Dragging selects, as do a double click the word and a triple click the line;
// a click on a link follows it.
func (m *Pane) mouse(msg tea.MouseMsg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		m.wheel(msg)
		return nil
	case tea.MouseClickMsg:
		return m.click(m.inText(msg.Mouse()))
	case tea.MouseMotionMsg:
		return m.dragTo(m.inText(msg.Mouse()))
	case tea.MouseReleaseMsg:
		return m.release()
	}
	return nil
}

// inText returns a mouse event relative to the text.
func (m *Pane) inText(e tea.Mouse) tea.Mouse {
	e.Y -= m.bar
	return e
}

const wheelLines = 3

func (m *Pane) wheel(msg tea.MouseWheelMsg) {
	if m.doc == nil {
		return
	}
	rows := 0
	switch msg.Button {
	case tea.MouseWheelDown:
		rows = wheelLines
	case tea.MouseWheelUp:
		rows = -wheelLines
	case tea.MouseWheelRight:
		m.aside(8)
	case tea.MouseWheelLeft:
		m.aside(-8)
	}
	m.scroll(rows)
	m.keepCursor()
}

func (m *Pane) click(e tea.Mouse) tea.Cmd {
	switch e.Button {
	case tea.MouseBackward:
		if m.backwardDisabled() == "" {
			return m.goBackward(0)
		}
	case tea.MouseForward:
		if m.forwardDisabled() == "" {
			return m.goForward(0)
		}
	}
	if e.Button != tea.MouseLeft || !m.shown() || e.Y < 0 {
		return nil
	}
	m.sel = selection{}
	m.link.forget()
	at, ok := m.spotAt(e.X, e.Y)
	if !ok {
		m.drag = drag{}
		return nil
	}
	d := &m.drag
	cmd := m.clicks.Click(m.env, at)
	d.on, d.at, d.lines = true, at, e.X < m.gutter() || m.clicks.N == 3 || m.text.md != nil
	d.link = m.linkUnder(e.X, e.Y, at)
	m.cur = at
	s := m.doc.line(at.line)
	switch {
	case m.clicks.N == 2 && m.text.md != nil:
	case m.clicks.N == 2:
		from, to := wordAt(s, at.at)
		m.sel = selection{on: to > from, anchor: spot{at.line, from}, head: spot{at.line, to}}
	case m.clicks.N == 3:
		m.sel = selection{on: true, lines: true, anchor: at, head: at}
	}
	return cmd
}

// dragTo selects up to a cell, and scrolls if that is outside.
func (m *Pane) dragTo(e tea.Mouse) tea.Cmd {
	if !m.drag.on || !m.shown() {
		return nil
	}
	m.drag.beyond = e.Y < 0 || e.Y >= m.win.H
	switch {
	case e.Y < 0:
		m.scroll(-1)
	case e.Y >= m.win.H:
		m.scroll(1)
	}
	at, ok := m.spotAt(e.X, min(max(e.Y, 0), m.win.H-1))
	if !ok { // below the end
		last := max(len(m.doc.lines)-1, 0)
		at = spot{last, len(m.doc.line(last))}
	}
	if at != m.drag.at || m.sel.on {
		m.clicks.Forget()
		m.sel = selection{on: true, lines: m.drag.lines, anchor: m.drag.at, head: at}
		m.cur = at
	}
	return nil
}

// Beyond reports whether a drag is held above or below the text.
func (m *Pane) Beyond() bool { return m.drag.on && m.drag.beyond }

func (m *Pane) release() tea.Cmd {
	d := &m.drag
	if !d.on {
		return nil
	}
	d.on = false
	if m.sel.on {
		if a, b := m.sel.ends(); a == b && !m.sel.lines {
			m.sel = selection{}
		}
		return nil
	}
	if d.link != nil {
		m.link.on, m.link.link = true, *d.link
		return m.follow(*d.link)
	}
	return nil
}

// spotAt returns the character under a cell; left of the text it is the first of the line.
func (m *Pane) spotAt(x, y int) (spot, bool) {
	i := m.win.Top + y
	if y < 0 || i >= m.text.len() {
		return spot{}, false
	}
	at := m.text.source(i)
	if _, rule := m.text.row(i); rule || m.text.md != nil || x < m.gutter() {
		return spot{line: at.line}, true
	}
	s := m.doc.line(at.line)
	to := m.text.end(i, s)
	return spot{at.line, at.at + text.Offset(s[at.at:to], x-m.gutter()+m.col, text.TabWidth)}, true
}

// linkUnder returns the link under a cell, or nil.
func (m *Pane) linkUnder(x, y int, at spot) *link {
	if x < m.gutter() {
		return nil
	}
	if md := m.text.md; md != nil {
		row, rule := m.text.row(m.win.Top + y)
		if i, ok := md.LinkAt(row, x-m.gutter()); ok && !rule {
			l := m.doc.linkOf(i)
			return &l
		}
		return nil
	}
	for _, l := range m.doc.linksOf(at.line) {
		if at.at >= l.From && at.at < l.To {
			return &l
		}
	}
	return nil
}

// wordAt returns the word around a byte of s: letters, digits and what joins them.
func wordAt(s string, at int) (from, to int) {
	if at >= len(s) || !wordByte(s[at]) {
		return at, text.Next(s, at)
	}
	from, to = at, at
	for from > 0 && wordByte(s[from-1]) {
		from--
	}
	for to < len(s) && wordByte(s[to]) {
		to++
	}
	return from, to
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c >= 0x80
}
