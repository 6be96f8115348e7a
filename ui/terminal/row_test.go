package terminal

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// FuzzRow checks that for any row, no cell contains control characters and no cell extends
// over the edge.
func FuzzRow(f *testing.F) {
	for _, s := range []string{
		"plain", "\x1b[31mred\x1b[m", "\x1b[38;2;1;2;3;4:3mx", "\x1b]52;c;UFdORUQ=\a", "\x1b]0;title\x1b\\", "\x1b[2J\x1b[10;10H", "\x1b[6n",
		"\u009b2J", "\u009d0;title\u009c", "\x9b2J\x9d", "\x1bP+q544e\x1b\\", "safe\rEVIL", "a\tb\vc\x00\x7f", "e\u0301\u009b", "記憶", "記\u009b", "\u0301alone",
		"\u202eabc", "\xff\xfe\xc3", "👩‍👩‍👧\x1b[", "\x1b", "\x1b[", "\x1b[31", "\x1b[31\x1b[2J", "a\u200b\u009d8;;x\u009cb", strings.Repeat("a\u0301", 99),
		"\x1b]8;;http://evil.example/\x1b\\link\x1b]8;;\x1b\\",
	} {
		f.Add(s, 20)
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, row string, w int) {
		w = 1 + max(w, -w)%200
		cells, _ := newLooks(colorprofile.TrueColor).parse(nil, row, w)
		if len(cells) != w {
			t.Fatalf("%d cells for %d columns of %q", len(cells), w, row)
		}
		for x := 0; x < w; x += cells[x].cols {
			c := cells[x]
			if !utf8.ValidString(c.text) || strings.ContainsFunc(c.text, unicode.IsControl) || c.cols < 1 || x+c.cols > w {
				t.Fatalf("cell %d of %q holds %q in %d columns", x, row, c.text, c.cols)
			}
			for i := x + 1; i < x+c.cols; i++ {
				if cells[i] != (cell{look: c.look}) {
					t.Fatalf("cell %d of %q, right of a wide one, is %+v", i, row, cells[i])
				}
			}
		}
	})
}

func TestRow_MatchesASecondImplementation(t *testing.T) {
	t.Parallel()
	for _, row := range []string{
		"plain text", "\x1b[1;31mred\x1b[m and \x1b[48;5;20mblue\x1b[0m", "e\u0301a\u0308 x", "記憶 中文 한글", "\x1b[4m👩‍👩‍👧 🇫🇷 ❤️ 1️⃣\x1b[m", "\x1b[7m記\x1b[m|", "",
		"a very long row that does not fit into the cells",
	} {
		theirs := uv.NewScreenBuffer(30, 1)
		theirs.Method = ansi.GraphemeWidth
		uv.NewStyledString(row).Draw(theirs, theirs.Bounds())
		ours, _ := newLooks(colorprofile.TrueColor).parse(nil, row, 30)
		for x, a := range ours {
			if b := theirs.CellAt(x, 0); a.text != b.Content || a.cols != b.Width || a.cols > 0 && a.look.style != b.Style {
				t.Errorf("%q: cell %d is %+v and not %+v", row, x, a, b)
			}
		}
	}
}

func TestTitle_CanNotInjectSequences(t *testing.T) {
	t.Parallel()
	v := tea.NewView("")
	v.WindowTitle = "a\a\x1b]52;c;UFdORUQ=\x1b\\b\u009d\u009cc\x9d"
	s := newScreen()
	if got := string(s.frame(nil, target{view: v, w: 5, h: 1})); !strings.Contains(got, "\x1b]2;a]52;c;UFdORUQ=\\bc\uFFFD\a") {
		t.Errorf("%q", got)
	}
}
