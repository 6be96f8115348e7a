package planning

import (
	"errors"

	"github.com/memend/memend/memfs"
)

// Folder is the folder of the memories, as it is before the plan.
type Folder interface {
	Lstat(memfs.Path) (memfs.Info, error)
	ReadDir(memfs.Path) ([]memfs.Info, error)
}

// occupied holds the paths that memories occupy after a plan.
type occupied struct {
	folder  Folder
	ends    memfs.Occupied[memfs.Path, Memory]
	leaving map[memfs.Path]bool // paths that the plan's memories leave
}

func occupiedBy(memories []*Memory, folder Folder) occupied {
	o := occupied{folder: folder, leaving: map[memfs.Path]bool{}}
	for _, m := range memories {
		// A memory that stays at its path has precedence.
		if end := m.End(); end.Live() && (o.ends.At(end.Path) == nil || m.Now.Path == end.Path) {
			o.ends.Put(end.Path, m)
		}
		if m.leaves() {
			o.leaving[m.Now.Path] = true
		}
	}
	return o
}

// Arriving returns the memories that the plan moves to another path.
func Arriving(memories []*Memory) (out []*Memory) {
	for _, m := range memories {
		if m.arrives() {
			out = append(out, m)
		}
	}
	return out
}

// Blocked returns the memories that can't move to their path, because something is in the way even
// after the plan's other memories have left. Such a memory stays at its current path, which may block
// another one: the caller marks them, and asks again until none is left.
func Blocked(memories []*Memory, folder Folder) (out []*Memory, err error) {
	o := occupiedBy(memories, folder)
	for _, m := range Arriving(memories) {
		free, err := o.free(m, m.End().Path)
		if err != nil {
			return nil, err
		}
		if !free {
			out = append(out, m)
		}
	}
	return out, nil
}

// free reports whether a memory can move to a path.
func (o *occupied) free(m *Memory, to memfs.Path) (bool, error) {
	if o.ends.At(to) != m || !o.ends.Free(to, to) {
		return false, nil
	}
	for dir := to.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		if free, err := o.freeOnDisk(dir, true); !free || err != nil {
			return false, err
		}
	}
	return o.freeOnDisk(to, false)
}

// freeOnDisk reports whether a path is free on disk. A folder there is an obstacle unless the path
// may be a folder or the plan empties it.
func (o *occupied) freeOnDisk(at memfs.Path, mayBeFolder bool) (bool, error) {
	info, err := o.folder.Lstat(at)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder): // free checks the folders above
		return true, nil
	case err != nil:
		return false, err
	case info.Kind == memfs.File:
		return o.leaving[at], nil
	case info.Kind == memfs.Folder && mayBeFolder:
		return true, nil
	case info.Kind == memfs.Folder:
		_, empty, err := EmptyFolders(o.folder, at, o.leaving)
		return empty, err
	}
	return false, nil
}

// EmptyFolders reports whether a folder is empty once the memories at some paths are gone. It also
// returns the folder and its subfolders, deepest first.
func EmptyFolders(in Folder, at memfs.Path, gone map[memfs.Path]bool) (folders []memfs.Path, empty bool, err error) {
	entries, err := in.ReadDir(at)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		switch {
		case e.Kind == memfs.Folder:
			inner, empty, err := EmptyFolders(in, e.Path, gone)
			if !empty || err != nil {
				return nil, false, err
			}
			folders = append(folders, inner...)
		case e.Kind != memfs.File || !gone[e.Path]:
			return nil, false, nil
		}
	}
	return append(folders, at), true, nil
}
