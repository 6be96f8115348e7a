package replica

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/planning"
)

// Whatever goes to the service goes through deliver, in these steps:
//
//	upstream lock  admits one delivery or pull at a time in all processes of the home
//	acts           are computed on the replica, under the home's lock: for a mutation by planning
//	               it and discarding the plan (rehearse), for what a redaction changed without
//	               the service from the versions that it does not have yet (unsent)
//	send           sends each act to the service, with the hash of the content that it replaces
//	pull           stores the service's result and the changes of others: the result of a
//	               mutation is one change by the caller, with the ids that the service assigned
//
// memend does not hold the home's lock while it waits for the network. When the service's state
// is newer, deliver pulls it and the caller computes the acts again on top of it, so the engine
// detects the conflicts itself. A process that dies after the service acted loses nothing: the next
// pull stores the result, as the caller's change (see interrupted.go).

// deliver applies the acts of a delivery at the service and stores the result here. It also does so
// when somebody else made the same change first and the service did nothing. It returns the
// service's error in refused, or why nothing was sent, and an error of storing the result in err. The
// caller holds the upstream lock.
func (s *replica) deliver(ctx context.Context, d *delivery) (got pulled, refused, err error) {
	d.made = map[string]*hostedAct{}
	if refused = s.readUpstream(ctx, d); refused == nil {
		if d.inPlace(); len(d.acts) == 0 { // other memories have these contents: nothing changes for the service
			return got, nil, nil
		}
		if err := s.noteSending(d); err != nil {
			return got, err, nil
		}
		refused = d.send(ctx, s.Service)
	}
	s.noteAnswer(refused)
	if errors.As(refused, new(*versions.HostedRefusal)) {
		_ = s.refreshDescription(ctx) // it may have been archived: the next mutation then fails immediately
	}
	var trouble *versions.UpstreamError
	d.unsure = errors.As(refused, &trouble) && trouble.Unsure
	switch {
	case refused == nil:
	case isConflict(refused) && len(d.done) == 0:
		s.forgetSending()
		got, err = s.readAll(ctx, versions.PullOptions{})
		return got, refused, err
	case !isConflict(refused) && len(d.made) == 0:
		if !d.unsure {
			s.forgetSending()
		}
		return got, refused, nil
	default:
		d.undone, d.local, d.accepts = nil, nil, nil // not everything was undone: the rest can still be undone
	}
	if !d.background { // the caller needs the number of its change
		ctx = context.WithoutCancel(ctx)
	}
	got, err = s.pull(ctx, pulling{ours: d})
	return got, refused, err
}

// isConflict reports whether the service refused a request because its state differs from the
// replica's.
func isConflict(err error) bool {
	return errors.As(err, new(*versions.HostedConflict)) || errors.Is(err, versions.ErrNoMemory)
}

// Mutate implements [Replica].
func (s *replica) Mutate(ctx context.Context, by versions.By, want core.Mutator) (versions.Change, error) {
	release, err := s.LockUpstream(ctx)
	if err != nil {
		return versions.Change{}, err
	}
	defer release()
	return s.mutateHostedAlone(ctx, by, want)
}

// mutateHostedAlone is Mutate for a caller that holds the upstream lock.
func (s *replica) mutateHostedAlone(ctx context.Context, by versions.By, want core.Mutator) (versions.Change, error) {
	if err := s.readBefore(ctx); err != nil {
		return versions.Change{}, err
	}
	for try := 1; ; try++ {
		d, changes, err := s.rehearse(ctx, by, want)
		switch {
		case err != nil || !changes:
			return versions.Change{}, err
		case len(d.acts) == 0: // links, empty folders, memories that the service never had
			return core.MutateLocked(ctx, s.Store, by, want)
		}
		got, refused, err := s.deliver(ctx, d)
		switch {
		case refused != nil && len(d.made) > 0:
			return got.own, &versions.PartlyError{Done: d.done, Left: d.left, Aside: d.aside, Change: got.own.Number, Err: refused}
		case isConflict(refused) && err != nil:
			return versions.Change{}, err
		case isConflict(refused) && try < core.MaxTries:
		case isConflict(refused):
			return versions.Change{}, d.clash(refused)
		case refused != nil:
			return got.own, refused
		case err != nil:
			return versions.Change{}, &versions.LaterError{Err: err}
		default:
			return got.own, nil
		}
	}
}

// rehearse plans a mutation on the replica, computes the acts that it needs, and discards the plan.
// It first holds what other programs changed in the folder, and puts the files back. changes reports whether the mutation
// changes anything here.
func (s *replica) rehearse(ctx context.Context, by versions.By, want core.Mutator) (d *delivery, changes bool, err error) {
	err = core.Exclusively(ctx, s.Store, func(ctx context.Context) error {
		return core.Act(ctx, s.Store, want.By(by), func(ctx context.Context, m *core.Mutation) error {
			if m.Txn.Foreign != nil { // plan again, with the files as the plan expects them
				return cmp.Or(core.Discard(ctx, m), error(core.ErrForeign))
			}
			changes = m.Change != nil
			d, err = deliveryOf(m)
			return err
		})
	})
	return d, changes, err
}

// deliveryOf returns the acts that make the service do what a mutation does.
func deliveryOf(m *core.Mutation) (*delivery, error) {
	d := &delivery{by: m.By, asked: m.Asked, undone: m.Undone, accepts: m.Accepts}
	first := map[int64]int{} // a mutation may write several versions of a memory
	for _, v := range m.Versions {
		if _, later := first[v.Memory]; !later {
			first[v.Memory] = v.Number - 1
		}
		a, err := actOf(m.Txn, v.Memory, v.Number, planning.State{Path: v.Path, SHA256: v.Facts.SHA, Blob: v.Blob})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Path.Tool(), err)
		}
		if a == nil {
			if err := d.keep(m.Txn, &v); err != nil {
				return nil, err
			}
			continue
		}
		a.source, a.from = v.Source, first[v.Memory]
		d.acts = append(d.acts, a)
	}
	return d, nil
}

// push sends what a redaction changed here without the service, unless somebody changed the memory there
// meanwhile. The caller holds the upstream lock.
func (s *replica) push(ctx context.Context, got *pulled) error {
	for range core.MaxTries {
		d, err := s.unsent(ctx)
		if err != nil || len(d.acts) == 0 {
			return err
		}
		p, refused, err := s.deliver(ctx, d)
		got.add(p)
		if errors.As(refused, new(*versions.HostedRefusal)) && len(d.left) > 0 {
			got.Skipped = append(got.Skipped, versions.Skipped{Path: d.left[0].String(), Err: refused})
			return err
		}
		if err == nil && !isConflict(refused) {
			err = refused
		}
		if err != nil || refused == nil && len(d.done) == 0 {
			return err
		}
	}
	return nil
}

// clash returns the error for a conflict that a pull does not explain.
func (d *delivery) clash(err error) error {
	if a := d.acts[0]; a.sent.Live() {
		return &versions.ConflictError{Path: a.sent.Path, Want: a.sent.SHA256, Now: a.sent.SHA256}
	}
	return fmt.Errorf("%s: %w (the service says: %w)", d.acts[0].to.Tool(), memfs.ErrExist, err)
}
