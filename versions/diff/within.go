package diff

// longPair is the total length in bytes above which two lines are not compared word by word on each request: in the
// worst case that takes quadratic time.
const longPair = 512

func long(old, new []byte) bool { return len(old)+len(new) > longPair }

// LinesWithin is like Lines with a time limit. It calls late repeatedly, and once late returns true it stops
// refining the result and sets Late and WordsLate. If late never does, the result is that of Lines.
//
// The words of long lines are compared here rather than on request, so that Words and Pieces are always fast.
func LinesWithin(old, new []byte, late func() bool) *Diff {
	d := linesWithin(old, new, late)
	d.pieces = map[int]compared{}
	over := d.Late
	for _, e := range d.edits {
		for i := range min(e.OldLines, e.NewLines) {
			a, b := d.old.line(e.Old+i), d.new.line(e.New+i)
			if !long(a, b) {
				continue
			}
			if over = over || late(); over {
				d.WordsLate++
				d.pieces[e.Old+i] = compared{outer(a, b), false}
			} else {
				p, ok := inPieces(a, b)
				d.pieces[e.Old+i] = compared{p, ok}
			}
		}
	}
	return d
}

// compared is what compare returns for a pair of lines.
type compared struct {
	pieces []Piece
	ok     bool
}
