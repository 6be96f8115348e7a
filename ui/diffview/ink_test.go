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
