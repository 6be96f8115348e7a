package memfs

import (
	"context"
	"errors"
	"strconv"
)

// Found is one entry that Scan reports: a regular file, a link or a special file. Folders are
// walked, not reported.
type Found struct {
	Info        // zero except for Path when Err is set; Path is that of the folder when no Path can hold the name
	Name string // the name, quoted when no Path can hold it
	Err  error  // why the entry, or the folder at Path, can't be read
}

// ErrName is the Err of a Found whose name no Path can hold: it contains control characters,
// is not UTF-8, or climbs out of the folder.
var ErrName = errors.New("a name that no memory can have")

// Scan walks the folder, or only its folders that lead to named files, and reports what a listing shows, folders in no particular
// order: regular files, links (not followed) and special files. It skips hidden entries and
// node_modules. An entry that disappears meanwhile is no error. Scan reports what can't be
// read with its error and continues; it stops only if the root can't be read, ctx ends or
// visit fails.
func (d *Dir) Scan(ctx context.Context, visit func(Found) error) error {
	d.mu.Lock()
	d.stray = nil
	d.mu.Unlock()
	return d.scan(ctx, Root, visit)
}

// scan lists one folder, reports its entries and descends into its folders.
func (d *Dir) scan(ctx context.Context, p Path, visit func(Found) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := d.readDir(p)
	switch {
	case err == nil:
	case p.IsRoot():
		return err
	case Is(err, Absent): // deleted or replaced meanwhile
		return nil
	default:
		return visit(Found{Info: Info{Path: p, Kind: Folder}, Name: p.Base(), Err: err})
	}
	for _, e := range entries {
		if d.skips(e.Name()) {
			d.noteStray(p, e.Name())
			continue
		}
		child, ok := p.child(e.Name())
		if !ok {
			if err := visit(Found{Info: Info{Path: p}, Name: strconv.Quote(e.Name()), Err: ErrName}); err != nil {
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

// noteStray records a staging file below the root folder for Sweep.
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
