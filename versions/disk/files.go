package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memend/memend/memfs"
)

// MakeFolder makes a folder and those above it that are missing, all durable: without
// their names what is synced inside of them would be lost.
func MakeFolder(folder string) error {
	var above []string
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		above = append(above, filepath.Dir(at))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for _, at := range above {
		if err := SyncFolder(at); err != nil && !errors.Is(err, memfs.ErrNoPermission) { // not one that we may not read
			return err
		}
	}
	return nil
}

// SyncFolder makes the names in a folder durable.
func SyncFolder(folder string) error {
	d, err := memfs.OpenDir(folder)
	if err != nil {
		return err
	}
	return errors.Join(d.SyncDir(memfs.Root), d.Close())
}

// Erase removes a file and overwrites what it held: its blocks would keep that otherwise
// until they are used again. A file that is not there is no error.
func Erase(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = Zero(f)
	}
	return errors.Join(err, os.Remove(name))
}

// Zero overwrites an open file with zeros, syncs and closes it.
func Zero(f *os.File) error {
	fi, err := f.Stat()
	blank := make([]byte, 64<<10)
	for at := int64(0); err == nil && at < fi.Size(); at += int64(len(blank)) {
		_, err = f.WriteAt(blank[:min(int64(len(blank)), fi.Size()-at)], at)
	}
	return errors.Join(err, f.Sync(), f.Close())
}

// SyncFile makes the content of a file durable, or the names in a folder.
func SyncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Remove removes a file. A file that is not there is no error.
func Remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Bare(err)
	}
	return nil
}

// Bare removes the path from a file error, for a message that contains it already.
func Bare(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// RealFolder returns the canonical name of an existing folder.
func RealFolder(p string) (string, error) {
	p, err := filepath.Abs(p)
	if err != nil {
		return "", err
	}
	if p, err = filepath.EvalSymlinks(p); err != nil {
		return "", err
	}
	fi, err := os.Stat(p)
	if err != nil {
		return "", err
	}
	if !fi.IsDir() {
		return "", fmt.Errorf("%s is not a folder", p)
	}
	return p, nil
}
