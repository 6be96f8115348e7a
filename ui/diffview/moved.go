package diffview

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"github.com/memend/memend/versions/diff"
)

// moves holds the blocks of moved lines, sorted for lookup by a line of either text.
type moves struct {
	old, new []diff.Move // the same blocks, by old and by new position
	lines    int
}

func findMoves(d *diff.Diff) (m moves) {
	m.old = d.Moves()
	m.new = slices.Clone(m.old)
	slices.SortFunc(m.new, func(a, b diff.Move) int { return cmp.Compare(a.New, b.New) })
	for _, mv := range m.old {
		m.lines += mv.Lines
	}
	return m
}

// of returns the block that a line moved with. first reports that the line begins it.
func (m moves) of(l diff.Line) (mv diff.Move, first, ok bool) {
	switch l.Kind {
	case diff.Removed:
		i := sort.Search(len(m.old), func(i int) bool { return m.old[i].Old >= l.Old }) - 1
		if i >= 0 && l.Old-1 < m.old[i].Old+m.old[i].Lines {
			return m.old[i], l.Old-1 == m.old[i].Old, true
		}
	case diff.Added:
		i := sort.Search(len(m.new), func(i int) bool { return m.new[i].New >= l.New }) - 1
		if i >= 0 && l.New-1 < m.new[i].New+m.new[i].Lines {
			return m.new[i], l.New-1 == m.new[i].New, true
		}
	}
	return mv, false, false
}

// minRowsBeside is how many columns a text must keep beside a note of where it moved, and
// minBrief beside a short one.
const minRowsBeside, minBrief = 24, 12

// movedNote says beside the first line of a block where its other end is, if the columns
// have room for that and for the line.
func (v *View) movedNote(l diff.Line, cols int) string {
	mv, first, _ := v.doc.moves.of(l)
	if !first {
		return ""
	}
	s := "from " + strconv.Itoa(mv.Old+1)
	if l.Kind == diff.Removed {
		s = "to " + strconv.Itoa(mv.New+1)
	}
	switch n := len(s) + 1; {
	case cols-n-len("moved ") >= minRowsBeside:
		return "moved " + s
	case cols-n >= minBrief:
		return s
	}
	return ""
}

// moveHere returns the first moved block of the current hunk, preferring the selected
// lines. there is its line at the other end.
func (v *View) moveHere() (there diff.Line, ok bool) {
	s, ok := v.Selection()
	if !ok {
		return there, false
	}
	e := s.edit
	for i := s.oldFrom; i < s.oldTo; i++ {
		if mv, _, ok := v.doc.moves.of(diff.Line{Kind: diff.Removed, Old: e.Old + i + 1}); ok {
			return diff.Line{Kind: diff.Added, New: mv.New + e.Old + i - mv.Old + 1}, true
		}
	}
	for i := s.newFrom; i < s.newTo; i++ {
		if mv, _, ok := v.doc.moves.of(diff.Line{Kind: diff.Added, New: e.New + i + 1}); ok {
			return diff.Line{Kind: diff.Removed, Old: mv.Old + e.New + i - mv.New + 1}, true
		}
	}
	return there, false
}

// otherEnd goes to the other end of moved lines of this hunk.
func (v *View) otherEnd() {
	l, ok := v.moveHere()
	if !ok {
		return
	}
	edits := v.doc.diff.Edits()
	i := sort.Search(len(edits), func(i int) bool {
		if l.Kind == diff.Removed {
			return edits[i].Old+edits[i].OldLines >= l.Old
		}
		return edits[i].New+edits[i].NewLines >= l.New
	})
	e := edits[i]
	row := l.Old - 1 - e.Old
	if l.Kind == diff.Added {
		row = l.New - 1 - e.New
		if !v.splits() {
			row += e.OldLines
		}
	}
	v.cur, v.sel = i, nil
	v.reveal()
	v.show(v.rowOf(e) + row)
	v.draw()
}

func (v *View) moveDisabled() string {
	if _, ok := v.moveHere(); !ok {
		return "no line of this hunk moved"
	}
	return ""
}
