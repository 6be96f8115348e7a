package ui

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/policy"
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
