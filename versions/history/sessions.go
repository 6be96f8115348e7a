package history

import (
	"context"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// CountSessions returns the number of sessions that Sessions lists.
func CountSessions(ctx context.Context, s *core.Store) (n int, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT count(*) FROM session s WHERE `+activeIn, s.Row).Scan(&n)
	return n, err
}

// HomeSessions lists the sessions of this home, newest first, at most limit of them.
func HomeSessions(ctx context.Context, t *core.Trail, f versions.SessionFilter, before versions.Cursor, limit int) (out []versions.Session, next versions.Cursor, err error) {
	order, position := `s.id DESC`, `0,s.id`
	if f.ByActivity {
		order, position = `s.seen DESC, s.id DESC`, `s.seen,s.id`
	}
	err = core.View(ctx, t, func(q tables.Reader) error {
		c, store, err := sessionConditions(f, q, before)
		if err != nil {
			return tables.IgnoreNoRows(err)
		}
		var at, row int64
		var last [2]int64 // the position of the last session in out
		var rows []int64
		var x versions.Session
		found := q.Rows(`SELECT `+position+`, s.uid, a.kind, a.name, coalesce(a.title,''), s.started, s.seen
			FROM session s JOIN actor a ON a.id=s.actor WHERE `+c.String()+` ORDER BY `+order+` LIMIT ?`, append(c.args, limit+1)...)
		for range found.Each(&at, &row, &x.ID, &x.Actor.Kind, &x.Actor.Name, &x.Actor.Title, tables.TimeTo(&x.Started), tables.TimeTo(&x.Seen)) {
			if len(out) == limit {
				next = CursorAt(last[0], last[1])
				break
			}
			last = [2]int64{at, row}
			rows, out = append(rows, row), append(out, x)
		}
		if err := found.Err(); err != nil {
			return err
		}
		for i := range out {
			if err := countSession(&out[i], q, rows[i], store); err != nil {
				return err
			}
			out[i].Stores = []versions.StoreID{f.Store}
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

// Sessions lists the sessions that changed or read something in this store, or wanted to change it, the most recently active
// first, at most limit of them. It counts only what they did in this store.
func Sessions(ctx context.Context, s *core.Store, f versions.SessionFilter, before versions.Cursor, limit int) ([]versions.Session, versions.Cursor, error) {
	f.Store, f.ByActivity = s.Opened.ID, true
	return HomeSessions(ctx, s.Trail, f, before, limit)
}
