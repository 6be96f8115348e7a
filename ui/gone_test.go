package ui

import (
	"os"
	"testing"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
)

// Without its folder a store shows its past: history, review and timeline, and what brings the folder back.
func TestAFolderThatIsGone_LeavesThePast(t *testing.T) {
	t.Parallel()
	trail, err := engine.Open(t.Context(), storetest.Home(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	folder := t.TempDir()
	info, err := stores.CreateStore(t.Context(), trail, me, "notes", "", folder)
	if err != nil {
		t.Fatal(err)
	}
	first, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	robot := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "run-1"}
	storetest.Write(t, first, me, "a.md", "one\n")
	if _, err := review.MarkAllReviewed(t.Context(), first, 1); err != nil {
		t.Fatal(err)
	}
	storetest.Write(t, first, robot, "a.md", "two\n")
	first.Close()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenPast(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	s := newSim(t, newFake(), 110, 24, func(c *Config) { c.Store = local.Store{Store: store} })
	_, gone := store.Sync(t.Context())
	s.run(s.app.live.HandleEvent(versions.Event{Err: gone}))
	s.run(s.app.live.HandleEvent(versions.Event{Reads: true, Err: gone}))
	s.shows("folder out of reach")
	s.send(screen.Open{Path: at("a.md")})
	s.shows("folder is gone: H shows its", "The folder is gone: ", "memend stores move notes DIR")
	s.hides("no such memory", "read-only")
	s.keys("H")
	s.shows("v2", "edited", "robot")
	s.keys("enter")
	s.shows("- one", "+ two")
	s.keys("esc !")
	s.shows("robot", "- one", "+ two")
	s.keys("esc t")
	s.shows("edited /a.md")
}
