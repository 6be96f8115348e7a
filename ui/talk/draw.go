package talk

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/markdown"
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

// painter draws blocks. It knows how they look, not where they are in the conversation.
type painter struct {
	pulse
	th    *theme.Theme
	text  *markdown.Pen
	fold  string // the key that shows a summary
	w     int    // columns of a row
	exact bool   // what the model no longer sees is known, not estimated
}

func newPainter(th *theme.Theme, fold string) painter {
	return painter{th: th, text: markdown.NewPen(markdown.NewStyles(th)), fold: fold}
}

// look is what the rows of a block show about its place in the conversation.
type look struct {
	seen visibility
	mark *theme.Style // of the current block; nil for none
}

// when returns when a retry starts, or how often it was made.
func (d *painter) when(it *item) string {
	switch {
	case !it.retried:
		return "again in " + strconv.FormatInt(left(d.now, it.retry), 10) + " s · "
	case it.tries > 1:
		return "tried again " + strconv.Itoa(it.tries) + " times · "
	}
	return "tried again · "
}

// appendRow draws row n of an item. The gap above an item is not one of its rows.
func (d *painter) appendRow(dst []byte, it *item, n int, l look) []byte {
	p := it.layOut(d.w)
	in := indent(d.w)
	w := d.w - in
	dst = d.appendMargin(dst, it, n == 0, min(in, d.w), l.mark)
	if w <= 0 {
		return dst
	}
	switch {
	case it.kind == noteItem:
		return d.appendNote(dst, it, n, w)
	case n < p.head:
		return d.appendHead(dst, it, w, l.seen)
	case n < p.head+p.diff:
		diff, n, margin := it.call.diff, n-p.head, draw.NewRow(dst, min(in, w))
		if diff.goesOn(n, it.fold) {
			margin.Space(in - 2)
			margin.Put("↪", d.th.LineNumber)
		}
		return diff.append(margin.End(), n, max(w-in, 0), it.fold, d.th, d.text.Find)
	}
	n -= p.head + p.diff
	d.text.Base = d.baseOf(it, l.seen).On
	if it.kind == promptItem || it.kind == textItem {
		return it.body.append(dst, n, d.text, d.th.HiddenChar.On)
	}
	margin := draw.NewRow(dst, min(in, w))
	margin.Put("│ ", d.th.Border)
	dst = margin.End()
	if w <= in {
		return dst
	}
	return it.body.append(dst, n, d.text, d.th.HiddenChar.On)
}

// baseOf returns the style of a block's text.
func (d *painter) baseOf(it *item, seen visibility) theme.Style {
	switch {
	case seen != visible:
		return d.th.Dim
	case it.kind == promptItem:
		return d.th.Input
	case it.kind == thinkingItem:
		return d.th.Quote
	}
	return d.th.Text
}

// appendMargin draws the cells before a row: the mark of the current block and, at the first
// row, the sign of its kind.
func (d *painter) appendMargin(dst []byte, it *item, first bool, cols int, mark *theme.Style) []byte {
	p := draw.NewRow(dst, cols)
	if mark != nil {
		p.Put("▌", *mark)
	} else {
		p.Space(1)
	}
	if first {
		p.Put(d.signOf(it))
	}
	return p.End()
}

// signOf returns the sign of a block's kind, one column wide.
func (d *painter) signOf(it *item) (string, theme.Style) {
	th := d.th
	switch it.kind {
	case promptItem:
		return ">", th.HintKey
	case thinkingItem:
		if it.open {
			return d.spinner(d.th), th.Progress
		}
		return "*", th.Dim
	case callItem:
		switch {
		case !it.call.done && (it.open || it.call.running):
			return d.spinner(d.th), th.Progress
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
			return d.spinner(d.th), th.Progress
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

func (d *painter) appendNote(dst []byte, it *item, n, w int) []byte {
	rows := it.noteRows(w)
	p := draw.NewRow(dst, w)
	st := d.th.Dim
	if it.tone == problem && n < len(it.eventRows(w)) {
		st = d.th.Error
	} else if it.tone == important || it.tone == edited {
		st = d.th.Text
	}
	if n == 0 && !it.retry.IsZero() {
		when := d.when(it)
		if rows[0] == "" {
			when = strings.TrimSuffix(when, " · ")
		}
		p.Put(when, d.th.Warn)
	}
	if n < len(rows) {
		p.Put(rows[n], st)
	}
	return p.End()
}

// appendHead draws the row of a thinking, call or compaction block that is visible even if it
// is folded.
func (d *painter) appendHead(dst []byte, it *item, w int, seen visibility) []byte {
	p := draw.NewRow(dst, w)
	tail := d.tail(seen)
	room := w
	if n := text.Width(tail); tail != "" && n+12 <= w {
		room = w - n - 1
	} else {
		tail = ""
	}
	p.W = room
	switch it.kind {
	case thinkingItem:
		d.putThinking(&p, it, d.baseOf(it, seen))
	case callItem:
		d.putCall(&p, it, seen != visible)
	default:
		d.putCompact(&p, it)
	}
	p.W = w
	p.Space(room - p.Used)
	if tail != "" {
		p.Space(1)
		p.Put(tail, d.th.Dim)
	}
	return p.End()
}

// tail returns the text at the right end of a head if the model does not see the block.
func (d *painter) tail(seen visibility) string {
	switch seen {
	case cleared:
		s := "no longer visible to the model"
		if d.w < 70 {
			s = "not seen"
		}
		if !d.exact {
			s = "≈ " + s
		}
		return s
	case summary:
		if d.w < 70 {
			return "summed up"
		}
		return "no longer visible to the model: summed up"
	}
	return ""
}

func (d *painter) putThinking(p *draw.Row, it *item, st theme.Style) {
	switch n := it.body.bytes; {
	case it.open && n == 0:
		p.Put("thinking…", st)
		return
	case it.open:
		p.Put("thinking… ", st)
		p.Path(lastLine(it.body), p.Left(), d.th.Dim)
		return
	case n == 0:
		p.Put("thought (not shown by the API)", d.th.Dim)
		return
	}
	p.Put("thought · ", st)
	if it.fold == open {
		p.Put(draw.Plural(len(strings.Fields(it.body.text())), "word", "words"), d.th.Dim)
		return
	}
	p.Put(firstLine(it.body), d.th.Dim)
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

func (d *painter) putCall(p *draw.Row, it *item, dim bool) {
	c := it.call
	name, path := d.th.Strong, d.th.Text
	if dim {
		name, path = d.th.Dim, d.th.Dim
	}
	what := c.command
	if what == "" {
		what = c.tool
	}
	p.Put(what, name)
	if it.open && c.path == "" && len(c.input) > 0 { // a long input is being streamed
		p.Put(" "+draw.Bytes(int64(len(c.input)))+"…", d.th.Dim)
		return
	}
	failure, wrong := d.failure(it, p.Left())
	counts := c.counts()
	room := p.W - p.Used - 1 - text.Width(strings.Join(append([]string{""}, counts...), " "))
	switch {
	case c.held > 0:
		room -= 1 + text.Width(failure)
	case failure != "":
		room = max(room/2, min(text.Width(c.path), room))
		room = min(room, p.Left()-1)
	}
	p.Space(1)
	if c.from != "" {
		p.Path(c.from, max(room/2-3, 8), path)
		p.Put(" → ", d.th.Dim)
		room -= text.Width(c.from) + 3
	}
	p.Path(c.path, max(room, 4), path)
	for _, n := range counts {
		p.Space(1)
		if strings.HasPrefix(n, "+") {
			p.Put(n, d.th.Added)
		} else {
			p.Put(n, d.th.Removed)
		}
	}
	if failure != "" {
		p.Space(1)
		p.Put(failure, wrong)
	} else if c.done && !c.failed && c.change == 0 && it.fold != open && it.body != nil && it.body.bytes > 0 {
		p.Space(1)
		p.Put(draw.Bytes(int64(it.body.bytes)), d.th.Dim)
	}
}

// failure returns why a call failed, unless its result shows that, or that it is held for review: its
// number is what the review queue lists it under.
func (d *painter) failure(it *item, room int) (string, theme.Style) {
	c := it.call
	if c.held > 0 {
		number := strconv.FormatInt(c.held, 10)
		if s := heldAs + number; text.Width(c.path)+text.Width(s)+2 <= room {
			return s, d.th.Warn
		}
		return "held: #" + number, d.th.Warn
	}
	if c.failed && it.fold != open && it.body != nil {
		return firstLine(it.body), d.th.Error
	}
	return "", d.th.Error
}

// counts returns how many lines a call added and removed, as far as known.
func (c *call) counts() (out []string) {
	plus, minus := c.plus, c.minus
	if c.diff != nil {
		plus, minus = c.diff.added, c.diff.removed
	}
	if plus > 0 {
		out = append(out, "+"+strconv.Itoa(plus))
	}
	if minus > 0 {
		out = append(out, "−"+strconv.Itoa(minus))
	}
	return out
}

func (d *painter) putCompact(p *draw.Row, it *item) {
	switch {
	case it.open:
		p.Put("compacting… "+sizes(it.sum), d.th.Warn)
		return
	case it.note != "":
		p.Put("no summary, nothing was compacted: "+it.note, d.th.Error)
		return
	}
	s := "compacted " + sizes(it.sum)
	if it.sum.Messages > 0 {
		s += " · " + draw.Plural(it.sum.Messages, "message", "messages")
	}
	p.Put(s, d.th.Warn)
	if it.fold != open && it.body != nil && it.body.bytes > 0 {
		p.Put(" · "+d.fold+" shows the summary", d.th.Dim)
	}
}
