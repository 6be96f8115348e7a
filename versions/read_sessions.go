package versions

import (
	"context"
	"slices"
)

// Sessions lists the sessions that changed or read something in this store, the most recently
// active first, at most limit of them. It starts after the session before (the zero Session: at the
// most recent). It counts only what they did in this store.
func (s *Store) Sessions(ctx context.Context, f SessionFilter, before Session, limit int) (out []Session, err error) {
	var c conditions
	c.and(`(EXISTS(SELECT 1 FROM read r WHERE r.session=s.id AND r.store=?) OR EXISTS(SELECT 1 FROM change c WHERE c.session=s.id AND c.store=?))`, s.id, s.id)
	if before.ID != "" {
		c.and(`(s.seen,s.id)<(?,(SELECT id FROM session WHERE uid=?))`, before.Seen.UnixMicro(), string(before.ID))
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
	err = s.t.view(ctx, func(q reader) error {
		out, err = s.readSessions(q, c.String(), append(c.args, limit))
		return err
	})
	return out, err
}

func (s *Store) readSessions(q reader, where string, args []any) (out []Session, err error) {
	for row, err := range q.Each(`SELECT s.uid, a.kind, a.name, coalesce(a.title,''), s.started, s.seen, count(c.id), coalesce(sum(c.versions),0), count(c.undone_by),
			(SELECT count(*) FROM read WHERE session=s.id AND store=?)
		FROM (SELECT s.* FROM session s WHERE `+where+` ORDER BY s.seen DESC, s.id DESC LIMIT ?) s
		JOIN actor a ON a.id=s.actor LEFT JOIN change c ON c.session=s.id AND c.store=?
		GROUP BY s.id ORDER BY s.seen DESC, s.id DESC`, slices.Concat([]any{s.id}, args, []any{s.id})...) {
		if err != nil {
			return nil, err
		}
		x := Session{Stores: []StoreID{s.info.ID}}
		var started, seen int64
		if err := row.Scan(&x.ID, &x.Actor.Kind, &x.Actor.Name, &x.Actor.Title, &started, &seen, &x.Changes, &x.Versions, &x.Undone, &x.Reads); err != nil {
			return nil, err
		}
		x.Started, x.Seen = fromMicros(started), fromMicros(seen)
		out = append(out, x)
	}
	return out, nil
}
