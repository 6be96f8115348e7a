package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/memend/memend/memfs"
)

// OpenRegular opens a file of another program for reading. If it is not a regular file, the error is memfs.ErrNotRegular: opening a named pipe
// would wait for somebody who writes to it, and opening a device may have any effect.
func OpenRegular(name string) (*os.File, error) {
	return openKind(name, fs.FileMode.IsRegular, memfs.ErrNotRegular)
}

// ReadDir is os.ReadDir for a folder of another program, which may be huge: it returns at most the given number of entries, by name.
func ReadDir(dir string, most int) ([]os.DirEntry, error) {
	if most <= 0 {
		return nil, nil
	}
	f, err := openKind(dir, fs.FileMode.IsDir, memfs.ErrNotFolder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	entries, err := f.ReadDir(most)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func openKind(name string, is func(fs.FileMode) bool, not error) (*os.File, error) {
	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !is(fi.Mode()) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: not}
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // it may have become a named pipe meanwhile
	if err != nil {
		return nil, err
	}
	if fi, err = f.Stat(); err == nil && !is(fi.Mode()) {
		err = &fs.PathError{Op: "open", Path: name, Err: not}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
