package history

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// Changes lists the changes of the store with numbers below before (0: from the newest), newest
// first, at most limit of them.
func Changes(ctx context.Context, s *core.Store, f versions.Filter, before int64, limit int) ([]versions.Change, error) {
	where, order, args := []string{"c.store=?"}, "c.number", []any{s.Row}
	and := func(cond string, arg ...any) { where, args = append(where, cond), append(args, arg...) }
	if before > 0 {
		and("c.number<?", before)
	}
	if f.Session != "" { // few among many; rows have the same order as numbers
		where[0], order = "+c.store=?", "c.id"
		and("c.id IN "+tables.ChangesOf(tables.SessionNamed), string(f.Session))
	}
	if f.Actor != "" {
		and("a.kind=?", string(f.Actor))
	}
	if f.Kind != "" {
		and("c.kind=?", string(f.Kind))
	}
	if !f.Since.IsZero() {
		n, err := ChangesUntil(ctx, s, f.Since.Add(-time.Microsecond))
		if err != nil {
			return nil, err
		}
		and("c.number>?", n)
	}
	if !f.Until.IsZero() {
		n, err := ChangesUntil(ctx, s, f.Until)
		if err != nil {
			return nil, err
		}
		and("c.number<=?", n)
	}
	if !f.In.IsRoot() {
		k := versions.Key(f.In)
		and(`(EXISTS(SELECT 1 FROM version v WHERE v.change=c.id AND (v.path=? OR v.origin=? OR v.path>? AND v.path<? OR v.origin>? AND v.origin<?))
			OR c.versions=0 AND c.others IS NOT NULL AND (c.path=? OR c.path>? AND c.path<?))`, // a link or an empty folder
			k, k, k+"/", k+"0", k+"/", k+"0", k, k+"/", k+"0")
	}
	return core.ListChanges(ctx, s, strings.Join(where, " AND ")+` ORDER BY `+order+` DESC LIMIT ?`, append(args, limit)...)
}

// Change returns one change with its versions, in the order they were made.
func Change(ctx context.Context, s *core.Store, n int64) (c versions.Change, vs []versions.Version, err error) {
	err = core.View(ctx, s.Trail, func(q tables.Reader) error {
		c, err = tables.ScanChange(q.Row(tables.ChangeNumbered, s.Row, n))
		if err != nil {
			return tables.NotFound(err, versions.ErrNoChange, fmt.Sprint(n))
		}
		stored, err := tables.ScanVersions(q, versionsOfChange, s.Row, n)
		if err != nil {
			return err
		}
		for i := range stored {
			if i < core.MaxCounted {
				if err := countWithPrevious(s, q, &stored[i]); err != nil {
					return err
				}
			}
			vs = append(vs, stored[i].Version)
		}
		return nil
	})
	return c, vs, err
}

const versionsOfChange = `SELECT ` + tables.VersionColumns + tables.VersionTables + `WHERE c.store=? AND c.number=? ORDER BY v.id`

// Message returns the whole message of the commit that a change was imported from, and the e-mail
// address of its author. Both are empty when unknown.
func Message(ctx context.Context, s *core.Store, change int64) (message, email string, err error) {
	err = s.Trail.DB.Row(ctx, `SELECT coalesce(message,''),coalesce(email,'') FROM change WHERE store=? AND number=?`, s.Row, change).Scan(&message, &email)
	return message, email, tables.NotFound(err, versions.ErrNoChange, strconv.FormatInt(change, 10))
}
