package editor

import (
	"strconv"

	"github.com/memend/memend/ui/text"
)

// rows returns how many rows of text are shown.
func (e *Editor) rows() int {
	n := e.h
	if e.prompt != nil {
		n--
	}
	return max(n, 1)
}

// gutter returns the width of the line numbers: the same as in the memory pane, so that the
// text does not move, or 0 if little would be left for the text.
func (e *Editor) gutter() int {
	n := max(3, len(strconv.Itoa(len(e.text.lines)))) + 2
	if e.w < n+12 {
		return 0
	}
	return n
}

func (e *Editor) textWidth() int { return max(0, e.w-e.gutter()) }

// reveal scrolls as little as possible to show the cursor.
func (e *Editor) reveal() {
	at := e.placeOf(e.cursor)
	rows := e.rows()
	margin := min(2, (rows-1)/2)
	if e.drag.on { // the place under the mouse must not move
		margin = 0
	}
	// The window may begin anywhere between these two.
	highest, _ := e.move(at, margin+1-rows)
	lowest, _ := e.move(at, -margin)
	if e.top.before(highest) {
		e.top = highest
	}
	if lowest.before(e.top) {
		e.top = lowest
	}
	e.clampTop()
	if !e.wrap {
		e.revealColumn(e.column(at.line, e.cursor))
	}
}

// revealColumn scrolls sideways as little as possible to show a column.
func (e *Editor) revealColumn(col int) {
	w := e.textWidth()
	if w <= 0 {
		return
	}
	margin := min(4, (w-1)/2)
	if col < w-1 && e.left < w { // near the beginning, show the beginning
		e.left = 0
		return
	}
	e.left = max(0, min(max(e.left, col-w+1+margin), max(0, col-margin)))
}

// Cursor returns the cell of the terminal's cursor; ok is false if it is not visible.
func (e *Editor) Cursor() (x, y int, ok bool) {
	if e.prompt != nil && e.prompt.kind != askPrompt {
		x, y = e.promptCursor(), e.h-1
	} else {
		at := e.placeOf(e.cursor)
		if y = e.distance(e.top, at, e.rows()); y >= e.rows() || y < 0 {
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
		dst = e.appendPrompt(dst)
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
	start, end, next := e.line(k)
	s := e.lineText(k)
	line := text.Line{Width: e.textWidth(), Skip: e.left, Mark: e.env.Theme.HiddenChar.On}
	dst, used := line.Append(dst, s, e.colours(k, s), e.hits(s, e.env.Theme.Match.On), e.selected(start, len(s)))
	dst, used = e.appendLineEnd(dst, used, k, end, next, true)
	return text.Spaces(dst, e.textWidth()-used)
}

// appendRow draws a row of a wrapped line.
func (e *Editor) appendRow(dst []byte, at position) []byte {
	start, end, next := e.line(at.line)
	from, to := e.rowAt(at)
	s := e.lineText(at.line)
	base := start // where drawing begins: of a long line only the part around the row is used
	var colours []text.Span
	if len(s) <= longLine {
		colours = e.colours(at.line, s)
	} else {
		base = max(start, from-lookahead)
		s = s[base-start : min(len(s), to-start+lookahead)]
	}
	line := text.Line{Width: e.textWidth(), Mark: e.env.Theme.HiddenChar.On}
	dst, used := line.AppendRange(dst, s, from-base, to-base, colours, e.hits(s, e.env.Theme.Match.On), e.selected(base, len(s)))
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
	if next == end || !whole || e.left > 0 && e.column(k, end) < e.left {
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
