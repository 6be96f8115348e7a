package engine_test

import (
	"context"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/stores"
)

// What waits for nothing to be flushed must not let the next act of the trail wait for
// nothing, too: it is acknowledged when it is on the disk.
func TestActsOfATrailWaitForTheDisk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.trail.FlushDelay = time.Hour // no flush notes its end between an act and the question
	id := w.store.Opened.ID
	for name, act := range map[string]func() error{
		"limits":  func() error { return stores.SetLimits(t.Context(), w.trail, alice, id, versions.Limits{Bytes: 1000}) },
		"move":    func() error { return stores.MoveStore(t.Context(), w.trail, alice, id, w.folder) },
		"use":     func() error { return stores.UseStore(t.Context(), w.trail, id) },
		"archive": func() error { return second(stores.Archive(t.Context(), w.trail, alice, w.second().Info().ID)) },
	} {
		w.write(robot, "a", name) // its end is noted without waiting
		must(w, act())
		var mode int
		must(w, w.trail.DB.Outside(t.Context()).Row(`PRAGMA synchronous`).Scan(&mode))
		if mode != 2 {
			t.Errorf("%s: synchronous is %d, not FULL", name, mode)
		}
		if name == "archive" {
			must(w, core.UpdateLocked(t.Context(), w.trail, `DELETE FROM store WHERE name='second'`))
		}
	}
}

// A store that is closed starts nothing any more.
func TestAStoreThatIsClosedArmsNoTimer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "a1\n")
	must(w, w.store.Close())
	core.FlushSoon(w.store)
	if w.store.Batch.Timer != nil {
		t.Error("it is flushed later")
	}
	must(w, w.trail.Close())
	w.open()
}

// The race detector sees it when a look at a file takes the folder that is just replaced.
func TestAFileIsComparedWhileItsFolderIsReplaced(t *testing.T) {
	t.Parallel()
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
				_, _, _ = core.AsKnown(t.Context(), w.store, mustPath("a"))
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

// whileScanning is a context that calls do once, from the middle of a scan.
type whileScanning struct {
	context.Context
	once sync.Once
	do   func()
}

func (c *whileScanning) Err() error {
	var frames [32]uintptr
	for at := runtime.CallersFrames(frames[:runtime.Callers(1, frames[:])]); ; {
		f, more := at.Next()
		if strings.HasSuffix(f.Function, "memfs.(*Dir).scan") {
			c.once.Do(c.do)
		}
		if !more {
			return c.Context.Err()
		}
	}
}

// A look at a large folder takes long. Whoever writes meanwhile, to this store or another
// one, does not wait for it, and nothing of that is taken for another program's work.
func TestOthersWriteWhileAStoreLooksAtItsFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "a1\n")
	w.write(alice, "b", "b1\n")
	w.outside("d/theirs", "theirs\n")
	other, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	defer func() { must(w, other.Close()) }()
	same, err := other.OpenStore(t.Context(), w.store.Opened.ID)
	must(w, err)
	defer func() { must(w, same.Close()) }()
	began := false
	ctx := &whileScanning{Context: t.Context(), do: func() {
		began = true
		soon, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err := same.Write(soon, robot, mustPath("a"), []byte("a2\n"), versions.Pre{})
		must(w, err)
		_, err = same.Rename(soon, robot, mustPath("b"), mustPath("d/b"))
		must(w, err)
	}}
	r, err := w.store.Sync(ctx)
	if err != nil || !began || r.Adopted != 1 {
		t.Errorf("%+v, %v; it began: %v", r, err, began)
	}
	w.sync()
	if cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 10); err != nil || len(cs) != 1 {
		t.Errorf("%+v, %v", cs, err)
	}
}
