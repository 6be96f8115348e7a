package ui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/versions"
)

func TestBorders_AreDraggedAndMovedByKeys(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.keys("H")
	tree, memory := s.app.frame.Panes[frame.Tree].W, s.app.frame.Panes[frame.Memory].H
	drag := func(fromX, fromY, toX, toY int) {
		s.send(tea.MouseClickMsg{X: fromX, Y: fromY, Button: tea.MouseLeft})
		s.send(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		s.send(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		checkFrame(t, "after a drag", s.app, 120, 36)
	}
	drag(tree, 10, tree-9, 12)
	if got := s.app.frame.Panes[frame.Tree].W; got != tree-9 {
		t.Errorf("the tree has %d columns, want %d", got, tree-9)
	}
	s.send(tea.MouseMotionMsg{X: 70, Y: 10})
	if got := s.app.frame.Panes[frame.Tree].W; got != tree-9 {
		t.Errorf("let go, the border went on to %d", got)
	}
	drag(80, memory, 80, memory+6)
	if got := s.app.frame.Panes[frame.Memory].H; got != memory+6 {
		t.Errorf("the memory has %d rows, want %d", got, memory+6)
	}
	s.keys("ctrl+w +") // the history has the focus
	if got := s.app.frame.Panes[frame.Memory].H; got != memory+4 {
		t.Errorf("the memory has %d rows, want %d", got, memory+4)
	}
	s.keys("ctrl+w >")
	if got := s.app.frame.Panes[frame.Tree].W; got != tree-13 {
		t.Errorf("the tree has %d columns, want %d", got, tree-13)
	}
	s.keys("tab ctrl+w <") // the tree
	if got := s.app.frame.Panes[frame.Tree].W; got != tree-17 {
		t.Errorf("the tree has %d columns, want %d", got, tree-17)
	}
	s.keys("ctrl+w =")
	if got := s.app.frame.Panes; got[frame.Tree].W != tree || got[frame.Memory].H != memory {
		t.Errorf("the borders are not where they were: %v", got)
	}
}

func TestAgents_OpenTakeTheFocusAndClose(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.keys("A")
	if s.app.frame.Focus() != frame.Agents || s.app.frame.Panes[frame.Agents].Empty() || !strings.Contains(s.app.View(), "everybody") {
		t.Fatal(s.app.View())
	}
	s.keys("tab H A")
	if s.app.frame.Focus() != frame.Agents {
		t.Errorf("the focus is on %s", frame.Names[s.app.frame.Focus()])
	}
	s.keys("A")
	if s.app.agents != nil || s.app.frame.Focus() != frame.Tree {
		t.Errorf("still open, the focus is on %s", frame.Names[s.app.frame.Focus()])
	}
	s.send(tea.WindowSizeMsg{Width: 50, Height: 20})
	s.keys("A")
	s.send(tea.MouseClickMsg{X: 5, Y: 0, Button: tea.MouseLeft})
	if s.app.frame.Focus() != frame.Tree {
		t.Errorf("a click on its tab leaves the focus on %s", frame.Names[s.app.frame.Focus()])
	}
	s.send(tea.MouseClickMsg{X: 31, Y: 0, Button: tea.MouseLeft})
	if s.app.frame.Focus() != frame.Agents {
		t.Errorf("a click on its tab leaves the focus on %s", frame.Names[s.app.frame.Focus()])
	}
}

func TestTab_OfAnEditedMemoryIsMarkedAndClickable(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 50, 20)
	s.keys("A")
	s.send(tea.MouseClickMsg{X: 5, Y: 0, Button: tea.MouseLeft})
	s.keys("j enter e")
	s.shows(" tree  edit  agents  /")
	s.send(tea.MouseClickMsg{X: 15, Y: 0, Button: tea.MouseLeft})
	if s.app.frame.Focus() != frame.Agents {
		t.Errorf("a click on the first letter of agents leaves the focus on %s", frame.Names[s.app.frame.Focus()])
	}
}

// Reads change nothing that the tree shows, so the tree is not read again.
func TestEvent_OfReadsDoesNotReloadTheTree(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 120, 36)
	s.keys("A")
	s.app.live.HandleEvent(versions.Event{Reads: true})
	if s.app.live.Loading() {
		t.Error("the tree is read again")
	}
	s.app.live.HandleEvent(versions.Event{Others: true})
	if !s.app.live.Loading() {
		t.Error("nor is it for what concerns it")
	}
}
