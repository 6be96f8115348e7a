package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
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
	tx, err := w.trail.DB.W.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for i := range rows {
		path := fmt.Sprintf("f%d/%d%s", rnd.IntN(50), i, strings.Repeat("ä", rnd.IntN(60)))
		if rnd.IntN(20) == 0 { // too long for its page
			path += strings.Repeat("/longer", rnd.IntN(900))
		}
		vuid := blob(40)
		if rnd.IntN(20) == 0 {
			vuid = blob(9000)
		}
		if _, err := tx.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
			VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`, w.store.Row-1+int64(rnd.IntN(3)), path, i, number(), blob(40), number(), number(), number(),
			number(), number(), number(), number(), number(), number(), number(), number(), blob(20), vuid); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
}

// bareWorld is one whose invariants are not checked.
func bareWorld(t *testing.T) *world {
	w := &world{t: t, home: newHome(t), folder: t.TempDir()}
	w.open()
	t.Cleanup(w.close)
	return w
}

func TestHeads_AreReadAsTheTableHasThem(t *testing.T) {
	t.Parallel()
	for _, rows := range []int{0, 1, 2997, 6000} {
		t.Run(fmt.Sprint(rows), func(t *testing.T) {
			w := bareWorld(t)
			fillHeads(t, w, rows)
			var got, want []string
			err := core.View(t.Context(), w.trail, func(q tables.Reader) error {
				var n [14]int64
				var b [6][]byte
				var dest []any
				for i := range n {
					dest = append(dest, &n[i])
				}
				for i := range b {
					dest = append(dest, &b[i])
				}
				rows := q.Rows(`SELECT number,actor,ts,bytes,binary,hidden,mtime,memory,version,seen,size,mtime,ctime,ino,path,muid,vuid,sha,path,sha
					FROM head WHERE store=? ORDER BY path`, w.store.Row)
				for range rows.Each(dest...) {
					want = append(want, fmt.Sprintf("%d %x", n, b))
				}
				if err := rows.Err(); err != nil {
					return err
				}
				var numbers [][14]int64
				var texts [][6]string
				err := core.EachHead(w.store, q, tables.ListedHeads, func(r *core.HeadReader) {
					numbers = append(numbers, [14]int64{r.Number(), r.Number(), r.Number(), r.Number(), r.Number(), r.Number(), r.Number()})
					texts = append(texts, [6]string{r.Text(), r.Text(), r.Text(), r.Text()})
				})
				i := 0
				err = errors.Join(err, core.EachHead(w.store, q, tables.ScannedHeads, func(r *core.HeadReader) {
					for j := range 7 {
						numbers[i][7+j] = r.Number()
					}
					texts[i][4], texts[i][5] = r.Text(), r.Text()
					got = append(got, fmt.Sprintf("%d %x", numbers[i], texts[i]))
					i++
				}))
				return err
			})
			if err != nil || !slices.Equal(got, want) || len(want) < rows/4 {
				t.Errorf("%d heads, want %d, or they differ: %v", len(got), len(want), err)
			}
		})
	}
}

func TestHeads_OfOtherTypesAreDamage(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"ts='x',seen='x'", "muid=x'',ino='x'", "path='../a'"} {
		w := bareWorld(t)
		w.write(robot, "a.md", "a")
		w.write(robot, "b.md", "b")
		if _, err := w.trail.DB.W.Exec(`UPDATE head SET ` + set + ` WHERE path='a.md'`); err != nil {
			t.Fatal(err)
		}
		if _, err := vhistory.Tree(t.Context(), w.store); !errors.Is(err, versions.ErrDamaged) {
			t.Errorf("%s: a listing takes it: %v", set, err)
		}
		if _, err := core.Heads(t.Context(), w.store); !errors.Is(err, versions.ErrDamaged) {
			t.Errorf("%s: a sync takes it: %v", set, err)
		}
	}
}
