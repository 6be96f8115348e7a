package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/diff"
)

// plan scans the folder, then computes a plan for a goal from one snapshot of the trail.
func (s *Store) plan(ctx context.Context, aim func(reader) (goal, error)) (*Plan, error) {
	if _, err := s.Sync(ctx); err != nil && !Unrecorded(err) {
		return nil, err
	}
	var out *Plan
	err := s.t.view(ctx, func(q reader) error {
		g, err := aim(q)
		if err != nil {
			return err
		}
		p := &planner{s: s, q: q, dir: s.folder(), goal: g, done: ctx.Done()}
		if err := p.work(); err != nil {
			return err
		}
		out, err = p.plan()
		return err
	})
	return out, err
}

// plan returns the computed plan for callers of the package.
func (p *planner) plan() (*Plan, error) {
	out := &Plan{Kind: p.asked.kind, Change: p.asked.about, Session: p.goal.session, Path: p.asked.path,
		Changes: slices.Sorted(slices.Values(p.took)), goal: p.goal}
	if p.goal.moment != nil {
		out.Moment = *p.goal.moment
	}
	if p.replacer != nil {
		out.Replace = &p.goal.replace.Replacement
	}
	for _, it := range p.items {
		if it.barred != nil {
			out.Skipped = append(out.Skipped, UnreadText{it.now.path, it.barred})
			continue
		}
		item := PlanItem{Memory: it.id, Now: it.now.public(), Then: it.end().public(), Text: it.end().text, Merge: it.merge, Clash: it.clash}
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
		case it.clash != ClashNone:
			item.Reason = p.reason(it)
			out.Conflicts = append(out.Conflicts, item)
		case item.Now.Path == item.Then.Path && item.Now.SHA256 == item.Then.SHA256:
			out.Nothing = append(out.Nothing, item)
		case it.want.text != nil && p.replacer == nil:
			out.Merged = append(out.Merged, item)
		default:
			out.Clean = append(out.Clean, item)
		}
	}
	return out, nil
}

// reason returns the error that describes a conflict.
func (p *planner) reason(it *planned) error {
	at := it.shown()
	if it.clash == ClashTaken {
		at = it.want.path
	}
	if it.clash == ClashRedacted {
		why := lastErased(p.q, it.memory)
		if errors.Is(why, sql.ErrNoRows) {
			why = ErrForgotten
		}
		return fmt.Errorf("%s: %s: %w", p.goal.doing(), p.known(it).Tool(), why)
	}
	if at.IsRoot() { // it has no path now: use the path it had
		at = p.known(it)
	}
	return &LaterChangeError{Change: p.goal.change, Path: at, Later: it.later, Clash: it.clash}
}

// count returns how many lines the plan adds to a memory and removes from it.
func (p *planner) count(it *planned) (added, removed int, err error) {
	now, end := it.now, it.end()
	if now.sha == end.sha || max(now.size, end.size) > maxCountBytes {
		return 0, 0, nil
	}
	before, err := now.content(p.q)
	if err != nil {
		return 0, 0, err
	}
	after, err := end.content(p.q)
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
func (s *Store) Apply(ctx context.Context, by By, p *Plan, choices map[MemoryID]Choice) (Change, error) {
	if p.goal.moment != nil { // otherwise files that the trail doesn't know yet would be missed
		if _, err := s.Sync(ctx); err != nil {
			return Change{}, err
		}
	}
	return s.mutate(ctx, by, func(d *mutation) error {
		err := d.fulfil(p.goal, p, choices)
		if err == nil && d.c == nil {
			return fmt.Errorf("%s: %w", p.goal.doing(), ErrNothing)
		}
		return err
	})
}

// fulfil computes a plan and executes it, if it equals the agreed plan and the choices
// leave no conflict.
func (d *mutation) fulfil(g goal, agreed *Plan, choices map[MemoryID]Choice) error {
	p := &planner{s: d.x.s, q: d.x, dir: d.x.s.dir, goal: g, vacate: d.vacate,
		look: func(memory int64) error {
			_, err := d.now(memory)
			return err
		}}
	if err := p.work(); err != nil {
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
	if !p.folder { // only a folder rename has a destination
		d.asked.to = memfs.Root
	}
	if err := d.arrange(p); err != nil || d.c == nil {
		return err
	}
	return d.markUndone(p)
}

// conflicts returns the error for the unresolved conflicts.
func (p *planner) conflicts() error {
	if p.replacer != nil { // an obstacle to a replacement makes the plan stale
		return nil
	}
	if !slices.ContainsFunc(p.items, func(it *planned) bool { return it.barred == nil && it.clash != ClashNone }) {
		return nil
	}
	plan, err := p.plan()
	if err != nil || len(plan.Conflicts) == 0 {
		return err
	}
	return &ConflictsError{p.goal.doing(), plan.Conflicts}
}

// stillAs returns a *StalePlanError if the computed plan differs from the agreed one.
func (p *planner) stillAs(agreed *Plan) error {
	type line struct {
		nowPath, thenPath string
		now, then         Hash
		clash             Clash
	}
	old := map[MemoryID]line{}
	for _, list := range [][]PlanItem{agreed.Clean, agreed.Merged, agreed.Conflicts, agreed.Nothing} {
		for _, it := range list {
			old[it.Memory] = line{key(it.Now.Path), key(it.Then.Path), it.Now.SHA256, it.Then.SHA256, it.Clash}
		}
	}
	for _, it := range p.items {
		now, then := it.now.public(), it.end().public()
		if was, ok := old[it.id]; !ok || was != (line{key(now.Path), key(then.Path), now.SHA256, then.SHA256, it.clash}) {
			return &StalePlanError{p.goal.doing(), p.known(it)}
		}
		delete(old, it.id)
	}
	took := slices.Sorted(slices.Values(p.took))
	if len(old) > 0 || !slices.Equal(took, agreed.Changes) {
		return &StalePlanError{Doing: p.goal.doing()}
	}
	return nil
}

// choose applies the choices to the memories of the plan.
func (p *planner) choose(choices map[MemoryID]Choice) error {
	left := maps.Clone(choices)
	for _, it := range p.items {
		c := left[it.id]
		delete(left, it.id)
		if err := p.decideFor(it, c); err != nil {
			return err
		}
	}
	for id := range left {
		return fmt.Errorf("%s: %w: %s is not in the plan", p.goal.doing(), ErrNoMemory, id)
	}
	p.folder = p.folder && !slices.ContainsFunc(p.items, func(it *planned) bool { return it.skipped })
	return p.settle()
}

func (p *planner) decideFor(it *planned, c Choice) error {
	taken := it.clash == ClashTaken
	switch {
	case c.Kind == Skip:
		it.skipped, it.clash = true, ClashNone
		return nil
	case c.Kind == SomeHits && p.replacer != nil:
		return p.replaceIn(it, c.Except)
	case c.Kind == Undecided, it.clash == ClashNone:
		return nil
	case c.Kind == OwnText:
		return p.ownText(it, c.Text, taken)
	case c.Kind == KeepOurs && taken: // it stays at its path and gets the requested content
		p.stay(it)
		return nil
	case c.Kind == KeepOurs:
		return p.resolve(it, favorOurs)
	}
	return p.resolve(it, favorTheirs)
}

// stay keeps a memory at its current path because its new path is occupied.
func (p *planner) stay(it *planned) {
	it.clash = ClashNone
	if it.now.live() {
		it.want.path = it.now.path
	} else {
		it.want = place{}
	}
}

// ownText gives a memory the text that the person supplied, at its current path or, if it
// has none, at the path where it would come back.
func (p *planner) ownText(it *planned, text []byte, taken bool) error {
	if taken {
		p.stay(it)
	} else if err := p.resolve(it, favorOurs); err != nil {
		return err
	} else if !it.want.live() {
		if err := p.resolve(it, favorTheirs); err != nil {
			return err
		}
	}
	if it.clash != ClashNone || !it.want.live() {
		it.clash = ClashTaken // it has no free path
		return nil
	}
	if text == nil {
		text = []byte{}
	}
	it.want = place{path: it.want.path, text: text, sha: sum(text), size: int64(len(text))}
	return nil
}

// markUndone marks the changes whose memories were all undone, none skipped.
func (d *mutation) markUndone(p *planner) error {
	left := map[int64]bool{}
	for _, it := range p.items {
		for _, n := range it.changes {
			left[n] = left[n] || it.skipped
		}
	}
	for _, n := range p.took {
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
