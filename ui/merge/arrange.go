package merge

import (
	"github.com/memend/memend/versions/diff"
)

const (
	wideFrom   = 100 // columns from which theirs, result and mine are side by side
	twoFrom    = 60  // columns from which theirs and mine are side by side, with the result below
	minTwoRows = 10  // rows for that
	numbersAt  = 26  // columns of a text from which lines have numbers
)

// arrange lays out the boards.
func (p *Pane) arrange() {
	at := place{}
	if len(p.boards) > 0 {
		at = p.boards[0].at
	}
	p.m.proposes = p.single() // theirs and mine are not visible next to it
	top, h := p.noteRows(), p.drawn()
	p.boards = nil
	add := func(y, h int, of ...side) {
		if h > 0 {
			p.boards = append(p.boards, &board{cols: columns(p.w, of), y: y, h: h, at: at, blocks: map[int]*block{}})
		}
	}
	switch {
	case p.single():
		add(top, h-top, p.tab)
	case p.w >= wideFrom:
		add(top, h-top, p.withBefore(theirs, result, mine)...)
	case p.hunk != nil:
		add(top, h-top, p.withBefore(theirs, mine)...)
	default:
		half := (h - top + 1) / 2
		add(top, half, p.withBefore(theirs, mine)...)
		add(top+half, h-top-half, result)
	}
	for _, b := range p.boards {
		p.hold(b)
	}
}

// single reports whether only one text is visible at a time.
func (p *Pane) single() bool { return p.w < twoFrom || p.h < minTwoRows && p.w < wideFrom }

func (p *Pane) withBefore(of ...side) []side {
	if p.withBase && p.m.there[base] {
		return append([]side{base}, of...)
	}
	return of
}

// columns divides w equally, with a border between columns. Equal widths give unchanged lines
// the same rows in each column.
func columns(w int, of []side) []column {
	each := max((w-len(of)+1)/len(of), 0)
	out := make([]column, len(of))
	for i, s := range of {
		out[i] = column{s, i * (each + 1), each}
	}
	return out
}

// redraw computes the layout after a change, and draws it.
func (p *Pane) redraw() {
	for i, b := range p.boards {
		if i > 0 {
			b.at = place{p.boards[0].at.part, p.boards[0].at.row}
		}
		p.hold(b)
	}
	p.draw()
}

// page returns how many rows of the merge are visible.
func (p *Pane) page() int {
	if len(p.boards) == 0 {
		return 1
	}
	return max(p.boards[0].rows(), 1)
}

func (p *Pane) scroll(n int) {
	if len(p.boards) == 0 {
		return
	}
	b := p.boards[0]
	b.at = p.move(b, b.at, n)
	p.redraw()
}

func (p *Pane) shift(n int) {
	p.sideways = min(max(p.sideways+n, 0), p.widest())
	p.draw()
}

// widest returns the approximate length of the longest line in the window.
func (p *Pane) widest() int {
	n := 0
	for _, b := range p.boards {
		p.eachRow(b, func(_ int, at place, x *block) {
			for c := range b.cols {
				if at.row < x.head {
					break
				}
				if k := p.cell(b, x, &p.m.parts[at.part], c, at.row); k.line >= 0 {
					line, _ := p.m.line(&p.m.parts[at.part], b.cols[c].side, k.line)
					n = max(n, len(line))
				}
			}
		})
	}
	return n
}

// eachRow calls do for each row that a board shows.
func (p *Pane) eachRow(b *board, do func(y int, at place, x *block)) {
	at := b.at
	for y := 0; y < b.rows() && at.part < len(p.m.parts); y++ {
		x := p.block(b, at.part)
		if at.row < x.rows {
			do(y, at, x)
		}
		if at.row++; at.row >= x.rows {
			at = place{at.part + 1, 0}
		}
	}
}

func (p *Pane) toggleBase() {
	p.withBase = !p.withBase
	p.arrange()
	p.goTo(p.cur)
}

func (p *Pane) noBaseColumn() string {
	switch {
	case !p.m.there[base]:
		return p.baseDisabled()
	case p.single():
		return "one text is shown at a time"
	}
	return ""
}

func (p *Pane) toggleWrap() {
	p.unwrap, p.sideways = !p.unwrap, 0
	p.arrange()
	p.goTo(p.cur)
}

// tabOrder is the order of the texts when one is visible at a time.
var tabOrder = [...]side{result, theirs, mine, base}

func (p *Pane) nextTab() {
	for i, s := range tabOrder {
		if s == p.tab {
			p.tab = tabOrder[(i+1)%len(tabOrder)]
			break
		}
	}
	if p.tab == base && !p.m.there[base] {
		p.tab = result
	}
	p.arrange()
	p.goTo(p.cur)
}

func (p *Pane) noTabs() string {
	if !p.single() {
		return "they are all shown"
	}
	return ""
}

// The parts that the cursor moves to.
func isChange(p *part) bool   { return p.kind != diff.MergeKept }
func isConflict(p *part) bool { return p.kind == diff.MergeConflict }
func isOpen(p *part) bool     { return p.pick == open }

// next returns the first part after or before another for which of returns true, or -1.
func (p *Pane) next(from, dir int, of func(*part) bool) int {
	for i := from + dir; i >= 0 && i < len(p.m.parts); i += dir {
		if of(&p.m.parts[i]) {
			return i
		}
	}
	return -1
}

// jump moves to the next conflict or change; it wraps around at the ends.
func (p *Pane) jump(dir int, of func(*part) bool) {
	i := p.next(p.cur, dir, of)
	if i < 0 && dir > 0 {
		i = p.next(-1, 1, of)
	} else if i < 0 {
		i = p.next(len(p.m.parts), -1, of)
	}
	if i >= 0 {
		p.cur = i
		p.goTo(i)
	}
}

// goTo scrolls to a part, with some rows of context above it.
func (p *Pane) goTo(i int) {
	if i >= 0 {
		p.cur = i
		for _, b := range p.boards {
			b.at = place{i, 0}
			b.at = p.move(b, b.at, -min(context, b.rows()/4))
		}
	}
	for _, b := range p.boards {
		p.hold(b)
	}
	p.draw()
}

// click puts the cursor on a change, or shows the text of a tab.
func (p *Pane) click(x, y int) {
	for _, b := range p.boards {
		if y == b.y && p.single() {
			p.clickTab(x)
			return
		}
		found := -1
		p.eachRow(b, func(row int, at place, _ *block) {
			if b.y+1+row == y && isChange(&p.m.parts[at.part]) {
				found = at.part
			}
		})
		if found >= 0 {
			p.cur = found
			p.draw()
			return
		}
	}
}
