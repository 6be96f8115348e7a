package search

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/match"
)

func TestChangedSince_ListsNothingWhereTooMuchChanged(t *testing.T) {
	t.Parallel()
	pool := db.OpenFile(filepath.Join(t.TempDir(), db.File), "&mode=rwc")
	defer func() { _ = pool.Close() }()
	exec := func(text string, args ...any) {
		t.Helper()
		if _, err := pool.Exec(text, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(`CREATE TABLE change(id INTEGER PRIMARY KEY, store INT)`)
	exec(`CREATE TABLE version(change INT, path TEXT, origin TEXT)`)
	exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n LIMIT ?) INSERT INTO change SELECT i,7 FROM n`, maxReread+1)
	exec(`INSERT INTO version SELECT id,'m'||id,NULL FROM change`)
	exec(`INSERT INTO change VALUES(5000,8)`)
	c := New(Source{Store: 7})
	since := func(row int64) (n int, ok bool) {
		t.Helper()
		paths, ok, err := c.changedSince(db.On(t.Context(), pool), row)
		if err != nil {
			t.Fatal(err)
		}
		return len(paths), ok
	}
	if n, ok := since(0); ok || n != 0 {
		t.Errorf("of %d changed memories it lists %d, ok %v", maxReread+1, n, ok)
	}
	if n, ok := since(maxReread); !ok || n != 1 {
		t.Errorf("of one changed memory it lists %d, ok %v", n, ok)
	}
	exec(`UPDATE version SET path=NULL WHERE change=?`, maxReread+1)
	if n, ok := since(maxReread); ok || n != 0 {
		t.Errorf("of a redacted memory it lists %d, ok %v", n, ok)
	}
}

// A redaction of what was written since the last search empties the cache. The next search fills it
// again, up to the same limit.
func TestRefresh_EmptiesTheCacheAfterARedaction(t *testing.T) {
	t.Parallel()
	pool := db.OpenFile(filepath.Join(t.TempDir(), db.File), "&mode=rwc")
	defer func() { _ = pool.Close() }()
	for _, text := range []string{
		`CREATE TABLE change(id INTEGER PRIMARY KEY, store INT, number INT)`,
		`CREATE TABLE version(id INTEGER PRIMARY KEY, change INT, path TEXT, origin TEXT)`,
		`CREATE TABLE intent(change INT, store INT, carried INT)`,
		`INSERT INTO change VALUES(1,7,1)`,
	} {
		if _, err := pool.Exec(text); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := memfs.OpenDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	c := New(Source{Store: 7, Folder: func() *memfs.Dir { return folder }, View: func(ctx context.Context, read func(db.Queryer) error) error { return read(db.On(ctx, pool)) }})
	refresh := func() {
		t.Helper()
		if err := c.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	refresh()
	c.keep(&doc{path: path(t, "a"), text: []byte("text")})
	refresh()
	if c.bytes != 4 {
		t.Fatalf("%d bytes are cached, want 4", c.bytes)
	}
	if _, err := pool.Exec(`INSERT INTO change VALUES(2,7,2); INSERT INTO version VALUES(1,2,NULL,NULL)`); err != nil {
		t.Fatal(err)
	}
	refresh()
	if c.bytes != 0 || len(c.docs) != 0 {
		t.Errorf("%d bytes are cached after a redaction", c.bytes)
	}
	if d := (&doc{path: path(t, "a"), text: []byte("text")}); !c.keep(d) {
		t.Error("nothing is cached any more")
	}
}

func TestKeep_StaysBelowTheLimit(t *testing.T) {
	t.Parallel()
	c := New(Source{})
	c.Limit = 10
	for i, want := range []bool{true, false, true} {
		d := &doc{path: path(t, string(rune('a'+i))), text: make([]byte, []int{6, 6, 4}[i])}
		if got := c.keep(d); got != want || d.cached != want {
			t.Errorf("text %d is cached: %v, want %v", i, got, want)
		}
	}
	c.drop(path(t, "a"))
	c.drop(path(t, "b")) // it is not cached
	if c.bytes != 4 {
		t.Errorf("%d bytes are cached, want 4", c.bytes)
	}
}

func TestStow_CopiesTextsIntoSlabs(t *testing.T) {
	t.Parallel()
	var slab []byte
	var all [][]byte
	for i := range 5 {
		text := make([]byte, 60_000)
		text[0] = byte(i)
		var copied []byte
		slab, copied = stow(slab, text)
		clear(text)
		all = append(all, append(copied, 'x')[:len(copied)]) // a text that grows may not reach into the next one
	}
	for i, text := range all {
		if len(text) != 60_000 || text[0] != byte(i) {
			t.Errorf("text %d has %d bytes and begins with %d", i, len(text), text[0])
		}
	}
	if rest, large := stow(slab, make([]byte, 1<<20)); len(large) != 1<<20 || len(rest) != len(slab) {
		t.Errorf("a large text of %d bytes takes %d bytes of the slab", len(large), len(rest)-len(slab))
	}
}

// Who types faster than the texts can be read stops one search after the other.
func TestEachFile_NeedsLittleMemoryWhenItIsStoppedAgainAndAgain(t *testing.T) {
	dir := t.TempDir()
	const texts = 2000
	for i := range texts {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.md", i)), []byte("short\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := memfs.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = folder.Close() }()
	c := New(Source{Folder: func() *memfs.Dir { return folder }, MaxBytes: 1 << 20,
		View: func(ctx context.Context, _ func(db.Queryer) error) error { return ctx.Err() }})
	before := heap()
	searches := 0
	for len(c.docs) < texts {
		ctx, stop := context.WithCancel(t.Context())
		if _, err := c.eachFile(ctx, memfs.Root, func(int, *doc) bool { stop(); return true }); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		searches++
	}
	if searches < 20 {
		t.Fatalf("%d searches read all texts: they were stopped too late to tell", searches)
	}
	if grew := int64(heap()) - int64(before); grew > 16<<20 {
		t.Errorf("%d short texts take %d MiB", texts, grew>>20)
	}
	runtime.KeepAlive(c)
}

// heap is how many bytes are in use after a garbage collection.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestPast_PassesOnAPanicOfOneThatReads(t *testing.T) {
	t.Parallel()
	panicked := func() (what any) {
		defer func() { what = recover() }()
		w := (*Past)(nil).workers(nil) // there is nothing to read from
		for i := range 200 {           // more than the channel holds
			w.todo <- blobs.Packed{ID: int64(i)}
		}
		return w.wait()
	}()
	if _, ok := panicked.(*memfs.Panicked); !ok {
		t.Errorf("it returns %v", panicked)
	}
}

func path(t *testing.T, p string) memfs.Path {
	t.Helper()
	out, err := memfs.ParsePath(p)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// oneAtATime is a queryer that must not be used by two goroutines at the same time.
type oneAtATime struct {
	db.Queryer
	t    *testing.T
	used sync.Mutex
}

func (q *oneAtATime) Row(text string, args ...any) db.Row {
	if !q.used.TryLock() {
		q.t.Error("two goroutines query at the same time")
		return q.Queryer.Row(text, args...)
	}
	defer q.used.Unlock()
	time.Sleep(time.Millisecond)
	return q.Queryer.Row(text, args...)
}

func TestPast_ReadsThePartsOfLargeContentsInOneGoroutine(t *testing.T) {
	t.Parallel()
	pool := db.OpenFile(filepath.Join(t.TempDir(), db.File), "&mode=rwc")
	defer func() { _ = pool.Close() }()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	packed := z.EncodeAll([]byte("one needle\n"), nil)
	var vs []pastVersion
	for _, text := range []string{`CREATE TABLE blob(id INTEGER PRIMARY KEY, sha BLOB, size INT, enc INT, data BLOB)`, `CREATE TABLE blob_chunk(blob INT, n INT, data BLOB)`} {
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	for id := range int64(20) {
		if _, err := conn.ExecContext(t.Context(), `INSERT INTO blob VALUES(?1,?1,11,2,x''); INSERT INTO blob_chunk VALUES(?1,0,?2)`, id+1, packed); err != nil {
			t.Fatal(err)
		}
		vs = append(vs, pastVersion{blob: id + 1})
	}
	terms, err := versions.Query{Text: "needle"}.TextPart().Terms(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := NewPast(1, memfs.Root, terms, match.Excerpt{})
	if err := p.searchAll(&oneAtATime{Queryer: db.On(t.Context(), conn), t: t}, vs); err != nil || p.Damaged != nil {
		t.Fatal(err, p.Damaged)
	}
	for _, v := range vs {
		if !p.matches[v.blob] {
			t.Errorf("content %d is not found", v.blob)
		}
	}
}
