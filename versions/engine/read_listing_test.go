package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/ids"
)

func TestListing_SaysOfEachMemoryWhatItsEntrySays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 13 {
		by, text := robot, fmt.Sprint(i, strings.Repeat("\u202e", i%3*300))
		if i%4 == 0 {
			by, text = alice, fmt.Sprint("\xff", i)
		}
		if _, err := w.store.Write(t.Context(), by, mustPath(fmt.Sprintf("f %d/ä %%, %d.md", i%4, i)), []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
	}
	es, err := vhistory.Tree(t.Context(), w.store)
	if err != nil || len(es) != 13 {
		t.Fatalf("%d entries, %v", len(es), err)
	}
	for i, e := range es {
		alone, err := vhistory.Entry(t.Context(), w.store, e.Path)
		if err != nil || alone != e {
			t.Errorf("%+v, alone %+v, %v", e, alone, err)
		}
		if i > 0 && versions.ComparePaths(es[i-1].Path, e.Path) >= 0 {
			t.Errorf("%s stands after %s", e.Path, es[i-1].Path)
		}
	}
}

func TestListing_RefusesAnIDOfAnotherLength(t *testing.T) {
	t.Parallel()
	w := bareWorld(t)
	w.write(robot, "a.md", "a")
	if _, err := w.trail.DB.W.Exec(`UPDATE head SET vuid=x'01'`); err != nil {
		t.Fatal(err)
	}
	if _, err := vhistory.Tree(t.Context(), w.store); !errors.Is(err, versions.ErrDamaged) {
		t.Errorf("it is taken: %v", err)
	}
}

// Screens keep a path of one listing and an id of another. 100 readings of 5,000
// memories, of each of which something is kept, once kept all 100 listings: 40 MB.
func TestListing_IsFreedThoughATextOfItIsKept(t *testing.T) {
	w := bareWorld(t)
	tx, err := w.trail.DB.W.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for i := range 5000 {
		uid, sha := fmt.Appendf(nil, "%0*d", ids.Size, i), make([]byte, len(versions.Hash{}))
		if _, err := tx.Exec(`INSERT INTO head(store,path,memory,version,sha,bytes,binary,hidden,size,mtime,ctime,ino,seen,number,actor,ts,muid,vuid)
			VALUES(?,?,?,?,?,0,0,0,0,0,0,0,0,0,0,0,?,?)`, w.store.Row, fmt.Sprintf("folder %d/memory %d.md", i%50, i), i, i, sha, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	var kept []versions.Entry
	live := func() int64 {
		var m runtime.MemStats
		for range 3 { // pools and finalizers let go of memory only in the cycles after the first
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	read := func() {
		es, err := vhistory.Tree(t.Context(), w.store)
		if err != nil || len(es) != 5000 {
			t.Fatal(len(es), err)
		}
		kept = append(kept, es[len(kept)])
	}
	read()
	before := live()
	for range 30 {
		read()
	}
	if grown := live() - before; grown > 4<<20 {
		t.Errorf("%d bytes are kept alive by %d entries", grown, len(kept))
	}
	runtime.KeepAlive(kept)
}
