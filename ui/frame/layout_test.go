package frame

import (
	"fmt"
	"testing"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
)

// situations returns all situations of a layout.
func situations() (out []situation) {
	for _, r := range []ratios{{}, {1, 1, 1, 1}, {999, 999, 999, 999}, {200, 700, 300, 250}} {
		for open := range 4 {
			for focus := range Slots {
				for _, last := range []Slot{Tree, History, Agents} {
					for _, zoomed := range []bool{false, true} {
						out = append(out, situation{focus, zoomed, [Slots]bool{true, true, open&1 > 0, open&2 > 0}, last, r})
					}
				}
			}
		}
	}
	return out
}

// Every cell of the body belongs to one pane, or to a line between two; the focused pane is
// shown, if it is open; and a pane that is not open is not shown.
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

func problem(f division, s situation) string {
	if f.TooSmall {
		return ""
	}
	focus := s.focus
	if !s.open[focus] {
		focus = Memory
	}
	if f.Panes[focus].Empty() {
		return "the pane with the focus does not show"
	}
	for p, r := range f.Panes {
		if r.Empty() {
			continue
		}
		if !s.open[p] {
			return Names[p] + " shows and is not open"
		}
		if r.W < 16 || r.H < min(minRows, f.Body) {
			return fmt.Sprint(Names[p], " has only ", r)
		}
	}
	for y := range f.Body {
		for x := range f.W {
			n := 0
			for _, r := range f.Panes {
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

func TestLayout_PlacesHistoryAndAgents(t *testing.T) {
	both := [Slots]bool{true, true, true, true}
	for _, tt := range []struct {
		name string
		w, h int
		s    situation
		show [Slots]bool
	}{
		{"a side column has both", 180, 40, situation{focus: Tree, open: both}, both},
		{"a low one the last", 180, 15, situation{focus: Tree, open: both, last: Agents}, [Slots]bool{true, true, false, true}},
		{"below the memory is one", 120, 36, situation{focus: Memory, open: both, last: History}, [Slots]bool{true, true, true, false}},
		{"the one with the focus", 120, 36, situation{focus: Agents, open: both, last: History}, [Slots]bool{true, true, false, true}},
		{"in the place of the memory", 80, 24, situation{focus: Agents, open: both}, [Slots]bool{true, false, false, true}},
		{"the memory comes back", 80, 24, situation{focus: Memory, open: both}, [Slots]bool{true, true, false, false}},
		{"the tree shows the memory, not the agents", 80, 24, situation{focus: Tree, open: both, last: Agents}, [Slots]bool{true, true, false, false}},
		{"the tree shows the history of what is under its cursor", 80, 24, situation{focus: Tree, open: both, last: History}, [Slots]bool{true, false, true, false}},
		{"as a tab", 50, 24, situation{focus: Agents, open: both}, [Slots]bool{false, false, false, true}},
	} {
		f := layout(tt.w, tt.h, tt.s)
		for p, r := range f.Panes {
			if r.Empty() == tt.show[p] {
				t.Errorf("%s: %s is %v", tt.name, Names[p], r)
			}
		}
	}
}

// The agents take two thirds of the height while they have the focus, unless the border was
// moved.
func TestLayout_GivesAFocusedConversationTheHeight(t *testing.T) {
	s := situation{open: [Slots]bool{true, true, true, true}, last: Agents}
	for _, tt := range []struct {
		focus Slot
		below int
		rows  int
	}{{Memory, 0, 17}, {Agents, 0, 22}, {History, 0, 17}, {Agents, 300, 10}} {
		s.focus, s.ratios.below = tt.focus, tt.below
		f := layout(120, 36, s)
		if one, _ := s.only(); f.Panes[one].H != tt.rows {
			t.Errorf("with the focus on %s and the border at %d, %s has %d rows, not %d", Names[tt.focus], tt.below, Names[one], f.Panes[one].H, tt.rows)
		}
	}
}

// A border that is moved to a cell is there, if there is room. Each third cell is tried.
func TestLayout_BordersCanBeMoved(t *testing.T) {
	for n, s := range situations() {
		for _, size := range [][2]int{{80, 24}, {190, 36}} {
			f := layout(size[0], size[1], s)
			for i, b := range f.borders {
				for at := 1; at < b.length; at += 3 {
					if !drawtest.Tries(n, i, at) {
						continue
					}
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
						least, most = minRows, b.length-minRows
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
