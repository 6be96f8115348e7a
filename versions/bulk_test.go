package versions

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Another program rewrites memories and deletes some while somebody watches: what it does
// is recorded as it is seen, and is one act all the same.
func TestABulkIsWhatOneProgramDidInOneGo(t *testing.T) {
	w := newWorld(t)
	for n := range 20 {
		w.outside(fmt.Sprintf("%d.md", n), "old")
	}
	now := time.Now()
	w.trail.now = func() time.Time { return now }
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
	if bs, err := w.store.Bulks(t.Context(), time.Time{}); err != nil || len(bs) != 0 {
		t.Errorf("what was found at first is %+v, %v", bs, err)
	}
	act(time.Hour, 0, 3, "single") // change 2
	act(time.Hour, 0, 6, "a")      // 3 to 5
	act(50*time.Second, 6, 12, "b")
	act(50*time.Second, 12, 18, "")
	act(time.Hour, 18, 20, "later") // 6
	bs, err := w.store.Bulks(t.Context(), time.Time{})
	if err != nil || len(bs) != 1 || !slices.Equal(bs[0].Changes, []int64{3, 4, 5}) || bs[0].Versions != 18 || bs[0].Deleted != 6 || !bs[0].MassDeletion() {
		t.Fatalf("%+v, %v", bs, err)
	}
	for n, want := range map[int64][]int64{2: {2}, 3: {3, 4, 5}, 4: {3, 4, 5}, 5: {3, 4, 5}, 6: {6}} {
		if b, err := w.store.BulkOf(t.Context(), n); err != nil || !slices.Equal(b.Changes, want) {
			t.Errorf("change %d is of %v, %v", n, b.Changes, err)
		}
	}
	plan, err := w.store.PlanUndoChanges(t.Context(), bs[0].Changes...)
	if err != nil {
		t.Fatal(err)
	}
	c := w.apply(plan, nil)
	if c.Versions != 18 {
		t.Errorf("%d versions are undone as one change", c.Versions)
	}
	if bs, err := w.store.Bulks(t.Context(), time.Time{}); err != nil || len(bs) != 0 {
		t.Errorf("what is undone is %+v, %v", bs, err)
	}
	if _, err := w.store.BulkOf(t.Context(), c.Number); err == nil {
		t.Error("an undo is a bulk")
	}
}
