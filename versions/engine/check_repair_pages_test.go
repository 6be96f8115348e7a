package engine_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/db/pages"
)

// The pages of a whole trail hold the rows that SQLite reads from them, in its file and
// in its log.
func TestPagesHoldTheRowsThatSQLiteReads(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		t.Run(fmt.Sprint("in the log: ", logged), func(t *testing.T) {
			w, _ := worn(t)
			file := filepath.Join(w.home, db.File)
			pool := db.OpenFile(file, "&_journal_mode=wal")
			if logged {
				w.open()
				w.write(robot, "logged", strings.Repeat("in the log\n", 2000))
				copied := filepath.Join(t.TempDir(), db.File)
				for _, end := range []string{"", "-wal"} {
					b, err := os.ReadFile(file + end)
					must(w, err)
					must(w, os.WriteFile(copied+end, b, 0o600))
				}
				w.close()
				file = copied
				must(w, pool.Close())
				pool = db.OpenFile(file, "&_pragma=wal_autocheckpoint(0)")
			}
			defer func() { _ = pool.Close() }()
			p, err := pages.Open(file)
			must(w, err)
			defer p.Close()
			if logged != (p.Logged() > 0) {
				t.Fatalf("%d pages are in the log", p.Logged())
			}
			read := map[string]int{}
			rows, err := pool.Query(`SELECT name,rootpage FROM sqlite_schema WHERE type='table' AND sql NOT LIKE '%WITHOUT ROWID%'`)
			must(w, err)
			for rows.Next() {
				var name string
				var root uint32
				must(w, rows.Scan(&name, &root))
				for _, n := range below(p, root) {
					for _, c := range p.Tree(n).Cells {
						read[name+fmt.Sprint(c.RowID, c.Values)]++
					}
				}
			}
			must(w, rows.Err())
			tables, err := db.Tables(db.On(t.Context(), pool))
			must(w, err)
			some := 0
			for _, name := range tables {
				if slices.Contains([]string{"head", "intent", "blob_chunk", "attachment", "input", "rejected", "pin", "shared"}, name) { // without row ids
					continue
				}
				for _, row := range allRows(w, pool, "SELECT rowid,* FROM "+name) {
					values := append([]any{}, row[1:]...)
					if values[0] == row[0] { // INTEGER PRIMARY KEY
						values[0] = nil
					}
					for len(values) > 0 && read[name+fmt.Sprint(row[0], values)] == 0 && reflect.DeepEqual(values[len(values)-1], int64(0)) {
						values = values[:len(values)-1] // a column that was added later
					}
					if read[name+fmt.Sprint(row[0], values)] != 1 {
						t.Errorf("row %v of %s is not in the pages", row, name)
					}
					some++
				}
			}
			if some < 100 {
				t.Errorf("only %d rows were compared", some)
			}
		})
	}
}

// below lists the pages of the table or index whose root is given.
func below(p *pages.File, root uint32) []uint32 {
	out := []uint32{root}
	for _, child := range p.Tree(root).Children {
		out = append(out, below(p, child)...)
	}
	return out
}

// allRows is what a query answers.
func allRows(w *world, q *sql.DB, text string) (out [][]any) {
	w.t.Helper()
	rows, err := q.QueryContext(w.t.Context(), text)
	must(w, err)
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	must(w, err)
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range into {
			into[i] = &values[i]
		}
		must(w, rows.Scan(into...))
		for i, v := range values {
			if b, ok := v.([]byte); ok && b == nil {
				values[i] = []byte{}
			}
		}
		out = append(out, values)
	}
	must(w, rows.Err())
	return out
}
