package diffview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

// words returns n bytes of text in one line.
func words(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "the word%d ", i)
	}
	return b.String()
}

// A diff begins at the difference, whatever the length of the line, and says how much it leaves out.
func TestLongLine_IsShownWhereItDiffers(t *testing.T) {
	for _, n := range []int{3000, 78_000, 8 << 20} {
		line := words(n)
		doc := Compare("a.md", []byte("# Title\n\n"+line+"deploy needs review\n\nlast\n"), []byte("# Title\n\n"+line+"deploy without review\n\nlast\n"))
		for _, w := range []int{38, 60, 100, 140} {
			for _, wrap := range []bool{false, true} {
				v := New(theme.New(true, theme.Many), nil)
				v.SetSize(w, 16) // with room for the note of a busy machine, that it is not compared to the end
				v.SetWrap(wrap)
				v.Show(doc)
				if got := strings.Join(strings.Fields(ansi.Strip(v.View())), " "); !strings.Contains(got, "needs") || !strings.Contains(got, "without") {
					t.Errorf("%d bytes, %d wide, wrapped %v: no difference in\n%s", n, w, wrap, ansi.Strip(v.View()))
				}
				if wrap && w == 100 && !strings.Contains(ansi.Strip(v.View()), "not shown ⋯") {
					t.Errorf("%d bytes: what is left out is not said:\n%s", n, ansi.Strip(v.View()))
				}
				press(v, "f")
				if got := ansi.Strip(v.View()); !strings.Contains(got, "needs") && !strings.Contains(got, "without") {
					t.Errorf("%d bytes, %d wide, wrapped %v, the whole text: no difference in\n%s", n, w, wrap, got)
				}
				press(v, "f")
				v.toggleLayout()
				if got := ansi.Strip(v.View()); w > 60 && (!strings.Contains(got, "needs") || !strings.Contains(got, "without")) {
					t.Errorf("%d bytes, %d wide, wrapped %v, other layout: no difference in\n%s", n, w, wrap, got)
				}
			}
		}
	}
}

// Each of several differences in one line is shown, and all of the text with f up to a limit.
func TestLongLine_ShowsEachDifference(t *testing.T) {
	line := words(40_000)
	half := strings.Index(line, "the word2000")
	v := show("limit 500 "+line[:half]+"needs review "+line[half:]+"before\n", "limit 50 "+line[:half]+line[half:]+"without\n", 100, 40)
	press(v, "w")
	for _, want := range []string{"limit 500", "limit 50 ", "needs review", "before", "without", "not shown ⋯"} {
		if got := ansi.Strip(v.View()); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if got := strings.Count(ansi.Strip(v.View()), "not shown ⋯"); got != 4 {
		t.Errorf("%d notes about what is left out, want 2 in each line:\n%s", got, ansi.Strip(v.View()))
	}
	v.SetSize(100, 2000)
	press(v, "f")
	if got := ansi.Strip(v.View()); strings.Contains(got, "not shown") || !strings.Contains(got, "word1000 ") {
		t.Error("f does not show the whole line")
	}
}

// A line that is new has no end in sight: that it changed there too is said.
func TestLongLine_SaysThatMoreChanged(t *testing.T) {
	v := show("", words(200_000)+"\n", 100, 2000)
	press(v, "w")
	if got := ansi.Strip(v.View()); !strings.Contains(got, "⋯ 131K") || !strings.Contains(got, "with changes not shown ⋯") {
		t.Errorf("the end is\n%s", strings.TrimSpace(got)[len(strings.TrimSpace(got))-300:])
	}
}

// A key costs the same in a line of megabytes as in one of some kilobytes.
func TestLongLine_KeysAreQuick(t *testing.T) {
	line := words(8 << 20)
	for _, wrap := range []bool{false, true} {
		v := show(line+"old\n"+numbered(100, nil), line+"new\n"+numbered(100, nil), 100, 40)
		v.SetWrap(wrap)
		begin := time.Now()
		for range 20 {
			press(v, "j k l h f f")
		}
		if per := time.Since(begin) / 120; per > 20*time.Millisecond {
			t.Errorf("wrapped %v: a key takes %v", wrap, per)
		} else {
			t.Logf("wrapped %v: a key takes %v", wrap, per)
		}
	}
}
