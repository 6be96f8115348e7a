package versions

import (
	"context"
	"testing"
	"time"
)

// A view that uses a statement which it did not prepare waits for a second connection.
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
			w.close()
			w.open() // what was prepared is forgotten
			w.trail.db.R.SetMaxOpenConns(1)
			defer w.trail.db.R.SetMaxOpenConns(0) // the checks at the end need more
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			if err := read(ctx, w.store, v); err != nil {
				t.Error(err)
			}
		})
	}
}
