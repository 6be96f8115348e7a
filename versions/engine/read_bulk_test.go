package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/watch"
)

// Another program rewrites memories and deletes some while somebody watches: what it does
// is recorded as it is seen, and is one act all the same.
func TestABulkIsWhatOneProgramDidInOneGo(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, versions.Options{Now: func() time.Time { return now }})
	for n := range 20 {
		w.outside(fmt.Sprintf("%d.md", n), "old")
	}
	w.sync()
	act := func(wait time.Duration, from, to int, content string) {
		t.Helper()
		now = now.Add(wait)
		for n := from; n < to; n++ {
			if content != "" {
				w.outside(fmt.Sprintf("%d.md", n), content)
			} else if err := os.Remove(filepath.Join(w.folder, fmt.Sprintf("%d.md", n))); err != nil {
				t.Fatal(err)
			}
		}
		w.sync()
	}
	if bs, err := vhistory.Bulks(t.Context(), w.store, time.Time{}); err != nil || len(bs) != 0 {
		t.Errorf("what was found at first is %+v, %v", bs, err)
	}
	act(time.Hour, 0, 3, "single") // change 2
	act(time.Hour, 0, 6, "a")      // 3 to 5
	act(50*time.Second, 6, 12, "b")
	act(50*time.Second, 12, 18, "")
	act(time.Hour, 18, 20, "later") // 6
	bs, err := vhistory.Bulks(t.Context(), w.store, time.Time{})
	if err != nil || len(bs) != 1 || !slices.Equal(bs[0].Changes, []int64{3, 4, 5}) || bs[0].Versions != 18 || bs[0].Deleted != 6 || !bs[0].Loss {
		t.Fatalf("%+v, %v", bs, err)
	}
	for n, want := range map[int64][]int64{2: {2}, 3: {3, 4, 5}, 4: {3, 4, 5}, 5: {3, 4, 5}, 6: {6}} {
		if b, err := vhistory.BulkOf(t.Context(), w.store, n); err != nil || !slices.Equal(b.Changes, want) {
			t.Errorf("change %d is of %v, %v", n, b.Changes, err)
		}
	}
	plan, err := plan.Make(t.Context(), w.store, plan.UndoChanges(bs[0].Changes))
	if err != nil {
		t.Fatal(err)
	}
	c := w.apply(plan, nil)
	if c.Versions != 18 {
		t.Errorf("%d versions are undone as one change", c.Versions)
	}
	if bs, err := vhistory.Bulks(t.Context(), w.store, time.Time{}); err != nil || len(bs) != 0 {
		t.Errorf("what is undone is %+v, %v", bs, err)
	}
	if _, err := vhistory.BulkOf(t.Context(), w.store, c.Number); err == nil {
		t.Error("an undo is a bulk")
	}
}

// A program that rewrites its memories over some seconds is recorded in pieces by a watcher:
// they are one act, and one undo takes all of it back.
func TestABulkThatIsWatchedIsOneActAndOneUndo(t *testing.T) {
	t.Parallel()
	clock := &sharedClock{t: time.Now()} // the watcher reads it too
	w := newWorld(t, versions.Options{Now: clock.now})
	for n := range 20 {
		w.outside(fmt.Sprintf("%d.md", n), "old")
	}
	w.sync()
	clock.pass(time.Hour)
	ctx, stop := context.WithCancel(t.Context())
	events, err := watch.Watch(ctx, w.store)
	must(w, err)
	defer func() {
		stop()
		for range events {
		}
	}()
	for from := 0; from < 20; from += 5 {
		for n := from; n < from+5; n++ {
			must(w, w.saveWhole(fmt.Sprintf("%d.md", n), []byte("new")))
		}
		for seen, late := 0, time.After(20*time.Second); seen < 5; {
			select {
			case e := <-events:
				must(w, e.Err)
				for _, c := range e.Changes {
					seen += c.Versions
				}
			case <-late:
				t.Fatalf("%d of 5 memories are told of", seen)
			}
		}
		clock.pass(7 * time.Second)
	}
	bs, err := vhistory.Bulks(t.Context(), w.store, clock.now().Add(-time.Minute))
	if err != nil || len(bs) != 1 || bs[0].Versions != 20 || !bs[0].InPieces() {
		t.Fatalf("%+v, %v", bs, err)
	}
	// A list that has only one of its changes knows all of it.
	acts := func(undoneBy int64) {
		t.Helper()
		for _, n := range bs[0].Changes {
			c, _, err := vhistory.Change(t.Context(), w.store, n)
			must(w, err)
			if as, err := vhistory.Acts(t.Context(), w.store, c, c); err != nil || len(as) != 1 || !slices.Equal(as[0].Changes, bs[0].Changes) || as[0].UndoneBy != undoneBy {
				t.Errorf("change %d is of %+v, %v", n, as, err)
			}
		}
	}
	acts(0)
	plan, err := plan.Make(t.Context(), w.store, plan.UndoChanges(bs[0].Changes))
	must(w, err)
	c := w.apply(plan, nil)
	if c.Versions != 20 {
		t.Errorf("%d versions are undone as one change", c.Versions)
	}
	acts(c.Number)
	if as, err := vhistory.Acts(t.Context(), w.store, c, c); err != nil || len(as) > 1 {
		t.Errorf("%+v, %v", as, err)
	}
	for n := range 20 {
		if b, err := os.ReadFile(filepath.Join(w.folder, fmt.Sprintf("%d.md", n))); err != nil || string(b) != "old" {
			t.Errorf("%d.md holds %q, %v", n, b, err)
		}
	}
}

// What an agent does call by call is no one act, however fast it is.
func TestABulkOfSeveralCallsIsNotOneAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 12 {
		w.write(robot, fmt.Sprintf("%d.md", n), "1")
	}
	if bs, err := vhistory.Bulks(t.Context(), w.store, time.Time{}); err != nil || len(bs) != 1 || bs[0].InPieces() {
		t.Errorf("%+v, %v", bs, err)
	}
}

// A program that never stops writing does not make one act of all that it wrote: a list of changes
// would have to read all of it.
func TestAProgramThatNeverStopsWritingMakesNoAct(t *testing.T) {
	t.Parallel()
	now := time.Now()
	w := newWorld(t, versions.Options{Now: func() time.Time { return now }})
	w.outside("a.md", "old")
	w.sync()
	for n := range 400 {
		now = now.Add(50 * time.Second)
		w.outside("a.md", fmt.Sprint(n))
		w.sync()
	}
	cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 210, 10)
	if err != nil {
		t.Fatal(err)
	}
	if acts, err := vhistory.Acts(t.Context(), w.store, cs[9], cs[0]); err != nil || len(acts) != 0 {
		t.Errorf("acts %+v, %v", acts, err)
	}
}

func TestAMassDeletionIsAPartOfAStoreOrManyMemories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		loss         versions.Loss
		deleted, had int
		want         bool
	}{
		{versions.DefaultLoss, 0, 0, false},
		{versions.DefaultLoss, 2, 2, false},
		{versions.DefaultLoss, 3, 12, true},
		{versions.DefaultLoss, 3, 13, false},
		{versions.DefaultLoss, 19, 1000, false},
		{versions.DefaultLoss, 20, 1000, true},
		{versions.Loss{Memories: 2, Percent: 100}, 2, 1000, true},
		{versions.Loss{Memories: 50, Percent: 10}, 20, 200, true},
		{versions.Loss{Memories: 50, Percent: 11}, 20, 200, false},
	} {
		if got := c.loss.By(c.deleted, c.had); got != c.want {
			t.Errorf("%+v: %d of %d: %v", c.loss, c.deleted, c.had, got)
		}
	}
}

// The setting decides, and the memories that were deleted count as memories of the store.
func TestBulks_MarkMassDeletionsAsTheSettingSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for n := range 16 {
		w.write(alice, fmt.Sprint(n), "text")
	}
	for n := range 4 {
		_, err := w.store.Delete(t.Context(), robot, mustPath(fmt.Sprint(n)))
		w.must(err)
	}
	for percent, want := range map[int]bool{25: true, 26: false} {
		w.trail.Loss = func() versions.Loss { return versions.Loss{Memories: 20, Percent: percent} }
		bs, err := vhistory.BulksOf(t.Context(), w.store, time.Time{}, time.Time{})
		w.must(err)
		if b := bs[len(bs)-1]; b.Deleted != 4 || b.Loss != want {
			t.Errorf("%d %%: %+v", percent, b)
		}
	}
}
