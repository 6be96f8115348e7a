package draw

import (
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

// Row is a row that is drawn part by part. If the row has a style of its own, such as that
// of the cursor, its parts have none.
type Row struct {
	dst []byte
	pen Pen
	all theme.Style
}

// NewRow begins a row of w columns after dst.
func NewRow(dst []byte, w int) Row { return Row{dst: dst, pen: Pen{W: w}} }

// StyledRow begins a row in one style.
func StyledRow(dst []byte, w int, st theme.Style) Row {
	return Row{dst: append(dst, st.On...), pen: Pen{W: w, Plain: true}, all: st}
}

// Width returns the number of columns, and Left the number of unused ones.
func (r *Row) Width() int { return r.pen.W }
func (r *Row) Left() int  { return r.pen.W - r.pen.Used }

// Put draws safe text.
func (r *Row) Put(s string, st theme.Style) { r.dst = r.pen.Put(r.dst, s, st) }

// Space draws n blanks.
func (r *Row) Space(n int) { r.dst = r.pen.Space(r.dst, n) }

// Column draws s in exactly cols columns, and a blank.
func (r *Row) Column(s string, cols int, st theme.Style) {
	end := r.pen.Used + cols + 1
	r.dst = r.pen.Clip(r.dst, s, cols, st)
	r.Space(end - r.pen.Used)
}

// Number is Column, right-aligned.
func (r *Row) Number(s string, cols int, st theme.Style) {
	r.Space(cols - text.Width(s))
	r.Column(s, text.Width(s), st)
}

// Path draws a path in at most cols columns and cuts its beginning.
func (r *Row) Path(s string, cols int, st theme.Style) {
	r.dst = r.pen.ClipStart(r.dst, s, cols, st)
}

// PathColumn is Column for a path.
func (r *Row) PathColumn(s string, cols int, st theme.Style) {
	end := r.pen.Used + cols + 1
	r.Path(s, cols, st)
	r.Space(end - r.pen.Used)
}

// Input draws a field in the rest of the row.
func (r *Row) Input(in *Input, st theme.Style) {
	if n := r.Left(); n > 0 {
		r.dst, _ = in.Append(r.dst, n, st)
		r.pen.Used = r.pen.W
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
