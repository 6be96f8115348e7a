package talk

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// noteRows returns a note in rows of w columns: what happened, and what the user can do.
func (it *item) noteRows(w int) []string {
	out := it.eventRows(w)
	if it.hint != "" {
		out = append(out, text.Rows(text.Field(it.hint), w, 20)...)
	}
	return out
}

// eventRows returns the rows that describe what happened. For a retry, the first row leaves
// room for the time of the retry, or is empty if there is too little room.
func (it *item) eventRows(w int) []string {
	note := text.Field(it.note)
	room := 0
	switch {
	case it.tries > 1:
		room = text.Width("tried again 99 times ·")
	case it.tries > 0:
		room = text.Width("again in 10 s ·")
	}
	switch {
	case room == 0:
		return text.Rows(note, w, 20)
	case w < 2*room:
		return append([]string{""}, text.Rows(note, w, 20)...)
	}
	out := text.Rows(strings.Repeat("_", room)+" "+note, w, 20)
	out[0] = strings.TrimSpace(out[0][room:])
	return out
}

// when returns when a retry starts, or how often it was made.
func (v *View) when(it *item) string {
	switch {
	case !it.retried:
		return "again in " + strconv.FormatInt(left(v.clock(), it.retry), 10) + " s · "
	case it.tries > 1:
		return "tried again " + strconv.Itoa(it.tries) + " times · "
	}
	return "tried again · "
}

// visibilityOf returns how much of a block the model sees.
func (v *View) visibilityOf(i int) visibility {
	it := v.tr.items[i]
	switch it.kind {
	case noteItem, compactItem:
		return visible
	case callItem:
		if v.cleared[it.call.id] {
			return cleared
		}
	case thinkingItem:
		if v.clearedThinking[it.turn] {
			return cleared
		}
	}
	if i < v.tr.summed {
		return summary
	}
	return visible
}

// appendRow draws row n of an item in exactly v.w columns. The gap above an item is not one of
// its rows.
func (v *View) appendRow(dst []byte, i, n int) []byte {
	it := v.tr.items[i]
	p := it.layOut(v.w)
	in := indent(v.w)
	w := v.w - in
	dst = v.appendMargin(dst, i, n == 0, min(in, v.w))
	if w <= 0 {
		return dst
	}
	switch {
	case it.kind == noteItem:
		return v.appendNote(dst, it, n, w)
	case n < p.head:
		return v.appendHead(dst, i, w)
	case n < p.head+p.diff:
		diff, n, margin := it.call.diff, n-p.head, draw.NewRow(dst, min(in, w))
		if diff.goesOn(n, it.fold) {
			margin.Space(in - 2)
			margin.Put("↪", v.env.Theme.LineNumber)
		}
		return diff.append(margin.End(), n, max(w-in, 0), it.fold, v.env.Theme, v.pen.Find)
	}
	n -= p.head + p.diff
	v.pen.Base = v.baseOf(i).On
	if it.kind == promptItem || it.kind == textItem {
		return it.body.append(dst, n, v.pen, v.env.Theme.HiddenChar.On)
	}
	margin := draw.NewRow(dst, min(in, w))
	margin.Put("│ ", v.env.Theme.Border)
	dst = margin.End()
	if w <= in {
		return dst
	}
	return it.body.append(dst, n, v.pen, v.env.Theme.HiddenChar.On)
}

func (v *View) ascii() bool { return v.env.Theme.Lines == theme.ASCII }

// baseOf returns the style of a block's text.
func (v *View) baseOf(i int) theme.Style {
	it := v.tr.items[i]
	switch {
	case v.visibilityOf(i) != visible:
		return v.env.Theme.Dim
	case it.kind == promptItem:
		return v.env.Theme.Input
	case it.kind == thinkingItem:
		return v.env.Theme.Quote
	}
	return v.env.Theme.Text
}

// appendMargin draws the cells before a row: the mark of the current block and, at the first
// row, the sign of its kind.
func (v *View) appendMargin(dst []byte, i int, first bool, cols int) []byte {
	it := v.tr.items[i]
	p := draw.NewRow(dst, cols)
	mark, st := " ", theme.Style{}
	if i == v.cur && !v.typing {
		mark, st = "▌", v.env.Theme.Border
		if v.focused {
			st = v.env.Theme.BorderFocused
		}
	}
	p.Put(mark, st)
	if first {
		sign, st := v.signOf(i, it)
		if sign != "" {
			p.Put(sign, st)
		}
	}
	return p.End()
}

// signOf returns the sign of a block's kind, one column wide.
func (v *View) signOf(i int, it *item) (string, theme.Style) {
	th := v.env.Theme
	switch it.kind {
	case promptItem:
		return ">", th.HintKey
	case thinkingItem:
		if it.open {
			return v.spinner(), th.Progress
		}
		return "*", th.Dim
	case callItem:
		switch {
		case !it.call.done && (it.open || it.call.running):
			return v.spinner(), th.Progress
		case !it.call.done:
			return "·", th.Dim
		case it.call.held > 0:
			return "?", th.Warn
		case it.call.failed:
			return "x", th.Error
		case it.call.change > 0:
			return "±", th.Changed
		}
		return "r", th.Dim
	case compactItem:
		if it.open {
			return v.spinner(), th.Progress
		}
		return "=", th.Warn
	case noteItem:
		switch it.tone {
		case problem:
			return "!", th.Error
		case important:
			return "!", th.Warn
		case edited:
			return "−", th.Removed
		}
		return "·", th.Dim
	}
	return "", theme.Style{}
}

func (v *View) appendNote(dst []byte, it *item, n, w int) []byte {
	rows := it.noteRows(w)
	p := draw.NewRow(dst, w)
	st := v.env.Theme.Dim
	if it.tone == problem && n < len(it.eventRows(w)) {
		st = v.env.Theme.Error
	} else if it.tone == important || it.tone == edited {
		st = v.env.Theme.Text
	}
	if n == 0 && !it.retry.IsZero() {
		when := v.when(it)
		if rows[0] == "" {
			when = strings.TrimSuffix(when, " · ")
		}
		p.Put(when, v.env.Theme.Warn)
	}
	if n < len(rows) {
		p.Put(rows[n], st)
	}
	return p.End()
}

// appendHead draws the row of a thinking, call or compaction block that is visible even if it
// is folded.
func (v *View) appendHead(dst []byte, i, w int) []byte {
	it := v.tr.items[i]
	p := draw.NewRow(dst, w)
	tail := v.tail(i)
	room := w
	if n := text.Width(tail); tail != "" && n+12 <= w {
		room = w - n - 1
	} else {
		tail = ""
	}
	p.W = room
	switch it.kind {
	case thinkingItem:
		v.putThinking(&p, it, v.baseOf(i))
	case callItem:
		v.putCall(&p, it, v.visibilityOf(i) != visible)
	default:
		v.putCompact(&p, it)
	}
	p.W = w
	p.Space(room - p.Used)
	if tail != "" {
		p.Space(1)
		p.Put(tail, v.env.Theme.Dim)
	}
	return p.End()
}

// tail returns the text at the right end of a head if the model does not see the block.
func (v *View) tail(i int) string {
	switch v.visibilityOf(i) {
	case cleared:
		s := "no longer visible to the model"
		if v.w < 70 {
			s = "not seen"
		}
		if !v.state.Simulated {
			s = "≈ " + s
		}
		return s
	case summary:
		if v.w < 70 {
			return "summed up"
		}
		return "no longer visible to the model: summed up"
	}
	return ""
}

func (v *View) putThinking(p *draw.Row, it *item, st theme.Style) {
	switch n := it.body.bytes; {
	case it.open && n == 0:
		p.Put("thinking…", st)
		return
	case it.open:
		p.Put("thinking… ", st)
		p.Path(lastLine(it.body), p.Left(), v.env.Theme.Dim)
		return
	case n == 0:
		p.Put("thought (not shown by the API)", v.env.Theme.Dim)
		return
	}
	p.Put("thought · ", st)
	if it.fold == open {
		p.Put(draw.Plural(len(strings.Fields(it.body.text())), "word", "words"), v.env.Theme.Dim)
		return
	}
	p.Put(firstLine(it.body), v.env.Theme.Dim)
}

// firstLine and lastLine return a line of a text for its folded row.
func firstLine(f *flow) string {
	if len(f.parts) == 0 {
		return ""
	}
	s, _, _ := strings.Cut(strings.TrimSpace(f.parts[0].src), "\n")
	return s
}

func lastLine(f *flow) string {
	if len(f.parts) == 0 {
		return ""
	}
	s := f.parts[len(f.parts)-1].src
	if f.open {
		s = whole(s)
	}
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func (v *View) putCall(p *draw.Row, it *item, dim bool) {
	c := it.call
	name, path := v.env.Theme.Strong, v.env.Theme.Text
	if dim {
		name, path = v.env.Theme.Dim, v.env.Theme.Dim
	}
	what := c.command
	if what == "" {
		what = c.tool
	}
	p.Put(what, name)
	if it.open && c.path == "" && len(c.input) > 0 { // a long input is being streamed
		p.Put(" "+draw.Bytes(int64(len(c.input)))+"…", v.env.Theme.Dim)
		return
	}
	counts, failure := "", ""
	if c.failed && it.fold != open && it.body != nil {
		failure = firstLine(it.body)
	}
	wrong := v.env.Theme.Error
	held := ""
	if c.held > 0 { // its number is what the review queue lists it under
		number := strconv.FormatInt(c.held, 10)
		if held = heldAs + number; p.Used+text.Width(c.path)+text.Width(held)+2 > p.W {
			held = "held: #" + number
		}
		failure, wrong = held, v.env.Theme.Warn
	}
	if plus, minus := c.lines(); plus+minus > 0 {
		counts = " " + plusMinus(plus, minus)
	}
	room := p.W - p.Used - 1 - text.Width(counts)
	switch {
	case held != "":
		room -= 1 + text.Width(held)
	case failure != "":
		room = max(room/2, min(text.Width(c.path), room))
		room = min(room, p.Left()-1)
	}
	p.Space(1)
	if c.from != "" {
		p.Path(c.from, max(room/2-3, 8), path)
		p.Put(" → ", v.env.Theme.Dim)
		room -= text.Width(c.from) + 3
	}
	p.Path(c.path, max(room, 4), path)
	if plus, minus := c.lines(); plus+minus > 0 {
		p.Space(1)
		if plus > 0 {
			p.Put("+"+strconv.Itoa(plus), v.env.Theme.Added)
		}
		if plus > 0 && minus > 0 {
			p.Space(1)
		}
		if minus > 0 {
			p.Put("−"+strconv.Itoa(minus), v.env.Theme.Removed)
		}
	}
	if failure != "" {
		p.Space(1)
		p.Put(failure, wrong)
	} else if c.done && !c.failed && c.change == 0 && it.fold != open && it.body != nil && it.body.bytes > 0 {
		p.Space(1)
		p.Put(draw.Bytes(int64(it.body.bytes)), v.env.Theme.Dim)
	}
}

func (c *call) lines() (plus, minus int) {
	if c.diff != nil {
		return c.diff.added, c.diff.removed
	}
	return c.plus, c.minus
}

func plusMinus(plus, minus int) string {
	s := ""
	if plus > 0 {
		s = "+" + strconv.Itoa(plus)
	}
	if plus > 0 && minus > 0 {
		s += " "
	}
	if minus > 0 {
		s += "−" + strconv.Itoa(minus)
	}
	return s
}

func (v *View) putCompact(p *draw.Row, it *item) {
	switch {
	case it.open:
		p.Put("compacting… "+sizes(it.sum), v.env.Theme.Warn)
		return
	case it.note != "":
		p.Put("no summary, nothing was compacted: "+it.note, v.env.Theme.Error)
		return
	}
	s := "compacted " + sizes(it.sum)
	if it.sum.Messages > 0 {
		s += " · " + draw.Plural(it.sum.Messages, "message", "messages")
	}
	p.Put(s, v.env.Theme.Warn)
	if it.fold != open && it.body != nil && it.body.bytes > 0 {
		p.Put(" · "+v.keys.Hint("fold")+" shows the summary", v.env.Theme.Dim)
	}
}

var spinning = []string{"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"}

// spinner returns the spinner of a running operation.
func (v *View) spinner() string {
	if v.ascii() {
		return `|/-\`[v.tick%4 : v.tick%4+1]
	}
	return spinning[v.tick%len(spinning)]
}
