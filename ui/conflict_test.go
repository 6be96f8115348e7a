package ui

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
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
