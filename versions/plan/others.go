package plan

import (
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// collectOthers adds what undoes the changes' effects on entries without versions, newest first.
func (p *Planner) collectOthers(where string, args ...any) error {
	var n int64
	var others []tables.Other
	rows := p.Reader.Rows(`SELECT c.number,c.others FROM change c WHERE c.others IS NOT NULL AND `+where+` ORDER BY c.number DESC`, args...)
	for range rows.Each(&n, tables.ParsedTo(&others, tables.ParseOthers)) {
		if p.asked.Kind != versions.KindRestore && !slices.Contains(p.undone, n) {
			p.undone = append(p.undone, n)
		}
		for _, o := range slices.Backward(others) {
			p.addOther(o.Inverse())
		}
	}
	return rows.Err()
}

// collectOthersSince adds what restores the entries without versions, as far as changes since the moment affected them.
func (p *Planner) collectOthersSince(g RestoreAt) error {
	if err := p.collectOthers(`c.store=? AND c.number>?`, p.Store.Row, g.Moment.Change); err != nil {
		return err
	}
	all := p.reversed
	covered := func(at memfs.Path) bool { return !at.IsRoot() && g.covers(at) }
	p.reversed = nil
	for _, o := range all {
		leads := func() bool {
			return o.Kind == memfs.Folder && o.From.IsRoot() && (slices.ContainsFunc(p.Items, func(it *Planned) bool { return it.Then.Live() && it.Then.Path.In(o.To) }) ||
				slices.ContainsFunc(all, func(in tables.Other) bool { return covered(in.To) && in.To.In(o.To) }))
		}
		if covered(o.From) || covered(o.To) || leads() {
			p.reversed = append(p.reversed, o)
		}
	}
	return nil
}

// addOther adds the next older effect. Several effects on one entry become one, or none.
func (p *Planner) addOther(o tables.Other) {
	i := slices.IndexFunc(p.reversed, func(a tables.Other) bool {
		if o.From.IsRoot() { // a change removed what a later one created again
			return a.Kind == o.Kind && a.From == o.To && a.To.IsRoot() && a.Target == o.Target && (a.Mode == o.Mode || o.Kind != memfs.Folder)
		}
		return a.Kind == o.Kind && a.To == o.From
	})
	if i >= 0 && o.From.IsRoot() {
		p.reversed = slices.Delete(p.reversed, i, i+1)
		return
	}
	if i < 0 {
		p.reversed = append(p.reversed, o)
		return
	}
	p.reversed[i].To, p.reversed[i].Target, p.reversed[i].Mode = o.To, o.Target, o.Mode
	if p.reversed[i].From == o.To {
		p.reversed = slices.Delete(p.reversed, i, i+1)
	}
}

// listed returns what the plan does to entries without versions. A folder that moves as a whole is listed
// if no memory in it is.
func (p *Planner) listed() (out []versions.Other) {
	if p.folder && len(p.Items) == 0 {
		from, to := p.folderMove()
		out = append(out, versions.Other{Kind: memfs.Folder, From: from, To: to})
	}
	for _, o := range p.others {
		out = append(out, versions.Other{Kind: o.Kind, From: o.From, To: o.To})
	}
	return out
}

// settleOthers drops what is done already or moves with its folder, and fails for what can't be done.
func (p *Planner) settleOthers() error {
	p.others = nil
	moved, _ := p.folderMove()
	emptied, err := p.emptied()
	if err != nil {
		return err
	}
	for _, o := range p.reversed {
		if p.folder && !o.From.IsRoot() && o.From.In(moved) {
			continue
		}
		if o.Kind == memfs.Folder && !emptied[o.From] { // what leaves it may, but it stays
			o.From = memfs.Root
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
func (p *Planner) possible(o tables.Other, emptied map[memfs.Path]bool) (bool, error) {
	now, err := lookAt(p.Dir, o.From)
	if err != nil {
		return false, err
	}
	then, err := lookAt(p.cleared(), o.To)
	if err != nil {
		return false, err
	}
	there := now != nil && now.Kind == o.Kind && (o.Kind != memfs.Link || now.Target == o.Target)
	back := then != nil && then.Kind == o.Kind && (o.Kind != memfs.Link || then.Target == o.Target)
	if o.Kind == memfs.Folder {
		there = emptied[o.From]
	}
	leaves := then == nil || p.leaves(o.To)
	if o.Kind == memfs.Folder || o.Kind == memfs.Link { // which come when folders have gone
		leaves = leaves || emptied[o.To]
	}
	switch {
	case o.To.IsRoot():
		return there, nil
	case o.Kind == memfs.Folder && back:
		return there || o.From.IsRoot() && o.Mode != 0 && o.Mode != then.Mode, nil
	case back && !there:
		return false, nil
	case !leaves:
		return false, &versions.OtherError{Doing: p.Goal.String(), Path: o.To, Err: memfs.ErrExist}
	case o.Kind == memfs.Folder, o.Kind == memfs.Link && now == nil: // a link that was removed since is created again
		return true, nil
	case !o.From.IsRoot() && !there && p.asked.Kind == versions.KindRestore: // nothing has its content, and that must not prevent the rest for ever
		return false, nil
	case !o.From.IsRoot() && !there:
		return false, &versions.OtherError{Doing: p.Goal.String(), Path: o.From, Err: memfs.ErrNotExist}
	}
	return true, nil
}

// cleared is the folder without the links and files that the plan removes or moves, and that have no versions.
func (p *Planner) cleared() planning.Folder {
	out := clearedDir{p.Dir, map[memfs.Path]memfs.Kind{}}
	for _, o := range p.reversed {
		if o.Kind != memfs.Folder && !o.From.IsRoot() {
			out.gone[o.From] = o.Kind
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
func (p *Planner) leaves(at memfs.Path) bool {
	for _, it := range p.Items {
		if it.Now.Live() && it.Now.Path == at && it.End().Path != at {
			return true
		}
	}
	return slices.ContainsFunc(p.reversed, func(o tables.Other) bool { return o.Kind != memfs.Folder && o.From == at })
}

// emptied finds the folders that the plan removes: those that were created or moved and that hold nothing
// else afterwards.
func (p *Planner) emptied() (map[memfs.Path]bool, error) {
	out := map[memfs.Path]bool{}
	var folders []memfs.Path
	for _, o := range p.reversed {
		if o.Kind == memfs.Folder && !o.From.IsRoot() {
			folders = append(folders, o.From)
		}
	}
	slices.SortFunc(folders, func(a, b memfs.Path) int { return versions.ComparePaths(b, a) }) // subfolders before their folder
	for _, dir := range folders {
		info, err := lookAt(p.Dir, dir)
		if err != nil {
			return nil, err
		}
		if info == nil || info.Kind != memfs.Folder || p.arrives(dir) {
			continue
		}
		entries, err := p.Dir.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		out[dir] = !slices.ContainsFunc(entries, func(e memfs.Info) bool { return !out[e.Path] && (e.Kind == memfs.Folder || !p.leaves(e.Path)) })
	}
	return out, nil
}

// arrives reports whether the plan puts something into a folder.
func (p *Planner) arrives(dir memfs.Path) bool {
	if dir.IsRoot() {
		return false
	}
	for _, it := range p.Items {
		if end := it.End(); end.Live() && end.Path != dir && end.Path.In(dir) {
			return true
		}
	}
	return slices.ContainsFunc(p.reversed, func(o tables.Other) bool { return o.To.In(dir) && (o.To != dir || o.Kind == memfs.Folder) })
}

// moveOthers adds the steps for entries without versions. Folders are created before the files that they
// will contain and removed, if they are empty, after those that they contained. Links go first and come
// last, so that they may take each other's paths and those of files and folders.
func moveOthers(d *core.Mutation, others []tables.Other) error {
	if len(others) == 0 {
		return nil
	}
	if err := d.Start(); err != nil {
		return err
	}
	var gone, made, moved, last, late []core.Step
	for _, o := range others {
		switch {
		case o.Kind == memfs.Folder:
			if st := (core.Step{Op: memfs.OpFolder, Path: o.To, Mode: o.Mode}); !o.To.IsRoot() {
				if info, err := d.Txn.Store.Dir.Lstat(o.To); err != nil || info.Kind != memfs.Folder || o.Mode != 0 && o.Mode != info.Mode {
					made = append(made, st)
				}
			}
			if !o.From.IsRoot() && !slices.ContainsFunc(d.Steps, func(st core.Step) bool { return st.Op == memfs.OpRemove && st.Path == o.From }) {
				last = append(last, core.Step{Op: memfs.OpRemove, Path: o.From, IfEmpty: true})
			}
		case o.Kind == memfs.Link:
			if _, err := d.Txn.Store.Dir.Lstat(o.From); !o.From.IsRoot() && err == nil {
				gone = append(gone, core.Step{Op: memfs.OpRemove, Path: o.From})
			}
			if !o.To.IsRoot() {
				late = append(late, core.Step{Op: memfs.OpLink, Path: o.To, Target: o.Target})
			}
		default:
			moved = append(moved, core.Step{Op: memfs.OpRename, Path: o.From, To: o.To})
		}
	}
	made = slices.DeleteFunc(made, func(m core.Step) bool {
		after := slices.ContainsFunc(slices.Concat(d.Steps, moved), func(st core.Step) bool { // a file that is renamed makes room only then
			return st.Op == memfs.OpRename && m.Path.In(st.Path)
		})
		if after {
			late = append(late, m)
		}
		return after
	})
	byPath := func(a, b core.Step) int { return versions.ComparePaths(a.Path, b.Path) }
	slices.SortStableFunc(made, byPath)
	slices.SortStableFunc(last, func(a, b core.Step) int { return byPath(b, a) })
	at := slices.IndexFunc(d.Steps, func(st core.Step) bool { return st.Op != memfs.OpRemove || st.Old == (versions.Hash{}) })
	if at < 0 {
		at = len(d.Steps)
	}
	d.Steps = slices.Concat(gone, d.Steps[:at], made, moved, d.Steps[at:], last, late)
	return nil
}
