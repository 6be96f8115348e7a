package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
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
// pull stores the result, as the caller's change (see hosted_interrupted.go).

// deliver applies the acts of a delivery at the service and stores the result here. It also does so
// when somebody else made the same change first and the service did nothing. It returns the
// service's error in refused, and an error of storing the result in err. The caller holds the
// upstream lock.
func (s *replica) deliver(ctx context.Context, d *delivery) (got pulled, refused, err error) {
	d.made = map[string]*hostedAct{}
	if refused = s.readUpstream(ctx, d); refused == nil {
		if d.inPlace(); len(d.acts) == 0 { // other memories have these contents: nothing changes for the service
			return got, nil, nil
		}
		if err := s.noteSending(d); err != nil {
			return got, nil, err
		}
		refused = d.send(ctx, s.up)
	}
	s.noteAnswer(refused)
	if errors.As(refused, new(*HostedRefusal)) {
		_ = s.refreshDescription(ctx) // it may have been archived: the next mutation then fails immediately
	}
	var trouble *UpstreamError
	d.unsure = errors.As(refused, &trouble) && trouble.Unsure
	switch {
	case refused == nil:
	case isConflict(refused) && len(d.done) == 0:
		s.forgetSending()
		got, err = s.readAll(ctx, PullOptions{})
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
	return errors.As(err, new(*HostedConflict)) || errors.Is(err, ErrNoMemory)
}

// mayBeDone reports whether a service may have done part of a request that returned an error.
func mayBeDone(err error) bool {
	var trouble *UpstreamError
	return errors.As(err, new(*PartlyError)) || errors.As(err, new(*LaterError)) || errors.As(err, &trouble) && trouble.Unsure
}

// Mutate implements [Replica].
func (s *replica) Mutate(ctx context.Context, by By, want mutator) (Change, error) {
	release, err := s.LockUpstream(ctx)
	if err != nil {
		return Change{}, err
	}
	defer release()
	return s.mutateHostedAlone(ctx, by, want)
}

// mutateHostedAlone is Mutate for a caller that holds the upstream lock.
func (s *replica) mutateHostedAlone(ctx context.Context, by By, want mutator) (Change, error) {
	if err := s.readBefore(ctx); err != nil {
		return Change{}, err
	}
	for try := 1; ; try++ {
		d, changes, err := s.rehearse(ctx, by, want)
		switch {
		case err != nil || !changes:
			return Change{}, err
		case len(d.acts) == 0: // links, empty folders, memories that the service never had
			return s.mutateLocked(ctx, by, want)
		}
		got, refused, err := s.deliver(ctx, d)
		switch {
		case refused != nil && len(d.done) > 0:
			return got.own, &PartlyError{Done: d.done, Left: d.left, Change: got.own.Number, Err: refused}
		case isConflict(refused) && err != nil:
			return Change{}, err
		case isConflict(refused) && try < maxTries:
		case isConflict(refused):
			return Change{}, d.clash(refused)
		case refused != nil:
			return got.own, refused
		case err != nil:
			return Change{}, &LaterError{err}
		default:
			return got.own, nil
		}
	}
}

// rehearse plans a mutation on the replica, computes the acts that it needs, and discards the plan.
// It first holds what other programs changed in the folder, and puts the files back. changes reports whether the mutation
// changes anything here.
func (s *replica) rehearse(ctx context.Context, by By, want mutator) (d *delivery, changes bool, err error) {
	err = s.exclusively(ctx, func(ctx context.Context) error {
		return s.act(ctx, want.by(by), func(ctx context.Context, m *mutation) error {
			if m.x.foreign != nil { // plan again, with the files as the plan expects them
				return cmp.Or(discard(ctx, m), error(errForeign))
			}
			changes = m.c != nil
			d, err = m.delivery()
			return err
		})
	})
	return d, changes, err
}

// delivery returns the acts that make the service do what a mutation does.
func (m *mutation) delivery() (*delivery, error) {
	d := &delivery{by: m.by, asked: m.asked, undone: m.undone, accepts: m.accepts}
	first := map[int64]int{} // a mutation may write several versions of a memory
	for _, v := range m.versions {
		if _, later := first[v.memory]; !later {
			first[v.memory] = v.number - 1
		}
		a, err := m.x.actOf(v.memory, v.number, planning.State{Path: v.path, SHA256: v.facts.sha, Blob: v.blob})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.path.Tool(), err)
		}
		if a == nil {
			if err := d.keep(m.x, &v); err != nil {
				return nil, err
			}
			continue
		}
		a.source, a.from = v.source, first[v.memory]
		d.acts = append(d.acts, a)
	}
	return d, nil
}

// push sends what a redaction changed here without the service, unless somebody changed the memory there
// meanwhile. The caller holds the upstream lock.
func (s *replica) push(ctx context.Context, got *pulled) error {
	for range maxTries {
		d, err := s.unsent(ctx)
		if err != nil || len(d.acts) == 0 {
			return err
		}
		p, refused, err := s.deliver(ctx, d)
		got.add(p)
		if errors.As(refused, new(*HostedRefusal)) && len(d.left) > 0 {
			got.Skipped = append(got.Skipped, Skipped{Path: d.left[0].String(), Err: refused})
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
		return &ConflictError{Path: a.sent.Path, Want: a.sent.SHA256, Now: a.sent.SHA256}
	}
	return fmt.Errorf("%s: %w (the service says: %w)", d.acts[0].to.Tool(), memfs.ErrExist, err)
}

// PartlyError means that the service applied a part of a mutation of several memories and then
// failed or was stopped. The applied part stays and is in the history as a change. The same undo,
// restore or deletion again applies the rest; a copy finds its places taken until that change is undone.
type PartlyError struct {
	Done, Left []memfs.Path // the path of each memory afterwards, or its old path when it is deleted
	Change     int64
	Err        error
}

func (e *PartlyError) Error() string {
	s := fmt.Sprintf("%d of %d memories were done, as change %d, and then", len(e.Done), len(e.Done)+len(e.Left), e.Change)
	if e.Stopped() {
		return s + " it was stopped"
	}
	return fmt.Sprintf("%s: %v", s, e.Err)
}

// Stopped reports whether the mutation was canceled, so that there is no error to report.
func (e *PartlyError) Stopped() bool {
	return errors.Is(e.Err, context.Canceled) && !errors.As(e.Err, new(*UpstreamError))
}
func (e *PartlyError) Unwrap() error { return e.Err }

// LaterError means that the service applied a mutation whose result could not be stored here. The
// next pull stores it.
type LaterError struct{ Err error }

func (e *LaterError) Error() string {
	return fmt.Sprintf("the service has it, but it shows here only with the next sync: %v", e.Err)
}
func (e *LaterError) Unwrap() error { return e.Err }
