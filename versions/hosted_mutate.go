package versions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
)

// A mutation of a hosted store:
//
//	upstream lock  one at a time over all processes of the home, pulls too
//	rehearse       it is planned on the replica, under the home's lock, and let go again
//	send           each memory's part goes to the service, with the hash that it rests on
//	pull           what the service has made of it comes in, with what others did: as one
//	               change by the caller, under the ids that the service gave
//
// The home's lock is not held while the network is waited for. Where the service
// knows better, what is new there is pulled and the mutation planned anew, on top of
// it: then the engine says itself what conflicts. A process that dies after the
// service acted loses nothing: the next pull brings it, as the service's own actor.

// hostedFolder holds the locks of hosted stores, in the home.
const hostedFolder = "hosted"

// connect gets a hosted store ready to speak to its service; it sends nothing.
func (s *Store) connect() (err error) {
	if !s.hosted() || s.t.dial == nil || s.t.ground.readOnly != nil {
		return nil
	}
	folder := filepath.Join(s.t.home, hostedFolder)
	if err := disk.MakeFolder(folder); err != nil {
		return err
	}
	if s.upLock, err = disk.OpenLock(s.upFile()); err != nil {
		return bare(err)
	}
	s.wanted = make(chan struct{}, 1)
	s.up, err = s.t.dial(s.info)
	return err
}

// upFile is the lock; its time says when the service was last known to be heard out.
func (s *Store) upFile() string { return s.t.upFile(s.info.ID) }

func (t *Trail) upFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".lock")
}

func (s *Store) disconnect() error {
	if s.upLock == nil {
		return nil
	}
	return s.upLock.Close()
}

// lockUpstream takes the upstream lock.
func (s *Store) lockUpstream(ctx context.Context) (release func(), err error) {
	if s.up == nil {
		return nil, fmt.Errorf("store %s: %w", s.info.Name, ErrNoUpstream)
	}
	return s.upLock.Acquire(ctx)
}

func (s *Store) mutateHosted(ctx context.Context, by By, want plan) (Change, error) {
	if s.up == nil {
		return Change{}, fmt.Errorf("store %s: %w", s.info.Name, ErrNoUpstream)
	}
	release, err := s.lockUpstream(ctx)
	if err != nil {
		return Change{}, err
	}
	defer release()
	return s.mutateHostedAlone(ctx, by, want)
}

// mutateHostedAlone is mutateHosted for a caller who holds the upstream lock.
func (s *Store) mutateHostedAlone(ctx context.Context, by By, want plan) (Change, error) {
	if err := s.readBefore(ctx); err != nil {
		return Change{}, err
	}
	for try := 1; ; try++ {
		r, err := s.rehearse(ctx, by, want)
		if err != nil || !r.any {
			return Change{}, err
		}
		done := newShare(by, r)
		refused := error(nil)
		if r.acts, refused = s.lookThere(ctx, r.acts); refused == nil {
			r.acts = inPlace(r.acts)
		}
		switch {
		case !r.hosted: // links, empty folders, what the service never had
			return s.mutateLocked(ctx, by, want)
		case refused != nil:
		case len(r.acts) == 0: // other memories would hold what these do: to the service it is as asked
			return Change{}, nil
		default:
			refused = send(ctx, s.up, r.acts, done)
		}
		s.noteAnswer(refused)
		if conflicts(refused) && done.acts == 0 {
			if _, err := s.readAll(ctx, PullOptions{}); err != nil {
				return Change{}, err
			}
			if try < maxTries {
				continue
			}
			return Change{}, s.clashOf(refused, r.acts)
		}
		if errors.As(refused, new(*HostedRefusal)) {
			_ = s.hearAbout(ctx) // it may have been archived: the next one is told so at once
		}
		if refused != nil {
			done.undone = nil // not all of it: what is left can still be undone
		}
		c, err := s.takeIn(ctx, done, refused)
		if refused != nil && done.acts > 0 {
			err = &PartlyError{Done: done.done, Left: done.left, Change: c.Number, Err: refused}
		} else if refused != nil {
			err = refused
		}
		return c, err
	}
}

// takeIn pulls what the service made of a mutation; also when somebody else had done the
// same there before, and it made nothing. Who asked for it need not wait for an answer
// any more.
func (s *Store) takeIn(ctx context.Context, done *share, refused error) (Change, error) {
	if refused != nil && done.acts == 0 && len(done.made) == 0 && !conflicts(refused) {
		return Change{}, nil
	}
	got, err := s.pull(context.WithoutCancel(ctx), pulling{ours: done})
	if err != nil {
		return Change{}, &LaterError{err}
	}
	return got.own, nil
}

// conflicts reports whether the service refused since it has something else than
// was thought here.
func conflicts(err error) bool {
	var clash *HostedConflict
	return errors.As(err, &clash) || errors.Is(err, ErrNoMemory)
}

// clashOf words a conflict that a pull does not explain.
func (s *Store) clashOf(err error, acts []*hostedAct) error {
	if a := acts[0]; a.sent.live() {
		return &ConflictError{Path: a.sent.path, Want: a.sent.sha, Now: a.sent.sha}
	}
	return fmt.Errorf("%s: %w (the service says: %w)", acts[0].to.Tool(), memfs.ErrExist, err)
}

// PartlyError is a mutation of several memories of which the service did some, and
// then failed, or was stopped. What it did stays, and is in the history as a change.
// The same asked for again does the rest.
type PartlyError struct {
	Done, Left []memfs.Path // each where it is to stand, or stood when it is to go
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

// Stopped reports whether somebody wanted that, and nothing is the matter.
func (e *PartlyError) Stopped() bool {
	return errors.Is(e.Err, context.Canceled) && !errors.As(e.Err, new(*UpstreamError))
}
func (e *PartlyError) Unwrap() error { return e.Err }

// LaterError is a mutation that the service did, and that could not be taken in
// here: the next pull does it.
type LaterError struct{ Err error }

func (e *LaterError) Error() string {
	return fmt.Sprintf("the service has it, but it shows here only with the next sync: %v", e.Err)
}
func (e *LaterError) Unwrap() error { return e.Err }

// heardOut notes that all that the service had to say is here.
func (s *Store) heardOut() {
	now := s.t.now()
	_ = os.Chtimes(s.upFile(), now, now) // it only says how old the replica is
}

// comparedFile is empty; its time says when all that stands here was last compared with
// what stands there.
func (t *Trail) comparedFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".compared")
}

// comparedOnce reports whether all that stands there was read once.
func (t *Trail) comparedOnce(id StoreID) bool {
	_, err := os.Stat(t.comparedFile(id))
	return err == nil
}

func (s *Store) compared() {
	_ = os.WriteFile(s.t.comparedFile(s.info.ID), nil, 0o600) // at worst it is compared too often
}

// toCompare reports whether it is time to do so again.
func (s *Store) toCompare() bool {
	fi, err := os.Stat(s.t.comparedFile(s.info.ID))
	return err != nil || time.Since(fi.ModTime()).Abs() > askPaces.compare
}

// UpstreamSeen is when the replica of a hosted store was last known to be what its
// service has; zero when it never was.
func (t *Trail) UpstreamSeen(id StoreID) time.Time {
	if !t.comparedOnce(id) {
		return time.Time{}
	}
	fi, err := os.Stat(t.upFile(id))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// UpstreamSeen is when the replica was last known to be what the service has; zero
// when it never was.
func (s *Store) UpstreamSeen() time.Time {
	fi, err := os.Stat(s.upFile())
	if last, lerr := s.LastChange(context.Background()); err != nil || lerr != nil || last == 0 {
		return time.Time{}
	}
	return fi.ModTime()
}
