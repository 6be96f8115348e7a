package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/dialog"
)

// clickText clicks on a text in a row of the screen, counted from the last one.
func (s *sim) clickText(fromLast int, text string) {
	s.t.Helper()
	rows := strings.Split(s.screen(), "\n")
	y := len(rows) - fromLast
	before, _, ok := strings.Cut(rows[y], text)
	if !ok {
		s.t.Fatalf("%q does not show %q", rows[y], text)
	}
	s.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: len([]rune(before)), Y: y})
}

// A click on a hint does what its key does, in a pane, a screen and the help key.
func TestHints_CanBeClicked(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.clickText(1, "H history")
	if s.app.history == nil {
		t.Error("the history is not open")
	}
	s.clickText(1, "? help")
	if _, ok := s.app.overlay.(*dialog.Menu); !ok {
		t.Error("the help is not open")
	}
	e := engineSim(t, "evil", 120, 36)
	e.keys("t")
	if len(e.app.screens) != 1 {
		t.Fatal("the timeline is not open")
	}
	e.clickText(1, "Esc")
	if len(e.app.screens) != 0 {
		t.Error("the timeline is still open")
	}
}

// The menu of the right button has a row for each action and no other, with the labels in one
// column.
func TestContextMenu_HasOneRowForEachAction(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.send(tea.MouseClickMsg{Button: tea.MouseRight, X: 6, Y: 3})
	c, ok := s.app.overlay.(*dialog.Choice)
	if !ok {
		t.Fatal("there is no menu")
	}
	r := c.Place(120, 36)
	if r.H != len(c.Options)+2 {
		t.Errorf("%d rows for %d actions", r.H-2, len(c.Options))
	}
	rows := strings.Split(s.screen(), "\n")[r.Y+1 : r.Y+r.H-1]
	column := -1
	for i, row := range rows {
		before, _, ok := strings.Cut(row, c.Options[i].Label)
		if n := len([]rune(before)); !ok || column >= 0 && n != column {
			t.Errorf("row %d is %q", i, row)
		} else {
			column = n
		}
	}
	if shown := strings.Join(rows, "\n"); !strings.Contains(shown, "  yp ") {
		t.Errorf("the keys of several strokes are missing:\n%s", shown)
	}
	s.clickText(36-r.Y-1, c.Options[0].Label)
	if s.app.overlay != nil {
		t.Error("a click on an action does not run it")
	}
}

// The palette opens from a prompt of the last row, which is left.
func TestPalette_OpensFromAPrompt(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 80, 24)
	s.keys("n")
	if s.app.prompt == nil {
		t.Fatal("n asks nothing")
	}
	s.keys("ctrl+k")
	if m, ok := s.app.overlay.(*dialog.Menu); !ok || s.app.prompt != nil {
		t.Errorf("there are %v and %v", m, s.app.prompt)
	}
}
