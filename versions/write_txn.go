package versions

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"github.com/memend/memend/memfs"
)

// writer is the connection of whoever holds the lock. It is one, so that its
// pages stay in memory from one transaction to the next.
type writer struct {
	*sql.Conn
	stmts      map[string]*sql.Stmt
	nonDurable bool // commits don't wait for the disk
}

// wait sets whether commits wait for the disk.
func (w *writer) wait(ctx context.Context, wait bool) error {
	if w.nonDurable == !wait {
		return nil
	}
	mode := "NORMAL"
	if wait {
		mode = "FULL"
	}
	if _, err := w.ExecContext(ctx, `PRAGMA synchronous=`+mode); err != nil {
		return diskError(err)
	}
	w.nonDurable = !wait
	return nil
}

// close gives up the connection: its statements first, or it stays open.
func (w *writer) close() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.Conn.Close())...)
}

// trailTxn is one write transaction of a trail, made only by the holder of its lock.
type trailTxn struct {
	ctx  context.Context
	w    *writer
	done bool
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

// beginDurable starts a transaction whose commit is on the disk when it returns. The
// caller ends it with commit or rollback.
func (t *Trail) beginDurable(ctx context.Context) (*trailTxn, error) {
	return t.beginAs(ctx, false)
}

func (t *Trail) beginAs(ctx context.Context, nonDurable bool) (*trailTxn, error) {
	if err := t.writer.wait(ctx, !nonDurable); err != nil {
		return nil, err
	}
	x := &trailTxn{ctx: context.WithoutCancel(ctx), w: t.writer} // else a rollback could be cancelled
	if err := x.exec(`BEGIN IMMEDIATE`); err != nil {
		return nil, err
	}
	return x, nil
}

// begin starts a durable transaction of a store.
func (s *Store) begin(ctx context.Context) (*txn, error) {
	t, err := s.t.beginDurable(ctx)
	if err != nil {
		return nil, err
	}
	x := &txn{trailTxn: *t, s: s}
	var last sql.NullInt64
	if err := x.row(`SELECT max(ts) FROM change WHERE store=?1 AND number=(SELECT max(number) FROM change WHERE store=?1)`, s.id).Scan(&last); err != nil {
		x.rollback()
		return nil, err
	}
	x.wall = s.t.now().UnixMicro()
	x.ts = max(x.wall, last.Int64+1)
	return x, nil
}

// beginNonDurable starts a transaction that makes no change, and whose commit outlives
// this process but perhaps not a loss of power.
func (s *Store) beginNonDurable(ctx context.Context) (*txn, error) {
	t, err := s.t.beginAs(ctx, true)
	if err != nil {
		return nil, err
	}
	return &txn{trailTxn: *t, s: s}, nil
}

// reader reads on the writer's connection outside of a transaction, under the lock: its
// pages are in memory.
func (s *Store) reader(ctx context.Context) *txn {
	return &txn{trailTxn: trailTxn{ctx: ctx, w: s.t.writer}, s: s}
}

// rollback ends a transaction that was not committed. SQLite may have rolled it
// back itself, on a full disk say; that is no error.
func (x *trailTxn) rollback() {
	if !x.done {
		x.done = true
		_ = x.exec(`ROLLBACK`)
	}
}

// commit ends a transaction with all that was adopted and done.
func (x *txn) commit() error {
	for _, c := range x.adopted {
		if err := x.finish(c); err != nil {
			return err
		}
	}
	return x.trailTxn.commit()
}

func (x *trailTxn) commit() error {
	err := x.exec(`COMMIT`)
	x.done = err == nil
	return err
}

// stmt is a prepared statement; nil when SQLite refuses the text.
func (w *writer) stmt(ctx context.Context, text string) *sql.Stmt {
	if s := w.stmts[text]; s != nil {
		return s
	}
	s, err := w.PrepareContext(ctx, text)
	if err != nil {
		return nil
	}
	w.stmts[text] = s
	return s
}

// row reads one row. Like all statements of a writer it is prepared once.
func (w *writer) row(ctx context.Context, text string, args ...any) singleRow {
	if s := w.stmt(ctx, text); s != nil {
		return singleRow{s.QueryRowContext(ctx, args...)}
	}
	return singleRow{w.QueryRowContext(ctx, text, args...)}
}

// The statements below are prepared once for each text. A text that SQLite
// refuses falls through to the connection, which says why.

func (x *trailTxn) exec(text string, args ...any) error {
	_, err := x.result(text, args...)
	return err
}

func (x *trailTxn) result(text string, args ...any) (sql.Result, error) {
	var r sql.Result
	var err error
	if s := x.w.stmt(x.ctx, text); s != nil {
		r, err = s.ExecContext(x.ctx, args...)
	} else {
		r, err = x.w.ExecContext(x.ctx, text, args...)
	}
	return r, diskError(err)
}

func (x *trailTxn) insert(text string, args ...any) (int64, error) {
	r, err := x.result(text, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

func (x *trailTxn) row(text string, args ...any) singleRow {
	return x.w.row(x.ctx, text, args...)
}

func (x *trailTxn) each(text string, args ...any) iter.Seq2[resultRow, error] {
	if s := x.w.stmt(x.ctx, text); s != nil {
		return rowsOf(s.QueryContext(x.ctx, args...))
	}
	return rowsOf(x.w.QueryContext(x.ctx, text, args...))
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
	if err := x.row(`UPDATE store SET changes=changes+1 WHERE id=? RETURNING changes`, x.s.id).Scan(&c.number); err != nil {
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
	c.id, err = x.insert(`INSERT INTO change(store,number,kind,path,dest,actor,session,tool_use,turn,ts,wall,undoes,inferred) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)`,
		x.s.id, c.number, string(a.kind), key(a.path), key(a.to), c.actor, session, null(by.ToolUse), null(by.Turn), c.ts, x.wall, null(a.undoes), inferred)
	return c, err
}

// finish writes what is known of a change only when its versions are made.
func (x *txn) finish(c *changeRow) error {
	if c == nil {
		return nil
	}
	return x.exec(`UPDATE change SET versions=?, path=? WHERE id=?`, c.versions, key(c.path), c.id)
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
	err = x.row(`SELECT id,coalesce(title,'') FROM actor WHERE kind=? AND name=?`, string(a.Kind), a.Name).Scan(&id, &title)
	if !sane(a.Title) {
		a.Title = ""
	}
	if errors.Is(err, sql.ErrNoRows) {
		return x.insert(`INSERT INTO actor(kind,name,title) VALUES(?,?,?)`, string(a.Kind), a.Name, null(a.Title))
	}
	if err == nil && a.Title != "" && a.Title != title {
		err = x.exec(`UPDATE actor SET title=? WHERE id=?`, a.Title, id)
	}
	return id, err
}

func (x *txn) session(s SessionID, actor int64) (id sql.NullInt64, err error) {
	if s == "" {
		return id, nil
	}
	err = x.row(`INSERT INTO session(uid,actor,started,seen) VALUES(?,?,?,?) ON CONFLICT(uid) DO UPDATE
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
