package timeline

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/screen/testdata/storetest"
)

// mouse sends mouse events to a timeline.
type mouse struct{ *screentest.Sim[*Pane] }

func (m mouse) click(x, y int) { m.press(tea.MouseLeft, x, y) }
func (m mouse) drag(x, y int) {
	m.Run(m.Pane.Update(tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft}))
}
func (m mouse) release(x, y int) {
	m.Run(m.Pane.Update(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}))
}
func (m mouse) press(b tea.MouseButton, x, y int) {
	m.Run(m.Pane.Update(tea.MouseClickMsg{X: x, Y: y, Button: b}))
}
func (m mouse) wheel(b tea.MouseButton, x, y int) {
	m.Run(m.Pane.Update(tea.MouseWheelMsg{X: x, Y: y, Button: b}))
}

func TestMouse_GoesAlongTheStrip(t *testing.T) {
	m := mouse{newSim(t, story(t), 0, "", 100, 24)} // five changes, 20 columns each
	for _, c := range []struct {
		what string
		do   func()
		want int64
	}{
		{"a click", func() { m.click(5, 1) }, 1},
		{"a drag", func() { m.drag(45, 1) }, 3},
		{"a drag that leaves the strip", func() { m.drag(65, 15) }, 4},
		{"a motion after the release", func() { m.release(65, 15); m.drag(5, 1) }, 4},
		{"the right button", func() { m.press(tea.MouseRight, 5, 1) }, 4},
		{"the wheel", func() { m.wheel(tea.MouseWheelUp, 5, 1) }, 3},
		{"the wheel back", func() { m.wheel(tea.MouseWheelDown, 5, 1) }, 4},
		{"the wheel below the strip", func() { m.wheel(tea.MouseWheelDown, 5, 4) }, 4},
		{"a click where the border is below the strip", func() { m.click(33, 2); m.release(33, 2) }, 2},
	} {
		if c.do(); m.Pane.at != c.want {
			t.Errorf("%s goes to change %d, want %d", c.what, m.Pane.at, c.want)
		}
	}
}

// wide is a store with a folder of two memories and twenty memories of forty lines below it.
func wide(t *testing.T) mouse {
	st := newStore(t)
	storetest.Write(t, st, by("ada"), "d/a.md", "in a folder\n")
	storetest.Write(t, st, by("ada"), "d/b.md", "another\n")
	for i := range 20 {
		storetest.Write(t, st, by("ada"), fmt.Sprintf("m%02d.md", i), strings.Repeat(fmt.Sprintf("text %d\n", i), 40))
	}
	m := mouse{newSim(t, st, 0, "", 100, 24)}
	m.Pane.Cur, m.Pane.Top = 1, 0
	return m
}

func TestMouse_SelectsFoldsScrollsAndFocuses(t *testing.T) {
	m := wide(t)
	p := m.Pane
	m.click(8, 5)
	m.Shows("/d/a.md as it was then", "in a folder")
	m.click(8, 4)
	m.Hides("b.md")
	m.Shows("▸ d", "/d/a.md as it was then")
	m.click(8, 4)
	m.Shows("▾ d", "b.md")

	m.click(8, 10)
	m.Shows("/m03.md as it was then")
	row := p.Cur
	m.wheel(tea.MouseWheelDown, 8, 10)
	if p.Top != 3 || p.Cur != row {
		t.Errorf("the wheel scrolls the tree to row %d, with the cursor on %d", p.Top, p.Cur)
	}
	m.Keys("end")
	m.Pane.tree.Reveal(path("m03.md")) // the cursor is on it while the diff is of m19.md
	m.Shows("created /m19.md")
	_, y, _ := p.Selected()
	m.click(8, y)
	m.Shows("/m03.md as it was then")

	before := m.Screen()
	m.wheel(tea.MouseWheelDown, 60, 12)
	if m.Screen() == before || p.InDetail {
		t.Error("the wheel does not scroll the text under it")
	}
	m.click(60, 12)
	if !p.InDetail || len(m.Sent) > 0 {
		t.Errorf("a click on the text does not move the focus there, and sends %v", m.Sent)
	}
	m.click(8, 12)
	if p.InDetail {
		t.Error("a click on the tree does not move the focus back")
	}
}

func TestMouse_MovesTheBorder(t *testing.T) {
	for _, c := range []struct{ from, to, want int }{
		{33, 50, 50}, {33, 2, 24}, {33, 99, 75}, {40, 60, 33},
	} {
		m := wide(t)
		m.click(c.from, 12)
		m.drag(c.to, 9)
		m.release(c.to, 9)
		m.drag(10, 10)
		row, _, _ := strings.Cut(strings.Split(m.Screen(), "\n")[8], "│")
		if n := len([]rune(row)); n != c.want {
			t.Errorf("from %d to %d the tree has %d columns, want %d", c.from, c.to, n, c.want)
		}
		if problem := drawtest.Problem(m.Pane.View(), 100, 24); problem != "" {
			t.Error(problem)
		}
		if c.want >= 44 && !strings.Contains(row, "ada") {
			t.Errorf("the columns of the rows do not follow the width: %q", row)
		}
	}
}

// The strip is visible at every size. In few columns and rows it leaves room for one part.
func TestFocus_ShowsThePartWithIt(t *testing.T) {
	const tree, text = "  b.md", "in a folder"
	for _, c := range []struct {
		w, h          int
		inTree, inTxt []string
		hidden        string // of the text without the focus
	}{
		{120, 36, []string{tree, text}, []string{tree, text}, ""},
		{80, 21, []string{tree, text}, []string{tree, text}, ""},
		{60, 12, []string{tree, text}, []string{tree, text}, ""},
		{59, 24, []string{tree, text}, []string{tree, text}, ""},
		{40, 9, []string{tree}, []string{text, "‹"}, text},
		{59, 16, []string{tree}, []string{text, "‹"}, text},
	} {
		m := wide(t)
		m.Pane.SetSize(c.w, c.h)
		m.Run(m.Pane.Moved())
		strip := []string{"▲", "#22"}
		m.Shows(append(strip, c.inTree...)...)
		if c.hidden != "" {
			m.Hides(c.hidden)
		}
		m.Keys("tab")
		m.Shows(append(strip, c.inTxt...)...)
		if c.hidden == "" {
			continue
		}
		m.Hides(tree)
		m.Keys("esc")
		m.Shows(tree)
		m.Keys("enter")
		m.Shows(text)
		m.click(1, m.Pane.DetailBox().Y-1)
		m.Shows(tree)
		m.Hides(text)
	}
}

func TestEnter_FoldsAFolderAndMovesToTheTextOfAMemory(t *testing.T) {
	m := wide(t)
	m.Pane.Cur = 0
	m.Keys("enter")
	if m.Shows("▸ d"); m.Pane.InDetail {
		t.Error("enter on a folder moves the focus to the text")
	}
	m.Keys("enter")
	m.Shows("▾ d")
	m.Keys("j enter")
	if !m.Pane.InDetail {
		t.Error("enter on a memory does not move the focus to its text")
	}
}

// Nothing in the text acts on the present.
func TestText_FollowsNoLink(t *testing.T) {
	st := newStore(t)
	storetest.Write(t, st, by("ada"), "a.md", "[to b](b.md)\n")
	storetest.Write(t, st, by("ada"), "b.md", "b\n")
	m := mouse{newSim(t, st, 0, "a.md", 100, 24)}
	m.Shows("[to b]")
	x := m.Pane.DetailBox().X + 6
	m.click(x, 5)
	m.release(x, 5)
	if _, r := m.Pane.Press([]string{"enter"}, 0); r != keys.Done || len(m.Sent) > 0 {
		t.Errorf("a click and enter on a link send %v", m.Sent)
	}
	m.Shows("/a.md as it was then")
}

func TestTimeMoves_WorkInTheDiff(t *testing.T) {
	s := newSim(t, story(t), 0, "", 100, 24)
	s.Keys("tab left left h")
	s.Shows("2 of 5", "created /b.md")
	if !s.Pane.InDetail {
		t.Error("the focus is lost")
	}
}

// The tree and the diff share the rows: a longer tree leaves fewer for the diff.
func TestFrame_FitsWhileTheTreeGrowsAndShrinks(t *testing.T) {
	m := wide(t)
	m.Pane.SetSize(50, 24)
	m.Keys("home l")
	for _, key := range strings.Fields(strings.Repeat("l ", 12) + strings.Repeat("h ", 12)) {
		m.Keys(key)
		if problem := drawtest.Problem(m.Pane.View(), 50, 24); problem != "" {
			t.Fatalf("at change %d: %s", m.Pane.at, problem)
		}
		if n, all := m.Pane.Page()+1+strings.Count(m.Pane.Diff.View(), "\n")+1, 24-stripRows; n != all {
			t.Fatalf("at change %d the tree and the diff have %d rows of %d", m.Pane.at, n, all)
		}
	}
}

func TestTree_SaysWhyItIsEmpty(t *testing.T) {
	for _, w := range []int{100, 60, 40} {
		s := newSim(t, story(t), 0, "", w, 24)
		s.Keys("home")
		s.Shows(" no memories existed", "then")
	}
}

func TestTree_MarksHiddenCharacters(t *testing.T) {
	st := newStore(t)
	storetest.Write(t, st, by("ada"), "a.md", "a\u200bb\n")
	newSim(t, st, 0, "", 100, 24).Shows("a.md                  !1")
}

func TestSetTheme_ChangesEveryPart(t *testing.T) {
	s := newSim(t, story(t), 3, "", 100, 24)
	s.Pane.SetTheme(theme.New(true, theme.Mono))
	for _, key := range []string{"", "d", "d"} { // the diff, the text, the diff
		if s.Keys(key); strings.Contains(s.Pane.View(), "\x1b[38;") {
			t.Errorf("there are colours:\n%q", s.Pane.View())
		}
	}
}

func TestHead_LeavesOutWhatDoesNotFit(t *testing.T) {
	s := newSim(t, story(t), 2, "a.md", 100, 24)
	for w, want := range map[int]string{
		100: "── /a.md as it was then · #2 changed 1 memory ──",
		70:  "── /a.md as it was then ──",
		26:  "── /a.md as it was then ",
	} {
		s.Pane.SetSize(w, 24)
		s.Shows(want)
	}
}
