package diff

import (
	"bytes"
)

// MergeKind says which side a region of a merge comes from.
type MergeKind uint8

const (
	MergeKept     MergeKind = iota // neither side changed it
	MergeOurs                      // only ours changed it
	MergeTheirs                    // only theirs changed it
	MergeBoth                      // both made the same change
	MergeConflict                  // both changed it differently
)

// Region is a run of lines of a merge with its three sides, each of which may be empty. They are parts of the
// merged texts, not copies.
type Region struct {
	Kind               MergeKind
	Base, Ours, Theirs []byte
}

// Merged is the result of a three-way merge: a text that two sides changed independently. It is immutable and
// safe for concurrent use; the texts must not change while it is in use.
type Merged struct {
	Regions  []Region // in order; together they cover each of the three texts
	TooLarge bool     // the texts were too large to compare, so everything is one conflict
}

// Merge merges the changes from base to ours and from base to theirs, line by line. A line is its bytes with
// its ending, in any encoding.
//
// Edits of the two sides that touch each other conflict, as in git, even if they share no line: adjacent changes
// often belong together. Texts with a NUL byte, which are binary, conflict as a whole. If ours or theirs equals
// base, or both are equal, there is no conflict, whatever the texts are.
func Merge(base, ours, theirs []byte) *Merged {
	switch {
	case bytes.Equal(ours, theirs) && bytes.Equal(base, ours):
		return oneRegion(MergeKept, base, ours, theirs)
	case bytes.Equal(ours, theirs):
		return oneRegion(MergeBoth, base, ours, theirs)
	case bytes.Equal(base, ours):
		return oneRegion(MergeTheirs, base, ours, theirs)
	case bytes.Equal(base, theirs):
		return oneRegion(MergeOurs, base, ours, theirs)
	case isBinary(base) || isBinary(ours) || isBinary(theirs):
		return oneRegion(MergeConflict, base, ours, theirs)
	}
	a, b := Lines(base, ours), Lines(base, theirs)
	if a.Coarse || b.Coarse {
		m := oneRegion(MergeConflict, base, ours, theirs)
		m.TooLarge = true
		return m
	}
	return mergeEdits(a, b)
}

// oneRegion returns a merge with a single region.
func oneRegion(k MergeKind, base, ours, theirs []byte) *Merged {
	if len(base)+len(ours)+len(theirs) == 0 {
		return &Merged{}
	}
	return &Merged{Regions: []Region{{k, base, ours, theirs}}}
}

func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// mergeEdits walks the edits of both sides in the order of the base's lines: a is from base to ours, b from base
// to theirs.
func mergeEdits(a, b *Diff) *Merged {
	m := &Merged{}
	ours, theirs := a.edits, b.edits
	at := mergePlace{}
	for len(ours)+len(theirs) > 0 {
		start, end := nextEdit(ours, theirs)
		var i, j int
		for grown := true; grown; { // extend the region by every edit that touches it
			grown = false
			for ; i < len(ours) && ours[i].Old <= end; i++ {
				end, grown = max(end, ours[i].OldEnd()), true
			}
			for ; j < len(theirs) && theirs[j].Old <= end; j++ {
				end, grown = max(end, theirs[j].OldEnd()), true
			}
		}
		at = m.take(a, b, at, at.by(start-at.base, 0, 0), false, false)
		at = m.take(a, b, at, at.by(end-start, grows(ours[:i]), grows(theirs[:j])), i > 0, j > 0)
		ours, theirs = ours[i:], theirs[j:]
	}
	m.take(a, b, at, at.by(a.old.lines()-at.base, 0, 0), false, false)
	return m
}

// nextEdit returns the range of the next edit in the base.
func nextEdit(ours, theirs []Edit) (start, end int) {
	if len(theirs) == 0 || len(ours) > 0 && ours[0].Old <= theirs[0].Old {
		return ours[0].Old, ours[0].OldEnd()
	}
	return theirs[0].Old, theirs[0].OldEnd()
}

// grows returns by how many lines edits lengthen a text.
func grows(edits []Edit) (lines int) {
	for _, e := range edits {
		lines += e.NewLines - e.OldLines
	}
	return lines
}

// mergePlace is a line in each of the three texts.
type mergePlace struct{ base, ours, theirs int }

// by returns the place after the given number of base lines, where the sides grew by ours and theirs lines.
func (p mergePlace) by(lines, ours, theirs int) mergePlace {
	return mergePlace{p.base + lines, p.ours + lines + ours, p.theirs + lines + theirs}
}

// take appends the lines between two places as a region.
func (m *Merged) take(a, b *Diff, from, to mergePlace, inOurs, inTheirs bool) mergePlace {
	r := Region{
		Base:   a.old.between(from.base, to.base),
		Ours:   a.new.between(from.ours, to.ours),
		Theirs: b.new.between(from.theirs, to.theirs),
	}
	switch {
	case !inOurs && !inTheirs:
		r.Kind = MergeKept
	case !inTheirs:
		r.Kind = MergeOurs
	case !inOurs:
		r.Kind = MergeTheirs
	case bytes.Equal(r.Ours, r.Theirs):
		r.Kind = MergeBoth
	default:
		r.Kind = MergeConflict
	}
	if len(r.Base)+len(r.Ours)+len(r.Theirs) > 0 {
		m.Regions = append(m.Regions, r)
	}
	return to
}

// between returns the lines from..to, without a copy.
func (s side) between(from, to int) []byte {
	return s.text[s.start[from]:s.start[to]:s.start[to]]
}

// Conflicts returns the number of conflicting regions.
func (m *Merged) Conflicts() (n int) {
	for _, r := range m.Regions {
		if r.Kind == MergeConflict {
			n++
		}
	}
	return n
}

// Clean reports whether there is no conflict.
func (m *Merged) Clean() bool { return m.Conflicts() == 0 }

// Text returns the merged text, or nil if there are conflicts.
func (m *Merged) Text() []byte {
	if !m.Clean() {
		return nil
	}
	return m.resolve(MergeConflict)
}

// Favor returns the merged text, with the lines of one side for each conflict.
func (m *Merged) Favor(side MergeKind) []byte { return m.resolve(side) }

func (m *Merged) resolve(conflicts MergeKind) []byte {
	out := []byte{}
	for _, r := range m.Regions {
		if r.Kind == MergeConflict && conflicts == MergeOurs || r.Kind == MergeOurs || r.Kind == MergeKept {
			out = append(out, r.Ours...)
		} else {
			out = append(out, r.Theirs...)
		}
	}
	return out
}

// Both returns the merged text, with the lines of both sides for each conflict, ours first. A side whose last line
// has no line ending gets one.
func (m *Merged) Both() []byte {
	out := []byte{}
	for _, r := range m.Regions {
		if r.Kind == MergeConflict {
			if out = append(out, r.Ours...); len(r.Ours) > 0 && len(r.Theirs) > 0 && r.Ours[len(r.Ours)-1] != '\n' {
				out = append(out, m.end()...)
			}
		}
		if r.Kind == MergeOurs || r.Kind == MergeKept {
			out = append(out, r.Ours...)
		} else {
			out = append(out, r.Theirs...)
		}
	}
	return out
}

// Common returns the lines that two texts share: the base of a merge of texts that have none.
func Common(a, b []byte) []byte {
	d := Lines(a, b)
	out := []byte{}
	at := 0
	for _, e := range d.edits {
		out = append(out, d.old.between(at, e.Old)...)
		at = e.OldEnd()
	}
	return append(out, d.old.between(at, d.old.lines())...)
}

// Labels are the names of the sides in conflict markers.
type Labels struct{ Ours, Base, Theirs string }

// Marked returns the merged text with conflict markers in git's diff3 style: ours, base and theirs. The markers
// have the line ending of the text, and a side whose last line has none gets one.
func (m *Merged) Marked(l Labels) []byte {
	end := m.end()
	var out []byte
	side := func(mark, label string, text []byte) {
		if label != "" {
			label = " " + label
		}
		out = append(append(append(append(out, mark...), label...), end...), text...)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			out = append(out, end...)
		}
	}
	for _, r := range m.Regions {
		switch r.Kind {
		case MergeConflict:
			side("<<<<<<<", l.Ours, r.Ours)
			side("|||||||", l.Base, r.Base)
			side("=======", "", r.Theirs)
			side(">>>>>>>", l.Theirs, nil)
		case MergeKept, MergeOurs:
			out = append(out, r.Ours...)
		default:
			out = append(out, r.Theirs...)
		}
	}
	return out
}

// end returns the first line ending in the texts.
func (m *Merged) end() string {
	for _, r := range m.Regions {
		for _, text := range [][]byte{r.Ours, r.Theirs, r.Base} {
			if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
				return "\r\n"
			} else if i >= 0 {
				return "\n"
			}
		}
	}
	return "\n"
}
