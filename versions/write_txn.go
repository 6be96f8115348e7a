package versions

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// trailTxn is a write transaction of a trail. Only the holder of the trail's lock may
// begin one.
type trailTxn struct{ *db.Tx }

// beginWrite starts a transaction of a trail; see [db.DB.Begin].
func (t *Trail) beginWrite(ctx context.Context, durable bool) (trailTxn, error) {
	x, err := t.db.Begin(ctx, durable)
	return trailTxn{x}, err
}

// txn is a write transaction that changes a store.
type txn struct {
	trailTxn
	s       *Store
	ts      int64        // the time of the next change in it
	wall    int64        // the time on the clock
	adopted []*changeRow // other programs' changes that it found, one for each writer
	seen    []memfs.Path // their paths
	denied  []memfs.Path // files that may not be read
	calls   []call       // calls that agents reported and that explain no change yet; nil if not read
	plain   memfs.Path   // the last folder found to be free of links
	before  int64        // rows from here on are changes of this transaction; 0 if not queried
}

// begin starts a durable transaction of a store.
func (s *Store) begin(ctx context.Context) (*txn, error) {
	t, err := s.t.beginWrite(ctx, true)
	if err != nil {
		return nil, err
	}
	x := &txn{trailTxn: t, s: s}
	last, err := x.lastTime()
	if err != nil {
		x.Rollback()
		return nil, err
	}
	x.wall = s.t.now().UnixMicro()
	x.ts = max(x.wall, last+1)
	return x, nil
}

// lastTime returns the time of the store's last change.
func (x *txn) lastTime() (ts int64, err error) {
	err = x.Row(`SELECT coalesce(max(ts),0) FROM change WHERE store=?1 AND number=(SELECT max(number) FROM change WHERE store=?1)`, x.s.id).Scan(&ts)
	return ts, err
}

// beginNonDurable starts a transaction that makes no change. Its commit survives a crash
// of this process, but perhaps not a loss of power.
func (s *Store) beginNonDurable(ctx context.Context) (*txn, error) {
	t, err := s.t.beginWrite(ctx, false)
	if err != nil {
		return nil, err
	}
	return &txn{trailTxn: t, s: s}, nil
}

// reader returns a reader on the writer's connection, outside a transaction. The caller
// holds the lock. The connection has its pages in memory.
func (s *Store) reader(ctx context.Context) *txn {
	return &txn{trailTxn: trailTxn{s.t.db.Outside(ctx)}, s: s}
}

// Commit commits the transaction with everything it adopted and changed.
func (x *txn) Commit() error {
	for _, c := range x.adopted {
		if err := x.finish(c); err != nil {
			return err
		}
	}
	return x.Tx.Commit()
}

// key returns a path in the form that the trail's tables store.
func key(p memfs.Path) string { return p.String()[1:] }

// pathOf parses a path of the tables. An invalid path means damage.
func pathOf(key string) (memfs.Path, error) {
	p, err := memfs.ParsePath(key)
	if err != nil {
		return p, errors.Join(ErrDamaged, err)
	}
	return p, nil
}

// changeRow is a change that is being written.
type changeRow struct {
	id, number int64
	versions   int
	actor      int64
	path       memfs.Path
	kind       ChangeKind
	ts         int64
	inputs     Inputs
	by         By // the actor of adopted changes
}

// newChange numbers a change and writes its row.
func (x *txn) newChange(by By, a request) (*changeRow, error) {
	c := &changeRow{path: a.path, kind: a.kind, ts: x.ts}
	x.ts++ // no two changes of a store have the same time
	if err := x.Row(`UPDATE store SET changes=changes+1 WHERE id=? RETURNING changes`, x.s.id).Scan(&c.number); err != nil {
		return nil, err
	}
	seen, door := by, by.Door
	if a.kind == KindAdopt {
		seen, door = outside, DoorOutside // by is inferred
	}
	actor, session, err := x.who(seen)
	if err != nil {
		return nil, err
	}
	c.actor = actor
	if c.inputs, err = x.inputsAt(session, c.ts); err != nil {
		return nil, err
	}
	c.inputs |= by.took
	c.id, err = x.Insert(`INSERT INTO change(store,number,kind,path,dest,actor,session,tool_use,turn,ts,wall,undoes,door,inputs) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, c.number, string(a.kind), key(a.path), key(a.to), c.actor, session, null(seen.ToolUse), null(seen.Turn), c.ts, x.wall, null(a.undoes), null(door), null(c.inputs))
	if err == nil && by != seen {
		c.actor, err = x.attributeTo(by, c.id)
	}
	return c, err
}

// finish writes the fields of a change that are known only after its versions are written.
func (x *txn) finish(c *changeRow) error {
	if c == nil {
		return nil
	}
	return x.Exec(`UPDATE change SET versions=?, path=? WHERE id=?`, c.versions, key(c.path), c.id)
}

// who returns the rows of an actor and its session.
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
