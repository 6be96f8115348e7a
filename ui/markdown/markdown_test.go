package markdown

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/text"
)

var update = flag.Bool("update", false, "write the golden frames anew")

func sample(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/sample.md")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func pen() *Pen { return NewPen(NewStyles(theme.New(true, theme.Many))) }

// rows draws a layout without styles.
func rows(l *Layout) []string {
	var out []string
	p := pen()
	for i := range l.Len() {
		out = append(out, strings.TrimRight(ansi.Strip(string(l.Append(nil, i, p))), " "))
	}
	return out
}

func shown(source string, width int) string {
	return strings.Join(rows(Parse([]byte(source)).Layout(width, true)), "\n")
}

func TestFramesMatchGoldens(t *testing.T) {
	d := Parse(sample(t))
	for _, width := range []int{100, 60, 30} {
		l := d.Layout(width, width == 60)
		var b strings.Builder
		last := -1
		for i, s := range rows(l) {
			number := "    "
			if line := l.LineOf(i); line != last {
				number, last = fmt.Sprintf("%3d ", line+1), line
			}
			b.WriteString(strings.TrimRight(number+s, " ") + "\n")
		}
		file := filepath.Join("testdata", fmt.Sprintf("sample-%d.txt", width))
		if *update {
			if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != b.String() {
			t.Errorf("%s is now (%v)\n%s", file, err, b.String())
		}
	}
}

func TestRows_ShowEachKindOfBlock(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"a heading keeps its signs", "## Steps", "## Steps"},
		{"a heading with a line below it gets signs", "Steps\n===", "# Steps"},
		{"a heading stands free", "text\n# Steps\nmore", "text\n\n# Steps\nmore"},
		{"marks of a text become styles", "a **b** *c* `d` ~~e~~", "a b c `d` ~~e~~"},
		{"a long line that was broken is joined", strings.Repeat("word ", 14) + "\nlast", strings.TrimSpace(strings.Repeat("word ", 14)) + " last"},
		{"a line that ended early stays", "**Status**: done\n**Owner**: me", "Status: done\nOwner: me"},
		{"a label in bold begins a line", strings.Repeat("word ", 14) + "\n**last**: x", strings.TrimSpace(strings.Repeat("word ", 14)) + "\nlast: x"},
		{"two spaces break a line", strings.Repeat("word ", 14) + "  \nlast", strings.TrimSpace(strings.Repeat("word ", 14)) + "\nlast"},
		{"lists in lists", "- a\n  - b\n    - c\n\n      d\n- e", "• a\n  ◦ b\n    ▪ c\n\n      d\n• e"},
		{"numbers are aligned", "9. a\n10. b", " 9. a\n10. b"},
		{"tasks", "- [ ] a\n- [x] b\n- [X] c\n- [y] d", "☐ a\n☑ b\n☑ c\n• [y] d"},
		{"an item without text", "- a\n-\n- b", "• a\n•\n• b"},
		{"a quote in a quote", "> a\n>\n> > b", "▎ a\n▎\n▎ ▎ b"},
		{"code", "```go\na\tb\n\nc\n```", "┌ go\n│ a   b\n│\n│ c"},
		{"code without an end", "```\na", "│ a"},
		{"code without text", "```\n```\nx", "│\nx"},
		{"a rule", "a\n\n***", "a\n\n" + strings.Repeat("─", 80)},
		{"a comment is shown", "a <!-- b --> c\n\n<!-- d\ne -->", "a <!-- b --> c\n\n<!-- d\ne -->"},
		{"a target that the text does not say", `[a](b.md "c")`, "a (b.md) “c”"},
		{"a target that it says", "[https://a.b](https://a.b) <https://c.d> www.e.f", "https://a.b https://c.d www.e.f"},
		{"an image", "![plan](a.png)", "[image: plan](a.png)"},
		{"links by name", "[[a]] [[b|c]] ![[d]]", "a c (b) [embedded: d]"},
		{"brackets that are no link", "[a] [[]] [[b", "[a] [[]] [[b"},
		{"a definition is shown", "[a][b]\n\n[b]: c.md", "a (c.md)\n\n[b]: c.md"},
		{"a footnote", "a[^n]\n\n[^n]: b", "a[^n]\n\n[^n]: b"},
		{"entities", "&lt;a&gt; &amp;c; &#65; \\*", "<a> &c; A *"},
		{"front matter in one row", "---\nname: a\nb: c\nd: e\n---\ntext", "--- name: a · 2 more\ntext"},
		{"front matter without an end is none", "---\nname: a", strings.Repeat("─", 80) + "\nname: a"},
		{"empty lines are one", "a\n\n\n\nb", "a\n\nb"},
		{"a table", "|a|b|\n|-|-:|\n|c|ddd|\n|e|f|g|", "a │   b │\n──┼─────┼──\nc │ ddd │\ne │   f │ g"},
		{"a bar in a cell", "|a|\n|-|\n|`b\\|c` d\\|e|", "a\n───────────\n`b|c` d|e"},
		{"no table without its line", "a|b\nc|d", "a|b\nc|d"},
		{"CRLF", "# a\r\n\r\nb\r\n- c\r\n\r\n```\r\nd\r\n```\r\n", "# a\n\nb\n• c\n\n│ d"},
	} {
		got := shown(c.in, 80)
		if c.name == "a table" || c.name == "a bar in a cell" { // other tests check the widths
			got = strings.NewReplacer("─", "-").Replace(got)
			c.want = strings.NewReplacer("─", "-").Replace(c.want)
			for strings.Contains(got, "---") || strings.Contains(c.want, "---") {
				got, c.want = strings.ReplaceAll(got, "--", "-"), strings.ReplaceAll(c.want, "--", "-")
			}
		}
		if got != c.want {
			t.Errorf("%s: %q is shown as\n%s\nwant\n%s", c.name, c.in, got, c.want)
		}
	}
}

func TestTable_WithoutRoomForItsColumnsIsWrapped(t *testing.T) {
	in := "|name|what to do|\n|-|-|\n|api|**restart** it|\n|search|see [plan](p.md)|x|\n"
	want := "name | what\nto do\napi |\nrestart it\nsearch | see\nplan (p.md)\n| x"
	if got := shown(in, 12); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	l := Parse([]byte(in)).Layout(12, false)
	if line, at := l.Source(2); line != 2 || at != 0 {
		t.Errorf("the first row below the heads comes from %d:%d", line, at)
	}
	if row := l.RowOf(3, strings.Index("|search|see [plan]", "plan")); row != 5 {
		t.Errorf("the link is in row %d", row)
	}
	if spots := l.Links(nil, 5); len(spots) != 1 {
		t.Errorf("the row of the link has the links %v", spots)
	}
}

func TestHidden_IsShownAsMarks(t *testing.T) {
	for in, want := range map[string]string{
		"a\u202eb":             "a<U+202E>b",
		"&#x202e;b":            "<U+202E>b",
		"a&#27;[31m":           "a^[[31m",
		"&#155;":               "<U+009B>",
		"&#0;":                 "\ufffd",
		"&ZeroWidthSpace;":     "<U+200B>",
		"[a](&#x202e;.md)":     "a (<U+202E>.md)",
		"[[a\x1b]]":            "a^[",
		"```\x1b[1m\nx\x07":    "┌ ^[[1m\n│ x^G",
		"|a\x1b|\n|-|\n":       "a^[\n───",
		"# a\u200b":            "# a<U+200B>",
		"---\na: \x1b]0;\n---": "--- a: ^[]0;",
		"<b\x9b>":              "<b<9B>>",
	} {
		if got := shown(in, 40); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// check verifies the guarantees of a document.
func check(t interface {
	Helper()
	Fatalf(string, ...any)
}, source string, width int) {
	t.Helper()
	d := Parse([]byte(source))
	for _, fold := range []bool{true, false} {
		l := d.Layout(width, fold)
		p := pen()
		p.Chosen = 0
		p.Find = func(dst []text.Span, s string) []text.Span {
			if i := strings.Index(s, "a"); i >= 0 {
				dst = append(dst, text.Span{From: i, To: i + 1, On: "\x1b[7m"})
			}
			return dst
		}
		lastLine, lastAt := 0, 0
		for i := range min(l.Len(), 5000) {
			b := string(l.Append(nil, i, p))
			plain := ansi.Strip(b)
			if w := ansi.StringWidth(plain); w != l.Width() {
				t.Fatalf("row %d is %d columns wide, want %d: %q, in\n%q", i, w, l.Width(), b, source)
			}
			prev := rune(0)
			for at, r := range plain {
				next, _ := utf8.DecodeRuneInString(plain[at+utf8.RuneLen(r):])
				if r < 0x20 || r == 0x7f || memfs.HiddenRune(r) && !memfs.Joins(prev, r, next) {
					t.Fatalf("row %d of %q lets %U through: %q", i, source, r, b)
				}
				prev = r
			}
			line, at := l.Source(i)
			if line < lastLine || line == lastLine && at < lastAt || line >= len(d.lines) {
				t.Fatalf("row %d, %q, comes from %d:%d, the one above from %d:%d, in\n%q", i, plain, line, at, lastLine, lastAt, source)
			}
			lastLine, lastAt = line, at
			if back := l.RowOf(line, at); l.LineOf(back) != line && strings.TrimSpace(plain) != "" {
				t.Fatalf("row %d, %q, comes from %d:%d, which row %d (line %d) shows, in\n%q", i, plain, line, at, back, l.LineOf(back), source)
			}
			for _, s := range l.Links(nil, i) {
				if s.From >= s.To || s.To > l.Width() || s.Link >= len(d.links) {
					t.Fatalf("row %d of %q has a link at %+v", i, source, s)
				}
			}
		}
	}
	for _, k := range d.links {
		line := source[d.lines[k.Line]:]
		line, _, _ = strings.Cut(line, "\n")
		if k.From < 0 || k.To < k.From || k.To > len(line) && k.From <= len(line) {
			t.Fatalf("%q has a link at %+v", source, k)
		}
	}
}

func TestRows_FitEveryWidth(t *testing.T) {
	s := string(sample(t))
	for width := range 130 {
		check(t, s, width)
	}
	check(t, "", 10)
}

var pieces = []string{"# ", "- ", "> ", "1. ", "- [ ] ", "```\n", "~~~", "|", "|-|-|\n", "\n", "\n\n", "    ", "\t", "*", "**", "_", "`", "[", "]", "(", ")", "![", "[[", "]]", "[^", "]: ", "<", ">",
	"<!--", "-->", "<div>", "&#x202e;", "&amp;", "\\", "http://a.b", "www.", "a", "word ", "日本", "é", "👩\u200d👧", "\u202e", "\u200b", "\x1b[31m", "\x9b", "\x00", "\r\n", "\r", "---\n", "===\n", "~~", "a: b"}

func FuzzRows(f *testing.F) {
	for i, s := range pieces {
		f.Add(s+pieces[(i*7+3)%len(pieces)]+"a "+pieces[(i*11+5)%len(pieces)]+"\n"+s, 20)
		f.Add(strings.Repeat(s, 40), i)
	}
	f.Add(string(sample(f)), 33)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if len(s) < 1<<14 {
			check(t, s, min(max(width, 0), 300))
		}
	})
}

func TestParse_IsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, bomb := range []string{">", "1. ", "*a_ ", "[a](", "[a]: b\n", "~", "`", "[", "- - - a\n", "a|", "\u0301", "[a](b \"", "a <!-- "} {
		s := []byte("x " + strings.Repeat(bomb, 200_000/len(bomb)))
		for _, s := range [][]byte{s, s[2:]} {
			start := time.Now()
			l := Parse(s).Layout(80, true)
			l.Append(nil, l.Len()/2, pen())
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%q, 200 KB of it, takes %v", bomb, took)
			}
		}
	}
}

func TestDefinitions_BeyondTheLimitAreText(t *testing.T) {
	for n, want := range map[int]int{maxDefinitions: maxDefinitions, maxDefinitions + 1: 0} {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "[a%d]: b.md\n", i)
		}
		d := Parse([]byte(s.String()))
		if len(d.Links()) != want || d.Layout(40, true).Len() != n {
			t.Errorf("%d definitions make %d links and %d rows", n, len(d.Links()), d.Layout(40, true).Len())
		}
	}
}

// words returns the runs of letters and digits in a text.
func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// nothingLost returns a word of the source that no row shows.
func nothingLost(source string) string {
	var all strings.Builder
	for _, s := range rows(Parse([]byte(source)).Layout(1000, false)) {
		all.WriteString(s + "\n")
	}
	have := map[string]int{}
	for _, w := range words(all.String()) {
		have[w]++
	}
	for _, w := range words(source) {
		if len(w) > 3 && have[w] == 0 {
			return w
		}
	}
	return ""
}

func TestRendering_LeavesNothingOut(t *testing.T) {
	source := strings.NewReplacer("&#x202e;", "", "&#27;", "").Replace(string(sample(t)))
	if w := nothingLost(source); w != "" {
		t.Errorf("%q is nowhere", w)
	}
	if nothingLost("&nbsp;") != "nbsp" {
		t.Error("the test can't find a lost word")
	}
}

func TestSource_MapsBackToTheRow(t *testing.T) {
	source := sample(t)
	d := Parse(source)
	lines := strings.Split(string(source), "\n")
	for _, width := range []int{100, 40, 20} {
		l := d.Layout(width, false)
		text := rows(l)
		for line, s := range lines {
			for _, w := range words(s) {
				at := strings.Index(s, w)
				if len(w) < 5 || strings.Count(s, w) > 1 || strings.HasPrefix(s, "|") || strings.Contains(s, "&#") || w[0] >= utf8.RuneSelf {
					continue
				}
				row := l.RowOf(line, at)
				found := false
				for i := max(row-1, 0); i <= min(row+3, len(text)-1); i++ {
					found = found || strings.Contains(text[i], w[:min(len(w), 5)])
				}
				if !found {
					t.Errorf("%d columns: %q of line %d is not near row %d: %q", width, w, line+1, row, text[row])
				}
			}
		}
	}
}

func BenchmarkParse_100KB(b *testing.B) {
	s := long(b)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(s)
	}
}

func long(b testing.TB) []byte {
	s := sample(b)
	return []byte(strings.Repeat(string(s[strings.Index(string(s), "# Rel"):]), 100_000/len(s)+1))
}

func BenchmarkLayout_100KB(b *testing.B) {
	d := Parse(long(b))
	for b.Loop() {
		d.Layout(80, true)
	}
}

// BenchmarkFirstScreen_100KB measures opening a memory of 100 KB.
func BenchmarkFirstScreen_100KB(b *testing.B) {
	s, p := long(b), pen()
	var dst []byte
	for b.Loop() {
		l := Parse(s).Layout(80, true)
		for i := range 36 {
			dst = l.Append(dst[:0], i, p)
		}
	}
}

func BenchmarkDraw_120x36(b *testing.B) {
	l, p := Parse(long(b)).Layout(120, true), pen()
	dst := make([]byte, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		dst = dst[:0]
		for i := range 36 {
			dst = l.Append(dst, l.Len()/2+i, p)
		}
	}
}

func TestASCII_DrawsOnlyASCIILines(t *testing.T) {
	source := "# head\n\n> quoted\n> more\n\n```sh\nmake\n```\n\n    code\n\n---\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] a\n- [ ] b\n  - c\n    - d\n      - e\n"
	draw := func(th *theme.Theme) string {
		l, p := Parse([]byte(source)).Layout(30, true), NewPen(NewStyles(th))
		var out []string
		for i := range l.Len() {
			row := string(l.Append(nil, i, p))
			if w := ansi.StringWidth(row); w != 30 {
				t.Errorf("row %d is %d wide: %q", i, w, row)
			}
			out = append(out, strings.TrimRight(ansi.Strip(row), " "))
		}
		return strings.Join(out, "\n")
	}
	th := theme.New(true, theme.Many)
	drawn := draw(th)
	if !strings.ContainsAny(drawn, "▎┌│─┼") {
		t.Fatalf("nothing is drawn:\n%s", drawn)
	}
	got := draw(th.WithLines(theme.ASCII))
	want := strings.NewReplacer("▎", "|", "│", "|", "┌", "+", "─", "-", "┼", "+", "•", "*", "◦", "-", "▪", "+", "☐", "o", "☑", "x").Replace(drawn)
	if got != want || strings.ContainsFunc(got, func(r rune) bool { return r >= utf8.RuneSelf }) {
		t.Errorf("drawn is\n%s", got)
	}
}
