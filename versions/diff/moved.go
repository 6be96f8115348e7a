package diff

import "bytes"

// Move is a run of lines that stands elsewhere now, unchanged: removed there and
// added here. Lines are counted from 0. A missing newline at the end of a text is
// no change: what comes to stand there loses its own.
type Move struct {
	Old, New int // its first line in each text
	Lines    int
}

// leastMoved is how many lines that are not blank make a block: fewer are the
// same by chance.
const leastMoved = 3

// Moves are the runs of lines that moved, in the order of the old text. A line
// belongs to one at most, and a run lies within one edit of each text. Its cost
// grows with what differs. There are none where edits hold lines that nobody
// matched: those need not have moved at all.
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

// mover finds blocks by the lines that were removed once and added once.
type mover struct {
	d              *Diff
	removed, added map[string]int // where a line was; several for more than one place
	taken          map[int]bool   // lines of the new text that belong to a block
}

const several = -1

func unended(line []byte) []byte { return bytes.TrimSuffix(line, []byte("\n")) }

// find notes where the lines of one side of all edits are.
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

// at is the block that the old line i is in, of the lines [from, to) of an edit.
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
	if solid < leastMoved {
		return Move{}, false
	}
	for k := range mv.Lines {
		m.taken[mv.New+k] = true
	}
	return mv, true
}

// same reports whether an old line and a new one that is in no block yet say the same.
func (m *mover) same(o, n int) bool {
	return !m.taken[n] && bytes.Equal(unended(m.d.old.line(o)), unended(m.d.new.line(n)))
}
