package exchange

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// maxFolderBytes limits the memory that one import of a folder uses.
const maxFolderBytes = 1 << 30

// ReadFolder reads the files of a folder as a scan of a store would: it skips hidden ones, and reports what can't be a memory to left. The files get paths
// below into.
func ReadFolder(ctx context.Context, dir string, into memfs.Path, left func(what string)) (files []versions.NewFile, err error) {
	d, err := memfs.OpenDir(dir)
	if err != nil {
		return nil, err
	}
	defer func() { _ = d.Close() }()
	total := 0
	err = d.Scan(ctx, func(f memfs.Found) error {
		switch {
		case f.Err != nil:
			left(fmt.Sprintf("%s is left out: %v", f.Name, f.Err))
			return nil
		case f.Kind != memfs.File:
			left(fmt.Sprintf("%q is left out: not a regular file", f.Path.Rel()))
			return nil
		case memfs.Leftover(f.Path.Base()) != "":
			left(fmt.Sprintf("%q is left out: %s", f.Path.Rel(), memfs.Leftover(f.Path.Base())))
			return nil
		}
		content, _, err := d.Read(f.Path, versions.DefaultMaxBytes)
		if errors.Is(err, memfs.ErrTooBig) {
			left(fmt.Sprintf("%q is left out: over %d MiB", f.Path.Rel(), versions.DefaultMaxBytes>>20))
			return nil
		}
		if err != nil {
			return err
		}
		if total += len(content); total > maxFolderBytes {
			return fmt.Errorf("%s holds more than %d MiB of text: import its folders one by one", dir, maxFolderBytes>>20)
		}
		p, err := memfs.ParsePath(into.String() + "/" + f.Path.Rel())
		if err != nil {
			return err
		}
		files = append(files, versions.NewFile{Path: p, Content: content})
		return nil
	})
	return files, err
}

// WriteFolder writes memories as files into a folder, which it creates if it is missing. If the folder is not empty, it returns ErrNotEmpty unless overwrite
// permits replacing files of the same names; other files there stay. It writes nothing outside the folder, whatever links that contains. Memories with a
// damaged content are left out; the error is then a *versions.LeftOutError, after all others are written.
func WriteFolder(dir string, es []versions.Entry, content func(versions.Entry) ([]byte, error), overwrite bool) (files int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	there, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	if len(there) > 0 && !overwrite {
		return 0, fmt.Errorf("export to %s: %w", dir, ErrNotEmpty)
	}
	d, err := memfs.OpenDir(dir)
	if err != nil {
		return 0, err
	}
	defer func() { _ = d.Close() }()
	folders := map[memfs.Path]bool{memfs.Root: true}
	var left []string
	for _, e := range es {
		if e.Kind != versions.Memory {
			continue
		}
		b, err := content(e)
		if errors.Is(err, versions.ErrDamaged) {
			left = append(left, fmt.Sprintf("%s: its content is damaged", e.Path.Tool()))
			continue
		}
		if err == nil {
			err = writeFile(d, e.Path, b, overwrite)
		}
		if err != nil {
			return files, fmt.Errorf("export to %s: %w", dir, err)
		}
		for p := e.Path.Dir(); !folders[p]; p = p.Dir() {
			folders[p] = true
		}
		files++
	}
	for p := range folders {
		if err := d.SyncDir(p); err != nil {
			return files, err
		}
	}
	if len(left) > 0 {
		return files, &versions.LeftOutError{What: left}
	}
	return files, nil
}

func writeFile(d *memfs.Dir, p memfs.Path, content []byte, overwrite bool) error {
	if _, err := d.MkdirAll(p.Dir()); err != nil {
		return err
	}
	staged, err := d.Stage(content, 0, nil, true)
	if err != nil {
		return err
	}
	defer staged.Discard()
	if overwrite {
		return staged.Replace(p)
	}
	return staged.Create(p)
}
