package editor

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/text"
)

// drag is the state of the mouse while a button is held. A double click selects the word, a triple
// click the line.
type drag struct {
	on       bool
	beyond   bool // beyond an edge
	from, to int  // what that click selected; dragging never selects less
}

// wheelLines is how many lines one step of the wheel scrolls.
const wheelLines = 3

func (e *Editor) click(m tea.Mouse) tea.Cmd {
	if m.Button != tea.MouseLeft || m.Y >= e.rows {
		return nil
	}
	at := e.byteUnder(m)
	d := &e.drag
	if m.Mod.Contains(tea.ModShift) {
		*d = drag{on: true}
		e.moveTo(at, true)
		d.from, d.to = e.anchor, e.anchor
		return nil
	}
	cmd := e.clicks.Click(e.env, at)
	d.on = true
	switch e.clicks.N {
	case 2:
		d.from, d.to = e.text.wordAt(at)
	case 3:
		k := e.text.lineOf(at)
		d.from, d.to = e.text.lineStart(k), e.text.lineStart(k+1)
	default:
		d.from, d.to = at, at
	}
	e.choose(d.from, d.to)
	return cmd
}

// choose selects from anchor to cursor; a line, without scrolling sideways.
func (e *Editor) choose(anchor, cursor int) {
	left := e.left
	e.moveTo(cursor, false)
	if anchor != cursor {
		e.anchor = anchor
	}
	if e.clicks.N == 3 {
		e.left = left
	}
}

// dragTo extends the selection to a cell, and scrolls if that is outside.
func (e *Editor) dragTo(m tea.Mouse) {
	d := &e.drag
	if !d.on {
		return
	}
	d.beyond = m.Y < 0 || m.Y >= e.rows
	switch {
	case m.Y < 0:
		e.scroll(-1)
	case m.Y >= e.rows:
		e.scroll(1)
	}
	m.Y = min(max(m.Y, 0), e.rows-1)
	switch at := e.byteUnder(m); {
	case at < d.from:
		e.choose(d.to, at)
	case at > d.to:
		e.choose(d.from, at)
	default:
		e.choose(d.from, d.to)
	}
}

// Beyond reports whether a drag is held above or below the text.
func (e *Editor) Beyond() bool { return e.drag.on && e.drag.beyond }

func (e *Editor) wheel(m tea.Mouse) {
	switch m.Button {
	case tea.MouseWheelUp:
		e.scroll(-wheelLines)
	case tea.MouseWheelDown:
		e.scroll(wheelLines)
	case tea.MouseWheelLeft:
		e.aside(-4)
	case tea.MouseWheelRight:
		e.aside(4)
	}
}

// aside scrolls lines that are not wrapped sideways, with room for the cursor at their ends.
func (e *Editor) aside(d int) {
	if e.wrap {
		return
	}
	e.left = text.Aside(e.left, d, e.textWidth()-1, func(yield func(string) bool) {
		for k := e.top.line; k < min(e.top.line+e.rows, len(e.text.lines)); k++ {
			if !yield(e.text.lineText(k)) {
				return
			}
		}
	})
}

// scroll moves the window and leaves the cursor where it is.
func (e *Editor) scroll(n int) {
	e.clampTop()
	e.top, _ = e.move(e.top, n)
	e.clampTop()
}

// byteUnder returns the byte drawn at a cell.
func (e *Editor) byteUnder(m tea.Mouse) int {
	p, rows := e.move(e.top, m.Y)
	if rows < m.Y {
		return e.text.len()
	}
	return e.byteAtColumn(p, m.X-e.gutter())
}
