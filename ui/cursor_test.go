package ui

import (
	"fmt"
	"strings"
	"testing"
)

// rowOf returns the row of the screen that shows a text, or -1.
func (s *sim) rowOf(text string) int {
	for y, row := range strings.Split(s.screen(), "\n") {
		if strings.Contains(row, text) {
			return y
		}
	}
	return -1
}

func numbered(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "line %d of them\n", i)
	}
	return b.String()
}

func TestCursor_IsWhereTheEditorBegins(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "short.md", numbered(9))
	s := newSim(t, f, 100, 30).on("short.md")
	s.keys("enter j j j")
	s.shows("▸  4 line 4")
	s.keys("e")
	s.shows("4:1 of 10")
	s.keys("esc k")
	s.shows("▸  3 line 3")
	s.keys("y l")
	s.shows("copied /short.md:3")
	s.keys("/")
	s.typed("them")
	s.keys("enter e")
	s.shows("3:11 of 10")
}

// The text stays in its place when the editor opens and closes.
func TestCursor_KeepsItsRowInTheEditor(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "long.md", numbered(200))
	for _, keys := range []string{"4 0 j k k", "1 0 0 G k k k", "ctrl+d ctrl+d", "G", "pgdown pgdown pgup"} {
		s := newSim(t, f, 100, 30).on("long.md")
		s.keys("enter " + keys)
		line := fmt.Sprintf("line %d of them", s.app.memory.Line())
		at := s.rowOf(line)
		s.keys("e")
		if got := s.rowOf(line); got != at || at < 0 {
			t.Errorf("after %s: %q is in row %d, in the editor in row %d", keys, line, at, got)
		}
		s.keys("up up up right right esc")
		s.shows(fmt.Sprintf("▸%3d line", s.app.memory.Line()))
		at = s.rowOf("▸")
		s.keys("e")
		if got := s.rowOf(fmt.Sprintf("line %d of them", s.app.memory.Line())); got != at {
			t.Errorf("after %s and the editor: row %d became %d", keys, at, got)
		}
		s.shows(":3 of 201")
	}
}

// The line over the text about what is to be reviewed is not in the editor: the text below it
// stays nevertheless, when it does not begin at the top.
func TestCursor_KeepsItsRowInTheEditorOfWhatIsToBeReviewed(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	at := s.rowOf("POISON")
	s.keys("e")
	if got := s.rowOf("POISON"); got != at || at < 0 {
		t.Errorf("the line is in row %d, in the editor in row %d", at, got)
	}
	s.keys("esc")
	if got := s.rowOf("POISON"); got != at {
		t.Errorf("after the editor it is in row %d, before in row %d", got, at)
	}
}
