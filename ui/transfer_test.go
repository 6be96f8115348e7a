package ui

import (
	"context"
	"testing"

	"github.com/memend/memend/versions"
)

// inStore returns the text of a memory of a store in the trail; "" if there is none.
func inStore(t *testing.T, trail *versions.Trail, id versions.StoreID, path string) string {
	t.Helper()
	ctx := context.Background()
	store, err := trail.OpenStore(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	e, err := store.Entry(ctx, at(path))
	if err != nil {
		return ""
	}
	b, err := store.Content(ctx, e.Version)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// The tree moves and copies memories to another store: the one that is proposed, or a named one, which is proposed
// the next time. One undo takes a move back from both.
func TestTransfer_MovesAndCopiesToAnotherStore(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "robot", 100, 24)
	trail := s.app.cfg.Trail.(*versions.Trail)
	ctx, here := context.Background(), s.app.cfg.Store.Info().ID
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("there is no other store")
	info, err := trail.CreateStore(ctx, alice, "home", "", "")
	if err != nil {
		t.Fatal(err)
	}
	project := t.TempDir()
	other, err := trail.MakeStore(ctx, alice, versions.NewStore{Name: "app", Metadata: map[string]string{"project": project}})
	if err != nil {
		t.Fatal(err)
	}
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("/safe.md to app:/") // this store is of no project
	s.keys("o ctrl+u")
	s.typed("nowhere:/")
	s.keys("enter")
	s.shows("no other store is called nowhere")
	s.keys("Y")
	s.deliver()
	s.keys("o ctrl+u")
	s.typed("home:/kept")
	s.keys("enter")
	s.shows("/safe.md to home:/kept/")
	s.keys("c")
	s.deliver()
	s.shows("copied /safe.md to home:/kept/")
	if inStore(t, trail, info.ID, "kept/safe.md") != "a safe line\n" || inStore(t, trail, here, "safe.md") != "a safe line\n" {
		t.Error("it is not in both")
	}
	s.on("safe.md").keys("Y")
	s.deliver()
	s.shows("/safe.md to home:/") // the store of last time
	s.keys("m")
	s.deliver()
	s.shows("moved /safe.md to home:/", "u undoes")
	if inStore(t, trail, info.ID, "safe.md") != "a safe line\n" || inStore(t, trail, here, "safe.md") != "" {
		t.Error("it did not move")
	}
	s.keys("u")
	s.deliver()
	if inStore(t, trail, info.ID, "safe.md") != "" || inStore(t, trail, here, "safe.md") != "a safe line\n" {
		t.Error("the undo")
	}
	if err := s.app.tree.Saver()(ctx); err != nil {
		t.Fatal(err)
	}
	next := newSim(t, newFake(), 100, 24, func(c *Config) {
		c.Store, c.Trail, c.Stores = s.app.cfg.Store, s.app.cfg.Trail, s.app.cfg.Stores
	})
	next.on("safe.md").keys("Y")
	next.deliver()
	next.shows("/safe.md to home:/") // of the last run
	s.keys("Y n")
	if inStore(t, trail, other.ID, "safe.md") != "" {
		t.Error("it went to the other store")
	}
}
