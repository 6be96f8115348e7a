package diffview

import (
	"cmp"
	"slices"
	"sort"
	"strconv"

	"github.com/memtrail/memtrail/versions"
)

// moves are the blocks of lines that stand elsewhere now, to be found by a line of
// either text.
type moves struct {
	old, new []versions.Move // the same ones, by where they were and by where they are
	lines    int
}

func findMoves(d *versions.Diff) (m moves) {
	m.old = d.Moves()
	m.new = slices.Clone(m.old)
	slices.SortFunc(m.new, func(a, b versions.Move) int { return cmp.Compare(a.New, b.New) })
	for _, mv := range m.old {
		m.lines += mv.Lines
	}
	return m
}

// of is the block that a line moved with. first says that it begins with it.
func (m moves) of(l versions.Line) (mv versions.Move, first, ok bool) {
	switch l.Kind {
	case versions.Removed:
		i := sort.Search(len(m.old), func(i int) bool { return m.old[i].Old >= l.Old }) - 1
		if i >= 0 && l.Old-1 < m.old[i].Old+m.old[i].Lines {
			return m.old[i], l.Old-1 == m.old[i].Old, true
		}
	case versions.Added:
		i := sort.Search(len(m.new), func(i int) bool { return m.new[i].New >= l.New }) - 1
		if i >= 0 && l.New-1 < m.new[i].New+m.new[i].Lines {
			return m.new[i], l.New-1 == m.new[i].New, true
		}
	}
	return mv, false, false
}

// leastBeside is how many columns a text must keep beside a note of where it moved,
// and leastBrief beside a short one.
const leastBeside, leastBrief = 24, 12

// movedNote says beside the first line of a block where its other end is, as far as
// so many columns have room for that and for the line.
func (v *View) movedNote(l versions.Line, cols int) string {
	mv, first, _ := v.doc.moves.of(l)
	if !first {
		return ""
	}
	s := "from " + strconv.Itoa(mv.Old+1)
	if l.Kind == versions.Removed {
		s = "to " + strconv.Itoa(mv.New+1)
	}
	switch n := len(s) + 1; {
	case cols-n-len("moved ") >= leastBeside:
		return "moved " + s
	case cols-n >= leastBrief:
		return s
	}
	return ""
}

// moveHere is the first block that moved of the current hunk; the lines selected
// in it come first. there is its line at the other end, as the diff has it.
func (v *View) moveHere() (there versions.Line, ok bool) {
	s, ok := v.Selection()
	if !ok {
		return there, false
	}
	e := s.edit
	for i := s.oldFrom; i < s.oldTo; i++ {
		if mv, _, ok := v.doc.moves.of(versions.Line{Kind: versions.Removed, Old: e.Old + i + 1}); ok {
			return versions.Line{Kind: versions.Added, New: mv.New + e.Old + i - mv.Old + 1}, true
		}
	}
	for i := s.newFrom; i < s.newTo; i++ {
		if mv, _, ok := v.doc.moves.of(versions.Line{Kind: versions.Added, New: e.New + i + 1}); ok {
			return versions.Line{Kind: versions.Removed, Old: mv.Old + e.New + i - mv.New + 1}, true
		}
	}
	return there, false
}

// otherEnd goes to where lines of this hunk went, or came from.
func (v *View) otherEnd() {
	l, ok := v.moveHere()
	if !ok {
		return
	}
	edits := v.doc.diff.Edits()
	i := sort.Search(len(edits), func(i int) bool {
		if l.Kind == versions.Removed {
			return edits[i].Old+edits[i].OldLines >= l.Old
		}
		return edits[i].New+edits[i].NewLines >= l.New
	})
	e := edits[i]
	row := l.Old - 1 - e.Old
	if l.Kind == versions.Added {
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

func (v *View) whyNoMove() string {
	if _, ok := v.moveHere(); !ok {
		return "no line of this hunk moved"
	}
	return ""
}
