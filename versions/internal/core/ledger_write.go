package core

import (
	"context"
	"database/sql"
	"errors"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
)

// writeReads writes reads to the trail, all or none.
func writeReads(ctx context.Context, batch []Noted) error {
	s := batch[0].store // any of them: the transaction is the trail's
	unlock, err := s.Trail.DB.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// A read is not worth an fsync.
	if err := InNonDurableTx(ctx, s, func(x *Txn) error { return newReadWriter(x, batch).write(batch) }); err != nil {
		return err
	}
	Notify(s.Trail)
	return nil
}

// readWriter writes one batch. It looks up what the reads of a batch share only once.
type readWriter struct {
	x        *Txn
	spans    map[versions.SessionID]span
	actors   map[versions.Actor]int64
	sessions map[versions.SessionID]int64
	heads    map[storePath]readHead
	inputs   map[int64]versions.Inputs // of the writers of versions
}

func newReadWriter(x *Txn, batch []Noted) readWriter {
	return readWriter{x: x, spans: readSpans(batch), actors: map[versions.Actor]int64{}, sessions: map[versions.SessionID]int64{},
		heads: map[storePath]readHead{}, inputs: map[int64]versions.Inputs{}}
}

// span holds the times of the first and last read of a session.
type span struct{ first, last int64 }

func readSpans(batch []Noted) map[versions.SessionID]span {
	out := map[versions.SessionID]span{}
	for _, n := range batch {
		s, ok := out[n.by.Session]
		if !ok {
			s.first = n.ts
		}
		out[n.by.Session] = span{min(s.first, n.ts), max(s.last, n.ts)}
	}
	return out
}

// storePath is a path in one of several stores.
type storePath struct {
	store int64
	path  memfs.Path
}

// readHead is the head at a path at the time when the batch is written.
type readHead struct{ memory, version, ts int64 }

const readColumns = 8

func (w readWriter) write(batch []Noted) error {
	var args []any
	for _, n := range batch {
		memory, version, err := w.what(n)
		if err != nil {
			return err
		}
		if memory == 0 { // it was read before it was a memory, and deleted before it became one
			continue
		}
		actor, session, err := w.who(n)
		if err != nil {
			return err
		}
		if err := w.takeIn(session, version, n.ts); err != nil {
			return err
		}
		args = append(args, n.store.Row, memory, tables.Null(version), actor, tables.Null(session), tables.Null(n.by.ToolUse), tables.Null(n.by.Turn), n.ts)
		if len(args) == ledgerAtOnce*readColumns {
			w.insert(args)
			args = args[:0]
		}
	}
	for ; len(args) > 0; args = args[readColumns:] {
		w.insert(args[:readColumns])
	}
	return nil
}

// takeInUnwritten records what a session took in by reads that are not written yet, so that a
// mutation right after a read knows of it.
func (x *Txn) takeInUnwritten(session versions.SessionID) error {
	if session == "" {
		return nil
	}
	batch := x.Store.Trail.Ledger.unwrittenBy(session)
	if len(batch) == 0 {
		return nil
	}
	w := newReadWriter(x, batch)
	for _, n := range batch {
		_, version, err := w.what(n)
		if err != nil {
			return err
		}
		_, row, err := w.who(n)
		if err == nil {
			err = w.takeIn(row, version, n.ts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// takeIn records for a session what the writer of a version that it read had taken in.
func (w readWriter) takeIn(session, version, ts int64) error {
	if session == 0 || version == 0 {
		return nil
	}
	in, known := w.inputs[version]
	if !known {
		var err error
		if in, err = w.x.VersionInputs(version); err != nil {
			return err
		}
		w.inputs[version] = in
	}
	w.x.noteInputs(session, tables.PassedOn(in), ts)
	return w.x.Err()
}

const insertRead = `INSERT INTO read(store,memory,version,actor,session,tool_use,turn,ts) VALUES(?,?,?,?,?,?,?,?)`

var insertReads = insertRead + strings.Repeat(`,(?,?,?,?,?,?,?,?)`, ledgerAtOnce-1)

func (w readWriter) insert(args []any) {
	if len(args) == readColumns {
		w.x.Exec(insertRead, args...)
		return
	}
	w.x.Exec(insertReads, args...)
}

// what returns the rows of the memory that was read and of its version at that moment, or 0 when
// there was no memory.
func (w readWriter) what(n Noted) (memory, version int64, err error) {
	if n.version != "" {
		err = w.x.Row(`SELECT v.memory, v.id FROM version v JOIN memory m ON m.id=v.memory WHERE v.uid=? AND m.store=?`,
			ids.Parse(ids.VersionPrefix, string(n.version)), n.store.Row).Scan(&memory, &version)
		return memory, version, tables.IgnoreNoRows(err)
	}
	at := storePath{n.store.Row, n.path}
	h, ok := w.heads[at]
	if !ok {
		err := w.x.Row(`SELECT memory,version,ts FROM head WHERE store=? AND path=?`, n.store.Row, versions.Key(n.path)).Scan(&h.memory, &h.version, &h.ts)
		if err := tables.IgnoreNoRows(err); err != nil {
			return 0, 0, err
		}
		w.heads[at] = h
	}
	if h.memory != 0 && h.ts <= n.ts {
		return h.memory, h.version, nil
	}
	// The memory was changed, moved or deleted since the read.
	var op string
	err = w.x.Row(`SELECT v.memory, v.id, v.op FROM version v JOIN change c ON c.id=v.change
		WHERE v.path=? AND c.store=? AND c.ts<=? ORDER BY v.id DESC LIMIT 1`, versions.Key(n.path), n.store.Row, n.ts).Scan(&memory, &version, &op)
	switch {
	case err != nil && !errors.Is(err, sql.ErrNoRows):
		return 0, 0, err
	case err == nil && versions.Operation(op) != versions.Deleted:
		return memory, version, nil
	}
	return h.memory, 0, nil // a file of another program, adopted after the read
}

// Reading returns the rows of the memories that were read.
func (x *Txn) Reading(reads []Noted) (map[int64]bool, error) {
	w := newReadWriter(x, nil)
	out := map[int64]bool{}
	for _, n := range reads {
		memory, _, err := w.what(n)
		if err != nil {
			return nil, err
		}
		out[memory] = true
	}
	return out, nil
}

// who returns the rows of the actor and session of a read. A session that only reads is a session
// too.
func (w readWriter) who(n Noted) (actor, session int64, err error) {
	actor, ok := w.actors[n.by.Actor]
	if !ok {
		if actor, err = w.x.Actor(n.by.Actor); err != nil {
			return 0, 0, err
		}
		w.actors[n.by.Actor] = actor
	}
	if n.by.Session == "" {
		return actor, 0, nil
	}
	session, ok = w.sessions[n.by.Session]
	if !ok {
		t := w.spans[n.by.Session]
		err = w.x.Row(`INSERT INTO session(uid,actor,started,seen) VALUES(?,?,?,?)
			ON CONFLICT(uid) DO UPDATE SET seen=max(seen,excluded.seen) RETURNING id`, string(n.by.Session), actor, t.first, t.last).Scan(&session)
		w.sessions[n.by.Session] = session
	}
	return actor, session, err
}
