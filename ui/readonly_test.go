package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/ui/keys"
)

func TestReadOnly_OffersNothingThatWrites(t *testing.T) {
	s := newSim(t, sample(), 160, 30, func(c *Config) { c.ReadOnly = true })
	s.on("people/dana.md")
	hints := func() string { return strings.Split(s.screen(), "\n")[29] }
	if h := hints(); strings.Contains(h, "delete") || strings.Contains(h, "undo") || !strings.Contains(h, "history") {
		t.Errorf("hinted at is %q", h)
	}
	s.keys("d")
	s.shows("read-only: nothing is written")
	s.keys("enter enter")
	if h := hints(); strings.Contains(h, "e edit") || !strings.Contains(h, "find") {
		t.Errorf("hinted at is %q", h)
	}
	s.keys("ctrl+k")
	s.typed("undo")
	s.shows("undo · read-only")
	s.keys("enter")
	s.shows("read-only")
	s.keys("esc esc ?")
	s.typed("rename")
	s.shows("rename · read-only")

	free := newSim(t, sample(), 160, 30)
	free.on("people/dana.md")
	free.shows("d delete", "u undo")
}

func TestReadOnly_KnowsActionsThatThereAre(t *testing.T) {
	all := Keys(nil)
	for id := range writes {
		if !slices.ContainsFunc(all, func(e keys.Entry) bool { return e.ID == id }) {
			t.Errorf("there is no %s", id)
		}
	}
}
