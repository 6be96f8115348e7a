package ui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
)

func TestOpen_ShowsTheMemoryUnderTheCursor(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("enter")
	s.shows("/people/dana.md", "prefers short notes", "line 1 of 3")
	if s.app.frame.Focus() != frame.Memory {
		t.Error("the memory has not got the focus")
	}
	s.keys("esc")
	if s.app.frame.Focus() != frame.Tree {
		t.Error("esc does not lead back")
	}
}

func TestTree_IsRestored(t *testing.T) {
	t.Parallel()
	f := sample()
	s := newSim(t, f, 100, 30)
	s.send(screen.Open{Path: at("people/dana.md"), Stay: true})
	s.on("projects").keys("h s")
	f.write(agent, "people/dana.md", "# Dana\n\nprefers long notes\n")
	saver(s.app.tree)()
	s = newSim(t, f, 100, 30)
	s.shows("▸ projects", "newest", "prefers long notes", "● 1 to review")
	if s.app.frame.Focus() != frame.Tree || s.app.tree.Here() != at("people/dana.md") {
		t.Errorf("the cursor is on %s", s.app.tree.Here())
	}
	s.keys("enter")
	s.shows("3▌prefers long notes", "● 1 to review") // viewing it is not reviewing it
	s.keys(".")
	s.hides("changed")
}

func TestQuit_AsksAboutUnsavedText(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.keys("esc")
	s.shows("has changes that are not saved")
	s.keys("s")
	if !strings.HasPrefix(content(s, "people/dana.md"), "mine") || s.app.editing.Pane() != nil {
		t.Errorf("saved %q", content(s, "people/dana.md"))
	}
}

func TestSearch_GoesFromHitToHit(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Open{Path: at("projects/release/plan.md")})
	s.keys("/")
	s.typed("re")
	s.keys("enter")
	s.shows("“re” 1/10")
	s.keys("n n")
	s.shows("“re” 3/10")
	s.keys("N N N")
	s.shows("“re” 10/10")
	s.keys("esc")
	s.hides("“re”")
	s.keys("/")
	s.typed("Re")
	s.keys("enter")
	s.shows("“Re” 1/1")
	s.keys("/ ctrl+u")
	s.typed("nowhere")
	s.keys("enter")
	s.shows("no hit for “nowhere”")
}

func TestFind_SearchesWhileTypingAndReturnsOnEsc(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 12)
	s.send(screen.Open{Path: at("projects/release/plan.md")})
	s.keys("/")
	s.typed("dana pre")
	s.shows("“dana pre” 1/1", "> Dana prefers")
	s.send(tea.PasteMsg{Content: "fers"})
	s.shows("“dana prefers” 1/1")
	s.keys("esc")
	s.hides("> Dana prefers", "“dana")
}

func TestBlame_CanBeRequestedByOtherPanes(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Blame{Path: at("projects/release/plan.md"), Line: 7})
	s.shows("v1 claude", "sesn_agent", "▸  7 The")
	s.send(screen.Open{Path: at("people/lee.md")})
	s.shows("v1 dana")
	s.keys("enter")
	s.shows("history of /people/lee.md")
}

func TestLinks_CanBeFollowedBackAndForward(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Open{Path: at("MEMORY.md")})
	s.keys("enter enter")
	s.shows("# Release plan")
	s.keys("ctrl+o")
	s.shows("- [people]")
	if s.app.tree.Here() != at("MEMORY.md") {
		t.Errorf("the tree is at %s", s.app.tree.Here())
	}
}

// Going back leads to where a memory is now, whoever renamed it meanwhile.
func TestBack_LeadsToAMemoryThatWasRenamed(t *testing.T) {
	t.Parallel()
	f := sample()
	s := newSim(t, f, 120, 30)
	s.send(screen.Open{Path: at("MEMORY.md")})
	s.keys("enter enter")
	s.shows("# Release plan")
	if _, err := f.Rename(t.Context(), robot, at("MEMORY.md"), at("INDEX.md")); err != nil {
		t.Fatal(err)
	}
	s.happens(<-f.events)
	s.keys("ctrl+o")
	s.shows("─ /INDEX.md ─", "- [people]")
}

func TestLinks_CreateMissingMemories(t *testing.T) {
	t.Parallel()
	f := sample()
	f.write(me, "MEMORY.md", "see [[kim]]\n")
	s := newSim(t, f, 120, 30)
	s.send(screen.Open{Path: at("MEMORY.md")})
	s.keys("enter enter")
	s.shows("There is no memory at /kim.md.")
	s.keys("c")
	s.typed("# Kim")
	s.keys("ctrl+s")
	if got := content(s, "kim.md"); got != "# Kim" {
		t.Errorf("it holds %q", got)
	}
}

func TestSpecialFiles_AreLabelled(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	for p, want := range map[string]string{
		"inbox/pipe": "not a regular file", "shared": "leaves the store",
	} {
		s.send(screen.Open{Path: at(p)})
		s.shows(want)
		s.keys("e")
		if s.app.editing.Pane() != nil {
			t.Errorf("%s can be edited", p)
		}
	}
}

func TestInvalidUTF8_IsShownWithSigns(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "raw.bin", "ok\xff\x9b\n\x00end\n")
	f.write(agent, "empty.md", "")
	s := newSim(t, f, 100, 20)
	s.send(screen.Open{Path: at("raw.bin")})
	s.shows("ok<FF><9B>", "^@end", "not UTF-8")
	s.send(screen.Open{Path: at("empty.md")})
	s.shows("empty")
}

func TestStale_AnswersAreDropped(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	first := s.app.memory.Show(at("people/dana.md"), 0)
	s.run(s.app.memory.Show(at("people/lee.md"), 0))
	s.run(first)
	s.shows("on leave until May")
	s.hides("prefers short notes")
}

func TestMouse_OpensFoldsAndScrolls(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	click := func(x, y int) { s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}) }
	click(3, rowOf(s, "dana.md"))
	s.shows("prefers short notes")
	click(3, rowOf(s, "▾ people"))
	s.hides("dana.md   ")
	s.send(screen.Open{Path: at("projects/release/plan.md")})
	s.send(tea.WindowSizeMsg{Width: 100, Height: 12})
	s.send(tea.MouseWheelMsg{X: 80, Y: 5, Button: tea.MouseWheelDown})
	s.shows(" 4 ---")
	s.hides(" 1 ---")
	click(2, 3)
	if s.app.frame.Focus() != frame.Tree {
		t.Error("a click does not focus")
	}
}

func TestNarrow_ShowsOnePaneAndItsTabs(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 40, 12)
	s.shows("tree", "memory", "inbox")
	s.on("people/dana.md").keys("enter")
	s.shows("prefers short notes")
	s.hides("inbox")
	s.send(tea.MouseClickMsg{X: 4, Y: 0, Button: tea.MouseLeft})
	s.shows("inbox")
	s.keys("tab")
	s.shows("prefers short notes")
}

func TestHistory_OpensOnTheMemoryAndCloses(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("H")
	s.shows("history of /people/dana.md", "v1")
	if s.app.frame.Focus() != frame.History {
		t.Error("the history has not got the focus")
	}
	s.send(screen.Open{Path: at("people/lee.md"), Stay: true})
	s.shows("history of /people/lee.md")
	s.keys("H")
	s.hides("history of")
}

func TestHistory_ShowsAllChangesWhenNoMemoryIsOpen(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.keys("H")
	s.shows("all changes")
}

func TestFinder_FindsByLettersAndOpens(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("ctrl+p")
	s.typed("rlck")
	s.shows("1 of 10", "projects/release/checklist.md")
	s.keys("enter")
	s.shows("- sign")
	if len(s.app.screens) > 0 {
		t.Error("the finder stays open")
	}
}

func TestHelp_NamesEveryKeyThatWorks(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 200)
	s.keys("?")
	for _, e := range s.app.available().all() {
		if len(e.Keys) > 0 {
			s.shows(e.Label(), e.Name)
		}
	}
	s.shows("Shift+Drag")
	s.hides("theme…") // no key has it: the palette does
	s.keys("esc")
	s.hides("Shift+Drag")
}

func TestTick_UpdatesAges(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	s.app.Update(tickMsg{clock.Add(24 * 365 * 2 * 3600e9)})
	s.shows("2y")
}

// looker is a screen that counts how often it looks.
type looker struct {
	screen.Pane
	looked int
}

func (l *looker) Look() tea.Cmd {
	l.looked++
	return nil
}

func TestTick_LetsScreensLook(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	l := &looker{Pane: s.app.memory}
	s.app.screens = append(s.app.screens, l)
	s.app.Update(tickMsg{clock})
	if l.looked != 1 {
		t.Errorf("it looked %d times", l.looked)
	}
}

func TestName_CanNotInjectSequences(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "a\u202eb\u009b31m.md", "x\n")
	s := newSim(t, f, 120, 30)
	s.shows("a<U+202E>b<U+009B>31m.md")
	s.keys("enter d")
	for _, c := range s.app.View() {
		if c == 0x9b || memfs.HiddenRune(c) && c != 0x1b {
			t.Fatalf("%U is in the frame", c)
		}
	}
}

func TestHelp_SaysAfterHowManyDaysAMemoryIsStale(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 80, func(c *Config) { c.Stale = 8 * 24 * time.Hour })
	s.keys("?")
	s.typed("stale")
	s.shows("neither read nor written for 8 days")
}
