package draw

import (
	"bytes"
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// Row is a row that is drawn part by part. If the row has a style of its own, such as that
// of the cursor, its parts have none.
type Row struct {
	W, Used int // columns, and how many of them are drawn

	cut   int // columns at the end that are not this part's
	dst   []byte
	all   theme.Style
	mixed bool // the parts have their own styles over that of the row
}

// NewRow begins a row of w columns after dst.
func NewRow(dst []byte, w int) Row { return Row{W: w, dst: dst} }

// StyledRow begins a row in one style.
func StyledRow(dst []byte, w int, st theme.Style) Row {
	return Row{W: w, dst: append(dst, st.On...), all: st}
}

// MixedRow begins a row in one style, in which the parts have their own styles.
func MixedRow(dst []byte, w int, st theme.Style) Row {
	return Row{W: w, dst: append(dst, st.On...), all: st, mixed: true}
}

// Plain reports whether the parts have no styles of their own.
func (r *Row) Plain() bool { return r.all.On != "" && !r.mixed }

// Left returns the number of unused columns, of a cell in that cell.
func (r *Row) Left() int { return r.W - r.cut - r.Used }

// Put draws safe text.
func (r *Row) Put(s string, st theme.Style) { r.Clip(s, r.Left(), st) }

// Clip draws text in at most cols columns.
func (r *Row) Clip(s string, cols int, st theme.Style) {
	r.part(ClipMore, s, cols, st)
}

// Path draws a path in at most cols columns and cuts its beginning.
func (r *Row) Path(s string, cols int, st theme.Style) {
	r.part(ClipStart, s, cols, st)
}

func (r *Row) part(by func([]byte, string, int, theme.Style) ([]byte, int), s string, cols int, st theme.Style) {
	cols = min(cols, r.Left())
	if cols <= 0 {
		return
	}
	switch {
	case r.mixed:
		r.dst = append(append(r.dst, r.all.Off...), st.On...)
		r.dst, cols = by(r.dst, s, cols, st)
		r.dst = append(append(r.dst, st.Off...), r.all.On...)
	case r.Plain() || st.On == "":
		r.dst, cols = by(r.dst, s, cols, st)
	default:
		r.dst = append(r.dst, st.On...)
		r.dst, cols = by(r.dst, s, cols, st)
		r.dst = append(r.dst, st.Off...)
	}
	r.Used += cols
}

// Space draws n blanks, as many as there is room for.
func (r *Row) Space(n int) {
	n = max(min(n, r.Left()), 0)
	r.Used += n
	r.dst = text.Spaces(r.dst, n)
}

// To draws blanks up to a column.
func (r *Row) To(col int) { r.Space(col - r.Used) }

// Right draws s right-aligned in cols columns.
func (r *Row) Right(s string, cols int, st theme.Style) {
	r.Space(cols - text.Width(s))
	r.Clip(s, cols, st)
}

// Column draws s in exactly cols columns, and a blank.
func (r *Row) Column(s string, cols int, st theme.Style) {
	end := r.Used + cols + 1
	r.Clip(s, cols, st)
	r.To(end)
}

// Number is Column, right-aligned.
func (r *Row) Number(s string, cols int, st theme.Style) {
	r.Space(cols - text.Width(s))
	r.Column(s, text.Width(s), st)
}

// PathColumn is Column for a path.
func (r *Row) PathColumn(s string, cols int, st theme.Style) {
	end := r.Used + cols + 1
	r.Path(s, cols, st)
	r.To(end)
}

// Line draws text as l says, with styles on parts of it. In a row with a style, that is the base.
func (r *Row) Line(l text.Line, s string, layers ...[]text.Span) {
	l.Width = max(min(l.Width, r.Left()), 0)
	if r.all.On != "" {
		l.Base = r.all.On
	}
	var cols int
	r.dst, cols = l.Append(r.dst, s, layers...)
	if r.Used += cols; r.Left() > 0 {
		r.dst = append(r.dst, r.all.On...)
	}
}

// Input draws a field in cols columns.
func (r *Row) Input(in *Input, cols int, st theme.Style) {
	if cols = min(cols, r.Left()); cols > 0 {
		r.dst, _ = in.Append(r.dst, cols, st)
		r.Used += cols
	}
}

// Lines draws the number of lines added and removed, in two columns; nothing for 0.
func (r *Row) Lines(added, removed, cols int, th *theme.Theme) {
	plus, minus := "", ""
	if added > 0 {
		plus = "+" + Count(added)
	}
	if removed > 0 {
		minus = "−" + Count(removed)
	}
	r.Number(plus, cols, th.Added)
	r.Number(minus, cols, th.Removed)
}

// End fills the row and returns everything drawn.
func (r *Row) End() []byte {
	r.Space(r.Left())
	return append(r.dst, r.all.Off...)
}

// Count formats a number in at most four columns.
func Count(n int) string {
	switch {
	case n < 1000:
		return strconv.Itoa(n)
	case n < 100_000:
		return strconv.Itoa(n/1000) + "k"
	}
	return "lots"
}

// ClipMore is text.ClipMore with the style's ellipsis, and without its colours.
func ClipMore(dst []byte, s string, cols int, st theme.Style) ([]byte, int) {
	if !st.ASCII {
		return text.ClipMore(dst, s, cols)
	}
	dst, used := text.ClipMore(dst, st.Signs(s), cols)
	if cut, ok := bytes.CutSuffix(dst, []byte(theme.CutSign)); ok {
		dst = append(cut, st.Cut()...)
	}
	return dst, used
}

// ClipStart is text.ClipStart in the same way.
func ClipStart(dst []byte, s string, cols int, st theme.Style) ([]byte, int) {
	at := len(dst)
	dst, used := text.ClipStart(dst, st.Signs(s), cols)
	if rest, cut := bytes.CutPrefix(dst[at:], []byte(theme.CutSign)); cut && st.ASCII {
		dst = append(append(dst[:at], st.Cut()...), rest...)
	}
	return dst, used
}

// PadMore is ClipMore padded to exactly cols columns.
func PadMore(dst []byte, s string, cols int, st theme.Style) []byte {
	dst, used := ClipMore(dst, s, cols, st)
	return text.Spaces(dst, cols-used)
}
