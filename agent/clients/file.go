package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Edit is a planned change of a file.
type Edit struct {
	File   string
	Before []byte
	After  []byte
	Exists bool // the file exists
	Link   bool // it is a link to the file
	Secret bool // After contains a token
}

// ErrChanged reports that another program wrote the file after it was read.
var ErrChanged = errors.New("another program changed the file in the meantime")

const maxFile = 32 << 20

// Read returns the text of a client's file; a missing file is empty.
func Read(file string) (text []byte, exists bool, err error) {
	fi, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	case !fi.Mode().IsRegular():
		return nil, false, fmt.Errorf("%s is not a regular file", file)
	case fi.Size() > maxFile:
		return nil, false, fmt.Errorf("%s is larger than %d MiB", file, maxFile>>20)
	}
	text, err = os.ReadFile(file)
	return text, err == nil, err
}

// Plan returns the edit that do makes to a file.
func Plan(file string, do func([]byte) ([]byte, error)) (e Edit, err error) {
	e.File = file
	if e.Before, e.Exists, err = Read(file); err != nil {
		return e, err
	}
	if fi, err := os.Lstat(file); err == nil {
		e.Link = fi.Mode()&fs.ModeSymlink != 0
	}
	if e.After, err = do(e.Before); err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	return e, nil
}

// Changes reports whether the edit changes anything.
func (e Edit) Changes() bool { return !bytes.Equal(e.Before, e.After) }

// Deletes reports whether the edit deletes the file, because it leaves nothing in it. A file behind a link stays, with
// what is left: the person chose its place.
func (e Edit) Deletes() bool {
	text := bytes.TrimSpace(e.After)
	return e.Exists && !e.Link && e.Changes() && (len(text) == 0 || string(text) == "{}")
}

// Save replaces the file's content with After atomically and keeps its mode; a link stays a link. If the
// edit deletes the file, it is removed, and so is a hidden folder that is empty then, such as .claude.
func (e Edit) Save() error {
	file, err := filepath.EvalSymlinks(e.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !e.Exists:
		file = e.File
		if e.Link {
			return fmt.Errorf("%s is a dangling symbolic link", file)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	mode := fs.FileMode(0o644)
	if fi, err := os.Stat(file); err == nil {
		mode = fi.Mode().Perm()
	}
	if e.Secret {
		mode &^= 0o077
	}
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // if it was not renamed into place
	_, err = f.Write(e.After)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	now, exists, err := Read(file)
	if err == nil && (exists != e.Exists || !bytes.Equal(now, e.Before)) {
		err = fmt.Errorf("%s: %w", e.File, ErrChanged)
	}
	if err != nil {
		return err
	}
	if e.Deletes() {
		err := errors.Join(os.Remove(file), os.Remove(f.Name()))
		if folder := filepath.Dir(file); file == e.File && strings.HasPrefix(filepath.Base(folder), ".") {
			_ = os.Remove(folder) // if nothing else is in it
		}
		return err
	}
	return os.Rename(f.Name(), file)
}
