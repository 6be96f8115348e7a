package memfs

import (
	"context"
	"errors"
	"strconv"
)

// Found is one thing that a scan met: a regular file, a link or a special file.
// Folders are walked, not reported.
type Found struct {
	Info        // zero but for Path when Err is set; Path is zero too when no Path can hold the name
	Name string // the name, quoted when no Path can hold it
	Err  error  // why the entry, or the folder at Path, can't be read
}

// ErrName is the Err of a Found whose name no Path can hold: one with control
// characters, that is not UTF-8, or that climbs.
var ErrName = errors.New("a name that no memory can have")

// Scan walks the whole folder and reports what a listing shows, in no certain
// order of folders: regular files, links (not followed) and special files.
// Hidden entries and node_modules are skipped. What vanishes meanwhile is no
// error, and what can't be read is reported with its error while the scan goes
// on; only a folder that can't be read at its root, ctx, or visit end it.
func (d *Dir) Scan(ctx context.Context, visit func(Found) error) error {
	d.mu.Lock()
	d.stray = nil
	d.mu.Unlock()
	return d.scan(ctx, Root, visit)
}

// scanFolder lists one folder, reports its entries and answers its folders.
func (d *Dir) scan(ctx context.Context, p Path, visit func(Found) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := d.readDir(p)
	switch {
	case err == nil:
	case p.IsRoot():
		return err
	case errors.Is(err, ErrNotExist) || errors.Is(err, ErrNotFolder): // gone or replaced meanwhile
		return nil
	default:
		return visit(Found{Info: Info{Path: p, Kind: Folder}, Name: p.Base(), Err: err})
	}
	for _, e := range entries {
		if hiddenName(e.Name()) {
			d.noteStray(p, e.Name())
			continue
		}
		child, ok := p.child(e.Name())
		if !ok {
			if err := visit(Found{Name: strconv.Quote(e.Name()), Err: ErrName}); err != nil {
				return err
			}
			continue
		}
		if e.IsDir() {
			if err := d.scan(ctx, child, visit); err != nil {
				return err
			}
			continue
		}
		info, err := d.entryInfo(child, e)
		switch {
		case errors.Is(err, ErrNotExist):
			continue
		case err != nil:
			info = Info{Path: child}
		}
		if err := visit(Found{Info: info, Name: e.Name(), Err: err}); err != nil {
			return err
		}
	}
	return nil
}

// noteStray remembers a staging file outside the root folder for Sweep.
func (d *Dir) noteStray(p Path, name string) {
	if p.IsRoot() || !isStagingName(name) {
		return
	}
	if child, ok := p.child(name); ok {
		d.mu.Lock()
		d.stray = append(d.stray, child)
		d.mu.Unlock()
	}
}
