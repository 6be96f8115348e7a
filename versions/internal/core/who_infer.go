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

// written is when a version was written: at a known time, or between two times.
type written struct {
	at    int64
	exact bool
	after int64 // for a deletion: the file still existed then
}

// writtenAt returns when the file with signature g was written, for a version that was adopted at a
// given time.
func writtenAt(v *VersionRow, g memfs.Sig, adopted int64) written {
	at := max(g.Mtime, g.Ctime) / 1000
	if v.Op == versions.Deleted || at == 0 || at > adopted { // changed since
		return written{adopted, false, v.seen / 1000}
	}
	return written{at, true, 0}
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
func (c call) fits(v *VersionRow, w written, n Nearness) bool {
	if !c.did(v) || w.at < c.earliest(n) {
		return false
	}
	end := c.ended + n.Slack.Microseconds()
	late := c.ended + n.Window.Microseconds()
	switch {
	case v.Op == versions.Deleted:
		return w.after <= end && (w.at <= late || c.op == versions.CallDeleted)
	case c.op == versions.CallMoved:
		return w.at <= late
	case c.sha == nil:
		return w.exact && w.at <= end
	}
	return c.holds(v.Facts.SHA) && (w.at <= end || !w.exact && w.at <= late)
}

// did reports whether the call and the version made the same kind of change to the path.
func (c call) did(v *VersionRow) bool {
	switch c.op {
	case versions.CallWrote:
		return v.Path == c.path && v.Op != versions.Deleted && v.Origin.IsRoot()
	case versions.CallDeleted:
		return v.Op == versions.Deleted && v.Path.In(c.path)
	case versions.CallStarted:
		return v.Path == c.path && v.Op == versions.Created
	case versions.CallRan:
		return c.began > 0 && (v.Path.In(c.path) || !v.Origin.IsRoot() && v.Origin.In(c.path))
	case versions.CallMoved:
		if !v.Origin.IsRoot() {
			return v.Origin.In(c.from) && v.Origin.Move(c.from, c.path) == v.Path
		}
		return v.Op == versions.Deleted && v.Path.In(c.from) || v.Op == versions.Created && v.Path.In(c.path) // a move that was not detected as one
	}
	return false
}

// best returns the call that explains a version. It prefers calls with the same content over calls
// without a known content, and then the latest. It returns none when calls of two sessions match
// equally well.
func best(calls []call, v *VersionRow, w written, n Nearness) (found *call) {
	var alike []*call
	sure := false
	for i := range calls {
		c := &calls[i]
		if !c.fits(v, w, n) {
			continue
		}
		if s := c.sha != nil && v.Op != versions.Deleted; s && !sure {
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

// writerOf infers who wrote what is being adopted. The result is outside when there is no evidence.
func (x *Txn) writerOf(v *VersionRow, w written) (versions.By, int64, error) {
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
	c := best(x.calls, v, w, x.Store.Trail.Near)
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
