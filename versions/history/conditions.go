package history

import (
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/ids"
	"github.com/memend/memend/versions/internal/tables"
)

// conditions collects the SQL conditions of a query.
type conditions struct {
	where []string
	args  []any
}

// and adds a condition with its arguments.
func (c *conditions) and(cond string, args ...any) {
	c.where, c.args = append(c.where, cond), append(c.args, args...)
}

func (c *conditions) String() string { return strings.Join(c.where, " AND ") }

// who selects by the actor in a column. It uses subqueries instead of joins, because the order of
// the stream must stay that of its index.
func (c *conditions) who(column string, f versions.ActivityFilter) {
	if f.Actor != "" {
		c.and(column+` IN (SELECT id FROM actor WHERE kind=?)`, string(f.Actor))
	}
	if f.Name != "" {
		c.and(column+` IN (SELECT id FROM actor WHERE name=?)`, f.Name)
	}
}

// inFolder adds the condition that the path in a column is p or below it.
func (c *conditions) inFolder(column string, p memfs.Path) {
	k := versions.Key(p)
	c.and(`(`+column+`=? OR `+column+`>? AND `+column+`<?)`, k, k+"/", k+"0")
}

// activeIn is the SQL condition that the session s changed or read something in a store, or wanted to change it.
var activeIn = `EXISTS(SELECT 1 FROM (SELECT store FROM ` + tables.ChangesOf(`SELECT s.id`) + ` x CROSS JOIN change c ON c.id=x.id
	UNION ALL SELECT store FROM read WHERE session=s.id UNION ALL SELECT store FROM held WHERE session=s.id) WHERE store=?)`

// sessionConditions selects sessions and returns the row of the filter's store, or 0 for all stores. It
// returns sql.ErrNoRows when there is no such store.
func sessionConditions(f versions.SessionFilter, q tables.Reader, before versions.Cursor) (c conditions, store int64, err error) {
	c.and(`TRUE`)
	if f.Store != "" {
		if err := q.Row(`SELECT id FROM store WHERE uid=?`, ids.Parse(ids.StorePrefix, string(f.Store))).Scan(&store); err != nil {
			return c, 0, err
		}
		c.and(activeIn, store)
	}
	if before != "" {
		var at, id int64
		if err := before.Numbers(&at, &id); err != nil {
			return c, 0, err
		}
		if f.ByActivity {
			c.and(`(s.seen,s.id)<(?,?)`, at, id)
		} else {
			c.and(`s.id<?`, id)
		}
	}
	if f.ID != "" {
		c.and(`s.uid=?`, string(f.ID))
	}
	c.who(`s.actor`, versions.ActivityFilter{Actor: f.Actor})
	if !f.Since.IsZero() {
		c.and(`s.seen>=?`, f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		c.and(`s.started<=?`, f.Until.UnixMicro())
	}
	return c, store, nil
}

// countSession counts what a session did, in one store or (0) in all.
func countSession(x *versions.Session, q tables.Reader, session, store int64) error {
	return q.Row(`SELECT count(*), coalesce(sum(c.versions),0), count(*) FILTER (WHERE NOT `+tables.InEffect+`),
			(SELECT count(*) FROM read WHERE session=?1 AND (?2=0 OR store=?2)),
			(SELECT count(*) FROM held WHERE session=?1 AND state='waiting' AND (?2=0 OR store=?2))
		FROM `+tables.ChangesOf(`SELECT ?1`)+` x CROSS JOIN change c ON c.id=x.id WHERE ?2=0 OR c.store=?2`, session, store).
		Scan(&x.Changes, &x.Versions, &x.Undone, &x.Reads, &x.Waiting)
}

// storesOf returns the stores that a session changed or read, or wanted to change, in the order they were created.
func storesOf(q tables.Reader, session int64) (out []versions.StoreID, err error) {
	var id versions.StoreID
	return db.All(q.Rows(`SELECT uid FROM store WHERE id IN (SELECT store FROM change WHERE id IN `+tables.ChangesOf(`SELECT ?1`)+`)
		OR EXISTS(SELECT 1 FROM read WHERE session=?1 AND store=store.id) OR id IN (SELECT store FROM held WHERE session=?1) ORDER BY id`, session), &id, tables.IDTo(&id))
}

// CursorAt returns the position that these numbers describe.
func CursorAt(numbers ...int64) versions.Cursor {
	var b []byte
	for i, n := range numbers {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendInt(b, n, 10)
	}
	return versions.Cursor(b)
}
