package versions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// VersionFilter selects versions of a store. Zero fields select all.
type VersionFilter struct {
	Memory    MemoryID // deleted or not
	Operation Operation
	Actor     Actor     // by kind and name
	Session   SessionID // of an agent
	Since     time.Time
	Until     time.Time
	Contents  int64 // bytes of contents after which a page ends, but at least one version; 0: no contents
}

// ListedVersion is a version in a list: its lines are not counted.
type ListedVersion struct {
	Version
	Content []byte // when requested; nil for a deletion, and for a version that is redacted or damaged
}

// Versions lists the versions of a store, newest first. The versions of one change come in reverse
// order of their creation. The cost depends on the size of the page, also for a filter by memory or by session. A
// filter by operation or actor also reads the versions that it skips.
func (s *Store) Versions(ctx context.Context, f VersionFilter, before Cursor, limit int) (out []ListedVersion, next Cursor, err error) {
	err = s.t.view(ctx, func(q reader) error {
		which, err := s.versionsWanted(q, f, before)
		if errors.Is(err, sql.ErrNoRows) { // the filter names something that does not exist
			return nil
		}
		if err != nil {
			return err
		}
		found, err := scanVersions(q, which.text, append(which.args, limit+1)...)
		if err != nil {
			return err
		}
		var bytes int64
		for i, v := range found {
			if i == limit || i > 0 && f.Contents > 0 && bytes >= f.Contents {
				next = cursorAt(found[i-1].Change, found[i-1].row)
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

func listed(q db.Queryer, v stored, content bool) (l ListedVersion, err error) {
	l.Version = v.Version
	if content && v.blob != 0 && v.Redacted.IsZero() {
		l.Content, err = blobs.Get(q, v.blob)
		if l.Damaged = errors.Is(err, ErrDamaged); l.Damaged {
			err = nil
		}
	}
	return l, err
}

// ListedVersion returns one version in the form of a list.
func (s *Store) ListedVersion(ctx context.Context, id VersionID, content bool) (l ListedVersion, err error) {
	err = s.t.view(ctx, func(q reader) error {
		row, err := s.findVersion(q, id)
		if err != nil {
			return err
		}
		v, err := scanVersion(q.Row(`SELECT `+versionColumns+versionTables+`WHERE v.id=?`, row))
		if err != nil {
			return notFound(err, ErrNoVersion, string(id))
		}
		l, err = listed(q, v, content)
		return err
	})
	return l, err
}

// wanted is a statement without its limit.
type wanted struct {
	text string
	args []any
}

// versionsWanted builds the statement that finds versions in order by an index: changes of the
// store by number, changes of a session by row, or versions of a memory by number. All three orders
// are the same. It returns sql.ErrNoRows when nothing can match.
func (s *Store) versionsWanted(q reader, f VersionFilter, before Cursor) (w wanted, err error) {
	var c conditions
	from, order := `change c CROSS JOIN version v ON v.change=c.id`, `c.number DESC, v.id DESC`
	switch {
	case f.Memory != "":
		var memory int64
		if err := q.Row(`SELECT id FROM memory WHERE uid=? AND store=?`, ids.Parse(ids.MemoryPrefix, string(f.Memory)), s.id).Scan(&memory); err != nil {
			return w, err
		}
		from, order = `version v CROSS JOIN change c ON c.id=v.change`, `v.number DESC`
		c.and(`v.memory=?`, memory)
		if before != "" {
			var change, version int64
			if err := before.numbers(&change, &version); err != nil {
				return w, err
			}
			c.and(`v.number<(SELECT number FROM version WHERE id=? AND memory=?)`, version, memory)
		}
		if f.Session != "" {
			c.and(`c.id IN `+changesOf(sessionNamed), string(f.Session))
		}
	case f.Session != "":
		order = `c.id DESC, v.id DESC`
		c.and(`c.id IN `+changesOf(sessionNamed)+` AND +c.store=?`, string(f.Session), s.id)
	default:
		c.and(`c.store=?`, s.id)
	}
	if f.Session != "" {
		c.and(makerOf+` IN (SELECT id FROM actor WHERE kind=?)`, string(Agent))
	}
	if f.Actor != (Actor{}) {
		var actor int64
		if err := q.Row(`SELECT id FROM actor WHERE kind=? AND name=?`, string(f.Actor.Kind), f.Actor.Name).Scan(&actor); err != nil {
			return w, err
		}
		c.and(makerOf+`=?`, actor)
	}
	if f.Operation != "" {
		c.and(`v.op=?`, string(f.Operation))
	}
	if err := s.within(q, &c, f, before); err != nil {
		return w, err
	}
	return wanted{`SELECT ` + versionColumns + ` FROM ` + from + restOfVersion + `WHERE ` + c.String() + ` ORDER BY ` + order + ` LIMIT ?`, slices.Clone(c.args)}, nil
}

// restOfVersion joins the tables that versionColumns need besides version and change.
const restOfVersion = ` CROSS JOIN memory m ON m.id=v.memory ` + attributed + `JOIN actor a ON a.id=` + makerOf + `
	LEFT JOIN session s ON s.id=` + sessionOf + ` LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by `

// within adds conditions for versions between two times and before a position. It uses change
// numbers, because later changes have later times.
func (s *Store) within(q reader, c *conditions, f VersionFilter, before Cursor) error {
	if !f.Since.IsZero() {
		n, err := s.changesUntil(q, f.Since.Add(-time.Microsecond))
		if err != nil {
			return err
		}
		c.and(`c.number>?`, n)
	}
	if !f.Until.IsZero() {
		n, err := s.changesUntil(q, f.Until)
		if err != nil {
			return err
		}
		c.and(`c.number<=?`, n)
	}
	if before != "" {
		var change, version int64
		if err := before.numbers(&change, &version); err != nil {
			return err
		}
		c.and(`c.number<=? AND (c.number<? OR v.id<?)`, change, change, version)
	}
	return nil
}
