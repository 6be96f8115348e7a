package draw

import "github.com/memend/memend/theme"

// Column is a column of a list of a pane P, whose rows are of type R. A column is a line of
// data: the table decides where there is room for it.
type Column[P, R any] struct {
	Title string
	W     int // columns; 0 for a share of what the other columns leave
	Share int // how much of that, beside the shares of others
	From  int // the columns of a list from which it has this width
	Least int // its width in a narrower list, in which it is left out if this is 0; for a share, the least of it
	Below int // the columns of a list from which it is left out; 0 for none
	Right bool
	Path  bool // its beginning is cut, not its end

	// Cell returns a cell of at most cols columns. Put draws one that has several styles in
	// what is left of r: r is passed and returned, because a pointer would be allocated.
	Cell func(p P, row R, cols int) (string, theme.Style)
	Put  func(p P, row R, r Row) Row
}

// Never is the From of a column that a table leaves out at any width.
const Never = 1 << 30

// Table holds the columns of a list from left to right, each with a blank after it.
type Table[P, R any] []Column[P, R]

// cols returns the width of a column in a list of w columns: 0 for a share, and -1 if it is
// left out.
func (c *Column[P, R]) cols(w int) int {
	switch {
	case c.Below > 0 && w >= c.Below, w < c.From && (c.Least == 0 || c.W == 0):
		return -1
	case w < c.From:
		return c.Least
	}
	return c.W
}

// Rest returns the columns that a list of w columns leaves for the shares if used are taken.
func (t Table[P, R]) Rest(w, used int) int {
	rest, _ := t.shares(w, w-used)
	return rest
}

// Shows reports whether a list of w columns has a column.
func (t Table[P, R]) Shows(title string, w int) bool {
	for i := range t {
		if t[i].Title == title {
			return t[i].cols(w) >= 0
		}
	}
	return false
}

func (t Table[P, R]) shares(w, left int) (rest, shares int) {
	rest = left
	for i := range t {
		switch n := t[i].cols(w); {
		case n == 0:
			shares += t[i].Share
			rest--
		case n > 0:
			rest -= n + 1
		}
	}
	return max(rest, 0), shares
}

// Put draws a row of the table in the rest of r.
func (t Table[P, R]) Put(r Row, p P, row R) Row {
	return t.each(r, func(c *Column[P, R], r Row) Row {
		if c.Put != nil {
			return c.Put(p, row, r)
		}
		s, st := c.Cell(p, row, r.Left())
		switch {
		case c.Right:
			r.Right(s, r.Left(), st)
		case c.Path:
			r.Path(s, r.Left(), st)
		default:
			r.Put(s, st)
		}
		return r
	})
}

// Titles draws the titles of the columns in the rest of r.
func (t Table[P, R]) Titles(r Row, st theme.Style) Row {
	return t.each(r, func(c *Column[P, R], r Row) Row {
		if c.Right {
			r.Right(c.Title, r.Left(), st)
		} else {
			r.Put(c.Title, st)
		}
		return r
	})
}

// each calls draw for each column that is shown, with a row that ends where the column ends.
func (t Table[P, R]) each(r Row, draw func(*Column[P, R], Row) Row) Row {
	rest, shares := t.shares(r.W, r.Left())
	for i := range t {
		c := &t[i]
		n := c.cols(r.W)
		if n < 0 {
			continue
		}
		if n == 0 {
			n = max(rest*c.Share/shares, min(c.Least, rest/2))
			rest, shares = rest-n, shares-c.Share
		}
		end := r.Used + n
		r.cut = max(r.W-end, 0)
		r = draw(c, r)
		r.cut = 0
		r.To(end + 1)
	}
	return r
}
