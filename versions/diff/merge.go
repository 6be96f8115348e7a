package diff

import (
	"bytes"
)

// MergeKind says where the text of a region of a merge comes from.
type MergeKind uint8

const (
	MergeKept     MergeKind = iota // neither side changed it
	MergeOurs                      // only ours changed it
	MergeTheirs                    // only theirs changed it
	MergeBoth                      // both changed it to the same
	MergeConflict                  // both changed it, each to something else
)

// Region is a run of lines of a merge with its three sides; a side may be
// empty. They are parts of the texts that were merged, not copies.
type Region struct {
	Kind               MergeKind
	Base, Ours, Theirs []byte
}

// Merged is a three-way merge, as data: what becomes of a text that two sides
// changed, each for itself. It does not change and is safe for concurrent use;
// the texts must not change while it is used.
type Merged struct {
	Regions  []Region // in order; together they are all of each of the three texts
	TooLarge bool     // the texts were too large to compare, so all of them is one conflict
}

// Merge merges what ours and theirs made of base, line by line and byte for
// byte: a line is its bytes with its end, whatever their encoding.
//
// Edits of the two sides that touch each other conflict, as in git, even where no
// line is in both: what stands side by side was often meant together. So do texts
// that hold a NUL byte, which are no texts. When ours or theirs is base, or both
// are the same, there is no conflict, whatever the texts are.
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

// oneRegion is a merge that is all of one kind.
func oneRegion(k MergeKind, base, ours, theirs []byte) *Merged {
	if len(base)+len(ours)+len(theirs) == 0 {
		return &Merged{}
	}
	return &Merged{Regions: []Region{{k, base, ours, theirs}}}
}

func isBinary(b []byte) bool { return bytes.IndexByte(b, 0) >= 0 }

// mergeEdits walks the edits of both sides, in order of the base's lines. a is
// from the base to ours, b from the base to theirs.
func mergeEdits(a, b *Diff) *Merged {
	m := &Merged{}
	ours, theirs := a.edits, b.edits
	at := mergePlace{}
	for len(ours)+len(theirs) > 0 {
		start, end := nextEdit(ours, theirs)
		var i, j int
		for grown := true; grown; { // what touches what was taken belongs to it
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

// nextEdit is where in the base the next edit is.
func nextEdit(ours, theirs []Edit) (start, end int) {
	if len(theirs) == 0 || len(ours) > 0 && ours[0].Old <= theirs[0].Old {
		return ours[0].Old, ours[0].OldEnd()
	}
	return theirs[0].Old, theirs[0].OldEnd()
}

// grows is by how many lines edits make a text longer.
func grows(edits []Edit) (lines int) {
	for _, e := range edits {
		lines += e.NewLines - e.OldLines
	}
	return lines
}

// mergePlace is a line in each of the three texts.
type mergePlace struct{ base, ours, theirs int }

// by is so many of the base's lines further, where the sides grew.
func (p mergePlace) by(lines, ours, theirs int) mergePlace {
	return mergePlace{p.base + lines, p.ours + lines + ours, p.theirs + lines + theirs}
}

// take adds the lines between two places as a region.
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

// between is the lines from..to, without a copy.
func (s side) between(from, to int) []byte {
	return s.text[s.start[from]:s.start[to]:s.start[to]]
}

// Conflicts is how many regions conflict.
func (m *Merged) Conflicts() (n int) {
	for _, r := range m.Regions {
		if r.Kind == MergeConflict {
			n++
		}
	}
	return n
}

// Clean reports whether nothing conflicts.
func (m *Merged) Clean() bool { return m.Conflicts() == 0 }

// Text is the merged text; nil when the merge is not clean.
func (m *Merged) Text() []byte {
	if !m.Clean() {
		return nil
	}
	return m.resolve(MergeConflict)
}

// Favor is the merged text with one side's lines wherever the two conflict.
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

// Labels name the sides in the markers of conflicts.
type Labels struct{ Ours, Base, Theirs string }

// Marked is the merged text with each conflict between markers, as git writes
// them in its diff3 style: ours, base and theirs. The markers end as the lines
// around them do, and a side whose last line has no end gets one.
func (m *Merged) Marked(l Labels) []byte {
	end := "\n"
	if m.crlf() {
		end = "\r\n"
	}
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

// crlf reports whether the first line that ends in any of the texts ends in CRLF.
func (m *Merged) crlf() bool {
	for _, r := range m.Regions {
		for _, text := range [][]byte{r.Ours, r.Theirs, r.Base} {
			if i := bytes.IndexByte(text, '\n'); i >= 0 {
				return i > 0 && text[i-1] == '\r'
			}
		}
	}
	return false
}
