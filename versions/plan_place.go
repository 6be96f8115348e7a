package versions

import (
	"bytes"
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// room holds the paths that memories occupy after a plan.
type room struct {
	ends    memfs.Occupied[memfs.Path, planned]
	leaving map[memfs.Path]bool // paths that the plan's memories leave
}

func (p *planner) room() room {
	r := room{leaving: map[memfs.Path]bool{}}
	for _, it := range p.items {
		// A memory that stays at its path has precedence.
		if end := it.end(); end.live() && (r.ends.At(end.path) == nil || it.now.path == end.path) {
			r.ends.Put(end.path, it)
		}
		if it.leaves() {
			r.leaving[it.now.path] = true
		}
	}
	return r
}

// settle makes a conflict of each memory whose path is occupied. Such a memory stays at
// its current path, which another memory may need, so settle repeats until no new conflict
// appears.
func (p *planner) settle() error {
	for again := true; again && !p.folder; {
		again = false
		r := p.room()
		for _, it := range p.items {
			end := it.end()
			if !end.live() || it.now.live() && it.now.path == end.path {
				continue
			}
			if p.vacate != nil {
				if err := p.vacate(end.path); err != nil {
					return err
				}
			}
			free, err := p.free(r, it, end.path)
			if err != nil {
				return err
			}
			if free {
				continue
			}
			if back, err := p.isBack(it, end); err != nil {
				return err
			} else if back {
				it.want, again = place{}, true
				continue
			}
			if it.later, err = p.holder(end.path); err != nil {
				return err
			}
			it.clash, again = ClashTaken, true
		}
	}
	return nil
}

// isBack reports whether a memory that the plan recreates already exists under another id.
// This happens in a hosted store, whose service assigns a new id, when an earlier attempt
// was interrupted after the request.
func (p *planner) isBack(it *planned, end place) (bool, error) {
	if !p.s.hosted() || it.now.live() {
		return false, nil
	}
	var sha []byte
	err := p.q.Row(`SELECT sha FROM head WHERE store=? AND path=?`, p.s.id, key(end.path)).Scan(&sha)
	return err == nil && bytes.Equal(sha, end.sha[:]), unlessNone(err)
}

// free reports whether a memory can move to a path once the plan's other memories have
// left.
func (p *planner) free(r room, it *planned, to memfs.Path) (bool, error) {
	if r.ends.At(to) != it || !r.ends.Free(to, to) {
		return false, nil
	}
	for dir := to.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		if free, err := p.freeOnDisk(r, dir, true); !free || err != nil {
			return false, err
		}
	}
	return p.freeOnDisk(r, to, false)
}

// freeOnDisk reports whether a path is free on disk. A folder there is an obstacle unless
// the path may be a folder or the plan empties it.
func (p *planner) freeOnDisk(r room, at memfs.Path, folder bool) (bool, error) {
	info, err := p.dir.Lstat(at)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder): // the caller checks the folders above
		return true, nil
	case err != nil:
		return false, err
	case info.Kind == memfs.File:
		return r.leaving[at], nil
	case info.Kind == memfs.Folder && folder:
		return true, nil
	case info.Kind == memfs.Folder:
		_, empty, err := emptied(p.dir, at, r.leaving)
		return empty, err
	}
	return false, nil
}

// emptied reports whether a folder is empty once the memories at some paths are gone. It
// also returns the folder and its subfolders, deepest first.
func emptied(dir *memfs.Dir, at memfs.Path, leaving map[memfs.Path]bool) (folders []memfs.Path, empty bool, err error) {
	entries, err := dir.ReadDir(at)
	if err != nil {
		return nil, false, err
	}
	for _, e := range entries {
		switch {
		case e.Kind == memfs.Folder:
			inner, empty, err := emptied(dir, e.Path, leaving)
			if !empty || err != nil {
				return nil, false, err
			}
			folders = append(folders, inner...)
		case e.Kind != memfs.File || !leaving[e.Path]:
			return nil, false, nil
		}
	}
	return append(folders, at), true, nil
}

// holder returns the change that put a memory at p, or at a path that blocks p.
func (p *planner) holder(at memfs.Path) (n int64, err error) {
	for ; !at.IsRoot(); at = at.Dir() {
		err = p.q.Row(`SELECT number FROM head WHERE store=? AND path=?`, p.s.id, key(at)).Scan(&n)
		if !errors.Is(err, sql.ErrNoRows) {
			return n, err
		}
	}
	return 0, nil
}

// moveFolder decides whether the plan renames a whole folder back. Then other files in the
// folder move with it, and so do memories that were added since.
func (p *planner) moveFolder() error {
	from, to := p.folderMove()
	if from.IsRoot() || len(p.items) == 0 {
		return nil
	}
	info, err := p.dir.Lstat(from)
	if err != nil || info.Kind != memfs.Folder {
		return nil
	}
	if _, err := p.dir.Lstat(to); !errors.Is(err, memfs.ErrNotExist) {
		return nil
	}
	in := map[int64]bool{}
	for _, it := range p.items {
		if it.clash != ClashNone || it.skipped || !it.now.live() || !it.now.path.In(from) ||
			it.want.path != it.now.path.Move(from, to) || it.want.sha != it.now.sha {
			return nil
		}
		in[it.memory] = true
	}
	p.folder = true
	var along []*planned
	for row, err := range p.q.Each(`SELECT m.id, m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=?1 AND h.path>?2||'/' AND h.path<?2||'0' ORDER BY h.path`, p.s.id, key(from)) {
		if err != nil {
			return err
		}
		var it planned
		var uid []byte
		if err := row.Scan(&it.memory, &uid); err != nil {
			return err
		}
		if it.id = MemoryID(ids.Format(ids.MemoryPrefix, uid)); !in[it.memory] {
			along = append(along, &it)
		}
	}
	for _, it := range along {
		if it.now, err = nowOf(p.q, it.memory); err != nil {
			return err
		}
		it.want = it.now
		it.want.path = it.now.path.Move(from, to)
	}
	p.items = append(p.items, along...)
	return nil
}

// folderMove returns the source and target of the folder rename; both are the root if
// there is none.
func (p *planner) folderMove() (from, to memfs.Path) {
	if p.asked.to.IsRoot() {
		return memfs.Root, memfs.Root
	}
	if p.asked.kind == KindRedo { // redoing a rename moves forward again
		return p.asked.path, p.asked.to
	}
	return p.asked.to, p.asked.path
}
