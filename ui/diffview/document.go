package diffview

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/versions/diff"
)

// diffTimeout limits the time in which Compare looks for the smallest difference and for
// changed words.
const diffTimeout = 200 * time.Millisecond

// Document holds two texts and their difference. It is immutable.
type Document struct {
	diff   *diff.Diff
	head   string   // what differs besides the texts, above them: a hunk of its own; may be empty
	notes  []string // rows above the diff
	plain  bool     // they are the text itself, and nothing is wrong
	hideCR bool     // every line of both texts ends in CRLF: don't show it
	blanks int      // lines that differ only in white space
	blank  []bool   // the edits that consist only of such lines

	lang   syntax.Language
	starts [2]syntax.Starts // of the old text and the new one
}

// Compare returns a document of two texts of the memory name, whose extension selects the
// colours. It is slow for large texts, though not much longer than diffTimeout: call it from a
// command. The texts must not be changed afterwards.
func Compare(name string, old, new []byte) *Document {
	end := time.Now().Add(diffTimeout)
	return compareUntil(name, old, new, func() bool { return time.Now().After(end) })
}

// compareUntil is Compare with a function that reports when the time is over.
func compareUntil(name string, old, new []byte, late func() bool) *Document {
	d := &Document{diff: diff.LinesWithin(old, new, late), lang: syntax.Of(name)}
	switch {
	case len(old)+len(new) == 0: // one of them may not exist: it was created, or deleted
		d.notes, d.plain = append(d.notes, "Empty: there is no text."), true
	case d.diff.Identical():
		d.notes = append(d.notes, "Identical, byte for byte.")
	case d.diff.Coarse:
		d.notes = append(d.notes, fmt.Sprintf("Too large to compare line by line (%s and %s): shown from the first to the last line that differs.",
			size(len(old)), size(len(new))))
	case d.diff.Invisible() == diff.OnlyLineEnds:
		d.notes = append(d.notes, "Only line ends differ.")
	}
	switch n := d.diff.WordsLate; {
	case d.diff.Late:
		d.notes = append(d.notes, fmt.Sprintf("Coarse: not compared to the end within %d ms.", diffTimeout.Milliseconds()))
	case n > 0:
		d.notes = append(d.notes, fmt.Sprintf("Coarse: words of %s not compared within %d ms.", draw.Plural(n, "long line", "long lines"), diffTimeout.Milliseconds()))
	}
	if !utf8.Valid(old) || !utf8.Valid(new) {
		d.notes = append(d.notes, "Not UTF-8 text: other bytes are shown as <FF>.")
	}
	d.hideCR = diff.AllCRLF(old) && diff.AllCRLF(new)
	d.findBlanks()
	d.starts[0] = d.lang.Starts(d.diff.OldLines(), d.oldLine, late)
	d.starts[1] = d.lang.Starts(d.diff.NewLines(), d.newLine, late)
	return d
}

// findBlanks finds the lines that differ only in white space.
func (d *Document) findBlanks() {
	edits := d.diff.Edits()
	d.blank = make([]bool, len(edits))
	for i, e := range edits {
		n := 0
		for k := range min(e.OldLines, e.NewLines) {
			if l, r := d.diff.Split(e.Split() + k); diff.SameButBlanks(l.Text, r.Text) {
				n++
			}
		}
		d.blanks += n
		d.blank[i] = e.OldLines == e.NewLines && n == e.NewLines
	}
}

// maxReadable is how much of a line is examined for its colours.
const maxReadable = 8 << 10

// oldLine and newLine return lines of the texts, from 0, as syntax reads them.
func (d *Document) oldLine(i int) string { return readable(d.diff.OldLine(i)) }
func (d *Document) newLine(i int) string { return readable(d.diff.NewLine(i)) }

func readable(line []byte) string {
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	return string(line[:min(len(line), maxReadable)])
}

// New returns the new text.
func (d *Document) New() []byte { return d.diff.New() }

// Unified returns the diff in unified format.
func (d *Document) Unified(oldName, newName string) []byte {
	return d.diff.Unified(oldName, newName, defaultContext)
}

// Note returns a document with a message, for when there is nothing to compare.
func Note(words string) *Document {
	return &Document{diff: diff.Lines(nil, nil), notes: strings.Split(words, "\n"), plain: true}
}

// Headed returns the document with what differs besides the texts, such as the path: a hunk before those of the diff.
func (d *Document) Headed(words string) *Document {
	headed := *d
	headed.head = words
	return &headed
}

// heads returns how many hunks are above the diff.
func (d *Document) heads() int {
	if d.head == "" {
		return 0
	}
	return 1
}

// Counts returns the number of lines added and removed.
func (d *Document) Counts() (added, removed int) { return d.diff.Added, d.diff.Removed }

func size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MB", (n+1<<19)>>20)
}
