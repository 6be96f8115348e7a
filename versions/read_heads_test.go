package versions

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions/db"
)

// oddNumbers are those at which SQLite begins to write a number with more bytes.
var oddNumbers = []int64{0, 1, 2, -1, 127, 128, -128, -129, 1<<15 - 1, 1 << 15, 1<<23 - 1, 1 << 23, -1 << 23,
	1<<31 - 1, 1 << 31, 1<<47 - 1, 1 << 47, -1 << 47, math.MaxInt64, math.MinInt64}

// fillHeads writes rows of any shape into the table of heads, for three stores of
// which w's own is the second.
func fillHeads(t *testing.T, w *world, rows int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, uint64(rows)))
	number := func() int64 { return oddNumbers[rnd.IntN(len(oddNumbers))] }
	blob := func(most int) []byte { return bytes.Repeat([]byte{byte(rnd.IntN(256))}, rnd.IntN(most)) }
	tx, err := w.trail.db.W.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for i := range rows {
		path := fmt.Sprintf("f%d/%d%s", rnd.IntN(50), i, strings.Repeat("ä", rnd.IntN(60)))
		if rnd.IntN(20) == 0 { // too long for its page
			path += strings.Repeat("/longer", rnd.IntN(900))
		}
		if _, err := tx.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
			VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, w.store.id-1+int64(rnd.IntN(3)), path, i, number(), blob(40), number(), number(), number(),
			number(), number(), number(), number(), number(), number(), number(), number(), blob(20), blob(9000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// bareWorld is one whose invariants are not checked.
func bareWorld(t *testing.T) *world {
	w := &world{t: t, home: t.TempDir(), folder: t.TempDir()}
	w.open()
	t.Cleanup(w.close)
	return w
}

// headsBy lists the heads that a reader visits.
func headsBy(t *testing.T, w *world, read func(reader, func(*headRow) error) error) (out []headRow, err error) {
	t.Helper()
	err = w.trail.view(t.Context(), func(q reader) error {
		return read(q, func(r *headRow) error {
			c := *r
			for _, b := range []*[]byte{&c.path, &c.sha, &c.muid, &c.vuid} {
				*b = append([]byte{}, *b...)
			}
			out = append(out, c)
			return nil
		})
	})
	return out, err
}

func (w *world) headPages(brief bool) func(reader, func(*headRow) error) error {
	return func(q reader, visit func(*headRow) error) error { return w.store.headPages(q, brief, visit) }
}

// briefly is what is left of heads when only what a listing shows is read.
func briefly(rows []headRow) []headRow {
	out := slices.Clone(rows)
	for i := range out {
		r := &out[i]
		r.memory, r.version, r.size, r.ctime, r.ino, r.seen = 0, 0, 0, 0, 0, 0
		r.brief = true
	}
	return out
}

func sameHeads(t *testing.T, got, want []headRow) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b headRow) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) {
		t.Errorf("of the pages %d heads, of SQLite %d, or they differ", len(got), len(want))
	}
}

func TestHeads_AreTheSameByTheirPagesAndBySQLite(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 30, 1500} { // from one page to four levels of them
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			w := bareWorld(t)
			fillHeads(t, w, rows)
			want, err := headsBy(t, w, w.store.headRows)
			if err != nil {
				t.Fatal(err)
			}
			got, err := headsBy(t, w, w.headPages(false))
			if err != nil {
				t.Fatal(err)
			}
			sameHeads(t, got, want)
			if got, err = headsBy(t, w, w.headPages(true)); err != nil {
				t.Fatal(err)
			}
			sameHeads(t, got, briefly(want))
			if rows > 100 && len(got) < rows/4 {
				t.Errorf("%d heads of %d rows in three stores", len(got), rows)
			}
		})
	}
}

func TestHeads_AreAskedOfSQLiteWhereTheirPagesAreOdd(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	fillHeads(t, w, 300)
	want, err := headsBy(t, w, w.store.headRows)
	if err != nil {
		t.Fatal(err)
	}
	last := want[len(want)-1].path
	if _, err := w.trail.db.W.Exec(`ALTER TABLE head ADD COLUMN more INT; UPDATE head SET more=1 WHERE path=?`, string(last)); err != nil {
		t.Fatal(err)
	}
	if _, err := headsBy(t, w, w.headPages(false)); !errors.Is(err, db.ErrPages) {
		t.Errorf("a row with a column more: %v", err)
	}
	var got []headRow
	all, err := headsBy(t, w, func(q reader, visit func(*headRow) error) error {
		return w.store.eachHead(q, false, func() { got = nil }, func(r *headRow) error { got = append(got, *r); return visit(r) })
	})
	if err != nil || len(got) != len(want) {
		t.Fatalf("%d heads, want %d: %v", len(got), len(want), err)
	}
	sameHeads(t, all[len(all)-len(want):], want)
}
