package history

import (
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
)

// places holds the boxes of the parts. A part without room has an empty box.
type places struct {
	filter draw.Box // the input line, and its completions below it
	list   draw.Box
	head   draw.Box // the line above the diff
	detail draw.Box // a line with the author and the time
	diff   draw.Box
	beside bool // the diff is beside the list
	single bool // only one of them is visible at a time
}

// divide is where the user put the border between list and diff; 0 means not set.
type divide struct{ cols, rows int }

const (
	besideFrom  = 110 // columns from which the diff is beside the list
	minToDivide = 11  // rows from which the list and the diff below it are both visible
	minCols     = 24  // of a part
	minRows     = 3
	detailFrom  = 6 // rows of the diff from which there is a detail line
)

// arrange computes the layout of the pane.
func (p *Pane) arrange() places {
	var a places
	w, h := p.w, p.h
	switch {
	case w >= besideFrom && h >= 3:
		left := min(max(w*2/5, 50), 72)
		if p.split.cols > 0 {
			left = max(minCols, min(p.split.cols, w-minCols-1))
		}
		a = places{
			list: draw.At(0, 0, left, h), beside: true,
			head: draw.At(left+1, 0, w-left-1, 1), diff: draw.At(left+1, 1, w-left-1, h-1),
		}
	case h >= minToDivide:
		top := p.listRows()
		a = places{list: draw.At(0, 0, w, top), head: draw.At(0, top, w, 1), diff: draw.At(0, top+1, w, h-top-1)}
	case p.inDiff:
		a = places{head: draw.At(0, 0, w, min(1, h)), diff: draw.At(0, 1, w, max(0, h-1)), single: true}
	default:
		a = places{list: draw.At(0, 0, w, h), single: true}
	}
	if _, ok := p.list().current(); ok && a.diff.H >= detailFrom {
		a.detail = a.diff.CutTop(1)
	}
	if p.typed.On() && a.list.H > 1 {
		a.filter = a.list.CutTop(min(filter.Rows, a.list.H-1))
	}
	return a
}

// listRows returns how many rows the list above the diff has: no more than it needs, unless
// the user has set the number.
func (p *Pane) listRows() int {
	if p.split.rows > 0 {
		return max(minRows, min(p.split.rows, p.h-minRows-1))
	}
	top := max(minRows, p.h*2/5)
	n := max(minRows, len(p.list().rows))
	if p.typed.On() {
		n += filter.Rows
	}
	if p.list().done && n < top {
		top = n
	}
	return top
}

func (p *Pane) listHeight() int { return p.arrange().list.H }

// resize resizes the parts and scrolls to the cursor. It is called when the focus moves to
// another part.
func (p *Pane) resize() {
	p.fit()
	p.list().reveal(p.listHeight())
}

// fit resizes the parts. Their size depends on the length of the list.
func (p *Pane) fit() {
	a := p.arrange()
	p.diff.SetSize(a.diff.W, a.diff.H)
	p.list().clamp(a.list.H)
}
