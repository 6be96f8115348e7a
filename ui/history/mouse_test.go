package history

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/text"
)

func TestMouse_SelectsScrollsAndFocuses(t *testing.T) {
	f := newFake()
	for i := range 60 {
		f.write(agent, "/a.md", strings.Repeat(fmt.Sprintf("text %d\n", i), 50))
	}
	p := newPane(f, 80, 30)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	drain(p, p.Update(tea.MouseClickMsg{X: 3, Y: 4, Button: tea.MouseLeft}))
	if p.of.Cur != 4 {
		t.Errorf("a click selects row %d", p.of.Cur)
	}
	drain(p, p.Update(tea.MouseWheelMsg{X: 3, Y: 2, Button: tea.MouseWheelDown}))
	if p.of.Top != 3 || p.of.Cur != 4 {
		t.Errorf("the wheel scrolls to %d and selects %d", p.of.Top, p.of.Cur)
	}
	before := shown(p)
	drain(p, p.Update(tea.MouseWheelMsg{X: 3, Y: 2, Button: tea.MouseWheelDown}))
	drain(p, p.Update(tea.MouseWheelMsg{X: 3, Y: 2, Button: tea.MouseWheelUp}))
	drain(p, p.Update(tea.MouseWheelMsg{X: 3, Y: 25, Button: tea.MouseWheelDown}))
	if p.of.Top != 3 || shown(p) == before {
		t.Error("the wheel over the diff does not scroll the diff")
	}
	drain(p, p.Update(tea.MouseClickMsg{X: 3, Y: 25, Button: tea.MouseLeft}))
	if !p.InDetail {
		t.Error("a click on the diff does not give it the keys")
	}
}

func TestMouse_MovesTheLineBetweenListAndDiff(t *testing.T) {
	for _, c := range []struct {
		w, h, fromX, fromY, toX, toY int
		wantW, wantH                 int
	}{
		{120, 30, 54, 5, 70, 9, 70, 30},
		{120, 30, 54, 5, 3, 9, 24, 30},
		{80, 30, 9, 4, 9, 15, 80, 15},
		{80, 30, 9, 4, 9, 29, 80, 26},
		{80, 30, 9, 4, 9, 0, 80, 3},
	} {
		p := newPane(story(), c.w, c.h)
		drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
		drain(p, p.Update(tea.MouseClickMsg{X: c.fromX, Y: c.fromY, Button: tea.MouseLeft}))
		drain(p, p.Update(tea.MouseMotionMsg{X: c.toX, Y: c.toY, Button: tea.MouseLeft}))
		drain(p, p.Update(tea.MouseReleaseMsg{X: c.toX, Y: c.toY, Button: tea.MouseLeft}))
		drain(p, p.Update(tea.MouseMotionMsg{X: 60, Y: 7}))
		if w, h := listSize(p); w != c.wantW || h != c.wantH {
			t.Errorf("from %d,%d to %d,%d the list has %dx%d", c.fromX, c.fromY, c.toX, c.toY, w, h)
		}
		if problem := drawtest.Problem(p.View(), c.w, c.h); problem != "" {
			t.Error(problem)
		}
	}
}

// listSize returns the columns of the list, up to the diff beside it, and its rows.
func listSize(p *Pane) (w, h int) {
	row, _, beside := strings.Cut(strings.Split(shown(p), "\n")[0], "│")
	if !beside {
		return p.W, p.Page()
	}
	return text.Width(row), p.Page()
}

func TestMouse_SelectsHunksAndFoldsSessions(t *testing.T) {
	p := newPane(notes(), 80, 30)
	drain(p, p.ShowMemory("mem_/plan.md", path("/plan.md")))
	last := p.Page() + 2 + 12 // below the title and the facts
	drain(p, p.Update(tea.MouseClickMsg{X: 9, Y: last, Button: tea.MouseLeft}))
	if i, _ := p.Diff.Hunk(); i != 1 || !p.InDetail {
		t.Errorf("a click chooses hunk %d:\n%s", i, shown(p))
	}
	press(p, "esc c")
	for _, want := range []string{"7 >[2] 6 5 4 [3] 3 2 1", "7 >[2] 4 [3] 3 2 1"} {
		drain(p, p.Update(tea.MouseClickMsg{X: 9, Y: 1, Button: tea.MouseLeft}))
		wantOutline(t, p, "a click", want)
	}
}
