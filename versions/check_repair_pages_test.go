package versions

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// The pages of a whole trail hold the rows that SQLite reads from them, in its file and
// in its log.
func TestPagesHoldTheRowsThatSQLiteReads(t *testing.T) {
	t.Parallel()
	for _, logged := range []bool{false, true} {
		t.Run(fmt.Sprint("in the log: ", logged), func(t *testing.T) {
			w, _ := worn(t)
			file := filepath.Join(w.home, trailFile)
			db := openFile(file, "&_journal_mode=wal", 1)
			if logged {
				w.open()
				w.write(robot, "logged", strings.Repeat("in the log\n", 2000))
				copied := filepath.Join(t.TempDir(), trailFile)
				for _, end := range []string{"", "-wal"} {
					b, err := os.ReadFile(file + end)
					must(w, err)
					must(w, os.WriteFile(copied+end, b, 0o600))
				}
				w.close()
				file = copied
				must(w, db.Close())
				db = openFile(file, "&_pragma=wal_autocheckpoint(0)", 1)
			}
			defer func() { _ = db.Close() }()
			p, err := openPages(file)
			must(w, err)
			defer p.close()
			if logged != (len(p.inLog) > 0) {
				t.Fatalf("%d pages are in the log", len(p.inLog))
			}
			read := map[string]int{}
			rows, err := db.Query(`SELECT name,rootpage FROM sqlite_schema WHERE type='table' AND sql NOT LIKE '%WITHOUT ROWID%'`)
			must(w, err)
			for rows.Next() {
				var name string
				var root uint32
				must(w, rows.Scan(&name, &root))
				for _, n := range below(p, root) {
					for _, c := range p.tree(n).cells {
						read[name+fmt.Sprint(c.rowid, c.values)]++
					}
				}
			}
			must(w, rows.Err())
			tables, err := ownTables(t.Context(), db)
			must(w, err)
			some := 0
			for _, name := range tables {
				if name == "head" || name == "intent" || name == "blob_chunk" || name == "attachment" {
					continue
				}
				for _, row := range allRows(w, db, "SELECT rowid,* FROM "+name) {
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
func below(p *pageFile, root uint32) []uint32 {
	out := []uint32{root}
	for _, child := range p.tree(root).children {
		out = append(out, below(p, child)...)
	}
	return out
}

// allRows is what a query answers.
func allRows(w *world, q querier, text string) (out [][]any) {
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
