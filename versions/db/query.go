package db

import (
	"context"
	"database/sql"
)

// Queryer answers queries: a transaction or a snapshot. Errors are in the words of memfs,
// as [Error] gives them; no row is sql.ErrNoRows.
type Queryer interface {
	Rows(query string, args ...any) *Rows
	Row(query string, args ...any) Row
}

// Row is the first row of an answer.
type Row struct{ scan func(dest ...any) error }

// Scan runs the query and reads the columns. Of an answer without a row its error is sql.ErrNoRows.
func (r Row) Scan(dest ...any) error { return Error(r.scan(dest...)) }

// Rows are all rows of an answer. The query runs when they are read.
type Rows struct {
	run func(read func(*sql.Rows, error) error) error
	err error
}

// Each scans each row into dest. It ends early at an error, which Err returns. Nothing stays open after
// a loop, however it is left. A sql.RawBytes is valid until the next row.
func (r *Rows) Each(dest ...any) func(yield func() bool) {
	return func(yield func() bool) {
		r.err = Error(r.run(func(rows *sql.Rows, err error) error {
			if err != nil {
				return err
			}
			defer func() { _ = rows.Close() }()
			for rows.Next() {
				if err := rows.Scan(dest...); err != nil {
					return err
				}
				if !yield() {
					return nil
				}
			}
			return rows.Err()
		}))
	}
}

// Err returns the error that ended the last loop. It has to be asked for after each: without it the rows
// may be incomplete.
func (r *Rows) Err() error { return r.err }

// All scans each row into dest, and returns what *v is after each.
func All[T any](rows *Rows, v *T, dest ...any) (out []T, err error) {
	for range rows.Each(dest...) {
		out = append(out, *v)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// Values returns the values of the only column of an answer.
func Values[T any](rows *Rows) ([]T, error) {
	var v T
	return All(rows, &v, &v)
}

// Map returns the values of the second of two columns by those of the first.
func Map[K comparable, V any](rows *Rows) (map[K]V, error) {
	var k K
	var v V
	out := map[K]V{}
	for range rows.Each(&k, &v) {
		out[k] = v
	}
	return out, rows.Err()
}

// On answers queries through a pool, a connection or a transaction of database/sql.
func On(ctx context.Context, through interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}) Queryer {
	return queryer{
		func(text string, args []any) *Rows {
			return &Rows{run: func(read func(*sql.Rows, error) error) error {
				return read(through.QueryContext(ctx, text, args...))
			}}
		},
		func(text string, args []any) Row { return Row{through.QueryRowContext(ctx, text, args...).Scan} },
	}
}

type queryer struct {
	rows func(text string, args []any) *Rows
	row  func(text string, args []any) Row
}

func (q queryer) Rows(text string, args ...any) *Rows { return q.rows(text, args) }
func (q queryer) Row(text string, args ...any) Row    { return q.row(text, args) }
