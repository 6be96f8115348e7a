package editor

import (
	"bytes"
	"sort"
	"strings"

	"github.com/memend/memend/ui/text"
)

// tab is the distance of tab stops.
const tab = text.TabWidth

// longLine is the number of bytes from which a line is measured with a ruler. Shorter ones
// are measured from their beginning.
const longLine = 4096

// lookahead is how many bytes after a place may affect how it is drawn.
const lookahead = 256

// line returns where line k begins, where its text ends, and where the next line begins.
// The line end, LF or CRLF, is between the last two.
func (e *Editor) line(k int) (start, end, next int) {
	start, next = e.text.lineStart(k), e.text.lineStart(k+1)
	end = next
	if next > start && k < e.text.lines()-1 {
		end--
		if end > start && e.byteAt(end-1) == '\r' {
			end--
		}
	}
	return start, end, next
}

func (e *Editor) byteAt(i int) byte {
	var c byte
	e.text.each(i, i+1, func(p []byte) bool { c = p[0]; return false })
	return c
}

func (e *Editor) slice(from, to int) string {
	return string(e.text.appendTo(make([]byte, 0, max(to-from, 0)), from, to))
}

// next returns the end of the character at byte i; a line end is one character.
func (e *Editor) next(i int) int {
	k := e.text.lineOf(i)
	_, end, next := e.line(k)
	if i >= end {
		return next
	}
	return i + text.Next(e.slice(i, min(end, i+lookahead)), 0)
}

// prev returns the beginning of the character before byte i.
func (e *Editor) prev(i int) int {
	k := e.text.lineOf(i)
	start, end, _ := e.line(k)
	switch {
	case i > end:
		return end
	case i == start && k == 0:
		return 0
	case i == start:
		_, end, _ := e.line(k - 1)
		return end
	}
	from := e.before(start, i)
	s := e.slice(from, min(end, i+lookahead))
	return from + text.Prev(s, i-from)
}

// column returns the column of line k in which byte i is drawn.
func (e *Editor) column(k, i int) int {
	start, end, _ := e.line(k)
	i = min(i, end)
	if end-start <= longLine {
		return text.Column(e.slice(start, end), i-start, tab)
	}
	m := e.ruler(k).reach(e, start, end, func(m mark) bool { return start+m.at > i })
	pad := m.col % tab
	s := strings.Repeat(" ", pad) + e.slice(start+m.at, min(end, i+lookahead))
	return m.col - pad + text.Column(s, i-start-m.at+pad, tab)
}

// offset returns the byte of line k that is drawn at a column, or the end of the line if
// the column is right of it.
func (e *Editor) offset(k, col int) int {
	start, end, _ := e.line(k)
	if end-start <= longLine {
		return start + text.Offset(e.slice(start, end), col, tab)
	}
	from, s, pad, shift := e.window(k, start, end, col, 1)
	return min(end, max(from, from+text.Offset(s, col-shift, tab)-pad))
}

// window returns the part of a long line that covers the columns from col on: its
// beginning, its text, the number of blanks to put before it so that tabs are aligned, and
// the column of the first blank.
func (e *Editor) window(k, start, end, col, width int) (from int, s string, pad, shift int) {
	m := e.ruler(k).reach(e, start, end, func(m mark) bool { return m.col > col })
	from = start + m.at
	pad = m.col % tab
	// A character takes at most lookahead bytes, but most take few, so the window grows
	// only if it is too short.
	for size := 2*markEvery + 4*width; ; size *= 2 {
		to := min(end, from+size)
		s = strings.Repeat(" ", pad) + e.slice(from, to)
		if to == end || text.Column(s, len(s)-lookahead, tab) > col-m.col+pad+width {
			return from, s, pad, m.col - pad
		}
	}
}

// mark is a place in a long line where a character begins, and its column.
type mark struct{ at, col int }

// markEvery is the approximate number of bytes between two marks.
const markEvery = 2048

// ruler caches the measurements of a long line, as far as they were needed.
type ruler struct {
	marks []mark

	width  int   // the width of the rows in starts
	starts []int // where rows begin, in bytes of the line
	whole  bool  // starts is complete
}

func (e *Editor) ruler(k int) *ruler {
	r := e.rulers[k]
	if r == nil {
		if len(e.rulers) > 256 {
			clear(e.rulers)
		}
		r = &ruler{marks: []mark{{}}}
		e.rulers[k] = r
	}
	return r
}

// reach returns the last mark before the first one that is beyond what is needed.
func (r *ruler) reach(e *Editor, start, end int, beyond func(mark) bool) mark {
	for last := r.marks[len(r.marks)-1]; !beyond(last) && start+last.at+markEvery < end; last = r.marks[len(r.marks)-1] {
		from := start + last.at
		s := e.slice(from, min(end, from+markEvery+lookahead))
		r.marks = append(r.marks, last.forward(s))
	}
	n := sort.Search(len(r.marks), func(i int) bool { return beyond(r.marks[i]) })
	return r.marks[max(n-1, 0)]
}

// forward returns the mark that follows m in s, the text from m on.
func (m mark) forward(s string) mark {
	if printable(s[:markEvery+1]) {
		return mark{m.at + markEvery, m.col + markEvery}
	}
	i := 0
	for i < markEvery {
		i = text.Next(s, i)
	}
	pad := m.col % tab
	return mark{m.at + i, m.col - pad + text.Column(strings.Repeat(" ", pad)+s, pad+i, tab)}
}

func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// forget drops the measurements of line k from byte at on after an edit, and of all lines
// below, whose numbers may have changed.
func (e *Editor) forget(k, start, at int) {
	for line, r := range e.rulers {
		switch {
		case line > k:
			delete(e.rulers, line)
		case line == k:
			r.cut(at - start)
			n := sort.Search(len(r.marks), func(i int) bool { return start+r.marks[i].at+lookahead >= at })
			r.marks = r.marks[:max(n, 1)]
		}
	}
}

// lineEnd returns the line end of most lines at the beginning of content.
func lineEnd(content []byte) string {
	head := content[:min(len(content), 64<<10)]
	if crlf := bytes.Count(head, []byte("\r\n")); crlf > 0 && 2*crlf >= bytes.Count(head, []byte("\n")) {
		return "\r\n"
	}
	return "\n"
}

// indentation returns the indentation unit of content: a tab if most indented lines begin
// with one or none is indented, or else the smallest number of blanks.
func indentation(content []byte) string {
	tabs, blanks, step := 0, 0, 8
	for line := range bytes.Lines(content[:min(len(content), 64<<10)]) {
		n := len(line) - len(bytes.TrimLeft(line, " "))
		switch {
		case line[0] == '\t':
			tabs++
		case n >= 2 && n < len(line)-1:
			blanks++
			step = min(step, n)
		}
	}
	if blanks > tabs {
		return strings.Repeat(" ", step)
	}
	return "\t"
}
