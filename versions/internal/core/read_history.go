package core

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/diff"
	"github.com/memend/memend/versions/internal/tables"
)

// View runs read on one snapshot.
func View(ctx context.Context, t *Trail, read func(tables.Reader) error) error {
	return t.DB.View(ctx, read)
}

// ViewOf returns what read found on one snapshot.
func ViewOf[T any](ctx context.Context, t *Trail, read func(tables.Reader) (T, error)) (out T, err error) {
	err = View(ctx, t, func(q tables.Reader) error {
		out, err = read(q)
		return err
	})
	return out, err
}

// HistoryOf is History of the memory in a row.
func HistoryOf(s *Store, q tables.Reader, memory int64, before, limit int) (out []versions.Version, err error) {
	if before <= 0 {
		before = 1 << 62
	}
	// One more than requested, for the line counts of the oldest.
	vs, err := tables.ScanVersions(q, tables.VersionsBefore, memory, before, limit+1)
	if err != nil {
		return nil, err
	}
	for i := range vs[:min(limit, len(vs))] {
		var prev tables.Stored
		if i+1 < len(vs) {
			prev = vs[i+1]
		}
		if err := CountLines(s, q, &vs[i], prev.Blob, !prev.Redacted.IsZero()); err != nil {
			return nil, err
		}
		out = append(out, vs[i].Version)
	}
	return out, tables.SetUndone(q, memory, out)
}

// maxCounts limits the cached line counts. A history of a million versions would otherwise cache as
// many.
const maxCounts = 10_000

// MaxCountBytes is the size of a content from which on lists don't count its changed lines.
const MaxCountBytes = 2 << 20

// CountLines sets how many lines v added and removed compared with the content in blob prev, unless
// that was erased or is damaged. It also sets whether the content of v is damaged. Only a redaction
// changes the counts of a version, so they are cached.
func CountLines(s *Store, q db.Queryer, v *tables.Stored, prev int64, erased bool) error {
	if v.Blob == prev || v.Size > MaxCountBytes || erased || !v.Redacted.IsZero() || v.Damaged {
		return nil
	}
	s.Mu.RLock()
	n, ok := s.Counts[v.Row]
	s.Mu.RUnlock()
	if !ok {
		var before, after []byte
		var err error
		if v.Blob != 0 {
			after, err = blobs.Get(q, v.Blob)
			if v.Damaged = errors.Is(err, versions.ErrDamaged); v.Damaged {
				return nil
			}
		}
		if err == nil && prev != 0 {
			if before, err = blobs.Get(q, prev); errors.Is(err, versions.ErrDamaged) {
				return nil
			}
		}
		if err != nil {
			return err
		}
		if len(before) > MaxCountBytes {
			return nil
		}
		n[0], n[1] = diff.Count(before, after)
		s.Mu.Lock()
		if len(s.Counts) >= maxCounts {
			clear(s.Counts) // dropped counts are computed again when needed
		}
		s.Counts[v.Row] = n
		s.Mu.Unlock()
	}
	v.Added, v.Removed = n[0], n[1]
	return nil
}

// VersionAt returns the version with this number of the memory at p; number 0 is the newest. When
// there is no memory at p, it uses the memory that was there last.
func (s *Store) VersionAt(ctx context.Context, p memfs.Path, number int) (v versions.Version, err error) {
	before := 0
	if number > 0 {
		before = number + 1
	}
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		memory, _, err := MemoryAt(s, q, p)
		if err != nil {
			return err
		}
		vs, err := HistoryOf(s, q, memory, before, 1)
		if err != nil {
			return err
		}
		if len(vs) == 0 || number > 0 && vs[0].Number != number {
			return fmt.Errorf("%w: %s has no version %d", versions.ErrNoVersion, p.Tool(), number)
		}
		v = vs[0]
		return nil
	})
	return v, err
}

// Newest returns the newest version of the memory that is at p now, without the counts of its lines and
// without what undid it: what can be known at once.
func (s *Store) Newest(ctx context.Context, p memfs.Path) (versions.Version, error) {
	v, err := tables.ScanVersion(s.Trail.DB.Row(ctx, tables.NewestAt, s.Row, versions.Key(p)))
	return v.Version, tables.NotFound(err, versions.ErrNoMemory, p.Tool())
}

// MemoryAt returns the memory that is at a path, or else the one that was there last.
func MemoryAt(s *Store, q tables.Reader, p memfs.Path) (row int64, id versions.MemoryID, err error) {
	err = q.Row(`SELECT m.id,m.uid FROM head h JOIN memory m ON m.id=h.memory WHERE h.store=? AND h.path=?`, s.Row, versions.Key(p)).Scan(&row, tables.IDTo(&id))
	if errors.Is(err, sql.ErrNoRows) {
		err = q.Row(`SELECT m.id,m.uid FROM version v JOIN memory m ON m.id=v.memory WHERE (v.path=?1 OR v.origin=?1) AND m.store=?2 ORDER BY v.id DESC LIMIT 1`, versions.Key(p), s.Row).Scan(&row, tables.IDTo(&id))
	}
	if err != nil {
		return 0, "", tables.NotFound(err, versions.ErrNoMemory, p.Tool())
	}
	return row, id, nil
}

// ListChanges reads the changes that a condition selects.
func ListChanges(ctx context.Context, s *Store, where string, args ...any) ([]versions.Change, error) {
	var c versions.Change
	return db.All(s.Trail.DB.Rows(ctx, `SELECT `+tables.ChangeColumns+tables.ChangeTables+`WHERE `+where, args...), &c, tables.ChangeTo(&c)...)
}

// MaxCounted is the number of versions in one change whose lines are counted.
const MaxCounted = 200

// LastChange returns the number of the newest change, or 0 when there is none.
func (s *Store) LastChange(ctx context.Context) (n int64, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT changes FROM store WHERE id=?`, s.Row).Scan(&n)
	return n, err
}

// ChangesAfter lists at most limit changes newer than n, oldest first.
func ChangesAfter(ctx context.Context, s *Store, n int64, limit int) ([]versions.Change, error) {
	return ListChanges(ctx, s, `c.store=? AND c.number>? AND `+tables.Complete+` ORDER BY c.number LIMIT ?`, s.Row, n, limit)
}

// Reading is the first read of versions by a session.
type Reading struct{ Session, TS, Version int64 }
