package disk

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// ErrHeld is the error of Hold when another program holds the lock.
var ErrHeld = errors.New("the lock is held by another program")

// maxTries bounds how often Hold tries to take a lock.
const maxTries = 5

// Hold makes a lock file and takes the lock. A program marks as its own what it works on
// in this way: of what a killed program left the lock is free. [Lock.Remove] ends it.
func Hold(name string) (*Lock, error) {
	for try := 0; ; try++ {
		l, err := OpenLock(name)
		if err != nil {
			return nil, err
		}
		// Somebody who looks whether the run lasts may hold the lock for a moment, or
		// have removed the file before it was locked.
		if err = flock(l.f); err == nil && isFile(l.f, name) {
			return l, nil
		}
		_ = l.Close()
		if err != nil && !isLocked(err) || try == maxTries {
			return nil, errors.Join(err, ErrHeld)
		}
		time.Sleep(time.Millisecond)
	}
}

// isFile reports whether a name still means an open file.
func isFile(f *os.File, name string) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(name)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// Held reports whether a program holds a lock. A lock file that nobody holds is removed.
func Held(file string) bool {
	l, err := openLock(file, os.O_RDWR)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = l.Close() }()
	if err := flock(l.f); err != nil {
		return isLocked(err)
	}
	_ = funlock(l.f)
	_ = os.Remove(file)
	return false
}
