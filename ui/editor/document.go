package editor

// document is the text with its cursor and selection, and the edits that can be undone. It knows
// nothing of the screen: after an edit its owner has to show the cursor.
type document struct {
	text   *buffer
	eol    string // line end of the text
	indent string // what tab inserts

	cursor int     // byte offset
	anchor int     // where the selection began; -1 without one
	goal   int     // the column that vertical moves aim at; -1 for the cursor's
	run    runKind // the kind of the last edit, if the next one may join it
	undo   []step
	redo   []step
}

func newDocument(content []byte) document {
	return document{text: newBuffer(content), eol: lineEnd(content), indent: indentation(content), anchor: -1, goal: -1}
}

// step is one undo step: at byte at, old was replaced with new.
type step struct {
	at            int
	old, new      string
	before, after marks
}

// marks are the cursor and the beginning of the selection.
type marks struct{ cursor, anchor int }

// runKind is the kind of a run of edits that are undone together.
type runKind uint8

const (
	noRun runKind = iota
	typing
	erasing
)

// maxUndo limits the undo steps.
const maxUndo = 10_000

// apply replaces the bytes from, to with s. It joins the last undo step if that was part of
// the same run.
func (d *document) apply(from, to int, s string, kind runKind) {
	edit := step{at: from, old: d.text.slice(from, to), new: s, before: d.marks()}
	if kind == noRun || kind != d.run || len(d.undo) == 0 || !d.undo[len(d.undo)-1].join(edit) {
		if len(d.undo) == maxUndo {
			d.undo = append(d.undo[:0], d.undo[maxUndo/10:]...)
		}
		d.undo = append(d.undo, edit)
	}
	d.text = d.text.replace(from, to, s)
	d.cursor, d.anchor, d.goal = from+len(s), -1, -1
	d.run, d.redo = kind, nil
	d.amend()
}

// join makes an edit part of a step, if it continues what was typed or erased.
func (s *step) join(next step) bool {
	switch {
	case next.old == "" && next.at == s.at+len(s.new):
		s.new += next.new
	case next.new == "" && s.new == "" && next.at+len(next.old) == s.at:
		s.at, s.old = next.at, next.old+s.old
	case next.new == "" && s.new == "" && next.at == s.at:
		s.old += next.old
	default:
		return false
	}
	return true
}

func (d *document) marks() marks { return marks{d.cursor, d.anchor} }

// amend makes the current cursor the one that redo restores after the edit that was just
// applied.
func (d *document) amend() { d.undo[len(d.undo)-1].after = d.marks() }

func (d *document) undoStep() {
	n := len(d.undo)
	if n == 0 {
		return
	}
	s := d.undo[n-1]
	d.undo, d.redo = d.undo[:n-1], append(d.redo, s)
	d.goBack(s.at, len(s.new), s.old, s.before)
}

func (d *document) redoStep() {
	n := len(d.redo)
	if n == 0 {
		return
	}
	s := d.redo[n-1]
	d.redo, d.undo = d.redo[:n-1], append(d.undo, s)
	d.goBack(s.at, len(s.old), s.new, s.after)
}

// goBack replaces n bytes with what was there, and puts the cursor where it was.
func (d *document) goBack(at, n int, s string, to marks) {
	d.text = d.text.replace(at, at+n, s)
	d.cursor, d.anchor, d.goal = to.cursor, to.anchor, -1
	d.run = noRun
}

// selection returns the selected bytes; ok is false if there are none.
func (d *document) selection() (from, to int, ok bool) {
	if d.anchor < 0 || d.anchor == d.cursor {
		return d.cursor, d.cursor, false
	}
	return min(d.anchor, d.cursor), max(d.anchor, d.cursor), true
}

// touched returns the lines of the selection, or that of the cursor.
func (d *document) touched() (first, last int) {
	from, to, ok := d.selection()
	first, last = d.text.lineOf(from), d.text.lineOf(to)
	if ok && last > first && to == d.text.lineStart(last) {
		last-- // a selection that ends at the beginning of a line is not visible in it
	}
	return first, last
}

// wholeLines returns the touched lines with their line ends, as bytes.
func (d *document) wholeLines() (from, to int) {
	first, last := d.touched()
	return d.text.lineStart(first), d.text.lineStart(last + 1)
}
