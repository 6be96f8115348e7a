package db

import (
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
type Row struct {
	from interface{ Scan(dest ...any) error }
}

// Scan reads the columns. Of an answer without a row its error is sql.ErrNoRows.
func (r Row) Scan(dest ...any) error { return Error(r.from.Scan(dest...)) }

// RowOf is the first row of an answer.
func RowOf(row *sql.Row) Row { return Row{row} }

// RowsOf reads all rows of an answer. An error comes last, with no row.
func RowsOf(rows *sql.Rows, err error) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if err != nil {
			yield(Row{}, Error(err))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if !yield(Row{rows}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(Row{}, Error(err))
		}
	}
}
