package text

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/memend/memend/memfs"
	"pgregory.net/rapid"
)

func clip(s string, width int) string {
	dst, _ := Clip(nil, s, width)
	return string(dst)
}

// README: "invisible characters are shown and counted".
func TestClip_ShowsInvisibleCharacters(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain text stays", "hello", "hello"},
		{"a tab reaches the next stop", "a\tb", "a   b"},
		{"escape is a caret", "\x1b[31mred", "^[[31mred"},
		{"carriage return cannot overwrite", "safe\rEVIL", "safe^MEVIL"},
		{"delete", "a\x7fb", "a^?b"},
		{"C1 as a character", "a\u009b31m", "a<U+009B>31m"},
		{"C1 as a stray byte", "a\x9b31m", "a<9B>31m"},
		{"truncated UTF-8", "a\xe2\x82", "a<E2><82>"},
		{"bidi override", "a\u202eb", "a<U+202E>b"},
		{"zero-width space", "a\u200bb", "a<U+200B>b"},
		{"tag characters", "x\U000E0072\U000E006D\U000E0020\U000E0041", "x<r><m>< ><A>"},
		{"a tag that stands for nothing", "x\U000E0001", "x<U+E0001>"},
		{"selector supplement", "x\U000E0100y", "x<U+E0100>y"},
		{"a selector after a letter", "x\ufe0fy", "x<U+FE0F>y"},
		{"a selector after an emoji works", "❤\ufe0f!", "❤\ufe0f!"},
		{"a second selector does not", "❤\ufe0f\ufe0f!", "❤\ufe0f<U+FE0F>!"},
		{"a keycap", "1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"a joiner inside an emoji works", "👩\u200d👧", "👩\u200d👧"},
		{"a joiner at its end does not", "👩\u200d", "👩<U+200D>"},
		{"a joiner between letters does not", "a\u200db", "a<U+200D>b"},
		{"a non-joiner in Persian works", "می\u200cخواهم", "می\u200cخواهم"},
		{"CJK", "日本語", "日本語"},
		{"an accent stays on its letter", "cafe\u0301", "cafe\u0301"},
		{"an accent without a letter gets a circle", "\u0301a", "◌\u0301a"},
		{"an accent after a tab gets a circle", "\t\u0301", "    ◌\u0301"},
		{"line separator", "a\u2028b", "a<U+2028>b"},
		{"byte order mark", "\ufeffa", "<U+FEFF>a"},
		{"Hangul filler", "\u3164x", "<U+3164>x"},
	} {
		if got := clip(c.in, 80); got != c.want {
			t.Errorf("%s: %q is drawn as %q, want %q", c.name, c.in, got, c.want)
		}
		if got := Field(c.in); got != c.want {
			t.Errorf("%s: the field of %q is %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestClip_NeverCutsAWideCharacter(t *testing.T) {
	if got, cols := Clip(nil, "a日本", 4); string(got) != "a日" || cols != 3 {
		t.Errorf("clipped to %q, %d columns", got, cols)
	}
	if got := string(Pad(nil, "a日本", 4)); got != "a日 " {
		t.Errorf("padded to %q", got)
	}
	got, cols := Line{Width: 4, Skip: 2}.Append(nil, "a日本語")
	if string(got) != " 本" || cols != 3 {
		t.Errorf("scrolled by half a character: %q, %d columns", got, cols)
	}
}

func TestClipMiddle_KeepsBothEndsAndFitsItsWidth(t *testing.T) {
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{{"/a/b/c.md", 9, "/a/b/c.md"}, {"/abcdef/g.md", 9, "/abc…g.md"}, {"/abcdef/g.md", 1, "…"}, {"日本語日本語", 7, "日…本語"}} {
		if got := string(ClipMiddle(nil, c.in, c.width)); got != c.want || Width(got) > c.width {
			t.Errorf("%q in %d columns: %q", c.in, c.width, got)
		}
	}
	for width := range 20 {
		if got := string(ClipMiddle(nil, "/a/日本語/cé\u0301/d.md", width)); Width(got) > width {
			t.Errorf("%d columns: %q", width, got)
		}
	}
}

func TestClip_EndsOrBeginsWithAnEllipsisWhenTextIsLeftOut(t *testing.T) {
	more := func(s string, w int) string { b, _ := ClipMore(nil, s, w); return string(b) }
	start := func(s string, w int) string { b, _ := ClipStart(nil, s, w); return string(b) }
	if got := more("abcdef", 4); got != "abc…" {
		t.Error(got)
	}
	if got := more("abcd", 4); got != "abcd" {
		t.Error(got)
	}
	if got := start("abcdef", 4); got != "…def" {
		t.Error(got)
	}
	if got := start("ab日本", 4); got != "… 本" {
		t.Error(got)
	}
	if got := more("abc", 0) + start("abc", 0); got != "" {
		t.Error(got)
	}
}

func TestAppend_CombinesLayers(t *testing.T) {
	const base, a, b = "\x1b[2m", "\x1b[31m", "\x1b[7m"
	l := Line{Width: 20, Base: base, Mark: "\x1b[33m", Fill: true}
	got, cols := l.Append(nil, "0123456789", []Span{{2, 6, a}}, []Span{{4, 8, b}})
	want := base + "01" + a + "23" + Reset + base + a + b + "45" + Reset + base + b + "67" + Reset + base + "89" + strings.Repeat(" ", 10) + Reset
	if string(got) != want || cols != 20 {
		t.Errorf("drew\n%q, want\n%q", got, want)
	}
	got, _ = l.Append(nil, "a\x01b", []Span{{0, 3, a}})
	if !strings.Contains(string(got), a+"a\x1b[33m^A"+Reset+base+a+"b") {
		t.Errorf("the mark does not give the line its style back: %q", got)
	}
}

func TestOffset_IsTheInverseOfColumn(t *testing.T) {
	s := "a\tb日\x01é\u202eend"
	for i := 0; i < len(s); i = Next(s, i) {
		if got := Offset(s, Column(s, i, 4), 4); got != i {
			t.Errorf("byte %d is at column %d, where byte %d begins", i, Column(s, i, 4), got)
		}
		if i > 0 && Next(s, Prev(s, i)) != i {
			t.Errorf("the step back from %d is %d", i, Prev(s, i))
		}
	}
}

func TestWrap_BreaksBetweenWords(t *testing.T) {
	rows := func(s string, w int) (out []string) {
		at := Wrap(nil, s, w, 4, 0)
		for i, from := range at {
			to := len(s)
			if i+1 < len(at) {
				to = at[i+1]
			}
			out = append(out, s[from:to])
		}
		return out
	}
	for _, c := range []struct {
		in    string
		width int
		want  string
	}{
		{"the quick brown fox", 10, "the quick |brown fox"},
		{"the quick  brown", 9, "the quick  |brown"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"ab cdefghij", 4, "ab |cdef|ghij"},
		{"日本語です", 4, "日本|語で|す"},
		{"", 4, ""},
		{"日", 1, "日"},
	} {
		if got := strings.Join(rows(c.in, c.width), "|"); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.in, c.width, got, c.want)
		}
	}
	if got := Wrap(nil, strings.Repeat("a", 1000), 10, 4, 3); len(got) != 3 {
		t.Errorf("%d rows, at most 3 were asked for", len(got))
	}
}

func TestWrap_IsLinearInCombiningMarks(t *testing.T) {
	s := "a" + strings.Repeat("\u0301", 200_000)
	start := time.Now()
	Wrap(nil, s, 80, 0, 0)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("400 KB of accents take %v", took)
	}
}

// README: "invisible characters are shown and counted".
func TestHidden_CountsInvisibleCharacters(t *testing.T) {
	for in, want := range map[string]int{
		"":                     0,
		"plain\ttext\r\n":      0,
		"a\rb":                 1,
		"\x1b[0m":              1,
		"a\x7f":                1,
		"\u202ea\u200b\u2066":  3,
		"\ufeffa":              0,
		"a\ufeff":              1,
		"❤\ufe0f 👩\u200d👧":     0,
		"a\u200db":             1,
		"x\U000E0041\ufe00":    2,
		"caf\u00e9 日本語 \u00ad": 1,
		"\xff\x9b":             0,
		"\u009b":               1,
		"می\u200cخواهم":        0,
	} {
		if got := memfs.Hidden([]byte(in)); got != want {
			t.Errorf("%q hides %d characters, want %d", in, got, want)
		}
	}
}

func TestHidden_CountsEveryRuneThatHides(t *testing.T) {
	for r := rune(0x80); r <= utf8.MaxRune; r++ {
		if memfs.HiddenRune(r) && r != '\ufeff' && memfs.Hidden([]byte("a"+string(r)+"b")) != 1 {
			t.Fatalf("%U hides but is not counted", r)
		}
	}
}

// hostile are pieces of malicious text.
var hostile = []string{"\x1b[31m", "\x1b]0;t\a", "\x1b]52;c;AAAA\x1b\\", "\u009b", "\x9b", "\u202e", "\u2066", "\u200b", "\u200d", "\ufe0f",
	"\U000E0041", "\U000E0100", "👩", "❤", "🇩", "🏽", "日", "e", "\u0301", "\u20e3", "1", "\t", "\r", " ", "\u0600", "क्षि", "\u1100", "\u1161", "\u3164", "\xff", "\u2028"}

func hostileText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringN(0, 3, 8)), 0, 30).Draw(t, "pieces"), "")
	})
}

const testStyle = "\x1b[31m"

// foreign returns what in drawn is neither text nor an expected SGR sequence.
func foreign(drawn string) string {
	drawn = strings.ReplaceAll(strings.ReplaceAll(drawn, testStyle, ""), Reset, "")
	prev := rune(0)
	for i, r := range drawn {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(drawn[i:]); n == 1 {
				return "a byte that is no UTF-8"
			}
		}
		if r < 0x20 || memfs.HiddenRune(r) {
			next, _ := utf8.DecodeRuneInString(drawn[i+utf8.RuneLen(r):])
			if !memfs.Joins(prev, r, next) {
				return string(r)
			}
		}
		prev = r
	}
	return ""
}

func checkDrawn(t interface{ Fatalf(string, ...any) }, s string, l Line, spans []Span) {
	out, cols := l.Append(nil, s, spans)
	if f := foreign(string(out)); f != "" {
		t.Fatalf("%+v draws %q as %q, which holds %q", l, s, out, f)
	}
	if cols > l.Width {
		t.Fatalf("%+v draws %q in %d columns", l, s, cols)
	}
	if w := ansi.StringWidth(string(out)); w > cols {
		t.Fatalf("%+v draws %q as %q: %d columns, it says %d", l, s, out, w, cols)
	}
}

func TestAppend_PassesNoForeignSequences(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := hostileText().Draw(t, "text")
		l := Line{
			Width: rapid.IntRange(0, 60).Draw(t, "width"), Skip: rapid.IntRange(0, 20).Draw(t, "skip"),
			Base: rapid.SampledFrom([]string{"", testStyle}).Draw(t, "base"), Mark: rapid.SampledFrom([]string{"", testStyle}).Draw(t, "mark"),
			Fill: rapid.Bool().Draw(t, "fill"),
		}
		from := rapid.IntRange(0, len(s)).Draw(t, "from")
		checkDrawn(t, s, l, []Span{{from, rapid.IntRange(from, len(s)).Draw(t, "to"), testStyle}})
		if f := foreign(Field(s)); f != "" {
			t.Fatalf("the field of %q holds %q", s, f)
		}
		rows := Wrap(nil, s, max(l.Width, 1), 0, 0)
		for i := 1; i < len(rows); i++ {
			if rows[i] <= rows[i-1] || rows[i] > len(s) {
				t.Fatalf("%q wraps at %v", s, rows)
			}
		}
		for i := 0; i < len(s); i = Next(s, i) {
			if Next(s, i) <= i {
				t.Fatalf("no step from byte %d of %q", i, s)
			}
		}
		_, cols := Clip(nil, s, 1<<20)
		if Width(s) != cols {
			t.Fatalf("%q is %d wide and drawn in %d columns", s, Width(s), cols)
		}
	})
}

func FuzzAppend(f *testing.F) {
	for _, s := range hostile {
		f.Add(s, 20, 0)
		f.Add("a"+s+"b"+s, 7, 3)
	}
	f.Fuzz(func(t *testing.T, s string, width, skip int) {
		l := Line{Width: min(max(width, 0), 1000), Skip: min(max(skip, 0), 1000), Base: testStyle, Mark: testStyle, Fill: true}
		checkDrawn(t, s, l, []Span{{len(s) / 3, len(s) / 2, testStyle}})
	})
}

func BenchmarkAppend_ASCII(b *testing.B) {
	s := strings.Repeat("the quick brown fox ", 5)
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = Line{Width: 100}.Append(dst[:0], s)
	}
}

func BenchmarkAppend_CJK(b *testing.B) {
	s := strings.Repeat("日本語テキスト", 8)
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = Line{Width: 100}.Append(dst[:0], s)
	}
}

func BenchmarkHidden_100KB(b *testing.B) {
	s := []byte(strings.Repeat("the quick brown fox — déjà vu ", 3000))
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		memfs.Hidden(s)
	}
}

func TestAside_EndsAtTheEndOfTheLongestLine(t *testing.T) {
	lines := slices.Values([]string{"", "日本語のメモ", strings.Repeat("x", 30)})
	for _, c := range []struct{ col, d, w, want int }{
		{0, 8, 20, 8}, {8, 8, 20, 10}, {10, 8, 20, 10}, {10, -8, 20, 2}, {2, -8, 20, 0},
		{0, 8, 40, 0}, {25, 8, 20, 25}, {25, -8, 20, 17},
	} {
		if got := Aside(c.col, c.d, c.w, lines); got != c.want {
			t.Errorf("from column %d by %d with %d columns: %d, want %d", c.col, c.d, c.w, got, c.want)
		}
	}
}
