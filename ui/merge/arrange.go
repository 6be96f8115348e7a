package merge

import (
	"github.com/memend/memend/versions/diff"
)

const (
	wideFrom  = 100 // columns from which theirs, result and mine are side by side
	longFrom  = 60  // columns from which the title and the hints are whole sentences
	numbersAt = 26  // columns of a text from which lines have numbers
)

// arrange lays out the board.
func (p *Pane) arrange() {
	p.m.proposes = p.single() // theirs and mine are not visible next to it
	top := p.noteRows()
	of := []side{theirs, result, mine}
	if p.single() {
		of = []side{p.visibleTab()}
	}
	p.board.cols, p.board.y, p.board.win.H = columns(p.w, of), top, max(p.drawn()-top-1, 0)
	p.board.lay()
}

// visibleTab returns the text that is shown if there is room for only one. The editor of a hunk has the
// result: beside it, the other text is of use.
func (p *Pane) visibleTab() side {
	if p.hunk != nil && p.tab == result {
		return theirs
	}
	return p.tab
}

// single reports whether only one text is visible at a time.
func (p *Pane) single() bool { return p.w < wideFrom }

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

// page returns how many rows of the merge are visible.
func (p *Pane) page() int {
	return max(p.board.win.H, 1)
}

func (p *Pane) scroll(n int) {
	p.board.win.Scroll(n, p.board.at.Len())
	p.draw()
}

func (p *Pane) shift(n int) {
	p.board.shift(n)
	p.draw()
}

func (p *Pane) toggleWrap() {
	p.board.unwrap, p.board.sideways = !p.board.unwrap, 0
	p.arrange()
	p.goTo(p.cur)
}

// tabOrder is the order of the texts when one is visible at a time.
var tabOrder = [...]side{result, theirs, mine}

func (p *Pane) nextTab() {
	for i, s := range tabOrder {
		if s == p.tab {
			p.tab = tabOrder[(i+1)%len(tabOrder)]
			break
		}
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

// isChange, isConflict and isOpen select the parts that the cursor moves to.
func isChange(p *region) bool   { return p.kind != diff.MergeKept }
func isConflict(p *region) bool { return p.kind == diff.MergeConflict }
func isOpen(p *region) bool     { return p.pick == open }

// next returns the first part after or before another for which of returns true, or -1.
func (p *Pane) next(from, dir int, of func(*region) bool) int {
	for i := from + dir; i >= 0 && i < len(p.m.parts); i += dir {
		if of(&p.m.parts[i]) {
			return i
		}
	}
	return -1
}

// jump moves to the next conflict or change; it wraps around at the ends.
func (p *Pane) jump(dir int, of func(*region) bool) {
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
		p.board.win.Top = p.board.at.First(i) - min(context, p.board.win.H/4)
	}
	p.board.win.Scroll(0, p.board.at.Len())
	p.draw()
}

// click puts the cursor on a change, or shows the text of a tab.
func (p *Pane) click(x, y int) {
	b := &p.board
	if y == b.y && p.single() {
		p.clickTab(x)
		return
	}
	if row := y - b.y - 1; row >= 0 && row < b.visible() {
		if part, _ := b.rowAt(row); isChange(&p.m.parts[part]) {
			p.cur = part
		}
	}
	p.draw()
}
