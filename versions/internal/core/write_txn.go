package core

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/evidence"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/journal"
)

// TrailTxn is a write transaction of a trail. Only the holder of the trail's lock may
// begin one.
type TrailTxn struct {
	*db.Tx
	now func() time.Time
}

// BeginWrite starts a transaction of a trail; see [db.DB.Begin].
func BeginWrite(ctx context.Context, t *Trail, durable bool) (TrailTxn, error) {
	x, err := t.DB.Begin(ctx, durable)
	return TrailTxn{x, t.Now}, err
}

// Commit records in the log what the transaction changed, and commits it.
func (x TrailTxn) Commit() error {
	touched, err := x.Touched()
	if err != nil {
		return err
	}
	if err := journal.Append(x, touched, x.now().UnixMicro()); err != nil {
		return err
	}
	return x.Tx.Commit()
}

// Txn is a write transaction that changes a store.
type Txn struct {
	TrailTxn
	Store   *Store
	TS      int64                        // the time of the next change in it
	Wall    int64                        // the time on the clock
	adopted []*ChangeRow                 // other programs' changes that it found, one for each writer
	seen    []memfs.Path                 // their paths
	denied  []memfs.Path                 // files that may not be read
	Foreign []foreign                    // other programs' files in the folder of a replica, which are put back
	aside   []*HeldBack                  // what they wanted there, one for each writer
	stale   map[memfs.Path]versions.Hash // what files of a replica held before a step that a killed process had not done
	calls   []evidence.Call              // calls that agents reported and that explain no change yet; nil if not read
	plain   memfs.Path                   // the last folder found to be free of links
	before  int64                        // rows from here on are changes of this transaction; 0 if not queried
	number  int64                        // of the store's last change
	first   int64                        // the number of the first change of this transaction; 0 if there is none
}

// InTrailTx runs do in a durable transaction, and commits it unless do fails. The caller holds the lock.
func InTrailTx(ctx context.Context, t *Trail, do func(TrailTxn) error) error {
	x, err := BeginWrite(ctx, t, true)
	return committed(x, err, do)
}

// InTx runs do in a durable transaction of a store, and commits it unless do fails. The caller holds the lock.
func InTx(ctx context.Context, s *Store, do func(*Txn) error) error {
	x, err := Begin(ctx, s)
	return committed(x, err, do)
}

// InNonDurableTx is inTx for a transaction that makes no change; see beginNonDurable.
func InNonDurableTx(ctx context.Context, s *Store, do func(*Txn) error) error {
	x, err := s.beginNonDurable(ctx)
	return committed(x, err, do)
}

// Locked runs do in a durable transaction of a store while it holds the lock of the home.
func Locked(ctx context.Context, s *Store, do func(*Txn) error) error {
	return Exclusively(ctx, s, func(ctx context.Context) error { return InTx(ctx, s, do) })
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

// Begin starts a durable transaction of a store.
func Begin(ctx context.Context, s *Store) (*Txn, error) {
	t, err := BeginWrite(ctx, s.Trail, true)
	if err != nil {
		return nil, err
	}
	x := &Txn{TrailTxn: t, Store: s}
	var last int64
	if err := x.Row(`SELECT changes,(`+timeOfLast+`) FROM store WHERE id=?1`, s.Row).Scan(&x.number, &last); err != nil {
		x.Rollback()
		return nil, err
	}
	x.Wall = s.Trail.Now().UnixMicro()
	x.TS = max(x.Wall, last+1)
	return x, nil
}

const timeOfLast = `SELECT coalesce(max(ts),0) FROM change WHERE store=?1 AND number=(SELECT max(number) FROM change WHERE store=?1)`

// LastTime returns the time of the store's last change.
func (x *Txn) LastTime() (ts int64, err error) {
	err = x.Row(timeOfLast, x.Store.Row).Scan(&ts)
	return ts, err
}

// beginNonDurable starts a transaction that makes no change. Its commit survives a crash
// of this process, but perhaps not a loss of power.
func (s *Store) beginNonDurable(ctx context.Context) (*Txn, error) {
	t, err := BeginWrite(ctx, s.Trail, false)
	if err != nil {
		return nil, err
	}
	return &Txn{TrailTxn: t, Store: s}, nil
}

// beginFor is begin, or beginNonDurable.
func (s *Store) beginFor(ctx context.Context, durable bool) (*Txn, error) {
	if durable {
		return Begin(ctx, s)
	}
	return s.beginNonDurable(ctx)
}

// LockedReader returns a reader on the writer's connection, outside a transaction. The caller
// holds the lock. The connection has its pages in memory.
func LockedReader(ctx context.Context, s *Store) *Txn {
	return &Txn{TrailTxn: TrailTxn{Tx: s.Trail.DB.Outside(ctx)}, Store: s}
}

// Commit commits the transaction with everything it adopted and changed. Then it puts back the foreign files.
func (x *Txn) Commit() error {
	if err := x.seal(); err != nil {
		return err
	}
	if err := x.TrailTxn.Commit(); err != nil {
		return err
	}
	x.Store.putBack(x.Foreign)
	return nil
}

// seal completes the rows of the store's changes, before the commit.
func (x *Txn) seal() error {
	for _, c := range x.adopted {
		x.Finish(c)
	}
	if err := x.holdAside(); err != nil {
		return err
	}
	if x.first == 0 {
		return nil
	}
	x.Exec(`UPDATE change SET versions=(SELECT count(*) FROM version WHERE change=change.id) WHERE store=? AND number>=?`, x.Store.Row, x.first)
	x.Exec(`UPDATE store SET changes=? WHERE id=?`, x.number, x.Store.Row)
	return x.Err()
}

// ChangeRow is a change that is being written.
type ChangeRow struct {
	ID, Number int64
	Versions   int
	Actor      int64
	Path       memfs.Path
	written    memfs.Path // the path in its row
	kind       versions.ChangeKind
	TS         int64
	inputs     versions.Inputs
	by         versions.By // the actor of adopted changes
}

// timeOf returns the time of a change, and that on the clock. One that was made elsewhere keeps its time, but comes after
// the changes that are here, and not in the future.
func (x *Txn) timeOf(a Request) (ts, wall int64, err error) {
	if a.At.IsZero() {
		return x.TS, x.Wall, nil
	}
	last, err := x.LastTime()
	return max(last+1, min(a.At.UnixMicro(), x.TS)), a.At.UnixMicro(), err
}

// NewChange numbers a change and writes its row.
func (x *Txn) NewChange(by versions.By, a Request) (*ChangeRow, error) {
	ts, wall, err := x.timeOf(a)
	if err != nil {
		return nil, err
	}
	c := &ChangeRow{Path: a.Path, written: a.Path, kind: a.Kind, TS: ts, Number: x.NextNumber()}
	x.TS = max(x.TS, ts+1) // no two changes of a store have the same time
	seen, door := by, by.Door
	if a.Kind == versions.KindAdopt {
		seen, door = Outside, versions.DoorOutside // by is inferred
	}
	actor, session, err := x.Who(seen)
	if err != nil {
		return nil, err
	}
	c.Actor = actor
	if c.inputs, err = x.inputsAt(session, c.TS); err != nil {
		return nil, err
	}
	c.inputs |= by.Took
	c.ID = x.Insert(`INSERT INTO change(store,number,kind,path,dest,actor,session,tool_use,turn,ts,wall,undoes,door,inputs,message,email) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.Store.Row, c.Number, string(a.Kind), versions.Key(a.Path), versions.Key(a.To), c.Actor, session, tables.Null(seen.ToolUse), tables.Null(seen.Turn), c.TS, wall, tables.Null(a.Undoes), tables.Null(door), tables.Null(c.inputs),
		tables.Null(a.Message), tables.Null(a.Email))
	if by != seen {
		c.Actor, err = x.attributeTo(by, c.ID)
		return c, err
	}
	return c, x.Err()
}

// NextNumber returns the number of the transaction's next change. Commit writes it to the store's row.
func (x *Txn) NextNumber() int64 {
	x.number++
	if x.first == 0 {
		x.first = x.number
	}
	return x.number
}

// Finish writes the path of a change if only its versions told it.
func (x *Txn) Finish(c *ChangeRow) {
	if c == nil || c.Path == c.written {
		return
	}
	c.written = c.Path
	x.Exec(`UPDATE change SET path=? WHERE id=?`, versions.Key(c.Path), c.ID)
}

// Who returns the rows of an actor and its session.
func (x *Txn) Who(by versions.By) (actor int64, session sql.NullInt64, err error) {
	if actor, err = x.Actor(by.Actor); err != nil {
		return actor, session, err
	}
	session, err = x.session(by.Session, actor)
	return actor, session, err
}

// Actor returns the row of an actor, which it writes if there is none.
func (x *Txn) Actor(a versions.Actor) (id int64, err error) {
	var title string
	err = x.Row(`SELECT id,coalesce(title,'') FROM actor WHERE kind=? AND name=?`, string(a.Kind), a.Name).Scan(&id, &title)
	if !versions.Sane(a.Title) {
		a.Title = ""
	}
	switch {
	case errors.Is(err, sql.ErrNoRows):
		id = x.Insert(`INSERT INTO actor(kind,name,title) VALUES(?,?,?)`, string(a.Kind), a.Name, tables.Null(a.Title))
	case err != nil:
		return 0, err
	case a.Title != "" && a.Title != title:
		x.Exec(`UPDATE actor SET title=? WHERE id=?`, a.Title, id)
	}
	return id, x.Err()
}

func (x *Txn) session(s versions.SessionID, actor int64) (id sql.NullInt64, err error) {
	if s == "" {
		return id, nil
	}
	err = x.Row(`INSERT INTO session(uid,actor,started,seen) VALUES(?,?,?,?) ON CONFLICT(uid) DO UPDATE
		SET started=min(started,excluded.started), seen=max(seen,excluded.seen) RETURNING id`,
		string(s), actor, x.TS, x.TS).Scan(&id.Int64)
	id.Valid = true
	return id, err
}
