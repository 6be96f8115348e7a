package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/text"
)

// cell is what one column of a row shows.
type cell struct {
	text string // a grapheme cluster; empty right of a wide one
	look *look
	cols int // columns of text; 0 right of a wide one
}

// row is what the terminal shows in a row.
type row struct {
	text   string // with SGR sequences
	cells  []cell // one for each column
	unsure bool   // terminals count the columns of some of its characters differently
}

// parse appends the cells of a row of w columns. It interprets only SGR sequences: of any other
// sequence the escape character is dropped and the rest is shown as text.
func (l *looks) parse(cells []cell, s string, w int) (_ []cell, unsure bool) {
	pen := l.plain
	for i := 0; i < len(s) && len(cells) < w; {
		c := cell{look: pen, cols: 1}
		switch b := s[i]; {
		case b >= ' ' && b < 0x7f && (i+1 == len(s) || s[i+1] < utf8.RuneSelf):
			c.text = s[i : i+1]
			i++
		case b < ' ' || b == 0x7f:
			n := 1
			if b == ansi.ESC {
				n, pen = l.after(pen, s[i:])
			}
			i += n
			continue
		default:
			n := text.Narrow(s[i:])
			if c.text = s[i : i+n]; n == 0 {
				c.text, c.cols, n = cluster(s[i:])
				unsure = unsure || !certain(c.text)
			}
			i += n
			if c.cols == 0 {
				if mark := s[i-n : i]; isolates(mark) && len(cells) > 0 {
					follow(cells, mark)
				}
				continue
			}
		}
		if len(cells)+c.cols > w {
			break // half a character: blank
		}
		cells = append(cells, c)
		for range c.cols - 1 {
			cells = append(cells, cell{look: pen})
		}
	}
	return l.blank(cells, w), unsure
}

// isolates reports whether s isolates right-to-left text from its surroundings: U+2068 or
// U+2069. The model decides whether rows contain them.
func isolates(s string) bool { return s == "\u2068" || s == "\u2069" }

// follow appends a character without columns to the last character, as the terminal itself does.
func follow(cells []cell, mark string) {
	last := len(cells) - 1
	for cells[last].cols == 0 {
		last--
	}
	cells[last].text += mark
}

// cluster returns the grapheme cluster at the beginning of s, its columns, and its length
// in bytes. It has no columns if it must not be drawn.
func cluster(s string) (content string, cols, n int) {
	content, cols = text.Cluster(s)
	n = len(content)
	switch {
	case !utf8.ValidString(content):
		return "\uFFFD", 1, n
	case cols < 1 || strings.ContainsFunc(content, unicode.IsControl):
		return "", 0, n
	}
	return content, cols, n
}
