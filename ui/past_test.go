package ui

import (
	"testing"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestHistory_UndoesSeveralChangesAsOnePlan(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 40)
	s.keys("H c G V k k u") // the three oldest, by any author
	s.shows("undo 3 changes", "/probe.md")
	s.keys("esc")
	s.keys("esc g g space j j j space u")
	s.shows("undo 2 changes")
	s.keys("a")
	s.shows("undid changes in /d/x")
	changes, err := s.app.cfg.Store.Changes(t.Context(), versions.Filter{}, 0, 1)
	if err != nil || changes[0].Kind != versions.KindUndo || changes[0].Undoes != 0 {
		t.Errorf("the newest change is %+v, %v", changes[0], err)
	}
}

func TestUndo_ErrorIsNotPrefixedTwice(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 40)
	s.send(screen.Undo{Change: 8})
	s.send(screen.Undo{Change: 8})
	s.shows("undo change 8: ", "undone already")
	s.hides("undo: undo")
	s.send(screen.Undo{Change: 99})
	s.shows("undo: ")
}

func TestPlan_WritesPathsLikeOtherScreens(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 40)
	if _, err := s.app.cfg.Store.Write(t.Context(), me, at("safe.md"), []byte("mine\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.send(screen.UndoSession{Session: robotOf(s)})
	s.shows(" /safe.md was changed since, by change 9")
	s.hides("/memories/")
}

func TestHistory_AsksToEraseSeveralVersions(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 120, 40)
	s.keys("H j V j X")
	s.shows("redact 2 versions", "2 versions to erase")
}

func TestHistory_PassesReviewsToTheTree(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.store.write(agent, "people/kim.md", "# Kim\n")
	s.store.write(agent, "people/dana.md", "# Dana\n\nprefers long notes\n")
	s.deliver()
	if got := s.app.tree.Review.Changed(); got != 2 {
		t.Fatalf("%d are new", got)
	}
	s.keys("H ,")
	s.shows("all changes · is:new")
	s.keys("g g j .") // below the heading of the session
	if got := s.app.tree.Review.Changed(); got != 1 {
		t.Errorf("%d are new after a look at one", got)
	}
	s.elapse()
	if n := s.store.reviewState.Of[s.store.tree()[at("people/dana.md")].id]; n == 0 {
		t.Error("it is not kept for the next time")
	}
	s.keys(".")
	s.shows("Nothing is new here")
}
