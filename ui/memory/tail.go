package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
)

// tail follows the end of a memory that grows. Scrolling away leaves it waiting,
// and what comes meanwhile is counted; at the end it goes on.
type tail struct {
	on     bool
	unseen int // lines that came since the end was left
}

func (m *Pane) toggleTail(int) tea.Cmd {
	m.tail = tail{on: !m.tail.on}
	if m.tail.on {
		m.toEnd()
	}
	return m.Fetch()
}

// grow notes that the file was read again; bottom says that its end was on the screen.
func (t *tail) grow(old, now *document, bottom bool) {
	if bottom && t.unseen == 0 {
		return
	}
	t.unseen = max(t.unseen+now.index.lines-old.index.lines, 0)
}

// bottomOf reports whether the end of a document is on the screen.
func (m *Pane) bottomOf(d *document) bool {
	now := m.doc
	m.doc = d
	defer func() { m.doc = now }()
	return m.below(m.h+1) <= m.h
}

// movedByHand notes that keys or the mouse moved the window.
func (m *Pane) movedByHand() {
	m.resume = place{}
	if m.tail.on && m.tail.unseen > 0 && m.bottomOf(m.doc) {
		m.tail.unseen = 0
	}
}

// label says in the title that the end is followed.
func (t tail) label() string {
	switch {
	case !t.on:
		return ""
	case t.unseen > 0:
		return "▼ " + draw.Plural(t.unseen, "new line", "new lines")
	}
	return "following"
}
