package diff

import "bytes"

// Move is a run of lines that was moved unchanged: removed in one place and added in another. Lines are counted
// from 0. A missing newline at the end of a text does not count as a change.
type Move struct {
	Old, New int // its first line in each text
	Lines    int
}

// minMoved is the minimum number of non-blank lines in a block: fewer are often equal by chance.
const minMoved = 3

// Moves returns the runs of lines that moved, in the order of the old text. A line belongs to at most one run,
// and a run lies within one edit of each text. The cost is proportional to the size of the difference. If the
// comparison was incomplete, there are no moves: unmatched lines need not have moved.
func (d *Diff) Moves() []Move {
	if d.Coarse || d.Late {
		return nil
	}
	m := mover{d: d, removed: map[string]int{}, added: map[string]int{}}
	m.find(m.removed, d.old, func(e Edit) (int, int) { return e.Old, e.OldEnd() })
	m.find(m.added, d.new, func(e Edit) (int, int) { return e.New, e.NewEnd() })
	m.taken = map[int]bool{}
	var moves []Move
	for _, e := range d.edits {
		for from, i := e.Old, e.Old; i < e.OldEnd(); i++ {
			if mv, ok := m.at(from, e.OldEnd(), i); ok {
				moves = append(moves, mv)
				from = mv.Old + mv.Lines
				i = from - 1
			}
		}
	}
	return moves
}

// mover finds blocks by lines that were removed once and added once.
type mover struct {
	d              *Diff
	removed, added map[string]int // the position of a line; several if it has more than one
	taken          map[int]bool   // lines of the new text that belong to a block
}

const several = -1

func unended(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\n")) }

// find records the positions of the lines of one side of all edits.
func (m *mover) find(at map[string]int, s side, span func(Edit) (from, to int)) {
	for _, e := range m.d.edits {
		from, to := span(e)
		for i := from; i < to; i++ {
			line := unended(s.line(i))
			if isBlank(line) {
				continue
			}
			if _, dup := at[string(line)]; dup {
				at[string(line)] = several
			} else {
				at[string(line)] = i
			}
		}
	}
}

// at returns the block that contains the old line i, within the lines [from, to) of an edit.
func (m *mover) at(from, to, i int) (Move, bool) {
	line := unended(m.d.old.line(i))
	if m.removed[string(line)] != i { // blank lines are in neither map
		return Move{}, false
	}
	n, ok := m.added[string(line)]
	if !ok || n == several || m.taken[n] {
		return Move{}, false
	}
	e, _ := m.d.editOf(func(e Edit) int { return e.NewEnd() }, n)
	up, down := 0, 1
	for i-up > from && n-up > e.New && m.same(i-up-1, n-up-1) {
		up++
	}
	for i+down < to && n+down < e.NewEnd() && m.same(i+down, n+down) {
		down++
	}
	mv := Move{Old: i - up, New: n - up, Lines: up + down}
	solid := 0
	for k := range mv.Lines {
		if !isBlank(m.d.old.line(mv.Old + k)) {
			solid++
		}
	}
	if solid < minMoved {
		return Move{}, false
	}
	for k := range mv.Lines {
		m.taken[mv.New+k] = true
	}
	return mv, true
}

// same reports whether an old line equals a new one that is in no block yet.
func (m *mover) same(o, n int) bool {
	return !m.taken[n] && bytes.Equal(unended(m.d.old.line(o)), unended(m.d.new.line(n)))
}
