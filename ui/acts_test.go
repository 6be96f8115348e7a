package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func content(s *sim, p string) string { return s.store.tree()[at(p)].content }

func TestNew_CreatesFoldersAndSavesTheText(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("G n")
	s.typed("ideas/2026/one.md")
	s.keys("enter")
	s.typed("first")
	s.keys("ctrl+s")
	s.shows("saved /ideas/2026/one.md · Esc, then u undoes") // u would be typed into the editor
	s.keys("esc")
	s.hides("●") // not even before the event names the author
	s.deliver()
	if got := content(s, "ideas/2026/one.md"); got != "first" {
		t.Fatalf("the memory holds %q", got)
	}
	s.shows("saved /ideas/2026/one.md", "u undoes", "one.md")
	if s.app.tree.Review.Changed() != 0 {
		t.Error("one's own memory is marked as changed")
	}
}

func TestNew_RefusesInvalidAndExistingPaths(t *testing.T) {
	t.Parallel()
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
		if s.app.editing.Pane() != nil {
			t.Errorf("%q opened an editor", typed)
		}
	}
}

func TestNew_LeftEmptyCreatesNothing(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys("n")
	s.typed("x.md")
	s.keys("enter esc")
	if n := len(s.store.changes); n != 7 || s.app.editing.Pane() != nil || s.app.frame.Focus() != frame.Tree {
		t.Errorf("%d changes, focus %d", n, s.app.frame.Focus())
	}
}

func TestRename_MovesAndFollowsTheOpenMemory(t *testing.T) {
	t.Parallel()
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

func TestRename_ShowsTheLinksAndRewritesThemInTheSameChange(t *testing.T) {
	t.Parallel()
	var store Store
	s := engineSim(t, "see [[safe]] and [it](../safe.md)", 120, 30, func(c *Config) { store = c.Store })
	s.on("safe.md").keys("r ctrl+u")
	s.typed("/new.md")
	s.keys("enter")
	s.deliver()
	s.shows("lead to /safe.md", "rename, and rewrite the links", "rename only")
	s.keys("l")
	s.deliver()
	s.shows("renamed /safe.md to /new.md")
	changes, err := store.Changes(t.Context(), versions.Filter{}, 0, 1)
	if err != nil || len(changes) != 1 || changes[0].Effect.Renamed != 1 || changes[0].Effect.Edited == 0 {
		t.Errorf("%+v, %v", changes, err)
	}
}

func TestDelete_AsksOnlyForFoldersAndNamesTheCount(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("d")
	s.shows("deleted /people/dana.md", "u undoes")
	s.deliver()
	s.on("projects").keys("d")
	s.shows("Delete /projects with 3 memories?")
	s.keys("enter") // Enter keeps the duplicate
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
	s.shows("undid #9: deleted /projects", " · ^R redoes it")
	if content(s, "projects/release/plan.md") == "" {
		t.Fatal("undo brought nothing back")
	}
}

func TestToast_KeepsTheUndoHintInANarrowLine(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 36, 12).on("people/dana.md")
	s.keys("d")
	s.shows(" deleted /people/dana.md · u undoes ")
	s.on("projects/release/plan.md").keys("d")
	s.shows(" deleted /projects/release/plan.md  ", " u undoes  ")
	s.on("projects/release/checklist.md").keys("d") // its message would take three rows
	s.shows(" deleted /projects/rele… · u undoes ")
	s.keys("u")
	s.deliver()
	s.keys("ctrl+p") // if undo needs more words, what was done is shown first
	s.shows("undid #10: deleted /projects/relea…")
}

func TestMove_MovesTheSelectionInOneChange(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.send(screen.Open{Path: at("people/lee.md"), Stay: true})
	s.on("people/dana.md").keys("space space m")
	s.shows("move 2 entries to: /people/")
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

func TestDelete_DeletesTheSelectionInOneChange(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.ReadOnly = true })
	s.shows("read-only")
	for _, k := range strings.Fields("n r d u ctrl+r enter e E") {
		s.keys(k)
		if s.app.prompt != nil || s.app.editing.Pane() != nil || s.app.overlay != nil {
			t.Errorf("%s begins something", k)
		}
	}
	if len(s.store.changes) != 7 {
		t.Error("something was written")
	}
}

func TestActions_ReportWhyTheyFailed(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 140, 30)
	s.store.broken = memfs.ErrNoSpace
	s.keys("j d")
	s.shows("no space left on the disk")
	s.keys("j")
	s.hides("no space left on the disk") // a key was pressed, so the error was read
	s.keys("M")
	s.shows("messages", "no space left on the disk")
}
