package diffview

import (
	"bytes"

	"github.com/memend/memend/versions/diff"
)

// Selection is the current hunk of a document, or the lines selected in it. It is immutable
// and safe for concurrent use.
type Selection struct {
	doc            *Document
	edit           diff.Edit
	oldFrom, oldTo int // of the edit's old lines
	newFrom, newTo int // of its new ones
}

// Selection returns the selected lines of the current hunk, or all of it.
func (v *View) Selection() (Selection, bool) {
	e, ok := v.current()
	if !ok {
		return Selection{}, false
	}
	s := Selection{v.doc, e, 0, e.OldLines, 0, e.NewLines}
	if v.sel == nil {
		return s, true
	}
	from, to := min(v.sel.from, v.sel.to), max(v.sel.from, v.sel.to)+1
	s.oldFrom, s.oldTo = min(from, e.OldLines), min(to, e.OldLines)
	if !v.Beside() { // the new lines are below the old ones
		from, to = max(0, from-e.OldLines), max(0, to-e.OldLines)
	}
	s.newFrom, s.newTo = min(from, e.NewLines), min(to, e.NewLines)
	return s, true
}

// Lines returns how many old and new lines the selection has.
func (s Selection) Lines() (old, new int) { return s.oldTo - s.oldFrom, s.newTo - s.newFrom }

// Revert returns the new text with the selected lines reverted to the old ones. It is slow
// for large texts.
//
// If only some lines of the hunk are selected, a restored line comes before the new line
// that remains beside it.
func (s Selection) Revert() []byte {
	d := s.doc.diff
	text := d.New()
	from := lineStart(text, 0, s.edit.New)
	to := lineStart(text, from, s.edit.NewLines)
	var lines [][]byte
	for i := range max(s.edit.OldLines, s.edit.NewLines) {
		if i >= s.oldFrom && i < s.oldTo {
			lines = append(lines, d.Row(s.edit.Row()+i).Text)
		}
		if i < s.edit.NewLines && (i < s.newFrom || i >= s.newTo) {
			lines = append(lines, d.Row(s.edit.Row()+s.edit.OldLines+i).Text)
		}
	}
	out := make([]byte, 0, len(text)+len(d.Old())/8)
	out = append(out, text[:from]...)
	for i, l := range lines {
		out = append(out, l...)
		if last := i == len(lines)-1 && to == len(text); !last && !bytes.HasSuffix(l, []byte("\n")) {
			out = append(out, lineEnd(text)...) // it was the last line of the text and no longer is
		}
	}
	return append(out, text[to:]...)
}

// lineStart returns where the n-th line from byte at begins.
func lineStart(text []byte, at, n int) int {
	for ; n > 0; n-- {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i + 1
	}
	return at
}

// lineEnd returns the line end of the first line of a text.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
