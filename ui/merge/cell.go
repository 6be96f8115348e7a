package merge

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions/diff"
)

// digits returns the width of line numbers.
func (b *board) digits() int {
	n := b.m.starts[len(b.m.parts)]
	for _, l := range b.m.text {
		n = max(n, l.count())
	}
	return max(2, len(strconv.Itoa(n)))
}

// gutter returns the column where the text of a column begins.
func (b *board) gutter(c column) int {
	switch n := b.digits(); {
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

func (w *words) of(m *merged, part int, s side, line int) (bool, []diff.Span) {
	if !w.known || w.part != part || w.side != s || w.line != line {
		*w = words{part: part, line: line, side: s, known: true}
		w.changed, w.spans = m.parts[part].marks(s, line)
	}
	return w.changed, w.spans
}

// appendCell draws one row of a column in exactly its width.
func (b *board) appendCell(dst []byte, c column, part int, k cell, firstRow bool, w *words) []byte {
	if c.w <= 0 {
		return dst
	}
	x := &b.m.parts[part]
	in := b.gutter(c)
	if k.line < 0 {
		return b.appendNothing(dst, c, x, in, firstRow)
	}
	line, of := b.m.line(x, c.side, k.line)
	style := b.styleOf(x, c.side, of)
	var spans []diff.Span
	if style.marked {
		at := k.line
		if c.side == result && of == mine {
			at -= x.lines[theirs].len()
		}
		changed, marks := w.of(b.m, part, of, at)
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
			number = strconv.Itoa(b.numberOf(part, c.side) + k.line + 1)
		}
		dst = append(dst, b.th.LineNumber.On...)
		dst = text.Spaces(dst, in-3-len(number))
		dst = append(dst, number...)
		dst = append(dst, b.th.LineNumber.Off...)
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
	return b.appendText(dst, c.w-in, line, k, style, spans)
}

func (b *board) numberOf(part int, s side) int {
	if s == result {
		return b.m.starts[part]
	}
	return b.m.parts[part].lines[s].from
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
func (b *board) styleOf(x *region, s, of side) lineStyle {
	th := b.th
	switch {
	case x.kind == diff.MergeKept:
		return lineStyle{sign: " "}
	case s == result && x.pick == open:
		return lineStyle{sign: b.signs[of], mark: th.Warn, line: th.AddedLine, word: th.AddedWord, marked: true}
	case s == result:
		return lineStyle{sign: b.signs[of], mark: th.Good}
	case x.pick != open && !x.takes(s):
		return lineStyle{sign: "+", line: th.Dim, mark: th.Dim, marked: true}
	}
	return lineStyle{sign: "+", mark: th.Added, line: th.AddedLine, word: th.AddedWord, marked: true}
}

// signsOf returns the signs of the sides' lines in the result: the keys that take them, or a star for one that is wider.
func signsOf(m *keys.Map[*Pane]) (signs [result + 1]string) {
	for of, id := range [...]string{theirs: "conflict.now", mine: "conflict.before", base: "base", result: "change.edit"} {
		if signs[of] = m.Key(id); text.Width(signs[of]) != 1 {
			signs[of] = "*"
		}
	}
	return signs
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

func (b *board) appendText(dst []byte, w int, line string, k cell, style lineStyle, marks []diff.Span) []byte {
	if w <= 0 {
		return dst
	}
	s := b.m.bare(line)
	to := min(k.to, len(s))
	var spans []text.Span
	for _, m := range marks {
		if m.Start < to {
			spans = append(spans, text.Span{From: m.Start, To: min(m.End, to), On: style.word.On})
		}
	}
	l := text.Line{Width: w, Base: style.line.On, Mark: b.th.HiddenChar.On}
	if k.from == 0 && k.to == len(s) {
		l.Skip = b.sideways
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
func (b *board) appendNothing(dst []byte, c column, x *region, in int, firstRow bool) []byte {
	s, style := "", b.th.Dim
	if firstRow && x.kind != diff.MergeKept && b.m.count(x, c.side) == 0 {
		switch {
		case c.side == result && x.pick == open:
			s, style = "not decided", b.th.Warn
		case c.side == result && b.m.none():
			s = "no memory"
		case c.side != result && !b.m.there[c.side]:
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

// bare returns a line without its end.
func (m *merged) bare(line string) string {
	line, ended := strings.CutSuffix(line, "\n")
	if ended && m.hideCR {
		line = strings.TrimSuffix(line, "\r")
	}
	return line
}
