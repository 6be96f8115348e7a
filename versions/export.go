package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A page of an export is what one short read takes from the trail: a read that
// lasted as long as the export would keep redactions from being finished.
const (
	exportChanges  = 64
	exportVersions = 512 // but a change is never cut
)

// Export gives the whole history of the store as it is at the call, oldest change
// first. It holds one page of changes and one content in memory. It fails with
// ErrRedactedMeanwhile when a redaction came in between: what was given until then
// may hold what was erased.
func (s *Store) Export(ctx context.Context, each func(Item) error) error {
	unlock, err := s.enter(ctx) // whatever is half done is finished or forgotten first
	if err != nil {
		return err
	}
	e := &exporter{s: s, ctx: ctx, each: each}
	e.upTo, err = s.LastChange(ctx)
	if err == nil {
		e.redactions, err = s.redactions(ctx)
	}
	unlock()
	if err != nil {
		return err
	}
	for e.at < e.upTo {
		if err := e.page(); err != nil {
			return err
		}
	}
	now, err := s.redactions(ctx)
	if err == nil && now != e.redactions {
		err = ErrRedactedMeanwhile
	}
	return err
}

// redactions counts the redacted versions of the store.
func (s *Store) redactions(ctx context.Context) (n int64, err error) {
	err = s.t.get(ctx, `SELECT count(*) FROM version v JOIN memory m ON m.id=v.memory WHERE m.store=? AND v.redacted IS NOT NULL`, []any{s.id}, &n)
	return n, diskError(err)
}

type exporter struct {
	s          *Store
	ctx        context.Context
	each       func(Item) error
	at, upTo   int64
	redactions int64
}

// exported is a version and what must go before it.
type exported struct {
	RecordVersion
	change int64 // its number
	blob   int64 // of a content that no earlier change has; else 0
}

func (e *exporter) page() error {
	var records []*Record
	var vs []exported
	err := e.s.t.view(e.ctx, func(q reader) (err error) {
		if records, err = e.records(q); err != nil {
			return err
		}
		vs, err = e.versions(q, records[0].Number, records[len(records)-1].Number)
		return err
	})
	if err != nil {
		return err
	}
	for _, r := range records {
		first := map[int64]bool{}
		for ; len(vs) > 0 && vs[0].change == r.Number; vs = vs[1:] {
			r.Versions = append(r.Versions, vs[0].RecordVersion)
			if blob := vs[0].blob; blob != 0 && !first[blob] {
				first[blob] = true
				if err := e.content(blob); err != nil {
					return err
				}
			}
		}
		if err := e.each(Item{Record: r}); err != nil {
			return err
		}
		e.at = r.Number
	}
	return nil
}

func (e *exporter) content(blob int64) error {
	var b []byte
	err := e.s.t.view(e.ctx, func(q reader) (err error) {
		b, err = blobContent(q, blob)
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return ErrRedactedMeanwhile
	}
	if err != nil {
		return err
	}
	return e.each(Item{Content: b})
}

// records reads the changes of the next page, without their versions.
func (e *exporter) records(q reader) ([]*Record, error) {
	rows, err := q.rows(`SELECT c.number,c.kind,c.path,c.dest,c.versions,a.kind,a.name,coalesce(s.uid,''),coalesce(c.tool_use,''),coalesce(c.turn,0),
		c.ts,c.wall,coalesce(c.undoes,0),`+isInferred+changeTables+`WHERE c.store=? AND c.number>? AND c.number<=? ORDER BY c.number LIMIT ?`,
		e.s.id, e.at, e.upTo, exportChanges)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []*Record
	total := 0
	for rows.Next() {
		r := &Record{}
		var path, dest string
		var ts, wall int64
		var versions int
		if err := rows.Scan(&r.Number, &r.Kind, &path, &dest, &versions, &r.By.Actor.Kind, &r.By.Actor.Name, &r.By.Session, &r.By.ToolUse, &r.By.Turn,
			&ts, &wall, &r.Undoes, &r.Inferred); err != nil {
			return nil, err
		}
		if total += versions; total > exportVersions && len(out) > 0 {
			break
		}
		if r.Path, err = pathOf(path); err != nil {
			return nil, err
		}
		if r.To, err = pathOf(dest); err != nil {
			return nil, err
		}
		r.Time, r.Wall = fromMicros(ts), fromMicros(wall)
		out = append(out, r)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%w: change %d is missing", ErrDamaged, e.at+1)
	}
	return out, nil
}

// versions reads the versions of a page, in the order they were made. The cross
// joins keep SQLite to the order of the tables: it would look at all changes for
// each version.
func (e *exporter) versions(q reader, from, to int64) ([]exported, error) {
	rows, err := q.rows(`SELECT c.number,v.uid,m.uid,v.op,coalesce(v.path,''),coalesce(v.origin,''),coalesce(b.sha,x''),coalesce(b.size,0),
		coalesce((SELECT uid FROM version WHERE id=v.source),x''),coalesce(v.redacted,0),coalesce(a.kind,''),coalesce(a.name,''),
		coalesce(CASE WHEN NOT EXISTS(SELECT 1 FROM version w CROSS JOIN change k ON k.id=w.change WHERE w.blob=v.blob AND k.store=c.store AND k.number<c.number) THEN v.blob END,0)
		FROM change c CROSS JOIN version v ON v.change=c.id JOIN memory m ON m.id=v.memory LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor a ON a.id=v.redacted_by
		WHERE c.store=? AND c.number BETWEEN ? AND ? ORDER BY c.number,v.id`, e.s.id, from, to)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []exported
	for rows.Next() {
		v, err := scanExported(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

func scanExported(rows *sql.Rows) (v exported, err error) {
	var uid, mem, sha, source []byte
	var path, origin string
	var redacted int64
	if err := rows.Scan(&v.change, &uid, &mem, &v.Operation, &path, &origin, &sha, &v.Size, &source, &redacted,
		&v.RedactedBy.Kind, &v.RedactedBy.Name, &v.blob); err != nil {
		return v, err
	}
	v.ID, v.Memory = VersionID(formatUID(versionPrefix, uid)), MemoryID(formatUID(memoryPrefix, mem))
	if len(source) > 0 {
		v.Source = VersionID(formatUID(versionPrefix, source))
	}
	if redacted != 0 {
		v.Redacted = fromMicros(redacted)
		v.Size, v.blob = 0, 0
		return v, nil
	}
	copy(v.SHA256[:], sha)
	if v.Path, err = pathOf(path); err != nil {
		return v, err
	}
	v.From, err = pathOf(origin)
	return v, err
}
