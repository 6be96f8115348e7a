package core

import (
	"errors"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// FreePath ensures that a memory can be at p: nothing but self is at p, and no memory is
// above or below it. It follows no link, so that the memory lands at the requested path.
// The memory-stores API knows no folders, so empty folders don't count as obstacles;
// FreePath returns those to remove, deepest first. The step itself detects a later change
// at p.
func (d *Mutation) FreePath(p memfs.Path, self tables.Head) (folders []memfs.Path, err error) {
	for _, above := range Parents(p) {
		there, err := d.look(above, self)
		if err != nil {
			return nil, err
		}
		if there != memfs.Folder && there != nothing {
			return nil, d.takenBy(above)
		}
	}
	there, err := d.look(p, self)
	switch {
	case err != nil || there == nothing:
		return nil, errors.Join(err, d.AdoptRemoved(p))
	case there != memfs.Folder:
		return nil, d.takenBy(p)
	}
	return d.emptyFolders(p, self)
}

// nothing is the Kind of a path that doesn't exist.
const nothing memfs.Kind = -1

// Parents returns the folders above p, outermost first.
func Parents(p memfs.Path) (out []memfs.Path) {
	for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		out = append([]memfs.Path{dir}, out...)
	}
	return out
}

// look adopts what is at p and returns its kind, ignoring self.
func (d *Mutation) look(p memfs.Path, self tables.Head) (memfs.Kind, error) {
	info, err := d.Txn.Store.Dir.Lstat(p)
	gone := memfs.Is(err, memfs.Absent)
	switch {
	case err != nil && !gone:
		return 0, err
	case !gone && self.Live() && d.isSelf(info, self):
		return nothing, nil
	case !gone && info.Kind == memfs.File && !d.named(p):
		return memfs.File, nil // the disk ignores case: a name that differs in case
	}
	if _, err := d.Current(p); err != nil && !errors.Is(err, memfs.ErrTooBig) {
		return 0, err
	}
	if gone {
		return nothing, nil
	}
	return info.Kind, nil
}

// isSelf reports whether a file found on disk is self's own: at its path or, if the disk
// ignores case, at a path that differs only in case.
func (d *Mutation) isSelf(info memfs.Info, self tables.Head) bool {
	if info.Path == self.Path {
		return true
	}
	own, err := d.Txn.Store.Dir.Lstat(self.Path)
	return err == nil && info.Kind == memfs.File && own.Sig == info.Sig && info.Links <= 1 && strings.EqualFold(info.Path.String(), self.Path.String())
}

// named reports whether the file at p has exactly this name, including case.
func (d *Mutation) named(p memfs.Path) bool {
	if h, err := d.Txn.Head(p); err == nil && h.Live() {
		return true
	}
	entries, err := d.Txn.Store.Dir.ReadDir(p.Dir())
	if err != nil {
		return false
	}
	for _, e := range entries {
		if e.Path == p {
			return true
		}
	}
	return false
}

// takenBy returns the error for what is at p.
func (d *Mutation) takenBy(p memfs.Path) error {
	e := &versions.TakenError{Path: p}
	err := d.Txn.Row(`SELECT muid FROM head WHERE store=? AND path=?`, d.Txn.Store.Row, versions.Key(p)).Scan(tables.IDTo(&e.Memory))
	if err := tables.IgnoreNoRows(err); err != nil {
		return err
	}
	return e
}

// emptyFolders returns the folder at p and its subfolders, deepest first, if they hold
// nothing but self. A file that the trail doesn't know yet is an obstacle too, but isn't
// adopted.
func (d *Mutation) emptyFolders(p memfs.Path, self tables.Head) ([]memfs.Path, error) {
	below, err := d.Txn.HeadsIn(p)
	if err != nil {
		return nil, err
	}
	for _, other := range below {
		if other == self.Path {
			continue
		}
		if h, err := d.Current(other); err != nil {
			return nil, err
		} else if h.Live() {
			return nil, d.takenBy(other)
		}
	}
	folders, empty, err := planning.EmptyFolders(d.Txn.Store.Dir, p, map[memfs.Path]bool{self.Path: self.Live()})
	if err == nil && !empty {
		err = &versions.TakenError{Path: p} // occupied by something that isn't a memory
	}
	return folders, err
}
