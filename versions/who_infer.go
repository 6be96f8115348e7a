package versions

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/memfs"
)

// Who wrote what was found in a folder is concluded from calls that were told of. A
// conclusion that may be wrong is worse than none: what fits the calls of two
// sessions alike, or a call that fits two changes, stays with nobody.

// nearness is how near in time a call and a write must be that belong together. It is a
// field of the trail for tests, which can't set the time of a file's change.
type nearness struct {
	window time.Duration // how long after a file was written its call's end may be reported
	// How far clocks that should show the same time are apart: that of the file system
	// ticks, and transcripts round.
	slack time.Duration
}

var usualNearness = nearness{window: 2 * time.Second, slack: 50 * time.Millisecond}

// call is Evidence as the table holds it; times are microseconds.
type call struct {
	id, change   int64 // change: that it explains; 0: none
	op           EvidenceOp
	path, from   memfs.Path
	by           By
	began, ended int64
	sha          []byte // of the text, and of its form with "\r\n"; nil where it is not known
}

// holds reports whether a hash is that of the text which the call left.
func (c call) holds(h Hash) bool {
	for sha := range slices.Chunk(c.sha, len(h)) {
		if bytes.Equal(sha, h[:]) {
			return true
		}
	}
	return false
}

// sameRun reports whether two callers are of one run: an agent and its subagents
// (claude-code/reviewer) share a session.
func sameRun(a, b By) bool { return a.Session == b.Session && mainAgent(a.Actor) == mainAgent(b.Actor) }

// mainAgent is the agent that a subagent works for; of any other actor the actor itself.
func mainAgent(a Actor) Actor {
	if a.Kind == Agent {
		a.Name, _, _ = strings.Cut(a.Name, "/")
	}
	return a
}

// written is when a version was written: at a time, or, where that is not exact,
// between two.
type written struct {
	at    int64
	exact bool
	after int64 // of what is gone: it still stood then
}

// writtenAt is when a file with a signature was written, of which a version was made
// at a time.
func writtenAt(v *versionRow, g memfs.Sig, adopted int64) written {
	at := max(g.Mtime, g.Ctime) / 1000
	if v.op == Deleted || at == 0 || at > adopted { // touched since
		return written{adopted, false, v.seen / 1000}
	}
	return written{at, true, 0}
}

// earliest is the time before which the call can't have written.
func (c call) earliest(n nearness) int64 {
	if c.op == CallRan || c.op == CallStarted { // a line of shell writes at any time while it runs
		return c.began - n.slack.Microseconds()
	}
	return max(c.began, c.ended-n.window.Microseconds()) - n.slack.Microseconds()
}

// fits reports whether a version can be what the call left. Where nothing is known of
// its content and the file's own time is lost, nothing does.
func (c call) fits(v *versionRow, w written, n nearness) bool {
	if !c.did(v) || w.at < c.earliest(n) {
		return false
	}
	end := c.ended + n.slack.Microseconds()
	late := c.ended + n.window.Microseconds()
	switch {
	case v.op == Deleted:
		return w.after <= end && w.at <= late
	case c.op == CallMoved:
		return w.at <= late
	case c.sha == nil:
		return w.exact && w.at <= end
	}
	return c.holds(v.facts.sha) && (w.at <= end || !w.exact && w.at <= late)
}

// did reports whether the call did to a path what the version tells of it.
func (c call) did(v *versionRow) bool {
	switch c.op {
	case CallWrote:
		return v.path == c.path && v.op != Deleted && v.origin.IsRoot()
	case CallDeleted:
		return v.op == Deleted && v.path.In(c.path)
	case CallStarted:
		return v.path == c.path && v.op == Created
	case CallRan:
		return c.began > 0 && (v.path.In(c.path) || !v.origin.IsRoot() && v.origin.In(c.path))
	case CallMoved:
		if !v.origin.IsRoot() {
			return v.origin.In(c.from) && v.origin.Move(c.from, c.path) == v.path
		}
		return v.op == Deleted && v.path.In(c.from) || v.op == Created && v.path.In(c.path) // not seen as a move
	}
	return false
}

// best is the call that explains a version: one whose content agrees before one that
// says nothing of it, of those the last. None when those of two sessions do.
func best(calls []call, v *versionRow, w written, n nearness) (found *call) {
	var alike []*call
	sure := false
	for i := range calls {
		c := &calls[i]
		if !c.fits(v, w, n) {
			continue
		}
		if s := c.sha != nil && v.op != Deleted; s && !sure {
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

// callsWhere reads calls that ended.
func (x *txn) callsWhere(where string, args ...any) ([]call, error) {
	out := []call{}
	for row, err := range x.Each(`SELECT `+callColumns+` FROM evidence WHERE store=? AND ended>0 AND op<>'read' AND `+where, append([]any{x.s.id}, args...)...) {
		if err != nil {
			return nil, err
		}
		c := call{by: By{Actor: Actor{Kind: Agent}}}
		var path, origin string
		if err := row.Scan(&c.id, &c.change, &c.op, &path, &origin, &c.by.Actor.Name, &c.by.Session, &c.by.ToolUse, &c.by.Turn, &c.began, &c.ended, &c.sha); err != nil {
			return nil, err
		}
		if c.path, err = pathOf(path); err != nil {
			return nil, err
		}
		if c.from, err = pathOf(origin); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// writerOf concludes who wrote what is being adopted: outside, where nothing tells.
func (x *txn) writerOf(v *versionRow, w written) (By, int64, error) {
	if x.before == 0 { // ids of changes begin at 1
		if err := x.Row(`SELECT coalesce(max(id),0)+1 FROM change`).Scan(&x.before); err != nil {
			return outside, 0, err
		}
	}
	if x.calls == nil {
		// A folder that was deleted or moved is several versions of one call; so is what a
		// line of shell did.
		var err error
		if x.calls, err = x.callsWhere(`(change IS NULL OR op='run' OR op<>'write' AND change>=?)`, x.before); err != nil {
			return outside, 0, err
		}
	}
	c := best(x.calls, v, w, x.s.t.near)
	if c == nil {
		return outside, 0, nil
	}
	return c.by, c.id, nil
}

// join notes that a call explains a change, and nothing else from now on. With it go
// those of its session that wrote to the same path before: theirs went into it.
func (x *txn) join(id, change int64) error {
	if id == 0 {
		return nil
	}
	x.calls = nil
	return x.Exec(`UPDATE evidence SET change=?1 WHERE id=?2 OR store=?3 AND id IN (SELECT o.id FROM evidence o JOIN evidence e ON e.id=?2
		WHERE o.store=?3 AND o.change IS NULL AND o.op='write' AND e.op='write' AND o.path=e.path AND o.session=e.session AND o.agent=e.agent AND o.ended BETWEEN 1 AND e.ended)`,
		change, id, x.s.id)
}

// nextInference numbers a conclusion.
func (x *txn) nextInference() (n int64, err error) {
	err = x.Row(`SELECT coalesce(max(inferred),0)+1 FROM change WHERE store=? AND inferred>0`, x.s.id).Scan(&n)
	return n, err
}
