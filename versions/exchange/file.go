package exchange

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteFile atomically writes a content to a file outside of the store. If the file exists, it returns fs.ErrExist unless overwrite is set; it never
// replaces anything but a regular file.
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
