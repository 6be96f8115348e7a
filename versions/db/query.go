package db

import (
	"context"
	"database/sql"
	"iter"
)

// Queryer answers queries: a transaction or a snapshot. Errors are in the words of memfs,
// as [Error] gives them; no row is sql.ErrNoRows.
type Queryer interface {
	Each(query string, args ...any) iter.Seq2[Row, error]
	Row(query string, args ...any) Row
}

// Row is one row of an answer. One of several is valid until the next one is read.
type Row struct{ scan func(dest ...any) error }

// Scan reads the columns. Of an answer without a row its error is sql.ErrNoRows.
func (r Row) Scan(dest ...any) error { return Error(r.scan(dest...)) }

// rowOf is the first row of an answer.
func rowOf(row *sql.Row) Row { return Row{row.Scan} }

// RowsOf reads all rows of an answer. An error comes last, with no row.
func RowsOf(rows *sql.Rows, err error) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err != nil {
			yield(Row{}, Error(err))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if !yield(Row{rows.Scan}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Row{}, Error(err))
		}
	}
}

// On answers queries through a pool, a connection or a transaction of database/sql.
func On(ctx context.Context, through interface {
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, text string, args ...any) *sql.Row
}) Queryer {
	return queryer{
		func(text string, args []any) iter.Seq2[Row, error] {
			return RowsOf(through.QueryContext(ctx, text, args...))
		},
		func(text string, args []any) Row { return rowOf(through.QueryRowContext(ctx, text, args...)) },
	}
}

type queryer struct {
	each func(text string, args []any) iter.Seq2[Row, error]
	row  func(text string, args []any) Row
}

func (q queryer) Each(text string, args ...any) iter.Seq2[Row, error] { return q.each(text, args) }
func (q queryer) Row(text string, args ...any) Row                    { return q.row(text, args) }

// IDs returns the row ids that a query selects.
func IDs(q Queryer, text string, args ...any) (out []int64, err error) {
	for row, err := range q.Each(text, args...) {
		if err != nil {
			return nil, err
		}
		var id int64
		if err := row.Scan(&id); err != nil {
			return nil, err
		}
		out = append(out, id)
	}
	return out, nil
}
