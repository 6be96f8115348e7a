package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile writes a content to a file outside, so that none is ever half there. A
// file that is there already is fs.ErrExist unless it may be replaced; what is no
// regular file never is.
func WriteFile(file string, content []byte, overwrite bool) (err error) {
	info, err := os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case !overwrite:
		return &fs.PathError{Op: "export to", Path: file, Err: fs.ErrExist}
	case !info.Mode().IsRegular():
		return fmt.Errorf("export to %s: not a regular file", file)
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".memend-export-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(content); err != nil {
		return err
	}
	if err = errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}
