package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

func content(s *sim, p string) string { return s.store.tree()[at(p)].content }

func TestOpen_ShowsTheMemoryUnderTheCursor(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("enter")
	s.shows("/people/dana.md", "prefers short notes", "3 lines")
	if s.app.focus != slotMemory {
		t.Error("the memory has not got the focus")
	}
	s.keys("esc")
	if s.app.focus != slotTree {
		t.Error("esc does not lead back")
	}
}

func TestNew_MakesFoldersAndSavesWhatIsTyped(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.keys("G n")
	s.typed("ideas/2026/one.md")
	s.keys("enter")
	s.typed("first")
	s.keys("ctrl+s")
	s.shows("saved /ideas/2026/one.md · Esc, then u undoes") // u would be typed
	s.keys("esc")
	s.hides("●") // not even before the event says whose it was
	s.deliver()
	if got := content(s, "ideas/2026/one.md"); got != "first" {
		t.Fatalf("the memory holds %q", got)
	}
	s.shows("saved /ideas/2026/one.md", "u undoes", "one.md")
	if s.app.tree.Changed() != 0 {
		t.Error("one's own memory is marked as changed")
	}
}

func TestNew_RefusesWhatIsNoPathOrTaken(t *testing.T) {
	for typed, want := range map[string]string{
		"../../etc/x":            "would escape the store",
		"ideas/":                 "a name is missing",
		"from-web.md":            "already exists",
		strings.Repeat("x", 256): "name is too long",
	} {
		s := newSim(t, sample(), 120, 30)
		s.keys("n")
		s.typed(typed)
		s.keys("enter")
		s.shows(want)
		if s.app.edit != nil {
			t.Errorf("%q opened an editor", typed)
		}
	}
}

func TestNew_LeftEmptyMakesNothing(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.keys("n")
	s.typed("x.md")
	s.keys("enter esc")
	if n := len(s.store.changes); n != 7 || s.app.edit != nil || s.app.focus != slotTree {
		t.Errorf("%d changes, focus %d", n, s.app.focus)
	}
}

func TestRename_MovesAndFollowsTheOpenMemory(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Open{Path: at("people/dana.md"), Stay: true})
	s.keys("r ctrl+u")
	s.typed("/team/dana.md")
	s.keys("enter")
	s.deliver()
	s.shows("renamed /people/dana.md to /team/dana.md", "u undoes", "─ /team/dana.md")
	if content(s, "team/dana.md") == "" {
		t.Error("it is not there")
	}
}

func TestDelete_AsksOnlyForFoldersAndNamesTheCount(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("d")
	s.shows("deleted /people/dana.md", "u undoes")
	s.deliver()
	s.on("projects").keys("d")
	s.shows("Delete /projects with 3 memories?")
	s.keys("enter") // keep is what enter means here
	if content(s, "projects/release/plan.md") == "" {
		t.Fatal("enter alone deleted a folder")
	}
	s.keys("d y")
	s.deliver()
	if content(s, "projects/release/plan.md") != "" {
		t.Fatal("y did not delete")
	}
	s.keys("u")
	s.deliver()
	s.shows("undid change", " · ^R brings it back")
	if content(s, "projects/release/plan.md") == "" {
		t.Fatal("undo brought nothing back")
	}
}

func TestToast_SaysTheWayBackWhereThereIsLittleRoom(t *testing.T) {
	s := newSim(t, sample(), 36, 12).on("people/dana.md")
	s.keys("d")
	s.shows(" deleted /people/dana.md · u undoes ")
	for _, path := range []string{"projects/release/plan.md", "projects/release/checklist.md"} {
		s.on(path).keys("d")
	}
	s.shows(" deleted /projects/rele… · u undoes ")
	s.keys("u")
	s.deliver()
	s.keys("ctrl+p") // where it takes more words, what was done is told first
	s.shows("undid change #")
	s.hides("undid chan…")
}

func TestMove_BringsAllThatIsChosenToAFolderInOneChange(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/lee.md"), Stay: true})
	s.on("people/dana.md").keys("space space m")
	s.shows("move 2 entries to the folder: /people/")
	s.keys("ctrl+u")
	s.typed("team/")
	before := len(s.store.changes)
	s.keys("enter")
	s.deliver()
	if content(s, "team/dana.md") == "" || content(s, "people/lee.md") != "" || len(s.store.changes) != before+1 {
		t.Errorf("%d changes", len(s.store.changes)-before)
	}
	s.shows("moved 2 entries to /team", "u undoes", "─ /team/lee.md", "on leave until May")
	s.keys("m ctrl+u")
	s.typed("../x")
	s.keys("enter")
	s.shows("would escape the store")
}

func TestTree_ComesBackAsItWasLeft(t *testing.T) {
	f := sample()
	s := newSim(t, f, 100, 30)
	s.send(screen.Open{Path: at("people/dana.md"), Stay: true})
	s.on("projects").keys("h s")
	f.write(agent, "people/dana.md", "# Dana\n\nprefers long notes\n")
	s.app.saver()()
	s = newSim(t, f, 100, 30)
	s.shows("▸ projects", "newest", "prefers long notes", "● 1 changed")
	if s.app.focus != slotTree || s.app.tree.Here() != at("people/dana.md") {
		t.Errorf("the cursor is on %s", s.app.tree.Here())
	}
	s.keys("enter")
	s.hides("changed")
}

func TestSelect_DeletesAllThatIsChosenInOneChange(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("space space")
	s.shows("2 chosen", "✓")
	before := len(s.store.changes)
	s.keys("d")
	s.deliver()
	if content(s, "people/dana.md")+content(s, "people/lee.md") != "" || len(s.store.changes) != before+1 {
		t.Errorf("%d changes", len(s.store.changes)-before)
	}
	s.shows("deleted 2 entries")
}

func TestReadOnly_WritesNothing(t *testing.T) {
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.ReadOnly = true })
	s.shows("read-only")
	for _, k := range strings.Fields("n r d u ctrl+r enter e E") {
		s.keys(k)
		if s.app.prompt != nil || s.app.edit != nil || s.app.overlay != nil {
			t.Errorf("%s begins something", k)
		}
	}
	if len(s.store.changes) != 7 {
		t.Error("something was written")
	}
}

func TestOutsideChange_IsMarkedUntilOpened(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.keys("-")
	s.store.write(agent, "people/kim.md", "# Kim\n")
	s.deliver()
	s.shows("● 1 changed", "●▸ people")
	s.elapse()
	s.keys("]")
	s.shows("●    kim.md")
	s.keys("enter")
	s.hides("●")
}

func TestOutsideChange_KeepsThePlaceInTheOpenMemory(t *testing.T) {
	f := newFake()
	lines := strings.Split(strings.TrimSpace(strings.Repeat("x ", 300)), " ")
	for i := range lines {
		lines[i] = "line " + string(rune('a'+i%26)) + " " + strings.Repeat("z", i%7)
	}
	lines[200] = "here we are"
	f.write(agent, "long.md", strings.Join(lines, "\n")+"\n")
	s := newSim(t, f, 100, 30)
	s.keys("enter")
	s.keys("2 0 1 G")
	row := rowOf(s, "here we are")
	f.write(agent, "long.md", "new 1\nnew 2\nnew 3\n"+strings.Join(lines, "\n")+"\nlast\n")
	s.deliver()
	if got := rowOf(s, "here we are"); got != row {
		t.Errorf("the line moved from row %d to %d:\n%s", row, got, s.screen())
	}
	s.shows("204 here we are")
	s.keys("g g")
	s.shows("1▌new 1", "3▌new 3", "4 line a")
}

func rowOf(s *sim, text string) int {
	for y, row := range strings.Split(s.screen(), "\n") {
		if strings.Contains(row, text) {
			return y
		}
	}
	return -1
}

func TestOutsideDelete_OfTheOpenMemoryIsSaid(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.store.Delete(context.Background(), agent, at("people/dana.md"))
	s.deliver()
	s.shows("no such memory")
	s.store.Undo(context.Background(), agent, 0)
	s.deliver()
	s.shows("prefers short notes")
}

func TestConflict_LosesNeitherText(t *testing.T) {
	begin := func(t *testing.T) *sim {
		s := newSim(t, sample(), 100, 30)
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		s.store.write(agent, "people/dana.md", "theirs\n")
		s.keys("ctrl+s")
		s.shows("changed meanwhile", "texts stay")
		if content(s, "people/dana.md") != "theirs\n" {
			t.Fatal("saving overwrote what somebody else wrote")
		}
		return s
	}
	mine := "mine # Dana\n\nprefers short notes\n"
	t.Run("overwrite", func(t *testing.T) {
		s := begin(t)
		s.keys("o")
		if content(s, "people/dana.md") != mine {
			t.Errorf("the memory holds %q", content(s, "people/dana.md"))
		}
		if s.app.edit.pane.Dirty() {
			t.Error("the editor thinks it is not saved")
		}
	})
	t.Run("beside", func(t *testing.T) {
		s := begin(t)
		s.keys("b")
		if content(s, "people/dana.md") != "theirs\n" || content(s, "people/dana (mine).md") != mine {
			t.Errorf("%q and %q", content(s, "people/dana.md"), content(s, "people/dana (mine).md"))
		}
		s.shows("dana (mine).md")
	})
	t.Run("theirs", func(t *testing.T) {
		s := begin(t)
		s.keys("t")
		if got := string(s.app.edit.pane.Content()); got != "theirs\n" {
			t.Errorf("the editor holds %q", got)
		}
		s.keys("ctrl+z")
		if got := string(s.app.edit.pane.Content()); got != mine {
			t.Errorf("undo brings back %q", got)
		}
	})
	t.Run("back", func(t *testing.T) {
		s := begin(t)
		s.keys("esc")
		if got := string(s.app.edit.pane.Content()); got != mine || s.app.overlay != nil {
			t.Errorf("the editor holds %q", got)
		}
	})
}

func TestEdit_TakesOverWhatChangedWhileNothingWasTyped(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.store.write(agent, "people/dana.md", "theirs\n")
	s.deliver()
	if got := string(s.app.edit.pane.Content()); got != "theirs\n" {
		t.Errorf("the editor holds %q", got)
	}
	s.typed("x")
	s.store.write(agent, "people/dana.md", "again\n")
	s.deliver()
	s.shows("changed meanwhile: saving will ask")
}

func TestQuit_AsksWhenSomethingIsNotSaved(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.keys("esc")
	s.shows("has changes that are not saved")
	s.keys("s")
	if !strings.HasPrefix(content(s, "people/dana.md"), "mine") || s.app.edit != nil {
		t.Errorf("saved %q", content(s, "people/dana.md"))
	}
}

func TestSearch_GoesFromHitToHit(t *testing.T) {
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

func TestFind_LooksWhileItIsTypedAndGoesBackWhenItIsLeft(t *testing.T) {
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

func TestBlame_IsAskedForByOthers(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	s.send(screen.Blame{Path: at("projects/release/plan.md"), Line: 7})
	s.shows("v1 claude", "sesn_agent", "7▸The")
	s.send(screen.Open{Path: at("people/lee.md")})
	s.shows("v1 dana")
	s.keys("enter")
	s.shows("history of /people/lee.md")
}

func TestLinks_LeadBackAndForward(t *testing.T) {
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

func TestLinks_CreateWhatIsMissing(t *testing.T) {
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

func TestSpecial_IsShownAsWhatItIs(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	for p, want := range map[string]string{
		"inbox/pipe": "not a regular file", "shared": "leaves the store",
	} {
		s.send(screen.Open{Path: at(p)})
		s.shows(want)
		s.keys("e")
		if s.app.edit != nil {
			t.Errorf("%s can be edited", p)
		}
	}
}

func TestNotUTF8_IsShownByteByByte(t *testing.T) {
	f := newFake()
	f.write(agent, "raw.bin", "ok\xff\x9b\n\x00end\n")
	f.write(agent, "empty.md", "")
	s := newSim(t, f, 100, 20)
	s.send(screen.Open{Path: at("raw.bin")})
	s.shows("6f 6b ff 9b", "ok··", "bytes")
	s.keys("x")
	s.shows("ok<FF><9B>", "^@end", "not UTF-8")
	s.send(screen.Open{Path: at("empty.md")})
	s.shows("empty")
}

func TestActs_TellWhyTheyFailed(t *testing.T) {
	s := newSim(t, sample(), 140, 30)
	s.store.broken = memfs.ErrNoSpace
	s.keys("j d")
	s.shows("no space left on the disk")
	s.keys("j")
	s.hides("no space left on the disk") // a key was pressed: it was seen
	s.keys("M")
	s.shows("messages", "no space left on the disk")
}

func TestStale_AnswersAreDropped(t *testing.T) {
	s := newSim(t, sample(), 100, 30)
	first := s.app.memory.Show(at("people/dana.md"), 0)
	s.run(s.app.memory.Show(at("people/lee.md"), 0))
	s.run(first)
	s.shows("on leave until May")
	s.hides("prefers short notes")
}

func TestMouse_OpensFoldsAndScrolls(t *testing.T) {
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
	if s.app.focus != slotTree {
		t.Error("a click does not focus")
	}
}

func TestNarrow_ShowsOnePaneAndItsTabs(t *testing.T) {
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
	s := newSim(t, sample(), 120, 36)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("H")
	s.shows("history of /people/dana.md", "v1")
	if s.app.focus != slotHistory {
		t.Error("the history has not got the focus")
	}
	s.send(screen.Open{Path: at("people/lee.md"), Stay: true})
	s.shows("history of /people/lee.md")
	s.keys("H")
	s.hides("history of")
}

func TestHistory_ShowsAllChangesWhenNoMemoryIsOpen(t *testing.T) {
	s := newSim(t, sample(), 120, 36)
	s.keys("H")
	s.shows("all changes")
}

func TestFinder_FindsByLettersAndOpens(t *testing.T) {
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
	s := newSim(t, sample(), 100, 200)
	s.keys("?")
	for _, e := range s.app.entries() {
		s.shows(e.Label(), e.Name)
	}
	s.shows("Shift+Drag")
	s.keys("esc")
	s.hides("Shift+Drag")
}

func TestTick_MakesAgesGrow(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	s.app.Update(tickMsg{clock.Add(24 * 365 * 2 * 3600e9)})
	s.shows("2y")
}

func TestWatch_TellsWhenTheFolderIsOutOfReach(t *testing.T) {
	s := newSim(t, sample(), 120, 30)
	s.shows("watching")
	s.app.events = nil
	s.send(eventMsg{event: versions.Event{Err: errors.New("folder is gone")}})
	s.shows("folder is gone")
	s.keys("j")
	s.shows("out of reach")
	s.send(eventMsg{event: versions.Event{Polling: true, Others: true}})
	s.shows("polling")
}

func TestName_CannotDrawOverTheScreen(t *testing.T) {
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

func TestFirstLook_ReadsTheTreeAgainOnlyWhenItMayHaveChanged(t *testing.T) {
	for name, c := range map[string]struct {
		synced versions.SyncReport
		others int64 // a change that somebody else made meanwhile
		want   int
	}{
		"nothing was taken in":   {want: 1},
		"something was taken in": {synced: versions.SyncReport{Changed: true}, want: 2},
		"somebody wrote":         {others: 1, want: 2},
	} {
		f := newFake()
		f.write(agent, "a.md", "a")
		f.synced = c.synced
		a := New(t.Context(), Config{Store: f, By: me, Now: func() time.Time { return clock }})
		a.later = func(time.Duration, tea.Msg) tea.Cmd { return nil }
		a.Update(a.reload()())
		if c.others > 0 {
			f.write(agent, "b.md", "b")
		}
		s := &sim{t: t, app: a, store: f}
		s.run(settle(t.Context(), f))
		if f.listed != c.want {
			t.Errorf("%s: the tree was read %d times, want %d", name, f.listed, c.want)
		}
		if !f.looks.Begun {
			t.Errorf("%s: what stands does not count as seen", name)
		}
	}
}

func TestRedo_NamesNoChangeWhereThereWereSeveral(t *testing.T) {
	for undoes, want := range map[int64]string{7: "change #7", 0: "all that was undone together"} {
		if got := what(versions.Change{Kind: versions.KindRedo, Undoes: undoes}); got != want {
			t.Errorf("a redo of %d brought back %q, want %q", undoes, got, want)
		}
	}
}
