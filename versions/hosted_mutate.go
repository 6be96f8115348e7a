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

// A mutation of a hosted store has these steps:
//
//	upstream lock  admits one mutation or pull at a time in all processes of the home
//	rehearse       plans the mutation on the replica, under the home's lock, and discards it
//	send           sends each memory's part to the service, with the hash of the content that
//	               it replaces
//	pull           stores the service's result and the changes of others: the result is one
//	               change by the caller, with the ids that the service assigned
//
// memend does not hold the home's lock while it waits for the network. When the service's state
// is newer, memend pulls it and plans the mutation again on top of it, so the engine detects the
// conflicts itself. A process that dies after the service acted loses nothing: the next pull
// stores the result, with the actor that the service names.

// hostedFolder is the folder in the home that holds the locks of hosted stores.
const hostedFolder = "hosted"

// connect prepares a hosted store for requests to its service. It sends nothing.
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

// upFile returns the name of the lock file. Its modification time is when the replica was last
// known to be up to date.
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

// mutateHostedAlone is mutateHosted for a caller that holds the upstream lock.
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
		if r.acts, refused = s.readUpstream(ctx, r.acts); refused == nil {
			r.acts = inPlace(r.acts)
		}
		switch {
		case !r.hosted: // links, empty folders, memories that the service never had
			return s.mutateLocked(ctx, by, want)
		case refused != nil:
		case len(r.acts) == 0: // other memories would have these contents: nothing changes for the service
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
			_ = s.refreshDescription(ctx) // it may have been archived: the next mutation then fails immediately
		}
		if refused != nil {
			done.undone = nil // not everything was undone: the rest can still be undone
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

// takeIn pulls the result of a mutation from the service. It also does so when somebody else made
// the same change first and the service did nothing. It runs even when the caller no longer waits
// for an answer.
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

// conflicts reports whether the service refused a request because its state differs from the
// replica's.
func conflicts(err error) bool {
	var clash *HostedConflict
	return errors.As(err, &clash) || errors.Is(err, ErrNoMemory)
}

// clashOf returns the error for a conflict that a pull does not explain.
func (s *Store) clashOf(err error, acts []*hostedAct) error {
	if a := acts[0]; a.sent.live() {
		return &ConflictError{Path: a.sent.path, Want: a.sent.sha, Now: a.sent.sha}
	}
	return fmt.Errorf("%s: %w (the service says: %w)", acts[0].to.Tool(), memfs.ErrExist, err)
}

// PartlyError means that the service applied a part of a mutation of several memories and then
// failed or was stopped. The applied part stays and is in the history as a change. The same
// mutation again applies the rest.
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

// markUpToDate records that the replica is up to date.
func (s *Store) markUpToDate() {
	now := s.t.now()
	_ = os.Chtimes(s.upFile(), now, now) // only the displayed age of the replica depends on it
}

// comparedFile returns the name of an empty file. Its modification time is when the replica was
// last compared with all of the service's memories.
func (t *Trail) comparedFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".compared")
}

// comparedOnce reports whether all of the service's memories were read at least once.
func (t *Trail) comparedOnce(id StoreID) bool {
	_, err := os.Stat(t.comparedFile(id))
	return err == nil
}

func (s *Store) compared() {
	_ = os.WriteFile(s.t.comparedFile(s.info.ID), nil, 0o600) // if it fails, the comparison runs too often
}

// toCompare reports whether the next comparison is due.
func (s *Store) toCompare() bool {
	fi, err := os.Stat(s.t.comparedFile(s.info.ID))
	return err != nil || time.Since(fi.ModTime()).Abs() > askPaces.compare
}

// UpstreamSeen returns when the replica of a hosted store was last known to match its service, or
// the zero time when it never was.
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

// UpstreamSeen returns when the replica was last known to match its service, or the zero time when
// it never was.
func (s *Store) UpstreamSeen() time.Time {
	fi, err := os.Stat(s.upFile())
	if last, lerr := s.LastChange(context.Background()); err != nil || lerr != nil || last == 0 {
		return time.Time{}
	}
	return fi.ModTime()
}
