package versions

import (
	"database/sql"
	"errors"
	"io/fs"
	"slices"

	"github.com/memend/memend/memfs"
)

// arrangement moves memories to the paths a plan gives them, even if they swap paths. If
// one memory leaves a path and another takes it, the arrangement writes contents instead
// of renaming files. So the order of steps matters only where a file replaces a folder or
// a folder a file: removals come first.
type arrangement struct {
	d      *mutation
	dir    *memfs.Dir
	room   room
	held   memfs.Occupied[memfs.Path, planned] // the current paths
	inWay  map[memfs.Path]bool                 // folders that are removed for a memory
	before []step                              // removals
	after  []step                              // additions, then the removal of folders left empty
}

// arrange applies a plan that has no conflict left.
func (d *mutation) arrange(p *planner) error {
	if p.folder {
		return d.move(p.folderMove())
	}
	a := &arrangement{d: d, dir: p.dir, room: p.room(), inWay: map[memfs.Path]bool{}}
	for _, it := range p.items {
		if it.now.live() {
			a.held.Put(it.now.path, it)
		}
	}
	var makeWay []memfs.Path
	for _, it := range p.items {
		if end := it.end(); end.live() {
			folders, err := a.foldersAt(end.path)
			if err != nil {
				return err
			}
			makeWay = append(makeWay, folders...)
		}
	}
	for _, it := range p.items {
		if end := it.end(); end.live() == it.now.live() && end.path == it.now.path && end.sha == it.now.sha {
			continue
		}
		if err := d.start(); err != nil {
			return err
		}
		if err := a.shift(it); err != nil {
			return err
		}
	}
	for _, folder := range makeWay {
		a.before = append(a.before, step{op: memfs.OpRemove, path: folder})
	}
	if err := a.leftEmpty(); err != nil {
		return err
	}
	d.steps = append(append(d.steps, a.before...), a.after...)
	return nil
}

// foldersAt returns the folder at the future path of a memory and its subfolders, deepest
// first. They are empty by then.
func (a *arrangement) foldersAt(p memfs.Path) ([]memfs.Path, error) {
	info, err := a.dir.Lstat(p)
	if err != nil || info.Kind != memfs.Folder {
		return nil, nil // a step that can't be done reports why
	}
	folders, _, err := emptied(a.dir, p, a.room.leaving)
	for _, f := range folders {
		a.inWay[f] = true
	}
	return folders, err
}

// shift adds the version of one memory and the steps for its file.
func (a *arrangement) shift(it *planned) error {
	want := it.end()
	if !want.live() {
		a.leave(it)
		if it.made {
			return nil
		}
		return a.d.add(&versionRow{memory: it.memory, op: Deleted, path: it.now.path, mode: a.d.x.s.modeAt(it.now.path)})
	}
	v := versionRow{memory: it.memory, op: Modified, path: want.path, source: want.version}
	moves := it.now.live() && it.now.path != want.path
	switch {
	case !it.now.live():
		v.op = Created
	case moves:
		v.origin = it.now.path
	}
	content, err := want.content(a.d.x)
	if err != nil {
		return err
	}
	if !it.made {
		if err := a.d.addContent(&v, content, want.sha); err != nil {
			return err
		}
	}
	put := step{op: memfs.OpPut, path: want.path, content: content, new: want.sha}
	if !it.now.live() {
		if put.mode, err = a.d.x.lastMode(it.memory); err != nil {
			return err
		}
	}
	if there := a.held.At(want.path); there != nil {
		put.old = there.now.sha
	}
	if moves && a.plain(it) {
		a.after = append(a.after, step{op: memfs.OpRename, path: it.now.path, to: want.path, old: it.now.sha})
		if put.old = it.now.sha; it.now.sha == want.sha {
			return nil
		}
	} else if moves {
		put.mode = a.d.x.s.modeAt(it.now.path)
		a.leave(it)
	}
	a.after = append(a.after, put)
	return nil
}

// lastMode returns the mode of a deleted memory's file; 0 if unknown.
func (x *txn) lastMode(memory int64) (fs.FileMode, error) {
	var mode int
	err := x.Row(`SELECT coalesce(mode,0) FROM version WHERE memory=? AND op='deleted' ORDER BY number DESC LIMIT 1`, memory).Scan(&mode)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return fs.FileMode(mode), err
}

// plain reports whether renaming the file is enough to move a memory: no other memory
// leaves the new path or takes the old one, and no folder is in the way.
func (a *arrangement) plain(it *planned) bool {
	from, to := it.now.path, it.end().path
	if a.held.At(to) != nil || a.held.Above(to) != nil || a.room.ends.At(from) != nil || a.room.ends.Below(from) || a.inWay[to] {
		return false
	}
	return !slices.ContainsFunc(parents(from), func(dir memfs.Path) bool { return a.inWay[dir] })
}

// leave removes a memory's file, unless another memory's file replaces it.
func (a *arrangement) leave(it *planned) {
	if a.room.ends.At(it.now.path) == nil {
		a.before = append(a.before, step{op: memfs.OpRemove, path: it.now.path, old: it.now.sha})
	}
}

// leftEmpty removes the folders that are empty now, as git does: a folder without memories
// would not have existed before.
func (a *arrangement) leftEmpty() error {
	seen := map[memfs.Path]bool{}
	var gone []memfs.Path
	for p := range a.room.leaving {
		for dir := p.Dir(); !dir.IsRoot() && !seen[dir] && !a.inWay[dir] && !a.room.ends.Below(dir) && a.room.ends.At(dir) == nil; dir = dir.Dir() {
			seen[dir] = true
			folders, empty, err := emptied(a.dir, dir, a.room.leaving)
			if err != nil {
				return err
			}
			if !empty {
				break
			}
			gone = append(gone, folders...)
		}
	}
	slices.SortFunc(gone, func(a, b memfs.Path) int { return comparePaths(b, a) }) // subfolders before their folder
	for _, dir := range slices.Compact(gone) {
		a.after = append(a.after, step{op: memfs.OpRemove, path: dir})
	}
	return nil
}
