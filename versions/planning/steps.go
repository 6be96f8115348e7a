package planning

import (
	"cmp"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// Step is one action on the folder.
type Step struct {
	Op       memfs.OpKind
	Path, To memfs.Path // To is for memfs.OpRename
	Memory   *Memory    // whose file it is; nil for a folder
	Old, New ids.Hash   // of the file at Path before and after the step; zero if there is none
}

// Changed returns the memories whose path or content the plan changes.
func Changed(memories []*Memory) (out []*Memory) {
	for _, m := range memories {
		if end := m.End(); end.Live() != m.Now.Live() || end.Path != m.Now.Path || end.SHA256 != m.Now.SHA256 {
			out = append(out, m)
		}
	}
	return out
}

// Steps returns the actions that bring the files from the current states of the memories to their
// states after the plan, even if memories swap paths. No memory may be blocked. If one memory leaves
// a path and another takes it, the steps write contents instead of renaming files. So their order
// matters only where a file replaces a folder or a folder a file: removals come first. Folders that
// become empty are removed, unless [Memory.KeepFolders] is set.
func Steps(memories []*Memory, folder Folder) ([]Step, error) {
	a := &arrangement{occupied: occupiedBy(memories, folder), removed: map[memfs.Path]bool{}}
	for _, m := range memories {
		if m.Now.Live() {
			a.current.Put(m.Now.Path, m)
		}
	}
	var makeWay []memfs.Path
	for _, m := range memories {
		if end := m.End(); end.Live() {
			folders, err := a.foldersAt(end.Path)
			if err != nil {
				return nil, err
			}
			makeWay = append(makeWay, folders...)
		}
	}
	for _, m := range Changed(memories) {
		a.shift(m)
	}
	for _, folder := range makeWay {
		a.before = append(a.before, Step{Op: memfs.OpRemove, Path: folder})
	}
	if err := a.leftEmpty(); err != nil {
		return nil, err
	}
	return append(a.before, a.after...), nil
}

type arrangement struct {
	occupied
	current memfs.Occupied[memfs.Path, Memory]
	removed map[memfs.Path]bool // folders that are removed for a memory
	before  []Step              // removals
	after   []Step              // additions, then the removal of folders left empty
}

// foldersAt returns the folder at the future path of a memory and its subfolders, deepest first. They
// are empty by then.
func (a *arrangement) foldersAt(p memfs.Path) ([]memfs.Path, error) {
	info, err := a.folder.Lstat(p)
	if err != nil || info.Kind != memfs.Folder {
		return nil, nil // a step that can't be done reports why
	}
	folders, _, err := EmptyFolders(a.folder, p, a.leaving)
	for _, f := range folders {
		a.removed[f] = true
	}
	return folders, err
}

// shift adds the steps for the file of one memory.
func (a *arrangement) shift(m *Memory) {
	want := m.End()
	if !want.Live() {
		a.removeFile(m)
		return
	}
	put := Step{Op: memfs.OpPut, Path: want.Path, Memory: m, New: want.SHA256}
	if there := a.current.At(want.Path); there != nil {
		put.Old = there.Now.SHA256
	}
	if moves := m.Now.Live() && m.Now.Path != want.Path; moves && a.plain(m) {
		a.after = append(a.after, Step{Op: memfs.OpRename, Path: m.Now.Path, To: want.Path, Memory: m, Old: m.Now.SHA256})
		if put.Old = m.Now.SHA256; m.Now.SHA256 == want.SHA256 {
			return
		}
	} else if moves {
		a.removeFile(m)
	}
	a.after = append(a.after, put)
}

// plain reports whether renaming the file is enough to move a memory: no other memory leaves the new
// path or takes the old one, and no folder is in the way.
func (a *arrangement) plain(m *Memory) bool {
	from, to := m.Now.Path, m.End().Path
	if a.current.At(to) != nil || a.current.Above(to) != nil || a.ends.At(from) != nil || a.ends.Below(from) || a.removed[to] {
		return false
	}
	for dir := from.Dir(); !dir.IsRoot(); dir = dir.Dir() {
		if a.removed[dir] {
			return false
		}
	}
	return true
}

// removeFile removes a memory's file, unless another memory's file replaces it.
func (a *arrangement) removeFile(m *Memory) {
	if a.ends.At(m.Now.Path) == nil {
		a.before = append(a.before, Step{Op: memfs.OpRemove, Path: m.Now.Path, Memory: m, Old: m.Now.SHA256})
	}
}

// leftEmpty removes the folders that are empty now, as git does: a folder without memories would not
// have existed before.
func (a *arrangement) leftEmpty() error {
	seen := map[memfs.Path]bool{}
	var gone []memfs.Path
	for p := range a.leaving {
		if a.current.At(p).KeepFolders {
			continue
		}
		for dir := p.Dir(); !dir.IsRoot() && !seen[dir] && !a.removed[dir] && !a.ends.Below(dir) && a.ends.At(dir) == nil; dir = dir.Dir() {
			seen[dir] = true
			folders, empty, err := EmptyFolders(a.folder, dir, a.leaving)
			if err != nil {
				return err
			}
			if !empty {
				break
			}
			gone = append(gone, folders...)
		}
	}
	slices.SortFunc(gone, func(a, b memfs.Path) int { return cmp.Compare(b.String(), a.String()) }) // subfolders before their folder
	for _, dir := range slices.Compact(gone) {
		a.after = append(a.after, Step{Op: memfs.OpRemove, Path: dir})
	}
	return nil
}
