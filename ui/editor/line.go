package editor

import (
	"bytes"
	"strings"

	"github.com/memend/memend/ui/text"
)

// tab is the distance of tab stops.
const tab = text.TabWidth

// longLine is the number of bytes of a line that are looked at for its words, its
// indentation and its colours.
const longLine = 4096

// lookahead is how many bytes after a place may affect how it is drawn.
const lookahead = 256

// line returns where line k begins, where its text ends, and where the next line begins.
// The line end, LF or CRLF, is between the last two.
func (b *buffer) line(k int) (start, end, next int) {
	start = b.lineStart(k)
	return start, start + len(b.lineText(k)), b.lineStart(k + 1)
}

// lineText returns line k without its line end.
func (b *buffer) lineText(k int) string {
	s, ended := strings.CutSuffix(b.lines[k], "\n")
	if ended {
		s = strings.TrimSuffix(s, "\r")
	}
	return s
}

// at returns line k, which holds byte i, and the place of the byte in it.
func (b *buffer) at(i int) (k int, line string, at int) {
	k = b.lineOf(i)
	return k, b.lineText(k), i - b.starts[k]
}

// next returns the end of the character at byte i; a line end is one character.
func (b *buffer) next(i int) int {
	k, line, at := b.at(i)
	if at >= len(line) {
		return b.lineStart(k + 1)
	}
	return i - at + text.Next(line, at)
}

// prev returns the beginning of the character before byte i.
func (b *buffer) prev(i int) int {
	k, line, at := b.at(i)
	switch {
	case at > len(line):
		return i - at + len(line)
	case at == 0 && k == 0:
		return 0
	case at == 0:
		_, end, _ := b.line(k - 1)
		return end
	}
	from := before(line, at)
	return i - at + from + text.Prev(line[from:], at-from)
}

// column returns the column of line k in which byte i is drawn.
func (b *buffer) column(k, i int) int {
	return text.Column(b.lineText(k), i-b.starts[k], tab)
}

// offset returns the byte of line k that is drawn at a column, or the end of the line if
// the column is right of it.
func (b *buffer) offset(k, col int) int {
	return b.starts[k] + text.Offset(b.lineText(k), col, tab)
}

// leading returns the blanks at the beginning of line k.
func (b *buffer) leading(k int) string {
	s := b.lineText(k)
	s = s[:min(len(s), longLine)]
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
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
