// Package window places a window of a few rows on a text of many. A text consists of items, such as lines or blocks, that take one
// row or more: Rows says which rows these are. Window knows rows only.
package window

import "sort"

// Rows are the rows of items, one below the other: the first row of each item, and at last their number.
type Rows []int32

// Measure returns the rows of n items with the heights that height returns. It reuses dst.
func Measure(dst Rows, n int, height func(item int) int) Rows {
	dst = append(dst[:0], 0)
	for i := range n {
		dst = append(dst, dst[i]+int32(height(i)))
	}
	return dst
}

// Len returns the number of rows.
func (r Rows) Len() int {
	if len(r) == 0 {
		return 0
	}
	return int(r[len(r)-1])
}

// First returns the first row of an item, from 0; of one beyond the end, the number of rows.
func (r Rows) First(item int) int {
	if item < 0 || len(r) == 0 {
		return 0
	}
	return int(r[min(item, len(r)-1)])
}

// Item returns the item that a row belongs to: the last one for a row beyond the end, 0 if there is none.
func (r Rows) Item(row int) int {
	n := sort.Search(len(r), func(i int) bool { return int(r[i]) > row })
	return max(min(n, len(r)-1)-1, 0)
}

// Window is what is visible of n rows: H of them from Top on. Its methods take n, because it may change.
type Window struct{ Top, H int }

// Scroll moves the window by d rows, and no further than to either end. It reports whether it moved.
func (w *Window) Scroll(d, n int) bool {
	was := w.Top
	w.Top = max(min(w.Top+d, n-w.H), 0)
	return w.Top != was
}

// Holds reports whether a row is in the window.
func (w *Window) Holds(row int) bool { return row >= w.Top && row < w.Top+w.H }

// Reveal scrolls as little as possible to show the rows from first to last; if they are too many, the first ones.
func (w *Window) Reveal(first, last, n int) {
	w.Top = max(w.Top, last-w.H+1)
	w.Top = min(w.Top, first)
	w.Scroll(0, n)
}

// Near shows a row in the upper part, with what is above it.
func (w *Window) Near(row, n int) {
	w.Top = row
	w.Scroll(-w.H/3, n)
}
