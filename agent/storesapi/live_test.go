package storesapi

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/watch"
)

// screens are another process, as far as the trail can tell: a handle of its own on
// the same home, with a store open in it.
type screens struct {
	*world
	store  *engine.Store
	events <-chan versions.Event
}

func (w *world) screens(store string) *screens {
	w.Helper()
	t, err := engine.Open(w.Context(), w.home, versions.Options{})
	if err != nil {
		w.Fatal(err)
	}
	s, err := t.OpenStore(w.Context(), versions.StoreID(strings.TrimPrefix(store, storesPath+"/")))
	if err != nil {
		w.Fatal(err)
	}
	events, _, err := watch.SyncAndWatch(w.Context(), s)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		for range events { // until the watch has ended, as the test's context has
		}
		_ = s.Close()
		_ = t.Close()
	})
	return &screens{w, s, events}
}

// sees waits for the change that made a version.
func (s *screens) sees(id string) versions.Change {
	s.Helper()
	timeout := time.After(10 * time.Second)
	for {
		select {
		case e := <-s.events:
			for _, c := range e.Changes {
				_, vs, err := history.Change(s.Context(), s.store, c.Number)
				if err != nil {
					s.Fatal(err)
				}
				if slices.ContainsFunc(vs, func(v versions.Version) bool { return string(v.ID) == id }) {
					return c
				}
			}
		case <-timeout:
			s.Fatal("a version is never seen:", id)
		}
	}
}

// What a client writes is told to the screens of another process, with the client's
// key as its author.
func TestAWriteAppearsInAnotherProcess(t *testing.T) {
	w := newWorld(t)
	store := w.store()
	s := w.screens(store)
	m := w.call("POST", store+"/memories", object{"path": "/a.md", "content": "0"}, "X-Api-Key", "mine").ok()
	s.sees(m.str("memory_version_id"))
	var took []time.Duration
	for i := range 30 {
		r := w.call("POST", m.place(), object{"content": numbered("%d", i+1)}, "X-Api-Key", "mine").ok()
		answered := time.Now()
		c := s.sees(r.str("memory_version_id"))
		took = append(took, time.Since(answered))
		if c.Actor != (versions.Actor{Kind: versions.APIKey, Name: keyID("mine")}) || c.Session == "" || c.Path.String() != "/a.md" {
			t.Fatalf("%+v", c)
		}
	}
	slices.Sort(took)
	t.Logf("seen after the answer: half of them within %s, the slowest after %s", took[len(took)/2], took[len(took)-1])
}

// What is written on the screens shows to clients when it is written, and what other
// programs write soon after.
func TestClientsSeeWritesByOthers(t *testing.T) {
	w := newWorld(t)
	store := w.store()
	s := w.screens(store)
	p, err := memfs.ParsePath("/a.md")
	if err != nil {
		t.Fatal(err)
	}
	alice := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}, Session: versions.NewSession()}
	for _, text := range []string{"1", "2"} {
		if _, err := s.store.Write(t.Context(), alice, p, []byte(text), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
		m := w.get(store + "/memories?view=full").ok().rows()[0].has("path", "/a.md", "content", text)
		w.get(store + "/memory_versions").rows()[0].has("id", m.str("memory_version_id"), "created_by", object{"type": "user_actor", "user_id": "user_alice"})
	}
	began := time.Now()
	w.outside(store, "b.md", "theirs")
	w.soon("it shows", func() bool { return len(w.get(store+"/memories").rows()) == 2 })
	t.Logf("another program's file shows after %s", time.Since(began))
}

// Two servers, as two processes have them, and the screens write one memory at once:
// the check and the write are one step for all of them.
// README: "a precondition and its write are one step, across processes".
func TestOnlyOneConcurrentWriteSucceedsAcrossServers(t *testing.T) {
	t.Parallel()
	a := newWorld(t)
	store := a.store()
	b := &world{TB: t, home: a.home}
	var err error
	if b.trail, err = engine.Open(t.Context(), a.home, versions.Options{}); err != nil {
		t.Fatal(err)
	}
	b.api = New(Options{Trail: b.trail})
	b.http = newServer(b.api)
	defer func() { b.http.Close(); _ = b.api.Close(); _ = b.trail.Close() }()
	m := a.memory(store, "/a.md", "base")
	for round := range 10 {
		base := a.get(m.place()).str("content")
		replies := make([]reply, atOnce)
		together(atOnce, func(i int) {
			w := []*world{a, b}[i%2]
			replies[i] = w.post(m.place(), object{"content": numbered("%d of ", i) + numbered("%d", round), "precondition": pre(base)})
		})
		if ok, conflicts, _ := tally(replies); ok != 1 || conflicts != atOnce-1 {
			t.Fatalf("%d won, %d lost", ok, conflicts)
		}
	}
	created := make([]reply, atOnce)
	together(atOnce, func(i int) {
		created[i] = []*world{a, b}[i%2].post(store+"/memories", object{"path": []string{"/n/a", "/n"}[i/2%2], "content": "x"})
	})
	if ok, conflicts, _ := tally(created); ok != 1 || conflicts != atOnce-1 {
		t.Fatalf("%d won, %d lost", ok, conflicts)
	}
}

// A store that was deleted or moved by another process is not served as it was.
func TestStoresAreFollowed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	store := w.store()
	w.memory(store, "/a.md", "1")
	id := versions.StoreID(strings.TrimPrefix(store, storesPath+"/"))
	other, err := engine.Open(t.Context(), w.home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	elsewhere := t.TempDir()
	w.moveTo(store, elsewhere)
	if err := stores.MoveStore(t.Context(), other, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, id, elsewhere); err != nil {
		t.Fatal(err)
	}
	m := w.memory(store, "/b.md", "2")
	same(w, "memories", w.get(store+"/memories").column("path"), []string{"/a.md", "/b.md"})
	if _, err := stores.Delete(t.Context(), other, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, id, versions.Scrub{}); err != nil {
		t.Fatal(err)
	}
	w.get(m.place()).is(404, "not_found_error")
	w.post(m.place(), object{"content": "3"}).is(404, "not_found_error")
	w.post(store+"/memories", object{"path": "/c.md", "content": "3"}).is(404, "not_found_error")
}

// More stores than stay open are served all the same, and the cache is back at its limit once they are
// not used any more.
func TestManyStoresAreServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const many = maxOpen + 5
	var all []reply
	for range many {
		all = append(all, w.memory(w.store(), "/a.md", "1"))
	}
	open := func() int {
		w.api.cache.mu.Lock()
		defer w.api.cache.mu.Unlock()
		return len(w.api.cache.open)
	}
	var inUse sync.WaitGroup // all stores are in use at the same time
	inUse.Add(many)
	together(many, func(i int) {
		uses := sync.OnceFunc(inUse.Done)
		defer uses()
		err := w.api.cache.with(t.Context(), versions.StoreID(all[i].str("memory_store_id")), func(*engine.Store) error {
			uses()
			inUse.Wait()
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	if n := open(); n != maxOpen {
		t.Errorf("%d stores are open", n)
	}
	together(many, func(i int) { w.get(all[i].place()).ok().has("content", "1") })
	for _, m := range all {
		w.post(m.place(), object{"content": "2"}).ok()
	}
	if n := open(); n != maxOpen {
		t.Errorf("%d stores are open", n)
	}
}
