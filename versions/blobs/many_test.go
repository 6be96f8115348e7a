package blobs

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions/db"
)

// counted counts the queries of a test.
type counted struct {
	db.Queryer
	n int
}

func (c *counted) Rows(text string, args ...any) *db.Rows {
	c.n++
	return c.Queryer.Rows(text, args...)
}
func (c *counted) Row(text string, args ...any) db.Row { c.n++; return c.Queryer.Row(text, args...) }

// contents makes the tables of contents with some texts, numbered from 1, and returns what runs a statement with them.
func contents(t testing.TB, texts ...[]byte) (*counted, func(text string, args ...any)) {
	t.Helper()
	pool := db.OpenFile(filepath.Join(t.TempDir(), db.File), "&mode=rwc")
	t.Cleanup(func() { _ = pool.Close() })
	exec := func(text string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(text, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE blob(id INTEGER PRIMARY KEY, sha BLOB UNIQUE, size INT, enc INT, data BLOB)`)
	exec(`CREATE TABLE blob_chunk(blob INT, n INT, data BLOB)`)
	for i, text := range texts {
		sha := sha256.Sum256(text)
		enc, data := encode(text)
		exec(`INSERT INTO blob VALUES(?,?,?,?,?)`, i+1, sha[:], len(text), enc, data)
		for n := 0; enc == encChunks && n*ChunkBytes < len(text); n++ {
			exec(`INSERT INTO blob_chunk VALUES(?,?,?)`, i+1, n, zstdEncoder().EncodeAll(text[n*ChunkBytes:min(len(text), (n+1)*ChunkBytes)], nil))
		}
	}
	return &counted{Queryer: db.On(t.Context(), pool)}, exec
}

// all reads contents with GetMany until there are none left.
func all(t testing.TB, q db.Queryer, ids []int64) (out []Content) {
	t.Helper()
	for len(ids) > 0 {
		some, err := GetMany(q, ids)
		if err != nil || len(some) == 0 || len(some) > len(ids) {
			t.Fatalf("of %d contents it returns %d: %v", len(ids), len(some), err)
		}
		out, ids = append(out, some...), ids[len(some):]
	}
	return out
}

func TestGetMany_ReturnsWhatGetReturns(t *testing.T) {
	t.Parallel()
	large := make([]byte, ChunkBytes+5)
	for i := range large {
		large[i] = byte(rand.N(256))
	}
	q, exec := contents(t, []byte("short"), nil, bytes.Repeat([]byte("long "), 1000), large, []byte("damaged"), []byte("lost"), []byte("of another index"),
		bytes.Repeat([]byte("packed and damaged "), 1000), slices.Concat(large, []byte("lost a chunk")), []byte("of another size"))
	exec(`UPDATE blob SET data='other' WHERE id=5`)
	exec(`UPDATE blob SET enc=enc|16 WHERE id=6`)
	exec(`UPDATE blob SET sha=x'00' WHERE id=7`)
	exec(`UPDATE blob SET data=substr(data,1,length(data)-3) WHERE id=8`)
	exec(`DELETE FROM blob_chunk WHERE blob=9 AND n=1`)
	exec(`UPDATE blob SET size=99 WHERE id=10`)
	ids := []int64{10, 4, 3, 99, 2, 1, 5, 9, 6, 4, 8, 7, 1}
	got := all(t, q, ids)
	if len(got) != len(ids) {
		t.Fatalf("%d of %d contents", len(got), len(ids))
	}
	failed := 0
	for i, c := range got {
		text, err := Get(q, ids[i])
		if c.ID != ids[i] || !bytes.Equal(c.Text, text) || fmt.Sprint(c.Err) != fmt.Sprint(err) {
			t.Errorf("content %d: number %d with %d bytes, %v; want %d bytes, %v", ids[i], c.ID, len(c.Text), c.Err, len(text), err)
		}
		if err != nil {
			failed++
		}
	}
	if failed != 6 {
		t.Errorf("%d of the contents could not be read; 6 are damaged, lost or missing", failed)
	}
	if got[0].Size != int64(99) {
		t.Errorf("the recorded size is %v, want 99", got[0].Size)
	}
}

// The cost of a command that reads all contents must not depend on a query for each.
func TestGetMany_AsksOnceForManyContents(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	var ids []int64
	for i := range 3*manyContents + 1 {
		texts, ids = append(texts, fmt.Append(nil, "text ", i)), append(ids, int64(i+1))
	}
	q, _ := contents(t, texts...)
	for i, c := range all(t, q, ids) {
		if !bytes.Equal(c.Text, texts[i]) || c.Err != nil {
			t.Fatalf("content %d is %q, %v", i+1, c.Text, c.Err)
		}
	}
	if q.n != 4 {
		t.Errorf("%d queries for %d contents, want 4", q.n, len(ids))
	}
}

func TestGetMany_HoldsFewMiB(t *testing.T) {
	t.Parallel()
	var texts [][]byte
	for i := range 10 {
		texts = append(texts, bytes.Repeat([]byte{byte('a' + i)}, ChunkBytes))
	}
	q, _ := contents(t, texts...)
	some, err := GetMany(q, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
	if err != nil || len(some) != manyBytes/ChunkBytes {
		t.Errorf("%d contents of 1 MiB at a time, %v; want %d", len(some), err, manyBytes/ChunkBytes)
	}
}

func BenchmarkGet(b *testing.B) {
	var texts [][]byte
	var ids []int64
	for i := range 1000 {
		texts, ids = append(texts, []byte(strings.Repeat(fmt.Sprint("a line of memory ", i, "\n"), 100))), append(ids, int64(i+1))
	}
	q, _ := contents(b, texts...)
	b.Run("one by one", func(b *testing.B) {
		for b.Loop() {
			for _, id := range ids {
				if _, err := Get(q, id); err != nil {
					b.Fatal(err)
				}
			}
		}
	})
	b.Run("many", func(b *testing.B) {
		for b.Loop() {
			all(b, q, ids)
		}
	})
}
