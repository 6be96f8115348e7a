package disk

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func TestALockIsHeldUntilItsHolderEnds(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "run.lock")
	if Held(name) {
		t.Error("a lock that nobody made is held")
	}
	l, err := Hold(name)
	if err != nil {
		t.Fatal(err)
	}
	if !Held(name) {
		t.Error("the lock is not held")
	}
	if _, err := Hold(name); !errors.Is(err, ErrHeld) {
		t.Errorf("held twice: %v", err)
	}
	if err := l.Close(); err != nil { // as the system does when the holder dies
		t.Fatal(err)
	}
	if Held(name) {
		t.Error("the lock of a dead holder is held")
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the file of a dead holder stays: %v", err)
	}
	if l, err = Hold(name); err != nil {
		t.Fatal(err)
	}
	if err := l.Remove(); err != nil || Held(name) {
		t.Errorf("removed: %v, held %t", err, Held(name))
	}
}

func TestALockIsTakenByOneGoroutineAtATime(t *testing.T) {
	t.Parallel()
	l, err := OpenLock(filepath.Join(t.TempDir(), "a.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	release, err := l.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Acquire(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("taken twice: %v", err)
	}
	release()
	if release, err = l.Acquire(t.Context()); err != nil {
		t.Fatal(err)
	}
	release()
}

// Whoever waits long for the lock of another process gets it in turn. Who gives up keeps nobody waiting.
func TestALockIsWaitedFor(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a.lock")
	locks := make([]*Lock, 10) // each stands for a process
	for i := range locks {
		var err error
		if locks[i], err = OpenLock(name); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = locks[i].Close() }()
	}
	release, err := locks[0].Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*longestPoll) // it waits in the system by then
	defer cancel()
	if _, err := locks[1].Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("it was canceled: %v", err)
	}
	holders, most := 0, 0
	var mu sync.Mutex
	var wait sync.WaitGroup
	for _, l := range locks[1:] {
		wait.Go(func() {
			release, err := l.Acquire(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			holders++
			most = max(most, holders)
			mu.Unlock()
			runtime.Gosched()
			mu.Lock()
			holders--
			mu.Unlock()
			release()
		})
	}
	release()
	wait.Wait()
	if most != 1 {
		t.Errorf("%d had it at once", most)
	}
}

func TestErasingAFileOverwritesIt(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name) // the blocks are still there for who has it open
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if err := errors.Join(Erase(name), Erase(name)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 6)
	if _, err := f.ReadAt(b, 0); err != nil || string(b) != "\x00\x00\x00\x00\x00\x00" {
		t.Errorf("%q is left, %v", b, err)
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the file stays: %v", err)
	}
}
