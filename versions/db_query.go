package versions

import (
	"database/sql"
	"iter"
)

// queryer resultRows queries: a transaction or a snapshot. Errors are in the words of memfs,
// as [diskError] gives them; no row is sql.ErrNoRows.
type queryer interface {
	each(query string, args ...any) iter.Seq2[resultRow, error]
	row(query string, args ...any) singleRow
}

// resultRow is one row of several, valid until the next one is read.
type resultRow struct{ rows *sql.Rows }

func (r resultRow) Scan(dest ...any) error { return diskError(r.rows.Scan(dest...)) }

// singleRow is the first row of an resultRow.
type singleRow struct{ row *sql.Row }

func (r singleRow) Scan(dest ...any) error { return diskError(r.row.Scan(dest...)) }

// scanner is a row that is read.
type scanner interface{ Scan(dest ...any) error }

// each reads all rows of an resultRow. An error comes last, with no row.
func rowsOf(rows *sql.Rows, err error) iter.Seq2[resultRow, error] {
	return func(yield func(resultRow, error) bool) {
		if err != nil {
			yield(resultRow{}, diskError(err))
			return
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if !yield(resultRow{rows}, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(resultRow{}, diskError(err))
		}
	}
}
