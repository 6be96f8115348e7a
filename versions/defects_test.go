package versions

import (
	"os"
	"sync"
	"testing"
	"time"
)

// What waits for nothing to be settled must not let the next act of the trail wait for
// nothing, too: it is acknowledged when it is on the disk.
func TestActsOfATrailWaitForTheDisk(t *testing.T) {
	w := newWorld(t)
	id := w.store.info.ID
	for name, act := range map[string]func() error{
		"limits":  func() error { return w.trail.SetLimits(t.Context(), id, Limits{Bytes: 1000}) },
		"move":    func() error { return w.trail.MoveStore(t.Context(), id, w.folder) },
		"use":     func() error { return w.trail.UseStore(t.Context(), id) },
		"archive": func() error { return second(w.trail.ArchiveStore(t.Context(), alice, w.second().Info().ID)) },
	} {
		w.write(robot, "a", name) // its end is noted without waiting
		must(w, act())
		var mode int
		must(w, w.trail.writer.QueryRowContext(t.Context(), `PRAGMA synchronous`).Scan(&mode))
		if mode != 2 {
			t.Errorf("%s: synchronous is %d, not FULL", name, mode)
		}
		if name == "archive" {
			must(w, second(w.trail.w.ExecContext(t.Context(), `DELETE FROM store WHERE name='second'`)))
		}
	}
}

// A store that is closed starts nothing any more.
func TestAStoreThatIsClosedArmsNoTimer(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "a", "a1\n")
	must(w, w.store.Close())
	w.store.settleSoon()
	if w.store.batch.timer != nil {
		t.Error("it settles later")
	}
	must(w, w.trail.Close())
	w.open()
}

// The race detector sees it when a look at a file takes the folder that is just replaced.
func TestAFileIsComparedWhileItsFolderIsReplaced(t *testing.T) {
	w := newWorld(t)
	w.write(alice, "a", "a1\n")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.Chtimes(w.host("a"), time.Now(), time.Now()) // else it is not read
				_, _, _ = w.store.asKnown(t.Context(), mustPath("a"))
			}
		}
	})
	for range 30 {
		must(w, os.CopyFS(w.folder+".new", os.DirFS(w.folder)))
		must(w, os.RemoveAll(w.folder))
		must(w, os.Rename(w.folder+".new", w.folder))
		_, err := w.store.Sync(t.Context())
		must(w, err)
	}
	close(stop)
	wg.Wait()
}
