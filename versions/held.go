package versions

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// A run of a program marks what is its own with a file that it holds locked. The
// system releases the lock with the program's death, so that what a killed one
// left is told from what somebody works on.

// errHeld is the lock of a run that lasts.
var errHeld = errors.New("its lock is taken")

// holdFile makes a lock file and takes it.
func holdFile(name string) (*fileLock, error) {
	for try := 0; ; try++ {
		l, err := openLock(name)
		if err != nil {
			return nil, err
		}
		// Somebody who looks whether the run lasts may hold the lock for a moment, or
		// have removed the file before it was locked.
		if err = flock(l.f); err == nil && isFile(l.f, name) {
			return l, nil
		}
		_ = l.close()
		if err != nil && !isLocked(err) || try == maxTries {
			return nil, errors.Join(err, errHeld)
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

// runs reports whether somebody holds a lock. One that nobody holds is removed.
func runs(file string) bool {
	l, err := openLockAs(file, os.O_RDWR)
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	defer func() { _ = l.close() }()
	if err := flock(l.f); err != nil {
		return isLocked(err)
	}
	_ = funlock(l.f)
	_ = os.Remove(file)
	return false
}
