package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/ids"
)

// reader is one snapshot of the trail. It must not outlive one call: while it is open, a redaction
// can't be finished.
type reader = db.Snapshot

// view runs read on one snapshot.
func (t *Trail) view(ctx context.Context, read func(reader) error) error { return t.db.View(ctx, read) }

// notFound replaces sql.ErrNoRows with an error that names what is missing.
func notFound(err, what error, which string) error {
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: %s", what, which)
	}
	return err
}

const versionColumns = `v.id,v.uid,m.uid,v.number,c.number,c.kind,v.op,v.path,v.origin,coalesce(v.blob,0),
	` + knownHash + `,coalesce(b.size,0),a.kind,a.name,coalesce(a.title,''),coalesce(s.uid,''),coalesce(` + callOf + `,''),coalesce(` + turnOf + `,0),` + doorAndInputs + `,` + isInferred + `,c.ts,v.redacted,coalesce(r.kind,''),coalesce(r.name,''),
	` + beginOfMessage + `,v.blob IS NOT NULL AND coalesce(b.enc,16)>=16,` + acrossColumn + `,v.op='created' AND a.kind='outside' AND ` + isFound

// acrossColumn is the version in another store that a version names, as JSON.
const acrossColumn = `CASE WHEN v.source IS NOT NULL THEN (SELECT json_array(hex(ost.uid),ost.name,hex(o.uid),o.number,coalesce(o.path,''))
	FROM version o JOIN memory om ON om.id=o.memory JOIN store ost ON ost.id=om.store WHERE o.id=v.source AND om.store<>m.store) END`

const versionTables = ` FROM version v JOIN memory m ON m.id=v.memory JOIN change c ON c.id=v.change` + attributed + `JOIN actor a ON a.id=` + makerOf + `
	LEFT JOIN session s ON s.id=` + sessionOf + ` LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by `

// stored is a version as the tables have it.
type stored struct {
	Version
	row, blob int64
}

// columns are the destinations of the versionColumns.
func (v *stored) columns() []any {
	return []any{&v.row, idTo(&v.ID), idTo(&v.Memory), &v.Number, &v.Change, &v.Kind, &v.Operation, pathTo(&v.Path), pathTo(&v.From), &v.blob,
		hashTo(&v.SHA256), &v.Size, &v.Actor.Kind, &v.Actor.Name, &v.Actor.Title, &v.Session, &v.ToolUse, &v.Turn, &v.Door, &v.Inputs, &v.Inferred, timeTo(&v.Time), timeTo(&v.Redacted), &v.RedactedBy.Kind, &v.RedactedBy.Name,
		parsedTo(&v.Subject, subjectOf), &v.Damaged, parsedTo(&v.Across, acrossOf), &v.Found}
}

func scanVersion(row db.Row) (v stored, err error) {
	err = row.Scan(v.columns()...)
	return v, err
}

func scanVersions(q db.Queryer, text string, args ...any) ([]stored, error) {
	var v stored
	return db.All(q.Rows(text, args...), &v, v.columns()...)
}

// History lists the versions of one memory with numbers below before (0: from the newest), newest
// first, at most limit of them.
func (s *Store) History(ctx context.Context, m MemoryID, before, limit int) ([]Version, error) {
	var out []Version
	err := s.t.view(ctx, func(q reader) error {
		var id int64
		if err := q.Row(memoryNamed, ids.Parse(ids.MemoryPrefix, string(m)), s.id).Scan(&id); err != nil {
			return notFound(err, ErrNoMemory, string(m))
		}
		var err error
		out, err = s.historyOf(q, id, before, limit)
		return err
	})
	return out, err
}

// Statements for the versions of a memory. They are long, so preparing them costs more than most answers.
const (
	memoryNamed    = `SELECT id FROM memory WHERE uid=? AND store=?`
	versionsBefore = `SELECT ` + versionColumns + versionTables + `WHERE v.memory=? AND v.number<? ORDER BY v.number DESC LIMIT ?`
	undoneBetween  = `SELECT v.number,c.undone_by FROM version v JOIN change c ON c.id=v.change
		WHERE v.memory=? AND v.number BETWEEN ? AND ? AND c.undone_by IS NOT NULL AND NOT ` + inEffect
)

// HistoryBefore lists the versions of the memory in another store that a version was copied from, up to the
// copied one, with numbers below before (0: from the newest), newest first, at most limit of them.
func (s *Store) HistoryBefore(ctx context.Context, a Across, before, limit int) (out []Version, err error) {
	if before <= 0 || before > a.Number {
		before = a.Number + 1
	}
	err = s.t.view(ctx, func(q reader) error {
		var memory int64
		if err := q.Row(`SELECT memory FROM version WHERE uid=?`, ids.Parse(ids.VersionPrefix, string(a.Version))).Scan(&memory); err != nil {
			return notFound(err, ErrNoVersion, string(a.Version))
		}
		out, err = s.historyOf(q, memory, before, limit)
		return err
	})
	return out, err
}

// historyOf is History of the memory in a row.
func (s *Store) historyOf(q reader, memory int64, before, limit int) (out []Version, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	// One more than requested, for the line counts of the oldest.
	vs, err := scanVersions(q, versionsBefore, memory, before, limit+1)
	if err != nil {
		return nil, err
	}
	for i := range vs[:min(limit, len(vs))] {
		var prev stored
		if i+1 < len(vs) {
			prev = vs[i+1]
		}
		if err := s.countLines(q, &vs[i], prev.blob, !prev.Redacted.IsZero()); err != nil {
			return nil, err
		}
		out = append(out, vs[i].Version)
	}
	return out, setUndone(q, memory, out)
}

// setUndone sets by which changes those of versions, newest first, of a memory were undone.
func setUndone(q reader, memory int64, vs []Version) error {
	if len(vs) == 0 {
		return nil
	}
	by, err := db.Map[int, int64](q.Rows(undoneBetween, memory, vs[len(vs)-1].Number, vs[0].Number))
	if err != nil {
		return err
	}
	for i := range vs {
		vs[i].UndoneBy = by[vs[i].Number]
	}
	return nil
}

// maxCounts limits the cached line counts. A history of a million versions would otherwise cache as
// many.
const maxCounts = 10_000

// maxCountBytes is the size of a content from which on lists don't count its changed lines.
const maxCountBytes = 2 << 20

// countLines sets how many lines v added and removed compared with the content in blob prev, unless
// that was erased or is damaged. It also sets whether the content of v is damaged. Only a redaction
// changes the counts of a version, so they are cached.
func (s *Store) countLines(q db.Queryer, v *stored, prev int64, erased bool) error {
	if v.blob == prev || v.Size > maxCountBytes || erased || !v.Redacted.IsZero() || v.Damaged {
		return nil
	}
	s.mu.RLock()
	n, ok := s.counts[v.row]
	s.mu.RUnlock()
	if !ok {
		var before, after []byte
		var err error
		if v.blob != 0 {
			after, err = blobs.Get(q, v.blob)
			if v.Damaged = errors.Is(err, ErrDamaged); v.Damaged {
				return nil
			}
		}
		if err == nil && prev != 0 {
			if before, err = blobs.Get(q, prev); errors.Is(err, ErrDamaged) {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if len(before) > maxCountBytes {
			return nil
		}
		n[0], n[1] = diff.Count(before, after)
		s.mu.Lock()
		if len(s.counts) >= maxCounts {
			clear(s.counts) // dropped counts are computed again when needed
		}
		s.counts[v.row] = n
		s.mu.Unlock()
	}
	v.Added, v.Removed = n[0], n[1]
	return nil
}

// Version returns the version with this id.
func (s *Store) Version(ctx context.Context, id VersionID) (Version, error) {
	v, err := s.version(ctx, id)
	return v.Version, err
}

const versionOfRow = `SELECT ` + versionColumns + versionTables + `WHERE v.id=?`

func (s *Store) version(ctx context.Context, id VersionID) (v stored, err error) {
	err = s.t.view(ctx, func(q reader) error {
		row, err := s.findVersion(q, id)
		if err != nil {
			return err
		}
		if v, err = scanVersion(q.Row(versionOfRow, row)); err != nil {
			return notFound(err, ErrNoVersion, string(id))
		}
		return s.countWithPrevious(q, &v)
	})
	return v, err
}

const contentBefore = `SELECT coalesce(blob,0),redacted IS NOT NULL FROM version WHERE memory=(SELECT memory FROM version WHERE id=?) AND number<? ORDER BY number DESC LIMIT 1`

// countWithPrevious counts the lines of v compared with the version before it.
func (s *Store) countWithPrevious(q reader, v *stored) error {
	var prev int64
	var erased bool
	err := q.Row(contentBefore, v.row, v.Number).Scan(&prev, &erased)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return s.countLines(q, v, prev, erased)
}

// VersionAt returns the version with this number of the memory at p; number 0 is the newest. When
// there is no memory at p, it uses the memory that was there last.
func (s *Store) VersionAt(ctx context.Context, p memfs.Path, number int) (v Version, err error) {
	before := 0
	if number > 0 {
		before = number + 1
	}
	err = s.t.view(ctx, func(q reader) error {
		memory, _, err := s.memoryAt(q, p)
		if err != nil {
			return err
		}
		vs, err := s.historyOf(q, memory, before, 1)
		if err != nil {
			return err
		}
		if len(vs) == 0 || number > 0 && vs[0].Number != number {
			return fmt.Errorf("%w: %s has no version %d", ErrNoVersion, p.Tool(), number)
		}
		v = vs[0]
		return nil
	})
	return v, err
}

// MemoryAt returns the memory at p, or the one that was there last.
func (s *Store) MemoryAt(ctx context.Context, p memfs.Path) (id MemoryID, err error) {
	err = s.t.view(ctx, func(q reader) error {
		_, id, err = s.memoryAt(q, p)
		return err
	})
	return id, err
}

func (s *Store) memoryAt(q reader, p memfs.Path) (row int64, id MemoryID, err error) {
	err = q.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, s.id, key(p)).Scan(&row, idTo(&id))
	if errors.Is(err, sql.ErrNoRows) {
		err = q.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE (v.path=?1 OR v.origin=?1) AND m.store=?2 ORDER BY v.id DESC LIMIT 1`, key(p), s.id).Scan(&row, idTo(&id))
	}
	if err != nil {
		return 0, "", notFound(err, ErrNoMemory, p.Tool())
	}
	return row, id, nil
}

// Content returns the content of a version.
func (s *Store) Content(ctx context.Context, id VersionID) (b []byte, err error) {
	err = s.t.view(ctx, func(q reader) error {
		row, err := s.findVersion(q, id)
		if err != nil {
			return err
		}
		b, err = contentIn(q, row, id)
		return err
	})
	return b, err
}

// contentIn returns the content of the version in a row.
func contentIn(q reader, row int64, id VersionID) ([]byte, error) {
	var op string
	var blob, redacted int64
	if err := q.Row(`SELECT op,coalesce(blob,0),coalesce(redacted,0) FROM version WHERE id=?`, row).Scan(&op, &blob, &redacted); err != nil {
		return nil, err
	}
	switch {
	case redacted != 0:
		return nil, erased(q, id)
	case Operation(op) == Deleted:
		return nil, fmt.Errorf("version %s: %w", id, ErrDeletion)
	}
	return blobs.Get(q, blob)
}
