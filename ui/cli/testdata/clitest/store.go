package clitest

import (
	"context"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

// Store returns a new store, with the trail of its new home.
func Store(t *testing.T) (*engine.Trail, *engine.Store) {
	t.Helper()
	ctx := context.Background()
	trail, err := engine.Open(ctx, t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	info, err := stores.CreateStore(ctx, trail, versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}, "memories", "", "")
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	return trail, s
}
