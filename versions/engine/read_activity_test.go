package engine_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/watch"
)

// activity walks through all that a filter chooses, limit at a time.
func (w *world) activity(f versions.ActivityFilter, limit int) (out []versions.Activity) {
	w.t.Helper()
	var at versions.Cursor
	for range 10_000 {
		page, next, err := vhistory.Activity(w.t.Context(), w.store, f, at, limit)
		if err != nil {
			w.t.Fatal(err)
		}
		out = append(out, page...)
		if next == "" {
			return out
		}
		at = next
	}
	w.t.Fatal("it never ends")
	return nil
}

// busy makes a store in which three sessions read and write.
func busy(t *testing.T, acts int, driver ...string) (*world, *sharedClock) {
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now, Driver: strings.Join(driver, "")})
	r := rand.New(rand.NewPCG(1, 2))
	who := []versions.By{alice, robot, {Actor: versions.Actor{Kind: versions.Agent, Name: "other"}, Session: "sesn_other", ToolUse: "toolu_2", Turn: 2}}
	paths := []string{"a", "notes/b", "notes/deep/c", "notesd"}
	for i := range acts {
		if r.IntN(3) > 0 { // else at the same moment
			c.pass(time.Second)
		}
		by, p := who[r.IntN(len(who))], paths[r.IntN(len(paths))]
		if r.IntN(2) == 0 {
			w.write(by, p, fmt.Sprint("text\n", i, "\n"))
		} else {
			w.store.NoteRead(by, mustPath(p))
		}
	}
	w.flush()
	return w, c
}

func TestActivityIsReadsAndChangesInOneOrder(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	w.write(robot, "notes/a.md", "one\n")
	c.pass(time.Minute)
	w.view(robot, "notes/a.md")
	w.flush()
	w.write(robot, "notes/a.md", "two\nthree\n") // at the moment of the read: after it
	c.pass(time.Minute)
	if _, err := w.store.Rename(t.Context(), alice, mustPath("notes"), mustPath("old")); err != nil {
		t.Fatal(err)
	}
	got := w.activity(versions.ActivityFilter{}, 10)
	if len(got) != 4 {
		t.Fatalf("%+v", got)
	}
	e := w.entry("old/a.md")
	if a := got[0]; a.Read || a.Change.Kind != versions.KindRename || a.Actor != alice.Actor || a.Path.String() != "/notes" || a.Version != e.Version || a.Number != 3 {
		t.Errorf("the newest is %+v", a)
	}
	if a := got[1]; a.Read || a.Change.Number != 2 || a.Operation != versions.Modified || a.Added != 2 || a.Removed != 1 || a.Memory != e.Memory || a.Number != 2 {
		t.Errorf("the change is %+v", a)
	}
	if a := got[2]; !a.Read || a.ID == 0 || a.Path.String() != "/notes/a.md" || a.Number != 1 || a.Memory != e.Memory || a.Session != robot.Session ||
		a.ToolUse != robot.ToolUse || a.Turn != robot.Turn || !a.Time.Equal(got[1].Time) || a.Actor != robot.Actor || a.Change.Number != 0 {
		t.Errorf("the read is %+v", a)
	}
	if a := got[3]; a.Change.Kind != versions.KindCreate || a.Operation != versions.Created {
		t.Errorf("the oldest is %+v", a)
	}
}

func TestActivity_NamesTheFirstMemoriesOfAChangeOfSeveral(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	for _, name := range []string{"notes/a.md", "notes/b.md", "notes/c.md", "notes/d.md"} {
		w.write(robot, name, name+"\n")
	}
	if _, err := w.store.Delete(t.Context(), alice, mustPath("notes")); err != nil {
		t.Fatal(err)
	}
	a := w.activity(versions.ActivityFilter{}, 1)[0]
	if a.Change.Versions != 4 || len(a.Paths) != vhistory.MaxPaths || a.Paths[0] != mustPath("notes/a.md") || a.Paths[2] != mustPath("notes/c.md") {
		t.Errorf("%d versions of %v", a.Change.Versions, a.Paths)
	}
}

// Whatever the filter and the size of a page: what comes is what is there, each
// once, in order.
func TestActivityByPagesIsAllThatTheFilterChooses(t *testing.T) {
	t.Parallel()
	w, c := busy(t, 300)
	all := w.activity(versions.ActivityFilter{}, 1000)
	if len(all) < 200 || !slices.IsSortedFunc(all, func(a, b versions.Activity) int { return cmp.Compare(b.Time.UnixMicro(), a.Time.UnixMicro()) }) {
		t.Fatalf("%d, or not in order", len(all)) // of what did not stand yet there is no read
	}
	mid := c.now().Add(-80 * time.Second)
	for name, tt := range map[string]struct {
		f  versions.ActivityFilter
		is func(versions.Activity) bool
	}{
		"all":     {versions.ActivityFilter{}, func(versions.Activity) bool { return true }},
		"reads":   {versions.ActivityFilter{NoWrites: true}, func(a versions.Activity) bool { return a.Read }},
		"writes":  {versions.ActivityFilter{NoReads: true}, func(a versions.Activity) bool { return !a.Read }},
		"session": {versions.ActivityFilter{Session: "sesn_other"}, func(a versions.Activity) bool { return a.Session == "sesn_other" }},
		"kind":    {versions.ActivityFilter{Actor: versions.Agent}, func(a versions.Activity) bool { return a.Actor.Kind == versions.Agent }},
		"name":    {versions.ActivityFilter{Name: "alice"}, func(a versions.Activity) bool { return a.Actor.Name == "alice" }},
		"folder":  {versions.ActivityFilter{In: mustPath("notes")}, func(a versions.Activity) bool { return a.Path.In(mustPath("notes")) }},
		"memory":  {versions.ActivityFilter{In: mustPath("a")}, func(a versions.Activity) bool { return a.Path.String() == "/a" }},
		"since":   {versions.ActivityFilter{Since: mid}, func(a versions.Activity) bool { return !a.Time.Before(mid) }},
		"until":   {versions.ActivityFilter{Until: mid}, func(a versions.Activity) bool { return !a.Time.After(mid) }},
		"together": {versions.ActivityFilter{Until: mid, Session: robot.Session, NoReads: true, In: mustPath("notes")}, func(a versions.Activity) bool {
			return !a.Time.After(mid) && a.Session == robot.Session && !a.Read && a.Path.In(mustPath("notes"))
		}},
		"nobody": {versions.ActivityFilter{Session: "sesn_nobody"}, func(versions.Activity) bool { return false }},
	} {
		var want []versions.Activity
		for _, a := range all {
			if tt.is(a) {
				want = append(want, a)
			}
		}
		if len(want) == 0 && name != "nobody" {
			t.Errorf("%s: there is nothing to find", name)
		}
		for _, limit := range []int{1, 7, 1000} {
			if got := w.activity(tt.f, limit); !slices.EqualFunc(got, want, func(a, b versions.Activity) bool { return reflect.DeepEqual(a, b) }) {
				t.Errorf("%s by %d: %d of %d", name, limit, len(got), len(want))
			}
		}
	}
}

// One call looks at a bounded part of the trail, and the next goes on from there:
// what is rare is found all the same.
func TestActivityLooksAtABoundedPartOfTheTrail(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "rare", "x")
	w.store.NoteRead(robot, mustPath("rare"))
	w.write(alice, "often", "x")
	w.flush()
	w.fill("often", 2*vhistory.LookedAt+500)
	f := versions.ActivityFilter{In: mustPath("rare")}
	page, next, err := vhistory.Activity(t.Context(), w.store, f, "", 10)
	if err != nil || len(page) != 0 || next == "" {
		t.Errorf("the first call found %+v, goes on at %+v, %v", page, next, err)
	}
	if got := w.activity(f, 10); len(got) != 2 || !got[0].Read || got[1].Read {
		t.Errorf("found %+v", got)
	}
}

// fill adds reads of the memory at p to the ledger, without the time that takes.
func (w *world) fill(p string, reads int) {
	w.t.Helper()
	_, err := w.trail.DB.W.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<?)
		INSERT INTO read(store,memory,version,actor,session,ts) SELECT h.store, h.memory, h.version, (SELECT max(actor) FROM read), (SELECT max(session) FROM read), h.ts+1000000+i
		FROM n, head h WHERE h.path=?`, reads, p)
	must(w, err)
}

// However long the trail is, what is listed is found by an index that has it in
// order.
func TestActivityIsFoundByIndexes(t *testing.T) {
	var texts []string
	listing := faultyDriver(func(step string) error {
		if text := strings.TrimPrefix(step, "sql "); strings.Contains(text, "ORDER BY") && strings.Contains(text, "DESC LIMIT") {
			texts = append(texts, text)
		}
		return nil
	})
	w, c := busy(t, 20, listing)
	for _, f := range []versions.ActivityFilter{{}, {Session: robot.Session}, {Actor: versions.Agent, Name: "bot"}, {In: mustPath("notes")}, {Until: c.now(), Since: c.now().Add(-time.Minute)}} {
		texts = nil
		if _, _, err := vhistory.Activity(t.Context(), w.store, f, "", 10); err != nil {
			t.Fatal(err)
		}
		asked := texts
		if len(asked) < 4 {
			t.Fatalf("%q", asked)
		}
		for _, text := range asked {
			for _, step := range w.queryPlan(text) {
				if strings.Contains(step, "TEMP B-TREE") || strings.HasPrefix(step, "SCAN c") || strings.HasPrefix(step, "SCAN r") {
					t.Errorf("%+v: %s: %s", f, text, step)
				}
			}
		}
	}
}

// queryPlan is how SQLite would run a query.
func (w *world) queryPlan(text string) (steps []string) {
	w.t.Helper()
	var step string
	steps, err := db.All(w.trail.DB.Rows(w.t.Context(), `EXPLAIN QUERY PLAN `+text, make([]any, strings.Count(text, "?"))...), &step, new(int), new(int), new(int), &step)
	must(w, err)
	if len(steps) == 0 {
		w.t.Errorf("no plan for %s", text)
	}
	return steps
}

func TestSessionsOfAStoreSayWhatEachDidInIt(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	other, err := stores.CreateStore(t.Context(), w.trail, alice, "other", "", "")
	must(w, err)
	o, err := w.trail.OpenStore(t.Context(), other.ID)
	must(w, err)
	defer o.Close()
	w.write(robot, "a", "1")
	c.pass(time.Minute)
	w.write(alice, "a", "2")
	_, err = o.Write(t.Context(), robot, mustPath("x"), []byte("4"), versions.Pre{})
	must(w, err)
	_, err = o.Write(t.Context(), versions.By{Actor: robot.Actor, Session: "sesn_elsewhere"}, mustPath("x"), []byte("5"), versions.Pre{})
	must(w, err)
	c.pass(time.Hour)
	w.view(robot, "a") // the session that began first is seen last
	w.view(robot, "a")
	w.flush()
	list := func(f versions.SessionFilter) []versions.Session {
		ss, next, err := vhistory.Sessions(t.Context(), w.store, f, "", 10)
		must(w, err)
		if next != "" {
			t.Errorf("more after %+v", ss)
		}
		return ss
	}
	all := list(versions.SessionFilter{})
	if len(all) != 2 || all[0].ID != robot.Session || all[1].ID != alice.Session {
		t.Fatalf("%+v", all)
	}
	if s := all[0]; s.Changes != 1 || s.Versions != 1 || s.Reads != 2 || s.Undone != 0 || !s.Seen.Equal(c.now()) || s.Actor != robot.Actor {
		t.Errorf("%+v", s)
	}
	_, next, err := vhistory.Sessions(t.Context(), w.store, versions.SessionFilter{}, "", 1)
	must(w, err)
	if page, _, err := vhistory.Sessions(t.Context(), w.store, versions.SessionFilter{}, next, 10); err != nil || len(page) != 1 || page[0].ID != alice.Session {
		t.Errorf("the second page %+v, %v", page, err)
	}
	for name, f := range map[string]versions.SessionFilter{"id": {ID: alice.Session}, "kind": {Actor: versions.Person}, "until": {Until: c.now(), Actor: versions.Person}} {
		if got := list(f); len(got) != 1 || got[0].ID != alice.Session {
			t.Errorf("by %s: %+v", name, got)
		}
	}
	if got := list(versions.SessionFilter{Since: c.now().Add(-time.Minute)}); len(got) != 1 || got[0].ID != robot.Session {
		t.Errorf("since: %+v", got)
	}
}

// Whoever watches learns of reads, those of another process too, and of the reads
// of another store nothing.
func TestAWatchTellsOfNewReads(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "x")
	other, err := stores.CreateStore(t.Context(), w.trail, alice, "other", "", "")
	must(w, err)
	o, err := w.trail.OpenStore(t.Context(), other.ID)
	must(w, err)
	defer o.Close()
	_, err = o.Write(t.Context(), alice, mustPath("x"), []byte("4"), versions.Pre{})
	must(w, err)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events, err := watch.Watch(ctx, w.store)
	must(w, err)
	quiet := func(why string) {
		t.Helper()
		select {
		case e := <-events:
			t.Errorf("%s: %+v", why, e)
		case <-time.After(500 * time.Millisecond):
		}
	}
	quiet("before anything was read")
	o.NoteRead(robot, mustPath("x"))
	w.flush()
	quiet("a read of another store")
	w.view(robot, "a")
	tells := func(who string) {
		t.Helper()
		select {
		case e := <-events:
			if !e.Reads || len(e.Changes) > 0 || e.Reload {
				t.Errorf("%s: %+v", who, e)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("nothing tells of the read of %s", who)
		}
	}
	tells("this process")
	quiet("told twice")
	second, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	defer second.Close()
	s2, err := second.OpenStore(t.Context(), w.store.Info().ID)
	must(w, err)
	defer s2.Close()
	if _, _, err := s2.Tool(t.Context(), robot, memfs.View{Path: "/memories/a"}, memfs.Options{}); err != nil {
		t.Fatal(err)
	}
	tells("another process")
}

// A page from a trail with 100,000 reads, against one from a trail with 1,000: the
// ratio of medians.
func BenchmarkActivity(b *testing.B) {
	var stores []*core.Store
	for _, reads := range []int{1000, 100_000} {
		s := viewedStore(b, 100)
		p, err := memfs.ParsePath("d1/m1.md")
		if err != nil {
			b.Fatal(err)
		}
		s.NoteRead(robot, p)
		if err := s.Trail.FlushReads(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Trail.DB.W.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<?)
			INSERT INTO read(store,memory,version,actor,session,ts) SELECT r.store, r.memory, r.version, r.actor, r.session, r.ts+i FROM n, (SELECT * FROM read LIMIT 1) r`, reads); err != nil {
			b.Fatal(err)
		}
		stores = append(stores, s)
	}
	for _, row := range []struct {
		name string
		f    versions.ActivityFilter
	}{{"all", versions.ActivityFilter{}}, {"a session", versions.ActivityFilter{Session: robot.Session}}, {"nothing gets through", versions.ActivityFilter{In: mustPath("nosuch")}}} {
		b.Run(row.name, func(b *testing.B) {
			took := [2][]time.Duration{}
			for b.Loop() {
				for i, s := range stores {
					began := time.Now()
					if _, _, err := vhistory.Activity(context.Background(), s, row.f, "", 100); err != nil {
						b.Fatal(err)
					}
					took[i] = append(took[i], time.Since(began))
				}
			}
			slices.Sort(took[0])
			slices.Sort(took[1])
			b.ReportMetric(float64(took[1][len(took[1])/2])/float64(took[0][len(took[0])/2]), "long/short")
		})
	}
}
