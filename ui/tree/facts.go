package tree

import (
	"strings"
	"time"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/versions"
)

// facts is what is known about memories beyond their entries, for badges, columns and
// filters.
type facts struct {
	now        time.Time
	me         versions.Actor
	stale      time.Duration
	reviewed   *versions.ReviewState                   // of the last reading
	ownChanges map[versions.MemoryID]ownChange         // of the last reading
	reads      map[versions.MemoryID]versions.ReadStat // nil until they are counted

	readsID int // number of these reads

	// What the person did since, which may not be saved yet; it takes precedence over
	// reviewed.
	seenAll int64
	seen    map[versions.MemoryID]int64

	unsaved unsaved
}

func newFacts(me versions.Actor, stale time.Duration) facts {
	if stale == 0 {
		stale = StaleAfter
	}
	return facts{me: me, stale: stale, reviewed: &versions.ReviewState{}, seen: map[versions.MemoryID]int64{}}
}

// changed reports whether someone else changed a memory since it was reviewed.
func (f *facts) changed(e *versions.Entry) bool {
	return f.since(e) && (e.Actor != f.me || f.ownChanges[e.Memory].beneath)
}

// since reports whether anyone changed a memory since it was reviewed.
func (f *facts) since(e *versions.Entry) bool {
	return e != nil && (e.Kind == versions.Memory || e.Kind == versions.DeletedMemory) && e.Change > f.reviewedUpTo(e.Memory)
}

// reviewedUpTo returns the change up to which a memory is reviewed.
func (f *facts) reviewedUpTo(m versions.MemoryID) int64 {
	return max(f.reviewed.UpTo(m), f.seenAll, f.seen[m])
}

// isStale reports whether a memory was neither read nor written for long. It is false if
// the ledger does not reach back that far.
func (f *facts) isStale(e *versions.Entry) bool {
	return f.stale > 0 && f.unread(e, f.stale)
}

func (f *facts) unread(e *versions.Entry, d time.Duration) bool {
	if e == nil || e.Kind != versions.Memory || f.reads == nil || f.now.IsZero() {
		return false
	}
	since := f.now.Add(-d)
	return !f.reviewed.Ledger.IsZero() && f.reviewed.Ledger.Before(since) && e.Time.Before(since) && f.reads[e.Memory].Last.Before(since)
}

// by reports whether the writer of an entry matches a name, a kind, or "me".
func (f *facts) by(e *versions.Entry, name string) bool {
	switch {
	case e.Kind != versions.Memory:
		return false
	case name == "me":
		return e.Actor == f.me
	case strings.HasPrefix(string(e.Actor.Kind), name):
		return true
	}
	return actors.Called(e.Actor, name)
}
