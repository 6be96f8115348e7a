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

// count returns how many lines are selected, in words.
func (s selection) count() string {
	a, b := s.ends()
	return draw.Plural(b.line-a.line+1, "line", "lines")
}

// selectionKeys apply while something is selected, before those of the pane.
func selectionKeys(bindings keys.Bindings) *keys.Map[*Pane] {
	leave := func(m *Pane, _ int) tea.Cmd { m.text.sel = selection{}; return nil }
	return keys.New("selection", bindings, []keys.Action[*Pane]{
		{ID: "change.reviewed", Name: "keep the selected lines", Short: "keep lines", Why: (*Pane).hunkDisabled, Do: (*Pane).keep},
		{ID: "change.reject", Writes: true, Name: "undo the selected lines", Short: "undo lines", Why: (*Pane).hunkDisabled, Do: (*Pane).undoHunk},
		{ID: "copy", Name: "copy", Keys: []string{"y"}, Do: func(m *Pane, _ int) tea.Cmd {
			s := m.text.sel
			return m.env.Do(screen.Copy{What: s.count(), Text: m.text.doc.between(s)})
		}},
		{ID: "other-end", Do: func(m *Pane, _ int) tea.Cmd {
			s := &m.text.sel
			s.anchor, s.head = s.head, s.anchor
			m.text.moveTo(s.head.line)
			return nil
		}},
		{ID: "pane.back", Name: "leave", Do: leave},
		{ID: "list.range", Name: "leave", Hide: true, Do: leave},
	})
}

// selectLines begins a selection at the cursor's line, with n lines.
func (v *viewport) selectLines(n int) {
	at := spot{line: v.cur.line}
	v.sel = selection{on: true, lines: true, anchor: at, head: at}
	if n > 1 {
		v.move(n - 1)
	}
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
