package core

import (
	"database/sql"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/internal/tables"
)

const callColumns = `id,coalesce(change,0),op,path,origin,agent,session,tool_use,turn,began,ended,sha`

// callsWhere reads calls that have ended.
func (x *Txn) callsWhere(where string, args ...any) ([]evidence.Call, error) {
	c := evidence.Call{By: versions.By{Actor: versions.Actor{Kind: versions.Agent}}}
	return db.All(x.Rows(`SELECT `+callColumns+` FROM evidence WHERE store=? AND ended>0 AND op<>'read' AND `+where, append([]any{x.Store.Row}, args...)...), &c,
		&c.ID, &c.Change, &c.Op, tables.PathTo(&c.Path), tables.PathTo(&c.From), &c.By.Actor.Name, &c.By.Session, &c.By.ToolUse, &c.By.Turn, &c.Began, &c.Ended, &c.SHA)
}

// written says what a version did that is adopted at a given time, and when its file, with signature g, was written.
func (v *VersionRow) written(g memfs.Sig, adopted int64) evidence.Written {
	w := evidence.Written{Op: v.Op, Path: v.Path, Origin: v.Origin, SHA: v.Facts.SHA}
	w.FoundAt(g, adopted, v.seen)
	return w
}

// writerOf infers who wrote what is being adopted. The result is outside when there is no evidence.
func (x *Txn) writerOf(w evidence.Written) (versions.By, int64, error) {
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
	c := evidence.Best(x.calls, w, x.Store.Trail.Near)
	if c == nil {
		return Outside, 0, nil
	}
	return c.By, c.ID, nil
}

// join records that a call explains this change and no other. Earlier writes of its session to the
// same path are part of the same change, so join marks those calls too.
func (x *Txn) join(id, change int64) {
	if id == 0 {
		return
	}
	x.calls = nil
	x.Exec(`UPDATE evidence SET change=?1 WHERE id=?2 OR store=?3 AND id IN (SELECT o.id FROM evidence o JOIN evidence e ON e.id=?2
		WHERE o.store=?3 AND o.change IS NULL AND o.op='write' AND e.op='write' AND o.path=e.path AND o.session=e.session AND o.agent=e.agent AND o.ended BETWEEN 1 AND e.ended)`,
		change, id, x.Store.Row)
}

// attributeTo records that somebody is inferred to have made a change. It returns the actor's row.
func (x *Txn) attributeTo(by versions.By, change int64) (actor int64, err error) {
	actor, session, err := x.whoSince(by, change)
	if err != nil {
		return 0, err
	}
	var at int64
	if err := x.Row(`SELECT ts FROM change WHERE id=?`, change).Scan(&at); err != nil {
		return 0, err
	}
	in, err := x.inputsAt(session, at)
	if err != nil {
		return 0, err
	}
	return actor, x.AddAttribution(change, actor, session, by, in)
}

// AddAttribution records who made a change, once that is known.
func (x *Txn) AddAttribution(change, actor int64, session sql.NullInt64, by versions.By, in versions.Inputs) error {
	x.Exec(`INSERT INTO attribution(change,actor,session,tool_use,turn,ts,inputs) VALUES(?,?,?,?,?,?,?)`,
		change, actor, session, tables.Null(by.ToolUse), tables.Null(by.Turn), x.Store.Trail.Now().UnixMicro(), tables.Null(in))
	if in == 0 {
		return x.Err()
	}
	return x.passOnToReaders(change, in)
}

// whoSince returns the actor and session rows for a caller that made a change in the past.
func (x *Txn) whoSince(by versions.By, change int64) (actor int64, session sql.NullInt64, err error) {
	if actor, err = x.Actor(by.Actor); err != nil || by.Session == "" {
		return actor, session, err
	}
	err = x.Row(`INSERT INTO session(uid,actor,started,seen) SELECT ?1,?2,ts,ts FROM change WHERE id=?3 ON CONFLICT(uid) DO UPDATE
		SET started=min(started,excluded.started), seen=max(seen,excluded.seen) RETURNING id`, string(by.Session), actor, change).Scan(&session.Int64)
	session.Valid = true
	return actor, session, err
}
