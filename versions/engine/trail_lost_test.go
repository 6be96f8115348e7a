package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
)

// A home that had a trail never begins a new one by itself: neither when the file is gone
// nor when it is empty, whatever else is left.
func TestALostTrailIsNotBegunAnew(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lose func(w *world)
		says string
	}{
		"removed": {func(w *world) { must(w, os.Remove(filepath.Join(w.home, db.File))) }, "trail.db is missing"},
		"emptied": {func(w *world) { must(w, os.Truncate(filepath.Join(w.home, db.File), 0)) }, "trail.db is empty"},
		"removed, of a home without a mark": {func(w *world) {
			must(w, os.Remove(filepath.Join(w.home, db.File)))
			must(w, os.Truncate(filepath.Join(w.home, db.LockFile), 0))
		}, "trail.db is missing"},
		"removed, and its log is left": {func(w *world) {
			must(w, os.Remove(filepath.Join(w.home, db.File)))
			must(w, os.Truncate(filepath.Join(w.home, db.LockFile), 0))
			must(w, os.RemoveAll(filepath.Join(w.home, "stores")))
			must(w, os.WriteFile(filepath.Join(w.home, db.File+"-wal"), []byte("log"), 0o600))
		}, "trail.db is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
			w.open()
			must(w, w.second().Close())
			w.write(alice, "a", "a1\n")
			w.close()
			c.lose(w)
			if trail, err := vengine.Open(t.Context(), w.home, versions.Options{}); !errors.Is(err, versions.ErrTrailLost) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("open: %v", err)
				if err == nil {
					_ = trail.Close()
				}
			}
			done, err := check.Repair(t.Context(), w.home, versions.Options{})
			if err != nil || !done.Lost {
				t.Fatalf("%+v, %v", done, err)
			}
			w.open()
			w.sync()
			if vs := w.history("a"); len(vs) != 1 {
				t.Errorf("%+v", vs)
			}
			w.check()
			w.close()
		})
	}
}

// A process that died while it made the first trail of a home leaves nothing that was a trail.
func TestAHomeWhoseTrailWasNeverMadeIsBegun(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(home string) error{
		"a lock":                   func(home string) error { return os.WriteFile(filepath.Join(home, db.LockFile), nil, 0o600) },
		"an empty file":            func(home string) error { return os.WriteFile(filepath.Join(home, db.File), nil, 0o600) },
		"a database with no table": func(home string) error { return emptyDatabase(home) },
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			if err := leave(home); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				trail, err := vengine.Open(t.Context(), home, versions.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if err := trail.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func emptyDatabase(home string) error {
	pool := db.OpenFile(filepath.Join(home, db.File), "")
	_, err := pool.ExecContext(context.Background(), `PRAGMA user_version=0`)
	return errors.Join(err, pool.Close())
}
