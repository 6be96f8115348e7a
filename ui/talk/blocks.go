package talk

import (
	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/window"
)

// blocks is a transcript in a window: which rows of which blocks are visible, which block is the
// current one, what is folded, and whether the window stays at the end while blocks come. It knows
// how high a block is, not how it looks. After a change, layOut says what is visible.
type blocks struct {
	*transcript
	w      int
	rows   window.Rows // of each block
	win    window.Window
	top    itemRow // where the window begins, also when blocks come and go
	follow bool
	unseen int       // rows that were added below the window
	cur    int       // the current block, -1 for none
	shown  []itemRow // the rows of the window
}

// itemRow is a row of an item, counted from below the gap above it; item is -1 below the end of the
// transcript.
type itemRow struct{ item, row int }

// How much of a conversation is in memory. Older blocks are read again when the user scrolls
// to them.
const (
	maxItems = 3000
	maxBytes = 16 << 20
)

func newBlocks() blocks { return blocks{transcript: newTranscript(), follow: true, cur: -1} }

// layOut lays the visible rows out for w columns and h rows.
func (b *blocks) layOut(w, h int) {
	if w != b.w { // the text is wrapped differently
		b.top.row = 0
	}
	b.w, b.win.H, b.shown = w, h, b.shown[:0]
	b.arrange()
	if b.atEnd() {
		b.unseen = 0
	}
	for y := b.win.Top; y < b.win.Top+h; y++ {
		r := itemRow{-1, 0}
		if y < b.rows.Len() {
			r.item = b.rows.Item(y)
			r.row = y - b.rows.First(r.item) - b.gap(r.item)
		}
		b.shown = append(b.shown, r)
	}
	b.keepCurrent()
}

// gap returns how many empty rows are above an item.
func (b *blocks) gap(i int) int {
	if i == 0 || dense(b.items[i-1], b.items[i]) {
		return 0
	}
	return 1
}

// height returns how many rows an item takes.
func (b *blocks) height(i int) int { return b.gap(i) + b.items[i].layOut(b.w).all() }

// arrange puts the window where its top is or, while following, at the end.
func (b *blocks) arrange() {
	b.rows = window.Measure(b.rows, len(b.items), b.height)
	b.win.Top = min(b.rows.First(b.top.item)+b.top.row, max(b.rows.First(b.top.item+1)-1, 0))
	if b.follow {
		b.win.Top = b.rows.Len()
	}
	b.move(0)
}

// move scrolls by n rows, and keeps the window full.
func (b *blocks) move(n int) {
	b.win.Scroll(n, b.rows.Len())
	b.top.item = b.rows.Item(b.win.Top)
	b.top.row = b.win.Top - b.rows.First(b.top.item)
}

// atEnd reports whether the last row is in the window.
func (b *blocks) atEnd() bool { return b.win.Top+b.win.H >= b.rows.Len() }

// keepCurrent makes a block in the window the current one if the current block is
// outside, or the last block while following.
func (b *blocks) keepCurrent() {
	n := len(b.items)
	if n == 0 || b.follow {
		b.cur = n - 1
		return
	}
	first, last := -1, -1
	for _, r := range b.shown {
		if r.item >= 0 && r.row >= 0 {
			if first < 0 {
				first = r.item
			}
			last = r.item
		}
	}
	b.cur = max(first, min(b.cur, last), 0)
}

// take adds events, and counts the rows that come below the window. It costs as much as there are
// events, however long the conversation is.
func (b *blocks) take(events []agent.Event) {
	n, tail := len(b.items), 0
	if n > 0 && !b.follow {
		tail = b.height(n - 1)
	}
	for _, ev := range events {
		b.transcript.take(ev)
	}
	if b.follow {
		return
	}
	came := -tail
	for i := max(n-1, 0); i < len(b.items); i++ {
		came += b.height(i)
	}
	b.unseen += max(came, 0)
}

// older prepends a page of older blocks.
func (b *blocks) older(o *transcript) {
	n := b.transcript.older(o)
	b.top.item += n
	b.cur += n
}

// dropFar drops blocks far above the window, and reports whether there were some.
func (b *blocks) dropFar() bool {
	n, drop := len(b.items), 0
	if n > maxItems+maxItems/4 {
		drop = n - maxItems
	}
	if bytes := b.bytes; bytes > maxBytes+maxBytes/4 {
		for i := 0; i < n-1 && (i < drop || bytes > maxBytes); i++ {
			bytes -= b.items[i].size()
			drop = max(drop, i+1)
		}
	}
	if !b.follow {
		drop = min(drop, b.top.item) // keep what is visible
	}
	if drop <= 0 {
		return false
	}
	b.forget(drop)
	b.top.item = max(b.top.item-drop, 0)
	b.cur = max(b.cur-drop, 0)
	return true
}

// scroll moves the window by n rows; it follows from the end on.
func (b *blocks) scroll(n int) {
	if len(b.items) == 0 {
		return
	}
	b.follow = false
	b.arrange()
	b.move(n)
	if b.atEnd() {
		b.toEnd()
	} else if b.unseen > 0 && n > 0 {
		b.unseen = max(b.unseen-n, 1)
	}
}

// moreBelow reports whether rows came below the window.
func (b *blocks) moreBelow() bool { return !b.follow && b.unseen > 0 }

// page returns how many rows a page has.
func (b *blocks) page() int { return max(b.win.H-1, 1) }

func (b *blocks) toEnd()   { b.follow, b.unseen = true, 0 }
func (b *blocks) toStart() { b.top, b.cur, b.follow = itemRow{}, 0, false }

// step moves d blocks on among those that such accepts, or as far as there are some.
func (b *blocks) step(d int, such func(*item) bool) {
	by, to := 1, -1
	if d < 0 {
		by = -1
	}
	for i := b.cur + by; i >= 0 && i < len(b.items) && d != 0; i += by {
		if such(b.items[i]) {
			to = i
			d -= by
		}
	}
	b.goTo(to)
}

// goTo makes a block the current one and scrolls to it, unless all of it is visible.
func (b *blocks) goTo(i int) {
	if i < 0 || i >= len(b.items) {
		return
	}
	b.follow = false
	b.cur = i
	b.reveal()
}

// reveal scrolls to the current block unless all of it is visible.
func (b *blocks) reveal() {
	if b.current() == nil {
		return
	}
	b.arrange()
	first, last := b.rows.First(b.cur)+b.gap(b.cur), b.rows.First(b.cur+1)-1
	if first < b.win.Top {
		b.follow = false
		first = max(first-1, 0) // with what is above it
	}
	b.win.Reveal(first, last, b.rows.Len())
	b.move(0)
}

// revealRow scrolls a row of the current block to the middle of the window unless it is
// visible.
func (b *blocks) revealRow(row int) {
	b.arrange()
	if at := b.rows.First(b.cur) + b.gap(b.cur) + row; !b.win.Holds(at) {
		b.win.Top = at
		b.move(-b.win.H / 2)
	}
}

// current returns the block that the keys act on, or nil.
func (b *blocks) current() *item {
	if b.cur < 0 || b.cur >= len(b.items) {
		return nil
	}
	return b.items[b.cur]
}

// call returns the call of the current block, or nil.
func (b *blocks) call() *call {
	if it := b.current(); it != nil {
		return it.call
	}
	return nil
}

// fold shows all of the current block, or less if it does that already.
func (b *blocks) fold() {
	it := b.current()
	if it == nil || !it.folds() {
		return
	}
	if it.fold == open {
		it.fold = brief
	} else {
		it.fold = open
	}
	b.reveal()
}

// unfoldAll shows the calls with what they changed; if it did that already, everything.
func (b *blocks) unfoldAll() {
	to := open
	for _, it := range b.items {
		if it.kind == callItem && it.fold == shut {
			to = brief
		}
	}
	b.foldAll(to)
}

func (b *blocks) foldAll(f fold) {
	for _, it := range b.items {
		if it.kind == callItem || f == open {
			it.fold = f
		} else if it.kind == thinkingItem || it.kind == compactItem {
			it.fold = brief
		}
	}
	b.top.row = 0
	b.reveal()
}
