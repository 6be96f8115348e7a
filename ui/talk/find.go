package talk

import (
	"slices"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// find searches the blocks in memory, and moves to what it finds. A pattern without upper case
// letters ignores case. Its places name the block itself, because blocks come and go.
type find struct {
	typing bool
	input  draw.Input
	text   string
	exact  bool  // the pattern has upper case letters
	from   place // where the search began
	at     place // the current match
	none   bool  // there is no match
}

// place is a row of a block.
type place struct {
	it  *item
	row int
}

func (f *find) set(s string) { f.text, f.exact = s, s != strings.ToLower(s) }

func (f *find) in(s string) bool { return len(f.hits(nil, s, "", 1)) > 0 }

// hits appends up to most matches in s; 0 means all.
func (f *find) hits(dst []text.Span, s, on string, most int) []text.Span {
	if f.text == "" {
		return dst
	}
	query := f.text
	if !f.exact {
		if lower := strings.ToLower(s); len(lower) == len(s) {
			s = lower
		}
	}
	for at := 0; ; {
		i := strings.Index(s[at:], query)
		if i < 0 || most > 0 && len(dst) == most {
			return dst
		}
		dst = append(dst, text.Span{From: at + i, To: at + i + len(query), On: on})
		at += i + len(query)
	}
}

// marks returns what marks the matches in a text, or nil if nothing is searched for.
func (f *find) marks(th *theme.Theme) func([]text.Span, string) []text.Span {
	if f.text == "" {
		return nil
	}
	return func(dst []text.Span, s string) []text.Span { return f.hits(dst, s, th.Match.On, 0) }
}

// begin begins to type a pattern. The search begins at the end of the window.
func (f *find) begin(b *blocks) {
	f.typing, f.from = true, place{b.current(), 0}
	for _, r := range slices.Backward(b.shown) {
		if r.item >= 0 {
			f.from = place{b.items[r.item], r.row}
			break
		}
	}
	f.input = draw.NewInput(f.text)
}

func (f *find) end() {
	f.typing = false
	f.set("")
}

// rowsIn returns the rows of a block, unfolded, that contain a match. It lays the block out for w
// columns only if there is one.
func (f *find) rowsIn(it *item, w int) (rows []int) {
	head := f.in(it.note) || it.call != nil && (f.in(it.call.path) || f.in(it.call.from) || f.in(it.call.command))
	if head {
		rows = append(rows, 0)
	}
	diff := it.call != nil && it.call.diff != nil && slices.ContainsFunc(it.call.diff.rows, func(r diffRow) bool { return f.in(r.text) })
	body := it.body != nil && slices.ContainsFunc(it.body.parts, func(p chunk) bool { return f.in(p.src) })
	if !diff && !body {
		return rows
	}
	was := it.fold
	if it.folds() {
		it.fold = open
	}
	p := it.layOut(w)
	it.fold = was
	if diff {
		for _, n := range it.call.diff.rowsFound(f) {
			rows = append(rows, p.head+n)
		}
	}
	if body {
		for _, n := range it.body.find(f) {
			rows = append(rows, p.head+p.diff+n)
		}
	}
	return rows
}

// first searches for a new pattern: the nearest match above where the search began, since users
// usually look for earlier text.
func (f *find) first(b *blocks, pattern string) {
	f.set(pattern)
	f.none = false
	if pattern != "" {
		f.search(b, itemRow{max(slices.Index(b.items, f.from.it), 0), f.from.row + 1}, -1)
	}
}

// next continues from the visible match, or else from the current block.
func (f *find) next(b *blocks, by int) {
	from := itemRow{b.cur, -1}
	for _, r := range b.shown {
		if r.item >= 0 && (place{b.items[r.item], r.row}) == f.at {
			from = r
		}
	}
	f.search(b, from, by)
}

// search moves to the next match above a row if by is negative, else below it; it wraps around at
// the end. It unfolds the block if the match is hidden.
func (f *find) search(b *blocks, from itemRow, by int) {
	n := len(b.items)
	if n == 0 {
		return
	}
	by = max(min(by, 1), -1)
	for k := range n + 1 {
		i := ((from.item+by*k)%n + n) % n
		it := b.items[i]
		rows := f.rowsIn(it, b.w)
		if by < 0 {
			slices.Reverse(rows)
		}
		for _, row := range rows {
			if k == 0 && (row-from.row)*by <= 0 || k == n && (row-from.row)*by > 0 {
				continue
			}
			if it.folds() && row > 0 {
				it.fold = open
			}
			f.at, f.none = place{it, row}, false
			b.goTo(i)
			b.revealRow(row)
			return
		}
	}
	f.none = true
}

// appendRow draws the field of the pattern in exactly w columns.
func (f *find) appendRow(dst []byte, w int, th *theme.Theme) []byte {
	p := draw.NewRow(dst, w)
	p.Put("find ", th.HintKey)
	none := " nothing found "
	room := w - p.Used - text.Width(none)
	if !f.none || room < 8 {
		p.Input(&f.input, p.Left(), th.Input)
		return p.End()
	}
	p.Input(&f.input, room, th.Input)
	p.Put(none, th.Warn)
	return p.End()
}
