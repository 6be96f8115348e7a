package versions

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// trailTxn is a write transaction of a trail, made only by the holder of its lock.
type trailTxn struct{ *db.Tx }

// beginWrite starts a transaction of a trail; see [db.Writer.Begin].
func (t *Trail) beginWrite(ctx context.Context, durable bool) (trailTxn, error) {
	x, err := t.writer.Begin(ctx, durable)
	return trailTxn{x}, err
}

// txn is a write transaction in which a store changes.
type txn struct {
	trailTxn
	s       *Store
	ts      int64        // of the next change made in it
	wall    int64        // what the clock said
	adopted []*changeRow // what other programs did, found on the way: a change a writer
	seen    []memfs.Path // where they did it
	calls   []call       // that were told of and explain nothing yet; nil: not read
	plain   memfs.Path   // the last folder that no link was found to lead to
	before  int64        // changes from this row on are of this transaction; 0: not asked
}

// begin starts a durable transaction of a store.
func (s *Store) begin(ctx context.Context) (*txn, error) {
	t, err := s.t.beginWrite(ctx, true)
	if err != nil {
		return nil, err
	}
	x := &txn{trailTxn: t, s: s}
	var last sql.NullInt64
	if err := x.Row(`SELECT max(ts) FROM change WHERE store=?1 AND number=(SELECT max(number) FROM change WHERE store=?1)`, s.id).Scan(&last); err != nil {
		x.Rollback()
		return nil, err
	}
	x.wall = s.t.now().UnixMicro()
	x.ts = max(x.wall, last.Int64+1)
	return x, nil
}

// beginNonDurable starts a transaction that makes no change, and whose commit outlives
// this process but perhaps not a loss of power.
func (s *Store) beginNonDurable(ctx context.Context) (*txn, error) {
	t, err := s.t.beginWrite(ctx, false)
	if err != nil {
		return nil, err
	}
	return &txn{trailTxn: t, s: s}, nil
}

// reader reads on the writer's connection outside of a transaction, under the lock: its
// pages are in memory.
func (s *Store) reader(ctx context.Context) *txn {
	return &txn{trailTxn: trailTxn{s.t.writer.Outside(ctx)}, s: s}
}

// commit ends a transaction with all that was adopted and done.
func (x *txn) Commit() error {
	for _, c := range x.adopted {
		if err := x.finish(c); err != nil {
			return err
		}
	}
	return x.Tx.Commit()
}

// key is a path as the trail's tables hold it.
func key(p memfs.Path) string { return p.String()[1:] }

// pathOf reads a path of the tables. One that no path can be is damage.
func pathOf(key string) (memfs.Path, error) {
	p, err := memfs.ParsePath(key)
	if err != nil {
		return p, errors.Join(ErrDamaged, err)
	}
	return p, nil
}

// changeRow is a change being written.
type changeRow struct {
	id, number int64
	versions   int
	actor      int64
	path       memfs.Path
	kind       ChangeKind
	ts         int64
	by         By // of what was adopted
}

// newChange numbers a change and writes its row.
func (x *txn) newChange(by By, a request) (*changeRow, error) {
	c := &changeRow{path: a.path, kind: a.kind, ts: x.ts}
	x.ts++ // no two changes of a store have one time
	if err := x.Row(`UPDATE store SET changes=changes+1 WHERE id=? RETURNING changes`, x.s.id).Scan(&c.number); err != nil {
		return nil, err
	}
	actor, session, err := x.who(by)
	if err != nil {
		return nil, err
	}
	c.actor = actor
	inferred := int64(0)
	if a.kind == KindAdopt && by != outside {
		if inferred, err = x.nextInference(); err != nil {
			return nil, err
		}
	}
	c.id, err = x.Insert(`INSERT INTO change(store,number,kind,path,dest,actor,session,tool_use,turn,ts,wall,undoes,inferred) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, c.number, string(a.kind), key(a.path), key(a.to), c.actor, session, null(by.ToolUse), null(by.Turn), c.ts, x.wall, null(a.undoes), inferred)
	return c, err
}

// finish writes what is known of a change only when its versions are made.
func (x *txn) finish(c *changeRow) error {
	if c == nil {
		return nil
	}
	return x.Exec(`UPDATE change SET versions=?, path=? WHERE id=?`, c.versions, key(c.path), c.id)
}

// who gives the rows of an actor and of the session that it acts in.
func (x *txn) who(by By) (actor int64, session sql.NullInt64, err error) {
	if actor, err = x.actor(by.Actor); err != nil {
		return actor, session, err
	}
	session, err = x.session(by.Session, actor)
	return actor, session, err
}

func (x *txn) actor(a Actor) (id int64, err error) {
	var title string
	err = x.Row(`SELECT id,coalesce(title,'') FROM actor WHERE kind=? AND name=?`, string(a.Kind), a.Name).Scan(&id, &title)
	if !sane(a.Title) {
		a.Title = ""
	}
	if errors.Is(err, sql.ErrNoRows) {
		return x.Insert(`INSERT INTO actor(kind,name,title) VALUES(?,?,?)`, string(a.Kind), a.Name, null(a.Title))
	}
	if err == nil && a.Title != "" && a.Title != title {
		err = x.Exec(`UPDATE actor SET title=? WHERE id=?`, a.Title, id)
	}
	return id, err
}

func (x *txn) session(s SessionID, actor int64) (id sql.NullInt64, err error) {
	if s == "" {
		return id, nil
	}
	err = x.Row(`INSERT INTO session(uid,actor,started,seen) VALUES(?,?,?,?) ON CONFLICT(uid) DO UPDATE
		SET started=min(started,excluded.started), seen=max(seen,excluded.seen) RETURNING id`,
		string(s), actor, x.ts, x.ts).Scan(&id.Int64)
	id.Valid = true
	return id, err
}

// null stores a zero value as NULL, which takes no space.
func null[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}
