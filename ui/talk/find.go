package talk

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
)

// find looks for a text in the blocks that are held. Letters in lower case mean
// either case.
type find struct {
	typing bool
	input  draw.Input
	text   string
	exact  bool // some of it is in upper case
	from   int  // the block where the search began
}

func (f *find) set(s string) { f.text, f.exact = s, s != strings.ToLower(s) }

func (f *find) in(s string) bool { return len(f.hits(nil, s, "", 1)) > 0 }

// hits appends where the text stands, up to a number of times; 0 is any.
func (f *find) hits(dst []text.Span, s, on string, most int) []text.Span {
	if f.text == "" {
		return dst
	}
	look := f.text
	if !f.exact {
		if lower := strings.ToLower(s); len(lower) == len(s) {
			s = lower
		}
	}
	for at := 0; ; {
		i := strings.Index(s[at:], look)
		if i < 0 || most > 0 && len(dst) == most {
			return dst
		}
		dst = append(dst, text.Span{From: at + i, To: at + i + len(look), On: on})
		at += i + len(look)
	}
}

func (v *View) beginFind() tea.Cmd {
	v.find.typing, v.find.from = true, max(v.cur, 0)
	v.find.input = draw.NewInput(v.find.text)
	return nil
}

func (v *View) endFind() tea.Cmd {
	v.find.typing = false
	v.find.set("")
	v.light()
	return nil
}

// light makes the pen mark what is looked for.
func (v *View) light() {
	v.pen.Find = nil
	if v.find.text != "" {
		v.pen.Find = func(dst []text.Span, s string) []text.Span { return v.find.hits(dst, s, v.theme.Match.On, 0) }
	}
}

// holds reports whether the text stands in a block.
func (v *View) holds(it *item) bool {
	if v.find.in(it.note) || it.call != nil && (v.find.in(it.call.path) || v.find.in(it.call.command)) {
		return true
	}
	if it.body == nil {
		return false
	}
	for i := range it.body.parts {
		if v.find.in(it.body.parts[i].src) {
			return true
		}
	}
	return false
}

// findFirst goes to the nearest block that holds the text, from where the search
// began backwards: one looks for what was said.
func (v *View) findFirst() {
	v.light()
	if v.find.text == "" {
		return
	}
	for n, i := 0, min(v.find.from, len(v.tr.items)-1); n < len(v.tr.items); n, i = n+1, i-1 {
		if i < 0 {
			i = len(v.tr.items) - 1
		}
		if v.holds(v.tr.items[i]) {
			v.show(i)
			return
		}
	}
}

func (v *View) findNext(d int) {
	by := 1
	if d < 0 {
		by = -1
	}
	n := len(v.tr.items)
	for k := 1; k <= n; k++ {
		i := ((v.cur+by*k)%n + n) % n
		if v.holds(v.tr.items[i]) {
			v.show(i)
			return
		}
	}
}

// show goes to a block and unfolds it, where what was found would not show.
func (v *View) show(i int) {
	if it := v.tr.items[i]; it.folds() {
		it.fold = open
	}
	v.goTo(i)
}
