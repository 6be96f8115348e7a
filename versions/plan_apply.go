package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/planning"
)

// Plan scans the folder, then computes a plan from one snapshot of the trail. A plan can be made without the
// folder, but not applied.
func (s *Store) Plan(ctx context.Context, g Goal) (*Plan, error) {
	g, err := s.searched(ctx, g)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sync(ctx); err != nil && !IsUnwritable(err) && !errors.Is(err, ErrFolderGone) {
		return nil, err
	}
	var out *Plan
	err = s.t.view(ctx, func(q reader) error {
		p := &planner{s: s, q: q, dir: s.folder(), goal: g, done: ctx.Done()}
		if err := p.compute(); err != nil {
			return err
		}
		out, err = p.plan()
		return err
	})
	if err == nil {
		err = ctx.Err() // a cancelled replacement leaves out hits
	}
	return out, err
}

// plan returns the computed plan for callers of the package.
func (p *planner) plan() (*Plan, error) {
	shown := p.shown
	out := &shown
	out.Kind, out.Change, out.Path, out.goal = p.asked.kind, p.asked.about, p.asked.path, p.goal
	out.Changes = slices.Sorted(slices.Values(p.undone))
	out.Others = p.listed()
	for _, it := range p.items {
		if it.excluded != nil {
			out.Skipped = append(out.Skipped, UnreadText{Path: it.Now.Path, Err: it.excluded})
			continue
		}
		item := PlanItem{Memory: it.ID, Now: publicState(it.Now), Then: publicState(it.End()), Text: it.End().Text, Merge: it.Merge, Clash: it.Clash}
		var err error
		if item.Added, item.Removed, err = p.count(it); err != nil {
			return nil, err
		}
		if it.hits > 0 {
			if err = p.reportHits(&item, it); err != nil {
				return nil, err
			}
		}
		switch {
		case it.Clash != planning.ClashNone:
			if item.Reason, err = p.reason(it); err != nil {
				return nil, err
			}
			out.Conflicts = append(out.Conflicts, item)
		case item.Now.Path == item.Then.Path && item.Now.SHA256 == item.Then.SHA256:
			out.Nothing = append(out.Nothing, item)
		case it.Want.Text != nil && it.Merge != nil:
			out.Merged = append(out.Merged, item)
		default:
			out.Clean = append(out.Clean, item)
		}
	}
	if r, ok := p.goal.(Replacement); ok {
		r.show(out)
	}
	return out, nil
}

// reason returns the error that describes a conflict.
func (p *planner) reason(it *planned) (reason, err error) {
	if it.Clash == planning.ClashRedacted {
		why := lastErased(p.q, it.Row)
		if errors.Is(why, sql.ErrNoRows) {
			why = ErrForgotten
		}
		if at := it.LastPath(); !at.IsRoot() { // its path may be erased too
			why = fmt.Errorf("%s: %w", at.Tool(), why)
		}
		return fmt.Errorf("%s: %w", p.goal, why), nil
	}
	undone, _ := p.goal.(UndoChange)
	later := &LaterChangeError{Change: int64(undone), Path: it.Path(), Clash: it.Clash}
	if it.Clash == planning.ClashTaken {
		later.Path = it.Want.Path
		later.Later, err = p.holder(it.Want.Path)
	} else {
		later.Later, later.By, err = p.inTheWay(it)
	}
	if later.Path.IsRoot() { // it has no path now: use the path it had
		later.Path = it.LastPath()
	}
	return later, err
}

// count returns how many lines the plan adds to a memory and removes from it.
func (p *planner) count(it *planned) (added, removed int, err error) {
	now, end := it.Now, it.End()
	if now.SHA256 == end.SHA256 || max(now.Size, end.Size) > maxCountBytes {
		return 0, 0, nil
	}
	before, err := p.text(now)
	if err != nil {
		return 0, 0, err
	}
	after, err := p.text(end)
	if err != nil {
		return 0, 0, err
	}
	added, removed = diff.Count(before, after)
	return added, removed, nil
}

// Apply executes a plan as one change, which can be undone and redone. It recomputes the
// plan in the write transaction; if the result differs it returns a *StalePlanError. Each
// conflict needs a choice, keyed by memory, or Apply returns a *ConflictsError. Other
// memories may be skipped. If nothing is left to do it returns ErrNothing.
func (s *Store) Apply(ctx context.Context, by By, p *Plan, choices map[MemoryID]planning.Choice) (Change, error) {
	return s.fulfil(ctx, by, p.goal, p, choices)
}

// Do reaches a goal without a preview. It returns the reason of the first conflict if there is one, and ErrNothing
// if there is nothing to do.
func (s *Store) Do(ctx context.Context, by By, g Goal) (Change, error) {
	g, err := s.searched(ctx, g)
	if err != nil {
		return Change{}, err
	}
	c, err := s.fulfil(ctx, by, g, nil, nil)
	if is := (*ConflictsError)(nil); errors.As(err, &is) {
		err = is.Conflicts[0].Reason
	}
	later := (*LaterChangeError)(nil)
	if _, restores := g.(Restore); restores && errors.As(err, &later) && later.Clash == planning.ClashTaken {
		err = fmt.Errorf("%s: %s: %w", g, later.Path.Tool(), memfs.ErrExist)
	}
	return c, err
}

func (s *Store) fulfil(ctx context.Context, by By, g Goal, agreed *Plan, choices map[MemoryID]planning.Choice) (Change, error) {
	switch g := g.(type) {
	case Accept:
		return s.accept(ctx, by, g, agreed, choices)
	case RestoreAt: // otherwise files that the trail doesn't know yet would be missed
		if _, err := s.Sync(ctx); err != nil {
			return Change{}, err
		}
	}
	return s.mutate(ctx, by, func(d *mutation) error { return d.fulfil(g, agreed, choices) })
}

// Rehearse returns the error that Apply would return, and changes nothing. A change that would be held has
// no number yet.
func (s *Store) Rehearse(ctx context.Context, by By, p *Plan, choices map[MemoryID]planning.Choice) error {
	if s.t.db.ReadOnly() != nil { // the plan can be read all the same
		return nil
	}
	return s.rehearse(ctx, by, func(d *mutation) error { return d.fulfil(p.goal, p, choices) })
}

// fulfil computes a plan and executes it, if it equals the agreed plan and the choices
// leave no conflict. It returns ErrNothing if there is nothing to do.
func (d *mutation) fulfil(g Goal, agreed *Plan, choices map[MemoryID]planning.Choice) error {
	p := &planner{s: d.x.s, q: d.x, dir: d.x.s.dir, goal: g, adoptAt: d.adoptRemoved,
		adopt: func(memory int64) error {
			_, err := d.now(memory)
			return err
		}}
	if err := p.compute(); err != nil {
		return err
	}
	if agreed != nil {
		if err := p.stillAs(agreed); err != nil {
			return err
		}
	}
	if len(choices) > 0 {
		if err := p.choose(choices); err != nil {
			return err
		}
	}
	if err := p.conflicts(); err != nil {
		return err
	}
	if p.replacer != nil {
		p.narrowAsked()
	}
	d.asked = p.asked
	change, undoes := p.goal.(UndoChange)
	if undoes && !p.folder { // only a folder rename has a destination
		d.asked.to = memfs.Root
	}
	if err := d.followPlan(p); err != nil {
		return err
	}
	switch {
	case d.c != nil:
		return d.markUndone(p)
	case undoes && agreed == nil:
		return fmt.Errorf("%s: %w: everything is as it was before it", change, ErrNothing)
	}
	return fmt.Errorf("%s: %w", p.goal, ErrNothing)
}

// conflicts returns the error for the unresolved conflicts.
func (p *planner) conflicts() error {
	if p.replacer != nil { // an obstacle to a replacement makes the plan stale
		return nil
	}
	if !slices.ContainsFunc(p.items, func(it *planned) bool { return it.excluded == nil && it.Clash != planning.ClashNone }) {
		return nil
	}
	preview, err := p.plan()
	if err != nil || len(preview.Conflicts) == 0 {
		return err
	}
	return &ConflictsError{p.goal.String(), preview.Conflicts}
}

// stillAs returns a *StalePlanError if the computed plan differs from the agreed one.
func (p *planner) stillAs(agreed *Plan) error {
	type line struct {
		nowPath, thenPath string
		now, then         Hash
		clash             planning.Clash
	}
	old := map[MemoryID]line{}
	for _, list := range [][]PlanItem{agreed.Clean, agreed.Merged, agreed.Conflicts, agreed.Nothing} {
		for _, it := range list {
			old[it.Memory] = line{key(it.Now.Path), key(it.Then.Path), it.Now.SHA256, it.Then.SHA256, it.Clash}
		}
	}
	for _, it := range p.items {
		now, then := publicState(it.Now), publicState(it.End())
		if was, ok := old[it.ID]; !ok || was != (line{key(now.Path), key(then.Path), now.SHA256, then.SHA256, it.Clash}) {
			return &StalePlanError{p.goal.String(), it.LastPath()}
		}
		delete(old, it.ID)
	}
	undone := slices.Sorted(slices.Values(p.undone))
	if len(old) > 0 || !slices.Equal(p.listed(), agreed.Others) || !slices.Equal(undone, agreed.Changes) {
		return &StalePlanError{Doing: p.goal.String()}
	}
	return nil
}

// choose applies the choices to the memories of the plan.
func (p *planner) choose(choices map[MemoryID]planning.Choice) error {
	left := maps.Clone(choices)
	for _, it := range p.items {
		c := left[it.ID]
		delete(left, it.ID)
		var err error
		if c.Kind == planning.SomeHits && p.replacer != nil {
			err = p.replaceIn(it, c.Except)
		} else {
			err = it.Decide(c, p.text)
		}
		if err != nil {
			return err
		}
	}
	for id := range left {
		return fmt.Errorf("%s: %w: %s is not in the plan", p.goal, ErrNoMemory, id)
	}
	if slices.ContainsFunc(p.items, func(it *planned) bool { return it.Skipped }) {
		p.folder = false
		p.asked.undoes, p.asked.about = 0, 0 // the change stays in effect: see markUndone
	}
	return p.settle()
}

// followPlan applies a plan that has no conflict left.
func (d *mutation) followPlan(p *planner) error {
	if p.folder {
		if err := d.move(p.folderMove()); err != nil {
			return err
		}
		return d.moveOthers(p.others)
	}
	texts, err := d.moveFiles(p.cleared(), p.memories())
	if err != nil {
		return err
	}
	for _, m := range planning.Changed(p.memories()) {
		if err := d.start(); err != nil {
			return err
		}
		if err := d.addPlanned(m, texts[m]); err != nil {
			return err
		}
	}
	return d.moveOthers(p.others)
}

// addPlanned adds the version of one memory of a plan, with its new text.
func (d *mutation) addPlanned(m *planning.Memory, text []byte) error {
	want, row := m.End(), m.Row
	if row < 0 { // a held change creates it
		var err error
		if row, err = d.x.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, ids.Parse(ids.MemoryPrefix, string(m.ID)), d.x.s.id); err != nil {
			return err
		}
	}
	v := versionRow{memory: row, op: Modified, path: want.Path, source: want.Row}
	switch {
	case !want.Live():
		return d.add(&versionRow{memory: m.Row, op: Deleted, path: m.Now.Path, mode: d.x.s.modeAt(m.Now.Path)})
	case !m.Now.Live():
		v.op = Created
	case m.Now.Path != want.Path:
		v.origin = m.Now.Path
	}
	return d.addContent(&v, text, want.SHA256)
}

// moveFiles adds the steps that bring the files of memories to their states after a plan. It returns
// the texts that the memories get.
func (d *mutation) moveFiles(dir planning.Folder, memories []*planning.Memory) (texts map[*planning.Memory][]byte, err error) {
	steps, err := planning.Steps(memories, dir)
	if err != nil {
		return nil, err
	}
	texts = map[*planning.Memory][]byte{}
	for _, m := range planning.Changed(memories) {
		if texts[m], err = textOf(d.x, m.End()); err != nil {
			return nil, err
		}
	}
	for _, next := range steps {
		m := next.Memory
		st := step{op: next.Op, path: next.Path, to: next.To, old: next.Old, new: next.New}
		if st.op == memfs.OpPut {
			st.content = texts[m]
			if st.mode, err = d.modeOf(m); err != nil {
				return nil, err
			}
		}
		d.steps = append(d.steps, st)
	}
	return texts, nil
}

// modeOf returns the mode that a memory's file gets if it is created at its path after a plan: the one
// that its file has elsewhere, or had before it was deleted; 0 if unknown.
func (d *mutation) modeOf(m *planning.Memory) (fs.FileMode, error) {
	switch {
	case !m.Now.Live():
		return d.x.lastMode(m.Row)
	case m.Now.Path != m.End().Path:
		return d.x.s.modeAt(m.Now.Path), nil
	}
	return 0, nil
}

// lastMode returns the mode of a deleted memory's file; 0 if unknown.
func (x *txn) lastMode(memory int64) (fs.FileMode, error) {
	var mode int
	err := x.Row(`SELECT coalesce(mode,0) FROM version WHERE memory=? AND op='deleted' ORDER BY number DESC LIMIT 1`, memory).Scan(&mode)
	return fs.FileMode(mode), ignoreNoRows(err)
}

// markUndone marks the changes whose memories were all undone, none skipped.
func (d *mutation) markUndone(p *planner) error {
	left := map[int64]bool{}
	for _, it := range p.items {
		for _, n := range it.changes {
			left[n] = left[n] || it.Skipped
		}
	}
	for _, n := range p.undone {
		if left[n] {
			continue
		}
		d.undone = append(d.undone, n)
		if err := d.x.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, d.c.number, d.x.s.id, n); err != nil {
			return err
		}
	}
	return nil
}
