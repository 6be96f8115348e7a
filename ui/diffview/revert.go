package diffview

import "github.com/memend/memend/versions/diff"

// Selection is the current hunk of a document, or the lines selected in it. It is immutable
// and safe for concurrent use.
type Selection struct {
	doc  *Document
	part diff.Part
}

// Selection returns the selected lines of the current hunk, or all of it.
func (v *View) Selection() (Selection, bool) {
	e, ok := v.current()
	if !ok {
		return Selection{}, false
	}
	part := e.Whole()
	if v.sel == nil {
		return Selection{v.doc, part}, true
	}
	from, to := min(v.sel.from, v.sel.to), max(v.sel.from, v.sel.to)+1
	part.OldFrom, part.OldTo = min(from, e.OldLines), min(to, e.OldLines)
	if !v.Beside() { // the new lines are below the old ones
		from, to = max(0, from-e.OldLines), max(0, to-e.OldLines)
	}
	part.NewFrom, part.NewTo = min(from, e.NewLines), min(to, e.NewLines)
	return Selection{v.doc, part}, true
}

// Part is what is selected of which hunk.
func (s Selection) Part() diff.Part { return s.part }

// Lines returns how many old and new lines the selection has.
func (s Selection) Lines() (old, new int) {
	return s.part.OldTo - s.part.OldFrom, s.part.NewTo - s.part.NewFrom
}

// Revert returns the new text with the selected lines reverted to the old ones. It is slow for large texts.
func (s Selection) Revert() []byte { return s.doc.diff.Without(s.part) }
