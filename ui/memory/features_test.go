package memory

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
)

var _ Store = local.Store{}

const plan = `---
name: release plan
tags: [release, q2]
---
# Release plan

The **spring release** ships in April. See [the checklist](checklist.md), [[dana]],
[what is open](#open-points) and <https://example.com/4.2>.

## Open points

- [x] freeze the schema
- [ ] ask [nobody](nobody.md) or [the outside](../../../etc/passwd)

> Dana prefers [short notes](../people/dana.md#style).
`

func sample() *fakeStore {
	f := newFake()
	f.write("projects/plan.md", plan)
	f.write("projects/checklist.md", "- tag\n- build\n")
	f.write("people/dana.md", "# Dana\n\nprefers short notes\n\n## Style\n\nTen lines.\n")
	f.write("people/readme.txt", "see https://example.com/a, and file:///etc/passwd\n")
	return f
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func asked[T any](s *sim) T {
	s.t.Helper()
	msg, ok := s.last().(T)
	if !ok {
		s.t.Fatalf("asked for %T, not %T: %+v", s.last(), msg, s.last())
	}
	return msg
}

// The wheel stops where the longest line ends, so that turning it back moves the text at once.
func TestWheel_ScrollsToTheEndOfTheLongestLine(t *testing.T) {
	store := newFake()
	store.write("a.log", "short\n"+strings.Repeat("long ", 30)+"end\n")
	s := newSim(t, store, 60, 8)
	s.open("a.log")
	s.keys("w")
	wheel := func(b tea.MouseButton) { s.run(s.pane.Update(tea.MouseWheelMsg{Button: b})) }
	for range 50 {
		wheel(tea.MouseWheelRight)
	}
	s.shows("long end")
	wheel(tea.MouseWheelLeft)
	s.hides("end")
	s.shows("long")
}

func TestCut_IsDrawnAtTheAgentsReadLimit(t *testing.T) {
	f := newFake()
	f.write("MEMORY.md", numbered(230))
	f.write("notes/MEMORY.md", strings.Repeat(strings.Repeat("x", 199)+"\n", 150))
	f.write("short/MEMORY.md", numbered(200))
	f.write("other.md", numbered(230))
	s := newSim(t, f, 80, 12)
	s.open("MEMORY.md")
	s.titled("cut at line 201")
	s.keys("2 0 3 G")
	s.shows("agents do not load what is below: 200 lines", "201 line 201")
	s.keys("w")
	s.shows("agents do not load what is below")
	for range 300 {
		s.keys("j")
	}
	s.shows("230 line 230")
	for range 300 {
		s.keys("k")
	}
	s.shows("  1 line 1")
	s.open("notes/MEMORY.md")
	s.titled("cut at line 129") // 128 lines of 200 bytes are 25 KB
	s.open("short/MEMORY.md")
	if _, info := s.pane.Title(); strings.Contains(info, "cut") {
		t.Errorf("200 lines are cut: %s", info)
	}
	s.open("other.md")
	if _, info := s.pane.Title(); strings.Contains(info, "cut") {
		t.Errorf("another memory is cut: %s", info)
	}
}

func TestHidden_NextIsFoundAndExplained(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(50)+"evil \u202ething\n"+numbered(50)+"tag \U000E0041\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.keys("f")
	s.shows("<U+202E>")
	if n := asked[screen.Notice](s).Text; !strings.Contains(n, "line 51 hides characters that change the direction") {
		t.Errorf("it says %q", n)
	}
	s.keys("f")
	if n := asked[screen.Notice](s).Text; !strings.Contains(n, "line 102 hides tag characters") {
		t.Errorf("it says %q", n)
	}
	s.keys("f")
	if s.pane.text.cur.line != 50 {
		t.Errorf("around the end: line %d", s.pane.text.cur.line+1)
	}
}

func TestGoTo_AcceptsLinesAndPercentages(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(1000))
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	for typed, want := range map[string]int{"42": 41, "50%": 499, "100%": 999, "0%": 0, "5000": 999} {
		s.keys(":")
		s.answers(typed)
		if s.pane.text.cur.line != want {
			t.Errorf("%s goes to line %d", typed, s.pane.text.cur.line+1)
		}
	}
	for _, typed := range []string{"x", "0", "-3", "101%", "", "b", "0x", "-0x3", "3xb"} {
		s.keys(":")
		s.answers(typed)
		if n := asked[screen.Notice](s); !n.Bad {
			t.Errorf("%q is taken: %+v", typed, n)
		}
	}
}

func TestFind_SearchesWhileTyping(t *testing.T) {
	f := newFake()
	f.write("a.md", numbered(200)+"needle\n"+numbered(20)+"new\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	s.keys("/")
	p := asked[screen.Prompt](s)
	s.run(p.Changed("ne"))
	s.run(p.Changed("nee"))
	s.shows("needle")
	s.run(p.Changed("neeX"))
	if _, ok := s.last().(screen.Notice); ok {
		t.Error("what is half typed is complained of")
	}
	s.run(p.Changed("nee"))
	s.run(p.Left())
	s.hides("needle")
	if s.pane.text.win.Top != 0 || s.pane.find.query != "" {
		t.Errorf("leaving shows line %d, with %q looked for", s.pane.text.top().line+1, s.pane.find.query)
	}
	s.run(p.Then("new"))
	s.shows("new")
	s.titled("“new” 1/1")
	s.keys("esc g g /")
	s.run(asked[screen.Prompt](s).Then(""))
	s.titled("“new” 1/1") // wraps around to the last one
}

func TestFind_AcceptsRegexpsBetweenSlashes(t *testing.T) {
	f := newFake()
	f.write("a.md", "ab12\nAB34 ab5\r\nxx\n/ab/\n")
	s := newSim(t, f, 80, 10)
	s.open("a.md")
	for query, want := range map[string]string{
		`/^ab\d+$/`: "1/1", `/ab\d/`: "1/3", `/AB\d/`: "1/1", `/\W/`: "1/3", `/x*/`: "1/1", `/ab`: "1/1", `xX`: "“xX” 0",
	} {
		s.keys("/")
		s.answers(query)
		s.titled(want)
	}
	s.keys("/")
	s.answers("/(/")
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "regular expression: missing closing ), at character 1") {
		t.Errorf("it says %+v", n)
	}
}

func TestFind_ShowsAHitFarDownALongLine(t *testing.T) {
	f := newFake()
	f.write("a.txt", strings.Repeat("word ", 2000)+"needle "+strings.Repeat("word ", 2000)+"\n")
	s := newSim(t, f, 60, 10)
	s.open("a.txt")
	s.keys("/")
	s.answers("needle")
	s.shows("needle")
	s.keys("w")
	s.shows("needle")
	s.keys("w")
	s.shows("needle")
	s.keys("w esc /")
	s.answers("needle")
	s.shows("needle")
}

func TestTitle_ReportsUnusualBytes(t *testing.T) {
	f := newFake()
	for name, c := range map[string]struct{ text, want string }{
		"crlf.md":  {"a\r\nb\r\n", "CRLF"},
		"mixed.md": {"a\r\nb\n", "mixed line ends"},
		"late.md":  {"a\nb\r\n", "mixed line ends"},
		"bom.md":   {"\ufeffa\n", "BOM"},
		"open.md":  {"a\nb", "no newline at the end"},
	} {
		f.write(name, c.text)
		s := newSim(t, f, 120, 6)
		s.open(name)
		s.titled(c.want)
	}
	f.write("plain.md", "a\nb\n")
	s := newSim(t, f, 120, 6)
	s.open("plain.md")
	if _, info := s.pane.Title(); info != "line 1 of 2 · 4B · ≈1 token" {
		t.Errorf("a plain memory is odd: %s", info)
	}
}
