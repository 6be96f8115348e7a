package editor

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memtrail/memtrail/ui/text"
)

// moveTo puts the cursor at a byte. With extend the selection grows or shrinks
// to it, else there is none any more.
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

// toLeft and toRight leave a selection at the end they point to.
func (e *Editor) toLeft(extend bool) {
	if from, _, ok := e.selection(); ok && !extend {
		e.moveTo(from, false)
		return
	}
	e.moveTo(e.prev(e.cursor), extend)
}

func (e *Editor) toRight(extend bool) {
	if _, to, ok := e.selection(); ok && !extend {
		e.moveTo(to, false)
		return
	}
	e.moveTo(e.next(e.cursor), extend)
}

// byLines moves up or down, and keeps aiming at the column that it began in.
func (e *Editor) byLines(n int, extend bool) {
	k := e.text.lineOf(e.cursor)
	goal := e.goal
	if goal < 0 {
		goal = e.column(k, e.cursor)
	}
	to := min(max(k+n, 0), e.text.lines()-1)
	switch {
	case k+n < 0:
		e.moveTo(0, extend)
	case k+n >= e.text.lines():
		e.moveTo(e.text.len(), extend)
	default:
		e.moveTo(e.offset(to, goal), extend)
	}
	e.goal = goal
}

func (e *Editor) byPages(n int, extend bool) {
	page := max(1, e.rows()-1)
	e.top = min(max(0, e.top+n*page), e.text.lines()-1)
	e.byLines(n*page, extend)
}

// toHome goes to the first letter of the line; from there, to its beginning.
func (e *Editor) toHome(extend bool) {
	k := e.text.lineOf(e.cursor)
	start := e.text.lineStart(k)
	first := start + len(e.leading(k))
	if e.cursor == first {
		first = start
	}
	e.moveTo(first, extend)
}

func (e *Editor) toEnd(extend bool) {
	_, end, _ := e.line(e.text.lineOf(e.cursor))
	e.moveTo(end, extend)
}

func (e *Editor) toWordRight(extend bool) { e.moveTo(e.wordRight(e.cursor), extend) }
func (e *Editor) toWordLeft(extend bool)  { e.moveTo(e.wordLeft(e.cursor), extend) }

// charKind is what a word is cut by.
type charKind uint8

const (
	blankChar charKind = iota
	wordChar
	otherChar
)

func kindOf(s string) charKind {
	r, _ := utf8.DecodeRuneInString(s)
	switch {
	case unicode.IsSpace(r):
		return blankChar
	case r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return wordChar
	}
	return otherChar
}

// runs cuts s into words, blanks and runs of other signs.
func runs(s string) iter.Seq2[[2]int, charKind] {
	return func(yield func([2]int, charKind) bool) {
		for from := 0; from < len(s); {
			k := kindOf(s[from:])
			to := text.Next(s, from)
			for to < len(s) && kindOf(s[to:]) == k {
				to = text.Next(s, to)
			}
			if !yield([2]int{from, to}, k) {
				return
			}
			from = to
		}
	}
}

// wordRight is the end of the word at byte i or after it, in the same line; from
// the end of a line, the beginning of the next. No word is longer than longLine.
func (e *Editor) wordRight(i int) int {
	_, end, next := e.line(e.text.lineOf(i))
	if i >= end {
		return next
	}
	to := min(end, i+longLine)
	for r, k := range runs(e.slice(i, to)) {
		if k != blankChar {
			return i + r[1]
		}
	}
	return to
}

// wordLeft is where the word before byte i begins.
func (e *Editor) wordLeft(i int) int {
	start := e.text.lineStart(e.text.lineOf(i))
	if i == start {
		return e.prev(i)
	}
	from := e.before(start, i)
	at := from
	for r, k := range runs(e.slice(from, i)) {
		if k != blankChar {
			at = from + r[0]
		}
	}
	return at
}

// before is a place up to longLine bytes before i, not before start, where a
// character can begin.
func (e *Editor) before(start, i int) int {
	from := max(start, i-longLine)
	for from > start && from < i && !utf8.RuneStart(e.byteAt(from)) {
		from++
	}
	return from
}

// wordAt is the word, the blanks or the run of signs around byte i.
func (e *Editor) wordAt(i int) (from, to int) {
	start, end, _ := e.line(e.text.lineOf(i))
	base := e.before(start, i)
	from, to = i, i
	for r := range runs(e.slice(base, min(end, i+longLine))) {
		if from, to = base+r[0], base+r[1]; to > i {
			break
		}
	}
	return from, to
}

func (e *Editor) selectAll() {
	e.moveTo(0, false)
	top, left := e.top, e.left
	e.anchor, e.cursor = 0, e.text.len()
	e.top, e.left = top, left
}

// goToText reads "42", "42:7" or "-1" (from the end) as a place.
func (e *Editor) goToText(s string) bool {
	lineText, columnText, _ := strings.Cut(strings.TrimSpace(s), ":")
	line, ok := number(lineText)
	if !ok {
		return false
	}
	if line < 0 {
		line += e.text.lines() + 1
	}
	e.GoTo(line)
	if col, ok := number(columnText); ok && col > 1 {
		e.moveTo(e.offset(e.text.lineOf(e.cursor), col-1), false)
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
