package memory

import (
	"slices"

	"github.com/memend/memend/ui/deciding"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/versions/diff"
	vreview "github.com/memend/memend/versions/review"
)

// lineOf returns the line at which an edit is shown; for lines removed at the end, the last
// line.
func (d *document) lineOf(e diff.Edit) int { return min(e.New, d.lastLine()) }

// changes returns the lines that the gutter marks: those to review, or else those that
// changed while the memory was open.
func (d *document) changes() lineMarks {
	if d.review != nil && d.review.err == nil {
		return d.review.marks
	}
	return d.marks
}

// linesOfEdits returns the lines at which edits are shown.
func (d *document) linesOfEdits(edits lineMarks) (lines []int) {
	for _, e := range edits {
		lines = append(lines, d.lineOf(e))
	}
	return slices.Compact(lines)
}

// whole is a decision about all of a memory.
func (d *document) whole() deciding.Part {
	return deciding.Whole(d.review.pending, d.review.hunks)
}

// part returns what a decision is about: the selected lines, the hunk at the cursor, or all of a memory that was created, renamed,
// or changed back.
func (v *viewport) part() (part deciding.Part, ok bool) {
	r, line := v.doc.review, v.cur.line
	part = v.doc.whole()
	if v.sel.on {
		lines, n := v.doc.selectedParts(v.sel)
		part.What, part.Sides = draw.Plural(n, "line", "lines"), deciding.Lines(&r.pending, lines...)
		return part, n > 0
	}
	edited := false
	for _, h := range r.hunks {
		if h.Kind != vreview.Edited {
			continue
		}
		edited = true
		e := h.Part.Edit
		if line == v.doc.lineOf(e) || line >= e.New && line < e.New+e.NewLines {
			part.What = "1 hunk"
			part.Sides = func() (kept, undone vreview.Side) { return r.pending.With(h), r.pending.Without(h) }
			return part, true
		}
	}
	return part, !edited && len(r.hunks) > 0
}

// selectedParts returns the selected lines of each hunk, each with the lines that it replaced, and how many lines of the text those are. Removed
// lines are selected with the line that follows them.
func (d *document) selectedParts(sel selection) (parts []diff.Part, n int) {
	first, last := sel.ends()
	for _, e := range d.review.marks {
		part := e.Whole()
		if e.NewLines == 0 {
			if at := d.lineOf(e); at >= first.line && at <= last.line {
				parts, n = append(parts, part), n+e.OldLines
			}
			continue
		}
		part.NewFrom, part.NewTo = max(first.line-e.New, 0), min(last.line+1-e.New, e.NewLines)
		if part.NewFrom >= part.NewTo {
			continue
		}
		part.OldFrom = min(part.NewFrom, e.OldLines)
		if part.NewTo < e.NewLines {
			part.OldTo = min(part.NewTo, e.OldLines)
		}
		parts, n = append(parts, part), n+part.NewTo-part.NewFrom
	}
	return parts, n
}
