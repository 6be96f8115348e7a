package versions

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// SQLite stores a value of any kind in any column, so it finds nothing wrong with
// a time that the disk made a text. Nothing of ours can read it.

type querier interface {
	rowQueryer
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// column is a column of one of our tables.
type column struct {
	name, kind string // INTEGER, INT, TEXT or BLOB
	must       bool   // it is never NULL
}

// ownTables lists the tables of memtrail in a database.
func ownTables(ctx context.Context, q querier) (names []string, err error) {
	rows, err := q.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' AND `+ours)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, diskError(err)
		}
		names = append(names, name)
	}
	return names, diskError(rows.Err())
}

func columnsOf(ctx context.Context, q querier, table string) (out []column, err error) {
	rows, err := q.QueryContext(ctx, `SELECT name,type,"notnull" FROM pragma_table_info(?)`, table)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var c column
		if err := rows.Scan(&c.name, &c.kind, &c.must); err != nil {
			return nil, diskError(err)
		}
		out = append(out, c)
	}
	return out, diskError(rows.Err())
}

// strange is the condition under which the value in a column is of another kind.
func (c column) strange() string {
	kind := strings.ToLower(c.kind)
	if kind == "int" {
		kind = "integer"
	}
	return fmt.Sprintf(`typeof(%s) NOT IN ('%s','null')`, c.name, kind)
}

// mended is the value in a column as one of its kind. What was a number is lost
// where it is none any more; bytes stay what they are.
func (c column) mended() string {
	switch {
	case c.kind == "TEXT" || c.kind == "BLOB":
		return fmt.Sprintf(`CAST(%s AS %s)`, c.name, c.kind)
	case c.must:
		return fmt.Sprintf(`iif(%s, 0, %s)`, c.strange(), c.name)
	}
	return fmt.Sprintf(`iif(%s, NULL, %s)`, c.strange(), c.name)
}

// strangeValues says which tables have values of another kind than their columns.
func strangeValues(ctx context.Context, q querier) (out []string, err error) {
	tables, err := ownTables(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, table := range tables {
		columns, err := columnsOf(ctx, q, table)
		if err != nil {
			return nil, err
		}
		var either []string
		for _, c := range columns {
			either = append(either, c.strange())
		}
		var n int
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` NOT INDEXED WHERE `+strings.Join(either, " OR ")).Scan(&n); err != nil {
			return nil, diskError(err)
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d rows of table %s have a value of another kind than its column", n, table))
		}
	}
	return out, nil
}
