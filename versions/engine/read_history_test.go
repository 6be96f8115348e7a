package engine_test

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// readElsewhere keeps n connections in use until done is called.
func (w *world) readElsewhere(ctx context.Context, n int) (done func()) {
	w.t.Helper()
	reading, end := make(chan error), make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			err := core.View(ctx, w.trail, func(tables.Reader) error {
				reading <- nil
				<-end
				return nil
			})
			if err != nil {
				reading <- err
			}
		})
		must(w, <-reading)
	}
	return func() {
		close(end)
		all.Wait()
	}
}

// A memory that was deleted, or moved away, is not at its path now: another that is there is.
func TestNewest_IsOfTheMemoryThatIsThereNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	w.write(alice, "a", "one\n")
	w.write(robot, "a", "two\n")
	is := func(path string, number int) {
		t.Helper()
		v, err := w.store.Newest(ctx, mustPath(path))
		if number == 0 {
			if !errors.Is(err, versions.ErrNoMemory) {
				t.Errorf("at %s is %+v, error %v", path, v, err)
			}
			return
		}
		want, failed := w.store.VersionAt(ctx, mustPath(path), 0)
		if err = errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		want.Added, want.Removed, want.UndoneBy = 0, 0, 0
		if !reflect.DeepEqual(v, want) || v.Number != number {
			t.Errorf("at %s is version %d: %+v and not %+v", path, number, v, want)
		}
	}
	is("a", 2)
	is("b", 0)
	w.renameBy(alice, "a", "b")
	is("a", 0)
	is("b", 3)
	w.write(robot, "a", "new\n")
	is("a", 1)
	w.deleteBy(alice, "a")
	is("a", 0)
}

// Reads that need a second connection while they hold one would wait for each other.
func TestReads_NeedNoSecondConnection(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(context.Context, *core.Store, versions.Version) error{
		"History": func(ctx context.Context, s *core.Store, v versions.Version) error {
			return second(vhistory.Of(ctx, s, v.Memory, 0, 10))
		},
		"HistoryBefore": func(ctx context.Context, s *core.Store, v versions.Version) error {
			return second(vhistory.Before(ctx, s, versions.Across{Version: v.ID, Number: 1}, 0, 10))
		},
		"VersionAt": func(ctx context.Context, s *core.Store, v versions.Version) error {
			return second(s.VersionAt(ctx, v.Path, 1))
		},
		"Newest": func(ctx context.Context, s *core.Store, v versions.Version) error {
			return second(s.Newest(ctx, v.Path))
		},
		"Version": func(ctx context.Context, s *core.Store, v versions.Version) error {
			return second(vhistory.Version(ctx, s, v.ID))
		},
		"Activity": func(ctx context.Context, s *core.Store, _ versions.Version) error {
			_, _, err := vhistory.Activity(ctx, s, versions.ActivityFilter{}, "", 10)
			return err
		},
		"Change": func(ctx context.Context, s *core.Store, v versions.Version) error {
			_, _, err := vhistory.Change(ctx, s, v.Change)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.write(alice, "a", "one\n")
			v := w.versionOf("a", 1)
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			done := w.readElsewhere(ctx, db.MaxReaders-1)
			defer done()
			if err := read(ctx, w.store, v); err != nil {
				t.Error(err)
			}
		})
	}
}
