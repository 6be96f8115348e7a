package db

import (
	"context"
	"database/sql"
	"errors"
	"iter"
)

// Writer is the connection of whoever holds the lock of the home. It is one, so that its
// pages stay in memory from one transaction to the next. Statements are prepared once. It
// may be used by one goroutine at a time.
type Writer struct {
	*sql.Conn
	stmts      map[string]*sql.Stmt
	nonDurable bool // commits don't wait for the disk
}

// NewWriter makes a writer of a connection, which it closes in the end.
func NewWriter(conn *sql.Conn) *Writer {
	return &Writer{Conn: conn, stmts: map[string]*sql.Stmt{}}
}

// SetDurable sets whether commits wait for the disk.
func (w *Writer) SetDurable(ctx context.Context, wait bool) error {
	if w.nonDurable == !wait {
		return nil
	}
	mode := "NORMAL"
	if wait {
		mode = "FULL"
	}
	if _, err := w.ExecContext(ctx, `PRAGMA synchronous=`+mode); err != nil {
		return Error(err)
	}
	w.nonDurable = !wait
	return nil
}

// Close gives up the connection: its statements first, or it stays open.
func (w *Writer) Close() error {
	var errs []error
	for _, s := range w.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, w.Conn.Close())...)
}

// Tx is one write transaction of a trail, made only by the holder of its lock.
type Tx struct {
	Ctx  context.Context
	w    *Writer
	done bool
}

// Begin starts a transaction. Its commit waits for the disk if it is durable; otherwise it
// outlives this process but perhaps not a loss of power. The caller ends it with Commit or
// Rollback.
func (w *Writer) Begin(ctx context.Context, durable bool) (*Tx, error) {
	if err := w.SetDurable(ctx, durable); err != nil {
		return nil, err
	}
	x := &Tx{Ctx: context.WithoutCancel(ctx), w: w} // else a rollback could be cancelled
	if err := x.Exec(`BEGIN IMMEDIATE`); err != nil {
		return nil, err
	}
	return x, nil
}

// Outside reads outside of a transaction.
func (w *Writer) Outside(ctx context.Context) *Tx { return &Tx{Ctx: ctx, w: w} }

// Rollback ends a transaction that was not committed. SQLite may have rolled it
// back itself, on a full disk say; that is no error.
func (x *Tx) Rollback() {
	if !x.done {
		x.done = true
		_ = x.Exec(`ROLLBACK`)
	}
}

// Commit ends a transaction.
func (x *Tx) Commit() error {
	err := x.Exec(`COMMIT`)
	x.done = err == nil
	return err
}

// stmt is a prepared statement; nil when SQLite refuses the text.
func (w *Writer) stmt(ctx context.Context, text string) *sql.Stmt {
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

// Row reads one row. Like all statements of a writer it is prepared once.
func (w *Writer) Row(ctx context.Context, text string, args ...any) Row {
	if s := w.stmt(ctx, text); s != nil {
		return RowOf(s.QueryRowContext(ctx, args...))
	}
	return RowOf(w.QueryRowContext(ctx, text, args...))
}

// The statements below are prepared once for each text. A text that SQLite
// refuses falls through to the connection, which says why.

// Exec runs a statement.
func (x *Tx) Exec(text string, args ...any) error {
	_, err := x.Result(text, args...)
	return err
}

// Result runs a statement and returns what it did.
func (x *Tx) Result(text string, args ...any) (sql.Result, error) {
	var r sql.Result
	var err error
	if s := x.w.stmt(x.Ctx, text); s != nil {
		r, err = s.ExecContext(x.Ctx, args...)
	} else {
		r, err = x.w.ExecContext(x.Ctx, text, args...)
	}
	return r, Error(err)
}

// script runs statements that are needed only once, and are therefore not prepared.
func (x *Tx) script(text string) error {
	_, err := x.w.ExecContext(x.Ctx, text)
	return Error(err)
}

// Insert runs a statement and returns the id of the row that it inserted.
func (x *Tx) Insert(text string, args ...any) (int64, error) {
	r, err := x.Result(text, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// Row reads one row.
func (x *Tx) Row(text string, args ...any) Row {
	return x.w.Row(x.Ctx, text, args...)
}

// Each reads all rows.
func (x *Tx) Each(text string, args ...any) iter.Seq2[Row, error] {
	if s := x.w.stmt(x.Ctx, text); s != nil {
		return RowsOf(s.QueryContext(x.Ctx, args...))
	}
	return RowsOf(x.w.QueryContext(x.Ctx, text, args...))
}
