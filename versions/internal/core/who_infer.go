package core

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
)

// memend infers who wrote what it finds in a folder from reported calls. A wrong inference is worse
// than none: a change that matches calls of two sessions equally well, or a call that matches two
// changes, is attributed to nobody.

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

// call is Evidence as the table stores it. Times are in microseconds.
type call struct {
	id, change   int64 // id, and the change that it explains; 0: none
	op           versions.EvidenceOp
	path, from   memfs.Path
	by           versions.By
	began, ended int64
	sha          []byte // of the text, and of its form with "\r\n"; nil when unknown
}

// holds reports whether h is the hash of the text that the call left.
func (c call) holds(h versions.Hash) bool {
	for sha := range slices.Chunk(c.sha, len(h)) {
		if bytes.Equal(sha, h[:]) {
			return true
		}
	}
	return false
}

// sameRun reports whether two callers belong to one run: an agent and its subagents
// (claude-code/reviewer) share a session.
func sameRun(a, b versions.By) bool {
	return a.Session == b.Session && mainAgent(a.Actor) == mainAgent(b.Actor)
}

// mainAgent returns the agent that a subagent works for, and any other actor unchanged.
func mainAgent(a versions.Actor) versions.Actor {
	if a.Kind == versions.Agent {
		a.Name, _, _ = strings.Cut(a.Name, "/")
	}
	return a
}

// written is what a version did, and when: at a known time, or between two times.
type written struct {
	op           versions.Operation
	path, origin memfs.Path // the path before, of one that was renamed
	sha          versions.Hash
	at           int64
	exact        bool
	after        int64 // for a deletion: the file still existed then
}

// foundAt sets when the file with signature g was written, if its version was adopted at a given time and it was last seen before
// at another, in nanoseconds.
func (w *written) foundAt(g memfs.Sig, adopted, seen int64) {
	w.at, w.exact, w.after = max(g.Mtime, g.Ctime)/1000, true, 0
	if w.op == versions.Deleted || w.at == 0 || w.at > adopted { // changed since
		w.at, w.exact, w.after = adopted, false, seen/1000
	}
}

// earliest returns the earliest time at which the call can have written.
func (c call) earliest(n Nearness) int64 {
	if c.op == versions.CallRan || c.op == versions.CallStarted { // a shell command writes at any time while it runs
		return c.began - n.Slack.Microseconds()
	}
	return max(c.began, c.ended-n.Window.Microseconds()) - n.Slack.Microseconds()
}

// fits reports whether a version can be the result of the call. When neither the content of the
// call nor the file's own time is known, it can't.
func (c call) fits(w written, n Nearness) bool {
	if !c.did(w) || w.at < c.earliest(n) {
		return false
	}
	end := c.ended + n.Slack.Microseconds()
	late := c.ended + n.Window.Microseconds()
	switch {
	case w.op == versions.Deleted:
		return w.after <= end && (w.at <= late || c.op == versions.CallDeleted)
	case c.op == versions.CallMoved:
		return w.at <= late
	case c.sha == nil:
		return w.exact && w.at <= end
	}
	return c.holds(w.sha) && (w.at <= end || !w.exact && w.at <= late)
}

// did reports whether the call and the version made the same kind of change to the path.
func (c call) did(w written) bool {
	switch c.op {
	case versions.CallWrote:
		return w.path == c.path && w.op != versions.Deleted && w.origin.IsRoot()
	case versions.CallDeleted:
		return w.op == versions.Deleted && w.path.In(c.path)
	case versions.CallStarted:
		return w.path == c.path && w.op == versions.Created
	case versions.CallRan:
		return c.began > 0 && (w.path.In(c.path) || !w.origin.IsRoot() && w.origin.In(c.path))
	case versions.CallMoved:
		if !w.origin.IsRoot() {
			return w.origin.In(c.from) && w.origin.Move(c.from, c.path) == w.path
		}
		return w.op == versions.Deleted && w.path.In(c.from) || w.op == versions.Created && w.path.In(c.path) // a move that was not detected as one
	}
	return false
}

// best returns the call that explains a version. It prefers calls with the same content over calls
// without a known content, and then the latest. It returns none when calls of two sessions match
// equally well.
func best(calls []call, w written, n Nearness) (found *call) {
	var alike []*call
	sure := false
	for i := range calls {
		c := &calls[i]
		if !c.fits(w, n) {
			continue
		}
		if s := c.sha != nil && w.op != versions.Deleted; s && !sure {
			alike, sure = nil, true
		} else if sure && !s {
			continue
		}
		alike = append(alike, c)
	}
	for _, c := range alike {
		if !sameRun(c.by, alike[0].by) {
			return nil
		}
		if found == nil || c.ended >= found.ended {
			found = c
		}
	}
	return found
}

const callColumns = `id,coalesce(change,0),op,path,origin,agent,session,tool_use,turn,began,ended,sha`

// callsWhere reads calls that have ended.
func (x *Txn) callsWhere(where string, args ...any) ([]call, error) {
	c := call{by: versions.By{Actor: versions.Actor{Kind: versions.Agent}}}
	return db.All(x.Rows(`SELECT `+callColumns+` FROM evidence WHERE store=? AND ended>0 AND op<>'read' AND `+where, append([]any{x.Store.Row}, args...)...), &c,
		&c.id, &c.change, &c.op, PathTo(&c.path), PathTo(&c.from), &c.by.Actor.Name, &c.by.Session, &c.by.ToolUse, &c.by.Turn, &c.began, &c.ended, &c.sha)
}

// written says what a version did that is adopted at a given time, and when its file, with signature g, was written.
func (v *VersionRow) written(g memfs.Sig, adopted int64) written {
	w := written{op: v.Op, path: v.Path, origin: v.Origin, sha: v.Facts.SHA}
	w.foundAt(g, adopted, v.seen)
	return w
}

// writerOf infers who wrote what is being adopted. The result is outside when there is no evidence.
func (x *Txn) writerOf(w written) (versions.By, int64, error) {
	if x.before == 0 { // ids of changes start at 1
		if err := x.Row(`SELECT coalesce(max(id),0)+1 FROM change`).Scan(&x.before); err != nil {
			return Outside, 0, err
		}
	}
	if x.calls == nil {
		// Deleting or moving a folder, or running a shell command, makes several versions with one
		// call.
		var err error
		if x.calls, err = x.callsWhere(`(change IS NULL OR op='run' OR op<>'write' AND change>=?)`, x.before); err != nil {
			return Outside, 0, err
		}
	}
	c := best(x.calls, w, x.Store.Trail.Near)
	if c == nil {
		return Outside, 0, nil
	}
	return c.by, c.id, nil
}

// join records that a call explains this change and no other. Earlier writes of its session to the
// same path are part of the same change, so join marks those calls too.
func (x *Txn) join(id, change int64) error {
	if id == 0 {
		return nil
	}
	x.calls = nil
	return x.Exec(`UPDATE evidence SET change=?1 WHERE id=?2 OR store=?3 AND id IN (SELECT o.id FROM evidence o JOIN evidence e ON e.id=?2
		WHERE o.store=?3 AND o.change IS NULL AND o.op='write' AND e.op='write' AND o.path=e.path AND o.session=e.session AND o.agent=e.agent AND o.ended BETWEEN 1 AND e.ended)`,
		change, id, x.Store.Row)
}
