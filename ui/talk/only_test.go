package talk

import (
	"strings"
	"testing"

	"github.com/memend/memend/agent"
)

func TestOnly_ShowsTheSortsThatWereAskedFor(t *testing.T) {
	t.Parallel()
	s := newSim(t, 80, 40).morning()
	s.tell(sent(), agent.Event{Kind: agent.Retrying, Failure: &agent.Failure{Type: "overloaded_error", Message: "Overloaded"}, Wait: 2e9}, said(0, "There."), replied(100, agent.AppliedEdit{Type: agent.ClearToolUses, ToolUses: 2, InputTokens: 9}))
	all := s.v.frame
	for _, c := range []struct {
		keys        string
		shows, hide []string
	}{
		{"f c", []string{"view /memories", "create /memories/plan.md", "only calls"}, []string{"thought", "Looking at my notes", "Keep it short", "the session began"}},
		{"f t", []string{"create /memories/plan.md", "Looking at my notes", "Keep it short", "only text, calls"}, []string{"thought", "the session began"}},
		{"f c f t", []string{"thought", "Looking at my notes", "the session began"}, []string{"only"}}, // again: no longer
		{"f h", []string{"thought · Check memory first.", "only thinking"}, []string{"Looking at my notes", "/memories"}},
		{"f f f x", []string{"the session began", "cleared 2 tool results"}, []string{"/memories", "Overloaded"}},
		{"f f f e", []string{"Overloaded", "x view /memories/plan.md"}, []string{"cleared 2", "Looking at my notes", "create"}},
	} {
		s.keys(c.keys)
		s.shows(c.shows...)
		s.hides(c.hide...)
		if it := s.v.current(); it == nil || s.v.hidden(s.v.cur) {
			t.Errorf("after %s the keys are for block %d, which does not show", c.keys, s.v.cur)
		}
	}
	s.keys("f f")
	s.hides("only")
	if got := s.v.frame; strings.Join(got, "\n") != strings.Join(all, "\n") {
		t.Errorf("with all of it again the frame is\n%s", s.screen())
	}
}

func TestOnly_MovesAndFindsAmongWhatShows(t *testing.T) {
	t.Parallel()
	s := newSim(t, 60, 14)
	s.many(40)
	s.keys("f t g g")
	for range 50 {
		s.keys("}")
		if it := s.v.current(); it.kind != textItem {
			t.Fatalf("} goes to a block of kind %d", it.kind)
		}
	}
	s.keys("/")
	s.typed("/memories/3.md")
	s.shows("nothing found")
	s.keys("esc f f f h") // there was none
	s.shows("No thinking in what is loaded")
	for _, key := range []string{"}", "{", "]", "j", "k", "space", "g g", "G", "pgup"} {
		s.keys(key)
		if s.v.current() != nil {
			t.Errorf("%s goes to a block that does not show", key)
		}
	}
	s.tell(sent(), thinking(0, "Now I do."))
	s.shows("Now I do.")
}
