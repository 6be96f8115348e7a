package ui

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// both edits a memory here while an agent writes it, and saves.
func both(t *testing.T, theirs string) *sim {
	s := newSim(t, sample(), 120, 36)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.store.write(agent, "people/dana.md", theirs)
	s.deliver()
	s.keys("ctrl+s m")
	s.shows("merge /people/dana.md")
	return s
}

func TestMerge_OfAConflictIsSavedOverTheirs(t *testing.T) {
	t.Parallel()
	s := both(t, "# Dana P.\n\nprefers short notes\nand tea\n")
	s.shows("now · claude", "1 of 1 conflict left")
	s.keys("ctrl+s")
	s.shows("1 conflict is not decided")
	s.keys("b ctrl+s")
	want := "mine # Dana\n\nprefers short notes\nand tea\n"
	if got := content(s, "people/dana.md"); got != want {
		t.Fatalf("the memory holds %q, want %q", got, want)
	}
	if got := string(s.app.editing.Pane().Content()); got != want || s.app.editing.Pane().Dirty() || len(s.app.screens) != 0 {
		t.Errorf("the editor holds %q", got)
	}
	s.keys("ctrl+z")
	if got := string(s.app.editing.Pane().Content()); got != "mine # Dana\n\nprefers short notes\n" {
		t.Errorf("undo brings back %q", got)
	}
}

func TestMerge_IsUpdatedWhenTheirsChangesAgain(t *testing.T) {
	t.Parallel()
	s := both(t, "# Dana P.\n\nprefers short notes\n")
	s.keys("n e")
	s.typed("both ")
	s.keys("esc")
	s.store.write(agent, "people/dana.md", "# Dana P.\n\nprefers short notes\nand tea\n")
	s.keys("ctrl+s")
	s.shows("changed meanwhile", "back to the merge")
	s.keys("m")
	s.shows("no conflict") // the merged text is now mine, based on the version that was theirs
	s.keys("ctrl+s")
	if got := content(s, "people/dana.md"); got != "both # Dana P.\n\nprefers short notes\nand tea\n" || len(s.app.screens) != 0 {
		t.Errorf("the memory holds %q, %d screens", got, len(s.app.screens))
	}
}

func TestMerge_KeepsDecisionsForTheEditor(t *testing.T) {
	t.Parallel()
	s := both(t, "# Dana P.\n\nprefers short notes\n")
	s.keys("n esc")
	s.shows("is not saved", "back to the editor")
	s.keys("e")
	if got := string(s.app.editing.Pane().Content()); !strings.HasPrefix(got, "mine # Dana") || len(s.app.screens) != 0 {
		t.Fatalf("the editor holds %q", got)
	}
	s.keys("ctrl+s m")
	s.shows("1 conflict, all decided")
	s.keys("q b")
	if got := content(s, "people/dana (mine).md"); !strings.HasPrefix(got, "mine # Dana") || len(s.app.screens) != 0 {
		t.Errorf("beside it stands %q", got)
	}
	if got := content(s, "people/dana.md"); got != "# Dana P.\n\nprefers short notes\n" {
		t.Errorf("the memory holds %q", got)
	}
}

func TestMerge_OfADeletedMemoryRecreatesItOrKeepsItDeleted(t *testing.T) {
	t.Parallel()
	begin := func() *sim {
		s := newSim(t, sample(), 120, 36)
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		if _, err := s.store.Delete(context.Background(), agent, at("people/dana.md")); err != nil {
			t.Fatal(err)
		}
		s.keys("ctrl+s m")
		s.shows("deleted or renamed meanwhile")
		return s
	}
	s := begin()
	s.keys("b ctrl+s")
	if got := content(s, "people/dana.md"); got != "mine # Dana\n\nprefers short notes\n" {
		t.Errorf("the memory holds %q", got)
	}
	s = begin()
	s.keys("n ctrl+s")
	if _, there := s.store.tree()[at("people/dana.md")]; there || s.app.editing.Pane() != nil || len(s.app.screens) != 0 {
		t.Error("it is not left deleted")
	}
}

func TestMerge_OfAnExternalEditorsText(t *testing.T) {
	s := newSim(t, sample(), 120, 36)
	file := outside(t, s, "people/dana.md", nil, func(text string) string {
		s.store.write(agent, "people/dana.md", "# Dana\n\nprefers short notes\nand tea\n")
		return "mine " + text
	})
	s.keys("m ctrl+s")
	if got := content(s, "people/dana.md"); got != "mine # Dana\n\nprefers short notes\nand tea\n" {
		t.Errorf("the memory holds %q", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the copy is still there")
	}
}

func TestLeaving_AsksBeforeOpeningAnotherMemory(t *testing.T) {
	t.Parallel()
	begin := func() *sim {
		s := newSim(t, sample(), 100, 30)
		s.send(screen.Open{Path: at("people/dana.md")})
		s.keys("e")
		s.typed("mine ")
		s.send(screen.Open{Path: at("people/lee.md")})
		s.shows("save, then open /people/lee.md")
		return s
	}
	s := begin()
	s.keys("s")
	if got := content(s, "people/dana.md"); !strings.HasPrefix(got, "mine ") || s.app.editing.Pane() != nil {
		t.Errorf("the memory holds %q", got)
	}
	s.shows("on leave until May")
	s = begin()
	s.keys("d")
	if got := content(s, "people/dana.md"); strings.HasPrefix(got, "mine ") || s.app.editing.Pane() != nil {
		t.Errorf("the memory holds %q", got)
	}
	s = begin()
	s.keys("esc")
	if s.app.editing.Pane() == nil || !s.app.editing.Pane().Dirty() || s.app.frame.Focus() != frame.Memory {
		t.Error("staying leaves the editor")
	}
	s.send(screen.Edit{Path: at("people/lee.md")})
	s.shows("save, then edit /people/lee.md")
}

func TestQuit_SavesAndEnds(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.app.setFocus(frame.Tree)
	s.keys("q")
	s.shows("save, then quit")
	s.keys("s")
	if got := content(s, "people/dana.md"); !strings.HasPrefix(got, "mine ") {
		t.Errorf("the memory holds %q", got)
	}
	if !s.over {
		t.Error("it does not quit")
	}
}

func TestEditor_ShowsThatTheMemoryChangedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30).on("people/dana.md")
	s.keys("enter e")
	s.typed("mine ")
	s.store.write(agent, "people/dana.md", "# Dana\n\nprefers long notes\n")
	s.deliver()
	s.keys("right")
	s.elapse()
	s.keys("left")
	s.shows("changed meanwhile · ")
}

// A save ends for its editor even if the memory was renamed meanwhile: another save is possible.
func TestSave_EndsAfterARename(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	save := s.app.performRequests(s.update(s.call(s.update(screentest.Key("ctrl+s")))))
	if _, err := s.store.Rename(t.Context(), agent, at("people/dana.md"), at("people/d.md")); err != nil {
		t.Fatal(err)
	}
	s.app.editing.Moved(at("people/dana.md"), at("people/d.md"))
	s.run(save)
	s.shows("deleted or renamed")
	s.keys("e ctrl+s")
	if got := content(s, "people/d.md"); !strings.HasPrefix(got, "mine # Dana") {
		t.Errorf("the memory holds %q", got)
	}
}

// movedBack renames a memory and undoes that in the engine's store, with the editor open in between.
func movedBack(t *testing.T, what, to string, edit func(*followed)) *followed {
	f := newFollowed(t)
	f.app.live.SetFollowing(false)
	c, err := f.store.Rename(t.Context(), scribe, at(what), at(to))
	if err != nil {
		t.Fatal(err)
	}
	f.happens(versions.Event{Changes: []versions.Change{c}})
	edit(f)
	if c, err = plan.Do(t.Context(), f.store, scribe, plan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	f.happens(versions.Event{Changes: []versions.Change{c}})
	return f
}

func TestEditor_FollowsAMemoryThatAnUndoMoves(t *testing.T) {
	t.Parallel()
	saved := func(f *followed, begins, old string) {
		t.Helper()
		f.keys("ctrl+s")
		if got, _ := storetest.Content(t, f.store, "support/refunds.md"); !strings.HasPrefix(got, begins) {
			t.Errorf("the memory holds %q\n%s", got, f.screen())
		}
		if _, there := storetest.Content(t, f.store, old); there {
			t.Error("it was saved under the old path too")
		}
	}
	for _, moved := range [][2]string{{"support/refunds.md", "support/money.md"}, {"support", "help"}} {
		now := strings.Replace("support/refunds.md", moved[0], moved[1], 1)
		back := func(then func(f *followed)) *followed {
			return movedBack(t, moved[0], moved[1], func(f *followed) { f.send(screen.Open{Path: at(now)}); then(f) })
		}
		f := back(func(*followed) {})
		f.shows("─ /support/refunds.md") // the memory follows too
		f = back(func(f *followed) { f.keys("e"); f.typed("mine ") })
		f.shows("edit /support/refunds.md *")
		saved(f, "mine ", now)
		f = back(func(f *followed) { f.keys("e") })
		f.shows("edit /support/refunds.md")
		f.typed("later ")
		saved(f, "later ", now)
		f = back(func(f *followed) { // with a merge open
			f.keys("e")
			f.typed("mine ")
			if _, err := f.store.Write(t.Context(), scribe, at(now), []byte("theirs\n"), versions.Pre{}); err != nil {
				t.Fatal(err)
			}
			f.keys("ctrl+s m")
			f.shows("merge /" + now)
		})
		f.shows("merge /support/refunds.md")
		f.keys("B")
		saved(f, "mine ", now)
	}
}

// What a save that is under way writes is no change by someone else, and the key that saves again meanwhile leaves its
// base right.
func TestSave_UnderWayIsNoChangeBySomeoneElse(t *testing.T) {
	t.Parallel()
	var s *sim
	s = newSim(t, sample(), 120, 36, func(c *Config) {
		c.Store = &meanwhile{Store: c.Store, do: func() {
			s.typed("more ")
			s.keys("ctrl+s") // its event comes before its end
		}}
	})
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.keys("ctrl+s")
	for _, n := range s.app.notices.All() {
		if strings.Contains(n.Text, "meanwhile") {
			t.Errorf("it says %q", n.Text)
		}
	}
	s.keys("ctrl+s")
	s.hides("changed meanwhile")
	if got := content(s, "people/dana.md"); !strings.HasPrefix(got, "mine more # Dana") {
		t.Errorf("the memory holds %q", got)
	}
}

// What is typed while a text is saved beside its memory stays in the editor.
func TestSaveBeside_KeepsWhatIsTypedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.store.write(agent, "people/dana.md", "theirs\n")
	s.keys("ctrl+s")
	s.shows("save mine as another memory")
	beside := s.app.performRequests(s.update(screentest.Key("b")))
	s.typed("more ")
	s.run(beside)
	if got := content(s, "people/dana (mine).md"); !strings.HasPrefix(got, "mine # Dana") {
		t.Errorf("beside it stands %q", got)
	}
	if e := s.app.editing.Pane(); e == nil || !strings.HasPrefix(string(e.Content()), "mine more # Dana") {
		t.Fatal("what was typed meanwhile is lost")
	}
	s.shows("save, then open /people/dana (mine).md")
}

// A text that arrives late does not replace what is being typed.
func TestEdit_ThatArrivesLateKeepsAnUnsavedText(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	late := s.app.performRequests(s.update(screen.Edit{Path: at("people/lee.md"), Line: 1}))
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.run(late)
	if s.app.editing.Path() != at("people/dana.md") || !s.app.editing.Dirty() {
		t.Errorf("%s is edited, unsaved: %v", s.app.editing.Path(), s.app.editing.Dirty())
	}
}

// meanwhile is a store whose first write takes long enough for something else.
type meanwhile struct {
	Store
	do func()
}

func (m *meanwhile) Write(ctx context.Context, by versions.By, p memfs.Path, b []byte, pre versions.Pre) (versions.Change, error) {
	c, err := m.Store.Write(ctx, by, p, b, pre)
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return c, err
}
