// Package diff compares texts line by line and word by word, writes unified
// diffs, and merges three texts.
//
// Everything is a pure function of the bytes: no disk access, and no clock that affects a result.
// Values are immutable and safe for concurrent use. A line is its bytes including its line ending,
// in any encoding. Results share the memory of the compared texts, which must not change while they
// are in use.
//
// The cost is bounded: texts larger than MaxBytes or MaxLines are compared as a whole.
package diff

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
)

// Kind says which side of a diff a line belongs to.
type Kind uint8

const (
	Same    Kind = iota // on both sides
	Removed             // in the old text only
	Added               // in the new text only
)

// Line is one row of a diff. Its text includes the line ending, so a change from LF to CRLF and a
// missing final newline are differences too.
type Line struct {
	Kind Kind
	Old  int    // line number in the old text, from 1; 0 if it is not in it
	New  int    // line number in the new text, from 1; 0 if it is not in it
	Text []byte // with its ending; a part of the compared text, not a copy
}

// Edit replaces a run of old lines with a run of new ones; either may be empty. Lines are counted from
// 0.
type Edit struct {
	Old, OldLines int
	New, NewLines int

	row   int // its first row in the unified view
	split int // its first row in the side-by-side view
}

// Row returns the first row of the edit in the unified view, and Split in the side-by-side view.
func (e Edit) Row() int   { return e.row }
func (e Edit) Split() int { return e.split }

// Hunk is a run of edits close to each other, with the lines around them. Starts count from 1, as in a
// unified diff: for a side without lines, the start is the line before.
type Hunk struct {
	OldStart, OldLines int
	NewStart, NewLines int
	Row, Rows          int // its rows in the unified view
	Split, Splits      int // its rows in the side-by-side view
}

// Diff is the difference of two texts, line by line. It stores no rows: they are computed on request, so
// a screen pays only for what it shows. A Diff is immutable and safe for concurrent use; the texts must
// not change while it is in use.
type Diff struct {
	Added, Removed int  // lines
	Coarse         bool // the texts were too large to compare line by line: the difference is one edit
	Late           bool // the time ran out: each part that was not compared is one edit
	WordsLate      int  // number of pairs of long lines whose words were not compared because the time ran out

	old, new side
	edits    []Edit
	rows     int
	splits   int
	pieces   map[int]compared // by old line, for the pairs that LinesWithin compared; nil if all may be compared on request
}

// side is a text and the offsets of its lines; there is one entry more than lines.
type side struct {
	text  []byte
	start []int
}

func (s side) lines() int        { return len(s.start) - 1 }
func (s side) line(i int) []byte { return s.text[s.start[i]:s.start[i+1]:s.start[i+1]] }

// Larger texts are compared as a whole: comparing their lines would take too long for an interactive
// program.
const (
	MaxBytes = 20 << 20
	MaxLines = 500_000
)

// Lines compares two texts line by line. The result depends only on the texts, not on the machine's speed.
func Lines(old, new []byte) *Diff { return linesWithin(old, new, never) }

// never is the deadline function for no deadline.
func never() bool { return false }

func linesWithin(old, new []byte, late func() bool) *Diff {
	d := &Diff{old: splitLines(old), new: splitLines(new)}
	switch {
	case bytes.Equal(old, new):
	case max(len(old), len(new)) > MaxBytes || max(d.old.lines(), d.new.lines()) > MaxLines:
		d.Coarse = true
		d.edits = []Edit{coarseEdit(d.old, d.new)}
	default:
		d.edits, d.Late = matchLines(d.old, d.new, late)
	}
	for i := range d.edits {
		e := &d.edits[i]
		e.row = e.New + d.Removed
		e.split = e.New + d.splits
		d.Removed += e.OldLines
		d.Added += e.NewLines
		d.splits += max(e.OldLines-e.NewLines, 0)
	}
	d.rows = d.new.lines() + d.Removed
	d.splits += d.new.lines()
	return d
}

// Count returns the number of lines that a change from old to new adds and removes.
func Count(old, new []byte) (added, removed int) {
	d := Lines(old, new)
	return d.Added, d.Removed
}

// Identical reports whether the texts are the same, byte for byte.
func (d *Diff) Identical() bool { return len(d.edits) == 0 }

// Old and New return the compared texts.
func (d *Diff) Old() []byte { return d.old.text }
func (d *Diff) New() []byte { return d.new.text }

// OldLines and NewLines return the number of lines of the texts.
func (d *Diff) OldLines() int { return d.old.lines() }
func (d *Diff) NewLines() int { return d.new.lines() }

// OldLine and NewLine return lines of the texts with their endings, counted from 0.
func (d *Diff) OldLine(i int) []byte { return d.old.line(i) }
func (d *Diff) NewLine(i int) []byte { return d.new.line(i) }

// Edits returns the differences, in order. The lines between two edits are equal on both sides.
func (d *Diff) Edits() []Edit { return d.edits }

// Rows returns the number of rows of the unified view: each common line once, and all others in place,
// removed lines above added ones.
func (d *Diff) Rows() int { return d.rows }

// Row returns row i of the unified view, counted from 0.
func (d *Diff) Row(i int) Line {
	e, ok := d.editAtRow(i)
	if !ok {
		return d.same(i)
	}
	at := i - e.row
	switch {
	case at < e.OldLines:
		return d.removed(e.Old + at)
	case at < e.OldLines+e.NewLines:
		return d.added(e.New + at - e.OldLines)
	}
	n := e.New + at - e.OldLines
	return d.sameAt(e.Old+e.OldLines+n-e.New-e.NewLines, n)
}

// Split returns row i of the side-by-side view, counted from 0. A side without a line there has the zero
// Line.
func (d *Diff) Split(i int) (left, right Line) {
	e, ok := d.editAtSplit(i)
	if !ok {
		l := d.same(i)
		return l, l
	}
	at := i - e.split
	if tall := max(e.OldLines, e.NewLines); at >= tall {
		at -= tall
		l := d.sameAt(e.Old+e.OldLines+at, e.New+e.NewLines+at)
		return l, l
	}
	if at < e.OldLines {
		left = d.removed(e.Old + at)
	}
	if at < e.NewLines {
		right = d.added(e.New + at)
	}
	return left, right
}

func (d *Diff) same(i int) Line      { return d.sameAt(i, i) }
func (d *Diff) sameAt(o, n int) Line { return Line{Same, o + 1, n + 1, d.new.line(n)} }
func (d *Diff) removed(o int) Line   { return Line{Removed, o + 1, 0, d.old.line(o)} }
func (d *Diff) added(n int) Line     { return Line{Added, 0, n + 1, d.new.line(n)} }

// editAtRow returns the last edit that starts at or above row i.
func (d *Diff) editAtRow(i int) (Edit, bool) {
	n := sort.Search(len(d.edits), func(k int) bool { return d.edits[k].row > i })
	if n == 0 {
		return Edit{}, false
	}
	return d.edits[n-1], true
}

func (d *Diff) editAtSplit(i int) (Edit, bool) {
	n := sort.Search(len(d.edits), func(k int) bool { return d.edits[k].split > i })
	if n == 0 {
		return Edit{}, false
	}
	return d.edits[n-1], true
}

// Hunks groups the edits, each with up to context common lines before and after it. Edits whose context
// touches share a hunk.
func (d *Diff) Hunks(context int) []Hunk {
	context = max(context, 0)
	var hunks []Hunk
	for i := 0; i < len(d.edits); {
		last := i
		for last+1 < len(d.edits) && d.edits[last+1].New-d.edits[last].NewEnd() <= 2*context {
			last++
		}
		hunks = append(hunks, d.hunk(d.edits[i], d.edits[last], context, context))
		i = last + 1
	}
	return hunks
}

// Around returns one edit as a hunk of its own, with up to context common lines before and after it, up to the next edits.
func (d *Diff) Around(e Edit, context int) Hunk {
	before, after := context, context
	i := sort.Search(len(d.edits), func(k int) bool { return d.edits[k].row >= e.row })
	if i > 0 {
		before = min(before, e.New-d.edits[i-1].NewEnd())
	}
	if i+1 < len(d.edits) {
		after = min(after, d.edits[i+1].New-e.NewEnd())
	}
	return d.hunk(e, e, before, after)
}

func (d *Diff) hunk(first, last Edit, before, after int) Hunk {
	before = min(before, first.New, first.Old)
	after = min(after, d.new.lines()-last.NewEnd())
	o0, n0 := first.Old-before, first.New-before
	h := Hunk{
		OldStart: o0 + 1, OldLines: last.OldEnd() + after - o0,
		NewStart: n0 + 1, NewLines: last.NewEnd() + after - n0,
		Row:   first.row - before,
		Split: first.split - before,
	}
	h.Rows = last.row + last.OldLines + last.NewLines + after - h.Row
	h.Splits = last.split + max(last.OldLines, last.NewLines) + after - h.Split
	if h.OldLines == 0 {
		h.OldStart--
	}
	if h.NewLines == 0 {
		h.NewStart--
	}
	return h
}

func (e Edit) OldEnd() int { return e.Old + e.OldLines }
func (e Edit) NewEnd() int { return e.New + e.NewLines }

// Unified returns the diff in the format of git and patch; nothing if the texts are equal. Pass /dev/null
// as the name of a side that does not exist.
func (d *Diff) Unified(oldName, newName string, context int) []byte {
	if d.Identical() {
		return nil
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", unifiedName(oldName), unifiedName(newName))
	for _, h := range d.Hunks(context) {
		fmt.Fprintf(&b, "%s\n", h.Header())
		for i := range h.Rows {
			writeUnified(&b, d.Row(h.Row+i))
		}
	}
	return b.Bytes()
}

// unifiedName appends a tab to a name with a blank, as git does: otherwise patch takes the text after the
// blank for a date.
func unifiedName(name string) string {
	if strings.ContainsRune(name, ' ') {
		return name + "\t"
	}
	return name
}

func writeUnified(b *bytes.Buffer, l Line) {
	b.WriteByte(" -+"[l.Kind])
	b.Write(l.Text)
	if !bytes.HasSuffix(l.Text, []byte("\n")) {
		b.WriteString("\n\\ No newline at end of file\n")
	}
}

// Header returns the line above the hunk in a unified diff.
func (h Hunk) Header() string {
	return fmt.Sprintf("@@ -%s +%s @@", hunkRange(h.OldStart, h.OldLines), hunkRange(h.NewStart, h.NewLines))
}

func hunkRange(start, lines int) string {
	if lines == 1 {
		return fmt.Sprint(start)
	}
	return fmt.Sprintf("%d,%d", start, lines)
}

// CountLines returns the number of lines of a text. Text after the last newline is a line.
func CountLines(text []byte) int { return splitLines(text).lines() }

func splitLines(text []byte) side {
	start := make([]int, 1, bytes.Count(text, []byte("\n"))+2)
	for at := 0; at < len(text); {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			at = len(text)
		} else {
			at += n + 1
		}
		start = append(start, at)
	}
	return side{text, start}
}

// coarseEdit returns one edit from the first to the last line that differs.
func coarseEdit(a, b side) Edit {
	pre := commonPrefix(a, b)
	suf := commonSuffix(a, b, pre)
	return Edit{Old: pre, OldLines: a.lines() - suf - pre, New: pre, NewLines: b.lines() - suf - pre}
}

func commonPrefix(a, b side) int {
	n := 0
	for n < a.lines() && n < b.lines() && bytes.Equal(a.line(n), b.line(n)) {
		n++
	}
	return n
}

// commonSuffix ignores the first pre lines of both sides.
func commonSuffix(a, b side, pre int) int {
	n := 0
	for n < a.lines()-pre && n < b.lines()-pre && bytes.Equal(a.line(a.lines()-1-n), b.line(b.lines()-1-n)) {
		n++
	}
	return n
}
