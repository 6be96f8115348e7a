package db

import (
	"context"
	"database/sql"
	"iter"
)

// Snapshot is the database at one moment. While it is open, the log can't be emptied.
type Snapshot struct {
	Ctx context.Context
	tx  *sql.Tx
	d   *DB
}

// View runs read on one snapshot, which is valid until read returns. It prepares statements for read, besides
// those of Config.Inside, once for all views.
func (d *DB) View(ctx context.Context, read func(Snapshot) error, prepare ...string) error {
	for _, texts := range [][]string{d.inside(), prepare} {
		for _, text := range texts {
			_, _ = d.stmt(ctx, text) // the caller that uses the statement sees the error
		}
	}
	tx, err := d.R.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return Error(err)
	}
	defer func() { _ = tx.Rollback() }()
	return Error(read(Snapshot{ctx, tx, d}))
}

// inside lists the statements that are used inside snapshots. They are prepared when the database
// is opened, because preparing a statement needs a connection: snapshots that hold all connections
// and wait for another one would never finish.
func (d *DB) inside() []string { return append([]string{readPages}, d.Inside...) }

// Each reads all rows.
func (s Snapshot) Each(text string, args ...any) iter.Seq2[Row, error] {
	return RowsOf(s.tx.QueryContext(s.Ctx, text, args...))
}

// Row reads one row.
func (s Snapshot) Row(text string, args ...any) Row {
	return RowOf(s.tx.QueryRowContext(s.Ctx, text, args...))
}

// Prepared is Row with a statement that is prepared once: one of Config.Inside, or one that View was given.
func (s Snapshot) Prepared(text string, args ...any) Row {
	stmt, err := s.d.stmt(s.Ctx, text)
	if err != nil {
		return Row{failed{err}}
	}
	return RowOf(s.tx.StmtContext(s.Ctx, stmt).QueryRowContext(s.Ctx, args...))
}

// EachPrepared is Each with a statement that is prepared once, as for Prepared.
func (s Snapshot) EachPrepared(text string, args ...any) iter.Seq2[Row, error] {
	stmt, err := s.d.stmt(s.Ctx, text)
	if err != nil {
		return RowsOf(nil, err)
	}
	return RowsOf(s.tx.StmtContext(s.Ctx, stmt).QueryContext(s.Ctx, args...))
}

// Each reads all rows in a snapshot of its own.
func (d *DB) Each(ctx context.Context, text string, args ...any) iter.Seq2[Row, error] {
	s, err := d.stmt(ctx, text)
	if err != nil {
		return RowsOf(nil, err)
	}
	return RowsOf(s.QueryContext(ctx, args...))
}

// Row reads one row in a snapshot of its own.
func (d *DB) Row(ctx context.Context, text string, args ...any) Row {
	s, err := d.stmt(ctx, text)
	if err != nil {
		return Row{failed{err}}
	}
	return RowOf(s.QueryRowContext(ctx, args...))
}

// failed is the answer of a query that could not be prepared.
type failed struct{ err error }

func (f failed) Scan(...any) error { return f.err }

// stmt returns a reader's statement, prepared once. It may wait for a connection. A
// snapshot occupies one, so inside a snapshot only statements are allowed that View has prepared.
func (d *DB) stmt(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := d.prepared(text); s != nil {
		return s, nil
	}
	<-d.warm
	return d.prepare(ctx, text)
}

func (d *DB) prepare(ctx context.Context, text string) (*sql.Stmt, error) {
	if s := d.prepared(text); s != nil {
		return s, nil
	}
	s, err := d.R.PrepareContext(ctx, text) // without the mutex: the holder of a connection may wait for it
	if err != nil {
		return nil, Error(err)
	}
	d.stmts.Lock()
	defer d.stmts.Unlock()
	if first := d.stmts.byText[text]; first != nil {
		return first, s.Close()
	}
	d.stmts.byText[text] = s
	return s, nil
}

// prepared returns a statement that is already prepared, else nil.
func (d *DB) prepared(text string) *sql.Stmt {
	d.stmts.Lock()
	defer d.stmts.Unlock()
	return d.stmts.byText[text]
}
