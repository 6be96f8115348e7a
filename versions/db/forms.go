package db

import (
	"fmt"
	"slices"
	"strings"
)

// form describes the rows of a table or the entries of an index as they are stored in a page.
type form struct {
	name    string
	table   string   // the table, or the table that the index is on
	columns []Column // in the order of the values in a record
	index   bool
	tree    bool // it is stored as an index, as a table WITHOUT ROWID also is
}

// sequenceTable is the table where SQLite keeps the highest row id that each table ever had.
const sequenceTable = "sqlite_sequence"

// formsOf lists the forms of the tables and indexes of a database.
func formsOf(q Queryer) (out []*form, err error) {
	tables, err := Tables(q)
	if err != nil {
		return nil, err
	}
	for _, name := range tables {
		f := &form{name: name, table: name}
		if f.columns, err = Columns(q, name); err != nil {
			return nil, err
		}
		if err := q.Row(`SELECT wr FROM pragma_table_list WHERE schema='main' AND name=?`, name).Scan(&f.tree); err != nil {
			return nil, err
		}
		out = append(out, f)
		indexes, err := f.indexes(q)
		if err != nil {
			return nil, err
		}
		out = append(out, indexes...)
		if f.tree { // the key comes first
			f.columns = keyFirst(f.columns)
		}
	}
	return append(out, &form{name: sequenceTable, table: sequenceTable,
		columns: []Column{{Name: "name", Type: "TEXT", must: true}, {Name: "seq", Type: "INT", must: true}}}), nil
}

func keyFirst(columns []Column) (out []Column) {
	for n := 1; n <= len(columns); n++ {
		for _, c := range columns {
			if c.key == n {
				out = append(out, c)
			}
		}
	}
	for _, c := range columns {
		if c.key == 0 {
			out = append(out, c)
		}
	}
	return out
}

// indexes lists the forms of the indexes of a table. The last column of an entry is the id of its
// row. A repair can't use the indexes of tables without row ids.
func (f *form) indexes(q Queryer) (out []*form, err error) {
	var name, of string
	rows := q.Rows(`SELECT i.name, coalesce(x.name,'') FROM pragma_index_list(?) i, pragma_index_xinfo(i.name) x
		WHERE i.origin<>'pk' ORDER BY i.name, x.seqno`, f.name)
	for range rows.Each(&name, &of) {
		if len(out) == 0 || out[len(out)-1].name != name {
			out = append(out, &form{name: name, table: f.name, index: true, tree: true})
		}
		i := out[len(out)-1]
		c := Column{Name: "rowid", Type: "INT", must: true}
		for _, has := range f.columns {
			if has.Name == of {
				c = has
			}
		}
		i.columns = append(i.columns, c)
	}
	return out, rows.Err()
}

// fits reports whether a row of this form can have these values.
func (f *form) fits(values []any) bool {
	if len(values) > len(f.columns) || f.index && len(values) != len(f.columns) {
		return false
	}
	for i, c := range f.columns {
		if i >= len(values) {
			if c.must && !c.optional {
				return false
			}
			continue
		}
		ok := false
		switch values[i].(type) {
		case nil:
			ok = !c.must && c.Type != "INTEGER" || c.Type == "INTEGER" && !f.tree
		case int64:
			ok = c.Type == "INT" || c.Type == "INTEGER" && f.tree
		case string:
			ok = c.Type == "TEXT"
		case []byte:
			ok = c.Type == "BLOB"
		}
		if !ok {
			return false
		}
	}
	return true
}

// torn reports whether a row has zeros where it can't have any, and whether the rest of the row is
// usable. It removes texts that contain zeros. The columns of references are never 0.
func (f *form) torn(values []any, references []string) (torn, use bool) {
	use = true
	for i, v := range values {
		c := f.columns[i]
		switch v := v.(type) {
		case string:
			if strings.ContainsRune(v, 0) {
				torn, values[i] = true, nil
			}
		case int64:
			if v == 0 && c.must && slices.Contains(references, c.Name) {
				torn, use = true, false
			}
		}
	}
	return torn, use
}

// alias returns the column that is an alias of the row id, or -1 when there is none.
func (f *form) alias() int {
	for i, c := range f.columns {
		if c.Type == "INTEGER" && !f.tree {
			return i
		}
	}
	return -1
}

// insert stores the first values of a row and corrects their types.
func (f *form) insert(x *Tx, values []any) {
	var names, marks []string
	var args []any
	for i, c := range f.columns[:len(values)] {
		if !c.computed {
			args = append(args, values[i])
			names, marks = append(names, c.Name), append(marks, c.mended(fmt.Sprintf("?%d", len(args))))
		}
	}
	x.Exec(fmt.Sprintf(`INSERT OR IGNORE INTO %s(%s) VALUES(%s)`, f.name, strings.Join(names, ","), strings.Join(marks, ",")), args...)
}
