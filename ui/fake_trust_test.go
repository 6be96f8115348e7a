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

// What is decided hunk by hunk needs versions, and those a real store.
func (f *fakeStore) Pending(_ context.Context, m versions.MemoryID, _ versions.Actor) (review.Pending, error) {
	return review.Pending{}, versions.ErrNoMemory
}

func (f *fakeStore) Keep(context.Context, versions.Actor, review.Pending, review.Side) (review.Marks, error) {
	return review.Marks{}, versions.ErrNoMemory
}

func (f *fakeStore) Unmark(context.Context, review.Marks) error { return versions.ErrNoMemory }

func (f *fakeStore) UndoHunks(context.Context, versions.By, review.Pending, review.Side) ([]versions.Change, error) {
	return nil, versions.ErrNoMemory
}

func (f *fakeStore) EditHunk(context.Context, versions.By, review.Pending, []byte, review.Hunk) (versions.Change, error) {
	return versions.Change{}, versions.ErrNoMemory
}
