package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestAMassDeletionIsReported(t *testing.T) {
	t.Parallel()
	for _, announced := range []bool{false, true} {
		s := newSim(t, sample(), 120, 30)
		outside := versions.Change{Number: 9, Kind: versions.KindAdopt, Actor: versions.Actor{Kind: versions.Outside}}
		s.store.bulks = []versions.Bulk{{Changes: []int64{8, 9}, Deleting: []int64{9}, Actor: outside.Actor, Versions: 20, Effect: versions.Effect{Deleted: 5}, Loss: announced}}
		s.happens(versions.Event{Changes: []versions.Change{outside}})
		if notice := "outside deleted 5 memories at once: `memend undo 9` restores them"; announced {
			s.shows(notice)
		} else {
			s.hides("deleted 5 memories")
		}
	}
}

// A mass deletion is reported once: not again for what its program does next, nor if two events come before the first
// report. If it goes on, the report with all of it follows.
func TestAMassDeletionIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 30)
	change := func(n int64) versions.Change {
		return versions.Change{Number: n, Kind: versions.KindAdopt, Actor: versions.Actor{Kind: versions.Outside}}
	}
	happens := func(n int64, changes []int64, deleting ...int64) {
		s.store.bulks = []versions.Bulk{{Changes: changes, Deleting: deleting, Actor: change(n).Actor, Versions: 20, Effect: versions.Effect{Deleted: 5 * len(deleting)}, Loss: true}}
		s.happens(versions.Event{Changes: []versions.Change{change(n)}})
	}
	reported := func(want int) {
		t.Helper()
		n := 0
		for _, m := range s.app.notices.All() {
			if strings.Contains(m.Text, "memories at once") {
				n++
			}
		}
		if n != want {
			t.Errorf("it is reported %d times, not %d", n, want)
		}
	}
	happens(9, []int64{8, 9}, 9)
	happens(9, []int64{8, 9}, 9)
	reported(1)
	happens(10, []int64{8, 9, 10}, 9)
	reported(1)
	happens(11, []int64{8, 9, 10, 11}, 9, 11)
	reported(2)
	s.shows("outside deleted 10 memories at once: `memend undo 11` and `memend undo 9` restore them")
}
