package markdown

import (
	"sort"
	"strings"

	"github.com/memend/memend/ui/text"
)

// Pen holds the options for drawing rows, and buffers that rows share: one pen draws one
// row at a time.
type Pen struct {
	Styles *Styles
	Base   string // SGR prefix for the whole row
	Chosen int    // index in Links of the link that is drawn as selected; -1 for none
	// Find appends the hits in s, as styles to be drawn over it. It is called with the text
	// of a row and a little of the text before and after it.
	Find func(dst []text.Span, s string) []text.Span

	spans, found, chosen []text.Span
}

// NewPen returns a pen that draws only the text.
func NewPen(s *Styles) *Pen { return &Pen{Styles: s, Chosen: -1} }

// stretch is a part of a row that shows text.
type stretch struct {
	body     *body
	from, to int
	at, cols int // its columns in the row
	base     role
}

// stretches appends the parts of a row.
func (l *Layout) stretches(dst []stretch, n int) []stretch {
	k, _ := l.block(n)
	r := l.rows[n]
	in := l.indent(k)
	if k.kind == gap || k.kind == rule {
		return dst
	}
	base := k.base
	if k.kind == record && k.row == 0 {
		base = heading
	}
	if t := l.inColumns(k); t != nil {
		for i, w := range t.widths {
			if c := t.cells[k.row][i]; int(r.from) < len(c) {
				b := &k.table.rows[k.row][i]
				p := stretch{b, int(c[r.from].from), int(c[r.from].to), in, w, base}
				if a := k.table.aligns[i]; a != left {
					p.align(a)
				}
				dst = append(dst, p)
			}
			in += w + barWidth
		}
		return dst
	}
	return append(dst, stretch{l.shown(k), int(r.from), int(r.to), in, l.width - in, base})
}

// align moves the text of a cell as its column is aligned.
func (p *stretch) align(a align) {
	s := strings.TrimRight(p.body.text[p.from:p.to], " ")
	p.to = p.from + len(s)
	free := max(p.cols-text.Width(s), 0)
	if a == center {
		free /= 2
	}
	p.at += free
	p.cols -= free
}

// Append draws a row, exactly as wide as the layout. Rows beyond the end are blank.
func (l *Layout) Append(dst []byte, n int, p *Pen) []byte {
	if n < 0 || n >= len(l.rows) {
		return l.blank(dst, l.width, p)
	}
	k, i := l.block(n)
	r := l.rows[n]
	in := l.indent(k)
	dst = l.prefix(dst, k, in, n == int(l.first[i]), p)
	switch {
	case k.kind == gap:
		return l.blank(dst, l.width-in, p)
	case k.kind == rule:
		return l.line(dst, l.width-in, p)
	case l.inColumns(k) != nil:
		return l.grid(dst, n, k, r, p)
	}
	var buf [1]stretch
	for _, q := range l.stretches(buf[:0], n) {
		dst = p.text(dst, q)
	}
	return dst
}

func (l *Layout) blank(dst []byte, n int, p *Pen) []byte {
	dst, _ = text.Line{Width: n, Base: p.Base, Fill: true}.Append(dst, "")
	return dst
}

// line draws a line over the whole width.
func (l *Layout) line(dst []byte, n int, p *Pen) []byte {
	dst = append(dst, p.Base...)
	dst = append(dst, p.Styles.on[dim]...)
	for range n {
		dst = append(dst, p.Styles.lines.Across...)
	}
	return append(dst, text.Reset...)
}

func (l *Layout) prefix(dst []byte, k *block, in int, first bool, p *Pen) []byte {
	if in == 0 {
		return dst
	}
	x := k.rest
	if first {
		x = k.first
	}
	bars := &x.drawn
	if p.Styles.ascii {
		bars = &x.ascii
	}
	p.spans = p.Styles.spans(p.spans[:0], bars.spans, 0, len(bars.text))
	dst, _ = text.Line{Width: in, Skip: x.width - in, Base: p.Base, Fill: true}.Append(dst, bars.text, p.spans)
	return dst
}

// grid draws a row of cells between bars, or the line below the heads.
func (l *Layout) grid(dst []byte, n int, k *block, r row, p *Pen) []byte {
	var buf [maxColumns]stretch
	cells := l.stretches(buf[:0], n)
	t := l.tables[k.table]
	isRule := int(r.from) >= high(t.cells[k.row])
	at := l.indent(k)
	for i, w := range t.widths {
		if i > 0 {
			bar, lines := " "+p.Styles.lines.Down+" ", &p.Styles.lines
			if isRule {
				bar = lines.Across + lines.Cross + lines.Across
			}
			dst, _ = text.Line{Width: barWidth, Base: p.Base + p.Styles.on[dim]}.Append(dst, bar)
			at += barWidth
		}
		switch {
		case isRule:
			dst = l.line(dst, w, p)
		case len(cells) > 0 && cells[0].at >= at && cells[0].at <= at+w:
			dst = l.blank(dst, cells[0].at-at, p)
			dst = p.text(dst, cells[0])
			cells = cells[1:]
		default:
			dst = l.blank(dst, w, p)
		}
		at += w
	}
	return l.blank(dst, l.width-at, p)
}

// around is how much of the text before and after a row is searched with it, for hits that
// span rows.
const around = 128

// text draws a stretch, padded to its width.
func (p *Pen) text(dst []byte, q stretch) []byte {
	s := q.body.text
	p.spans = p.Styles.spans(p.spans[:0], q.body.spans, q.from, q.to)
	p.found = p.found[:0]
	if p.Find != nil {
		from, to := max(q.from-around, 0), min(q.to+around, len(s))
		p.found = p.Find(p.found, s[from:to])
		for i := range p.found {
			p.found[i].From += from
			p.found[i].To += from
		}
	}
	p.chosen = p.chosen[:0]
	if p.Chosen >= 0 {
		links := q.body.links
		for i := sort.Search(len(links), func(i int) bool { return int(links[i].to) > q.from }); i < len(links) && int(links[i].from) < q.to; i++ {
			if int(links[i].link) == p.Chosen {
				p.chosen = append(p.chosen, text.Span{From: int(links[i].from), To: int(links[i].to), On: p.Styles.chosen})
			}
		}
	}
	l := text.Line{Width: q.cols, Base: p.Base + p.Styles.on[q.base], Mark: p.Styles.hidden, Fill: true}
	dst, _ = l.AppendRange(dst, s, q.from, q.to, p.spans, p.chosen, p.found)
	return dst
}

// spans appends the styles of the spans in [from, to).
func (s *Styles) spans(dst []text.Span, spans []span, from, to int) []text.Span {
	for i := sort.Search(len(spans), func(i int) bool { return int(spans[i].to) > from }); i < len(spans) && int(spans[i].from) < to; i++ {
		dst = append(dst, text.Span{From: int(spans[i].from), To: int(spans[i].to), On: s.on[spans[i].role]})
	}
	return dst
}

// Spot is the position of a part of a link on the screen.
type Spot struct {
	Link     int // index in Links
	From, To int // columns
}

// Links appends the links in a row, from left to right.
func (l *Layout) Links(dst []Spot, n int) []Spot {
	if n < 0 || n >= len(l.rows) {
		return dst
	}
	var buf [maxColumns]stretch
	for _, q := range l.stretches(buf[:0], n) {
		links, s := q.body.links, q.body.text[q.from:q.to]
		for i := sort.Search(len(links), func(i int) bool { return int(links[i].to) > q.from }); i < len(links) && int(links[i].from) < q.to; i++ {
			from := text.Column(s, max(int(links[i].from)-q.from, 0), text.TabWidth)
			to := text.Column(s, min(int(links[i].to), q.to)-q.from, text.TabWidth)
			if to = min(to, q.cols); from < to {
				dst = append(dst, Spot{int(links[i].link), q.at + from, q.at + to})
			}
		}
	}
	return dst
}

// LinkAt returns the link in a column of a row, as an index of the document's Links.
func (l *Layout) LinkAt(n, col int) (link int, ok bool) {
	var buf [16]Spot
	for _, s := range l.Links(buf[:0], n) {
		if col >= s.From && col < s.To {
			return s.Link, true
		}
	}
	return 0, false
}
