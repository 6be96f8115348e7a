package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
)

func TestWrap_IsTheSameInViewAndEditor(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 60, 30)
	s.store.write(me, "long.md", strings.Repeat("word ", 30)+"end\n")
	s.send(screen.Open{Path: at("long.md")})
	s.shows("↪")
	s.keys("e")
	s.shows("1:1 of 2", "^S save", "↪")
	s.send(tea.KeyPressMsg{Code: 'z', Mod: tea.ModAlt})
	s.hides("↪")
	s.keys("esc")
	if s.hides("↪", "edit /long.md"); s.app.memory.Wraps() {
		t.Error("the memory is wrapped again")
	}
	s.keys("w e")
	s.shows("^S save", "↪")
}
