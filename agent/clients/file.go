package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Edit is a file as it is and as it is to be.
type Edit struct {
	File   string
	Before []byte
	After  []byte
	Exists bool // there is a file
	Secret bool // After has a token in it
}

// ErrChanged: another program wrote the file since it was read.
var ErrChanged = errors.New("the file was changed by another program meanwhile")

const maxFile = 32 << 20

// Read reads a client's file. One that is not there is empty.
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

// Plan is the edit of a file that do makes of its text.
func Plan(file string, do func([]byte) ([]byte, error)) (e Edit, err error) {
	e.File = file
	if e.Before, e.Exists, err = Read(file); err != nil {
		return e, err
	}
	if e.After, err = do(e.Before); err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	return e, nil
}

// Changes reports whether there is anything to write.
func (e Edit) Changes() bool { return !bytes.Equal(e.Before, e.After) }

// Empties reports whether nothing is left in the file.
func (e Edit) Empties() bool {
	text := bytes.TrimSpace(e.After)
	return e.Exists && e.Changes() && (len(text) == 0 || string(text) == "{}")
}

// Save puts After in place of Before in one step, with the mode that the file has; a link
// stays one. A file that has nothing left is deleted.
func (e Edit) Save() error {
	file, err := filepath.EvalSymlinks(e.File)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !e.Exists:
		file = e.File
		if fi, lerr := os.Lstat(file); lerr == nil && fi.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("%s is a link to a file that is not there", file)
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
	defer func() { _ = os.Remove(f.Name()) }() // when it is not in place
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
	if e.Empties() && file == e.File {
		return os.Remove(file)
	}
	return os.Rename(f.Name(), file)
}
