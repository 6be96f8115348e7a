package talk

import (
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// diffPiece is the part of a diff's row that one row of the screen shows.
type diffPiece struct{ row, from, to int }

// signCols are the columns before the text of a row.
const signCols = 2

// wrap wraps all rows of a diff for w columns.
func (d *inline) wrap(w int) {
	if d.wrappedAt == w {
		return
	}
	d.wrappedAt, d.pieces = w, d.pieces[:0]
	var starts []int
	for i, r := range d.rows {
		starts = text.Wrap(starts[:0], r.shown(), max(w-r.before(), 1), 0, 0)
		for k, from := range starts {
			d.pieces = append(d.pieces, diffPiece{i, from, text.End(r.shown(), starts, k)})
		}
	}
}

func (r diffRow) shown() string {
	if r.words != "" {
		return r.words
	}
	return r.text
}

// before returns how many columns are before the text of a row.
func (r diffRow) before() int {
	if r.words != "" {
		return 0
	}
	return signCols
}

// height returns how many rows of w columns are visible.
func (d *inline) height(f fold, w int) int {
	d.wrap(w)
	if f == open || len(d.pieces) <= briefRows {
		return len(d.pieces)
	}
	return briefRows + 1
}

// goesOn reports whether row n continues the line of the row above.
func (d *inline) goesOn(n int, f fold) bool {
	return n < len(d.pieces) && d.pieces[n].from > 0 && (f == open || n < briefRows || len(d.pieces) <= briefRows)
}

// rowsFound returns the rows, unfolded, in which a match begins or continues.
func (d *inline) rowsFound(f *find) (out []int) {
	for n, p := range d.pieces {
		for _, hit := range f.hits(nil, d.rows[p.row].text, "", 0) {
			if hit.From >= p.from && hit.From < p.to {
				out = append(out, n)
				break
			}
		}
	}
	return out
}

// append draws row n of those that height counts in exactly w columns, and highlights the
// matches of find.
func (d *inline) append(dst []byte, n, w int, f fold, th *theme.Theme, find func([]text.Span, string) []text.Span) []byte {
	if n >= d.height(f, w) || w <= 0 {
		return text.Spaces(dst, w)
	}
	if f != open && n == briefRows && len(d.pieces) > briefRows {
		r := diffRow{words: d.rest(n)}
		return r.append(dst, diffPiece{0, 0, len(r.words)}, w, th, find)
	}
	p := d.pieces[n]
	return d.rows[p.row].append(dst, p, w, th, find)
}

// append draws a piece of a row in exactly w columns.
func (r diffRow) append(dst []byte, p diffPiece, w int, th *theme.Theme, find func([]text.Span, string) []text.Span) []byte {
	if r.words != "" {
		dst = draw.PadMore(append(dst, th.Hunk.On...), r.words[p.from:p.to], w, th.Hunk)
		return append(dst, th.Hunk.Off...)
	}
	sign, line, word := th.Dim, theme.Style{}, theme.Style{}
	switch r.kind {
	case diff.Added:
		sign, line, word = th.Added, th.AddedLine, th.AddedWord
	case diff.Removed:
		sign, line, word = th.Removed, th.RemovedLine, th.RemovedWord
	}
	dst = append(append(dst, line.On...), sign.On...)
	dst = append(dst, " -+"[r.kind])
	dst = append(append(dst, sign.Off...), line.On...)
	if w > 1 {
		dst = append(dst, ' ')
	}
	dst = append(dst, line.Off...)
	spans := make([]text.Span, len(r.spans))
	for i, s := range r.spans {
		spans[i] = text.Span{From: s.Start, To: s.End, On: word.On}
	}
	if find != nil {
		spans = mergeSpans(spans, find(nil, r.text))
	}
	dst, _ = text.Line{Width: max(w-signCols, 0), Base: line.On, Mark: th.HiddenChar.On, Fill: true}.AppendRange(dst, r.text, p.from, p.to, spans)
	return dst
}
