package diffview

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
)

var update = flag.Bool("update", false, "write the golden frames anew")

func press(v *View, names string) {
	for _, name := range strings.Fields(names) {
		v.Press([]string{name}, 0)
	}
}

func show(old, new string, w, h int) *View {
	v := New(theme.New(true, theme.Many), nil)
	v.SetSize(w, h)
	v.Show(Compare("a.txt", []byte(old), []byte(new)))
	return v
}

func numbered(n int, change map[int]string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if s, ok := change[i]; ok {
			b.WriteString(s)
			continue
		}
		fmt.Fprintf(&b, "line %d of the text\n", i)
	}
	return b.String()
}

func TestFrames_MatchGoldens(t *testing.T) {
	old := numbered(60, map[int]string{20: "meet on friday at noon\n", 40: "gone\n", 60: "last\x1b[31m\n"})
	new := numbered(60, map[int]string{20: "meet on monday at noon\nand bring 中文 notes\n", 40: "", 60: "last\x1b[31m"})
	frames(t, old, new, []frame{
		{"below-72x24", "", 72, 24},
		{"beside-120x20", "", 120, 20},
		{"narrow-24x10", "", 24, 10},
		{"hunk-72x24", "]", 72, 24},
		{"lines-72x24", "V j", 72, 24},
		{"whole-40x12", "f", 40, 12},
	})
}

// frame is a golden frame of a diff, after keys.
type frame struct {
	name, keys string
	w, h       int
}

func frames(t *testing.T, old, new string, list []frame) {
	t.Helper()
	for _, c := range list {
		v := show(old, new, c.w, c.h)
		press(v, c.keys)
		drawtest.Golden(t, *update, c.name, v.View())
	}
}

func TestColours_FollowTheirRoles(t *testing.T) {
	th := theme.New(true, theme.Many)
	for _, w := range []int{60, 120} {
		got := show("meet on friday at \x07 noon\n", "meet on monday at \x07 noon\n", w, 4).View()
		for what, want := range map[string]string{
			"removed word": th.RemovedWord.On + "friday", "added word": th.AddedWord.On + "monday",
			"sign": th.AddedLine.On + th.Added.On + "+", "hidden character": th.HiddenChar.On + "^G",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%d wide: no %s (%q) in %q", w, what, want, got)
			}
		}
	}
}

func TestLayout_FollowsTheWidthUntilSet(t *testing.T) {
	v := show("a\n", "b\n", 120, 5)
	if !v.Beside() {
		t.Error("not side by side in 120 columns")
	}
	v.SetSize(80, 5)
	if v.Beside() {
		t.Error("side by side in 80 columns")
	}
	press(v, "s")
	if !v.Beside() {
		t.Error("s does not put them side by side")
	}
	v.SetSize(30, 5)
	if v.Beside() {
		t.Error("side by side in 30 columns")
	}
	v.SetSize(200, 5)
	press(v, "s")
	if v.Beside() {
		t.Error("s does not put them back")
	}
}

func TestLayout_GivesASingleTextTheFullWidth(t *testing.T) {
	text := strings.Repeat("a line of about forty columns, or a bit more\n", 3)
	for name, texts := range map[string][2]string{"created": {"", text}, "deleted": {text, ""}} {
		v := show(texts[0], texts[1], 140, 5)
		sign := map[string]string{"created": "+", "deleted": "-"}[name]
		for range 2 {
			rows := strings.Split(ansi.Strip(v.View()), "\n")
			if v.Beside() || strings.Contains(rows[0], "│") || !strings.Contains(rows[0], sign+" a line") || !strings.HasPrefix(rows[0], "▌") {
				t.Errorf("%s:\n%s", name, ansi.Strip(v.View()))
			}
			press(v, "s") // there is nothing to show beside it
		}
		v.Show(Compare("a.md", []byte("a\n"), []byte("b\n")))
		if !v.Beside() {
			t.Errorf("%s: the next diff is not side by side any more", name)
		}
	}
}

func TestContext_GrowsAndShrinksInPlace(t *testing.T) {
	change := map[int]string{}
	for i := 30; i <= 270; i += 40 {
		change[i] = "changed\n"
	}
	v := show(numbered(300, nil), numbered(300, change), 80, 20)
	press(v, "] ] ]")
	before := strings.Index(ansi.Strip(v.View()), "+ changed")
	for _, keys := range []string{"}", "} } }", "{ { { {", "{ { {"} {
		press(v, keys)
		rows := strings.Split(ansi.Strip(v.View()), "\n")
		at := -1
		for y, r := range rows {
			if strings.Contains(r, "150 + changed") {
				at = y
			}
		}
		if at < 0 {
			t.Fatalf("after %q the hunk in sight is gone:\n%s", keys, strings.Join(rows, "\n"))
		}
	}
	if v.context != 0 || before < 0 {
		t.Errorf("context is %d", v.context)
	}
	press(v, "{")
	if v.context != 0 {
		t.Error("less than nothing is shown around hunks")
	}
}

func TestLayout_ChangesInPlace(t *testing.T) {
	old, new := map[int]string{}, map[int]string{}
	for i := 10; i < 1000; i += 30 {
		old[i] = fmt.Sprintf("old %d\nmore\nmore\n", i)
		new[i] = fmt.Sprintf("new %d\n", i)
	}
	v := show(numbered(1000, old), numbered(1000, new), 80, 20)
	press(v, strings.Repeat("] ", 20))
	for range 4 {
		if !strings.Contains(v.View(), "610") {
			t.Fatalf("the place is lost:\n%s", ansi.Strip(v.View()))
		}
		press(v, "s")
	}
}

func TestJump_GoesFromHunkToHunk(t *testing.T) {
	v := show(numbered(200, nil), numbered(200, map[int]string{50: "x\n", 100: "y\n", 150: "z\n"}), 60, 6)
	var tops []int
	for _, k := range []string{"]", "]", "]", "[", "[", "p"} {
		press(v, k)
		tops = append(tops, v.win.Top)
	}
	if want := []int{9, 18, 18, 9, 0, 0}; fmt.Sprint(tops) != fmt.Sprint(want) {
		t.Errorf("tops are %v, want %v", tops, want)
	}
}

func TestNotes_DescribeInvisibleDifferences(t *testing.T) {
	for name, c := range map[string]struct {
		doc  *Document
		want string
	}{
		"the same":    {Compare("a.txt", []byte("a\n"), []byte("a\n")), "Identical, byte for byte."},
		"empty":       {Compare("a.txt", nil, []byte{}), "Empty: there is no text."}, // as of an empty memory that was created
		"line ends":   {Compare("a.txt", []byte("a\r\nb\r\n"), []byte("a\nb\n")), "Only line ends differ."},
		"no text":     {Compare("a.txt", []byte("a\n"), []byte("\xff\n")), "Not UTF-8 text"},
		"huge":        {Compare("a.txt", bytes.Repeat([]byte("x\n"), 600_000), []byte("y\n")), "Too large to compare line by line"},
		"of somebody": {Note("Version 3 was redacted."), "Version 3 was redacted."},
	} {
		v := New(theme.New(true, theme.Many), nil)
		v.SetSize(60, 6)
		v.Show(c.doc)
		if got := ansi.Strip(v.View()); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", name, c.want, got)
		}
	}
}

func TestLineEnds_AreShownOnlyIfTheyDiffer(t *testing.T) {
	if got := ansi.Strip(show("a\r\nb\r\n", "a\r\nc\r\n", 40, 5).View()); strings.Contains(got, "^M") {
		t.Errorf("CRLF shows in a text that has no other line end:\n%s", got)
	}
	if got := ansi.Strip(show("a\r\nb\n", "a\nb\n", 40, 5).View()); !strings.Contains(got, "- a^M") {
		t.Errorf("a changed line end does not show:\n%s", got)
	}
	if got := ansi.Strip(show("a\nb\n", "a\nb", 60, 5).View()); strings.Count(got, strings.TrimSpace(noNewline)) != 1 {
		t.Errorf("the missing newline does not show once:\n%s", got)
	}
}

func TestSideways_ShowsTheRestOfALongLine(t *testing.T) {
	v := show(strings.Repeat("x", 100)+"old\n", strings.Repeat("x", 100)+"new\n", 60, 4)
	press(v, strings.Repeat("l ", 9))
	if got := ansi.Strip(v.View()); !strings.Contains(got, "new") || !strings.Contains(got, "old") {
		t.Errorf("scrolled to %d:\n%s", v.left, got)
	}
	press(v, strings.Repeat("l ", 50))
	if v.left > 103 {
		t.Errorf("scrolled to %d, beyond every line", v.left)
	}
	press(v, strings.Repeat("h ", 80))
	if v.left != 0 {
		t.Errorf("scrolled back to %d", v.left)
	}
}

func TestWheel_StopsAtTheEnd(t *testing.T) {
	v := show(numbered(50, nil), "", 40, 10)
	for range 100 {
		v.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	if v.win.Top != 40 {
		t.Errorf("top is %d", v.win.Top)
	}
	v.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if v.win.Top != 37 {
		t.Errorf("top is %d", v.win.Top)
	}
}

func TestGeometry_FitsEverySize(t *testing.T) {
	old := numbered(30, map[int]string{9: "\x1b]0;t\a中文 \u202e\xff\tend\n", 30: "no end"})
	new := numbered(30, map[int]string{3: "", 9: "\u009b31m 👩\u200d👧 é\n\r\nmore\n", 20: strings.Repeat("中", 300) + "\n"})
	docs := []*Document{Compare("a.txt", []byte(old), []byte(new)), Compare("a.txt", nil, []byte(new)), Compare("a.txt", nil, nil), Note("Erased."), Compare("a.txt", []byte("a\r\n"), []byte("a\n"))}
	for w := 0; w <= 130; w += 1 + w/7 {
		for h := 0; h <= 40; h += 1 + h/3 {
			for i, d := range docs {
				if !drawtest.Tries(i, w, h) {
					continue
				}
				v := New(theme.New(true, theme.Many), nil)
				v.SetSize(w, h)
				v.Show(d)
				for _, k := range []string{"", "l", "s", "G", "} }", "[", "l l", "s", "{ { { { {", "home", "] V j j", "w", "j j", "s", "j", "G", "k k", "V j", "W", "f", "G", "s", "g g", "W", "pgdown", "[", "w", "s"} {
					press(v, k)
					if p := drawtest.Problem(v.View(), w, h); p != "" {
						t.Fatalf("document %d at %dx%d after %q: %s", i, w, h, k, p)
					}
				}
			}
		}
	}
}

func TestUnknownKeys_AreNotHandled(t *testing.T) {
	v := New(theme.New(true, theme.Many), nil)
	_, z := v.Press([]string{"z"}, 0)
	if _, side := v.Press([]string{"s"}, 0); z != keys.None || side != keys.Done {
		t.Error("keys are told wrongly")
	}
}

// BenchmarkScroll must not depend on the size of the texts.
func BenchmarkScroll(b *testing.B) {
	for _, n := range []int{1000, 200_000} {
		r := rand.New(rand.NewSource(1))
		change := map[int]string{}
		for range n / 5 {
			i := 1 + r.Intn(n)
			change[i] = fmt.Sprintf("line %d of another text\n", i)
		}
		doc := Compare("a.md", []byte(numbered(n, nil)), []byte(numbered(n, change)))
		for _, w := range []int{100, 140, -100, -50} { // wrapped below 0
			b.Run(fmt.Sprintf("%d_lines_%d_wide", n, w), func(b *testing.B) {
				v := New(theme.New(true, theme.Many), nil)
				v.SetWrap(w < 0)
				v.SetSize(max(w, -w), 40)
				v.Show(doc)
				press(v, "pgdown pgdown pgdown")
				i := 0
				for b.Loop() {
					v.scroll(1 - i%2*2)
					_ = v.View()
					i++
				}
			})
		}
	}
}

func TestNote_WrapsAtEveryWidth(t *testing.T) {
	const words = "It did not stand then. { and } go to the changes"
	for w := 12; w < 60; w++ {
		v := New(theme.New(true, theme.Many), nil)
		v.SetSize(w, 8)
		v.Show(Note(words))
		shown := strings.Join(strings.Fields(ansi.Strip(v.View())), " ")
		if shown != words {
			t.Errorf("%d columns show %q", w, shown)
		}
	}
}

// BenchmarkLongLine scrolls over two lines of 8 MiB that differ at their ends.
func BenchmarkLongLine(b *testing.B) {
	line := strings.Repeat("words in one line ", 8<<20/18)
	doc := Compare("a.txt", []byte(line+"old\n"+numbered(100, nil)), []byte(line+"new\n"+numbered(100, nil)))
	for _, wrap := range []bool{false, true} {
		b.Run(fmt.Sprintf("wrap_%v", wrap), func(b *testing.B) {
			v := New(theme.New(true, theme.Many), nil)
			v.SetSize(100, 40)
			v.Show(doc)
			v.SetWrap(wrap)
			press(v, "f g g")
			for i := 0; b.Loop(); i++ {
				v.scroll(1 - i%2*2)
			}
		})
	}
}
