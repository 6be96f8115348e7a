package replica

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/redact"
)

// replica is a store as the copy of one that a service keeps: it speaks to the service. Of other
// stores, up is nil.
type replica struct {
	*core.Store
	Service versions.Upstream // nil too if the service can't be reached
	lock    *disk.Lock        // held from a write to the service until it is recorded here
	state   versions.UpstreamState
	wanted  chan struct{} // a token if someone wants to know about news there
}

// NewReplica returns what a store does with its service.
func NewReplica(s *core.Store) core.Replica { return &replica{Store: s} }

// ReplicaOf returns what a store does with its service.
func ReplicaOf(s *core.Store) *replica { return s.Replica.(*replica) }

// Online implements [Replica].
func (s *replica) Online() bool { return s.Service != nil }

// Connect implements [Replica].
func (s *replica) Connect() (err error) {
	if !core.Hosted(s.Store) || s.Trail.Dial == nil || s.Trail.DB.ReadOnly() != nil {
		return nil
	}
	folder := filepath.Join(s.Trail.Folder, redact.HostedFolder)
	if err := disk.MakeFolder(folder); err != nil {
		return err
	}
	if s.lock, err = disk.OpenLock(s.upFile()); err != nil {
		return disk.Bare(err)
	}
	s.wanted = make(chan struct{}, 1)
	s.Service, err = s.Trail.Dial(s.Opened)
	return err
}

// upFile returns the name of the lock file. Its modification time is when the replica was last
// known to be up to date.
func (s *replica) upFile() string { return UpFile(s.Trail, s.Opened.ID) }

// UpFile names the lock file of a store.
func UpFile(t *core.Trail, id versions.StoreID) string {
	return filepath.Join(t.Folder, redact.HostedFolder, string(id)+".lock")
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
	if s.Service == nil {
		return nil, fmt.Errorf("store %s: %w", s.Opened.Name, versions.ErrNoUpstream)
	}
	return s.lock.Acquire(ctx)
}

// markUpToDate records that the replica is up to date.
func (s *replica) markUpToDate() {
	now := s.Trail.Now()
	_ = os.Chtimes(s.upFile(), now, now) // only the displayed age of the replica depends on it
}

// ComparedFile returns the name of an empty file. Its modification time is when the replica was
// last compared with all of the service's memories.
func ComparedFile(t *core.Trail, id versions.StoreID) string {
	return filepath.Join(t.Folder, redact.HostedFolder, string(id)+".compared")
}

// comparedOnce reports whether all of the service's memories were read at least once.
func comparedOnce(t *core.Trail, id versions.StoreID) bool {
	_, err := os.Stat(ComparedFile(t, id))
	return err == nil
}

func (s *replica) noteCompared() {
	_ = os.WriteFile(ComparedFile(s.Trail, s.Opened.ID), nil, 0o600) // if it fails, the comparison runs too often
}

// dueToCompare reports whether the next comparison is due.
func (s *replica) dueToCompare() bool {
	fi, err := os.Stat(ComparedFile(s.Trail, s.Opened.ID))
	return err != nil || time.Since(fi.ModTime()).Abs() > comparePause
}

// HomeSeen returns when the replica of a hosted store was last known to match its service, or
// the zero time when it never was.
func HomeSeen(t *core.Trail, id versions.StoreID) time.Time {
	if !comparedOnce(t, id) {
		return time.Time{}
	}
	fi, err := os.Stat(UpFile(t, id))
	if err != nil {
		return time.Time{}
	}
	return fi.ModTime()
}

// Seen returns when the replica was last known to match its service, or the zero time when
// it never was.
func Seen(s *core.Store) time.Time { return HomeSeen(s.Trail, s.Opened.ID) }
