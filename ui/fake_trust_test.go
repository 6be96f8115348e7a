package ui

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

// The fake store has what it is told of held changes, policies and pins. Decisions are tested on a store of the
// engine.

func (f *fakeStore) Held(context.Context, versions.HeldFilter) ([]versions.Held, error) {
	return f.held, nil
}

func (f *fakeStore) Policies(context.Context) ([]versions.PolicySet, error) {
	return []versions.PolicySet{{Policy: policy.Presets[f.policy].Parsed()}}, nil
}

func (f *fakeStore) Pins(context.Context) ([]versions.Pin, error) { return f.pins, nil }

func (f *fakeStore) Weigh(context.Context, versions.Actor, []versions.Version) (map[versions.MemoryID]review.Facts, error) {
	return nil, nil
}

func (f *fakeStore) PlansHeld(context.Context, ...int64) (map[int64]*plan.Plan, error) {
	return nil, nil
}

func (f *fakeStore) RejectUndone(context.Context, versions.By, int64, string) ([]int64, error) {
	return nil, nil
}

func (f *fakeStore) Reject(context.Context, versions.By, int64, string) error {
	return versions.ErrNoHeld
}

func (f *fakeStore) Unreviewed(context.Context, versions.Actor, int) ([]versions.Version, error) {
	return nil, nil
}

func (f *fakeStore) SetPolicy(context.Context, versions.By, versions.SessionID, string) error {
	return versions.ErrPersonsOnly
}

func (f *fakeStore) DropPolicy(context.Context, versions.By, versions.SessionID) error {
	return versions.ErrPersonsOnly
}

func (f *fakeStore) Pin(context.Context, versions.By, memfs.Path, versions.PinFor) error {
	return versions.ErrPersonsOnly
}

func (f *fakeStore) Unpin(context.Context, versions.By, memfs.Path) error {
	return versions.ErrPersonsOnly
}

func (f *fakeStore) Pending(ctx context.Context, m versions.MemoryID, me versions.Actor) (p review.Pending, err error) {
	state, err := f.ReviewState(ctx)
	if err != nil {
		return p, err
	}
	p.Memory = m
	base, err := f.reviewed(ctx, m, state.UpTo(m), me)
	if err == nil {
		p.Was, p.Since = review.Side{Exists: true, Path: base.Path}, base.Number
		if p.Was.Text, err = f.Content(ctx, base.ID); err != nil {
			return p, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if k, ok := f.kept[m]; ok && k.change >= base.Change {
		p.Was = k.side
	}
	for at, now := range f.tree() {
		if now.id == m {
			p.Now, p.Change = review.Side{Exists: true, Path: at, Text: []byte(now.content)}, now.change
		}
	}
	return p, nil
}

// kept is what is reviewed of a memory besides whole versions. The fake doesn't follow what the person writes later.
type kept struct {
	side   review.Side
	change int64
}

// Keep returns marks without content: decisions are undone on a store of the engine.
func (f *fakeStore) Keep(ctx context.Context, me versions.Actor, p review.Pending, was review.Side) (review.Marks, error) {
	now, err := f.Pending(ctx, p.Memory, me)
	switch {
	case err != nil:
		return review.Marks{}, err
	case !now.Now.Same(p.Now):
		return review.Marks{}, review.ErrShownBefore
	case was.Same(p.Now):
		return f.MarkReviewed(ctx, map[versions.MemoryID]int64{p.Memory: p.Change})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.kept == nil {
		f.kept = map[versions.MemoryID]kept{}
	}
	f.kept[p.Memory] = kept{was, p.Change}
	return review.Marks{}, nil
}

func (f *fakeStore) Unmark(context.Context, review.Marks) error { return versions.ErrNoMemory }

func (f *fakeStore) UndoHunks(ctx context.Context, by versions.By, p review.Pending, without review.Side) (c versions.Change, before review.Marks, err error) {
	if !without.Exists {
		c, err = f.Delete(ctx, by, p.Now.Path)
	} else {
		c, err = f.RestoreText(ctx, by, p.Now.Path, without.Text, versions.Pre{})
	}
	return c, before, err
}

func (f *fakeStore) HunkWriters(context.Context, review.Pending) ([][]versions.Version, error) {
	return nil, nil
}

func (f *fakeStore) EditHunk(context.Context, versions.By, review.Pending, []byte, review.Hunk) (c versions.Change, before review.Marks, err error) {
	return c, before, versions.ErrNoMemory
}
