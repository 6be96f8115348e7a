package ui

import (
	"errors"
	"testing"

	"github.com/memend/memend/versions"
)

func TestOwnAct_ReadsTheTreeOnce(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*sim){
		"save":   func(s *sim) { s.on("people/dana.md").keys("enter e"); s.typed("x"); s.keys("ctrl+s") },
		"delete": func(s *sim) { s.on("people/dana.md").keys("d") },
		"rename": func(s *sim) { s.on("people/dana.md").keys("r"); s.typed("x"); s.keys("enter") },
		"undo":   func(s *sim) { s.keys("u y") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSim(t, sample(), 100, 30)
			s.store.listed = 0
			changes := len(s.store.changes)
			act(s)
			s.deliver()
			if made := len(s.store.changes) - changes; made != 1 {
				t.Fatalf("%d changes were made:\n%s", made, s.screen())
			}
			if s.store.listed != 1 {
				t.Errorf("the tree was read %d times", s.store.listed)
			}
		})
	}
}

func TestOwnAct_ReadsTheTreeIfNothingIsWatched(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.happens(versions.Event{Err: errors.New("no watch")})
	s.on("people/dana.md").keys("d")
	s.shows("people 1")
}
