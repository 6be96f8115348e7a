package editor

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/drawtest"
	"github.com/memend/memend/ui/text"
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

func TestRuler_AgreesWithMeasuringFromTheBeginning(t *testing.T) {
	r := seeded(t)
	pieces := []string{"plain ascii text ", "\t", "中文字", "👩\u200d👧", "\xff", "e\u0301", "\u202e", strings.Repeat("long ascii ", 300)}
	for range 6 {
		var b strings.Builder
		for b.Len() < 30_000 {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		e := newEditor("first\n" + b.String() + "\nlast")
		for range 40 {
			if r.Intn(4) == 0 { // edits must not make a ruler wrong
				at := 6 + r.Intn(b.Len())
				for !utf8.RuneStart(e.byteAt(at)) {
					at++
				}
				e.apply(at, at, []byte(pieces[r.Intn(7)]), noRun)
			}
			start, end, _ := e.line(1)
			s := e.slice(start, end)
			i := start + r.Intn(end-start)
			want := columnFromStart(s, i-start)
			if got := e.column(1, i); got != want {
				t.Fatalf("byte %d is at column %d, want %d", i-start, got, want)
			}
			off := e.offset(1, want)
			if got := columnFromStart(s, off-start); got > want {
				t.Fatalf("column %d is byte %d, which is at column %d", want, off-start, got)
			}
			if off < end && columnFromStart(s, e.next(off)-start) <= want {
				t.Fatalf("column %d is byte %d, but the next byte is no further right", want, off-start)
			}
		}
	}
}

func TestRuler_FollowsItsLineWhenLinesComeAbove(t *testing.T) {
	long := strings.Repeat("x", 3000) + strings.Repeat("中", 2000)
	e := newEditor("a\n" + strings.Repeat("-", 9000) + "\n" + long)
	end := e.text.len()
	e.column(1, e.text.lineStart(2)-1)
	if got := e.column(2, end); got != 7000 {
		t.Fatalf("the line is %d wide", got)
	}
	press(e, "ctrl+x")
	if got := e.column(1, e.text.len()); got != 7000 {
		t.Errorf("moved up, the line is %d wide", got)
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

func columnFromStart(s string, i int) int { return text.Column(s, i, tab) }
