package ui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// situations are all that a screen may have to be divided for.
func situations() (out []situation) {
	for _, r := range []ratios{{}, {1, 1, 1, 1}, {999, 999, 999, 999}, {200, 700, 300, 250}} {
		for open := range 4 {
			for focus := range slots {
				for _, last := range []slot{slotTree, slotHistory, slotAgent} {
					for _, zoomed := range []bool{false, true} {
						out = append(out, situation{focus, zoomed, [slots]bool{true, true, open&1 > 0, open&2 > 0}, last, r})
					}
				}
			}
		}
	}
	return out
}

// Every cell of the body belongs to one pane, or to a line between two; whoever
// has the focus shows, if he is there; and who is not open does not.
func TestLayout_DividesEveryScreen(t *testing.T) {
	for _, s := range situations() {
		for _, w := range []int{1, 19, 20, 59, 60, 75, 89, 90, 169, 170, 200} {
			for _, h := range []int{1, 4, 5, 8, 17, 18, 19, 36} {
				if why := problem(layout(w, h, s), s); why != "" {
					t.Fatalf("%+v at %dx%d: %s", s, w, h, why)
				}
			}
		}
	}
}

func problem(f frame, s situation) string {
	if f.tooSmall {
		return ""
	}
	focus := s.focus
	if !s.open[focus] {
		focus = slotMemory
	}
	if f.panes[focus].Empty() {
		return "the pane with the focus does not show"
	}
	for p, r := range f.panes {
		if r.Empty() {
			continue
		}
		if !s.open[p] {
			return slotNames[p] + " shows and is not open"
		}
		if r.W < 16 || r.H < min(leastRows, f.body) {
			return fmt.Sprint(slotNames[p], " has only ", r)
		}
	}
	for y := range f.body {
		for x := range f.w {
			n := 0
			for _, r := range f.panes {
				if r.Holds(x, y) {
					n++
				}
			}
			_, line := f.borderAt(x, y)
			if n > 1 || n == 0 && !line {
				return fmt.Sprint("cell ", x, ",", y, " is of ", n, " panes")
			}
		}
	}
	return ""
}

func TestLayout_GivesTheHistoryAndTheAgentsTheirPlaces(t *testing.T) {
	both := [slots]bool{true, true, true, true}
	for _, tt := range []struct {
		name string
		w, h int
		s    situation
		show [slots]bool
	}{
		{"a side column has both", 180, 40, situation{focus: slotTree, open: both}, both},
		{"a low one the last", 180, 15, situation{focus: slotTree, open: both, last: slotAgent}, [slots]bool{true, true, false, true}},
		{"below the memory is one", 120, 36, situation{focus: slotMemory, open: both, last: slotHistory}, [slots]bool{true, true, true, false}},
		{"the one with the focus", 120, 36, situation{focus: slotAgent, open: both, last: slotHistory}, [slots]bool{true, true, false, true}},
		{"in the place of the memory", 80, 24, situation{focus: slotAgent, open: both}, [slots]bool{true, false, false, true}},
		{"the memory comes back", 80, 24, situation{focus: slotMemory, open: both}, [slots]bool{true, true, false, false}},
		{"as a tab", 50, 24, situation{focus: slotAgent, open: both}, [slots]bool{false, false, false, true}},
	} {
		f := layout(tt.w, tt.h, tt.s)
		for p, r := range f.panes {
			if r.Empty() == tt.show[p] {
				t.Errorf("%s: %s is %v", tt.name, slotNames[p], r)
			}
		}
	}
}

// A border that is moved to a cell stands there, wherever there is room.
func TestLayout_BordersGoWhereTheyAreMoved(t *testing.T) {
	for _, s := range situations() {
		for _, size := range [][2]int{{80, 24}, {190, 36}} {
			f := layout(size[0], size[1], s)
			for i, b := range f.borders {
				for at := 1; at < b.length; at++ {
					was, now := s, 0
					if b.across {
						was.ratios = b.moved(s.ratios, b.X, b.from+at)
					} else {
						was.ratios = b.moved(s.ratios, b.from+at, 0)
					}
					moved := layout(size[0], size[1], was)
					if why := problem(moved, was); why != "" {
						t.Fatalf("%+v: %s", was, why)
					}
					if len(moved.borders) <= i {
						continue // the tree leaves no room for a side column
					}
					if now = moved.borders[i].X - b.from; b.across {
						now = moved.borders[i].Y - b.from
					}
					least, most := 40, b.length-41
					switch {
					case b.across:
						least, most = leastRows, b.length-leastRows
					case !b.turned:
						least, most = 16, b.length-36
					}
					if now != max(least, min(at, most)) {
						t.Fatalf("%+v: border %d moved to %d of %d stands at %d", s, i, at, b.length, now)
					}
				}
			}
		}
	}
}

func TestBorders_AreDraggedAndMovedByKeys(t *testing.T) {
	s := newSim(t, sample(), 120, 36)
	s.keys("H")
	tree, memory := s.app.frame.panes[slotTree].W, s.app.frame.panes[slotMemory].H
	drag := func(fromX, fromY, toX, toY int) {
		s.send(tea.MouseClickMsg{X: fromX, Y: fromY, Button: tea.MouseLeft})
		s.send(tea.MouseMotionMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		s.send(tea.MouseReleaseMsg{X: toX, Y: toY, Button: tea.MouseLeft})
		checkFrame(t, "after a drag", s.app, 120, 36)
	}
	drag(tree, 10, tree-9, 12)
	if got := s.app.frame.panes[slotTree].W; got != tree-9 {
		t.Errorf("the tree has %d columns, want %d", got, tree-9)
	}
	s.send(tea.MouseMotionMsg{X: 70, Y: 10})
	if got := s.app.frame.panes[slotTree].W; got != tree-9 {
		t.Errorf("let go, the border went on to %d", got)
	}
	drag(80, memory, 80, memory+6)
	if got := s.app.frame.panes[slotMemory].H; got != memory+6 {
		t.Errorf("the memory has %d rows, want %d", got, memory+6)
	}
	s.keys("ctrl+w +") // the history has the focus
	if got := s.app.frame.panes[slotMemory].H; got != memory+4 {
		t.Errorf("the memory has %d rows, want %d", got, memory+4)
	}
	s.keys("ctrl+w >")
	if got := s.app.frame.panes[slotTree].W; got != tree-13 {
		t.Errorf("the tree has %d columns, want %d", got, tree-13)
	}
	s.keys("tab ctrl+w <") // the tree
	if got := s.app.frame.panes[slotTree].W; got != tree-17 {
		t.Errorf("the tree has %d columns, want %d", got, tree-17)
	}
	s.keys("ctrl+w =")
	if got := s.app.frame.panes; got[slotTree].W != tree || got[slotMemory].H != memory {
		t.Errorf("the borders are not where they were: %v", got)
	}
}

func TestAgents_OpenTakeTheKeysAndCloseAgain(t *testing.T) {
	s := newSim(t, sample(), 120, 36)
	s.keys("A")
	if s.app.focus != slotAgent || s.app.frame.panes[slotAgent].Empty() || !strings.Contains(s.app.View(), "everybody") {
		t.Fatal(s.app.View())
	}
	s.keys("tab H A")
	if s.app.focus != slotAgent {
		t.Errorf("the focus is on %s", slotNames[s.app.focus])
	}
	s.keys("A")
	if s.app.agents != nil || s.app.focus != slotTree {
		t.Errorf("still open, the focus is on %s", slotNames[s.app.focus])
	}
	s.send(tea.WindowSizeMsg{Width: 50, Height: 20})
	s.keys("A")
	s.send(tea.MouseClickMsg{X: 5, Y: 0, Button: tea.MouseLeft})
	if s.app.focus != slotTree {
		t.Errorf("a click on its tab leaves the focus on %s", slotNames[s.app.focus])
	}
	s.send(tea.MouseClickMsg{X: 31, Y: 0, Button: tea.MouseLeft})
	if s.app.focus != slotAgent {
		t.Errorf("a click on its tab leaves the focus on %s", slotNames[s.app.focus])
	}
}

func TestTab_OfAMemoryThatIsEditedSaysSoAndIsClickedWhereItStands(t *testing.T) {
	s := newSim(t, sample(), 50, 20)
	s.keys("A")
	s.send(tea.MouseClickMsg{X: 5, Y: 0, Button: tea.MouseLeft})
	s.keys("j enter e")
	s.shows(" tree  edit  agents  /")
	s.send(tea.MouseClickMsg{X: 15, Y: 0, Button: tea.MouseLeft})
	if s.app.focus != slotAgent {
		t.Errorf("a click on the first letter of agents leaves the focus on %s", slotNames[s.app.focus])
	}
}

// Who only read changed nothing that the tree shows: it is not read again.
func TestEvent_OfReadsOnlyReadsNoTree(t *testing.T) {
	s := newSim(t, sample(), 120, 36)
	s.keys("A")
	s.app.live.Happened(versions.Event{Reads: true})
	if s.app.live.Loading() {
		t.Error("the tree is read again")
	}
	s.app.live.Happened(versions.Event{Others: true})
	if !s.app.live.Loading() {
		t.Error("nor is it for what concerns it")
	}
}
