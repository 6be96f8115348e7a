package diff

// longPair is from how many bytes on, both lines together, two lines are no longer
// compared word by word each time somebody looks at them: at the worst that takes
// the square of it.
const longPair = 512

func long(old, new []byte) bool { return len(old)+len(new) > longPair }

// LinesWithin is Lines for somebody who waits. It asks late now and then, and
// when that is true it stops looking closer and says so: Late, WordsLate. Where it
// never is, the result is that of Lines.
//
// The words of long lines are compared here and not when they are asked for, so
// that Words and Pieces of a line are always quick.
func LinesWithin(old, new []byte, late func() bool) *Diff {
	d := linesWithin(old, new, late)
	d.pieces = map[int][]Piece{}
	over := d.Late
	for _, e := range d.edits {
		for i := range min(e.OldLines, e.NewLines) {
			a, b := d.old.line(e.Old+i), d.new.line(e.New+i)
			if !long(a, b) || !shortEnough(a, b) {
				continue
			}
			if over = over || late(); over {
				d.WordsLate++
			} else if p, ok := inPieces(a, b); ok {
				d.pieces[e.Old+i] = p
			}
		}
	}
	return d
}
