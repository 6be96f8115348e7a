package talk

import tea "charm.land/bubbletea/v2"

// place is a row of the transcript: a row of an item, including the gap above it.
type place struct{ item, row int }

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

// lowest returns the first row of a window of h rows that ends with the last row.
func (v *View) lowest(h int) place {
	for i := len(v.tr.items) - 1; i >= 0; i-- {
		n := v.rowsOf(i)
		if n >= h {
			return place{i, n - h}
		}
		h -= n
	}
	return place{}
}

func (p place) before(o place) bool { return p.item < o.item || p.item == o.item && p.row < o.row }

// moved returns the place n rows below or above p, within the transcript.
func (v *View) moved(p place, n int) place {
	if len(v.tr.items) == 0 {
		return place{}
	}
	p.item = min(p.item, len(v.tr.items)-1)
	p.row += n
	for p.row < 0 && p.item > 0 {
		p.item--
		p.row += v.rowsOf(p.item)
	}
	p.row = max(p.row, 0)
	for {
		rows := v.rowsOf(p.item)
		if p.row < rows {
			return p
		}
		if p.item == len(v.tr.items)-1 {
			p.row = max(rows-1, 0)
			return p
		}
		p.item++
		p.row -= rows
	}
}

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
	t, _, _ := v.layout()
	low := v.lowest(max(t.H, 1))
	v.top = v.moved(v.top, n)
	v.follow = false
	if !v.top.before(low) {
		v.top, v.follow, v.unseen = low, true, 0
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
	t, _, _ := v.layout()
	at := place{v.cur, v.gap(v.cur)}
	if at.before(v.top) {
		v.top, v.follow = v.moved(at, -1), false
		return
	}
	end := v.moved(at, v.tr.items[v.cur].layOut(v.w).all()-1)
	low := v.moved(end, -(t.H - 1))
	if v.top.before(low) {
		v.top = low
		if at.before(v.top) {
			v.top = at
		}
	}
}

// revealRow scrolls a row of the current block to the middle of the window unless it is
// visible.
func (v *View) revealRow(row int) {
	t, _, _ := v.layout()
	at := place{v.cur, v.gap(v.cur) + row}
	if !at.before(v.top) && at.before(v.moved(v.top, t.H)) {
		return
	}
	v.top = v.moved(at, -t.H/2)
}
