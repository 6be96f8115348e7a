package talk

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// find searches the blocks in memory. A pattern without upper case letters ignores case.
type find struct {
	typing bool
	input  draw.Input
	text   string
	exact  bool    // the pattern has upper case letters
	from   itemRow // where the search began
	at     itemRow // the current match; its row is relative to the block
	none   bool    // there is no match
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

func (v *View) beginFind() tea.Cmd {
	v.find.typing, v.find.from = true, itemRow{max(v.cur, 0), 0}
	for _, r := range slices.Backward(v.window) {
		if r.item >= 0 {
			v.find.from = r
			break
		}
	}
	v.find.input = draw.NewInput(v.find.text)
	return nil
}

func (v *View) endFind() tea.Cmd {
	v.find.typing = false
	v.find.set("")
	v.light()
	return nil
}

// light makes the pen highlight matches.
func (v *View) light() {
	v.pen.Find = nil
	if v.find.text != "" {
		v.pen.Find = func(dst []text.Span, s string) []text.Span { return v.find.hits(dst, s, v.env.Theme.Match.On, 0) }
	}
}

// rowsFound returns the rows of a block, unfolded, that contain a match. It lays the block out
// only if there is one.
func (v *View) rowsFound(it *item) (rows []int) {
	f := &v.find
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
	p := it.layOut(v.w)
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

// findFirst moves to the nearest match, searching backwards from where the search began, since
// users usually look for earlier text.
func (v *View) findFirst() {
	v.light()
	v.find.none = false
	if v.find.text != "" {
		v.findFrom(itemRow{v.find.from.item, v.find.from.row + 1}, -1)
	}
}

// findNext continues from the visible match, or else from the current block.
func (v *View) findNext(d int) {
	from := itemRow{v.cur, -1}
	if slices.Contains(v.window, v.find.at) {
		from = v.find.at
	}
	by := 1
	if d < 0 {
		by = -1
	}
	v.findFrom(from, by)
}

// findFrom moves to the next match above or below a place; it wraps around at the end.
func (v *View) findFrom(from itemRow, by int) {
	n := len(v.tr.items)
	if n == 0 {
		return
	}
	for k := range n + 1 {
		i := ((from.item+by*k)%n + n) % n
		rows := v.rowsFound(v.tr.items[i])
		if by < 0 {
			slices.Reverse(rows)
		}
		for _, row := range rows {
			if k == 0 && (row-from.row)*by <= 0 || k == n && (row-from.row)*by > 0 {
				continue
			}
			v.show(itemRow{i, row})
			return
		}
	}
	v.find.none = true
}

// show moves to a row of a block and unfolds the block if the row is hidden.
func (v *View) show(at itemRow) {
	it := v.tr.items[at.item]
	if it.folds() && at.row > 0 {
		it.fold = open
	}
	v.find.at, v.find.none = at, false
	v.goTo(at.item)
	v.revealRow(at.row)
}
