package versions

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/memend/memend/versions/db"
)

// SQLite stores a value of any type in any column, so it does not detect a time that the disk
// turned into a text. memend can't read such a value.

type querier interface {
	rowQueryer
	QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
}

// column describes a column of one of memend's tables.
type column struct {
	name, kind string // INTEGER, INT, TEXT or BLOB
	must       bool   // it is NOT NULL
	optional   bool   // it has a default, so a row may omit it
	key        int    // its position in the primary key, from 1
}

// ownTables lists memend's tables in a database.
func ownTables(ctx context.Context, q querier) (names []string, err error) {
	for row, err := range db.RowsOf(q.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' AND `+ours)) {
		if err != nil {
			return nil, err
		}
		var name string
		if err := row.Scan(&name); err != nil {
			return nil, db.Error(err)
		}
		names = append(names, name)
	}
	return names, nil
}

func columnsOf(ctx context.Context, q querier, table string) (out []column, err error) {
	for row, err := range db.RowsOf(q.QueryContext(ctx, `SELECT name,type,"notnull",dflt_value IS NOT NULL,pk FROM pragma_table_info(?)`, table)) {
		if err != nil {
			return nil, err
		}
		var c column
		if err := row.Scan(&c.name, &c.kind, &c.must, &c.optional, &c.key); err != nil {
			return nil, db.Error(err)
		}
		out = append(out, c)
	}
	return out, nil
}

// strange returns the SQL condition that finds values of another type than the column's.
func (c column) strange(value string) string {
	kind := strings.ToLower(c.kind)
	if kind == "int" {
		kind = "integer"
	}
	return fmt.Sprintf(`typeof(%s) NOT IN ('%s','null')`, value, kind)
}

// mended returns the SQL expression that converts a value to the column's type. A damaged number is
// lost: it becomes NULL. A NOT NULL column gets 0 or an empty value instead of NULL.
func (c column) mended(value string) string {
	switch {
	case c.kind != "TEXT" && c.kind != "BLOB":
		value = fmt.Sprintf(`iif(%s, NULL, %s)`, c.strange(value), value)
	case c.must:
		return fmt.Sprintf(`coalesce(CAST(%s AS %s), CAST('' AS %s))`, value, c.kind, c.kind)
	default:
		return fmt.Sprintf(`CAST(%s AS %s)`, value, c.kind)
	}
	if c.must {
		return fmt.Sprintf(`coalesce(%s, 0)`, value)
	}
	return value
}

// strangeValues lists the tables that have values of another type than their columns.
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
			either = append(either, c.strange(c.name))
		}
		var n int
		if err := q.QueryRowContext(ctx, `SELECT count(*) FROM `+table+` NOT INDEXED WHERE `+strings.Join(either, " OR ")).Scan(&n); err != nil {
			return nil, db.Error(err)
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d rows of table %s have a value of another kind than its column", n, table))
		}
	}
	return out, nil
}
