package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/memend/memend/versions/disk"
)

// logBytes is the size at which a log is rotated.
const logBytes = 2 << 20

// maxLogWait bounds how long a line waits for another process that rotates the log.
const maxLogWait = time.Second

// logFile is a log that several processes may append to, one line per Write. When it
// reaches most bytes it is renamed to NAME.old, replacing the previous one, so at most
// about twice that size is kept. Only its owner may read it. It is created by the first
// write, and only in an existing home.
//
// A failing log never stops its writer: a line that can't be written is dropped, and the
// next one is tried again. Its methods are safe for concurrent use.
type logFile struct {
	path     string
	maxBytes int64

	mu sync.Mutex
	f  *os.File
}

// Write never fails.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.prepare() {
		_, _ = l.f.Write(line) // one append with O_APPEND
	}
	return len(line), nil
}

// prepare opens the current file and rotates it if it is full.
func (l *logFile) prepare() bool {
	if l.f != nil && !l.current() {
		l.drop()
	}
	if l.f == nil && !l.open() {
		return false
	}
	if fi, err := l.f.Stat(); err == nil && fi.Size() >= l.maxBytes {
		l.rotate()
	}
	return l.f != nil || l.open()
}

// current reports whether the open file still has its name: another process may have
// rotated it, or someone may have removed it.
func (l *logFile) current() bool {
	is, err := l.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.path)
	return err == nil && os.SameFile(is, named)
}

func (l *logFile) open() bool {
	// Do not create the home itself: the trail creates it and syncs its directory entry.
	if err := os.Mkdir(filepath.Dir(l.path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return false
	}
	l.f = f
	return true
}

// rotate renames a full log. One process at a time does that. A process that had to wait
// first checks that the log was not rotated meanwhile: rotating it twice would replace the
// old log by an almost empty one.
func (l *logFile) rotate() {
	lock, err := disk.OpenLock(l.path + ".lock")
	if err != nil {
		return
	}
	defer func() { _ = lock.Close() }()
	ctx, cancel := context.WithTimeout(context.Background(), maxLogWait)
	defer cancel()
	release, err := lock.Acquire(ctx)
	if err != nil {
		return // the line goes into the full log
	}
	defer release()
	full := l.current()
	l.drop() // Windows can't rename an open file
	if full {
		_ = os.Rename(l.path, l.path+".old")
	}
}

func (l *logFile) drop() {
	_ = l.f.Close()
	l.f = nil
}

func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f != nil {
		l.drop()
	}
}
