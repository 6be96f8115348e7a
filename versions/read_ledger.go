package versions

import (
	"context"
	"strings"
	"time"

	"github.com/memend/memend/versions/ids"
)

// Read is one record of the ledger.
type Read struct {
	Memory  MemoryID
	Version VersionID // the memory's newest version at that time; empty when unknown
	Number  int       // number of that version
	Actor   Actor
	Session SessionID
	ToolUse string
	Turn    int
	Time    time.Time
}

// Reads lists the reads of a memory, newest first, at most limit of them.
func (s *Store) Reads(ctx context.Context, m MemoryID, before Cursor, limit int) (out []Read, next Cursor, err error) {
	err = s.t.view(ctx, func(q reader) error {
		var id int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(m)), s.id).Scan(&id); err != nil {
			return notFound(err, ErrNoMemory, string(m))
		}
		var c conditions
		c.and(`r.memory=?`, id)
		if before != "" {
			var ts, read int64
			if err := before.numbers(&ts, &read); err != nil {
				return err
			}
			c.and(`(r.ts,r.id)<(?,?)`, ts, read)
		}
		r := Read{Memory: m}
		var at, last [2]int64
		rows := q.Rows(`SELECT r.ts, r.id, r.ts, v.uid, coalesce(v.number,0), a.kind, a.name, coalesce(a.title,''), coalesce(s.uid,''), coalesce(r.tool_use,''), coalesce(r.turn,0)
			FROM read r JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session LEFT JOIN version v ON v.id=r.version
			WHERE `+c.String()+` ORDER BY r.ts DESC, r.id DESC LIMIT ?`, append(c.args, limit+1)...)
		for range rows.Each(&at[0], &at[1], timeTo(&r.Time), idTo(&r.Version), &r.Number, &r.Actor.Kind, &r.Actor.Name, &r.Actor.Title, &r.Session, &r.ToolUse, &r.Turn) {
			if len(out) == limit {
				next = cursorAt(last[0], last[1])
				return nil
			}
			out, last = append(out, r), at
		}
		return rows.Err()
	})
	return out, next, err
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
		var id MemoryID
		var st ReadStat
		rows := q.Rows(`SELECT m.uid, max(r.ts), count(*), count(DISTINCT r.session)
			FROM read r JOIN memory m ON m.id=r.memory WHERE r.memory IN (`+of+`) GROUP BY r.memory`, args...)
		for range rows.Each(idTo(&id), timeTo(&st.Last), &st.Reads, &st.Sessions) {
			out[id] = st
		}
		return rows.Err()
	})
	return out, err
}
