package talk

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/window"
)

// itemRow is a row of an item; item is -1 below the end of the transcript.
type itemRow struct{ item, row int }

// gap returns how many empty rows are above an item.
func (v *View) gap(i int) int {
	if i == 0 || dense(v.tr.items[i-1], v.tr.items[i]) {
		return 0
	}
	return 1
}

// rowsOf returns how many rows an item takes.
func (v *View) rowsOf(i int) int {
	return v.gap(i) + v.tr.items[i].layOut(v.w).all()
}

// arrange lays the blocks out, and puts the window where its top is or, while following, at the end.
func (v *View) arrange() {
	t, _, _ := v.layout()
	v.win.H = t.H
	v.at = window.Measure(v.at, len(v.tr.items), v.rowsOf)
	v.win.Top = min(v.at.First(v.top.item)+v.top.row, max(v.at.First(v.top.item+1)-1, 0))
	if v.follow {
		v.win.Top = v.at.Len()
	}
	v.move(0)
}

// move scrolls by n rows, and keeps the window full.
func (v *View) move(n int) {
	v.win.Scroll(n, v.at.Len())
	v.top.item = v.at.Item(v.win.Top)
	v.top.row = v.win.Top - v.at.First(v.top.item)
}

// atEnd reports whether the last row is in the window.
func (v *View) atEnd() bool { return v.win.Top+v.win.H >= v.at.Len() }

// keepCurrent makes a block in the window the current one if the current block is
// outside, or the last block while following.
func (v *View) keepCurrent() {
	n := len(v.tr.items)
	if n == 0 {
		v.cur = -1
		return
	}
	if v.follow {
		v.cur = n - 1
		return
	}
	first, last := -1, -1
	for _, r := range v.window {
		if r.item >= 0 && r.row >= 0 {
			if first < 0 {
				first = r.item
			}
			last = r.item
		}
	}
	if first < 0 {
		v.cur = 0
		return
	}
	v.cur = max(first, min(v.cur, last))
}

func (v *View) scroll(n int) {
	if len(v.tr.items) == 0 {
		return
	}
	v.follow = false
	v.arrange()
	v.move(n)
	if v.atEnd() {
		v.follow, v.unseen = true, 0
	} else if v.unseen > 0 && n > 0 {
		v.unseen = max(v.unseen-n, 1)
	}
}

// ToEnd moves to the end of the conversation and stays there.
func (v *View) ToEnd() {
	v.toEnd()
	v.draw()
}

func (v *View) toEnd() { v.follow, v.unseen = true, 0 }

// step moves to the next or the previous block.
func (v *View) step(d int) { v.goTo(v.along(d, func(int) bool { return true })) }

// along returns the block d steps from the current one among those that such accepts, or the
// last one on the way; -1 if there is none.
func (v *View) along(d int, such func(int) bool) int {
	by, at := 1, -1
	if d < 0 {
		by = -1
	}
	for i := v.cur + by; i >= 0 && i < len(v.tr.items) && d != 0; i += by {
		if such(i) {
			at = i
			d -= by
		}
	}
	return at
}

// jump moves to the next match during a search, otherwise to the next call.
func (v *View) jump(d int) tea.Cmd {
	v.goTo(v.along(d, func(i int) bool { return v.tr.items[i].kind == callItem }))
	return nil
}

// goTo makes a block the current one and scrolls to it.
func (v *View) goTo(i int) {
	if i < 0 || i >= len(v.tr.items) {
		return
	}
	v.follow = false
	v.cur = i
	v.reveal()
}

// reveal scrolls to the current block unless all of it is visible.
func (v *View) reveal() {
	if v.current() == nil {
		return
	}
	v.arrange()
	first, last := v.at.First(v.cur)+v.gap(v.cur), v.at.First(v.cur+1)-1
	if first < v.win.Top {
		v.follow = false
		first = max(first-1, 0) // with what is above it
	}
	v.win.Reveal(first, last, v.at.Len())
	v.move(0)
}

// revealRow scrolls a row of the current block to the middle of the window unless it is
// visible.
func (v *View) revealRow(row int) {
	v.arrange()
	if at := v.at.First(v.cur) + v.gap(v.cur) + row; !v.win.Holds(at) {
		v.win.Top = at
		v.move(-v.win.H / 2)
	}
}
