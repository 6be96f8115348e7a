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

// Tx is one write transaction of a trail, made only by the holder of its lock. It keeps the first error of a
// statement that writes: later statements and reads of it do nothing but fail with that error, and so does Commit. Ask for
// [Tx.Err] before an act that no rollback takes back, such as a step in a folder.
type Tx struct {
	Ctx  context.Context
	w    *Writer
	err  error
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
	if x.Exec(`BEGIN IMMEDIATE`); x.err != nil {
		return nil, x.err
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
		_, _ = x.w.exec(x.Ctx, `ROLLBACK`)
	}
}

// Commit ends a transaction, if all its statements succeeded.
func (x *Tx) Commit() error {
	x.Exec(`COMMIT`)
	x.done = x.err == nil
	return x.err
}

// Err returns the error of the first statement that failed.
func (x *Tx) Err() error { return x.err }

// Row reads one row.
func (w *Writer) Row(ctx context.Context, text string, args ...any) Row {
	return w.row(ctx, text, args)
}

// Exec runs a statement.
func (x *Tx) Exec(text string, args ...any) {
	x.err = x.Try(text, args...)
}

// Try runs a statement whose failure the caller mends: the transaction goes on.
func (x *Tx) Try(text string, args ...any) error {
	if x.err != nil {
		return x.err
	}
	_, err := x.w.exec(x.Ctx, text, args...)
	return err
}

// Insert runs a statement and returns the id of the row that it inserted; 0 after an error.
func (x *Tx) Insert(text string, args ...any) (id int64) {
	if x.err != nil {
		return 0
	}
	var r sql.Result
	if r, x.err = x.w.exec(x.Ctx, text, args...); x.err == nil {
		id, x.err = r.LastInsertId()
	}
	return id
}

// script runs statements that are needed only once, and are therefore not prepared.
func (x *Tx) script(text string) error {
	_, err := x.w.ExecContext(x.Ctx, text)
	return Error(err)
}

// Row reads one row.
func (x *Tx) Row(text string, args ...any) Row {
	if x.err != nil {
		return Row{func(...any) error { return x.err }}
	}
	return x.w.row(x.Ctx, text, args)
}

// Rows reads all rows.
func (x *Tx) Rows(text string, args ...any) *Rows {
	if x.err != nil {
		return &Rows{run: func(func(*sql.Rows, error) error) error { return x.err }}
	}
	return x.w.rows(x.Ctx, text, args)
}
