package search

import (
	"context"
	"reflect"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw/drawtest"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

var robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "claude"}, Session: "sesn_1"}

func at(t *testing.T, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

type sim struct {
	t    *testing.T
	pane *Pane
	sent []tea.Msg
}

func newSim(t *testing.T, w, h int) *sim {
	t.Helper()
	ctx := context.Background()
	trail, err := versions.Open(ctx, t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	info, err := trail.CreateStore(ctx, "notes", "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	for _, m := range [][2]string{
		{"people/dana.md", "# Dana\n\nprefers short notes\n"}, {"people/lee.md", "# Lee\n\non leave until May\n"},
		{"plan.md", "# Release\n\nship in April\n"}, {"plan.md", "# Release\n\nship in May\n\n\u202ehidden May\n"},
	} {
		if _, err := s.Write(ctx, robot, at(t, m[0]), []byte(m[1]), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	sm := &sim{t: t, pane: New(ctx, theme.New(true, theme.Many), nil, s, Memories, "", memfs.Root, nil)}
	sm.pane.SetSize(w, h)
	sm.run(sm.pane.Start())
	return sm
}

func (s *sim) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Answer:
		s.run(s.pane.Update(msg))
	default:
		s.sent = append(s.sent, msg)
	}
}

var codes = map[string]rune{"enter": tea.KeyEnter, "tab": tea.KeyTab, "down": tea.KeyDown, "up": tea.KeyUp, "esc": tea.KeyEscape}

func (s *sim) keys(names string) {
	for _, k := range strings.Fields(names) {
		msg := tea.KeyPressMsg{Code: codes[k]}
		if k == "shift+tab" {
			msg = tea.KeyPressMsg{Code: tea.KeyTab, Mod: tea.ModShift}
		}
		s.run(s.pane.Update(msg))
	}
}

func (s *sim) typed(text string) {
	for _, r := range text {
		s.run(s.pane.Update(tea.KeyPressMsg{Code: r, Text: string(r)}))
	}
}

func (s *sim) screen() string {
	name, info := s.pane.Title()
	return name + " " + info + "\n" + ansi.Strip(s.pane.View())
}

func (s *sim) shows(want ...string) {
	s.t.Helper()
	for _, w := range want {
		if !strings.Contains(s.screen(), w) {
			s.t.Fatalf("the screen does not show %q:\n%s", w, s.screen())
		}
	}
}

func TestSearch_FindsAsOneTypesAndGoesThere(t *testing.T) {
	s := newSim(t, 120, 24)
	s.shows("search memories", "type words")
	s.typed("may")
	s.shows("2 memories", "/people/lee.md", "3 on leave until May", "/plan.md", "3 ship in May", "<U+202E>hidden")
	path := s.pane.current().path
	s.shows("# Release") // around the first hit
	s.keys("down down down")
	if s.pane.current().path == path {
		t.Error("the cursor stays in one memory")
	}
	s.shows("# Lee")
	var asked []tea.Msg
	cmd, _ := s.pane.keys.Press(s.pane, []string{"enter"}, 0)
	for _, c := range reflectSequence(cmd()) {
		asked = append(asked, c())
	}
	if len(asked) != 2 || asked[0] != (screen.Back{}) || asked[1] != (screen.Open{Path: at(t, "people/lee.md"), Line: 3}) {
		t.Errorf("enter asks %+v", asked)
	}
}

// reflectSequence is the commands of a tea.Sequence, whose type is not exported.
func reflectSequence(msg tea.Msg) []tea.Cmd {
	v := reflect.ValueOf(msg)
	var out []tea.Cmd
	for i := range v.Len() {
		out = append(out, v.Index(i).Interface().(tea.Cmd))
	}
	return out
}

func TestSearch_OfEveryVersionFindsWhatWasReplaced(t *testing.T) {
	s := newSim(t, 120, 24)
	s.typed("april")
	s.shows("nothing found · Tab: every version")
	s.keys("tab")
	s.shows("search every version", "1 run of versions", "/plan.md", "v1", "3 ship in April")
	r := s.pane.current()
	if r.stands || r.version == "" {
		t.Errorf("the hit is %+v", r)
	}
}

func TestNames_AreFoundByTheirLetters(t *testing.T) {
	s := newSim(t, 120, 24)
	s.pane.names.entries, _ = s.pane.store.(*versions.Store).Tree(context.Background())
	s.keys("shift+tab")
	s.shows("find a memory 3 of 3", "people/dana.md", "# Release") // what changed last is shown first
	s.typed("ppdn")
	s.shows("1 of 3", "prefers short notes")
	s.typed("zz")
	s.shows("no such name")
	s.keys("tab")
	s.shows("search memories")
}

func TestSearch_TellsWhatNearlyWasFound(t *testing.T) {
	s := newSim(t, 120, 24)
	s.typed("May Dana")
	s.shows("nothing holds all of it", "“May” is in 2 memories")
}

func TestSearch_IsNarrowedByAFolder(t *testing.T) {
	s := newSim(t, 120, 24)
	s.typed("may in:people")
	s.shows("1 memory", "/people/lee.md")
	if strings.Contains(s.screen(), "plan.md") {
		t.Errorf("another folder is searched:\n%s", s.screen())
	}
}

func TestAnswer_OfAnEarlierQuestionIsDropped(t *testing.T) {
	s := newSim(t, 120, 24)
	s.pane.input.Value = "dana"
	old := s.pane.search()
	s.typed("\b")
	s.pane.input.Value = "lee"
	s.run(s.pane.search())
	s.run(old)
	s.shows("/people/lee.md")
}

func TestTake_WaitsForTheHitsOfWhatIsTyped(t *testing.T) {
	s := newSim(t, 120, 24)
	s.typed("dana")
	s.pane.input.Value = "lee"
	answer := s.pane.search()
	s.sent = nil
	s.keys("enter") // dana is still listed
	if len(s.sent) > 0 {
		t.Fatalf("Enter takes an earlier hit: %v", s.sent)
	}
	s.run(answer)
	cmds := reflectSequence(s.sent[0])
	if open, ok := cmds[1]().(screen.Open); !ok || open.Path != at(t, "people/lee.md") {
		t.Errorf("Enter goes to %+v", open)
	}
}

func TestFrame_FitsEverySize(t *testing.T) {
	s := newSim(t, 100, 24)
	for _, query := range []string{"", "may", "nothing at all"} {
		s.pane.input.Value = query
		s.run(s.pane.search())
		for w := 1; w < 140; w += 3 {
			for h := 1; h < 40; h += 2 {
				s.pane.SetSize(w, h)
				if wrong := drawtest.Problem(s.pane.View(), w, h); wrong != "" {
					t.Fatalf("%dx%d: %s", w, h, wrong)
				}
			}
		}
	}
}

func TestHits_ShowWhereTheyAreCut(t *testing.T) {
	s := newSim(t, 40, 12)
	long := strings.Repeat("before ", 12) + "needle" + strings.Repeat(" after", 12) + "\n"
	if _, err := s.pane.store.(*versions.Store).Write(context.Background(), robot, at(t, "a/folder/of/a/long/name/"+strings.Repeat("x", 30)+".md"), []byte(long), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.typed("needle")
	for _, row := range strings.Split(ansi.Strip(s.pane.View()), "\n") {
		if strings.Contains(row, "needle") && strings.Contains(row, "after") && (strings.Count(row, "…") != 2 || !strings.HasSuffix(row, "…")) {
			t.Errorf("the hit is %q", row)
		}
		if strings.Contains(row, "/a/folder") && !strings.Contains(row, "…") {
			t.Errorf("the path is %q", row)
		}
	}
	s.shows("needle after")
}
