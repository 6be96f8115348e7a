package diffview

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/draw/testdata/drawtest"
)

// prose returns a text of long lines, some of which differ.
func prose(n int, change bool) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d:", i)
		for k := range 3 + i*7%40 {
			if change && i%9 == 4 && k == 5 {
				b.WriteString(" another")
				continue
			}
			fmt.Fprintf(&b, " word%d", k)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func rows(v *View) []string { return strings.Split(ansi.Strip(v.View()), "\n") }

func TestWrap_Frames(t *testing.T) {
	old := "# Notes\n\n- short\n- " + strings.Repeat("meet on friday at noon and bring 中文 notes ", 4) + "\nlast"
	new := "# Notes\n\n- short\n- " + strings.Repeat("meet on friday at noon and bring 中文 notes ", 3) + "meet on monday\nlast"
	frames(t, old, new, []frame{
		{"wrap-below-60x16", "w", 60, 16},
		{"wrap-beside-120x12", "w", 120, 12},
		{"wrap-narrow-20x20", "w", 20, 20},
	})
}

// Scrolling row by row shows the same rows as a window that has room for all.
func TestWrap_ScrollsRowByRow(t *testing.T) {
	for _, keys := range []string{"w", "w s", "w i", "w f"} {
		for _, w := range []int{30, 61, 130} {
			v := show(prose(30, false), prose(30, true), w, 2000)
			press(v, keys)
			all := rows(v)
			for len(all) > 0 && strings.TrimSpace(all[len(all)-1]) == "" {
				all = all[:len(all)-1]
			}
			v.SetSize(w, 7)
			press(v, "g g")
			v.win.Top = 0
			v.draw()
			strip := func(rows []string) string { return strings.NewReplacer("▌", " ").Replace(strings.Join(rows, "\n")) }
			for at := 0; at+7 <= len(all); at++ {
				if got, want := strip(rows(v)), strip(all[at:at+7]); got != want {
					t.Fatalf("%q, %d wide, %d rows down:\n%s\nwant\n%s", keys, w, at, got, want)
				}
				press(v, "j")
			}
			bottom := strip(rows(v))
			press(v, "g g G")
			if strip(rows(v)) != bottom || bottom != strip(all[len(all)-7:]) {
				t.Fatalf("%q, %d wide: G goes to\n%s", keys, w, bottom)
			}
			for at := len(all) - 7; at >= 0; at-- {
				if got := strip(rows(v)); got != strip(all[at:at+7]) {
					t.Fatalf("%q, %d wide, back at %d:\n%s", keys, w, at, got)
				}
				press(v, "k")
			}
		}
	}
}

func TestWrap_KeepsTheHunkInPlace(t *testing.T) {
	v := show(prose(100, false), prose(100, true), 70, 20)
	press(v, "] ] ] w")
	for _, keys := range []string{"w", "w", "s", "w", "w", "s", "w", "} }", "{ {"} {
		press(v, keys)
		if i, _ := v.Hunk(); i != 3 || !v.inSight(3) {
			t.Fatalf("after %q it is hunk %d:\n%s", keys, i, strings.Join(rows(v), "\n"))
		}
	}
}

func TestWrap_ClickSelectsTheLine(t *testing.T) {
	v := show(prose(30, false), prose(30, true), 40, 60)
	press(v, "w")
	for y, row := range rows(v) {
		v.Update(tea.MouseClickMsg{Y: y, Button: tea.MouseLeft})
		if e, _ := v.current(); strings.HasPrefix(row, "▌") && (v.press < 0 || v.rowOf(e)+v.press != v.rowAt(y)) {
			t.Errorf("a click on row %d hits %d of the hunk", y, v.press)
		}
	}
	v.SetSize(40, 9)
	press(v, "[ [ [ [ [ ] V j")
	if !strings.Contains(v.View(), "█") {
		t.Errorf("the end of the selection is out of sight:\n%s", strings.Join(rows(v), "\n"))
	}
	if l, ok := v.Selection(); !ok {
		t.Error("nothing is selected")
	} else if old, new := l.Lines(); old != 1 || new != 1 {
		t.Errorf("%d and %d lines are selected", old, new)
	}
}

// After any sequence of keys, a frame has its size and the window is full.
func TestWrap_HandlesEveryKey(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	keys := strings.Fields("j k w w w s i f W ] [ } { l h V G home pgdown pgup ctrl+d ctrl+u % j j k")
	old := prose(40, false) + strings.Repeat("x", 200_000) + "\n" + strings.Repeat("中", 100) + "\nend"
	v := show(old, strings.Replace(prose(40, true)+strings.Repeat("x", 200_000)+"y\n"+strings.Repeat("中", 99)+"\nend", "3:", "three:", 1), 80, 24)
	for range 500 {
		k := keys[r.Intn(len(keys))]
		w, h := v.w, v.win.H
		if r.Intn(20) == 0 {
			w, h = 1+r.Intn(140), 1+r.Intn(40)
			v.SetSize(w, h)
		}
		press(v, k)
		if p := drawtest.Problem(v.View(), w, h); p != "" {
			t.Fatalf("after %q at %dx%d: %s", k, w, h, p)
		}
		if v.rows > 40 && strings.TrimSpace(ansi.Strip(v.View())) == "" {
			t.Fatalf("after %q at %dx%d nothing shows", k, w, h)
		}
	}
}
