package diffview

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
)

func showAs(name, old, new string, th *theme.Theme, w, h int) *View {
	v := New(th, nil)
	v.SetSize(w, h)
	v.Show(Compare(name, []byte(old), []byte(new)))
	return v
}

func row(v *View, has string) string {
	for _, r := range strings.Split(v.View(), "\n") {
		if strings.Contains(ansi.Strip(r), has) {
			return r
		}
	}
	return ""
}

func TestLanguage_ColoursLinesOnTints(t *testing.T) {
	th := theme.New(true, theme.Many)
	for _, w := range []int{60, 120} {
		v := showAs("a.md", "# Old title\n\n`same` line\n", "# New title\n\n`same` line\n", th, w, 8)
		for has, want := range map[string]string{
			"New":  th.AddedLine.On + th.Heading.On + "# ",
			"Old":  th.RemovedLine.On + th.Heading.On + "# ",
			"same": th.Code.On + "`same`",
		} {
			if got := row(v, has); !strings.Contains(got, want) {
				t.Errorf("%d wide: no %q in %q", w, want, got)
			}
		}
	}
	if got := showAs("a.txt", "# Old\n", "# New\n", th, 60, 4).View(); strings.Contains(got, th.Heading.On) {
		t.Error("a plain text has headings")
	}
}

func TestLanguage_KeepsDiffColoursWithoutTints(t *testing.T) {
	for _, c := range []theme.Colors{theme.Sixteen, theme.Mono} {
		th := theme.New(true, c)
		v := showAs("a.md", "# kept\n- [old](a.md)\n", "# kept\n- [new](a.md)\n", th, 60, 8)
		if got := row(v, "+ - [new]"); strings.Contains(got, th.Link.On) || !strings.Contains(got, th.AddedLine.On) {
			t.Errorf("colours %d: an added line is %q", c, got)
		}
		v = showAs("a.md", "`code`\na\n", "`code`\nb\n", th, 60, 8)
		if got := row(v, "code"); strings.Contains(got, th.AddedLine.On+"`") {
			t.Errorf("colours %d: code looks as if it was added: %q", c, got)
		}
		v = showAs("a.md", "# kept\n- [old](a.md)\n", "# kept\n- [new](a.md)\n", th, 60, 8)
		if got := row(v, "kept"); !strings.Contains(got, th.Heading.On) {
			t.Errorf("colours %d: a line that stays is %q", c, got)
		}
	}
}

// The state of a line may depend on lines far above the hunk, in its own text.
func TestLanguage_KeepsStateAcrossHunks(t *testing.T) {
	th := theme.New(true, theme.Many)
	var body strings.Builder
	for i := range 300 {
		fmt.Fprintf(&body, "# line %d\n", i)
	}
	fence := "```\n"
	v := showAs("a.md", fence+body.String()+"# old\n", body.String()+"# new\n", th, 120, 5)
	press(v, "G")
	if got := row(v, "# new"); !strings.Contains(got, th.RemovedLine.On+th.Code.On+"# ") || !strings.Contains(got, th.AddedLine.On+th.Heading.On+"# ") {
		t.Errorf("in the fence and out of it it is %q", got)
	}
	if got := row(v, "# line 299"); !strings.Contains(got, th.Code.On+"# line 299") || !strings.Contains(got, th.Heading.On+"# line 299") {
		t.Errorf("a line of both is %q", got)
	}
}

func TestLanguage_AppliesToWordDiffs(t *testing.T) {
	th := theme.New(true, theme.Many)
	v := showAs("a.md", "see `that old code` and [a link](b.md) here\n", "see `that new code` and [a link](b.md) here\n", th, 80, 4)
	press(v, "i")
	got := v.View()
	for _, want := range []string{th.Code.On + "`that ", th.AddedWord.On + "{+new+}", th.Code.On + " code`", th.Link.On + "[a link](b.md)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
}

const movedOld = "alpha\nbeta\ngamma\n\n1\n2\n3\n4\n5\n6\n7\n8\n9\n"
const movedNew = "1\n2\n3\n4\n5\n6\n7\n8\n9\nalpha\nbeta\ngamma\n\n"

func TestMoved_LinesShowTheirDestination(t *testing.T) {
	for _, c := range []theme.Colors{theme.Many, theme.Mono} {
		for _, w := range []int{60, 120} {
			v := showAs("a.txt", movedOld, movedNew, theme.New(true, c), w, 30)
			for _, want := range []string{"< alpha", "< gamma", "> beta", "moved to 10", "moved from 1"} {
				if !strings.Contains(ansi.Strip(v.View()), want) {
					t.Errorf("%d wide: no %q in\n%s", w, want, ansi.Strip(v.View()))
				}
			}
			if n := strings.Count(ansi.Strip(v.View()), "moved to"); n != 1 {
				t.Errorf("it says %d times where to", n)
			}
			press(v, "w")
			if !strings.Contains(ansi.Strip(v.View()), "moved to 10") {
				t.Error("wrapped, it does not say where to")
			}
			v.SetSize(52, 30)
			if press(v, "s"); !strings.Contains(ansi.Strip(v.View()), "to 10") {
				t.Errorf("where there is little room it does not say where to:\n%s", ansi.Strip(v.View()))
			}
		}
	}
	if n := Compare("", []byte(movedOld), []byte(movedNew)).Moved(); n != 4 {
		t.Errorf("%d lines moved", n)
	}
}

func TestMoved_JumpsToTheOtherEndAndBack(t *testing.T) {
	far := strings.Repeat("filler that stays\n", 100)
	for _, w := range []int{60, 120} {
		v := showAs("a.txt", movedOld+far, strings.TrimSuffix(movedNew, "alpha\nbeta\ngamma\n\n")+far+"alpha\nbeta\ngamma\n\n", theme.New(true, theme.Many), w, 6)
		press(v, "%")
		if i, _ := v.Hunk(); i != 1 || !strings.Contains(ansi.Strip(v.View()), "> alpha") {
			t.Errorf("%d wide: it goes to hunk %d:\n%s", w, i, ansi.Strip(v.View()))
		}
		press(v, "%")
		if i, _ := v.Hunk(); i != 0 || !strings.Contains(ansi.Strip(v.View()), "< alpha") {
			t.Errorf("%d wide: it goes back to hunk %d", w, i)
		}
	}
	if why := show("a\n", "b\n", 60, 6).moveDisabled(); why == "" {
		t.Error("where nothing moved there is somewhere to go")
	}
}

func TestCompare_ReportsATimeout(t *testing.T) {
	long := strings.Repeat("word ", 200)
	old, new := long+"old\nsame\n"+long+"x\n", long+"new\nsame\n"+long+"y\n"
	notes := func(checks int) string {
		d := compareUntil("a.md", []byte(old), []byte(new), func() bool { checks--; return checks < 0 })
		return strings.Join(d.notes, " ")
	}
	if got := notes(1000); got != "" {
		t.Errorf("in time it says %q", got)
	}
	if got, want := notes(0), "Coarse: not compared to the end within 200 ms."; got != want {
		t.Errorf("at once it says %q", got)
	}
	seen := map[string]bool{}
	for n := range 20 {
		seen[notes(n)] = true
	}
	for _, want := range []string{"Coarse: words of 1 long line not compared within 200 ms.", "Coarse: words of 2 long lines not compared within 200 ms."} {
		if !seen[want] {
			t.Errorf("it never says %q, but %v", want, seen)
		}
	}
}
