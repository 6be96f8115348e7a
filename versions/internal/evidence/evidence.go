// Package evidence infers who wrote what is found in a folder from reported calls. A wrong inference is worse than none: a change that
// matches calls of two sessions equally well, or a call that matches two changes, is attributed to nobody.
//
// It only compares; package core reads the calls and records what they explain. It also has the format of a call that was reported
// to a file, by a reporter that could not wait for the lock.
package evidence

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Nearness limits the time between a call and a write that belong together. It is a field of the
// trail for tests, which can't set the change time of a file.
type Nearness struct {
	Window time.Duration // how long after the write of a file the end of its call may be reported
	// Slack is the largest difference between clocks that should show the same time: the file
	// system's clock ticks, and transcripts round.
	Slack time.Duration
}

// UsualNearness is right for programs on one machine.
var UsualNearness = Nearness{Window: 2 * time.Second, Slack: 50 * time.Millisecond}

// Call is Evidence as the table stores it. Times are in microseconds.
type Call struct {
	ID, Change   int64 // id, and the change that it explains; 0: none
	Op           versions.EvidenceOp
	Path, From   memfs.Path
	By           versions.By
	Began, Ended int64
	SHA          []byte // of the text, and of its form with "\r\n"; nil when unknown
}

// holds reports whether h is the hash of the text that the call left.
func (c Call) holds(h versions.Hash) bool {
	for sha := range slices.Chunk(c.SHA, len(h)) {
		if bytes.Equal(sha, h[:]) {
			return true
		}
	}
	return false
}

// SameRun reports whether two callers belong to one run: an agent and its subagents
// (claude-code/reviewer) share a session.
func SameRun(a, b versions.By) bool {
	return a.Session == b.Session && MainAgent(a.Actor) == MainAgent(b.Actor)
}

// MainAgent returns the agent that a subagent works for, and any other actor unchanged.
func MainAgent(a versions.Actor) versions.Actor {
	if a.Kind == versions.Agent {
		a.Name, _, _ = strings.Cut(a.Name, "/")
	}
	return a
}

// Written is what a version did, and when: at a known time, or between two times.
type Written struct {
	Op           versions.Operation
	Path, Origin memfs.Path // the path before, of one that was renamed
	SHA          versions.Hash
	at           int64
	exact        bool
	after        int64 // for a deletion: the file still existed then
}

// FoundAt sets when the file with signature g was written, if its version was adopted at a given time and it was last seen before
// at another, in nanoseconds.
func (w *Written) FoundAt(g memfs.Sig, adopted, seen int64) {
	w.at, w.exact, w.after = max(g.Mtime, g.Ctime)/1000, true, 0
	if w.Op == versions.Deleted || w.at == 0 || w.at > adopted { // changed since
		w.at, w.exact, w.after = adopted, false, seen/1000
	}
}

// earliest returns the earliest time at which the call can have written.
func (c Call) earliest(n Nearness) int64 {
	if c.Op == versions.CallRan || c.Op == versions.CallStarted { // a shell command writes at any time while it runs
		return c.Began - n.Slack.Microseconds()
	}
	return max(c.Began, c.Ended-n.Window.Microseconds()) - n.Slack.Microseconds()
}

// Fits reports whether a version can be the result of the call. When neither the content of the
// call nor the file's own time is known, it can't.
func (c Call) Fits(w Written, n Nearness) bool {
	if !c.did(w) || w.at < c.earliest(n) {
		return false
	}
	end := c.Ended + n.Slack.Microseconds()
	late := c.Ended + n.Window.Microseconds()
	switch {
	case w.Op == versions.Deleted:
		return w.after <= end && (w.at <= late || c.Op == versions.CallDeleted)
	case c.Op == versions.CallMoved:
		return w.at <= late
	case c.SHA == nil:
		return w.exact && w.at <= end
	}
	return c.holds(w.SHA) && (w.at <= end || !w.exact && w.at <= late)
}

// did reports whether the call and the version made the same kind of change to the path.
func (c Call) did(w Written) bool {
	switch c.Op {
	case versions.CallWrote:
		return w.Path == c.Path && w.Op != versions.Deleted && w.Origin.IsRoot()
	case versions.CallDeleted:
		return w.Op == versions.Deleted && w.Path.In(c.Path)
	case versions.CallStarted:
		return w.Path == c.Path && w.Op == versions.Created
	case versions.CallRan:
		return c.Began > 0 && (w.Path.In(c.Path) || !w.Origin.IsRoot() && w.Origin.In(c.Path))
	case versions.CallMoved:
		if !w.Origin.IsRoot() {
			return w.Origin.In(c.From) && w.Origin.Move(c.From, c.Path) == w.Path
		}
		return w.Op == versions.Deleted && w.Path.In(c.From) || w.Op == versions.Created && w.Path.In(c.Path) // a move that was not detected as one
	}
	return false
}

// Best returns the call that explains a version. It prefers calls with the same content over calls
// without a known content, and then the latest. It returns none when calls of two sessions match
// equally well.
func Best(calls []Call, w Written, n Nearness) (found *Call) {
	var alike []*Call
	sure := false
	for i := range calls {
		c := &calls[i]
		if !c.Fits(w, n) {
			continue
		}
		if s := c.SHA != nil && w.Op != versions.Deleted; s && !sure {
			alike, sure = nil, true
		} else if sure && !s {
			continue
		}
		alike = append(alike, c)
	}
	for _, c := range alike {
		if !SameRun(c.By, alike[0].By) {
			return nil
		}
		if found == nil || c.Ended >= found.Ended {
			found = c
		}
	}
	return found
}
