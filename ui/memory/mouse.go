package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/text"
)

// Update handles the mouse. Dragging selects, as do a double click the word and a triple click the line;
// a click on a link follows it.
func (m *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		if m.text.doc != nil {
			m.text.wheel(msg.Button)
		}
	case tea.MouseClickMsg:
		return m.click(msg.Mouse())
	case tea.MouseMotionMsg:
		if m.shown() {
			m.pointer.drag(&m.text, msg.X, msg.Y)
		}
	case tea.MouseReleaseMsg:
		if to := m.pointer.release(&m.text); to != nil {
			m.link = to
			return m.follow(*to)
		}
	}
	return nil
}

func (m *Pane) click(e tea.Mouse) tea.Cmd {
	switch e.Button {
	case tea.MouseBackward:
		return m.goToVisit(m.visits.back)
	case tea.MouseForward:
		return m.goToVisit(m.visits.forward)
	}
	if e.Button != tea.MouseLeft || !m.shown() || e.Y < m.text.bar {
		return nil
	}
	m.link = nil
	return m.pointer.press(m.env, &m.text, e.X, e.Y)
}

// Beyond reports whether a drag is held above or below the text.
func (m *Pane) Beyond() bool { return m.pointer.on && m.pointer.beyond }

// pointer is the mouse over a viewport, in which it moves the cursor and selects. Its cells are those of the pane.
type pointer struct {
	clicks screen.Clicks[spot]
	on     bool  // a button is held
	beyond bool  // beyond an edge
	at     spot  // where it was pressed
	link   *link // what was there
	lines  bool  // it was pressed left of the text: lines are selected
}

// forget ends a drag and the count of clicks.
func (p *pointer) forget() {
	p.on, p.link = false, nil
	p.clicks.Forget()
}

func (p *pointer) press(env screen.Env, v *viewport, x, y int) tea.Cmd {
	v.sel = selection{}
	y -= v.bar
	at, ok := v.spotAt(x, y)
	if !ok {
		p.on = false
		return nil
	}
	cmd := p.clicks.Click(env, at)
	p.on, p.beyond, p.at, p.link = true, false, at, v.linkAt(x, y, at)
	p.lines = x < v.gutter() || p.clicks.N == 3 || v.rows.md != nil
	v.cur = at
	switch {
	case p.clicks.N == 3:
		v.sel = selection{on: true, lines: true, anchor: at, head: at}
	case p.clicks.N == 2 && v.rows.md == nil:
		from, to := wordAt(v.doc.line(at.line), at.at)
		v.sel = selection{on: to > from, anchor: spot{at.line, from}, head: spot{at.line, to}}
	}
	return cmd
}

// drag selects up to a cell, and scrolls if that is outside.
func (p *pointer) drag(v *viewport, x, y int) {
	if !p.on {
		return
	}
	y -= v.bar
	p.beyond = y < 0 || y >= v.win.H
	switch {
	case y < 0:
		v.scroll(-1)
	case p.beyond:
		v.scroll(1)
	}
	at, ok := v.spotAt(x, min(max(y, 0), v.win.H-1))
	if !ok { // below the end
		last := v.doc.lastLine()
		at = spot{last, len(v.doc.line(last))}
	}
	if at != p.at || v.sel.on {
		p.clicks.Forget()
		v.sel = selection{on: true, lines: p.lines, anchor: p.at, head: at}
		v.cur = at
	}
}

// release ends a drag. It returns the link that was clicked, if nothing was selected.
func (p *pointer) release(v *viewport) *link {
	if !p.on {
		return nil
	}
	p.on = false
	if !v.sel.on {
		return p.link
	}
	if v.sel.anchor == v.sel.head && !v.sel.lines {
		v.sel = selection{}
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
