package cli

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
)

// reverts finds the memories of a digest that are again what they were before it. An undo of whole changes is known from the
// trail; one of hunks, or by hand, only shows in the memory.
type reverts struct {
	ctx            context.Context
	s              *engine.Store
	live           map[versions.MemoryID]versions.Entry
	oldest, newest map[versions.MemoryID]versions.Version // of the digest
	undone         map[int64]bool                         // changes that somebody who is not in the digest undid in this way
}

// newReverts returns the reverts of the versions of a digest, newest first.
func newReverts(ctx context.Context, s *engine.Store, made []versions.Version, live map[versions.MemoryID]versions.Entry) *reverts {
	r := &reverts{ctx, s, live, map[versions.MemoryID]versions.Version{}, map[versions.MemoryID]versions.Version{}, map[int64]bool{}}
	for _, v := range made {
		if _, ok := r.newest[v.Memory]; !ok {
			r.newest[v.Memory] = v
		}
		r.oldest[v.Memory] = v
	}
	return r
}

// reverted reports whether a memory is again what it was before a session wrote it, or before all of the digest did.
func (r *reverts) reverted(m *review.Written) (bool, error) {
	id, newest := m.Last().Memory, r.newest[m.Last().Memory]
	e, there := r.live[id]
	byOthers := there && e.Version != newest.ID || !there && newest.Operation != versions.Deleted
	if !byOthers && len(m.Made) == 1 && m.Last().ID == newest.ID { // it is what this version made it
		return false, nil
	}
	back, err := r.isBefore(m.First())
	if err == nil && !back && byOthers {
		back, err = r.isBefore(r.oldest[id])
	}
	if back && byOthers {
		for _, v := range m.Made {
			r.undone[v.Change] = true
		}
	}
	return back, err
}

// isBefore reports whether the memory of a version is now what it was before that.
func (r *reverts) isBefore(v versions.Version) (bool, error) {
	e, there := r.live[v.Memory]
	was, ok, err := before(r.ctx, r.s, v)
	if err != nil {
		return false, err
	}
	if !ok || was.Operation == versions.Deleted {
		return !there, nil
	}
	return there && was.Redacted.IsZero() && was.Path == e.Path && was.SHA256 == e.SHA256, nil
}
