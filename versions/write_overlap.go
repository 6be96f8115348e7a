package versions

import (
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// TakenError is a memory that can't stand at a path: something stands there, above
// it or below it. Nothing was written.
type TakenError struct {
	Path   memfs.Path // what is in the way
	Memory MemoryID   // that it is; empty where it is no memory
}

func (e *TakenError) Error() string { return fmt.Sprintf("%s: %v", e.Path.Tool(), memfs.ErrExist) }
func (e *TakenError) Unwrap() error { return memfs.ErrExist }

// makeRoom makes sure that a memory can stand at p, self itself being no obstacle:
// nothing else at p, no memory above it, none below. It follows no link, so that the
// memory will stand where it was asked for. Folders with nothing in them are not in
// the way of a store that knows no folders: those that must go are given, the
// deepest first. What leaves p or comes to it meanwhile is met where the step is done.
func (d *mutation) makeRoom(p memfs.Path, self head) (folders []memfs.Path, err error) {
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
		return nil, errors.Join(err, d.vacate(p))
	case there != memfs.Folder:
		return nil, d.takenBy(p)
	}
	return d.emptyFolders(p, self)
}

// nothing is the Kind of a path where nothing stands.
const nothing memfs.Kind = -1

// parents are the folders above p, the outermost first.
func parents(p memfs.Path) (out []memfs.Path) {
	for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		out = append([]memfs.Path{dir}, out...)
	}
	return out
}

// look tells what stands at p besides self, once the trail knows it as it is.
func (d *mutation) look(p memfs.Path, self head) (memfs.Kind, error) {
	info, err := d.x.s.dir.Lstat(p)
	gone := errors.Is(err, memfs.ErrNotExist) || errors.Is(err, memfs.ErrNotFolder)
	switch {
	case err != nil && !gone:
		return 0, err
	case !gone && self.live() && d.isSelf(info, self):
		return nothing, nil
	case !gone && info.Kind == memfs.File && !d.named(p):
		return memfs.File, nil // a name of another case, where the disk ignores case
	}
	if _, err := d.current(p); err != nil && !errors.Is(err, memfs.ErrTooBig) {
		return 0, err
	}
	if gone {
		return nothing, nil
	}
	return info.Kind, nil
}

// isSelf reports whether what stands there is the memory's own file: at its path,
// or, where the disk ignores case, at one that differs in case alone.
func (d *mutation) isSelf(info memfs.Info, self head) bool {
	if info.Path == self.path {
		return true
	}
	own, err := d.x.s.dir.Lstat(self.path)
	return err == nil && info.Kind == memfs.File && own.Sig == info.Sig && info.Links <= 1 && strings.EqualFold(info.Path.String(), self.path.String())
}

// named reports whether the file at p is called so, letter by letter.
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

// takenBy is the error that names what stands at p.
func (d *mutation) takenBy(p memfs.Path) error {
	e := &TakenError{Path: p}
	var uid []byte
	err := d.x.Row(`SELECT muid FROM head WHERE store=? AND path=?`, d.x.s.id, key(p)).Scan(&uid)
	if err == nil {
		e.Memory = MemoryID(ids.Format(ids.MemoryPrefix, uid))
	}
	if err := unlessNone(err); err != nil {
		return err
	}
	return e
}

// emptyFolders are the folder at p and those in it, the deepest first, when nothing
// is in them but self. What the trail does not know yet is in the way, too, but not
// adopted for that.
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
	folders, empty, err := emptied(d.x.s.dir, p, map[memfs.Path]bool{self.path: self.live()})
	if err == nil && !empty {
		err = &TakenError{Path: p} // by something that is no memory
	}
	return folders, err
}
