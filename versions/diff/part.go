package diff

import "bytes"

// Part is some lines of an edit: the old ones from OldFrom to before OldTo and the new ones from NewFrom to before NewTo,
// counted within the edit.
type Part struct {
	Edit           Edit
	OldFrom, OldTo int
	NewFrom, NewTo int
}

// Whole returns all lines of an edit.
func (e Edit) Whole() Part { return Part{e, 0, e.OldLines, 0, e.NewLines} }

// With returns the old text in which the lines of some parts are changed as in the new one. The parts are of different edits.
//
// Of an edit of which only some lines are chosen, an old line that remains comes before the new line that was beside it.
func (d *Diff) With(parts ...Part) []byte {
	return d.mix(parts, true)
}

// Without returns the new text in which the lines of some parts are as in the old one: With, of all other lines.
func (d *Diff) Without(parts ...Part) []byte {
	return d.mix(parts, false)
}

// mix returns the common lines, and of each edit the new lines of its part and the old ones that are not in it; unless with, the
// other way round.
func (d *Diff) mix(parts []Part, with bool) []byte {
	chosen := make(map[[2]int]Part, len(parts))
	for _, p := range parts {
		chosen[[2]int{p.Edit.Old, p.Edit.New}] = p
	}
	out := make([]byte, 0, max(len(d.old.text), len(d.new.text)))
	put := func(lines []byte) {
		if n := len(out); n > 0 && len(lines) > 0 && out[n-1] != '\n' {
			out = append(out, d.lineEnd()...) // it was the last line of its text and is no longer
		}
		out = append(out, lines...)
	}
	at := 0
	for _, e := range d.edits {
		put(d.new.between(at, e.New))
		at = e.NewEnd()
		p := chosen[[2]int{e.Old, e.New}]
		for i := range max(e.OldLines, e.NewLines) {
			if i < e.OldLines && (i >= p.OldFrom && i < p.OldTo) != with {
				put(d.old.line(e.Old + i))
			}
			if i < e.NewLines && (i >= p.NewFrom && i < p.NewTo) == with {
				put(d.new.line(e.New + i))
			}
		}
	}
	put(d.new.between(at, d.new.lines()))
	return out
}

// lineEnd returns the line end of the first line of the new text, or else of the old one.
func (d *Diff) lineEnd() string {
	for _, text := range [][]byte{d.new.text, d.old.text} {
		if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
			return "\r\n"
		} else if i >= 0 {
			break
		}
	}
	return "\n"
}
