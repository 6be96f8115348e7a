package history

import (
	"context"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Reads lists the reads of a memory, newest first, at most limit of them.
func Reads(ctx context.Context, s *core.Store, m versions.MemoryID, before versions.Cursor, limit int) (out []versions.Read, next versions.Cursor, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		var id int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(m)), s.Row).Scan(&id); err != nil {
			return tables.NotFound(err, versions.ErrNoMemory, string(m))
		}
		var c conditions
		c.and(`r.memory=?`, id)
		if before != "" {
			var ts, read int64
			if err := before.Numbers(&ts, &read); err != nil {
				return err
			}
			c.and(`(r.ts,r.id)<(?,?)`, ts, read)
		}
		r := versions.Read{Memory: m}
		var at, last [2]int64
		rows := q.Rows(`SELECT r.ts, r.id, r.ts, v.uid, coalesce(v.number,0), a.kind, a.name, coalesce(a.title,''), coalesce(s.uid,''), coalesce(r.tool_use,''), coalesce(r.turn,0)
			FROM read r JOIN actor a ON a.id=r.actor LEFT JOIN session s ON s.id=r.session LEFT JOIN version v ON v.id=r.version
			WHERE `+c.String()+` ORDER BY r.ts DESC, r.id DESC LIMIT ?`, append(c.args, limit+1)...)
		for range rows.Each(&at[0], &at[1], tables.TimeTo(&r.Time), tables.IDTo(&r.Version), &r.Number, &r.Actor.Kind, &r.Actor.Name, &r.Actor.Title, &r.Session, &r.ToolUse, &r.Turn) {
			if len(out) == limit {
				next = CursorAt(last[0], last[1])
				return nil
			}
			out, last = append(out, r), at
		}
		return rows.Err()
	})
	return out, next, err
}

// ReadStats summarizes the reads of these memories, or of all current memories when none is given,
// in one query. A memory that was never read has no entry.
func ReadStats(ctx context.Context, s *core.Store, memories ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error) {
	of, args := `SELECT memory FROM head WHERE store=?`, []any{s.Row}
	if len(memories) > 0 {
		for _, m := range memories {
			args = append(args, ids.Parse(ids.MemoryPrefix, string(m)))
		}
		of = `SELECT id FROM memory WHERE store=? AND uid IN (?` + strings.Repeat(`,?`, len(memories)-1) + `)`
	}
	out := map[versions.MemoryID]versions.ReadStat{}
	err := core.View(ctx, s.Trail, func(q tables.Reader) error {
		var some bool // most stores have no reads, and a query for each memory takes time
		if err := q.Row(`SELECT EXISTS(SELECT 1 FROM read WHERE store=?)`, s.Row).Scan(&some); err != nil || !some {
			return err
		}
		var id versions.MemoryID
		var st versions.ReadStat
		rows := q.Rows(`SELECT m.uid, max(r.ts), count(*), count(DISTINCT r.session)
			FROM read r JOIN memory m ON m.id=r.memory WHERE r.memory IN (`+of+`) GROUP BY r.memory`, args...)
		for range rows.Each(tables.IDTo(&id), tables.TimeTo(&st.Last), &st.Reads, &st.Sessions) {
			out[id] = st
		}
		return rows.Err()
	})
	return out, err
}
