package diffview

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

// two returns a view of two texts with two hunks, the second of three lines.
func two(w, h int) *View {
	return show(numbered(40, map[int]string{10: "old ten\n", 30: "a\nb\nc\n"}), numbered(40, map[int]string{10: "new ten\n", 30: "A\nB\n"}), w, h)
}

func hunk(v *View) string { i, n := v.Hunk(); return fmt.Sprint(i, " of ", n) }

func TestHunk_FollowsJumpsClicksAndTheWindow(t *testing.T) {
	v := two(80, 10)
	if hunk(v) != "0 of 2" || v.Line() != 10 {
		t.Errorf("at first it is %s, line %d", hunk(v), v.Line())
	}
	press(v, "]")
	if hunk(v) != "1 of 2" || v.Line() != 30 || !strings.Contains(ansi.Strip(v.View()), "▌30    - a") {
		t.Errorf("after ] it is %s, line %d:\n%s", hunk(v), v.Line(), ansi.Strip(v.View()))
	}
	press(v, "pgup pgup")
	if hunk(v) != "0 of 2" {
		t.Errorf("scrolled back it is %s", hunk(v))
	}
	v.SetSize(80, 40)
	v.Update(tea.MouseClickMsg{Y: 14, Button: tea.MouseLeft})
	if hunk(v) != "1 of 2" {
		t.Errorf("after a click it is %s:\n%s", hunk(v), ansi.Strip(v.View()))
	}
	v.Show(Note("nothing"))
	if hunk(v) != "-1 of 0" || v.Line() != 0 {
		t.Errorf("of nothing it is %s", hunk(v))
	}
}

// In a low window, the context would leave no room for what changed.
func TestShow_ShowsWhatChangedInALowWindow(t *testing.T) {
	for h := 1; h < 8; h++ {
		v := two(80, h)
		if got := ansi.Strip(v.View()); !strings.Contains(got, "- old ten") {
			t.Errorf("in %d rows:\n%s", h, got)
		}
		press(v, "]")
		if got := ansi.Strip(v.View()); !strings.Contains(got, "- a") {
			t.Errorf("the second hunk, in %d rows:\n%s", h, got)
		}
	}
}

func TestHunk_StaysWhenTheLayoutChanges(t *testing.T) {
	v := two(80, 10)
	press(v, "]")
	for _, keys := range []string{"s", "w", "f", "w", "s", "f", "} }", "{ { { {"} {
		press(v, keys)
		if hunk(v) != "1 of 2" || !v.inSight(1) {
			t.Fatalf("after %q it is %s:\n%s", keys, hunk(v), ansi.Strip(v.View()))
		}
	}
}

func TestWhole_ShowsEveryLine(t *testing.T) {
	v := two(80, 60)
	press(v, "f")
	if got := ansi.Strip(v.View()); strings.Contains(got, "⋯") || strings.Count(got, "of the text") != 38 {
		t.Errorf("the whole text is\n%s", got)
	}
}

func TestMark_IsStrongerWithFocus(t *testing.T) {
	v := two(80, 10)
	th := theme.New(true, theme.Many)
	if !strings.Contains(v.View(), th.Border.On+"▌") {
		t.Error("without the keys the hunk is not marked faintly")
	}
	v.SetFocused(true)
	if !strings.Contains(v.View(), th.BorderFocused.On+"▌") {
		t.Error("with the keys the hunk is not marked")
	}
}

func TestSelection_ChoosesLinesOfTheHunk(t *testing.T) {
	for _, c := range []struct {
		keys     string
		old, new int
		want     string // of the three lines
	}{
		{"]", 3, 2, "a\nb\nc\n"},
		{"] V", 1, 0, "a\nA\nB\n"},
		{"] V j", 2, 0, "a\nA\nb\nB\n"},
		{"] V j j j", 3, 1, "a\nb\nB\nc\n"},
		{"] V j j j j j j", 3, 2, "a\nb\nc\n"},
		{"] s V", 1, 1, "a\nB\n"},
		{"] s V G", 3, 2, "a\nb\nc\n"},
		{"] s V j j k", 2, 2, "a\nb\n"},
		{"] V j j j o j", 2, 1, "b\nB\nc\n"},
		{"] V j o o j", 3, 0, "a\nA\nb\nB\nc\n"},
		{"] s V j", 2, 2, "a\nb\n"},
		{"] V j V", 3, 2, "a\nb\nc\n"},
	} {
		v := two(80, 20)
		press(v, c.keys)
		s, ok := v.Selection()
		if old, new := s.Lines(); !ok || old != c.old || new != c.new {
			t.Errorf("%s selects %d and %d lines", c.keys, old, new)
		}
		if got, want := string(s.Revert()), numbered(40, map[int]string{10: "new ten\n", 30: c.want}); got != want {
			t.Errorf("%s reverts to %q", c.keys, got[strings.Index(got, "line 29"):])
		}
	}
}

// A hunk that begins above the window is not scrolled to its beginning, and a line that was clicked begins the selection.
func TestSelection_BeginsWhereOneLooks(t *testing.T) {
	old, now := numbered(3, nil), "line 1\n"
	for i := range 100 {
		now += fmt.Sprintln("new", i)
	}
	now += "line 2\nline 3\n"
	v := New(theme.New(true, theme.Many), nil)
	v.SetSize(80, 10)
	v.SetFocused(true)
	v.Show(Compare("a.md", []byte(old), []byte(now)))
	selected := func() string {
		s, _ := v.Selection()
		defer v.Deselect()
		return strings.TrimSpace(string(v.doc.diff.NewLine(s.part.Edit.New + s.part.NewFrom)))
	}
	press(v, "pgdown pgdown")
	top := v.win.Top
	if press(v, "V"); v.win.Top != top {
		t.Errorf("the window moves from row %d to %d", top, v.win.Top)
	}
	first := selected()
	if !strings.Contains(strings.Split(ansi.Strip(v.View()), "\n")[0], first) {
		t.Errorf("it begins at %q in\n%s", first, ansi.Strip(v.View()))
	}
	v.Update(tea.MouseClickMsg{Y: 4, Button: tea.MouseLeft})
	v.Update(tea.MouseReleaseMsg{Y: 4, Button: tea.MouseLeft})
	press(v, "V")
	if got := selected(); !strings.Contains(strings.Split(ansi.Strip(v.View()), "\n")[4], got) {
		t.Errorf("after a click it begins at %q", got)
	}
	v.Select(0)
	v.Point(51)
	press(v, "V")
	if got := selected(); got != "new 49" {
		t.Errorf("at line 51 it begins at %q", got)
	}
	press(v, "s V") // another layout
	if !v.Selecting() {
		t.Error("nothing is selected")
	}
}

func TestSelection_EndsOnOtherKeys(t *testing.T) {
	v := two(80, 20)
	press(v, "V")
	if !v.Deselect() || v.Deselect() {
		t.Error("it ends twice, or not at all")
	}
	for _, keys := range []string{"]", "[", "s", "w", "f", "}"} {
		press(v, "V")
		press(v, keys)
		if v.sel != nil {
			t.Errorf("it is left after %s", keys)
			v.Deselect()
		}
	}
}

func TestDrag_SelectsLines(t *testing.T) {
	v := two(80, 30)
	press(v, "]")
	at := v.rowOf(v.doc.diff.Edits()[1]) - v.win.Top
	v.Update(tea.MouseClickMsg{Y: at + 1, Button: tea.MouseLeft})
	v.Update(tea.MouseMotionMsg{Y: at + 25, Button: tea.MouseLeft})
	v.Update(tea.MouseReleaseMsg{Y: at + 25, Button: tea.MouseLeft})
	v.Update(tea.MouseMotionMsg{Y: at, Button: tea.MouseLeft})
	if s, _ := v.Selection(); v.sel == nil || v.sel.from != 1 || v.sel.to != 4 || s.part.OldFrom != 1 {
		t.Errorf("a drag selects %v", v.sel)
	}
	v.Update(tea.MouseClickMsg{Y: at, Button: tea.MouseLeft})
	if v.sel != nil {
		t.Error("a click leaves the selection")
	}
}

func TestRevert_KeepsLinesSeparate(t *testing.T) {
	for _, c := range []struct{ old, new, keys, want string }{
		{"a\nb", "a\nB\nc\n", "", "a\nb"},
		{"a\nb", "a\nB\nc\n", "s V", "a\nb\nc\n"},
		{"a\r\nb", "a\r\nB\r\nc\r\n", "s V", "a\r\nb\r\nc\r\n"},
		{"a\n", "a\nb", "", "a\n"},
		{"", "a\n", "", ""},
		{"a\n", "", "", "a\n"},
		{"a", "b", "", "a"},
	} {
		v := show(c.old, c.new, 80, 10)
		press(v, c.keys)
		s, _ := v.Selection()
		if got := string(s.Revert()); got != c.want {
			t.Errorf("%q to %q, %s: reverted to %q, want %q", c.old, c.new, c.keys, got, c.want)
		}
	}
}

// Reverting hunk by hunk, the new text becomes the old one.
func TestRevert_OfEveryHunkReturnsTheOldText(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	text := func() string {
		var b strings.Builder
		for range r.Intn(20) {
			b.WriteString([]string{"a\n", "b\n", "c\r\n", "\n", "long line\n"}[r.Intn(5)])
		}
		if r.Intn(3) == 0 {
			b.WriteString("end")
		}
		return b.String()
	}
	for range 500 {
		old, new := text(), text()
		from := new
		for n := 0; new != old; n++ {
			v := show(old, new, 80, 10)
			if n > 40 {
				t.Fatalf("%q does not become %q: it is %q", from, old, new)
			}
			s, _ := v.Selection()
			new = string(s.Revert())
		}
	}
}

func TestWhiteSpace_IsDimAndSkippedByJumps(t *testing.T) {
	th := theme.New(true, theme.Many)
	v := show("one\n"+numbered(20, nil)+"a b\nx\n", "  one\n"+numbered(20, nil)+"a  b\ny\n", 80, 20)
	press(v, "W")
	got := v.View()
	if !strings.Contains(got, "2 lines differ in white space only: dim.") {
		t.Errorf("it is not told:\n%s", ansi.Strip(got))
	}
	if row := strings.Split(got, "\n")[1]; !strings.Contains(row, th.Dim.On+"-") || strings.Contains(row, th.RemovedLine.On) {
		t.Errorf("a line that differs in blanks only is drawn %q", row)
	}
	if !strings.Contains(got, th.AddedLine.On) {
		t.Error("a line that differs in more is dim too")
	}
	press(v, "]")
	if hunk(v) != "1 of 2" {
		t.Errorf("] goes to %s", hunk(v))
	}
	press(v, "[")
	if hunk(v) != "1 of 2" {
		t.Errorf("[ goes to %s, where only white space differs", hunk(v))
	}
	press(v, "W")
	if strings.Contains(v.View(), "white space only") {
		t.Error("it is still told")
	}
	v = show("a\n", "b\n", 80, 20)
	press(v, "W")
	if !strings.Contains(v.View(), "No line differs in white space only.") {
		t.Error("that nothing is dim is not told")
	}
}

func TestLongLines_ShowTheirDifference(t *testing.T) {
	long := strings.Repeat("some words that are the same ", 9)
	v := show(long+"old 中文 end\n", long+"new 中文 end\n", 60, 4)
	for _, keys := range []string{"", "s"} {
		press(v, keys)
		if got := ansi.Strip(v.View()); !strings.Contains(got, "old") || !strings.Contains(got, "new") || !strings.Contains(got, "…") {
			t.Errorf("after %q:\n%s", keys, got)
		}
	}
	press(v, "l")
	if got := ansi.Strip(v.View()); strings.Contains(got, "old") || strings.Contains(got, "…") {
		t.Errorf("scrolled by hand it jumps:\n%s", got)
	}
	v = show("quite short and old\n", "quite short and new\n", 60, 4)
	if got := ansi.Strip(v.View()); strings.Contains(got, "…") {
		t.Errorf("a short line is cut:\n%s", got)
	}
}
