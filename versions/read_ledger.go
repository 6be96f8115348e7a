package versions

import (
	"context"
	"strings"
	"time"

	"github.com/memend/memend/versions/ids"
)

// Read is one record of the ledger.
type Read struct {
	ID      int64 // for paging; unrelated to the order
	Memory  MemoryID
	Version VersionID // the memory's newest version at that time; empty when unknown
	Number  int       // number of that version
	Actor   Actor
	Session SessionID
	ToolUse string
	Turn    int
	Time    time.Time
}

// Reads lists the reads of a memory, newest first, at most limit of them. It starts after the read
// before (0: at the newest).
func (s *Store) Reads(ctx context.Context, m MemoryID, before int64, limit int) (out []Read, err error) {
	err = s.t.view(ctx, func(q reader) error {
		var id int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(m)), s.id).Scan(&id); err != nil {
			return notFound(err, ErrNoMemory, string(m))
		}
		where, args := `r.memory=?`, []any{id}
		if before > 0 {
			where, args = where+` AND (r.ts,r.id)<(SELECT ts,id FROM read WHERE id=?)`, append(args, before)
		}
		for row, err := range q.Each(`SELECT r.id, coalesce(v.uid,x''), coalesce(v.number,0), a.kind, a.name, coalesce(a.title,''), coalesce(s.uid,''), coalesce(r.tool_use,''), coalesce(r.turn,0), r.ts
			FROM read r JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session LEFT JOIN version v ON v.id=r.version
			WHERE `+where+` ORDER BY r.ts DESC, r.id DESC LIMIT ?`, append(args, limit)...) {
			if err != nil {
				return err
			}
			r := Read{Memory: m}
			var uid []byte
			var ts int64
			if err := row.Scan(&r.ID, &uid, &r.Number, &r.Actor.Kind, &r.Actor.Name, &r.Actor.Title, &r.Session, &r.ToolUse, &r.Turn, &ts); err != nil {
				return err
			}
			if len(uid) > 0 {
				r.Version = VersionID(ids.Format(ids.VersionPrefix, uid))
			}
			r.Time = fromMicros(ts)
			out = append(out, r)
		}
		return nil
	})
	return out, err
}

// ReadStat summarizes the reads of one memory.
type ReadStat struct {
	Last     time.Time
	Reads    int
	Sessions int
}

// ReadStats summarizes the reads of these memories, or of all current memories when none is given,
// in one query. A memory that was never read has no entry.
func (s *Store) ReadStats(ctx context.Context, memories ...MemoryID) (map[MemoryID]ReadStat, error) {
	of, args := `SELECT memory FROM head WHERE store=?`, []any{s.id}
	if len(memories) > 0 {
		for _, m := range memories {
			args = append(args, ids.Parse(ids.MemoryPrefix, string(m)))
		}
		of = `SELECT id FROM memory WHERE store=? AND uid IN (?` + strings.Repeat(`,?`, len(memories)-1) + `)`
	}
	out := map[MemoryID]ReadStat{}
	err := s.t.view(ctx, func(q reader) error {
		var some bool // most stores have no reads, and a query for each memory takes time
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM read WHERE store=?)`, s.id).Scan(&some); err != nil || !some {
			return err
		}
		for row, err := range q.Each(`SELECT m.uid, max(r.ts), count(*), count(DISTINCT r.session)
			FROM read r JOIN memory m ON m.id=r.memory WHERE r.memory IN (`+of+`) GROUP BY r.memory`, args...) {
			if err != nil {
				return err
			}
			var uid []byte
			var st ReadStat
			var last int64
			if err := row.Scan(&uid, &last, &st.Reads, &st.Sessions); err != nil {
				return err
			}
			st.Last = fromMicros(last)
			out[MemoryID(ids.Format(ids.MemoryPrefix, uid))] = st
		}
		return nil
	})
	return out, err
}

// Session is one run of an agent or a person, with what it did in this home.
type Session struct {
	ID       SessionID
	Actor    Actor // who started it
	Started  time.Time
	Seen     time.Time // time of its last change or read
	Changes  int
	Versions int // number of versions that its changes made
	Undone   int // number of its changes that were undone
	Reads    int
	Stores   []StoreID // the stores that it changed or read
}

// SessionFilter selects sessions. Zero fields select all.
type SessionFilter struct {
	ID    SessionID
	Store StoreID // it changed or read something in this store
	Actor ActorKind
	Since time.Time // last seen since
	Until time.Time // started until
}

// Sessions lists the sessions of this home, the one that started last first, at most limit of them.
// It starts after the session before (empty: at the newest).
func (t *Trail) Sessions(ctx context.Context, f SessionFilter, before SessionID, limit int) (out []Session, err error) {
	where, args := []string{"TRUE"}, []any{}
	and := func(cond string, arg ...any) { where, args = append(where, cond), append(args, arg...) }
	if f.ID != "" {
		and("s.uid=?", string(f.ID))
	}
	if f.Store != "" {
		uid := ids.Parse(ids.StorePrefix, string(f.Store))
		and(`(EXISTS(SELECT 1 FROM change c WHERE c.session=s.id AND c.store=(SELECT id FROM store WHERE uid=?))
			OR EXISTS(SELECT 1 FROM read r WHERE r.session=s.id AND r.store=(SELECT id FROM store WHERE uid=?)))`, uid, uid)
	}
	if f.Actor != "" {
		and("a.kind=?", string(f.Actor))
	}
	if !f.Since.IsZero() {
		and("s.seen>=?", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		and("s.started<=?", f.Until.UnixMicro())
	}
	err = t.view(ctx, func(q reader) error {
		if before != "" {
			var id int64
			if err := q.Row(`SELECT id FROM session WHERE uid=?`, string(before)).Scan(&id); err != nil {
				return notFound(err, ErrNoSession, string(before))
			}
			and("s.id<?", id)
		}
		out, err = readSessions(q, strings.Join(where, " AND "), append(args, limit))
		return err
	})
	return out, err
}

func readSessions(q reader, where string, args []any) (out []Session, err error) {
	var ids []int64
	for row, err := range q.Each(`SELECT s.id, s.uid, a.kind, a.name, coalesce(a.title,''), s.started, s.seen, count(c.id), coalesce(sum(c.versions),0), count(c.undone_by),
			(SELECT count(*) FROM read WHERE session=s.id)
		FROM (SELECT s.* FROM session s JOIN actor a ON a.id=s.actor WHERE `+where+` ORDER BY s.id DESC LIMIT ?) s
		JOIN actor a ON a.id=s.actor LEFT JOIN change c ON c.session=s.id GROUP BY s.id ORDER BY s.id DESC`, args...) {
		if err != nil {
			return nil, err
		}
		var s Session
		var id, started, seen int64
		if err := row.Scan(&id, &s.ID, &s.Actor.Kind, &s.Actor.Name, &s.Actor.Title, &started, &seen, &s.Changes, &s.Versions, &s.Undone, &s.Reads); err != nil {
			return nil, err
		}
		s.Started, s.Seen = fromMicros(started), fromMicros(seen)
		ids, out = append(ids, id), append(out, s)
	}
	for i, id := range ids {
		if out[i].Stores, err = storesOf(q, id); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// storesOf returns the stores that a session changed or read, in the order they were created.
func storesOf(q reader, session int64) (out []StoreID, err error) {
	for row, err := range q.Each(`SELECT uid FROM store WHERE id IN (SELECT store FROM change WHERE session=?1)
		OR EXISTS(SELECT 1 FROM read WHERE session=?1 AND store=store.id) ORDER BY id`, session) {
		if err != nil {
			return nil, err
		}
		var uid []byte
		if err := row.Scan(&uid); err != nil {
			return nil, err
		}
		out = append(out, StoreID(ids.Format(ids.StorePrefix, uid)))
	}
	return out, nil
}
