package versions

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/journal"
)

// trailTxn is a write transaction of a trail. Only the holder of the trail's lock may
// begin one.
type trailTxn struct {
	*db.Tx
	now func() time.Time
}

// beginWrite starts a transaction of a trail; see [db.DB.Begin].
func (t *Trail) beginWrite(ctx context.Context, durable bool) (trailTxn, error) {
	x, err := t.db.Begin(ctx, durable)
	return trailTxn{x, t.now}, err
}

// Commit records in the log what the transaction changed, and commits it.
func (x trailTxn) Commit() error {
	touched, err := x.Touched()
	if err != nil {
		return err
	}
	if err := journal.Append(x, touched, x.now().UnixMicro()); err != nil {
		return err
	}
	return x.Tx.Commit()
}

// txn is a write transaction that changes a store.
type txn struct {
	trailTxn
	s       *Store
	ts      int64               // the time of the next change in it
	wall    int64               // the time on the clock
	adopted []*changeRow        // other programs' changes that it found, one for each writer
	seen    []memfs.Path        // their paths
	denied  []memfs.Path        // files that may not be read
	foreign []foreign           // other programs' files in the folder of a replica, which are put back
	aside   []*heldBack         // what they wanted there, one for each writer
	stale   map[memfs.Path]Hash // what files of a replica held before a step that a killed process had not done
	calls   []call              // calls that agents reported and that explain no change yet; nil if not read
	plain   memfs.Path          // the last folder found to be free of links
	before  int64               // rows from here on are changes of this transaction; 0 if not queried
	number  int64               // of the store's last change
	first   int64               // the number of the first change of this transaction; 0 if there is none
}

// inTx runs do in a durable transaction, and commits it unless do fails. The caller holds the lock.
func (t *Trail) inTx(ctx context.Context, do func(trailTxn) error) error {
	x, err := t.beginWrite(ctx, true)
	return committed(x, err, do)
}

// inTx runs do in a durable transaction of a store, and commits it unless do fails. The caller holds the lock.
func (s *Store) inTx(ctx context.Context, do func(*txn) error) error {
	x, err := s.begin(ctx)
	return committed(x, err, do)
}

// inNonDurableTx is inTx for a transaction that makes no change; see beginNonDurable.
func (s *Store) inNonDurableTx(ctx context.Context, do func(*txn) error) error {
	x, err := s.beginNonDurable(ctx)
	return committed(x, err, do)
}

// locked runs do in a durable transaction of a store while it holds the lock of the home.
func (s *Store) locked(ctx context.Context, do func(*txn) error) error {
	return s.exclusively(ctx, func(ctx context.Context) error { return s.inTx(ctx, do) })
}

// committed runs do in a transaction that began, and commits it unless do fails.
func committed[X interface {
	Commit() error
	Rollback()
}](x X, err error, do func(X) error) error {
	if err != nil {
		return err
	}
	defer x.Rollback()
	if err := do(x); err != nil {
		return err
	}
	return x.Commit()
}

// begin starts a durable transaction of a store.
func (s *Store) begin(ctx context.Context) (*txn, error) {
	t, err := s.t.beginWrite(ctx, true)
	if err != nil {
		return nil, err
	}
	x := &txn{trailTxn: t, s: s}
	var last int64
	if err := x.Row(`SELECT changes,(`+timeOfLast+`) FROM store WHERE id=?1`, s.id).Scan(&x.number, &last); err != nil {
		x.Rollback()
		return nil, err
	}
	x.wall = s.t.now().UnixMicro()
	x.ts = max(x.wall, last+1)
	return x, nil
}

const timeOfLast = `SELECT coalesce(max(ts),0) FROM change WHERE store=?1 AND number=(SELECT max(number) FROM change WHERE store=?1)`

// lastTime returns the time of the store's last change.
func (x *txn) lastTime() (ts int64, err error) {
	err = x.Row(timeOfLast, x.s.id).Scan(&ts)
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

// beginFor is begin, or beginNonDurable.
func (s *Store) beginFor(ctx context.Context, durable bool) (*txn, error) {
	if durable {
		return s.begin(ctx)
	}
	return s.beginNonDurable(ctx)
}

// reader returns a reader on the writer's connection, outside a transaction. The caller
// holds the lock. The connection has its pages in memory.
func (s *Store) reader(ctx context.Context) *txn {
	return &txn{trailTxn: trailTxn{Tx: s.t.db.Outside(ctx)}, s: s}
}

// Commit commits the transaction with everything it adopted and changed. Then it puts back the foreign files.
func (x *txn) Commit() error {
	if err := x.seal(); err != nil {
		return err
	}
	if err := x.trailTxn.Commit(); err != nil {
		return err
	}
	x.s.putBack(x.foreign)
	return nil
}

// seal completes the rows of the store's changes, before the commit.
func (x *txn) seal() error {
	for _, c := range x.adopted {
		if err := x.finish(c); err != nil {
			return err
		}
	}
	if err := x.holdAside(); err != nil {
		return err
	}
	if x.first == 0 {
		return nil
	}
	if err := x.Exec(`UPDATE change SET versions=(SELECT count(*) FROM version WHERE change=change.id) WHERE store=? AND number>=?`, x.s.id, x.first); err != nil {
		return err
	}
	return x.Exec(`UPDATE store SET changes=? WHERE id=?`, x.number, x.s.id)
}

// key returns a path in the form that the trail's tables store.
func key(p memfs.Path) string { return p.String()[1:] }

// changeRow is a change that is being written.
type changeRow struct {
	id, number int64
	versions   int
	actor      int64
	path       memfs.Path
	written    memfs.Path // the path in its row
	kind       ChangeKind
	ts         int64
	inputs     Inputs
	by         By // the actor of adopted changes
}

// timeOf returns the time of a change, and that on the clock. One that was made elsewhere keeps its time, but comes after
// the changes that are here, and not in the future.
func (x *txn) timeOf(a request) (ts, wall int64, err error) {
	if a.at.IsZero() {
		return x.ts, x.wall, nil
	}
	last, err := x.lastTime()
	return max(last+1, min(a.at.UnixMicro(), x.ts)), a.at.UnixMicro(), err
}

// newChange numbers a change and writes its row.
func (x *txn) newChange(by By, a request) (*changeRow, error) {
	ts, wall, err := x.timeOf(a)
	if err != nil {
		return nil, err
	}
	c := &changeRow{path: a.path, written: a.path, kind: a.kind, ts: ts, number: x.nextNumber()}
	x.ts = max(x.ts, ts+1) // no two changes of a store have the same time
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
	c.id, err = x.Insert(`INSERT INTO change(store,number,kind,path,dest,actor,session,tool_use,turn,ts,wall,undoes,door,inputs,message,email) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, c.number, string(a.kind), key(a.path), key(a.to), c.actor, session, null(seen.ToolUse), null(seen.Turn), c.ts, wall, null(a.undoes), null(door), null(c.inputs),
		null(a.message), null(a.email))
	if err == nil && by != seen {
		c.actor, err = x.attributeTo(by, c.id)
	}
	return c, err
}

// nextNumber returns the number of the transaction's next change. Commit writes it to the store's row.
func (x *txn) nextNumber() int64 {
	x.number++
	if x.first == 0 {
		x.first = x.number
	}
	return x.number
}

// finish writes the path of a change if only its versions told it.
func (x *txn) finish(c *changeRow) error {
	if c == nil || c.path == c.written {
		return nil
	}
	c.written = c.path
	return x.Exec(`UPDATE change SET path=? WHERE id=?`, key(c.path), c.id)
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
		id, err = x.Insert(`INSERT INTO actor(kind,name,title) VALUES(?,?,?)`, string(a.Kind), a.Name, null(a.Title))
		title = a.Title
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
