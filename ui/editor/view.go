package editor

import (
	"strconv"

	"github.com/memend/memend/ui/text"
)

// SetWrap sets whether long lines are wrapped, or cut at the edge and scrolled.
func (e *Editor) SetWrap(on bool) {
	if e.wrap == on {
		return
	}
	e.wrap, e.left = on, 0
	e.top.row = 0
	e.reveal()
	e.lex()
}

// Wraps reports whether long lines are wrapped.
func (e *Editor) Wraps() bool { return e.wrap }

// Cursor returns the cell of the terminal's cursor; ok is false if it is not visible.
func (e *Editor) Cursor() (x, y int, ok bool) {
	if e.prompt != nil && e.prompt.kind != askPrompt {
		x, y = e.prompt.cursor(e.w), e.h-1
	} else {
		at := e.placeOf(e.cursor)
		if y = e.distance(e.top, at, e.rows); y >= e.rows || y < 0 {
			return 0, 0, false
		}
		c := e.xOf(at, e.cursor)
		if c < 0 {
			return 0, 0, false
		}
		x = e.gutter() + c
	}
	return x, y, x >= 0 && x < e.w && y >= 0 && y < e.h
}

// View returns h rows of w columns.
func (e *Editor) View() string {
	if e.w <= 0 || e.h <= 0 {
		return ""
	}
	dst := make([]byte, 0, e.h*(e.w+32))
	rows := e.h
	if e.prompt != nil {
		rows--
	}
	now := e.text.lineOf(e.cursor)
	at, left := e.top, 1
	for y := range rows {
		if y > 0 {
			dst = append(dst, '\n')
			at, left = e.move(at, 1)
		}
		if left == 0 { // below the last line
			dst = text.Spaces(dst, e.w)
			continue
		}
		dst = e.appendNumber(dst, at, at.line == now)
		if e.wrap {
			dst = e.appendRow(dst, at)
		} else {
			dst = e.appendLine(dst, at.line)
		}
	}
	if e.prompt != nil {
		if rows > 0 {
			dst = append(dst, '\n')
		}
		dst = e.prompt.draw(dst, e.w, e.hitLabel(), e.env.Theme)
	}
	return string(dst)
}

// appendNumber draws the number of a line, or a continuation mark.
func (e *Editor) appendNumber(dst []byte, at position, now bool) []byte {
	g := e.gutter()
	if g == 0 {
		return dst
	}
	if at.row > 0 {
		dst = text.Spaces(dst, g-2)
		return append(e.env.Theme.LineNumber.Append(dst, "↪"), ' ')
	}
	style := e.env.Theme.LineNumber
	if now {
		style = e.env.Theme.LineNumberNow
	}
	n := strconv.Itoa(at.line + 1)
	dst = append(dst, style.On...)
	dst = text.Spaces(dst, g-1-len(n))
	dst = append(dst, n...)
	dst = append(dst, style.Off...)
	return append(dst, ' ')
}

// appendLine draws the visible part of line k.
func (e *Editor) appendLine(dst []byte, k int) []byte {
	start, end, next := e.text.line(k)
	s := e.text.lineText(k)
	line := text.Line{Width: e.textWidth(), Skip: e.left, Mark: e.env.Theme.HiddenChar.On}
	dst, used := line.Append(dst, s, e.light.colours(k, s), e.find.spans(s, e.env.Theme.Match.On), e.selected(start, len(s)))
	dst, used = e.appendLineEnd(dst, used, k, end, next, true)
	return text.Spaces(dst, e.textWidth()-used)
}

// appendRow draws a row of a wrapped line.
func (e *Editor) appendRow(dst []byte, at position) []byte {
	start, end, next := e.text.line(at.line)
	from, to := e.rowAt(at)
	s := e.text.lineText(at.line)
	base := start // where drawing begins: of a long line only the part around the row is used
	var colours []text.Span
	if len(s) <= longLine {
		colours = e.light.colours(at.line, s)
	} else {
		base = max(start, from-lookahead)
		s = s[base-start : min(len(s), to-start+lookahead)]
	}
	line := text.Line{Width: e.textWidth(), Mark: e.env.Theme.HiddenChar.On}
	dst, used := line.AppendRange(dst, s, from-base, to-base, colours, e.find.spans(s, e.env.Theme.Match.On), e.selected(base, len(s)))
	dst, used = e.appendLineEnd(dst, used, at.line, end, next, to == end)
	return text.Spaces(dst, e.textWidth()-used)
}

// selected returns the selected part of n bytes from byte from on. The current hit of a
// search is selected too.
func (e *Editor) selected(from, n int) []text.Span {
	a, b, ok := e.selection()
	a, b = max(a-from, 0), min(b-from, n)
	if !ok || a >= b {
		return nil
	}
	style := e.env.Theme.Selection
	if e.find.highlighted {
		style = e.env.Theme.MatchNow
	}
	return []text.Span{{From: a, To: b, On: style.On}}
}

// appendLineEnd shows a selected line end as a blank, and a line end that differs from the
// text's own by its name.
func (e *Editor) appendLineEnd(dst []byte, used, k, end, next int, whole bool) ([]byte, int) {
	if next == end || !whole || e.left > 0 && e.text.column(k, end) < e.left {
		return dst, used
	}
	style := e.env.Theme.HiddenChar
	a, b, ok := e.selection()
	highlighted := ok && a <= end && b > end
	if highlighted {
		style = e.env.Theme.Selection
	}
	name := ""
	switch other := next-end != len(e.eol); {
	case other && next-end == 2:
		name = "^M"
	case other:
		name = "^J"
	case highlighted:
		name = " "
	}
	if used+text.Width(name) > e.textWidth() {
		return dst, used
	}
	return style.Append(dst, name), used + text.Width(name)
}
