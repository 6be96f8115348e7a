package ui

import (
	"context"
	"testing"

	"github.com/memend/memend/versions"
)

// The near-duplicates of all stores are found in a job; they are merged, and one undo brings both back.
func TestSimilar_MergesAMemoryOfAnotherStore(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "robot", 100, 24)
	trail := s.app.cfg.Trail.(*versions.Trail)
	ctx, here := context.Background(), s.app.cfg.Store.Info().ID
	info, err := trail.CreateStore(ctx, alice, "home", "", "")
	if err != nil {
		t.Fatal(err)
	}
	const rule = "Never deploy on Friday. Ask the owner of the service first, and wait for the answer.\n"
	other, err := trail.OpenStore(ctx, info.ID)
	if err == nil {
		_, err = other.Write(ctx, alice, at("rule.md"), []byte(rule+"Ask twice.\n"), versions.Pre{})
	}
	if err == nil {
		err = other.Close()
	}
	if err == nil {
		_, err = s.app.cfg.Store.Write(ctx, alice, at("safe.md"), []byte(rule), versions.Pre{})
	}
	if err != nil {
		t.Fatal(err)
	}
	s.keys("g s")
	s.deliver()
	s.shows("near-duplicates", "home:/rule.md", "/safe.md")
	s.keys("m")
	s.shows("Which memory gets the merged text?")
	s.keys("s") // the one of this store
	s.deliver()
	s.keys("a")
	s.deliver()
	s.shows("merged home:/rule.md into", "u undoes")
	if inStore(t, trail, info.ID, "rule.md") != "" || inStore(t, trail, here, "safe.md") != rule+"Ask twice.\n" {
		t.Error("they were not merged")
	}
	s.keys("esc u")
	s.deliver()
	if inStore(t, trail, info.ID, "rule.md") != rule+"Ask twice.\n" || inStore(t, trail, here, "safe.md") != rule {
		t.Error("the undo")
	}
}
