package ui

import (
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
			s.hides("in one go")
		}
	}
}
