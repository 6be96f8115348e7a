package search

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

type sim = screentest.Sim[*Pane]

func store(s *sim) *engine.Store { return s.Pane.store.(local.Store).Store }

func write(s *sim, path, text string) { storetest.Write(s.T, store(s), robot, path, text) }

func file(s *sim, path string) string {
	text, _ := storetest.Content(s.T, store(s), path)
	return text
}

// applyLast applies the last requested action, and returns its result.
func applyLast(s *sim) (versions.Change, string, error) {
	s.T.Helper()
	act, ok := s.Last().(screen.Act)
	if !ok {
		s.T.Fatalf("asked for %+v", s.Sent)
	}
	s.Sent = nil
	c, err := act.Do(s.T.Context())
	s.Run(func() tea.Msg { return act.Done(c, err) })
	return c, act.Did, err
}

func TestReplace_ShowsEachHitBeforeAndAfterAndIsOneChange(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may")
	s.Keys("ctrl+r")
	s.Typed("June")
	s.Shows("replace 3 hits in 2 memories", "[x] /people/lee.md", "1×", "3 on leave until May → June", "[x] /plan.md", "2×", "ship in May → June", "5 <U+202E>hidden May → June")
	s.Shows("- on leave until May", "+ on leave until June") // the diff of the first
	s.Keys("enter")
	c, did, err := applyLast(s)
	if err != nil || c.Versions != 2 || did != "replaced “may” with “June”: 3 hits in 2 memories" {
		t.Errorf("%s: %+v, %v", did, c, err)
	}
	if len(s.Sent) != 1 || s.Sent[0] != (screen.Drop{Pane: s.Pane}) {
		t.Errorf("then it asks %v", s.Sent)
	}
	if got := file(s, "plan.md"); got != "# Release\n\nship in June\n\n\u202ehidden June\n" {
		t.Errorf("plan.md is %q", got)
	}
}

func TestReplace_SkipsExcludedHits(t *testing.T) {
	s := newSim(t, 120, 24)
	write(s, "many.md", "May 1\nMay 2\nMay 3\n")
	s.Typed("may")
	s.Keys("ctrl+r")
	s.Typed("June")
	s.Keys("down down alt+s") // the second hit of many.md
	s.Shows("5 of 6 hits in 3 memories", "[~] /many.md", "2 of 3", "[ ]    2 May 2 ", "[x]    1 May → June 1")
	s.Shows("- May 1", "+ June 3")
	if i, n := s.Pane.repl.diff.Hunk(); i != 1 || n != 2 {
		t.Errorf("the diff is at hunk %d of %d, the cursor on the third hit", i, n)
	}
	s.Keys("down alt+s") // /people/lee.md
	s.Shows("4 of 6 hits in 2 memories", "[ ] /people/lee.md", "0 of 1")
	s.Typed("!")
	s.Shows("4 of 6 hits in 2 memories") // the replacement changes, exclusions remain
	s.Keys("up up alt+s up alt+s")       // lee.md is included and excluded again
	s.Keys("enter")
	if _, _, err := applyLast(s); err != nil {
		t.Fatal(err)
	}
	if got := file(s, "many.md") + file(s, "people/lee.md"); !strings.Contains(got, "June! 1\nMay 2\n") || !strings.Contains(got, "until ") {
		t.Errorf("they are %q", got)
	}
}

func TestReplace_CanIncludeOneHitOfAnExcludedMemory(t *testing.T) {
	s := newSim(t, 120, 24)
	write(s, "many.md", "May 1\nMay 2\nMay 3\n")
	s.Typed("may in:many.md")
	s.Keys("ctrl+r")
	s.Keys("alt+s")
	s.Shows("0 of 3 hits", "[ ] /many.md", "Excluded: it stays as it is.")
	s.Keys("down alt+s") // the second hit
	s.Shows("1 of 3 hits", "[~] /many.md", "[ ]    1 May 1", "[x]    2 May → ∅ 2", "[ ]    3 May 3")
	s.Keys("alt+s alt+s enter")
	if s.Pane.repl.plan == nil {
		t.Fatal("no plan")
	}
	ask, ok := s.Last().(screen.Choose) // there is no replacement: Enter alone deletes nothing
	if !ok || !strings.Contains(ask.Text, "Delete “may”: 1 hit in 1 memory?") {
		t.Fatalf("asked for %+v", s.Last())
	}
	s.Run(ask.Options[0].Then())
	if _, _, err := applyLast(s); err != nil {
		t.Fatal(err)
	}
	if got := file(s, "many.md"); got != "May 1\n 2\nMay 3\n" {
		t.Errorf("many.md is %q", got)
	}
}

func TestReplace_PlansAgainIfOutdated(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may")
	s.Keys("ctrl+r")
	s.Typed("June")
	s.Keys("down down alt+s") // plan.md
	s.Shows("1 of 3 hits")
	write(s, "plan.md", "May, May and May\n")
	s.Keys("enter")
	if _, _, err := applyLast(s); err == nil {
		t.Fatal("what was not shown is replaced")
	}
	s.Shows("planned again · 4 hits in 2 memories", "May → June, May and May")
	if file(s, "people/lee.md") != "# Lee\n\non leave until May\n" {
		t.Error("something was written")
	}
	s.Keys("enter")
	if _, _, err := applyLast(s); err != nil || file(s, "plan.md") != "June, June and June\n" {
		t.Errorf("%v, %q", err, file(s, "plan.md"))
	}
}

func TestReplace_ReportsWhyItIsImpossible(t *testing.T) {
	s := newSim(t, 120, 24)
	refused := func(want string) {
		t.Helper()
		s.Sent = nil
		s.Keys("enter")
		if len(s.Sent) != 1 {
			t.Fatalf("it sends %v", s.Sent)
		}
		if no, ok := s.Sent[0].(keys.Refused); !ok || !strings.Contains(no.Why, want) {
			t.Errorf("it sends %+v, want %q", s.Sent[0], want)
		}
	}
	s.Keys("ctrl+r") // the query is empty: it is typed first
	s.Typed("two words")
	s.Shows(`replace look for one word, one "phrase in quotes"`)
	s.Keys("enter")
	refused("one word")
	s.Keys("tab alt+r")
	s.Shows("replace (regexp) 0 hits", "nothing to replace")
	s.Typed("(")
	s.Keys("tab")
	s.Shows("missing closing )")
	refused("missing closing )")
	s.Keys("esc")
	s.Shows("search memories (regexp)")
	s.Keys("tab alt+r")
	s.Keys("ctrl+r")
	if s.Pane.scope != Memories {
		t.Error("the past is to be replaced")
	}
}

func TestReplace_WhileItIsPlannedIsRefused(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may")
	s.Keys("ctrl+r")
	s.Typed("June")
	late := s.Pane.Update(tea.KeyPressMsg{Code: 'y', Text: "y"})
	s.Sent = nil
	s.Keys("enter")
	if no, ok := s.Sent[0].(keys.Refused); !ok || !strings.Contains(no.Why, "being planned") {
		t.Errorf("what was not shown yet is replaced: %+v", s.Sent[0])
	}
	s.Run(late)
	s.Shows("May → Juney")
}

func TestReplace_ListsSkippedMemories(t *testing.T) {
	s := newSim(t, 100, 30)
	write(s, "bytes", "May \xff\n")
	s.Typed("may")
	s.Keys("ctrl+r")
	s.Shows("3 hits in 2 memories · 1 can't be", "can't be replaced · 1 file", "/bytes: it is not UTF-8 text")
	for range 20 {
		s.Keys("down")
	}
	if r, p := s.Pane.current(), s.Pane; r == nil || !strings.Contains(r.text, "UTF-8") || p.excludeDisabled() == "" {
		t.Errorf("the cursor goes to %+v", r)
	}
}

func TestReplace_LimitsListedHits(t *testing.T) {
	s := newSim(t, 100, 30)
	write(s, "many.md", strings.Repeat("x ", 5000))
	s.Typed("x in:many.md")
	s.Keys("ctrl+r")
	s.Typed("y")
	s.Shows("5000 hits in 1 memory")
	if n := len(s.Pane.rows); n != maxOfOne+2 {
		t.Errorf("%d rows", n)
	}
	for range maxOfOne + 5 {
		s.Keys("down")
	}
	s.Shows("… and 4800 more hits, also included")
	s.Keys("up alt+s enter")
	if _, did, err := applyLast(s); err != nil || !strings.Contains(did, "4999 hits") {
		t.Errorf("%s, %v", did, err)
	}
}

func TestReplace_ShowsTheReplacementInALongLine(t *testing.T) {
	s := newSim(t, 60, 12)
	write(s, "long.md", strings.Repeat("before ", 5)+"needle"+strings.Repeat(" after", 12)+"\n")
	s.Typed("needle")
	s.Keys("ctrl+r")
	s.Typed("a long straw")
	s.Shows("needle → a long straw")
}

func TestReplace_WorksWithTheMouse(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may")
	s.Keys("ctrl+r")
	click := func(x, y int) { s.Run(s.Pane.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})) }
	click(5, 0)
	s.Typed("x")
	s.Shows("mayx")
	s.Typed("")
	s.Run(s.Pane.Update(tea.KeyPressMsg{Code: tea.KeyBackspace}))
	click(5, 1)
	s.Typed("July")
	s.Shows("May → July")
	click(2, 3) // the box of the first hit
	s.Shows("2 of 3 hits", "[ ] /people/lee.md")
	if s.Pane.parts.Cur != 1 {
		t.Errorf("the cursor is on row %d", s.Pane.parts.Cur)
	}
	click(105, 0)
	if s.Pane.repl == nil || s.Pane.scope != Memories {
		t.Error("a click where no scope is shown turns to another")
	}
}

func TestReplaceFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 24)
	write(s, "bytes", "May \xff\n")
	write(s, strings.Repeat("long/", 20)+"name.md", strings.Repeat("日本語 ", 30)+"May"+strings.Repeat(" é\u0301", 200)+"\tMay\n")
	s.Typed("may")
	s.Keys("ctrl+r")
	for i, with := range []string{"", "June\u202e\x1b[2J", strings.Repeat("日", 100)} {
		s.Pane.repl.with.Value = with
		s.Run(s.Pane.search())
		s.Keys(strings.Repeat("down ", i) + "alt+s")
		for w := 1; w < 140; w += 3 {
			for h := 1; h < 40; h += 2 {
				s.Pane.SetSize(w, h)
				if wrong := drawtest.Problem(s.Pane.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d with %q: %s", w, h, with, wrong)
				}
				if x, y, ok := s.Pane.Cursor(); ok && (x >= w || y >= h) {
					t.Fatalf("%dx%d: the cursor is at %d, %d", w, h, x, y)
				}
			}
		}
	}
	s.Pane.SetSize(100, 24)
	for y, row := range strings.Split(s.Pane.View(), "\n") {
		if y == 2+s.Pane.parts.Cur-s.Pane.parts.Top && !strings.Contains(row, s.Pane.env.Theme.Selected.On) {
			t.Errorf("the row of the cursor is not lit: %q", row)
		}
	}
}
