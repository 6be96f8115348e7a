package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Versions lists the versions of a store, newest first. The versions of one change come in reverse
// order of their creation. The cost depends on the size of the page, also for a filter by memory or by session. A
// filter by operation or actor also reads the versions that it skips.
func Versions(ctx context.Context, s *core.Store, f versions.VersionFilter, before versions.Cursor, limit int) (out []versions.ListedVersion, next versions.Cursor, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		which, err := VersionsWanted(s, q, f, before)
		if errors.Is(err, sql.ErrNoRows) { // the filter names something that does not exist
			return nil
		}
		if err != nil {
			return err
		}
		found, err := tables.ScanVersions(q, which.Text, append(which.args, limit+1)...)
		if err != nil {
			return err
		}
		var bytes int64
		for i, v := range found {
			if i == limit || i > 0 && f.Contents > 0 && bytes >= f.Contents {
				next = CursorAt(found[i-1].Change, found[i-1].Row)
				break
			}
			l, err := listed(q, v, f.Contents > 0)
			if err != nil {
				return err
			}
			out, bytes = append(out, l), bytes+int64(len(l.Content))
		}
		return nil
	})
	return out, next, err
}

func listed(q db.Queryer, v tables.Stored, content bool) (l versions.ListedVersion, err error) {
	l.Version = v.Version
	if content && v.Blob != 0 && v.Redacted.IsZero() {
		l.Content, err = blobs.Get(q, v.Blob)
		if l.Damaged = errors.Is(err, versions.ErrDamaged); l.Damaged {
			err = nil
		}
	}
	return l, err
}

// ListedVersion returns one version in the form of a list.
func ListedVersion(ctx context.Context, s *core.Store, id versions.VersionID, content bool) (versions.ListedVersion, error) {
	return core.ViewOf(ctx, s.Trail, func(q tables.Reader) (l versions.ListedVersion, err error) {
		row, err := FindVersion(s, q, id)
		if err != nil {
			return l, err
		}
		v, err := tables.ScanVersion(q.Row(versionOfRow, row))
		if err != nil {
			return l, tables.NotFound(err, versions.ErrNoVersion, string(id))
		}
		return listed(q, v, content)
	})
}

// wanted is a statement without its limit.
type wanted struct {
	Text string
	args []any
}

// VersionsWanted builds the statement that finds versions in order by an index: changes of the
// store by number, changes of a session by row, or versions of a memory by number. All three orders
// are the same. It returns sql.ErrNoRows when nothing can match.
func VersionsWanted(s *core.Store, q tables.Reader, f versions.VersionFilter, before versions.Cursor) (w wanted, err error) {
	var c conditions
	from, order := `change c CROSS JOIN version v ON v.change=c.id`, `c.number DESC, v.id DESC`
	switch {
	case f.Memory != "":
		var memory int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(f.Memory)), s.Row).Scan(&memory); err != nil {
			return w, err
		}
		from, order = `version v CROSS JOIN change c ON c.id=v.change`, `v.number DESC`
		c.and(`v.memory=?`, memory)
		if before != "" {
			var change, version int64
			if err := before.Numbers(&change, &version); err != nil {
				return w, err
			}
			c.and(`v.number<(SELECT number FROM version WHERE id=? AND memory=?)`, version, memory)
		}
		if f.Session != "" {
			c.and(`c.id IN `+tables.ChangesOf(tables.SessionNamed), string(f.Session))
		}
	case f.Session != "":
		order = `c.id DESC, v.id DESC`
		c.and(`c.id IN `+tables.ChangesOf(tables.SessionNamed)+` AND +c.store=?`, string(f.Session), s.Row)
	default:
		c.and(`c.store=?`, s.Row)
	}
	if f.Session != "" {
		c.and(tables.MakerOf+` IN (SELECT id FROM actor WHERE kind=?)`, string(versions.Agent))
	}
	if f.Actor != (versions.Actor{}) {
		var actor int64
		if err := q.Row(`SELECT id FROM actor WHERE kind=? AND name=?`, string(f.Actor.Kind), f.Actor.Name).Scan(&actor); err != nil {
			return w, err
		}
		c.and(tables.MakerOf+`=?`, actor)
	}
	if f.Operation != "" {
		c.and(`v.op=?`, string(f.Operation))
	}
	if err := within(s, q, &c, f, before); err != nil {
		return w, err
	}
	return wanted{`SELECT ` + tables.VersionColumns + ` FROM ` + from + restOfVersion + `WHERE ` + c.String() + ` ORDER BY ` + order + ` LIMIT ?`, slices.Clone(c.args)}, nil
}

// restOfVersion joins the tables that VersionColumns need besides version and change.
const restOfVersion = ` CROSS JOIN memory m ON m.id=v.memory ` + tables.Attributed + `JOIN actor a ON a.id=` + tables.MakerOf + `
	LEFT JOIN session s ON s.id=` + tables.SessionOf + ` LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by `

// within adds conditions for versions between two times and before a position. It uses change
// numbers, because later changes have later times.
func within(s *core.Store, q tables.Reader, c *conditions, f versions.VersionFilter, before versions.Cursor) error {
	if !f.Since.IsZero() {
		n, err := changesUntil(s, q, f.Since.Add(-time.Microsecond))
		if err != nil {
			return err
		}
		c.and(`c.number>?`, n)
	}
	if !f.Until.IsZero() {
		n, err := changesUntil(s, q, f.Until)
		if err != nil {
			return err
		}
		c.and(`c.number<=?`, n)
	}
	if before != "" {
		var change, version int64
		if err := before.Numbers(&change, &version); err != nil {
			return err
		}
		c.and(`c.number<=? AND (c.number<? OR v.id<?)`, change, change, version)
	}
	return nil
}
