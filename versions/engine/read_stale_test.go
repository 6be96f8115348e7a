package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
)

const quarter = 90 * 24 * time.Hour

func (w *world) stale(unread time.Duration) *versions.StalePlan {
	w.t.Helper()
	plan, err := vhistory.Stale(w.t.Context(), w.store, unread)
	if err != nil {
		w.t.Fatal(err)
	}
	return plan
}

func names(ms []versions.Stale) string {
	var out []string
	for _, m := range ms {
		out = append(out, versions.Key(m.Path))
	}
	return strings.Join(out, " ")
}

// forgotten is a store with memories that nobody needs.
func forgotten(t *testing.T) (*world, *sharedClock) {
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	for _, p := range []string{"edited", "moved", "never", "read", "sub/once"} {
		w.write(alice, p, p+"\n")
	}
	w.view(robot, "sub/once")
	w.view(robot, "read")
	c.pass(quarter)
	w.view(robot, "read")
	w.view(alice, "never") // a person's looking keeps nothing
	w.write(alice, "edited", "new\n")
	if _, err := w.store.Rename(t.Context(), alice, mustPath("moved"), mustPath("moved-on")); err != nil {
		t.Fatal(err)
	}
	w.write(alice, "new", "new\n")
	c.pass(time.Hour)
	return w, c
}

func TestStaleAreThoseNeitherReadNorWritten(t *testing.T) {
	t.Parallel()
	w, c := forgotten(t)
	plan := w.stale(quarter)
	if got := names(plan.Memories); got != "never sub/once" {
		t.Fatalf("stale are %q", got)
	}
	never, once := plan.Memories[0], plan.Memories[1]
	began := c.now().Add(-quarter - time.Hour)
	if !never.LastRead.IsZero() || !once.LastRead.Equal(began) || never.Size != 6 || never.Written.Sub(began) > time.Second ||
		!plan.Recorded.Equal(began) || never.Version != w.entry("never").Version {
		t.Errorf("plan %+v", plan)
	}
	if got := names(w.stale(time.Minute).Memories); got != "edited moved-on never new read sub/once" {
		t.Errorf("stale for a minute are %q", got)
	}
	if got := names(w.stale(2 * quarter).Memories); got != "" {
		t.Errorf("stale for long are %q", got)
	}
	if _, err := vhistory.Stale(t.Context(), w.store, 0); !errors.Is(err, versions.ErrInvalid) {
		t.Error(err)
	}
}

func TestExpireDeletesThePlanAsOneChangeThatUndoTakesBack(t *testing.T) {
	t.Parallel()
	w, _ := forgotten(t)
	c, kept, err := vhistory.Expire(t.Context(), w.store, alice, w.stale(quarter))
	if err != nil || c.Kind != versions.KindDelete || c.Versions != 2 || len(kept) > 0 {
		t.Fatalf("%+v, %+v, %v", c, kept, err)
	}
	w.wantFile("never", "<none>")
	w.wantFile("sub/once", "<none>")
	w.wantFile("read", "read\n")
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("never", "never\n")
	w.wantFile("sub/once", "sub/once\n")
}

func TestWhatIsReadOrChangedSinceThePlanStays(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world){
		"read, and written down":       func(w *world) { w.view(robot, "never"); w.flush() },
		"read, and not written yet":    func(w *world) { w.view(robot, "never") },
		"one of its versions was read": func(w *world) { w.store.NoteVersionRead(robot, w.entry("never").Version) },
		"edited":                       func(w *world) { w.write(alice, "never", "again") },
		"edited and put back":          func(w *world) { w.write(alice, "never", "x"); w.write(alice, "never", "never\n") },
		"written by another program":   func(w *world) { w.outside("never", "theirs") },
		"replaced by another memory": func(w *world) {
			if _, err := w.store.Delete(w.t.Context(), alice, mustPath("never")); err != nil {
				w.t.Fatal(err)
			}
			w.write(alice, "never", "never\n")
		},
		"moved away": func(w *world) {
			if _, err := w.store.Rename(w.t.Context(), alice, mustPath("never"), mustPath("kept")); err != nil {
				w.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := forgotten(t)
			plan := w.stale(quarter)
			meanwhile(w)
			before := w.file("never") + w.file("kept")
			c, kept, err := vhistory.Expire(t.Context(), w.store, alice, plan)
			if err != nil || c.Versions != 1 || names(kept) != "never" {
				t.Errorf("%+v, %+v, %v", c, kept, err)
			}
			if got := w.file("never") + w.file("kept"); got != before {
				t.Errorf("the file became %q, was %q", got, before)
			}
			again, kept, err := vhistory.Expire(t.Context(), w.store, alice, plan)
			if err != nil || again.Number != 0 || len(kept) != 2 {
				t.Errorf("the same plan again: %+v, %+v, %v", again, kept, err)
			}
		})
	}
}

// Readers race with an expiry: what they read after the plan and before it began
// stays, and never is anything lost that undo can't bring back.
func TestExpireRacesWithReaders(t *testing.T) {
	t.Parallel()
	c := newClock()
	w := newWorld(t, versions.Options{Now: c.now})
	const n = 60
	for i := range n {
		w.write(alice, fmt.Sprint("m", i), "x")
	}
	c.pass(quarter + time.Hour)
	plan := w.stale(quarter)
	if len(plan.Memories) != n {
		t.Fatalf("%d stale", len(plan.Memories))
	}
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range 3 {
		wg.Go(func() {
			for j := i; j < n; j += 4 { // every fourth is read by nobody
				if j == n/2 {
					<-start
				}
				w.view(robot, fmt.Sprint("m", j))
			}
		})
	}
	for j := range n / 4 { // read before the expiry begins, for sure
		w.view(robot, fmt.Sprint("m", j))
	}
	close(start)
	done, kept, err := vhistory.Expire(t.Context(), w.store, alice, plan)
	wg.Wait()
	if err != nil || done.Versions+len(kept) != n || done.Versions < n/4-n/16 {
		t.Fatalf("%+v, %d kept, %v", done, len(kept), err)
	}
	for j := range n / 4 {
		w.wantFile(fmt.Sprint("m", j), "x")
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(done.Number)); err != nil {
		t.Fatal(err)
	}
	for j := range n {
		w.wantFile(fmt.Sprint("m", j), "x")
	}
}

// Another process that reads is seen once its reads are written.
func TestExpireSeesTheReadsOfAnotherTrail(t *testing.T) {
	t.Parallel()
	w, _ := forgotten(t)
	plan := w.stale(quarter)
	other, err := vengine.Open(t.Context(), w.home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := other.OpenStore(t.Context(), w.store.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	if res, _, err := s.Tool(t.Context(), robot, memfs.View{Path: "/memories/never"}, memfs.Options{}); err != nil || res.IsError {
		t.Fatal(res, err)
	}
	if err := errors.Join(s.Close(), other.Close()); err != nil {
		t.Fatal(err)
	}
	if _, kept, err := vhistory.Expire(t.Context(), w.store, alice, plan); err != nil || names(kept) != "never" {
		t.Errorf("kept %+v, %v", kept, err)
	}
}
