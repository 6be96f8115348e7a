package diffview

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/text"
	"github.com/memtrail/memtrail/versions"
)

// draw makes the frame anew. Everything that changes what is seen ends here, so
// that View costs nothing and words are compared once a scroll, not once a frame.
func (v *View) draw() {
	v.top = max(0, min(v.top, v.rows-v.h))
	if v.w <= 0 || v.h <= 0 {
		v.frame = ""
		return
	}
	dst := make([]byte, 0, v.h*(v.w+48))
	for y := range v.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = v.appendRow(dst, v.top+y)
	}
	v.frame = string(dst)
}

func (v *View) appendRow(dst []byte, y int) []byte {
	if y >= v.rows {
		return text.Spaces(dst, v.w)
	}
	p := v.partAt(y)
	switch p.kind {
	case notePart:
		style := v.theme.Warn
		if v.doc.plain {
			style = v.theme.Text
		}
		return v.appendWhole(dst, style, p.note)
	case foldPart:
		lines := "lines"
		if p.hidden == 1 {
			lines = "line"
		}
		return v.appendWhole(dst, v.theme.Hunk, fmt.Sprintf("%*s⋯ %d %s", v.indent(), "", p.hidden, lines))
	}
	if !v.Beside() {
		return v.appendBelow(dst, v.doc.diff.Row(p.hunk.Row+y-p.row))
	}
	l, r := v.doc.diff.Split(p.hunk.Split + y - p.row)
	half := (v.w - 1) / 2
	dst = v.appendHalf(dst, l, l.Old, half)
	dst = v.theme.Border.Append(dst, "│")
	return v.appendHalf(dst, r, r.New, v.w-1-half)
}

func (v *View) appendWhole(dst []byte, style theme.Style, s string) []byte {
	dst = append(dst, style.On...)
	dst = text.PadMore(dst, s, v.w)
	return append(dst, style.Off...)
}

// digits is how wide line numbers are.
func (v *View) digits() int {
	return max(2, len(strconv.Itoa(max(v.doc.diff.OldLines(), v.doc.diff.NewLines()))))
}

// indent is where the text of rows begins.
func (v *View) indent() int {
	n := v.digits()
	switch {
	case v.Beside():
		if (v.w-1)/2 < n+16 {
			return 2
		}
		return n + 3
	case v.w >= 2*n+34:
		return 2*n + 4
	case v.w >= n+16:
		return n + 3
	}
	return 2
}

// appendBelow draws a line with the numbers that it has, as far as they fit.
func (v *View) appendBelow(dst []byte, l versions.Line) []byte {
	n := v.digits()
	in := v.indent()
	switch {
	case in > n+3:
		dst = v.appendNumber(dst, l.Old, n)
		dst = append(dst, ' ')
		dst = v.appendNumber(dst, l.New, n)
		dst = append(dst, ' ')
	case in > 2:
		number := l.New
		if l.Kind == versions.Removed {
			number = l.Old
		}
		dst = v.appendNumber(dst, number, n)
		dst = append(dst, ' ')
	}
	return v.appendText(dst, l, v.w-in)
}

// appendHalf draws one side of a row; nothing where the side has no line.
func (v *View) appendHalf(dst []byte, l versions.Line, number, width int) []byte {
	if number == 0 {
		return text.Spaces(dst, width)
	}
	in := v.indent()
	if in > 2 {
		dst = v.appendNumber(dst, number, v.digits())
		dst = append(dst, ' ')
	}
	return v.appendText(dst, l, width-in)
}

func (v *View) appendNumber(dst []byte, n, width int) []byte {
	s := ""
	if n > 0 {
		s = strconv.Itoa(n)
	}
	dst = append(dst, v.theme.LineNumber.On...)
	dst = text.Spaces(dst, width-len(s))
	dst = append(dst, s...)
	return append(dst, v.theme.LineNumber.Off...)
}

// appendText draws the sign and the text of a line in width+2 columns.
func (v *View) appendText(dst []byte, l versions.Line, width int) []byte {
	sign, line, word := theme.Style{}, theme.Style{}, theme.Style{}
	mark := byte(' ')
	switch l.Kind {
	case versions.Removed:
		mark, sign, line, word = '-', v.theme.Removed, v.theme.RemovedLine, v.theme.RemovedWord
	case versions.Added:
		mark, sign, line, word = '+', v.theme.Added, v.theme.AddedLine, v.theme.AddedWord
	}
	if width+2 <= 0 {
		return dst
	}
	dst = append(dst, line.On...)
	dst = append(dst, sign.On...)
	dst = append(dst, mark)
	if width+2 > 1 {
		dst = append(dst, ' ')
	}
	dst = append(dst, line.Off...)
	if width <= 0 {
		return dst
	}
	s, note := v.visible(l, width)
	var spans []text.Span
	for _, w := range v.doc.diff.Words(l) {
		if w.Start < len(s) {
			spans = append(spans, text.Span{From: w.Start, To: min(w.End, len(s)), On: word.On})
		}
	}
	t := text.Line{Width: width, Skip: v.left, Base: line.On, Mark: v.theme.HiddenChar.On}
	dst, used := t.Append(dst, s, spans)
	dst = append(dst, line.On...)
	if note != "" && used+len(note) <= width {
		dst = append(dst, note...)
		used += len(note)
	}
	dst = text.Spaces(dst, width-used)
	return append(dst, line.Off...)
}

// noNewline stands behind a line that does not end in one, where that is part of
// what changed.
const noNewline = " (no newline at the end)"

// visible is the part of a line that the window can show, without its end.
func (v *View) visible(l versions.Line, width int) (s, note string) {
	b := l.Text
	b, ended := bytes.CutSuffix(b, []byte("\n"))
	if ended && v.doc.hideCR {
		b = bytes.TrimSuffix(b, []byte("\r"))
	}
	if !ended && l.Kind != versions.Same {
		note = noNewline
	}
	// One column takes few bytes; a line of megabytes must not be copied for
	// the part of it that is seen.
	if most := (v.left + width + 1) * 72; len(b) > most {
		return string(b[:most]), ""
	}
	return string(b), note
}
