// Package storetest makes stores of the engine for tests of panes and screens. It is not in screentest, because tests of
// panes without a store then link no database.
package storetest

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/testdata/versionstest"
)

// NewStore opens an empty store of the engine, which is closed when the test ends.
func NewStore(t testing.TB, o versions.Options) *engine.Store {
	t.Helper()
	return StoreOf(t, Trail(t, o))
}

// Home returns a new home with an empty trail.
func Home(t testing.TB) string {
	t.Helper()
	return versionstest.Home(t, func(ctx context.Context, dir string) (*engine.Trail, error) {
		return engine.Open(ctx, dir, versions.Options{})
	})
}

// Trail opens an empty trail, which is closed when the test ends.
func Trail(t testing.TB, o versions.Options) *engine.Trail {
	t.Helper()
	trail, err := engine.Open(t.Context(), Home(t), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	return trail
}

// StoreOf creates a store of a trail, which is closed when the test ends.
func StoreOf(t testing.TB, trail *engine.Trail) *engine.Store {
	t.Helper()
	return StoreNamed(t, trail, "notes")
}

// StoreNamed is StoreOf with a name for the store.
func StoreNamed(t testing.TB, trail *engine.Trail, name string) *engine.Store {
	t.Helper()
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Door: versions.DoorTUI, Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, name, "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Write writes a memory.
func Write(t testing.TB, s *engine.Store, by versions.By, path, text string) versions.Change {
	t.Helper()
	return Must(t)(s.Write(t.Context(), by, screentest.Path(path), []byte(text), versions.Pre{}))
}

// Must fails the test unless a change was made.
func Must(t testing.TB) func(versions.Change, error) versions.Change {
	return func(c versions.Change, err error) versions.Change {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// Content returns the text of a memory; ok reports whether it exists.
func Content(t testing.TB, s *engine.Store, path string) (text string, ok bool) {
	t.Helper()
	f, err := s.Open(t.Context(), screentest.Path(path))
	if errors.Is(err, memfs.ErrNotExist) || errors.Is(err, versions.ErrNoMemory) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.NewSectionReader(f, 0, f.Size()))
	if err != nil {
		t.Fatal(err)
	}
	return string(b), true
}
