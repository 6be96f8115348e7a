package versions

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
)

// VersionFilter chooses versions of a store. Zero fields choose all.
type VersionFilter struct {
	Memory    MemoryID // deleted or not
	Operation Operation
	Actor     Actor     // of this kind and name
	Session   SessionID // of an agent
	Since     time.Time
	Until     time.Time
	Contents  int64 // bytes of contents after which a page ends, with one version at least; 0: without contents
}

// ListedVersion is a version as lists have it: its lines are not counted.
type ListedVersion struct {
	Version
	Content []byte // where it was asked for and there is one; nil of a deletion, and of a version that is redacted or damaged
}

// VersionMark is a place in a list of versions: what is older is still to come. The
// zero VersionMark is before the newest.
type VersionMark struct {
	Change  int64 // its number
	Version int64 // of those that the change made, those made before
}

// Versions lists the versions of a store, newest first; those of one change in the
// order in which they were made, the last first. It says where to go on: zero when
// there is nothing older. Along the newest, by memory and by session the cost is that
// of the page; what an operation or an actor passes over is looked at, too.
func (s *Store) Versions(ctx context.Context, f VersionFilter, before VersionMark, limit int) (out []ListedVersion, next VersionMark, err error) {
	err = s.t.view(ctx, func(q reader) error {
		which, err := s.versionsWanted(q, f, before)
		if errors.Is(err, sql.ErrNoRows) { // of something that there is not
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
				next = VersionMark{found[i-1].Change, found[i-1].row}
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
		l.Content, err = blobContent(q, v.blob)
		if l.Damaged = errors.Is(err, ErrDamaged); l.Damaged {
			err = nil
		}
	}
	return l, err
}

// ListedVersion is one version as a list has it.
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

// wanted is a statement, but for its limit.
type wanted struct {
	text string
	args []any
}

// versionsWanted puts the statement together that finds them in order by an index:
// changes of the store by number, those of a session by row, versions of a memory by
// number. The three orders are one. sql.ErrNoRows: nothing can fit.
func (s *Store) versionsWanted(q reader, f VersionFilter, before VersionMark) (w wanted, err error) {
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
		if before != (VersionMark{}) {
			c.and(`v.number<(SELECT number FROM version WHERE id=? AND memory=?)`, before.Version, memory)
		}
		if f.Session != "" {
			c.and(`c.session=(SELECT id FROM session WHERE uid=?)`, string(f.Session))
		}
	case f.Session != "":
		order = `c.id DESC, v.id DESC`
		c.and(`c.session=(SELECT id FROM session WHERE uid=?) AND +c.store=?`, string(f.Session), s.id)
	default:
		c.and(`c.store=?`, s.id)
	}
	if f.Session != "" {
		c.and(`c.actor IN (SELECT id FROM actor WHERE kind=?)`, string(Agent))
	}
	if f.Actor != (Actor{}) {
		var actor int64
		if err := q.Row(`SELECT id FROM actor WHERE kind=? AND name=?`, string(f.Actor.Kind), f.Actor.Name).Scan(&actor); err != nil {
			return w, err
		}
		c.and(`c.actor=?`, actor)
	}
	if f.Operation != "" {
		c.and(`v.op=?`, string(f.Operation))
	}
	if err := s.within(q, &c, f, before); err != nil {
		return w, err
	}
	return wanted{`SELECT ` + versionColumns + ` FROM ` + from + restOfVersion + `WHERE ` + c.String() + ` ORDER BY ` + order + ` LIMIT ?`, slices.Clone(c.args)}, nil
}

// restOfVersion are the tables of versionColumns beside version and change.
const restOfVersion = ` CROSS JOIN memory m ON m.id=v.memory JOIN actor a ON a.id=c.actor
	LEFT JOIN session s ON s.id=c.session LEFT JOIN blob b ON b.id=v.blob LEFT JOIN actor r ON r.id=v.redacted_by `

// within chooses by number what was made between two times and before a place:
// later changes have later times.
func (s *Store) within(q reader, c *conditions, f VersionFilter, before VersionMark) error {
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
	if before != (VersionMark{}) {
		c.and(`c.number<=? AND (c.number<? OR v.id<?)`, before.Change, before.Change, before.Version)
	}
	return nil
}
