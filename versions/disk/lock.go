package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// Lock lets one goroutine of one process do something at a time. The system releases it
// when its holder dies. Its methods are safe for concurrent use.
type Lock struct {
	f  *os.File
	in chan struct{} // holds one token: one goroutine of this process at a time
}

// OpenLock opens a lock file and makes it where there is none. It does not take the lock.
func OpenLock(path string) (*Lock, error) { return openLock(path, os.O_CREATE|os.O_RDWR) }

// OpenLockReadOnly opens a lock file that this process may not write.
func OpenLockReadOnly(path string) (*Lock, error) { return openLock(path, os.O_RDONLY) }

func openLock(path string, flag int) (*Lock, error) {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, err
	}
	return &Lock{f: f, in: make(chan struct{}, 1)}, nil
}

// Acquire waits for the lock until ctx ends.
func (l *Lock) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case l.in <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err = l.await(ctx); err != nil {
		return nil, err
	}
	return l.release, nil
}

// longestPoll is the pause before the last poll of a lock that somebody has. A mutation takes a few
// milliseconds.
const longestPoll = time.Millisecond

// await takes the file's lock for the goroutine that has the token, and puts the token back if it fails.
// After a few polls it waits in the system: a hundred processes that poll would take the processors from
// the one that has the lock.
func (l *Lock) await(ctx context.Context) error {
	for wait := 50 * time.Microsecond; wait <= longestPoll; wait *= 2 {
		err := flock(l.f)
		if err == nil || !isLocked(err) {
			return l.taken(err)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			<-l.in
			return ctx.Err()
		}
	}
	got := make(chan error, 1)
	go func() { got <- flockWait(l.f) }()
	select {
	case err := <-got:
		return l.taken(err)
	case <-ctx.Done(): // the system's wait can't be canceled: it ends when the lock is free
		go func() {
			if l.taken(<-got) == nil {
				l.release()
			}
		}()
		return ctx.Err()
	}
}

// taken puts the token back if the lock could not be taken.
func (l *Lock) taken(err error) error {
	if err == nil {
		return nil
	}
	<-l.in
	return fmt.Errorf("lock %s: %w", l.f.Name(), err)
}

func (l *Lock) release() {
	_ = funlock(l.f)
	<-l.in
}

// Try takes the lock if nobody has it.
func (l *Lock) Try() (release func(), ok bool) {
	select {
	case l.in <- struct{}{}:
	default:
		return nil, false
	}
	if flock(l.f) != nil {
		<-l.in
		return nil, false
	}
	return l.release, true
}

// Close closes the file, which releases the lock.
func (l *Lock) Close() error { return l.f.Close() }

// WriteAt writes to the lock file, whose content is its owner's.
func (l *Lock) WriteAt(b []byte, off int64) (int, error) { return l.f.WriteAt(b, off) }

// Remove removes the file and releases the lock. Who finds the lock free finds that
// everything done before is done.
func (l *Lock) Remove() error {
	err := os.Remove(l.f.Name())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, funlock(l.f), l.f.Close())
}
