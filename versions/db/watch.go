package db

import (
	"context"
	"fmt"
	"reflect"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memend/memend/versions"
)

// Watch says when a change of a row is to be reported.
type Watch struct {
	Kind    int64    // what to report
	Row     string   // the column with the number to report
	Columns []string // an update of other columns is not reported
	Partial bool     // a row whose Columns are all NULL counts as none
	First   bool     // an inserted row makes something new
	Note    string   // a column whose number before the change is reported, too; may be empty
}

// Touched is something that a transaction inserted, updated or deleted.
type Touched struct {
	Kind, Row int64
	New       bool  // its first row was inserted
	Note      int64 // of the Watch; 0: not known
}

// watcher collects what a connection changes.
type watcher struct {
	tables  map[string][]watched
	touched map[[2]int64]*Touched // by kind and row
	off     bool                  // for the transaction
	old, is []any
	failed  error
}

// watched is a Watch with the positions of its columns.
type watched struct {
	Watch
	row     int
	note    int // 0: none
	columns []int
	last    int // the last position that an update needs
}

// watch begins to collect what the writer's connection changes.
func (w *Writer) watch(ctx context.Context, by map[string][]Watch) error {
	if w.watcher != nil || len(by) == 0 {
		return nil
	}
	at := map[string]map[string]int{}
	var table, column string
	var n int
	rows := w.rows(ctx, `SELECT m.name,i.name,i.cid FROM sqlite_schema m, pragma_table_info(m.name) i WHERE m.type='table'`, nil)
	for range rows.Each(&table, &column, &n) {
		if at[table] == nil {
			at[table] = map[string]int{}
		}
		at[table][column] = n
	}
	if err := rows.Err(); err != nil {
		return err
	}
	c := &watcher{tables: map[string][]watched{}, touched: map[[2]int64]*Touched{}}
	for table, all := range by {
		for _, one := range all {
			p := watched{Watch: one}
			var ok bool
			if p.row, ok = at[table][one.Row]; !ok {
				return fmt.Errorf("%w: table %s has no column %s", versions.ErrDamaged, table, one.Row)
			}
			p.last = p.row
			if one.Note != "" {
				if p.note, ok = at[table][one.Note]; !ok {
					return fmt.Errorf("%w: table %s has no column %s", versions.ErrDamaged, table, one.Note)
				}
			}
			for _, name := range one.Columns {
				n, ok := at[table][name]
				if !ok {
					return fmt.Errorf("%w: table %s has no column %s", versions.ErrDamaged, table, name)
				}
				p.columns, p.last = append(p.columns, n), max(p.last, n)
			}
			c.tables[table] = append(c.tables[table], p)
		}
	}
	w.watcher = c
	return w.Raw(func(conn any) error {
		conn.(sqlite.HookRegisterer).RegisterPreUpdateHook(c.changing)
		return nil
	})
}

// changing is called before a row changes.
func (c *watcher) changing(d sqlite.SQLitePreUpdateData) {
	if c.off || d.DatabaseName != "main" {
		return
	}
	for i := range c.tables[d.TableName] {
		w := &c.tables[d.TableName][i]
		need := w.row + 1
		if w.Partial || d.Op == sqlite3.SQLITE_UPDATE {
			need = w.last + 1
		}
		if d.Op != sqlite3.SQLITE_INSERT {
			need = max(need, w.note+1)
		}
		before, after := d.Op != sqlite3.SQLITE_INSERT, d.Op != sqlite3.SQLITE_DELETE
		c.old, c.is = cleared(c.old, need), cleared(c.is, need)
		if before {
			c.failed = first(c.failed, d.Old(c.old...))
		}
		if after {
			c.failed = first(c.failed, d.New(c.is...))
		}
		if (w.Partial || before && after) && !w.differs(c.old, c.is) {
			continue
		}
		if before {
			c.touch(w, c.old, false)
		}
		if after {
			c.touch(w, c.is, w.First && !before)
		}
	}
}

func cleared(values []any, n int) []any {
	if cap(values) < n {
		return make([]any, n)
	}
	values = values[:n]
	clear(values)
	return values
}

func first(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (w *watched) differs(a, b []any) bool {
	if a[w.row] != b[w.row] && !w.Partial {
		return true
	}
	for _, i := range w.columns {
		if !reflect.DeepEqual(a[i], b[i]) {
			return true
		}
	}
	return false
}

func (c *watcher) touch(w *watched, values []any, isNew bool) {
	id, ok := values[w.row].(int64)
	if !ok {
		return // NULL: it belongs to nothing
	}
	key := [2]int64{w.Kind, id}
	t := c.touched[key]
	if t == nil {
		t = &Touched{Kind: w.Kind, Row: id, New: isNew}
		c.touched[key] = t
	}
	if w.note > 0 && w.note < len(values) && t.Note == 0 {
		t.Note, _ = values[w.note].(int64)
	}
}

// Unwatched makes Touched return nothing of what the transaction does from here on.
func (x *Tx) Unwatched() {
	if x.w.watcher != nil {
		x.w.watcher.off = true
	}
}

// Touched returns what the transaction changed since the last call, as the Watches of the Config say. The
// order is undefined.
func (x *Tx) Touched() (out []Touched, err error) {
	c := x.w.watcher
	if c == nil {
		return nil, nil
	}
	for _, t := range c.touched {
		out = append(out, *t)
	}
	clear(c.touched)
	return out, c.failed
}
