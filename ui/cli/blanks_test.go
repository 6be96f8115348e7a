package cli

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// On a terminal, no two lines that differ look the same, and nothing is marked that differs visibly.
func TestDifferencesInWhiteSpaceShow(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"line ends":            {"one two\r\nb\r\n", "one two\nb\n", "only line ends differ -one two^M -b^M +one two +b"},
		"a blank that is none": {"a b c\n", "a\u00a0b c\n", "only white space differs -a·b c +a<U+00A0>b c"},
		"alike, one byte":      {"a\u2000b\n", "a\u1680b\n", "only white space differs -a<U+2000>b +a<U+1680>b"},
		"at the end":           {"a b\n", "a b \t\n", "only white space differs -a b +a b·→"},
		"a tab":                {"\tx y\nz\n", "    x y\nw\n", "-→x y -z +····x y +w"},
		"another word too":     {"a\u00a0b\n", "a c\n", "-a<U+00A0>b +a c"},
		"of CRLF":              {"a b\r\n", "a c\r\nd\r\n", "-a b +a c +d"},
		"words":                {"a\tb\n", "a\tc\n", "-a  b +a  c"},
		"a new text":           {"", "a b\r\n", "+a b"},
	} {
		t.Setenv("NO_COLOR", "1")
		var out bytes.Buffer
		p := &console{out: bufio.NewWriter(&out), err: &out, terminal: true}
		printDifference(p, difference{old: []byte(c.old), new: []byte(c.new), oldName: "a", newName: "b"})
		_ = p.out.Flush()
		var got []string
		for line := range strings.Lines(ansi.Strip(out.String())) {
			if !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") && !strings.HasPrefix(line, "@@") {
				got = append(got, strings.TrimSuffix(line, "\n"))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", name, strings.Join(got, " "), c.want)
		}
	}
}
