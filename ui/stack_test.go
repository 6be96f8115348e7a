package ui

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// While a screen asks for a decision, nothing may change what is decided.
func TestDecision_IsProtectedFromActionsOfTheRoot(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(*sim){
		"redaction": func(s *sim) { s.send(screen.Redact{Match: "line"}) },
		"plan":      func(s *sim) { s.send(screen.UndoSession{Session: robotOf(s)}) },
		"plan below the time line": func(s *sim) {
			s.send(screen.UndoSession{Session: robotOf(s)})
			s.send(screen.Timeline{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := engineSim(t, "x", 100, 30)
			newest := func() int64 {
				list, err := s.app.cfg.Store.Changes(context.Background(), versions.Filter{}, 0, 1)
				if err != nil || len(list) == 0 {
					t.Fatal(list, err)
				}
				return list[0].Number
			}
			open(s)
			before := newest()
			for _, key := range []string{"u", "ctrl+r", "u"} {
				s.keys(key)
				if after := newest(); after != before {
					t.Fatalf("%s made change #%d, under the screen:\n%s", key, after, s.screen())
				}
			}
			s.keys("ctrl+k")
			s.typed("undo")
			s.keys("enter")
			if after := newest(); after != before {
				t.Errorf("undo of the palette made change #%d", after)
			}
		})
	}
	s := engineSim(t, "x", 100, 30)
	s.send(screen.UndoSession{Session: robotOf(s)})
	s.keys("ctrl+k")
	for _, e := range s.app.available().root {
		_, name, _ := strings.Cut(e.ID, ".")
		if !slices.Contains(whileDeciding, name) && e.Why != "finish or leave the plan first" {
			t.Errorf("%s can be done: %q", e.ID, e.Why)
		}
	}
	for _, key := range []string{"H", "A", "t", "@", "W", "ctrl+g", "f5"} {
		s.keys("esc")
		s.send(screen.UndoSession{Session: robotOf(s)})
		s.keys(key)
		s.shows("finish or leave the plan first", "undo session ")
	}
}

// A receipt has nothing to decide: a memory that is opened closes it.
func TestAReceipt_IsInNobodysWay(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 100, 30)
	s.send(screen.Redact{Match: "a safe line"})
	s.keys("d X y")
	s.shows("Erased 1 version")
	s.keys("ctrl+p enter")
	s.hides("Erased 1 version")
	s.keys("H")
	s.hides("finish or leave")
}
