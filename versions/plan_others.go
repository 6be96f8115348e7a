package versions

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
)

// Other is what a plan does to a link, a folder, or a file that has no versions. The root as From means
// that it is created, and as To that it is removed.
type Other struct {
	Kind     memfs.Kind
	From, To memfs.Path
}

// collectOthers adds what undoes the changes' effects on entries without versions, newest first.
func (p *planner) collectOthers(where string, args ...any) error {
	var n int64
	var others []other
	rows := p.q.Rows(`SELECT c.number,c.others FROM change c WHERE c.others IS NOT NULL AND `+where+` ORDER BY c.number DESC`, args...)
	for range rows.Each(&n, parsedTo(&others, parseOthers)) {
		if p.asked.kind != KindRestore && !slices.Contains(p.undone, n) {
			p.undone = append(p.undone, n)
		}
		for _, o := range slices.Backward(others) {
			p.addOther(o.inverse())
		}
	}
	return rows.Err()
}

// collectOthersSince adds what restores the entries without versions, as far as changes since the moment affected them.
func (p *planner) collectOthersSince(g RestoreAt) error {
	if err := p.collectOthers(`c.store=? AND c.number>?`, p.s.id, g.Moment.Change); err != nil {
		return err
	}
	all := p.reversed
	covered := func(at memfs.Path) bool { return !at.IsRoot() && g.covers(at) }
	p.reversed = nil
	for _, o := range all {
		leads := func() bool {
			return o.kind == memfs.Folder && o.from.IsRoot() && (slices.ContainsFunc(p.items, func(it *planned) bool { return it.Then.Live() && it.Then.Path.In(o.to) }) ||
				slices.ContainsFunc(all, func(in other) bool { return covered(in.to) && in.to.In(o.to) }))
		}
		if covered(o.from) || covered(o.to) || leads() {
			p.reversed = append(p.reversed, o)
		}
	}
	return nil
}

// addOther adds the next older effect. Several effects on one entry become one, or none.
func (p *planner) addOther(o other) {
	i := slices.IndexFunc(p.reversed, func(a other) bool {
		if o.from.IsRoot() { // a change removed what a later one created again
			return a.kind == o.kind && a.from == o.to && a.to.IsRoot() && a.target == o.target && (a.mode == o.mode || o.kind != memfs.Folder)
		}
		return a.kind == o.kind && a.to == o.from
	})
	if i >= 0 && o.from.IsRoot() {
		p.reversed = slices.Delete(p.reversed, i, i+1)
		return
	}
	if i < 0 {
		p.reversed = append(p.reversed, o)
		return
	}
	p.reversed[i].to, p.reversed[i].target, p.reversed[i].mode = o.to, o.target, o.mode
	if p.reversed[i].from == o.to {
		p.reversed = slices.Delete(p.reversed, i, i+1)
	}
}

// listed returns what the plan does to entries without versions. A folder that moves as a whole is listed
// if no memory in it is.
func (p *planner) listed() (out []Other) {
	if p.folder && len(p.items) == 0 {
		from, to := p.folderMove()
		out = append(out, Other{memfs.Folder, from, to})
	}
	for _, o := range p.others {
		out = append(out, Other{o.kind, o.from, o.to})
	}
	return out
}

// settleOthers drops what is done already or moves with its folder, and fails for what can't be done.
func (p *planner) settleOthers() error {
	p.others = nil
	moved, _ := p.folderMove()
	emptied, err := p.emptied()
	if err != nil {
		return err
	}
	for _, o := range p.reversed {
		if p.folder && !o.from.IsRoot() && o.from.In(moved) {
			continue
		}
		if o.kind == memfs.Folder && p.arrives(o.from) { // what leaves it may, but it stays
			o.from = memfs.Root
		}
		do, err := p.possible(o, emptied)
		if err != nil {
			return err
		}
		if do {
			p.others = append(p.others, o)
		}
	}
	return nil
}

// possible reports whether something is to be done for o in the folder as it is.
func (p *planner) possible(o other, emptied map[memfs.Path]bool) (bool, error) {
	now, err := lookAt(p.dir, o.from)
	if err != nil {
		return false, err
	}
	then, err := lookAt(p.cleared(), o.to)
	if err != nil {
		return false, err
	}
	there := now != nil && now.Kind == o.kind && (o.kind != memfs.Link || now.Target == o.target)
	back := then != nil && then.Kind == o.kind && (o.kind != memfs.Link || then.Target == o.target)
	if o.kind == memfs.Folder {
		there = emptied[o.from]
	}
	leaves := then == nil || p.leaves(o.to)
	if o.kind == memfs.Folder || o.kind == memfs.Link { // which come when folders have gone
		leaves = leaves || emptied[o.to]
	}
	switch {
	case o.to.IsRoot():
		return there, nil
	case o.kind == memfs.Folder && back:
		return there || o.from.IsRoot() && o.mode != 0 && o.mode != then.Mode, nil
	case back && !there:
		return false, nil
	case !leaves:
		return false, &OtherError{p.goal.String(), o.to, memfs.ErrExist}
	case o.kind == memfs.Folder, o.kind == memfs.Link && now == nil: // a link that was removed since is created again
		return true, nil
	case !o.from.IsRoot() && !there && p.asked.kind == KindRestore: // nothing has its content, and that must not prevent the rest for ever
		return false, nil
	case !o.from.IsRoot() && !there:
		return false, &OtherError{p.goal.String(), o.from, memfs.ErrNotExist}
	}
	return true, nil
}

// cleared is the folder without the links and files that the plan removes or moves, and that have no versions.
func (p *planner) cleared() planning.Folder {
	out := clearedDir{p.dir, map[memfs.Path]memfs.Kind{}}
	for _, o := range p.reversed {
		if o.kind != memfs.Folder && !o.from.IsRoot() {
			out.gone[o.from] = o.kind
		}
	}
	return out
}

type clearedDir struct {
	*memfs.Dir
	gone map[memfs.Path]memfs.Kind
}

func (f clearedDir) Lstat(p memfs.Path) (memfs.Info, error) {
	for at := p; !at.IsRoot(); at = at.Dir() {
		kind, goes := f.gone[at]
		if !goes {
			continue
		}
		if info, err := f.Dir.Lstat(at); err == nil && info.Kind == kind {
			return memfs.Info{}, memfs.ErrNotExist
		}
	}
	return f.Dir.Lstat(p)
}

func (f clearedDir) ReadDir(p memfs.Path) ([]memfs.Info, error) {
	entries, err := f.Dir.ReadDir(p)
	return slices.DeleteFunc(entries, func(e memfs.Info) bool {
		kind, goes := f.gone[e.Path]
		return goes && e.Kind == kind
	}), err
}

// lookAt returns the entry at a path, or nil.
func lookAt(in planning.Folder, at memfs.Path) (*memfs.Info, error) {
	if at.IsRoot() {
		return nil, nil
	}
	info, err := in.Lstat(at)
	if memfs.Is(err, memfs.NoMemory) {
		return nil, nil
	}
	return &info, err
}

// leaves reports whether the plan moves away what is at a path.
func (p *planner) leaves(at memfs.Path) bool {
	for _, it := range p.items {
		if it.Now.Live() && it.Now.Path == at && it.End().Path != at {
			return true
		}
	}
	return slices.ContainsFunc(p.reversed, func(o other) bool { return o.kind != memfs.Folder && o.from == at })
}

// emptied finds the folders that the plan removes: those that were created or moved and that hold nothing
// else afterwards.
func (p *planner) emptied() (map[memfs.Path]bool, error) {
	out := map[memfs.Path]bool{}
	var folders []memfs.Path
	for _, o := range p.reversed {
		if o.kind == memfs.Folder && !o.from.IsRoot() {
			folders = append(folders, o.from)
		}
	}
	slices.SortFunc(folders, func(a, b memfs.Path) int { return comparePaths(b, a) }) // subfolders before their folder
	for _, dir := range folders {
		info, err := lookAt(p.dir, dir)
		if err != nil {
			return nil, err
		}
		if info == nil || info.Kind != memfs.Folder || p.arrives(dir) {
			continue
		}
		entries, err := p.dir.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		out[dir] = !slices.ContainsFunc(entries, func(e memfs.Info) bool { return !out[e.Path] && (e.Kind == memfs.Folder || !p.leaves(e.Path)) })
	}
	return out, nil
}

// arrives reports whether the plan puts something into a folder.
func (p *planner) arrives(dir memfs.Path) bool {
	if dir.IsRoot() {
		return false
	}
	for _, it := range p.items {
		if end := it.End(); end.Live() && end.Path != dir && end.Path.In(dir) {
			return true
		}
	}
	return slices.ContainsFunc(p.reversed, func(o other) bool { return o.to.In(dir) && (o.to != dir || o.kind == memfs.Folder) })
}

// OtherError reports a plan that can't restore a link, a folder or a file without versions. Nothing was
// written.
type OtherError struct {
	Doing string
	Path  memfs.Path
	Err   error // memfs.ErrExist: something else is there; memfs.ErrNotExist: it was moved or removed since
}

func (e *OtherError) Error() string {
	if errors.Is(e.Err, memfs.ErrExist) {
		return fmt.Sprintf("%s: restore %s: something else is there now", e.Doing, e.Path.Tool())
	}
	return fmt.Sprintf("%s: %s was moved, changed or removed since", e.Doing, e.Path.Tool())
}

// Unwrap returns the cause of e.
func (e *OtherError) Unwrap() error { return e.Err }

// moveOthers adds the steps for entries without versions. Folders are created before the files that they
// will contain and removed, if they are empty, after those that they contained. Links go first and come
// last, so that they may take each other's paths and those of files and folders.
func (d *mutation) moveOthers(others []other) error {
	if len(others) == 0 {
		return nil
	}
	if err := d.start(); err != nil {
		return err
	}
	var gone, made, moved, last, late []step
	for _, o := range others {
		switch {
		case o.kind == memfs.Folder:
			if st := (step{op: memfs.OpFolder, path: o.to, mode: o.mode}); !o.to.IsRoot() {
				if info, err := d.x.s.dir.Lstat(o.to); err != nil || info.Kind != memfs.Folder || o.mode != 0 && o.mode != info.Mode {
					made = append(made, st)
				}
			}
			if !o.from.IsRoot() && !slices.ContainsFunc(d.steps, func(st step) bool { return st.op == memfs.OpRemove && st.path == o.from }) {
				last = append(last, step{op: memfs.OpRemove, path: o.from, ifEmpty: true})
			}
		case o.kind == memfs.Link:
			if _, err := d.x.s.dir.Lstat(o.from); !o.from.IsRoot() && err == nil {
				gone = append(gone, step{op: memfs.OpRemove, path: o.from})
			}
			if !o.to.IsRoot() {
				late = append(late, step{op: memfs.OpLink, path: o.to, target: o.target})
			}
		default:
			moved = append(moved, step{op: memfs.OpRename, path: o.from, to: o.to})
		}
	}
	made = slices.DeleteFunc(made, func(m step) bool {
		after := slices.ContainsFunc(slices.Concat(d.steps, moved), func(st step) bool { // a file that is renamed makes room only then
			return st.op == memfs.OpRename && m.path.In(st.path)
		})
		if after {
			late = append(late, m)
		}
		return after
	})
	byPath := func(a, b step) int { return comparePaths(a.path, b.path) }
	slices.SortStableFunc(made, byPath)
	slices.SortStableFunc(last, func(a, b step) int { return byPath(b, a) })
	at := slices.IndexFunc(d.steps, func(st step) bool { return st.op != memfs.OpRemove || st.old == (Hash{}) })
	if at < 0 {
		at = len(d.steps)
	}
	d.steps = slices.Concat(gone, d.steps[:at], made, moved, d.steps[at:], last, late)
	return nil
}
