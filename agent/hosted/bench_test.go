package hosted_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/watch"
)

// A replica of 1,000 memories with three versions each: what its first pull takes, what
// opening it without the service takes beside a store that is kept here, and how long
// a change elsewhere takes to show. It says so; nothing is held against it.
func TestTimesOfAReplica(t *testing.T) {
	if os.Getenv("MEMEND_TIMES") == "" {
		t.Skip("set MEMEND_TIMES=1 to measure")
	}
	w := newWorld(t)
	ctx := context.Background()
	local, err := stores.CreateStore(ctx, w.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "local", "", "")
	if err != nil {
		t.Fatal(err)
	}
	here := w.another(local.ID)
	body := strings.Repeat("a line of a memory as long as most of them\n", 40)
	for v := range 3 {
		for i := range 1000 {
			p, text := fmt.Sprintf("/d%d/m%d.md", i%20, i), fmt.Sprintf("version %d of %d\n%s", v, i, body)
			w.write(w.store, p, text)
			w.write(here, p, text)
		}
	}
	w.wire.requests()
	began := time.Now()
	got := w.pull(versions.PullOptions{Full: true})
	t.Logf("first pull of %d versions: %v, %d requests", got.Versions, time.Since(began).Round(time.Millisecond), len(w.wire.requests()))
	began = time.Now()
	w.pull(versions.PullOptions{})
	t.Logf("a pull of nothing: %v, %d requests", time.Since(began).Round(100*time.Microsecond), len(w.wire.requests()))
	began = time.Now()
	w.write(w.here, "/d0/m0.md", "new\n")
	t.Logf("a write: %v, %d requests", time.Since(began).Round(100*time.Microsecond), len(w.wire.requests()))

	w.wire.set(always(cut))
	for range 3 {
		for name, id := range map[string]versions.StoreID{"hosted": w.here.Info().ID, "local": local.ID} {
			began := time.Now()
			s := w.another(id)
			es, err := history.Tree(ctx, s)
			if err != nil || len(es) != 1000 {
				t.Fatalf("%d, %v", len(es), err)
			}
			t.Logf("open %s and read its tree: %v", name, time.Since(began).Round(10*time.Microsecond))
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.wire.set(nil)

	watching, stop := context.WithCancel(ctx)
	defer stop()
	second := w.another(w.here.Info().ID)
	events, err := watch.Watch(watching, second)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		time.Sleep(3 * time.Second)
		began := time.Now()
		w.write(w.store, "/shown.md", fmt.Sprintf("%d\n", i))
		for e := range events {
			if len(e.Changes) > 0 && e.Changes[len(e.Changes)-1].Path == path("/shown.md") {
				break
			}
		}
		t.Logf("a change elsewhere shows after %v", time.Since(began).Round(time.Millisecond))
	}
	stop()
	for range events {
	}
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if err := here.Close(); err != nil {
		t.Fatal(err)
	}
}
