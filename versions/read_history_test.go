package versions

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions/db"
)

// readElsewhere keeps n connections in use until done is called.
func (w *world) readElsewhere(ctx context.Context, n int) (done func()) {
	w.t.Helper()
	reading, end := make(chan error), make(chan struct{})
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			err := w.trail.view(ctx, func(reader) error {
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

// Reads that need a second connection while they hold one would wait for each other.
func TestReads_NeedNoSecondConnection(t *testing.T) {
	t.Parallel()
	for name, read := range map[string]func(context.Context, *Store, Version) error{
		"History": func(ctx context.Context, s *Store, v Version) error { return second(s.History(ctx, v.Memory, 0, 10)) },
		"HistoryBefore": func(ctx context.Context, s *Store, v Version) error {
			return second(s.HistoryBefore(ctx, Across{Version: v.ID, Number: 1}, 0, 10))
		},
		"VersionAt": func(ctx context.Context, s *Store, v Version) error { return second(s.VersionAt(ctx, v.Path, 1)) },
		"Version":   func(ctx context.Context, s *Store, v Version) error { return second(s.Version(ctx, v.ID)) },
		"Activity": func(ctx context.Context, s *Store, _ Version) error {
			_, _, err := s.Activity(ctx, ActivityFilter{}, "", 10)
			return err
		},
		"Change": func(ctx context.Context, s *Store, v Version) error {
			_, _, err := s.Change(ctx, v.Change)
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
