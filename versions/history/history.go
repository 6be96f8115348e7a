package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Of lists the versions of one memory with numbers below before (0: from the newest), newest
// first, at most limit of them.
func Of(ctx context.Context, s *core.Store, m versions.MemoryID, before, limit int) ([]versions.Version, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) ([]versions.Version, error) {
		var id int64
		if err := q.Row(memoryNamed, ids.Parse(ids.MemoryPrefix, string(m)), s.Row).Scan(&id); err != nil {
			return nil, tables.NotFound(err, versions.ErrNoMemory, string(m))
		}
		return core.HistoryOf(s, q, id, before, limit)
	})
}

// memoryNamed finds the row of a memory.
const memoryNamed = `SELECT id FROM memory WHERE uid=? AND store=?`

// Before lists the versions of the memory in another store that a version was copied from, up to the
// copied one, with numbers below before (0: from the newest), newest first, at most limit of them.
func Before(ctx context.Context, s *core.Store, a versions.Across, before, limit int) ([]versions.Version, error) {
	if before <= 0 || before > a.Number {
		before = a.Number + 1
	}
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) ([]versions.Version, error) {
		var memory int64
		if err := q.Row(`SELECT memory FROM version WHERE uid=?`, ids.Parse(ids.VersionPrefix, string(a.Version))).Scan(&memory); err != nil {
			return nil, tables.NotFound(err, versions.ErrNoVersion, string(a.Version))
		}
		return core.HistoryOf(s, q, memory, before, limit)
	})
}

// Version returns the version with this id.
func Version(ctx context.Context, s *core.Store, id versions.VersionID) (versions.Version, error) {
	v, err := version(ctx, s, id)
	return v.Version, err
}

const versionOfRow = `SELECT ` + tables.VersionColumns + tables.VersionTables + `WHERE v.id=?`

func version(ctx context.Context, s *core.Store, id versions.VersionID) (v tables.Stored, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		row, err := FindVersion(s, q, id)
		if err != nil {
			return err
		}
		if v, err = tables.ScanVersion(q.Row(versionOfRow, row)); err != nil {
			return tables.NotFound(err, versions.ErrNoVersion, string(id))
		}
		return countWithPrevious(s, q, &v)
	})
	return v, err
}

const contentBefore = `SELECT coalesce(blob,0),redacted IS NOT NULL FROM version WHERE memory=(SELECT memory FROM version WHERE id=?) AND number<? ORDER BY number DESC LIMIT 1`

// countWithPrevious counts the lines of v compared with the version before it.
func countWithPrevious(s *core.Store, q tables.Reader, v *tables.Stored) error {
	var prev int64
	var erased bool
	err := q.Row(contentBefore, v.Row, v.Number).Scan(&prev, &erased)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return err
	}
	return core.CountLines(s, q, v, prev, erased)
}

// MemoryAt returns the memory at p, or the one that was there last.
func MemoryAt(ctx context.Context, s *core.Store, p memfs.Path) (versions.MemoryID, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (versions.MemoryID, error) {
		_, id, err := core.MemoryAt(s, q, p)
		return id, err
	})
}

// Content returns the content of a version.
func Content(ctx context.Context, s *core.Store, id versions.VersionID) ([]byte, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) ([]byte, error) {
		row, err := FindVersion(s, q, id)
		if err != nil {
			return nil, err
		}
		return contentIn(q, row, id)
	})
}

// contentIn returns the content of the version in a row.
func contentIn(q tables.Reader, row int64, id versions.VersionID) ([]byte, error) {
	var op string
	var blob, redacted int64
	if err := q.Row(`SELECT op,coalesce(blob,0),coalesce(redacted,0) FROM version WHERE id=?`, row).Scan(&op, &blob, &redacted); err != nil {
		return nil, err
	}
	switch {
	case redacted != 0:
		return nil, tables.Erased(q, id)
	case versions.Operation(op) == versions.Deleted:
		return nil, fmt.Errorf("version %s: %w", id, versions.ErrDeletion)
	}
	return blobs.Get(q, blob)
}
