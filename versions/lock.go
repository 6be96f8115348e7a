package versions

import (
	"context"
	"fmt"
	"os"
	"time"
)

// fileLock lets one mutation of a home run at a time, over all processes. The
// system releases it with its holder's death. SQLite's own busy handler is only a
// net below it: its back-off starves one writer of four for seconds.
type fileLock struct {
	f  *os.File
	in chan struct{} // holds one token: one goroutine of this process at a time
}

func openLock(path string) (*fileLock, error) { return openLockAs(path, os.O_CREATE|os.O_RDWR) }

func openLockAs(path string, flag int) (*fileLock, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &fileLock{f: f, in: make(chan struct{}, 1)}, nil
}

// acquire waits for the lock, as long as ctx lets it.
func (l *fileLock) acquire(ctx context.Context) (release func(), err error) {
	select {
	case l.in <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	wait := 50 * time.Microsecond
	for {
		err := flock(l.f)
		if err == nil {
			return func() { _ = funlock(l.f); <-l.in }, nil
		}
		if !isLocked(err) {
			<-l.in
			return nil, fmt.Errorf("lock trail: %w", err)
		}
		// Polling keeps the wait cancellable; a blocking flock is not. At a few
		// milliseconds a mutation the pauses stay below one.
		select {
		case <-time.After(wait):
			wait = min(wait*2, time.Millisecond)
		case <-ctx.Done():
			<-l.in
			return nil, ctx.Err()
		}
	}
}

func (l *fileLock) close() error { return l.f.Close() }
