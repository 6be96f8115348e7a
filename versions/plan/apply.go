package plan

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/planning"
)

// Make scans the folder, then computes a plan from one snapshot of the trail. A plan can be made without the
// folder, but not applied.
func Make(ctx context.Context, s *core.Store, g Goal) (*Plan, error) {
	g, err := searched(ctx, s, g)
	if err != nil {
		return nil, err
	}
	if _, err := s.Sync(ctx); err != nil && !versions.IsUnwritable(err) && !errors.Is(err, versions.ErrFolderGone) {
		return nil, err
	}
	return Decided(ctx, s, g, nil)
}

// Decided computes a plan as it is after choices. Apply takes the plan without them.
func Decided(ctx context.Context, s *core.Store, g Goal, choices map[versions.MemoryID]planning.Choice) (out *Plan, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		p := &Planner{Store: s, Reader: q, Dir: core.Folder(s), Goal: g, Done: ctx.Done()}
		if err := p.Compute(); err != nil {
			return err
		}
		if len(choices) > 0 {
			if err := p.choose(choices); err != nil {
				return err
			}
		}
		out, err = p.Plan()
		return err
	})
	if err == nil {
		err = ctx.Err() // a cancelled replacement leaves out hits
	}
	return out, err
}

// Plan returns the computed plan for callers of the package.
func (p *Planner) Plan() (*Plan, error) {
	shown := p.shown
	out := &shown
	out.Kind, out.Change, out.Path, out.Goal = p.asked.Kind, p.asked.About, p.asked.Path, p.Goal
	out.Changes = slices.Sorted(slices.Values(p.undone))
	out.Others = p.listed()
	for _, it := range p.Items {
		if it.excluded != nil {
			out.Skipped = append(out.Skipped, versions.UnreadText{Path: it.Now.Path, Err: it.excluded})
			continue
		}
		item := versions.PlanItem{Memory: it.ID, Now: publicState(it.Now), Then: publicState(it.End()), Text: it.End().Text, Merge: it.Merge, Clash: it.Clash}
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
	if r, ok := p.Goal.(Replacement); ok {
		r.show(out)
	}
	return out, nil
}

// reason returns the error that describes a conflict.
func (p *Planner) reason(it *Planned) (reason, err error) {
	if it.Clash == planning.ClashRedacted {
		why := tables.LastErased(p.Reader, it.Row)
		if errors.Is(why, sql.ErrNoRows) {
			why = versions.ErrForgotten
		}
		if at := it.LastPath(); !at.IsRoot() { // its path may be erased too
			why = fmt.Errorf("%s: %w", at.Tool(), why)
		}
		return fmt.Errorf("%s: %w", p.Goal, why), nil
	}
	undone, _ := p.undoneChange()
	later := &versions.LaterChangeError{Change: int64(undone), Path: it.Path(), Clash: it.Clash}
	if it.Clash == planning.ClashTaken {
		later.Path = it.Want.Path
		later.Later, err = p.holder(it.Want.Path)
	} else {
		err = p.inTheWay(it, later)
	}
	if later.Path.IsRoot() { // it has no path now: use the path it had
		later.Path = it.LastPath()
	}
	return later, err
}

// count returns how many lines the plan adds to a memory and removes from it.
func (p *Planner) count(it *Planned) (added, removed int, err error) {
	now, end := it.Now, it.End()
	if now.SHA256 == end.SHA256 || max(now.Size, end.Size) > core.MaxCountBytes {
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
func Apply(ctx context.Context, s *core.Store, by versions.By, p *Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	return fulfil(ctx, s, by, p.Goal, p, choices)
}

// Do reaches a goal without a preview. It returns the reason of the first conflict if there is one, and ErrNothing
// if there is nothing to do.
func Do(ctx context.Context, s *core.Store, by versions.By, g Goal) (versions.Change, error) {
	g, err := searched(ctx, s, g)
	if err != nil {
		return versions.Change{}, err
	}
	c, err := fulfil(ctx, s, by, g, nil, nil)
	if is := (*versions.ConflictsError)(nil); errors.As(err, &is) {
		err = is.Conflicts[0].Reason
	}
	later := (*versions.LaterChangeError)(nil)
	if _, restores := g.(Restore); restores && errors.As(err, &later) && later.Clash == planning.ClashTaken {
		err = fmt.Errorf("%s: %s: %w", g, later.Path.Tool(), memfs.ErrExist)
	}
	return c, err
}

func fulfil(ctx context.Context, s *core.Store, by versions.By, g Goal, agreed *Plan, choices map[versions.MemoryID]planning.Choice) (versions.Change, error) {
	switch g := g.(type) {
	case Accept:
		return accept(ctx, s, by, g, agreed, choices)
	case RestoreAt: // otherwise files that the trail doesn't know yet would be missed
		if _, err := s.Sync(ctx); err != nil {
			return versions.Change{}, err
		}
	}
	c, err := core.Mutate(ctx, s, by, func(d *core.Mutation) error { return Fulfil(d, g, agreed, choices) })
	if err == nil && (c.Kind == versions.KindUndo || c.Kind == versions.KindRedo) && c.Undoes == 0 {
		recorded, _ := tables.ScanChange(s.Trail.DB.Row(context.WithoutCancel(ctx), tables.ChangeNumbered, s.Row, c.Number)) // the change is made, even if this can't be read
		c.Of = recorded.Of
	}
	return c, err
}

// Rehearse returns the error that Apply would return, and changes nothing. A change that would be held has
// no number yet.
func Rehearse(ctx context.Context, s *core.Store, by versions.By, p *Plan, choices map[versions.MemoryID]planning.Choice) error {
	if s.Trail.DB.ReadOnly() != nil { // the plan can be read all the same
		return nil
	}
	return core.Rehearse(ctx, s, by, func(d *core.Mutation) error { return Fulfil(d, p.Goal, p, choices) })
}

// Fulfil computes a plan and executes it, if it equals the agreed plan and the choices
// leave no conflict. It returns ErrNothing if there is nothing to do.
func Fulfil(d *core.Mutation, g Goal, agreed *Plan, choices map[versions.MemoryID]planning.Choice) error {
	p := &Planner{Store: d.Txn.Store, Reader: d.Txn, Dir: d.Txn.Store.Dir, Goal: g, adoptAt: d.AdoptRemoved,
		adopt: func(memory int64) error {
			_, err := now(d, memory)
			return err
		}}
	if err := p.Compute(); err != nil {
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
	if err := p.Conflicts(); err != nil {
		return err
	}
	if p.replacer != nil {
		p.narrowAsked()
	}
	p.nameHeld()
	d.Asked = p.asked
	change, undoes := p.undoneChange()
	if undoes && !p.folder { // only a folder rename has a destination
		d.Asked.To = memfs.Root
	}
	if err := FollowPlan(d, p); err != nil {
		return err
	}
	switch {
	case d.Change != nil:
		markUndone(d, p)
		return d.Txn.Err()
	case undoes && agreed == nil:
		return fmt.Errorf("%s: %w: everything is as it was before it", change, versions.ErrNothing)
	}
	return fmt.Errorf("%s: %w", p.Goal, versions.ErrNothing)
}

// Conflicts returns the error for the unresolved conflicts.
func (p *Planner) Conflicts() error {
	if p.replacer != nil { // an obstacle to a replacement makes the plan stale
		return nil
	}
	if !slices.ContainsFunc(p.Items, func(it *Planned) bool { return it.excluded == nil && it.Clash != planning.ClashNone }) {
		return nil
	}
	preview, err := p.Plan()
	if err != nil || len(preview.Conflicts) == 0 {
		return err
	}
	return &versions.ConflictsError{Doing: p.Goal.String(), Conflicts: preview.Conflicts, Rest: len(preview.Clean)+len(preview.Merged)+len(preview.Others) > 0}
}

// stillAs returns a *StalePlanError if the computed plan differs from the agreed one.
func (p *Planner) stillAs(agreed *Plan) error {
	type line struct {
		nowPath, thenPath string
		now, then         versions.Hash
		clash             planning.Clash
	}
	old := map[versions.MemoryID]line{}
	for _, list := range [][]versions.PlanItem{agreed.Clean, agreed.Merged, agreed.Conflicts, agreed.Nothing} {
		for _, it := range list {
			old[it.Memory] = line{versions.Key(it.Now.Path), versions.Key(it.Then.Path), it.Now.SHA256, it.Then.SHA256, it.Clash}
		}
	}
	for _, it := range p.Items {
		now, then := publicState(it.Now), publicState(it.End())
		if was, ok := old[it.ID]; !ok || was != (line{versions.Key(now.Path), versions.Key(then.Path), now.SHA256, then.SHA256, it.Clash}) {
			return &versions.StalePlanError{Doing: p.Goal.String(), Path: it.LastPath()}
		}
		delete(old, it.ID)
	}
	undone := slices.Sorted(slices.Values(p.undone))
	if len(old) > 0 || !slices.Equal(p.listed(), agreed.Others) || !slices.Equal(undone, agreed.Changes) {
		return &versions.StalePlanError{Doing: p.Goal.String()}
	}
	return nil
}

// choose applies the choices to the memories of the plan.
func (p *Planner) choose(choices map[versions.MemoryID]planning.Choice) error {
	left := maps.Clone(choices)
	for _, it := range p.Items {
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
		return fmt.Errorf("%s: %w: %s is not in the plan", p.Goal, versions.ErrNoMemory, id)
	}
	if slices.ContainsFunc(p.Items, func(it *Planned) bool { return it.Skipped }) {
		p.folder = false
		p.asked.Undoes, p.asked.About = 0, 0 // the change stays in effect: see markUndone
	}
	return p.settle()
}

// FollowPlan applies a plan that has no conflict left.
func FollowPlan(d *core.Mutation, p *Planner) error {
	if p.folder {
		if err := d.Move(p.folderMove()); err != nil {
			return err
		}
		return moveOthers(d, p.others)
	}
	texts, err := d.MoveFiles(p.cleared(), p.memories())
	if err != nil {
		return err
	}
	for _, m := range planning.Changed(p.memories()) {
		if err := d.Start(); err != nil {
			return err
		}
		if err := addPlanned(d, m, texts[m]); err != nil {
			return err
		}
	}
	return moveOthers(d, p.others)
}

// addPlanned adds the version of one memory of a plan, with its new text.
func addPlanned(d *core.Mutation, m *planning.Memory, text []byte) error {
	want, row := m.End(), m.Row
	if row < 0 { // a held change creates it
		row = d.Txn.Insert(`INSERT INTO memory(uid,store) VALUES(?,?)`, ids.Parse(ids.MemoryPrefix, string(m.ID)), d.Txn.Store.Row)
	}
	v := core.VersionRow{Memory: row, Op: versions.Modified, Path: want.Path, Source: want.Row}
	switch {
	case !want.Live():
		return d.Add(&core.VersionRow{Memory: m.Row, Op: versions.Deleted, Path: m.Now.Path, Mode: core.ModeAt(d.Txn.Store, m.Now.Path)})
	case !m.Now.Live():
		v.Op = versions.Created
	case m.Now.Path != want.Path:
		v.Origin = m.Now.Path
	}
	return d.AddContent(&v, text, want.SHA256)
}

// markUndone marks the changes whose memories were all undone, none skipped.
func markUndone(d *core.Mutation, p *Planner) {
	left := map[int64]bool{}
	for _, it := range p.Items {
		for _, n := range it.changes {
			left[n] = left[n] || it.Skipped
		}
	}
	for _, n := range p.undone {
		if left[n] {
			continue
		}
		d.Undone = append(d.Undone, n)
		d.Txn.Exec(`UPDATE change SET undone_by=? WHERE store=? AND number=?`, d.Change.Number, d.Txn.Store.Row, n)
	}
}
