package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/screen"
)

// longText returns a store with a memory of a hundred lines, which is open.
func longText(t *testing.T) *sim {
	s := newSim(t, sample(), 100, 20)
	var b strings.Builder
	for i := range 100 {
		fmt.Fprintf(&b, "line %d.\n", i+1)
	}
	s.store.write(me, "long.txt", b.String())
	s.send(screen.Open{Path: at("long.txt")})
	s.timed = nil
	return s
}

func TestHeldDrag_ScrollsUntilReleased(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]string{"a memory": "", "the editor": "e"} {
		t.Run(name, func(t *testing.T) {
			s := longText(t)
			s.keys(open)
			s.timed = nil
			r := s.app.frame.Panes[frame.Memory]
			s.send(tea.MouseClickMsg{X: r.X + 10, Y: r.Y + 3, Button: tea.MouseLeft})
			s.elapse() // the time of a double click
			s.send(tea.MouseMotionMsg{X: r.X + 10, Y: r.Y + 5, Button: tea.MouseLeft})
			if len(s.timed) != 0 {
				t.Fatal("a drag within the text has something tick")
			}
			s.send(tea.MouseMotionMsg{X: r.X + 10, Y: r.Y + r.H + 1, Button: tea.MouseLeft})
			s.send(tea.MouseMotionMsg{X: r.X + 11, Y: r.Y + r.H + 1, Button: tea.MouseLeft})
			if len(s.timed) != 1 {
				t.Fatalf("%d moments are set", len(s.timed))
			}
			s.hides("line 30.")
			for range 20 { // one row each
				s.elapse()
			}
			s.shows("line 30.")
			s.hides("line 41.")
			for range 100 {
				s.elapse()
			}
			s.shows("line 100.")
			s.send(tea.MouseMotionMsg{X: r.X + 10, Y: r.Y, Button: tea.MouseLeft}) // above it
			for range 20 {
				s.elapse()
			}
			s.hides("line 100.")
			s.shows("line 70.")
			s.send(tea.MouseReleaseMsg{X: r.X + 10, Y: r.Y, Button: tea.MouseLeft})
			before := s.screen()
			s.timed = s.timed[:min(len(s.timed), 1)]
			s.elapse()
			if len(s.timed) != 0 {
				t.Error("it ticks when nothing is held")
			}
			s.app.notices = jobs.NewNotices(s.app.later)
			if now := s.screen(); strings.Contains(before, "line 70.") != strings.Contains(now, "line 70.") {
				t.Errorf("it scrolls on:\n%s", now)
			}
		})
	}
}

func TestHeldDrag_SelectsInTheTree(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 12)
	s.app.setFocus(frame.Tree)
	s.timed = nil
	r := s.app.frame.Panes[frame.Tree]
	s.send(tea.MouseClickMsg{X: r.X + 6, Y: r.Y + 2, Button: tea.MouseLeft})
	s.timed = nil
	s.send(tea.MouseMotionMsg{X: r.X + 6, Y: r.Y + 4, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: r.X + 6, Y: r.Y + r.H + 1, Button: tea.MouseLeft})
	for range 30 {
		s.elapse()
	}
	s.shows("shared")
	s.keys("k")
	s.elapse()
	for _, msg := range s.timed {
		if _, ticks := msg.(screen.Reply); ticks {
			t.Error("a key does not end it")
		}
	}
	s.send(tea.MouseReleaseMsg{X: r.X + 6, Y: r.Y + r.H + 1, Button: tea.MouseLeft})
	s.timed = nil
	s.elapse()
	if s.app.tree.Beyond() || len(s.timed) != 0 {
		t.Error("it ticks on")
	}
}

func TestHeldDrag_EndsOnAKey(t *testing.T) {
	t.Parallel()
	s := longText(t)
	s.keys("e")
	s.timed = nil
	r := s.app.frame.Panes[frame.Memory]
	s.send(tea.MouseClickMsg{X: r.X + 10, Y: r.Y + 3, Button: tea.MouseLeft})
	s.send(tea.MouseMotionMsg{X: r.X + 10, Y: r.Y + r.H, Button: tea.MouseLeft})
	s.keys("up")
	s.elapse()
	if len(s.timed) != 0 {
		t.Error("it ticks on")
	}
}
