package db

import (
	"fmt"
	"strings"
)

// SQLite stores a value of any type in any column, so it does not detect a time that the disk
// turned into a text. memend can't read such a value.

// Column describes a column of a table.
type Column struct {
	Name, Type string // the type is INTEGER, INT, TEXT or BLOB

	must     bool // it is NOT NULL
	optional bool // it has a default, so a row may omit it
	key      int  // its position in the primary key, from 1
	computed bool // SQLite stores what it computes from other columns
}

// Tables lists the tables of a database. It leaves out SQLite's own and those of other programs.
func Tables(q Queryer) (names []string, err error) {
	return Values[string](q.Rows(`SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite_%' AND ` + ours))
}

// Columns lists the columns of a table.
func Columns(q Queryer, table string) (out []Column, err error) {
	var c Column
	return All(q.Rows(`SELECT name,type,"notnull",dflt_value IS NOT NULL,pk,hidden<>0 FROM pragma_table_xinfo(?)`, table),
		&c, &c.Name, &c.Type, &c.must, &c.optional, &c.key, &c.computed)
}

// eachTable calls do with each table that Tables lists and its columns, which it reads with one query for all. It
// returns an error for a table whose columns SQLite doesn't know.
func eachTable(q Queryer, do func(table string, columns []Column) error) error {
	var names []string
	columns := map[string][]Column{}
	var table string
	var c Column
	rows := q.Rows(`SELECT s.name,c.name,c.type,c."notnull",c.dflt_value IS NOT NULL,c.pk,c.hidden<>0 FROM sqlite_schema s LEFT JOIN pragma_table_xinfo(s.name) c
		WHERE s.type='table' AND s.name NOT LIKE 'sqlite_%' AND ` + ours)
	for range rows.Each(&table, &c.Name, &c.Type, &c.must, &c.optional, &c.key, &c.computed) {
		if columns[table] == nil {
			names = append(names, table)
		}
		columns[table] = append(columns[table], c)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	for _, name := range names {
		if err := do(name, columns[name]); err != nil {
			return err
		}
	}
	return nil
}

// mistyped returns the SQL condition that finds values of another type than the column's.
func (c Column) mistyped(value string) string {
	kind := strings.ToLower(c.Type)
	if kind == "int" {
		kind = "integer"
	}
	return fmt.Sprintf(`typeof(%s) NOT IN ('%s','null')`, value, kind)
}

// mended returns the SQL expression that converts a value to the column's type. A damaged number is
// lost: it becomes NULL. A NOT NULL column gets 0 or an empty value instead of NULL.
func (c Column) mended(value string) string {
	switch {
	case c.Type != "TEXT" && c.Type != "BLOB":
		value = fmt.Sprintf(`iif(%s, NULL, %s)`, c.mistyped(value), value)
	case c.must:
		return fmt.Sprintf(`coalesce(CAST(%s AS %s), CAST('' AS %s))`, value, c.Type, c.Type)
	default:
		return fmt.Sprintf(`CAST(%s AS %s)`, value, c.Type)
	}
	if c.must {
		return fmt.Sprintf(`coalesce(%s, 0)`, value)
	}
	return value
}

// Mistyped describes the tables that have values of another type than their columns.
func Mistyped(q Queryer) (out []string, err error) {
	err = eachTable(q, func(table string, columns []Column) error {
		var either []string
		for _, c := range columns {
			either = append(either, c.mistyped(c.Name))
		}
		var n int
		if err := q.Row(`SELECT count(*) FROM ` + table + ` NOT INDEXED WHERE ` + strings.Join(either, " OR ")).Scan(&n); err != nil {
			return err
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%d rows of table %s have a value of another kind than its column", n, table))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
