package merge

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// digits returns the width of line numbers.
func (p *Pane) digits() int {
	n := p.m.starts[len(p.m.parts)]
	for _, l := range p.m.text {
		n = max(n, l.count())
	}
	return max(2, len(strconv.Itoa(n)))
}

// gutter returns the column where the text of a column begins.
func (p *Pane) gutter(c column) int {
	switch n := p.digits(); {
	case c.w >= numbersAt+n:
		return n + 3
	case c.w >= 4:
		return 2
	}
	return 0
}

// words caches the marked words of a line for its rows.
type words struct {
	part, line int
	side       side
	known      bool
	changed    bool
	spans      []diff.Span
}

func (w *words) of(p *Pane, part int, s side, line int) (bool, []diff.Span) {
	if !w.known || w.part != part || w.side != s || w.line != line {
		*w = words{part: part, line: line, side: s, known: true}
		w.changed, w.spans = p.m.parts[part].marks(s, line)
	}
	return w.changed, w.spans
}

// appendCell draws one row of a column in exactly its width.
func (p *Pane) appendCell(dst []byte, c column, part int, k cell, firstRow bool, w *words) []byte {
	if c.w <= 0 {
		return dst
	}
	x := &p.m.parts[part]
	in := p.gutter(c)
	if k.line < 0 {
		return p.appendNothing(dst, c, x, in, firstRow)
	}
	line, of := p.m.line(x, c.side, k.line)
	style := p.styleOf(x, c.side, of)
	var spans []diff.Span
	if style.marked {
		at := k.line
		if c.side == result && of == mine {
			at -= x.lines[theirs].len()
		}
		changed, marks := w.of(p, part, of, at)
		if spans = marks; !changed && c.side != result {
			style.sign, style.mark = " ", theme.Style{}
			if x.pick == open || x.takes(c.side) {
				style.line = theme.Style{}
			}
		}
	}
	if in > 2 {
		number := ""
		if k.from == 0 && (c.side != result || x.pick != open) {
			number = strconv.Itoa(p.numberOf(part, c.side) + k.line + 1)
		}
		dst = append(dst, p.env.Theme.LineNumber.On...)
		dst = text.Spaces(dst, in-3-len(number))
		dst = append(dst, number...)
		dst = append(dst, p.env.Theme.LineNumber.Off...)
		dst = append(dst, ' ')
	}
	if in > 0 {
		sign := style.sign
		if k.from > 0 {
			sign = " "
		}
		dst = append(dst, style.line.On...)
		dst = append(dst, style.mark.On...)
		dst = append(append(dst, sign...), ' ')
		dst = append(dst, style.line.Off...)
		dst = append(dst, style.mark.Off...)
	}
	return p.appendText(dst, c.w-in, line, k, style, spans)
}

func (p *Pane) numberOf(part int, s side) int {
	if s == result {
		return p.m.starts[part]
	}
	return p.m.parts[part].lines[s].from
}

// lineStyle is the style of a line.
type lineStyle struct {
	sign   string
	mark   theme.Style // of the sign
	line   theme.Style
	word   theme.Style
	marked bool // changed words are marked
}

// styleOf returns the style of the lines of a part in a column.
func (p *Pane) styleOf(x *region, s, of side) lineStyle {
	th := p.env.Theme
	switch {
	case x.kind == diff.MergeKept:
		return lineStyle{sign: " "}
	case s == result && x.pick == open:
		return lineStyle{sign: p.sideSign(of), mark: th.Warn, line: th.AddedLine, word: th.AddedWord, marked: true}
	case s == result:
		return lineStyle{sign: p.sideSign(of), mark: th.Good}
	case x.pick != open && !x.takes(s):
		return lineStyle{sign: "+", line: th.Dim, mark: th.Dim, marked: true}
	}
	return lineStyle{sign: "+", mark: th.Added, line: th.AddedLine, word: th.AddedWord, marked: true}
}

// sideSign returns the sign of a side's lines in the result: the key that takes them.
func (p *Pane) sideSign(of side) string {
	switch of {
	case theirs:
		return "n"
	case mine:
		return "b"
	case base:
		return "o"
	}
	return "e"
}

// takes reports whether the result contains a side.
func (x *region) takes(s side) bool {
	switch x.pick {
	case theirsFirst, mineFirst:
		return true
	case takeTheirs:
		return s == theirs || s == mine && x.kind == diff.MergeBoth
	case takeMine:
		return s == mine || s == theirs && x.kind == diff.MergeBoth
	}
	return false
}

func (p *Pane) appendText(dst []byte, w int, line string, k cell, style lineStyle, marks []diff.Span) []byte {
	if w <= 0 {
		return dst
	}
	s := p.visible(line)
	to := min(k.to, len(s))
	var spans []text.Span
	for _, m := range marks {
		if m.Start < to {
			spans = append(spans, text.Span{From: m.Start, To: min(m.End, to), On: style.word.On})
		}
	}
	l := text.Line{Width: w, Base: style.line.On, Mark: p.env.Theme.HiddenChar.On}
	if k.from == 0 && k.to == len(s) {
		l.Skip = p.sideways
	}
	dst, used := l.AppendRange(dst, s, min(k.from, to), to, spans)
	dst = append(dst, style.line.On...)
	if to == len(s) && strings.IndexByte(line, '\n') < 0 && style.sign != " " && used+len(noNewline) <= w {
		dst = append(dst, noNewline...)
		used += len(noNewline)
	}
	dst = text.Spaces(dst, w-used)
	return append(dst, style.line.Off...)
}

// noNewline marks a line without a line end, if that is part of a change.
const noNewline = " (no newline at the end)"

// appendNothing draws a row without a line. The first row of a change without lines says why
// it has none.
func (p *Pane) appendNothing(dst []byte, c column, x *region, in int, firstRow bool) []byte {
	s, style := "", p.env.Theme.Dim
	if firstRow && x.kind != diff.MergeKept && p.m.count(x, c.side) == 0 {
		switch {
		case c.side == result && x.pick == open:
			s, style = "not decided", p.env.Theme.Warn
		case c.side == result && p.m.none():
			s = "no memory"
		case c.side != result && !p.m.there[c.side]:
			s = "no memory"
		default:
			s = "nothing"
		}
		s = "(" + s + ")"
	}
	pen := draw.NewRow(dst, c.w)
	pen.Space(in)
	pen.Put(s, style)
	return pen.End()
}

// visible returns a line without its end.
func (p *Pane) visible(line string) string {
	line, ended := strings.CutSuffix(line, "\n")
	if ended && p.m.hideCR {
		line = strings.TrimSuffix(line, "\r")
	}
	return line
}
