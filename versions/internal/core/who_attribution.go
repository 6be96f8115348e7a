package core

import (
	"database/sql"

	"github.com/memend/memend/versions"
)

// The row of a change says who was seen making it, and an inference never rewrites that row. For an
// adopted change nobody was seen, so the row says outside. Each inference of who made it, and each
// one that an inference was wrong, adds a row to the table attribution. The newest row counts.

// Attributed joins the newest attribution of the change c, if there is one, as w.
const Attributed = ` LEFT JOIN attribution w ON w.id=(SELECT max(id) FROM attribution WHERE change=c.id) `

// These expressions are who made the change c, given the join of attributed.
const (
	MakerOf   = `coalesce(w.actor,c.actor)`
	SessionOf = `coalesce(w.session,c.session)`
	CallOf    = `coalesce(w.tool_use,c.tool_use)`
	TurnOf    = `coalesce(w.turn,c.turn)`
)

// DoorAndInputs are the door of the change c and what its session had taken in.
const DoorAndInputs = `coalesce(c.door,0),coalesce(w.inputs,c.inputs,0)`

// MakerAlone is MakerOf without the join.
const MakerAlone = `coalesce((SELECT actor FROM attribution WHERE change=c.id ORDER BY id DESC LIMIT 1),c.actor)`

// IsInferred is the SQL condition that the change c is attributed to the actor a by inference.
const IsInferred = `(w.id IS NOT NULL AND a.kind='agent')`

// IsNewest is the SQL condition that the attribution w counts.
const IsNewest = `w.id=(SELECT max(id) FROM attribution WHERE change=w.change)`

// ChangesOf is an SQL list of the changes of a session. A statement selects the session.
func ChangesOf(session string) string {
	return `(WITH of(session) AS (` + session + `)
		SELECT id FROM change WHERE session=(SELECT session FROM of)
		UNION ALL SELECT change FROM attribution w WHERE session=(SELECT session FROM of) AND ` + IsNewest + `)`
}

// SessionNamed selects the session with an id, which is a parameter.
const SessionNamed = `SELECT id FROM session WHERE uid=?`

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
	err := x.Exec(`INSERT INTO attribution(change,actor,session,tool_use,turn,ts,inputs) VALUES(?,?,?,?,?,?,?)`,
		change, actor, session, Null(by.ToolUse), Null(by.Turn), x.Store.Trail.Now().UnixMicro(), Null(in))
	if err != nil {
		return err
	}
	if in == 0 {
		return nil
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
