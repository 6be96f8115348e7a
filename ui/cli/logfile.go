package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// logBytes is the size at which a log becomes the old one.
const logBytes = 2 << 20

// logFile is a log that several processes may append to, a line a Write. When it
// has grown to most bytes it becomes NAME.old, in the place of the one before, and
// a new one begins: no more than about twice that is kept. Only its owner may read
// it. It is made when there is something to write, and in a home that is there.
//
// A log never stops whoever writes it: what can't be written is dropped, and the
// next line is tried again. Its methods are safe for concurrent use.
type logFile struct {
	path string
	most int64

	mu sync.Mutex
	f  *os.File
}

// Write never fails.
func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ready() {
		_, _ = l.f.Write(line) // in one piece, at the end: O_APPEND
	}
	return len(line), nil
}

// ready makes f the file of that name, with room in it.
func (l *logFile) ready() bool {
	if l.f != nil && !l.current() {
		l.drop()
	}
	if l.f == nil && !l.open() {
		return false
	}
	if fi, err := l.f.Stat(); err == nil && fi.Size() >= l.most {
		l.turn()
	}
	return l.f != nil || l.open()
}

// current reports whether f still has its name: another process may have begun a
// new log, or somebody removed it.
func (l *logFile) current() bool {
	is, err := l.f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(l.path)
	return err == nil && os.SameFile(is, named)
}

func (l *logFile) open() bool {
	// Not the home itself: the trail makes that, and has the disk keep its name.
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

// turn makes the log the old one, unless another process is just doing that: the
// one that came second would make a new log the old one.
func (l *logFile) turn() {
	guard := l.path + ".turn"
	if fi, err := os.Lstat(guard); err == nil && time.Since(fi.ModTime()) > time.Minute {
		_ = os.Remove(guard) // its maker died
	}
	g, err := os.OpenFile(guard, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer func() { _ = g.Close(); _ = os.Remove(guard) }()
	if l.current() {
		l.drop() // Windows renames no open file
		_ = os.Rename(l.path, l.path+".old")
		return
	}
	l.drop()
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
