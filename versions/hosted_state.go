package versions

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions/disk"
)

// hostedFolder is the folder in the home that holds the locks of hosted stores.
const hostedFolder = "hosted"

// replica is a store as the copy of one that a service keeps: it speaks to the service. Of other
// stores, up is nil.
type replica struct {
	*Store
	up     Upstream   // nil too if the service can't be reached
	lock   *disk.Lock // held from a write to the service until it is recorded here
	state  UpstreamState
	wanted chan struct{} // a token if someone wants to know about news there
}

// newReplica returns what a store does with its service.
func newReplica(s *Store) Replica { return &replica{Store: s} }

// replicaOf returns what a store does with its service.
func replicaOf(s *Store) *replica { return s.replica.(*replica) }

// Online implements [Replica].
func (s *replica) Online() bool { return s.up != nil }

// Connect implements [Replica].
func (s *replica) Connect() (err error) {
	if !s.hosted() || s.t.dial == nil || s.t.db.ReadOnly() != nil {
		return nil
	}
	folder := filepath.Join(s.t.home, hostedFolder)
	if err := disk.MakeFolder(folder); err != nil {
		return err
	}
	if s.lock, err = disk.OpenLock(s.upFile()); err != nil {
		return disk.Bare(err)
	}
	s.wanted = make(chan struct{}, 1)
	s.up, err = s.t.dial(s.info)
	return err
}

// upFile returns the name of the lock file. Its modification time is when the replica was last
// known to be up to date.
func (s *replica) upFile() string { return s.t.upFile(s.info.ID) }

func (t *Trail) upFile(id StoreID) string {
	return filepath.Join(t.home, hostedFolder, string(id)+".lock")
}

// Close implements [Replica].
func (s *replica) Close() error {
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

// LockUpstream takes the upstream lock.
func (s *replica) LockUpstream(ctx context.Context) (release func(), err error) {
	if s.up == nil {
		return nil, fmt.Errorf("store %s: %w", s.info.Name, ErrNoUpstream)
	}
	return s.lock.Acquire(ctx)
}

// markUpToDate records that the replica is up to date.
func (s *replica) markUpToDate() {
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

func (s *replica) noteCompared() {
	_ = os.WriteFile(s.t.comparedFile(s.info.ID), nil, 0o600) // if it fails, the comparison runs too often
}

// dueToCompare reports whether the next comparison is due.
func (s *replica) dueToCompare() bool {
	fi, err := os.Stat(s.t.comparedFile(s.info.ID))
	return err != nil || time.Since(fi.ModTime()).Abs() > comparePause
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
func (s *Store) UpstreamSeen() time.Time { return s.t.UpstreamSeen(s.info.ID) }
