package versions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// TakenError reports that a memory can't be at a path because something is at that path,
// above it or below it. Nothing was written.
type TakenError struct {
	Path   memfs.Path // what is in the way
	Memory MemoryID   // its id; empty if it isn't a memory
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s: %v", e.Path.Tool(), memfs.ErrExist) }
func (e *TakenError) Unwrap() error { return memfs.ErrExist }

// freePath ensures that a memory can be at p: nothing but self is at p, and no memory is
// above or below it. It follows no link, so that the memory lands at the requested path.
// The memory-stores API knows no folders, so empty folders don't count as obstacles;
// freePath returns those to remove, deepest first. The step itself detects a later change
// at p.
func (d *mutation) freePath(p memfs.Path, self head) (folders []memfs.Path, err error) {
	for _, above := range parents(p) {
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
		return nil, errors.Join(err, d.adoptRemoved(p))
	case there != memfs.Folder:
		return nil, d.takenBy(p)
	}
	return d.emptyFolders(p, self)
}

// nothing is the Kind of a path that doesn't exist.
const nothing memfs.Kind = -1

// parents returns the folders above p, outermost first.
func parents(p memfs.Path) (out []memfs.Path) {
	for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		out = append([]memfs.Path{dir}, out...)
	}
	return out
}

// look adopts what is at p and returns its kind, ignoring self.
func (d *mutation) look(p memfs.Path, self head) (memfs.Kind, error) {
	info, err := d.x.s.dir.Lstat(p)
	gone := memfs.Is(err, memfs.Absent)
	switch {
	case err != nil && !gone:
		return 0, err
	case !gone && self.live() && d.isSelf(info, self):
		return nothing, nil
	case !gone && info.Kind == memfs.File && !d.named(p):
		return memfs.File, nil // the disk ignores case: a name that differs in case
	}
	if _, err := d.current(p); err != nil && !errors.Is(err, memfs.ErrTooBig) {
		return 0, err
	}
	if gone {
		return nothing, nil
	}
	return info.Kind, nil
}

// isSelf reports whether a file found on disk is self's own: at its path or, if the disk
// ignores case, at a path that differs only in case.
func (d *mutation) isSelf(info memfs.Info, self head) bool {
	if info.Path == self.path {
		return true
	}
	own, err := d.x.s.dir.Lstat(self.path)
	return err == nil && info.Kind == memfs.File && own.Sig == info.Sig && info.Links <= 1 && strings.EqualFold(info.Path.String(), self.path.String())
}

// named reports whether the file at p has exactly this name, including case.
func (d *mutation) named(p memfs.Path) bool {
	if h, err := d.x.head(p); err == nil && h.live() {
		return true
	}
	entries, err := d.x.s.dir.ReadDir(p.Dir())
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
func (d *mutation) takenBy(p memfs.Path) error {
	e := &TakenError{Path: p}
	err := d.x.Row(`SELECT muid FROM head WHERE store=? AND path=?`, d.x.s.id, key(p)).Scan(idTo(&e.Memory))
	if err := ignoreNoRows(err); err != nil {
		return err
	}
	return e
}

// emptyFolders returns the folder at p and its subfolders, deepest first, if they hold
// nothing but self. A file that the trail doesn't know yet is an obstacle too, but isn't
// adopted.
func (d *mutation) emptyFolders(p memfs.Path, self head) ([]memfs.Path, error) {
	below, err := d.x.headsIn(p)
	if err != nil {
		return nil, err
	}
	for _, other := range below {
		if other == self.path {
			continue
		}
		if h, err := d.current(other); err != nil {
			return nil, err
		} else if h.live() {
			return nil, d.takenBy(other)
		}
	}
	folders, empty, err := planning.EmptyFolders(d.x.s.dir, p, map[memfs.Path]bool{self.path: self.live()})
	if err == nil && !empty {
		err = &TakenError{Path: p} // occupied by something that isn't a memory
	}
	return folders, err
}
