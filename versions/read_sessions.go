package versions

import (
	"context"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// Session is one run of an agent or a person, with what it did in this home or in one store.
type Session struct {
	ID       SessionID
	Actor    Actor // who started it
	Started  time.Time
	Seen     time.Time // time of its last change or read, in any store
	Changes  int
	Versions int // number of versions that its changes made
	Undone   int // number of its changes that were undone
	Reads    int
	Stores   []StoreID // the stores that it changed or read
}

// SessionFilter selects sessions. Zero fields select all.
type SessionFilter struct {
	ID    SessionID
	Store StoreID // it changed or read something in this store; only what it did there is counted
	Actor ActorKind
	Since time.Time // last seen since
	Until time.Time // started until

	// ByActivity orders the sessions by when they were last seen, otherwise by when they started.
	ByActivity bool
}

// activeIn is the SQL condition that the session s changed or read something in a store.
var activeIn = `(EXISTS(SELECT 1 FROM ` + changesOf(`SELECT s.id`) + ` x CROSS JOIN change c ON c.id=x.id WHERE c.store=?)
	OR EXISTS(SELECT 1 FROM read r WHERE r.session=s.id AND r.store=?))`

// CountSessions returns the number of sessions that changed or read something in this store.
func (s *Store) CountSessions(ctx context.Context) (n int, err error) {
	err = s.t.db.Row(ctx, `SELECT count(*) FROM session s WHERE `+activeIn, s.id, s.id).Scan(&n)
	return n, err
}

// Sessions lists the sessions of this home, newest first, at most limit of them.
func (t *Trail) Sessions(ctx context.Context, f SessionFilter, before Cursor, limit int) (out []Session, next Cursor, err error) {
	order, position := `s.id DESC`, `0,s.id`
	if f.ByActivity {
		order, position = `s.seen DESC, s.id DESC`, `s.seen,s.id`
	}
	err = t.view(ctx, func(q reader) error {
		c, store, err := f.conditions(q, before)
		if err != nil {
			return ignoreNoRows(err)
		}
		var at, row int64
		var last [2]int64 // the position of the last session in out
		var rows []int64
		var x Session
		found := q.Rows(`SELECT `+position+`, s.uid, a.kind, a.name, coalesce(a.title,''), s.started, s.seen
			FROM session s JOIN actor a ON a.id=s.actor WHERE `+c.String()+` ORDER BY `+order+` LIMIT ?`, append(c.args, limit+1)...)
		for range found.Each(&at, &row, &x.ID, &x.Actor.Kind, &x.Actor.Name, &x.Actor.Title, timeTo(&x.Started), timeTo(&x.Seen)) {
			if len(out) == limit {
				next = cursorAt(last[0], last[1])
				break
			}
			last = [2]int64{at, row}
			rows, out = append(rows, row), append(out, x)
		}
		if err := found.Err(); err != nil {
			return err
		}
		for i := range out {
			if err := out[i].count(q, rows[i], store); err != nil {
				return err
			}
			out[i].Stores = []StoreID{f.Store}
			if f.Store == "" {
				if out[i].Stores, err = storesOf(q, rows[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return out, next, err
}

// conditions selects sessions and returns the row of the filter's store, or 0 for all stores. It
// returns sql.ErrNoRows when there is no such store.
func (f SessionFilter) conditions(q reader, before Cursor) (c conditions, store int64, err error) {
	c.and(`TRUE`)
	if f.Store != "" {
		if err := q.Row(`SELECT id FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(f.Store))).Scan(&store); err != nil {
			return c, 0, err
		}
		c.and(activeIn, store, store)
	}
	if before != "" {
		var at, id int64
		if err := before.numbers(&at, &id); err != nil {
			return c, 0, err
		}
		if f.ByActivity {
			c.and(`(s.seen,s.id)<(?,?)`, at, id)
		} else {
			c.and(`s.id<?`, id)
		}
	}
	if f.ID != "" {
		c.and(`s.uid=?`, string(f.ID))
	}
	c.who(`s.actor`, ActivityFilter{Actor: f.Actor})
	if !f.Since.IsZero() {
		c.and(`s.seen>=?`, f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		c.and(`s.started<=?`, f.Until.UnixMicro())
	}
	return c, store, nil
}

// count counts what a session did, in one store or (0) in all.
func (x *Session) count(q reader, session, store int64) error {
	return q.Row(`SELECT count(*), coalesce(sum(c.versions),0), count(c.undone_by),
			(SELECT count(*) FROM read WHERE session=?1 AND (?2=0 OR store=?2))
		FROM `+changesOf(`SELECT ?1`)+` x CROSS JOIN change c ON c.id=x.id WHERE ?2=0 OR c.store=?2`, session, store).
		Scan(&x.Changes, &x.Versions, &x.Undone, &x.Reads)
}

// Sessions lists the sessions that changed or read something in this store, the most recently active
// first, at most limit of them. It counts only what they did in this store.
func (s *Store) Sessions(ctx context.Context, f SessionFilter, before Cursor, limit int) ([]Session, Cursor, error) {
	f.Store, f.ByActivity = s.info.ID, true
	return s.t.Sessions(ctx, f, before, limit)
}

// storesOf returns the stores that a session changed or read, in the order they were created.
func storesOf(q reader, session int64) (out []StoreID, err error) {
	var id StoreID
	return db.All(q.Rows(`SELECT uid FROM store WHERE id IN (SELECT store FROM change WHERE id IN `+changesOf(`SELECT ?1`)+`)
		OR EXISTS(SELECT 1 FROM read WHERE session=?1 AND store=store.id) ORDER BY id`, session), &id, idTo(&id))
}
