package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

func noProgress() {}

// A backup made while two programs write is the home at one moment: all that was
// acknowledged before it began is in it, and nothing disagrees.
func TestABackupWhileOthersWriteIsConsistent(t *testing.T) {
	t.Parallel()
	home, elsewhere := twoStores(t)
	if err := os.WriteFile(filepath.Join(home, "stores", "own", ".picture.png"), make([]byte, 100), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	var written [2][]string // paths that were acknowledged before the backup began
	var mu sync.Mutex
	begun := false
	ready := make(chan struct{}, 2)
	for n, name := range []string{"own", "project"} {
		writers.Go(func() {
			trail, err := vengine.Open(t.Context(), home, versions.Options{})
			if err != nil {
				t.Error(err)
				ready <- struct{}{}
				return
			}
			defer func() { _ = trail.Close() }()
			s, err := trail.OpenStore(t.Context(), storeNamed(t, trail, name).ID)
			if err != nil {
				t.Error(err)
				ready <- struct{}{}
				return
			}
			defer func() { _ = s.Close() }()
			for i := 0; ctx.Err() == nil; i++ {
				path := fmt.Sprintf("d%d/m%d.md", i%5, i)
				if _, err := s.Write(t.Context(), robot, mustPath(path), []byte(path+"\n"), versions.Pre{}); err != nil {
					t.Error(err)
					return
				}
				if i > 3 {
					if _, err := s.Rename(t.Context(), robot, mustPath(path), mustPath(path+".moved")); err != nil {
						t.Error(err)
						return
					}
				}
				mu.Lock()
				if !begun && i <= 3 {
					written[n] = append(written[n], path)
				}
				mu.Unlock()
				if i == 10 {
					ready <- struct{}{}
				}
			}
		})
	}
	<-ready
	<-ready
	mu.Lock()
	begun = true
	mu.Unlock()
	trail := homeOf(t, home)
	for round := range 2 {
		to := filepath.Join(t.TempDir(), "backup")
		b, err := stores.Backup(t.Context(), trail, to, noProgress)
		if err != nil {
			t.Fatal(err)
		}
		if b.Stores != 2 || len(b.Elsewhere) != 1 || b.Elsewhere[0] != elsewhere || len(b.Damaged) > 0 {
			t.Errorf("%+v", b)
		}
		copied := homeOf(t, to)
		s, err := copied.OpenStore(t.Context(), storeNamed(t, copied, "own").ID)
		if err != nil {
			t.Fatal(err)
		}
		if report, err := s.Sync(t.Context()); err != nil || report.Adopted > 0 {
			t.Errorf("round %d: the files don't fit the trail: %+v, %v", round, report, err)
		}
		if problems, err := check.Store(t.Context(), s); err != nil || len(problems) > 0 {
			t.Errorf("round %d: %q, %v", round, problems, err)
		}
		for _, path := range written[0] {
			if _, err := vhistory.Entry(t.Context(), s, mustPath(path)); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if fi, err := os.Stat(filepath.Join(to, "stores", "own", ".picture.png")); err != nil || fi.Size() != 100 {
			t.Errorf("what is no memory: %v", err)
		}
		if problems := openModes(t, to); len(problems) > 0 {
			t.Errorf("others may read %q", problems)
		}
	}
	stop()
	writers.Wait()
}

// openModes lists the files that other users may open.
func openModes(t *testing.T, folder string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err == nil && fi.Mode()&0o077 != 0 {
			out = append(out, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// A backup holds what is unsaved, too; and one is refused where it would be in the
// way, or lost with the home.
func TestABackupHoldsTheRestOfTheHomeAndIsRefusedInsideOfIt(t *testing.T) {
	t.Parallel()
	home, _ := twoStores(t)
	file := filepath.Join(home, "conversations", "c.jsonl")
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("{}\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	trail := homeOf(t, home)
	to := filepath.Join(t.TempDir(), "backup")
	if _, err := stores.Backup(t.Context(), trail, to, noProgress); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(to, "conversations", "c.jsonl"), "{}\n")
	if _, err := stores.Backup(t.Context(), trail, to, noProgress); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another backup: %v", err)
	}
	for _, inside := range []string{filepath.Join(home, "backup"), filepath.Join(home, "stores", "own", "backup")} {
		if _, err := stores.Backup(t.Context(), trail, inside, noProgress); !errors.Is(err, versions.ErrInsideHome) {
			t.Errorf("%s: %v", inside, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(to), ".memend-*")); err != nil || len(left) > 0 {
		t.Errorf("left over: %q, %v", left, err)
	}
}

// A damaged text is left out of a backup, which says so; all else is in it.
func TestABackupNamesWhatIsDamaged(t *testing.T) {
	t.Parallel()
	home, _ := twoStores(t)
	trail := homeOf(t, home)
	if err := writeIn(t, trail, storeNamed(t, trail, "own").ID, "b.md", strings.Repeat("whole\n", 100)); err != nil {
		t.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	pool := db.OpenFile(filepath.Join(home, db.File), "")
	_, err := pool.ExecContext(t.Context(), `UPDATE blob SET data=zeroblob(length(data)) WHERE size=5`)
	if err := errors.Join(err, pool.Close()); err != nil {
		t.Fatal(err)
	}
	trail = homeOf(t, home)
	to := filepath.Join(t.TempDir(), "backup")
	b, err := stores.Backup(t.Context(), trail, to, noProgress)
	if err != nil || len(b.Damaged) != 1 || b.Damaged[0] != "stores/own/a.md" {
		t.Errorf("%+v, %v", b, err)
	}
	wantText(t, filepath.Join(to, "stores", "own", "b.md"), strings.Repeat("whole\n", 100))
}
