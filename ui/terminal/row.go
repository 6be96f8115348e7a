package terminal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/text"
)

// ascii holds each printable character once, so that no cell keeps the text of a whole
// frame in memory.
var ascii = func() (s [utf8.RuneSelf]string) {
	for c := ' '; c < 0x7f; c++ {
		s[c] = string(c)
	}
	return s
}()

// paintRow draws a row of text into row y of the cells. It interprets only SGR sequences:
// of any other sequence the escape character is dropped and the rest is shown as text. It
// reports whether every character is one column wide on every terminal.
func paintRow(cells uv.ScreenBuffer, y int, row string) (narrow bool) {
	narrow = true
	var cell uv.Cell // its style is the pen
	x, w := 0, cells.Width()
	last := -1 // where the last cell was drawn
	for i := 0; i < len(row) && x < w; {
		c := row[i]
		switch {
		case c >= ' ' && c < 0x7f && (i+1 == len(row) || row[i+1] < utf8.RuneSelf):
			cell.Content, cell.Width = ascii[c], 1
			i++
		case c < ' ' || c == 0x7f:
			n := 1
			if c == ansi.ESC {
				n = style(row[i:], &cell.Style)
			}
			i += n
			continue
		default:
			n := text.Narrow(row[i:])
			if n > 0 {
				cell.Content, cell.Width = strings.Clone(row[i:i+n]), 1
			} else {
				narrow = false
				cell.Content, cell.Width, n = cluster(row[i:])
			}
			i += n
			if cell.Width == 0 {
				if s := row[i-n : i]; last >= 0 && isolates(s) {
					follow(cells, last, y, s)
				}
				continue
			}
		}
		cells.SetCell(x, y, &cell)
		last = x
		x += cell.Width
	}
	for ; x < w; x++ {
		cells.SetCell(x, y, nil)
	}
	return narrow
}

// isolates reports whether s isolates right-to-left text from its surroundings: U+2068 or
// U+2069. The model decides whether rows contain them.
func isolates(s string) bool { return s == "\u2068" || s == "\u2069" }

// follow appends a character without columns to the content of a cell, as the terminal
// itself does.
func follow(cells uv.ScreenBuffer, x, y int, s string) {
	if c := cells.CellAt(x, y); c != nil {
		with := c.Clone()
		with.Content += s
		cells.SetCell(x, y, with)
	}
}

// style applies the SGR sequence at the beginning of s to pen and returns its length: 1,
// for the escape character alone, if there is none.
func style(s string, pen *uv.Style) int {
	if len(s) < 3 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c == 'm':
			p := ansi.GetParser()
			ansi.DecodeSequence(s[:i+1], 0, p)
			uv.ReadStyle(p.Params(), pen)
			ansi.PutParser(p)
			return i + 1
		case (c < '0' || c > '9') && c != ';' && c != ':':
			return 1
		}
	}
	return 1
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
	return strings.Clone(content), cols, n
}
