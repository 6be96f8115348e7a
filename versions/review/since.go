package review

import (
	"context"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// byOthers is an SQL condition: somebody other than a person made the change c of the store st after change ?2, since its history
// began. What undoes something or puts it back is left out, because the change itself says if it is in effect, and so is what
// nobody wanted to change.
const byOthers = `c.store=?1 AND c.number>max(?2,coalesce(st.began,st.changes)) AND a.kind<>'person' AND c.kind NOT IN ('undo','redo','forget','lost')`

// MadeSince lists versions that others than persons made after a change and that are in effect, newest first, at most limit of
// them. Lines are not counted.
func MadeSince(ctx context.Context, s *core.Store, change int64, limit int) (out []versions.Version, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		stored, err := tables.ScanVersions(q, `SELECT `+tables.VersionColumns+tables.VersionTables+`JOIN store st ON st.id=c.store
			WHERE `+byOthers+` AND (c.undone_by IS NULL OR `+tables.InEffect+`) ORDER BY v.id DESC LIMIT ?3`, s.Row, change, limit)
		for _, v := range stored {
			out = append(out, v.Version)
		}
		return err
	})
	return out, err
}

// UndoneSince counts changes that others than persons made after a change and that are undone.
func UndoneSince(ctx context.Context, s *core.Store, change int64) (n int, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT count(*)`+tables.ChangeTables+`JOIN store st ON st.id=c.store
		WHERE `+byOthers+` AND c.undone_by IS NOT NULL AND NOT `+tables.InEffect, s.Row, change).Scan(&n)
	return n, err
}

// ReadersSince counts sessions of others than persons that only read in the store since a time; change is the last one before it.
func ReadersSince(ctx context.Context, s *core.Store, since time.Time, change int64) (n int, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT count(*) FROM session s JOIN actor a ON a.id=s.actor WHERE s.seen>=?3 AND a.kind<>'person'
		AND EXISTS(SELECT 1 FROM read r WHERE r.session=s.id AND r.store=?1 AND r.ts>=?3)
		AND NOT EXISTS(SELECT 1 FROM `+tables.ChangesOf(`SELECT s.id`)+` x CROSS JOIN change c ON c.id=x.id WHERE c.store=?1 AND c.number>?2)`,
		s.Row, change, since.UnixMicro()).Scan(&n)
	return n, err
}
