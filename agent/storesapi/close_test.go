package storesapi

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
)

// Who closes the server closes the trail next: no request may still write to it.
func TestCloseWaitsForRequestsAndRefusesOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.store()
	begun, held := make(chan bool), make(chan bool)
	release := sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	w.step.Store(func(step string) error {
		if step == "before-journal-commit" {
			begun <- true
			<-held
		}
		return nil
	})
	deleted := make(chan int, 1)
	go func() { deleted <- w.delete(store).status }()
	<-begun
	closed := make(chan error, 1)
	go func() { closed <- w.api.Close() }()
	w.soon("it refuses requests", func() bool { return w.get(storesPath).status == 503 })
	w.post(storesPath, object{"name": "another"}).is(503, "api_error")
	select {
	case err := <-closed:
		t.Error("closed while a store is being deleted:", err)
	default:
	}
	release()
	status := <-deleted
	if err := <-closed; err != nil {
		t.Error(err)
	}
	all, err := w.trail.Stores(t.Context())
	if want := map[int]int{200: 0, 503: 1}[status]; err != nil || len(all) != want {
		t.Errorf("answered %d, and there are %d stores, %v", status, len(all), err)
	}
}

// A store that is being opened waits for the lock of the home for as long as another program holds it.
func TestCloseDoesNotWaitForTheLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Wait = 50 * time.Millisecond })
	store := w.store()
	w.outside(store, "a.md", "to be adopted")
	defer func() { _ = os.Remove(filepath.Join(w.folder(store), "a.md")) }()
	lock, err := disk.OpenLock(filepath.Join(w.home, db.LockFile))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	free, err := lock.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer free()
	w.get(store+"/memories").is(503, "api_error")
	began := time.Now()
	if err := w.api.Close(); err != nil {
		t.Errorf("after %s: %v", time.Since(began), err)
	}
}

func TestCloseReportsAStoreThatCannotBeFlushed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.memory(w.store(), "/a.md", "1")
	full := errors.New("the disk is full")
	w.step.Store(func(step string) error {
		if step == "before-flush-sync" {
			return full
		}
		return nil
	})
	if err := w.api.Close(); !errors.Is(err, full) {
		t.Error(err)
	}
	w.step.Store(func(string) error { return nil })
	w.api.cache.failed = nil // the end of the test closes it, too
}
