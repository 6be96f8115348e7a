package merge

import (
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/ui/window"
	"github.com/memend/memend/versions/diff"
)

// board is a window on the merge: columns of texts that scroll together, with each change
// aligned. Above it are the names of the columns.
type board struct {
	m     *merged
	th    *theme.Theme
	signs [result + 1]string // of the sides' lines in the result

	cols     []column
	y        int // of the names, in the pane
	win      window.Window
	at       window.Rows // of each part
	blocks   []block     // the layout of each part
	unwrap   bool        // lines are not wrapped
	sideways int         // columns scrolled to the left
}

type column struct {
	side side
	x, w int
}

// block is the layout of a part in the columns of a board.
type block struct {
	head int // rows above its lines: 1 for a change
	rows int // in total
	// cells are the rows of each column; nil if each line is one row.
	cells [][]cell
}

// cell is a row of a line; line is noLine or foldLine if the row shows none.
type cell struct{ line, from, to int }

const (
	noLine   = -1
	foldLine = -2
)

// context is how many unchanged lines are shown around a change.
const context = 3

// lay lays out the parts, and keeps the one at the top of the window there.
func (b *board) lay() {
	top := b.at.Item(b.win.Top)
	off := b.win.Top - b.at.First(top)
	b.blocks = b.blocks[:0]
	for i := range b.m.parts {
		b.blocks = append(b.blocks, b.layOut(i))
	}
	b.at = window.Measure(b.at, len(b.blocks), func(i int) int { return b.blocks[i].rows })
	b.win.Top = min(b.at.First(top)+off, max(b.at.First(top+1)-1, 0))
	b.win.Scroll(0, b.at.Len())
}

func (b *board) layOut(i int) block {
	part := &b.m.parts[i]
	x := block{}
	if part.kind != diff.MergeKept {
		x.head = 1
	}
	most := 0
	for _, c := range b.cols {
		most = max(most, b.m.count(part, c.side))
	}
	hide := b.folds(i, most)
	if b.unwrap && hide.len() == 0 {
		x.rows = x.head + most
		if x.head > 0 {
			x.rows = max(x.rows, x.head+1)
		}
		return x
	}
	for k, c := range b.cols {
		var cells []cell
		if k > 0 && part.kind == diff.MergeKept {
			cells = x.cells[0]
		} else {
			cells = b.cells(part, c, hide)
		}
		x.cells = append(x.cells, cells)
		x.rows = max(x.rows, len(cells))
	}
	x.rows += x.head
	return x
}

// folds returns the lines of a part that are hidden: unchanged lines far from a change.
func (b *board) folds(i, n int) run {
	if b.m.parts[i].kind != diff.MergeKept {
		return run{}
	}
	hide := run{context, n - context}
	if i == 0 {
		hide.from = 0
	}
	if i == len(b.m.parts)-1 {
		hide.to = n
	}
	if hide.len() < 2 {
		return run{}
	}
	return hide
}

// cells returns the rows of a part in a column.
func (b *board) cells(part *region, c column, hide run) []cell {
	n := b.m.count(part, c.side)
	if n == 0 {
		return []cell{{line: noLine}}
	}
	w := c.w - b.gutter(c)
	var out []cell
	var starts []int
	for i := 0; i < n; i++ {
		if hide.len() > 0 && i == hide.from {
			out = append(out, cell{line: foldLine, to: hide.len()})
			i = hide.to - 1
			continue
		}
		line, _ := b.m.line(part, c.side, i)
		s := b.m.bare(line)
		if b.unwrap {
			out = append(out, cell{i, 0, len(s)})
			continue
		}
		starts = text.Wrap(starts[:0], s, w, 0, 0)
		for k, from := range starts {
			out = append(out, cell{i, from, text.End(s, starts, k)})
		}
	}
	return out
}

// cell returns a row of a part in a column.
func (b *board) cell(i, col, row int) cell {
	x, part := &b.blocks[i], &b.m.parts[i]
	row -= x.head
	if x.cells == nil {
		if n := b.m.count(part, b.cols[col].side); row < n {
			line, _ := b.m.line(part, b.cols[col].side, row)
			return cell{row, 0, len(b.m.bare(line))}
		}
		return cell{line: noLine}
	}
	if row < len(x.cells[col]) {
		return x.cells[col][row]
	}
	return cell{line: noLine}
}

// visible returns how many rows of the window show something.
func (b *board) visible() int { return max(min(b.win.H, b.at.Len()-b.win.Top), 0) }

// rowAt returns the part that is at row y of the window, and which of its rows that is.
func (b *board) rowAt(y int) (part, row int) {
	part = b.at.Item(b.win.Top + y)
	return part, b.win.Top + y - b.at.First(part)
}

// shift scrolls lines that are not wrapped sideways.
func (b *board) shift(n int) {
	if !b.unwrap {
		return
	}
	b.sideways = text.Aside(b.sideways, n, b.cols[0].w-b.gutter(b.cols[0]), func(yield func(string) bool) {
		for y := range b.visible() {
			part, row := b.rowAt(y)
			for c := range b.cols {
				if row < b.blocks[part].head {
					break
				}
				if k := b.cell(part, c, row); k.line >= 0 {
					line, _ := b.m.line(&b.m.parts[part], b.cols[c].side, k.line)
					if shown := b.m.bare(line); !strings.HasSuffix(line, "\n") && !yield(shown+noNewline) || !yield(shown) {
						return
					}
				}
			}
		}
	})
}
