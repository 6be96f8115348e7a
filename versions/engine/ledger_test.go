package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

func (w *world) view(by versions.By, p string) memfs.Result {
	w.t.Helper()
	res, _, err := w.store.Tool(context.Background(), by, memfs.View{Path: "/memories/" + p}, memfs.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func (w *world) flush() {
	w.t.Helper()
	if err := w.trail.FlushReads(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// reads are the reads of the memory at p, the newest first.
func (w *world) reads(p string) []versions.Read {
	w.t.Helper()
	id, err := vhistory.MemoryAt(w.t.Context(), w.store, mustPath(p))
	if err != nil {
		w.t.Fatal(err)
	}
	rs, _, err := vhistory.Reads(w.t.Context(), w.store, id, "", 1000)
	if err != nil {
		w.t.Fatal(err)
	}
	return rs
}

// ledgerRows counts the rows of the ledger.
func (w *world) ledgerRows() (n int) {
	w.t.Helper()
	if err := w.trail.DB.Row(context.Background(), `SELECT count(*) FROM read`).Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

// sharedClock is a time that a test sets while others read it.
type sharedClock struct {
	mu sync.Mutex
	t  time.Time
}

func newClock() *sharedClock { return &sharedClock{t: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)} }
func (c *sharedClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}
func (c *sharedClock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

func TestAnAgentsViewIsARead(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	w.write(alice, "notes/a.md", "one\n")
	if err := os.Symlink("notes/a.md", filepath.Join(w.folder, "to-a")); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour)
	w.view(robot, "notes/a.md")
	w.view(robot, "to-a")
	w.view(alice, "notes/a.md") // a person's looking is none,
	w.view(robot, "notes")      // nor is a listing,
	w.view(robot, "nosuch")     // nor what fails
	w.store.NoteRead(versions.By{Actor: versions.Actor{Kind: versions.APIKey, Name: "key"}}, mustPath("notes/a.md"))
	w.flush()
	rs := w.reads("notes/a.md")
	if len(rs) != 3 || w.ledgerRows() != 3 {
		t.Fatalf("reads %+v", rs)
	}
	e := w.entry("notes/a.md")
	r := rs[2]
	if r.Memory != e.Memory || r.Version != e.Version || r.Number != 1 || r.Actor != robot.Actor || r.Session != robot.Session ||
		r.ToolUse != robot.ToolUse || r.Turn != robot.Turn || !r.Time.Equal(c.now()) {
		t.Errorf("read %+v", r)
	}
	if rs[0].Actor.Kind != versions.APIKey || rs[0].Session != "" {
		t.Errorf("read %+v", rs[0])
	}
	first, next, err := vhistory.Reads(t.Context(), w.store, e.Memory, "", 1)
	if err != nil || len(first) != 1 || first[0] != rs[0] || next == "" {
		t.Errorf("the first page %+v, %q, %v", first, next, err)
	}
	second, next, err := vhistory.Reads(t.Context(), w.store, e.Memory, next, len(rs)-1)
	if err != nil || !slices.Equal(second, rs[1:]) || next != "" {
		t.Errorf("the second page %+v, %q, %v", second, next, err)
	}
}

// A read belongs to the memory that stood there when it was read, whatever became
// of the path until it was written.
func TestAReadIsOfWhatStoodThereThen(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	w.write(alice, "a", "first")
	first := w.entry("a")
	c.pass(time.Minute)
	w.store.NoteRead(robot, mustPath("a"))
	c.pass(time.Minute)
	if _, err := w.store.Rename(t.Context(), alice, mustPath("a"), mustPath("b")); err != nil {
		t.Fatal(err)
	}
	w.write(alice, "a", "second")
	w.flush()
	if rs := w.reads("a"); len(rs) != 0 {
		t.Errorf("the later memory was read: %+v", rs)
	}
	if rs := w.reads("b"); len(rs) != 1 || rs[0].Version != first.Version {
		t.Errorf("reads of the renamed one: %+v", rs)
	}
	if _, err := w.store.Delete(t.Context(), alice, mustPath("b")); err != nil {
		t.Fatal(err)
	}
	w.store.NoteVersionRead(robot, first.Version)
	w.store.NoteVersionRead(robot, "memver_nonsense")
	w.store.NoteRead(robot, mustPath("never/was"))
	w.flush()
	if n := w.ledgerRows(); n != 2 {
		t.Errorf("%d reads", n)
	}
}

func TestReadsAreWrittenWithinAMomentAndAtClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	w.view(robot, "a")
	for end := time.Now().Add(10 * time.Second); w.ledgerRows() == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the read is never written")
		}
	}
	w.view(robot, "a")
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if n := w.ledgerRows(); n != 2 {
		t.Errorf("%d reads right after the store was closed", n)
	}
	if err := w.trail.Close(); err != nil {
		t.Fatal(err)
	}
	w.open()
	if n := w.ledgerRows(); n != 2 {
		t.Errorf("%d reads after the store was closed", n)
	}
	w.view(robot, "a")
	if err := w.trail.Close(); err != nil { // before the store, as some will
		t.Fatal(err)
	}
	_ = w.store.Close()
	w.open()
	if n := w.ledgerRows(); n != 3 {
		t.Errorf("%d reads after the trail was closed", n)
	}
}

// While somebody holds the lock nothing can be written, and nobody who reads waits.
func TestAViewNeverWaitsForTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	unlock, err := w.trail.DB.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const views = 1000 // several transactions
	for range views {
		if res := w.view(robot, "a"); res.IsError {
			t.Fatal(res)
		}
	}
	if n := w.ledgerRows(); n != 0 {
		t.Errorf("%d reads written past the lock", n)
	}
	unlock()
	w.flush()
	if n := w.ledgerRows(); n != views {
		t.Errorf("%d reads, want %d", n, views)
	}
}

// What can't be written is kept for later, and the oldest goes when that is too much.
func TestTheLedgerIsBoundedWhenItCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	w.write(alice, "b", "x")
	if _, err := w.trail.DB.W.Exec(`CREATE TRIGGER refuse BEFORE INSERT ON read BEGIN SELECT raise(ABORT, 'no'); END`); err != nil {
		t.Fatal(err)
	}
	w.view(robot, "a")
	if err := w.trail.FlushReads(t.Context()); err == nil {
		t.Fatal("written all the same")
	}
	w.trail.Ledger.One.Lock() // nothing is tried in the background meanwhile
	const most = 16384
	for range 3 * most / 2 {
		w.store.NoteRead(robot, mustPath("b"))
	}
	if res := w.view(robot, "b"); res.IsError {
		t.Error(res)
	}
	w.trail.Ledger.Mu.Lock()
	kept := len(w.trail.Ledger.Waiting)
	w.trail.Ledger.Mu.Unlock()
	w.trail.Ledger.One.Unlock()
	if kept <= most/2 || kept > most {
		t.Errorf("%d reads wait", kept)
	}
	if err := w.trail.FlushReads(t.Context()); err == nil {
		t.Error("written all the same")
	}
	if _, err := w.trail.DB.W.Exec(`DROP TRIGGER refuse`); err != nil {
		t.Fatal(err)
	}
	w.flush()
	if n := w.ledgerRows(); n != kept || len(w.reads("a")) != 0 {
		t.Errorf("%d reads are written, %d waited", n, kept)
	}
}

func TestManyReadersAndWritersLoseNoRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 4 {
		w.write(alice, fmt.Sprint("m", i), "x")
	}
	var wg sync.WaitGroup
	const each = 400
	for i := range 4 {
		wg.Go(func() {
			by := robot
			by.Session = versions.SessionID(fmt.Sprint("sesn_", i))
			for n := range each {
				w.store.NoteRead(by, mustPath(fmt.Sprint("m", i)))
				if n%100 == 0 {
					if _, err := w.store.Write(context.Background(), by, mustPath(fmt.Sprint("m", i)), []byte(fmt.Sprint(n)), versions.Pre{}); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	w.flush()
	stats, err := vhistory.ReadStats(t.Context(), w.store)
	if err != nil || len(stats) != 4 {
		t.Fatalf("stats %+v, %v", stats, err)
	}
	for m, s := range stats {
		if s.Reads != each || s.Sessions != 1 || s.Last.IsZero() {
			t.Errorf("%s: %+v", m, s)
		}
	}
	one := w.entry("m0").Memory
	if few, err := vhistory.ReadStats(t.Context(), w.store, one, "mem_nonsense"); err != nil || len(few) != 1 || few[one] != stats[one] {
		t.Errorf("stats of one: %+v, %v", few, err)
	}
}

func TestSessionsSayWhatEachDid(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	other, err := stores.CreateStore(t.Context(), w.trail, alice, "other", "", "")
	if err != nil {
		t.Fatal(err)
	}
	o, err := w.trail.OpenStore(t.Context(), other.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	w.write(alice, "a", "1")
	c.pass(time.Minute)
	first := w.write(robot, "a", "2")
	w.write(robot, "b", "3")
	c.pass(time.Minute)
	if _, err := o.Write(t.Context(), robot, mustPath("x"), []byte("4"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(first.Number)); err != nil {
		t.Fatal(err)
	}
	c.pass(time.Hour)
	reader := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "reader"}, Session: "sesn_reader"}
	w.view(reader, "a")
	w.view(reader, "a")
	w.view(robot, "b")
	w.flush()

	all, _, err := vhistory.HomeSessions(t.Context(), w.trail, versions.SessionFilter{}, "", 10)
	if err != nil || len(all) != 3 {
		t.Fatalf("%+v, %v", all, err)
	}
	if s := all[0]; s.ID != "sesn_reader" || s.Changes != 0 || s.Reads != 2 || len(s.Stores) != 1 || !s.Started.Equal(c.now()) {
		t.Errorf("reader %+v", s)
	}
	if s := all[1]; s.ID != robot.Session || s.Actor != robot.Actor || s.Changes != 3 || s.Versions != 3 || s.Undone != 1 || s.Reads != 1 ||
		len(s.Stores) != 2 || !s.Seen.Equal(c.now()) || !s.Started.Before(c.now().Add(-time.Hour)) {
		t.Errorf("robot %+v", s)
	}
	for name, f := range map[string]struct {
		f    versions.SessionFilter
		want int
	}{
		"by id":     {versions.SessionFilter{ID: "sesn_alice"}, 1},
		"by store":  {versions.SessionFilter{Store: other.ID}, 1},
		"by store2": {versions.SessionFilter{Store: w.store.Info().ID}, 3},
		"by kind":   {versions.SessionFilter{Actor: versions.Agent}, 2},
		"since":     {versions.SessionFilter{Since: c.now().Add(-time.Minute)}, 2},
		"until":     {versions.SessionFilter{Until: c.now().Add(-time.Hour)}, 2},
		"none":      {versions.SessionFilter{Actor: versions.Outside}, 0},
	} {
		if got, _, err := vhistory.HomeSessions(t.Context(), w.trail, f.f, "", 10); err != nil || len(got) != f.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	var paged []versions.SessionID
	for at, more := versions.Cursor(""), true; more; more = at != "" {
		page, next, err := vhistory.HomeSessions(t.Context(), w.trail, versions.SessionFilter{}, at, 1)
		if err != nil || len(page) != 1 {
			t.Fatalf("a page %+v, %v", page, err)
		}
		paged, at = append(paged, page[0].ID), next
	}
	if !slices.Equal(paged, []versions.SessionID{all[0].ID, all[1].ID, all[2].ID}) {
		t.Errorf("page by page %v", paged)
	}
	if s, _, err := vhistory.HomeSessions(t.Context(), w.trail, versions.SessionFilter{Store: other.ID}, "", 1); err != nil || len(s) != 1 || s[0].Changes != 1 || !slices.Equal(s[0].Stores, []versions.StoreID{other.ID}) {
		t.Errorf("in one store %+v, %v", s, err)
	}
	for _, at := range []versions.Cursor{"sesn_none", "1", "1.2.3", "1.x"} {
		if _, _, err := vhistory.HomeSessions(t.Context(), w.trail, versions.SessionFilter{}, at, 1); !errors.Is(err, versions.ErrInvalid) {
			t.Errorf("%s: %v", at, err)
		}
	}
}

// A session whose undo was undone is in effect.
func TestSessions_CountWhatIsUndoneNow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1")
	w.write(robot, "b", "1")
	undo, err := plan.Do(t.Context(), w.store, alice, plan.UndoSession(robot.Session))
	for _, want := range []int{2, 0} {
		w.must(err)
		list, _, failed := vhistory.Sessions(t.Context(), w.store, versions.SessionFilter{ID: robot.Session}, "", 1)
		if failed != nil || len(list) != 1 || list[0].Changes != 2 || list[0].Undone != want {
			t.Errorf("%+v, %v, and not %d changes undone", list, failed, want)
		}
		_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(undo.Number))
	}
}
