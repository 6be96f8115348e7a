package diffview

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/memtrail/memtrail/versions"
)

// Document is two texts compared, ready to be shown. It does not change.
type Document struct {
	diff   *versions.Diff
	notes  []string // rows above the diff
	plain  bool     // they are the text itself, and nothing is wrong
	hideCR bool     // every line of both texts ends in CRLF: showing it tells nothing
	blanks int      // lines that differ in white space only
	blank  []bool   // the edits in which no other line differs
}

// Compare makes a document. It takes its time with large texts: call it from a
// command. The texts must not be written to any more.
func Compare(old, new []byte) *Document {
	d := &Document{diff: versions.DiffLines(old, new)}
	switch {
	case d.diff.Identical():
		d.notes = append(d.notes, "The same, byte for byte.")
	case d.diff.Coarse:
		d.notes = append(d.notes, fmt.Sprintf("Too large to compare line by line (%s and %s): shown from the first to the last line that differs.",
			size(len(old)), size(len(new))))
	case bytes.Equal(lf(old), lf(new)):
		d.notes = append(d.notes, "Only line ends differ.")
	}
	if !utf8.Valid(old) || !utf8.Valid(new) {
		d.notes = append(d.notes, "Not UTF-8 text: other bytes are shown as <FF>.")
	}
	d.hideCR = allCRLF(old) && allCRLF(new)
	d.findBlanks()
	return d
}

// findBlanks finds the lines that differ in white space only.
func (d *Document) findBlanks() {
	edits := d.diff.Edits()
	d.blank = make([]bool, len(edits))
	for i, e := range edits {
		n := 0
		for k := range min(e.OldLines, e.NewLines) {
			if l, r := d.diff.Split(e.Split() + k); sameButBlanks(l.Text, r.Text) {
				n++
			}
		}
		d.blanks += n
		d.blank[i] = e.OldLines == e.NewLines && n == e.NewLines
	}
}

// sameButBlanks reports whether two lines are the same when white space does not
// count.
func sameButBlanks(a, b []byte) bool {
	for {
		a, b = bytes.TrimLeft(a, " \t\r\n"), bytes.TrimLeft(b, " \t\r\n")
		if len(a) == 0 || len(b) == 0 {
			return len(a) == len(b)
		}
		if a[0] != b[0] {
			return false
		}
		a, b = a[1:], b[1:]
	}
}

// New is the text on the right.
func (d *Document) New() []byte { return d.diff.New() }

// Unified writes the diff as git and patch read it.
func (d *Document) Unified(oldName, newName string) []byte {
	return d.diff.Unified(oldName, newName, defaultContext)
}

// Note is a document of plain words, where there is nothing to compare.
func Note(words string) *Document {
	return &Document{diff: versions.DiffLines(nil, nil), notes: strings.Split(words, "\n"), plain: true}
}

// Counts is the number of lines added and removed.
func (d *Document) Counts() (added, removed int) { return d.diff.Added, d.diff.Removed }

func lf(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }

func allCRLF(b []byte) bool {
	return bytes.Count(b, []byte("\r\n")) == bytes.Count(b, []byte("\n"))
}

func size(n int) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KB", (n+1023)>>10)
	}
	return fmt.Sprintf("%d MB", (n+1<<19)>>20)
}
