package core

import (
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/internal/tables"
)

// adoptedChange is an adopted change that a call reported later may explain.
type adoptedChange struct {
	id, wall int64
	by       versions.By        // outside, or the inferred actor
	written  []evidence.Written // by its versions
}

// attribute infers again who made the changes that a newly reported call may explain.
func (x *Txn) attribute(id int64) error {
	calls, err := x.callsWhere(`id=?`, id)
	if err != nil || len(calls) == 0 || calls[0].Change != 0 {
		return err
	}
	reported := calls[0]
	candidates, err := x.changesFitting(reported)
	if err != nil {
		return err
	}
	free := 0
	for _, c := range candidates {
		if c.by == Outside {
			free++
		}
	}
	for _, c := range candidates {
		switch {
		case c.by == Outside && free > 1 && reported.Op != versions.CallRan: // it made one of them, but it is unknown which
			continue
		case evidence.SameRun(c.by, reported.By): // already attributed to it
			continue
		}
		if kept, err := x.explained(c); err != nil {
			return err
		} else if c.by != Outside && !kept { // the call that explains it was deleted, so the two can't be compared
			continue
		}
		if err := x.attributeChange(c); err != nil {
			return err
		}
	}
	return nil
}

// explained reports whether a stored call explains a change.
func (x *Txn) explained(c *adoptedChange) (kept bool, err error) {
	err = x.Row(`SELECT EXISTS(SELECT 1 FROM evidence WHERE change=?)`, c.id).Scan(&kept)
	return kept, err
}

// lateChanges is how many changes of a path are compared with a call.
const lateChanges = 64

// changesFitting lists the adopted changes with a version that may be the result of the call.
func (x *Txn) changesFitting(t evidence.Call) (out []*adoptedChange, err error) {
	k := versions.Key(t.Path)
	which, args := `v.path=?`, []any{k}
	switch {
	case t.Op == versions.CallRan && t.Path.IsRoot():
		which, args = `v.change IN (SELECT id FROM change WHERE store=? AND kind='adopt' ORDER BY number DESC LIMIT ?)`, []any{x.Store.Row, lateChanges}
	case t.Op != versions.CallWrote && t.Op != versions.CallStarted:
		which, args = `(v.path=? OR v.path>? AND v.path<?)`, []any{k, k + "/", k + "0"}
		if t.Op == versions.CallMoved {
			f := versions.Key(t.From)
			which, args = `(v.path=? OR v.path>? AND v.path<? OR v.path=? OR v.path>? AND v.path<?)`, append(args, f, f+"/", f+"0")
		}
	}
	ids, err := db.Values[int64](x.Rows(`SELECT DISTINCT v.change FROM version v WHERE `+which+` AND v.redacted IS NULL ORDER BY v.change DESC LIMIT ?`, append(args, lateChanges)...))
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		c, err := x.adoptedChange(id)
		if err != nil {
			return nil, err
		}
		if c == nil {
			continue
		}
		if slices.ContainsFunc(c.written, func(w evidence.Written) bool { return t.Fits(w, x.Store.Trail.Near) }) {
			out = append(out, c)
		}
	}
	return out, nil
}

// adoptedChange reads a change of the store with its versions. It returns nil when the change was
// not adopted.
func (x *Txn) adoptedChange(id int64) (*adoptedChange, error) {
	c := &adoptedChange{id: id}
	var inferred bool
	err := x.Row(`SELECT c.wall,w.id IS NOT NULL,a.kind,a.name,coalesce(s.uid,''),coalesce(`+tables.CallOf+`,''),coalesce(`+tables.TurnOf+`,0)`+tables.ChangeTables+
		`WHERE c.id=? AND c.store=? AND c.kind='adopt' AND c.versions<=?`, id, x.Store.Row, MaxCounted).
		Scan(&c.wall, &inferred, &c.by.Actor.Kind, &c.by.Actor.Name, &c.by.Session, &c.by.ToolUse, &c.by.Turn)
	if err != nil || !inferred && c.by != Outside { // an imported one may have an actor of its own
		return nil, tables.IgnoreNoRows(err)
	}
	var w evidence.Written
	var g memfs.Sig
	var seen int64
	rows := x.Rows(`SELECT v.op,v.path,v.origin,b.sha,coalesce(h.mtime,0),coalesce(h.ctime,0),
			coalesce((SELECT pc.wall FROM version p JOIN change pc ON pc.id=p.change WHERE p.memory=v.memory AND p.number=v.number-1),0)
		FROM version v LEFT JOIN blob b ON b.id=v.blob LEFT JOIN head h ON h.memory=v.memory AND h.version=v.id WHERE v.change=?`, id)
	for range rows.Each(&w.Op, tables.PathTo(&w.Path), tables.PathTo(&w.Origin), tables.HashTo(&w.SHA), &g.Mtime, &g.Ctime, &seen) {
		w.FoundAt(g, c.wall, seen*1000)
		c.written = append(c.written, w)
	}
	return c, rows.Err()
}

// attributeChange attributes a change to the session whose calls explain all of its versions. It
// resets the actor to outside when calls of another session now match equally well.
func (x *Txn) attributeChange(c *adoptedChange) error {
	calls, err := x.callsWhere(`(change IS NULL OR op='run' OR change=?)`, c.id)
	if err != nil {
		return err
	}
	var by versions.By
	var explain []int64
	for i, w := range c.written {
		found := evidence.Best(calls, w, x.Store.Trail.Near)
		switch {
		case found == nil, i > 0 && !evidence.SameRun(found.By, by):
			return x.giveTo(c, Outside, nil)
		case i > 0 && found.By != by:
			by.ToolUse, by.Turn = "", 0 // several calls of one session
			if found.By.Actor != by.Actor {
				by.Actor = evidence.MainAgent(by.Actor)
			}
		case i == 0:
			by = found.By
		}
		explain = append(explain, found.ID)
	}
	return x.giveTo(c, by, explain)
}

// giveTo records the inferred actor of a change if it is different from before.
func (x *Txn) giveTo(c *adoptedChange, by versions.By, explain []int64) error {
	x.Exec(`UPDATE evidence SET change=NULL WHERE change=?`, c.id)
	for _, id := range explain {
		x.join(id, c.id)
	}
	x.calls = nil
	if by == c.by {
		return nil
	}
	actor, err := x.attributeTo(by, c.id)
	if err != nil {
		return err
	}
	x.Exec(`UPDATE head SET actor=? WHERE memory IN (SELECT memory FROM version WHERE change=?2) AND version IN (SELECT id FROM version WHERE change=?2)`, actor, c.id)
	return x.Err()
}
