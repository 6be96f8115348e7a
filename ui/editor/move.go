package editor

import "strings"

// moveTo moves the cursor to a byte. With extend the selection grows or shrinks to it;
// otherwise the selection ends.
func (e *Editor) moveTo(at int, extend bool) {
	switch {
	case !extend:
		e.anchor = -1
	case e.anchor < 0:
		e.anchor = e.cursor
	}
	e.cursor, e.goal, e.run = at, -1, noRun
	e.reveal()
}

// toLeft and toRight end a selection at the end in their direction.
func (e *Editor) toLeft(extend bool) {
	at, _, selected := e.selection()
	if !selected || extend {
		at = e.text.prev(e.cursor)
	}
	e.moveTo(at, extend)
}

func (e *Editor) toRight(extend bool) {
	_, at, selected := e.selection()
	if !selected || extend {
		at = e.text.next(e.cursor)
	}
	e.moveTo(at, extend)
}

// byRows moves up or down, and keeps aiming at the original column.
func (e *Editor) byRows(n int, extend bool) {
	from := e.placeOf(e.cursor)
	goal := e.goal
	if goal < 0 {
		goal = e.xOf(from, e.cursor) + e.left
	}
	switch to, moved := e.move(from, n); {
	case moved > n:
		e.moveTo(0, extend)
	case moved < n:
		e.moveTo(e.text.len(), extend)
	default:
		e.moveTo(e.byteAtColumn(to, goal-e.left), extend)
	}
	e.goal = goal
}

func (e *Editor) byPages(n int, extend bool) {
	page := max(1, e.rows-1)
	e.top, _ = e.move(e.top, n*page)
	e.byRows(n*page, extend)
}

// toHome moves to the beginning of the row; from there to the first letter of the line, and
// then to its beginning.
func (e *Editor) toHome(extend bool) {
	p := e.placeOf(e.cursor)
	if from, _ := e.rowAt(p); p.row > 0 && e.cursor > from {
		e.moveTo(from, extend)
		return
	}
	start := e.text.lineStart(p.line)
	first := start + len(e.text.leading(p.line))
	if e.cursor == first {
		first = start
	}
	e.moveTo(first, extend)
}

// toEnd moves to the last character of the row; from there to the end of the line. In a row
// that ends with a blank, that is the place after its last word.
func (e *Editor) toEnd(extend bool) {
	p := e.placeOf(e.cursor)
	_, end, _ := e.text.line(p.line)
	if _, to := e.rowAt(p); to < end {
		if last := e.text.prev(to); e.cursor < last {
			e.moveTo(last, extend)
			return
		}
	}
	e.moveTo(end, extend)
}

func (e *Editor) selectAll() {
	e.moveTo(0, false)
	top, left := e.top, e.left
	e.anchor, e.cursor = 0, e.text.len()
	e.top, e.left = top, left
}

// goToText moves to "42", "42:7" or "-1" (from the end).
func (e *Editor) goToText(s string) bool {
	lineText, columnText, _ := strings.Cut(strings.TrimSpace(s), ":")
	line, ok := number(lineText)
	if !ok {
		return false
	}
	if line < 0 {
		line += len(e.text.lines) + 1
	}
	e.GoTo(line)
	if col, ok := number(columnText); ok && col > 1 {
		e.moveTo(e.text.offset(e.text.lineOf(e.cursor), col-1), false)
	}
	return true
}

func number(s string) (n int, ok bool) {
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for _, c := range []byte(s) {
		if c < '0' || c > '9' || n > 1<<40 {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	if neg {
		n = -n
	}
	return n, s != ""
}
