package diffview

import (
	"fmt"
	"strconv"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// draw redraws the frame. Every visible change ends here, so that View costs nothing and
// words are compared once per change, not once per frame.
func (v *View) draw() {
	v.move(0)
	if v.w <= 0 || v.win.H <= 0 {
		v.frame = ""
		return
	}
	p := pen{v: v, dst: make([]byte, 0, v.win.H*(v.w+96)), left: v.win.H}
	for y := v.rowAt(0); p.left > 0; y++ {
		p.row(y)
	}
	v.frame = string(p.dst)
}

// pen draws the rows of one frame.
type pen struct {
	v    *View
	dst  []byte
	left int // rows of the window that are not drawn
	lex  lexer
}

// next begins the next row of the window.
func (p *pen) next() {
	if p.left < p.v.win.H {
		p.dst = append(p.dst, '\n')
	}
	p.left--
}

// row draws a row of the diff, as far as there is room.
func (p *pen) row(y int) {
	v := p.v
	if y >= v.rows {
		p.next()
		p.dst = text.Spaces(p.dst, v.w)
		return
	}
	switch part := v.partAt(y); part.kind {
	case headPart:
		p.next()
		p.gutter(marking{now: v.OnHead()})
		p.whole(v.theme.Text, part.note, v.w-v.gutter())
		return
	case notePart:
		p.next()
		style := v.theme.Warn
		if v.doc.plain {
			style = v.theme.Text
		}
		p.dst = text.Spaces(p.dst, v.gutter())
		p.whole(style, part.note, v.w-v.gutter())
		return
	case foldPart:
		p.next()
		lines := "lines"
		if part.hidden == 1 {
			lines = "line"
		}
		p.whole(v.theme.Hunk, fmt.Sprintf("%*s⋯ %d %s", v.gutter()+v.indent(), "", part.hidden, lines), v.w)
		return
	}
	p.cells(y)
}

func (p *pen) whole(style theme.Style, s string, w int) {
	p.dst = append(p.dst, style.On...)
	p.dst = draw.PadMore(p.dst, s, w, style)
	p.dst = append(p.dst, style.Off...)
}

// cells draws a row of a hunk.
func (p *pen) cells(y int) {
	v := p.v
	cells, n := v.cellsAt(y)
	var drawn [2]drawing
	sub, rows := max(v.win.Top-v.at.First(y), 0), v.at.First(y+1)-v.at.First(y)
	at := v.rowIn(y)
	for i := range n {
		drawn[i] = p.drawing(&cells[i], at)
	}
	for ; sub < rows && p.left > 0; sub++ {
		p.next()
		p.gutter(at)
		for i := range n {
			if i > 0 {
				p.dst = v.theme.Border.Append(p.dst, v.theme.Lines.Down)
			}
			p.cell(&drawn[i], sub)
		}
	}
}

// gutterFrom is the width from which one column is used for marks of the hunk.
const gutterFrom = 16

func (v *View) gutter() int {
	if v.w < gutterFrom {
		return 0
	}
	return 1
}

// marking is the state of a row: in the current hunk, in the selection.
type marking struct{ now, selected bool }

func (v *View) rowIn(y int) marking {
	e, ok := v.current()
	if !ok {
		return marking{}
	}
	at := y - v.rowOf(e)
	if at < 0 || at >= v.rowsOf(e) {
		return marking{}
	}
	return marking{true, v.sel != nil && v.sel.holds(at)}
}

// gutter marks the rows of the current hunk and the selected ones.
func (p *pen) gutter(at marking) {
	v := p.v
	style := v.theme.Border
	if v.focused {
		style = v.theme.BorderFocused
	}
	switch {
	case v.gutter() == 0:
	case at.selected:
		p.dst = v.theme.Marked.Append(p.dst, "█")
	case at.now && (v.focused || !v.MarkFocused):
		p.dst = style.Append(p.dst, "▌")
	default:
		p.dst = append(p.dst, ' ')
	}
}

// digits returns the width of line numbers.
func (v *View) digits() int {
	return max(2, len(strconv.Itoa(max(v.doc.diff.OldLines(), v.doc.diff.NewLines()))))
}

// indent returns where the text of rows begins.
func (v *View) indent() int {
	n, w := v.digits(), v.w-v.gutter()
	switch {
	case v.Beside():
		if (w-1)/2 < n+16 {
			return 2
		}
		return n + 3
	case w >= 2*n+34:
		return 2*n + 4
	case w >= n+16:
		return n + 3
	}
	return 2
}

// continued replaces the number in the further rows of a line.
const continued = "↪"

// numbers draws the numbers of a line, as far as they fit.
func (p *pen) numbers(d *drawing, sub int) {
	n, in := p.v.digits(), p.v.indent()
	l := d.c.l
	number := l.New
	if d.c.left {
		number = l.Old
	}
	switch {
	case in <= 2:
	case sub > 0:
		p.dst = text.Spaces(p.dst, in-4)
		if !d.goesOn(sub) {
			p.dst = text.Spaces(p.dst, 2)
			return
		}
		p.dst = append(p.v.theme.LineNumber.Append(p.dst, continued), ' ')
	case in > n+3:
		p.number(l.Old, n)
		p.number(l.New, n)
	default:
		p.number(number, n)
	}
}

func (p *pen) number(n, width int) {
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	p.dst = append(p.dst, p.v.theme.LineNumber.On...)
	p.dst = text.Spaces(p.dst, width-len(s))
	p.dst = append(p.dst, s...)
	p.dst = append(p.dst, p.v.theme.LineNumber.Off...)
	p.dst = append(p.dst, ' ')
}

// drawing is a cell with its colours.
type drawing struct {
	c     *cell
	k     ink
	lang  []text.Span
	words []text.Span
}

func (p *pen) drawing(c *cell, at marking) drawing {
	if c.empty {
		return drawing{c: c}
	}
	d := drawing{c: c, k: p.v.inkOf(c, at)}
	if !d.k.plain {
		d.lang = p.lex.spans(p.v, c)
	}
	d.words = p.v.changed(c, d.k)
	return d
}

// goesOn reports whether a wrapped cell has a row sub.
func (d *drawing) goesOn(sub int) bool { return !d.c.empty && sub < len(d.c.rows()) }

// cell draws row sub of a cell in exactly its columns.
func (p *pen) cell(d *drawing, sub int) {
	c := d.c
	if c.empty {
		p.dst = text.Spaces(p.dst, c.width)
		return
	}
	p.numbers(d, sub)
	if sub > 0 && !d.goesOn(sub) { // the other side is longer
		p.dst = append(p.dst, d.k.line.On...)
		p.dst = text.Spaces(p.dst, c.width+2)
		p.dst = append(p.dst, d.k.line.Off...)
		return
	}
	p.sign(d, sub)
	if c.width <= 0 {
		return
	}
	if p.v.wrap {
		p.wrapped(d, sub)
	} else {
		p.line(d)
	}
}

// sign draws the sign and a blank, as far as there is room.
func (p *pen) sign(d *drawing, sub int) {
	k, cols := d.k, d.c.width+2
	if cols <= 0 {
		return
	}
	p.dst = append(p.dst, k.line.On...)
	p.dst = append(p.dst, k.mark.On...)
	p.dst = append(p.dst, k.sign...)
	switch {
	case cols < 2:
	case sub > 0 && p.v.indent() <= 2:
		p.dst = append(p.dst, p.v.theme.Text.Signs(continued)...)
	default:
		p.dst = append(p.dst, ' ')
	}
	if k.line.On == "" {
		p.dst = append(p.dst, k.mark.Off...)
	} else {
		p.dst = append(p.dst, k.line.Off...)
	}
}

// line draws the text of a cell in one row, and its note if there is room.
func (p *pen) line(d *drawing) {
	c, k := d.c, d.k
	width, skip, cut := c.width, c.skip, 0
	if skip > p.v.left && width > 1 { // the person did not scroll there
		p.dst = append(append(append(p.dst, k.line.On...), p.v.theme.Text.Cut()...), k.line.Off...)
		skip, cut = skip+1, 1
	}
	t := text.Line{Width: width - cut, Skip: skip, Base: k.line.On, Mark: p.v.theme.HiddenChar.On}
	dst, used := t.Append(p.dst, c.s, d.lang, d.words)
	used += cut
	dst = append(dst, k.line.On...)
	if c.note != "" && used+len(c.note) <= width {
		dst = append(dst, c.note...)
		used += len(c.note)
	}
	dst = text.Spaces(dst, width-used)
	p.dst = append(dst, k.line.Off...)
}

// wrapped draws one row of the text of a cell.
func (p *pen) wrapped(d *drawing, sub int) {
	c := d.c
	starts := c.rows()
	s := c.s + c.note
	t := text.Line{Width: c.width, Base: d.k.line.On, Mark: p.v.theme.HiddenChar.On, Fill: true}
	p.dst, _ = t.AppendRange(p.dst, s, starts[sub], text.End(s, starts, sub), d.lang, d.words)
}
