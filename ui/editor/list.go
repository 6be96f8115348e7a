package editor

import (
	"strconv"
	"strings"

	"github.com/memend/memend/ui/syntax"
)

// listMark returns how many bytes at the beginning of line k make it an item of a list or a
// quotation, and what the next one begins with. 0 means none.
func (h *highlighter) listMark(k int) (n int, next string) {
	if h.language != syntax.Markdown || k >= len(h.states) || h.states[k] > syntax.Body {
		return 0, "" // also in a code block
	}
	line := h.of.lineText(k)
	line = line[:min(len(line), longLine)]
	lead := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	rest := line[len(lead):]
	mark, after := itemMark(rest)
	if mark == "" {
		return 0, ""
	}
	n, next = len(lead)+len(mark), lead+after
	for _, box := range []string{"[ ] ", "[x] ", "[X] "} {
		if mark != "> " && strings.HasPrefix(rest[len(mark):], box) {
			return n + len(box), next + "[ ] "
		}
	}
	return n, next
}

// itemMark returns the mark at the beginning of s, and that of the next item.
func itemMark(s string) (mark, next string) {
	if len(s) >= 2 && strings.IndexByte("-*+>", s[0]) >= 0 && s[1] == ' ' {
		return s[:2], s[:2]
	}
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 9 || len(s) < digits+2 || s[digits] != '.' && s[digits] != ')' || s[digits+1] != ' ' {
		return "", ""
	}
	number, err := strconv.Atoi(s[:digits])
	if err != nil {
		return "", ""
	}
	return s[:digits+2], strconv.Itoa(number+1) + s[digits:digits+2]
}
