package editor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
)

// gridProblem returns what is wrong with a frame of w by h cells.
func gridProblem(view string, w, h int) string {
	if w <= 0 || h <= 0 {
		if view != "" {
			return "something is drawn in no space"
		}
		return ""
	}
	lines := strings.Split(view, "\n")
	if len(lines) != h {
		return fmt.Sprintf("%d rows, want %d", len(lines), h)
	}
	for y, l := range lines {
		if got := drawtest.Width(l); got != w {
			return fmt.Sprintf("row %d is %d wide, want %d: %q", y, got, w, l)
		}
		for _, r := range ansi.Strip(l) {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x200b {
				return fmt.Sprintf("row %d lets %U through", y, r)
			}
		}
	}
	return ""
}

func TestGeometry_FitsEverySize(t *testing.T) {
	r := seeded(t)
	content := string(hostileText(r, 600)) + strings.Repeat("long line 中文 \t", 600)
	for w := 0; w <= 100; w += 1 + w/9 {
		for h := 0; h <= 40; h += 1 + h/7 {
			e := newEditor(content)
			e.SetSize(w, h)
			for _, k := range []string{"", "ctrl+end", "shift+up shift+up", "ctrl+home end", "ctrl+f 'long' ctrl+n", "esc ctrl+g '12345678901234567890' enter"} {
				press(e, k)
				if p := gridProblem(e.View(), w, h); p != "" {
					t.Fatalf("%dx%d after %q: %s", w, h, k, p)
				}
				if x, y, ok := e.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
					t.Fatalf("%dx%d: the cursor is at %d,%d", w, h, x, y)
				}
			}
		}
	}
}

func TestCursor_StaysVisible(t *testing.T) {
	e := newEditor(string(hostileText(seeded(t), 400)))
	r := seeded(t)
	moves := []string{"left", "right", "up", "down", "pgup", "pgdown", "end", "home", "ctrl+right", "ctrl+left", "ctrl+end", "ctrl+home", "shift+down"}
	for range 3000 {
		m := moves[r.Intn(len(moves))]
		e.SetSize(5+r.Intn(60), 1+r.Intn(12))
		press(e, m)
		if _, _, ok := e.Cursor(); !ok {
			t.Fatalf("after %s the cursor (byte %d, size %dx%d, top %v, left %d) is out of sight", m, e.cursor, e.w, e.h, e.top, e.left)
		}
	}
}

func TestView_OfALongLineScrollsSideways(t *testing.T) {
	e := newEditor("x\n" + strings.Repeat("0123456789", 2000) + "END\n")
	press(e, "down end")
	lines := strings.Split(e.shown(), "\n")
	if !strings.Contains(lines[1], "789END") {
		t.Errorf("the end of the line is drawn as %q", lines[1])
	}
	if x, y, ok := e.Cursor(); !ok || y != 1 || lines[1][x-3:x] != "END" {
		t.Errorf("the cursor is at %d,%d (%v)", x, y, ok)
	}
}

func TestView_ShowsWhatIsThere(t *testing.T) {
	e := newEditor("# Notes\r\n\ttabbed\r\n\x1b[31mred \u202e \xff\r\nother end\n\r\nlast")
	e.SetSize(36, 8)
	press(e, "down shift+down")
	want := "" +
		"   1 # Notes                        \n" +
		"   2     tabbed                     \n" +
		"   3 ^[[31mred <U+202E> <FF>        \n" +
		"   4 other end^J                    \n" +
		"   5                                \n" +
		"   6 last                           \n" +
		"                                    \n" +
		"                                    "
	if got := e.shown(); got != want {
		t.Errorf("drawn as\n%s\nwant\n%s", got, want)
	}
	if sel := theme.New(true, theme.Many).Selection.On; !strings.Contains(e.View(), sel+"    tabbed") {
		t.Errorf("the selected line is not drawn as selected: %q", e.View())
	}
	press(e, "ctrl+f 'tab'")
	if now := theme.New(true, theme.Many).MatchNow.On; !strings.Contains(e.View(), now+"tab") {
		t.Errorf("the hit is not drawn as one: %q", e.View())
	}
	press(e, "esc ctrl+f 'nowhere'")
	if got := e.shown(); !strings.HasSuffix(got, "\n find: nowhere  not found           ") {
		t.Errorf("the prompt is drawn as %q", got)
	}
}
