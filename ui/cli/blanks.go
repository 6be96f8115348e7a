package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/memend/memend/versions/diff"
)

// markedBlanks returns the removed and added lines that would look like others, because they differ only in white space
// or hold a blank that is no space. In them these blanks are marked.
func markedBlanks(d *diff.Diff) map[string]string {
	out := map[string]string{}
	for _, e := range d.Edits() {
		for k := range max(e.OldLines, e.NewLines) {
			l, r := d.Split(e.Split() + k)
			a, b := string(l.Text), string(r.Text)
			from, to := common(a, b)
			for _, line := range []string{a, b} {
				marked := markBlanks(line, false)
				if end := len(line) - to; diff.SameButBlanks(l.Text, r.Text) {
					marked = markBlanks(line[:from], false) + markBlanks(line[from:end], true) + markBlanks(line[end:], false)
				}
				if marked != line {
					out[line] = marked
				}
			}
		}
	}
	return out
}

// common returns how many bytes two lines have in common at the beginning, and behind that at the end.
func common(a, b string) (from, to int) {
	for from < min(len(a), len(b)) && a[from] == b[from] {
		from++
	}
	for from > 0 && from < len(a) && !utf8.RuneStart(a[from]) {
		from--
	}
	for to < min(len(a), len(b))-from && a[len(a)-1-to] == b[len(b)-1-to] {
		to++
	}
	for to > 0 && !utf8.RuneStart(a[len(a)-to]) {
		to--
	}
	return from, to
}

// markBlanks marks blanks that look like a space; all of them, or only those that are none.
func markBlanks(s string, all bool) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || !all && r < 0x80:
			b.WriteRune(r)
		case r == ' ':
			b.WriteString("·")
		case r == '\t':
			b.WriteString("→")
		case r == '\r':
			b.WriteString("^M")
		case r >= 0x80 && unicode.IsSpace(r):
			fmt.Fprintf(&b, "<%U>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
