package merge

import (
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// board is a window on the merge: columns of texts that scroll together, with each change
// aligned. What is outside the window costs nothing: rows are counted from a place, which is a
// part and a row in it.
type board struct {
	cols   []column
	y, h   int // in the pane; the first row has the names of the columns
	at     place
	blocks map[int]*block // layout of the parts that were visible
}

type column struct {
	side side
	x, w int
}

type place struct{ part, row int }

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

const (
	// context is how many unchanged lines are shown around a change.
	context   = 3
	maxBlocks = 512
)

// block returns the layout of a part. Layouts are cached.
func (p *Pane) block(b *board, i int) *block {
	if x := b.blocks[i]; x != nil {
		return x
	}
	if len(b.blocks) >= maxBlocks {
		clear(b.blocks)
	}
	x := p.layOut(b, i)
	b.blocks[i] = x
	return x
}

func (p *Pane) layOut(b *board, i int) *block {
	part := &p.m.parts[i]
	x := &block{}
	if part.kind != diff.MergeKept {
		x.head = 1
	}
	most := 0
	for _, c := range b.cols {
		most = max(most, p.m.count(part, c.side))
	}
	hide := p.folds(i, most)
	if p.unwrap && hide.len() == 0 {
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
			cells = p.cells(part, c, hide)
		}
		x.cells = append(x.cells, cells)
		x.rows = max(x.rows, len(cells))
	}
	x.rows += x.head
	return x
}

// folds returns the lines of a part that are hidden: unchanged lines far from a change.
func (p *Pane) folds(i, n int) run {
	if p.m.parts[i].kind != diff.MergeKept {
		return run{}
	}
	hide := run{context, n - context}
	if i == 0 {
		hide.from = 0
	}
	if i == len(p.m.parts)-1 {
		hide.to = n
	}
	if hide.len() < 2 {
		return run{}
	}
	return hide
}

// cells returns the rows of a part in a column.
func (p *Pane) cells(part *part, c column, hide run) []cell {
	n := p.m.count(part, c.side)
	if n == 0 {
		return []cell{{line: noLine}}
	}
	w := c.w - p.gutter(c)
	var out []cell
	var starts []int
	for i := 0; i < n; i++ {
		if hide.len() > 0 && i == hide.from {
			out = append(out, cell{line: foldLine, to: hide.len()})
			i = hide.to - 1
			continue
		}
		b, _ := p.m.line(part, c.side, i)
		s := p.visible(b)
		if p.unwrap {
			out = append(out, cell{i, 0, len(s)})
			continue
		}
		starts = text.Wrap(starts[:0], s, w, 0, 0)
		for k, from := range starts {
			to := len(s)
			if k+1 < len(starts) {
				to = starts[k+1]
			}
			out = append(out, cell{i, from, to})
		}
	}
	return out
}

// cell returns a row of a column.
func (p *Pane) cell(b *board, x *block, part *part, col, row int) cell {
	row -= x.head
	if x.cells == nil {
		if n := p.m.count(part, b.cols[col].side); row < n {
			line, _ := p.m.line(part, b.cols[col].side, row)
			return cell{row, 0, len(p.visible(line))}
		}
		return cell{line: noLine}
	}
	if row < len(x.cells[col]) {
		return x.cells[col][row]
	}
	return cell{line: noLine}
}

// move returns the place n rows further, limited to the first and last row.
func (p *Pane) move(b *board, at place, n int) place {
	last := len(p.m.parts) - 1
	if last < 0 {
		return place{}
	}
	at.part = min(max(at.part, 0), last)
	at.row = min(max(at.row, 0), max(p.block(b, at.part).rows-1, 0))
	for n > 0 {
		room := p.block(b, at.part).rows - 1 - at.row
		if n <= room {
			at.row += n
			return at
		}
		if at.part == last {
			at.row += max(room, 0)
			return at
		}
		n -= room + 1
		at = place{at.part + 1, 0}
	}
	for n < 0 {
		if -n <= at.row {
			at.row += n
			return at
		}
		if at.part == 0 {
			return place{}
		}
		n += at.row + 1
		at.part--
		at.row = max(p.block(b, at.part).rows-1, 0)
	}
	return at
}

// hold limits how far the window scrolls beyond the end.
func (p *Pane) hold(b *board) {
	b.at = p.move(b, b.at, 0)
	if end := p.move(b, p.end(b), 1-b.rows()); end.before(b.at) {
		b.at = end
	}
}

func (p *Pane) end(b *board) place {
	last := len(p.m.parts) - 1
	if last < 0 {
		return place{}
	}
	return place{last, max(p.block(b, last).rows-1, 0)}
}

func (a place) before(b place) bool { return a.part < b.part || a.part == b.part && a.row < b.row }

// rows returns how many rows of the merge a board shows.
func (b *board) rows() int { return max(b.h-1, 0) }
