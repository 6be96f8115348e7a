package db

import (
	"context"
	"database/sql"
)

// Writer is the connection of whoever holds the lock of the home. It is one, so that its
// pages stay in memory from one transaction to the next. It may be used by one goroutine at
// a time.
type Writer struct {
	*statements
	nonDurable bool // commits don't wait for the disk
	watcher    *watcher
}

// newWriter makes a writer of a connection, which it closes in the end.
func newWriter(conn *sql.Conn) *Writer {
	return &Writer{statements: newStatements(conn)}
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
	if w.watcher != nil {
		clear(w.watcher.touched)
		w.watcher.off = false
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

// Row reads one row.
func (w *Writer) Row(ctx context.Context, text string, args ...any) Row {
	return w.row(ctx, text, args)
}

// Exec runs a statement.
func (x *Tx) Exec(text string, args ...any) error {
	_, err := x.Result(text, args...)
	return err
}

// Result runs a statement and returns what it did.
func (x *Tx) Result(text string, args ...any) (sql.Result, error) {
	return x.w.exec(x.Ctx, text, args...)
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
func (x *Tx) Row(text string, args ...any) Row { return x.w.row(x.Ctx, text, args) }

// Rows reads all rows.
func (x *Tx) Rows(text string, args ...any) *Rows { return x.w.rows(x.Ctx, text, args) }
