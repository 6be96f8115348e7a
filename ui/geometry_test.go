package ui

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

var scenesEach = flag.Int("scenes.each", 3, "draw one of this many states")

// atSizes draws the n-th state at the sizes that [drawtest.Tries].
func atSizes(n int, widths, heights []int, draw func(w, h int)) {
	for _, w := range widths {
		for _, h := range heights {
			if drawtest.Tries(n, w, h) {
				draw(w, h)
			}
		}
	}
}

// A frame has exactly the rows and columns of the screen: in every state and at every size.

func checkFrame(t *testing.T, what string, a *App, w, h int) {
	t.Helper()
	rows := strings.Split(a.View(), "\n")
	if len(rows) != h {
		t.Fatalf("%s at %dx%d: %d rows", what, w, h, len(rows))
	}
	for y, row := range rows {
		if cols := drawtest.Width(row); cols != w {
			t.Fatalf("%s at %dx%d: row %d has %d columns: %q", what, w, h, y, cols, ansi.Strip(row))
		}
	}
	if x, y, ok := a.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
		t.Fatalf("%s at %dx%d: the cursor is at %d,%d", what, w, h, x, y)
	}
	if x, y, ok := a.Selected(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
		t.Fatalf("%s at %dx%d: what is selected is at %d,%d", what, w, h, x, y)
	}
}

func TestFrame_FitsEveryScreen(t *testing.T) {
	t.Parallel()
	widths := []int{1, 2, 3, 5, 8, 13, 19, 20, 21, 24, 27, 33, 40, 47, 59, 60, 61, 75, 80, 89, 90, 91, 100, 120, 130, 169, 170, 200}
	heights := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 15, 16, 17, 20, 24, 36, 45}
	for n, scene := range scenes {
		s := newSim(t, sample(), 100, 30)
		scene.play(s)
		for _, zoomed := range []bool{false, true} {
			if s.app.frame.Zoomed() != zoomed {
				s.app.frame.Zoom()
			}
			atSizes(n, widths, heights, func(w, h int) {
				s.send(tea.WindowSizeMsg{Width: w, Height: h})
				checkFrame(t, scene.name, s.app, w, h)
			})
		}
	}
}

func TestFrame_FitsEveryPlace(t *testing.T) {
	t.Parallel()
	for _, w := range []int{20, 45, 72, 110, 180} {
		for _, scene := range scenes {
			s := newSim(t, sample(), w, 14)
			scene.play(s)
			if s.app.overlay != nil || s.app.prompt != nil || s.app.editing.Pane() != nil {
				continue
			}
			for _, k := range strings.Fields("tab G w pgup l l tab k tab z tab z ctrl+d - = M esc f5") {
				s.keys(k)
				checkFrame(t, fmt.Sprintf("%s after %s", scene.name, k), s.app, w, 14)
			}
		}
	}
}

func TestFrame_FitsScriptsOfAmbiguousWidth(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.write(agent, "👩‍👩‍👧‍👦 क्षि ❤️ 🇩🇪.md", strings.Repeat("👩‍👩‍👧‍👦 क्षि ❤️ 🇩🇪 1️⃣ é é ハ゛ עברית می\u200cخواهم ", 20)+"\n")
	for _, w := range []int{30, 61, 90, 131} {
		s := newSim(t, f, w, 12)
		s.keys("enter")
		checkFrame(t, "emoji", s.app, w, 12)
		s.keys("w")
		checkFrame(t, "emoji, not wrapped", s.app, w, 12)
		s.keys("ctrl+p")
		checkFrame(t, "emoji in the finder", s.app, w, 12)
	}
}

func TestTooSmall_SaysSoAndHandlesOnlyQuit(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("MEMORY.md").send(tea.WindowSizeMsg{Width: 19, Height: 5})
	s.shows("needs 20×5")
	s.keys("d")
	if n := len(s.store.changes); n != 7 {
		t.Errorf("a key that nobody saw made change %d", n)
	}
	if cmd := s.app.Update(screentest.Key("esc")); cmd != nil {
		t.Error("esc does something")
	}
	if s.keys("q"); !s.over {
		t.Error("q does not quit")
	}
}
