package core

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// NoteInputs records that a session took in something from outside at a time, or now if it is zero. It
// is known to every later mutation of the session, in every process. It writes nothing if the session
// is known to have taken in the same kinds earlier.
func (t *Trail) NoteInputs(ctx context.Context, by versions.By, in versions.Inputs, at time.Time) error {
	if in = in.Direct(); in == 0 || by.Session == "" {
		return nil
	}
	if err := MayChange(t); err != nil {
		return err
	}
	if at.IsZero() {
		at = t.Now()
	}
	ts := at.UnixMicro()
	known, err := t.inputsUntil(ctx, by.Session, ts)
	if err != nil || known&in == in {
		return err
	}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	tx, err := BeginWrite(ctx, t, false)
	return committed(tx, err, func(tx TrailTxn) error {
		x := &Txn{TrailTxn: tx, TS: ts}
		_, session, err := x.Who(by)
		if err != nil {
			return err
		}
		x.noteInputs(session.Int64, in, x.TS)
		return x.Err()
	})
}

// Inputs returns what a session has taken in so far.
func (t *Trail) Inputs(ctx context.Context, session versions.SessionID) (in versions.Inputs, err error) {
	return t.inputsUntil(ctx, session, math.MaxInt64)
}

func (t *Trail) inputsUntil(ctx context.Context, session versions.SessionID, ts int64) (in versions.Inputs, err error) {
	err = View(ctx, t, func(q tables.Reader) error {
		in, err = tables.InputsOf(q.Row(tables.InputsBefore+` WHERE session=(`+tables.SessionNamed+`) AND ts<=?`, string(session), ts))
		return err
	})
	return in, err
}

// noteInputs records kinds of inputs of a session; the first time of each kind counts.
func (x TrailTxn) noteInputs(session int64, in versions.Inputs, ts int64) {
	for bit := versions.Inputs(1); bit != 0 && bit <= in; bit <<= 1 {
		if in&bit == 0 {
			continue
		}
		x.Exec(`INSERT INTO input(session,kind,ts) VALUES(?,?,?) ON CONFLICT DO UPDATE SET ts=min(ts,excluded.ts)`, session, int64(bit), ts)
	}
}

// passOnToReaders records for the sessions that have read a version of a change already what its
// maker had taken in.
func (x TrailTxn) passOnToReaders(change int64, in versions.Inputs) error {
	var r Reading
	readers, err := db.All(x.Rows(`SELECT r.session,min(r.ts) FROM version v JOIN read r ON r.memory=v.memory AND r.version=v.id
		WHERE v.change=? AND r.session IS NOT NULL GROUP BY r.session`, change), &r, &r.Session, &r.TS)
	if err != nil {
		return err
	}
	for _, r := range readers {
		x.noteInputs(r.Session, tables.PassedOn(in), r.TS)
	}
	return nil
}

// VersionInputs returns what the session that wrote a version had taken in.
func (x TrailTxn) VersionInputs(version int64) (versions.Inputs, error) {
	in, err := tables.InputsOf(x.Row(`SELECT coalesce(w.inputs,c.inputs) FROM version v JOIN change c ON c.id=v.change`+tables.Attributed+`WHERE v.id=?`, version))
	return in, tables.IgnoreNoRows(err)
}

// inputsAt returns what a session had taken in at a time.
func (x TrailTxn) inputsAt(session sql.NullInt64, ts int64) (versions.Inputs, error) {
	if !session.Valid {
		return 0, nil
	}
	return tables.InputsOf(x.Row(tables.InputsBefore+` WHERE session=? AND ts<=?`, session.Int64, ts))
}
