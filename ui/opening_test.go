package ui

import (
	"cmp"
	"testing"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/merge"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// A memory that is opened from a screen is visible and focused: no screen covers it, and one
// Esc returns to the previous place.
func TestOpen_ClosesCoveringScreens(t *testing.T) {
	t.Parallel()
	typed := func(text, then string) func(*sim) {
		return func(s *sim) { s.typed(text); s.keys(then) }
	}
	compared := func(s *sim) {
		s.on("safe.md").keys("space")
		s.on("moved.md").keys("D")
	}
	for name, c := range map[string]struct {
		play func(*sim)
		path string
		in   frame.Slot
		back string // defaults to "esc"
	}{
		"a name":                     {func(s *sim) { s.keys("ctrl+p"); typed("safe", "enter")(s) }, "safe.md", frame.Memory, ""},
		"a hit":                      {func(s *sim) { s.keys("ctrl+g"); typed("safe", "enter")(s) }, "safe.md", frame.Memory, "esc esc"}, // the first Esc removes the highlights
		"a hit of the past":          {func(s *sim) { s.keys("ctrl+g"); typed("three", "tab enter")(s) }, "", frame.History, ""},
		"one of two":                 {func(s *sim) { compared(s); s.keys("o") }, "safe.md", frame.Memory, ""},
		"the other":                  {func(s *sim) { compared(s); s.keys("O") }, "moved.md", frame.Memory, ""},
		"a memory of a plan":         {func(s *sim) { s.send(screen.RestoreAt{At: versions.Moment{Change: 5}}); s.keys("o") }, "d/evil", frame.Memory, ""},
		"a memory of the time line":  {func(s *sim) { s.keys("t j o") }, "moved.md", frame.Memory, ""},
		"a name, over the time line": {func(s *sim) { s.keys("t ctrl+p"); typed("safe", "enter")(s) }, "safe.md", frame.Memory, ""},
		"a hit, over a comparison":   {func(s *sim) { compared(s); s.keys("ctrl+g"); typed("three", "tab enter")(s) }, "", frame.History, ""},
	} {
		s := engineSim(t, "evil", 120, 30)
		c.play(s)
		if n := len(s.app.screens); n != 0 || s.app.frame.Focus() != c.in {
			t.Errorf("%s: %d screens, the keys go to %v:\n%s", name, n, s.app.frame.Focus(), s.screen())
			continue
		}
		if c.path != "" && s.app.memory.Path() != at(c.path) {
			t.Errorf("%s: open is %s", name, s.app.memory.Path())
		}
		if s.keys(cmp.Or(c.back, "esc")); s.app.frame.Focus() != frame.Tree {
			t.Errorf("%s: Esc leads to %v", name, s.app.frame.Focus())
		}
	}
}

// Only the merge's own keys close it: opening a memory must not discard its decisions.
func TestOpen_KeepsAMergeOpen(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"a memory": "enter", "a version": "tab enter"} {
		s := engineSim(t, "x", 120, 30)
		s.send(screen.Open{Path: at("safe.md")})
		s.keys("e")
		s.typed("mine ")
		if _, err := s.app.cfg.Store.Write(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Agent}}, at("safe.md"), []byte("theirs\n"), versions.Pre{}); err != nil {
			t.Fatal(err)
		}
		s.keys("ctrl+s m")
		s.shows("merge")
		s.keys("ctrl+g")
		s.typed("three")
		s.keys(keys)
		if n := len(s.app.screens); n == 0 {
			t.Errorf("%s: the merge is gone:\n%s", name, s.screen())
			continue
		}
		if _, ok := s.app.screens[0].(*merge.Pane); !ok {
			t.Errorf("%s: in front is %T", name, s.app.screens[0])
		}
	}
}
