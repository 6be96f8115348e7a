package search

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

var robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_1"}

var me = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "me"}}

func newSim(t *testing.T, w, h int) *screentest.Sim[*Pane] {
	t.Helper()
	store := storetest.NewStore(t, versions.Options{})
	for _, m := range [][2]string{
		{"people/dana.md", "# Dana\n\nprefers short notes\n"}, {"people/lee.md", "# Lee\n\non leave until May\n"},
		{"plan.md", "# Release\n\nship in April\n"}, {"plan.md", "# Release\n\nship in May\n\n\u202ehidden May\n"},
	} {
		storetest.Write(t, store, robot, m[0], m[1])
	}
	env := screentest.Env(t.Context())
	s := screentest.New(t, env, New(env, local.Store{Store: store}, me, Memories, "", memfs.Root, nil), w, h)
	s.Run(s.Pane.Start())
	return s
}

func TestSearch_FindsWhileTypingAndOpensHits(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Shows("search memories", "type words")
	s.Typed("may")
	s.Shows("2 memories", "/people/lee.md", "3 on leave until May", "/plan.md", "3 ship in May", "<U+202E>hidden")
	path := s.Pane.current().path
	s.Shows("# Release") // around the first hit
	s.Keys("down down down")
	if s.Pane.current().path == path {
		t.Error("the cursor stays in one memory")
	}
	s.Shows("# Lee")
	s.Keys("enter")
	if len(s.Sent) != 1 || s.Sent[0] != (screen.Open{Path: screentest.Path("people/lee.md"), Line: 3, Find: "may"}) {
		t.Errorf("enter asks %+v", s.Sent)
	}
}

func TestSearch_PassesTheQueryToTheMemory(t *testing.T) {
	for _, c := range []struct{ keys, typed, find string }{
		{"", "may ship", "/may|ship/"},
		{"", `"in May"`, "in May"},
		{"", "may in:plan.md", "may"},
		{"alt+r", "ship in (may|june)", "/ship in (may|june)/"},
	} {
		s := newSim(t, 120, 24)
		s.Keys(c.keys)
		s.Typed(c.typed)
		s.Keys("enter")
		if open, ok := s.Last().(screen.Open); !ok || open.Find != c.find || open.Line == 0 {
			t.Errorf("%s: it asks %+v", c.typed, s.Last())
		}
	}
}

func TestSearch_OfEveryVersionFindsReplacedText(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("april")
	s.Shows("nothing found · Tab searches all versions")
	s.Keys("tab")
	s.Shows("search every version", "1 run of versions", "/plan.md", "v1", "3 ship in April")
	r := s.Pane.current()
	if r.current || r.version == "" {
		t.Errorf("the hit is %+v", r)
	}
}

func TestNames_AreFoundByTheirLetters(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Pane.names.entries, _ = history.Tree(t.Context(), s.Pane.store.(local.Store).Store)
	s.Keys("shift+tab")
	s.Shows("find a memory 3 of 3", "people/dana.md", "# Release") // the most recent change is shown first
	s.Typed("ppdn")
	s.Shows("1 of 3", "prefers short notes")
	s.Typed("zz")
	s.Shows("no such name")
	s.Keys("tab")
	s.Shows("search memories")
}

func TestSearch_SuggestsNearMisses(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("May Dana")
	s.Shows("no memory has all of it", "“May” is in 2 memories")
	s.Pane.SetSize(32, 12) // where that takes several rows
	s.Shows("“Dana” is in")
	s.Hides("…")
}

func TestSearch_CanBeLimitedToAFolder(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may in:people")
	s.Shows("1 memory", "/people/lee.md")
	s.Hides("plan.md")
}

func TestAnswer_ToAnEarlierQueryIsDropped(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Pane.input.Value = "dana"
	old := s.Pane.search()
	s.Typed("\b")
	s.Pane.input.Value = "lee"
	s.Run(s.Pane.search())
	s.Run(old)
	s.Shows("/people/lee.md")
}

func TestOpenHit_WaitsForTheHitsOfTheTypedQuery(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("dana")
	s.Pane.input.Value = "lee"
	answer := s.Pane.search()
	s.Sent = nil
	s.Keys("enter") // dana is still listed
	if len(s.Sent) > 0 {
		t.Fatalf("Enter takes an earlier hit: %v", s.Sent)
	}
	s.Run(answer)
	if open, ok := s.Last().(screen.Open); !ok || open.Path != screentest.Path("people/lee.md") {
		t.Errorf("Enter goes to %+v", s.Last())
	}
}

// A click opens what is clicked, also while another query is searched for.
func TestClick_OpensTheHitThatIsShown(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("dana")
	s.Pane.input.Value = "lee"
	answer := s.Pane.search()
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: 8, Y: 2, Button: tea.MouseLeft}))
	s.Run(answer)
	if open, ok := s.Last().(screen.Open); !ok || open.Path != screentest.Path("people/dana.md") || open.Find != "" {
		t.Errorf("it goes to %+v", s.Last())
	}
}

func TestRedact_OfAPhraseLeavesOutItsQuotes(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed(`"in May"`)
	s.Keys("alt+x")
	if want := (screen.Redact{Match: "in May"}); s.Last() != want {
		t.Errorf("it asks %+v", s.Last())
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 24)
	for _, query := range []string{"", "may", "nothing at all"} {
		s.Pane.input.Value = query
		s.Run(s.Pane.search())
		s.FitsEverySize()
	}
}

func TestHits_ShowWhereTheyAreCut(t *testing.T) {
	s := newSim(t, 40, 12)
	long := strings.Repeat("before ", 12) + "needle" + strings.Repeat(" after", 12) + "\n"
	storetest.Write(t, s.Pane.store.(local.Store).Store, robot, "a/folder/of/a/long/name/"+strings.Repeat("x", 30)+".md", long)
	s.Typed("needle")
	for _, row := range strings.Split(ansi.Strip(s.Pane.View()), "\n") {
		if strings.Contains(row, "needle") && strings.Contains(row, "after") && (strings.Count(row, "…") != 2 || !strings.HasSuffix(row, "…")) {
			t.Errorf("the hit is %q", row)
		}
		if strings.Contains(row, "/a/folder") && !strings.Contains(row, "…") {
			t.Errorf("the path is %q", row)
		}
	}
	s.Shows("needle after")
}

func TestRegexp_IsToggledByKeyAndMouse(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("^on.*may$")
	s.Shows("nothing found")
	s.Keys("alt+r")
	s.Shows("search memories (regexp) 1 memory", "3 on leave until May")
	row := strings.Split(ansi.Strip(s.Pane.View()), "\n")[0]
	x := strings.LastIndex(row, ".*") - len("›") + 1
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: x, Y: 0, Button: tea.MouseLeft}))
	if s.Pane.regexp {
		t.Fatalf("a click at %d does not switch it off:\n%s", x, row)
	}
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: x - 5, Y: 0, Button: tea.MouseLeft}))
	s.Shows("search every version")
	s.Keys("alt+r")
	s.Shows("search every version (regexp) 1 run of versions")
	s.Keys("tab")
	s.Shows("find a memory")
	if cmd, _ := s.Pane.keys.Press(s.Pane, []string{"alt+r"}, 0); cmd == nil || !s.Pane.regexp {
		t.Error("names can be looked for by an expression")
	}
}

func TestRegexp_IncompleteKeepsTheEarlierHits(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Keys("alt+r")
	s.Shows("type a regular expression")
	s.Typed("(")
	s.Shows("missing closing ), at character 1")
	s.Typed("may|")
	s.Shows("missing closing )")
	s.Typed(")")
	s.Shows("2 memories")
	before := ansi.Strip(s.Pane.View())
	valid := s.Pane.View()
	s.Typed("[")
	s.Shows("search memories (regexp) missing closing ], at character 7", "3 on leave until May")
	after := ansi.Strip(s.Pane.View())
	if before[strings.Index(before, "\n"):] != after[strings.Index(after, "\n"):] {
		t.Errorf("the hits change:\n%s\n%s", before, after)
	}
	if strings.Count(s.Pane.View(), s.Pane.env.Theme.Match.On) >= strings.Count(valid, s.Pane.env.Theme.Match.On) {
		t.Error("what is listed looks as if it was found")
	}
	s.Sent = nil
	s.Keys("enter")
	if len(s.Sent) != 1 {
		t.Fatalf("Enter sends %v", s.Sent)
	}
	if no, ok := s.Sent[0].(keys.Refused); !ok || !strings.Contains(no.Why, "missing closing ]") {
		t.Errorf("Enter sends %+v", s.Sent[0])
	}
}

func TestQuery_KeepsSpacesAndSplitsOffTheFolder(t *testing.T) {
	for typed, want := range map[string][2]string{
		"a  b": {"a  b", "."}, "in:x/y a": {"a", "x/y"}, "a in:x b": {"a b", "x"}, "a in:x": {"a", "x"}, "within:x": {"within:x", "."}, "in:": {"", "."}, " a ": {" a ", "."},
		"in:a in:b c": {"c", "b"},
	} {
		text, in := cutFolder(typed)
		if text != want[0] || in.Rel() != want[1] {
			t.Errorf("%q is %q in %q", typed, text, in.Rel())
		}
	}
}

func TestNames_CutAreMarked(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Pane.rows = []row{{name: true, path: screentest.Path("people/a-name-that-is-long.md")}}
	if got := ansi.Strip(string(s.Pane.AppendRow(nil, 0, 20))); got != "   …that-is-long.md " {
		t.Errorf("drawn as %q", got)
	}
	if got := ansi.Strip(string(s.Pane.AppendRow(nil, 0, 40))); got != "   people/a-name-that-is-long.md        " {
		t.Errorf("with room, drawn as %q", got)
	}
}

func TestTitle_CountsHitsAndMemories(t *testing.T) {
	s := newSim(t, 100, 24)
	for _, c := range [][2]string{{"may", "3 hits in 2 memories"}, {"leave", "1 memory"}, {"nowhere", "0 memories"}, {"short", "1 memory"}} {
		s.Keys("ctrl+u")
		s.Typed(c[0])
		if _, info := s.Pane.Title(); info != c[1] {
			t.Errorf("of %s it says %q, want %q", c[0], info, c[1])
		}
	}
}

func TestClick_SelectsAHitAndOpensItThen(t *testing.T) {
	s := newSim(t, 120, 24)
	s.Typed("may")
	click := func(x, y int) { s.Run(s.Pane.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})) }
	click(8, 5) // below the field, two headings and two hits of another memory
	if r := s.Pane.current(); r == nil || r.path != screentest.Path("people/lee.md") {
		t.Fatalf("a click selects %+v", r)
	}
	s.Shows("# Lee")
	click(90, 3) // in the preview
	click(8, 4)  // on a heading
	if len(s.Sent) > 0 || s.Pane.current().path != screentest.Path("people/lee.md") {
		t.Errorf("clicks elsewhere select %+v and ask %v", s.Pane.current(), s.Sent)
	}
	click(8, 5)
	if want := (screen.Open{Path: screentest.Path("people/lee.md"), Line: 3, Find: "may"}); s.Last() != want {
		t.Errorf("a second click asks %+v", s.Last())
	}
}
