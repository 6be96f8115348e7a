package memory

import (
	"bytes"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
)

// spot is a place between two characters of the text.
type spot struct{ line, at int } // line from 0, byte in it

func (s spot) before(t spot) bool { return s.line < t.line || s.line == t.line && s.at < t.at }

// selection is the selected text: whole lines, or from character to character.
type selection struct {
	on           bool
	lines        bool
	anchor, head spot
}

// ends returns the first and the last place.
func (s selection) ends() (a, b spot) {
	if s.head.before(s.anchor) {
		return s.head, s.anchor
	}
	return s.anchor, s.head
}

// extend moves the head to a line; from then on whole lines are selected.
func (s *selection) extend(line int) {
	s.lines = true
	s.head.line = line
}

// part returns the selected part of a line of n bytes.
func (s selection) part(line, n int) (from, to int, ok bool) {
	if !s.on {
		return 0, 0, false
	}
	a, b := s.ends()
	if line < a.line || line > b.line {
		return 0, 0, false
	}
	from, to = 0, n
	if !s.lines && line == a.line {
		from = min(a.at, n)
	}
	if !s.lines && line == b.line {
		to = min(b.at, n)
	}
	return from, to, true
}

func (s selection) label() string {
	if !s.on {
		return ""
	}
	a, b := s.ends()
	return draw.Plural(b.line-a.line+1, "line", "lines") + " selected"
}

// selectionKeys apply while something is selected, before those of the pane.
func selectionKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	leave := func(m *Pane, _ int) tea.Cmd { m.sel = selection{}; return nil }
	return keys.New("selection", bindings, []keys.Action[*Pane]{
		{ID: "change.reviewed", Name: "keep the selected lines", Short: "keep lines", Why: (*Pane).hunkDisabled, Do: (*Pane).keep},
		{ID: "change.reject", Writes: true, Name: "undo the selected lines", Short: "undo lines", Why: (*Pane).hunkDisabled, Do: (*Pane).undoHunk},
		{ID: "copy", Name: "copy", Keys: []string{"y"}, Do: func(m *Pane, _ int) tea.Cmd { return m.copySelection() }},
		{ID: "other-end", Do: func(m *Pane, _ int) tea.Cmd {
			m.sel.anchor, m.sel.head = m.sel.head, m.sel.anchor
			m.moveCursorTo(m.sel.head.line)
			return nil
		}},
		{ID: "pane.back", Name: "leave", Do: leave},
		{ID: "list.range", Name: "leave", Hide: true, Do: leave},
	})
}

// selectLines begins a selection at the cursor's line, with n lines.
func (m *Pane) selectLines(n int) tea.Cmd {
	line := m.cur.line
	m.sel = selection{on: true, lines: true, anchor: spot{line: line}, head: spot{line: line}}
	if n > 1 {
		m.moveCursor(n - 1)
	}
	return nil
}

func (m *Pane) selectDisabled() string {
	if !m.shown() {
		return "no memory is open"
	}
	return ""
}

// copySelection copies the selection and keeps it.
func (m *Pane) copySelection() tea.Cmd {
	s := m.sel
	a, b := s.ends()
	what := draw.Plural(b.line-a.line+1, "line", "lines")
	return m.env.Do(screen.Copy{What: what, Text: m.doc.between(s)})
}

// between returns the selected text byte for byte.
func (d *document) between(s selection) string {
	a, b := s.ends()
	from := lineStart(d.text, a.line)
	to := from + lineStart(d.text[from:], b.line-a.line)
	if s.lines {
		return string(d.text[from : to+lineStart(d.text[to:], 1)])
	}
	to = min(to+b.at, len(d.text))
	return string(d.text[min(from+a.at, to):to])
}

// lineStart returns where the n-th line from the beginning starts.
func lineStart(b []byte, n int) int {
	at := 0
	for ; n > 0; n-- {
		i := bytes.IndexByte(b[at:], '\n')
		if i < 0 {
			return len(b)
		}
		at += i + 1
	}
	return at
}
