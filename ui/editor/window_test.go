package editor

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/text"
)

func wrapped(content string, w, h int) *Editor {
	e := newEditor(content)
	e.SetWrap(true)
	e.SetSize(w, h)
	return e
}

func TestWrap_ShowsEveryWordAndMarksContinuedRows(t *testing.T) {
	e := wrapped("one two three four\nfive\n", 17, 6)
	want := []string{"   1 one two     ", "   ↪ three four  ", "   2 five        ", "   3             ", "                 ", "                 "}
	if got := strings.Split(e.shown(), "\n"); !slices.Equal(got, want) {
		t.Errorf("shown is\n%s", e.shown())
	}
	press(e, "alt+z")
	if got := strings.Split(e.shown(), "\n")[0]; got != "   1 one two thre" || e.Wraps() {
		t.Errorf("not wrapped, %q", got)
	}
}

func TestWrap_KeysMoveByVisibleRows(t *testing.T) {
	const content = "  one two three four five\nsix\n" // rows at 17 columns: "  one two ", "three four ", "five"
	for name, c := range map[string]struct{ keys, want string }{
		"down goes to the next row":       {"down '|'", "  one two |three four five\nsix\n"},
		"the column is kept":              {"right right right right right right right right down down down up '|'", "  one two three four five|\nsix\n"},
		"up from the next line":           {"ctrl+end up up '|'", "  one two three four |five\nsix\n"},
		"end of the row":                  {"end '|'", "  one two| three four five\nsix\n"},
		"and then of the line":            {"end end '|'", "  one two three four five|\nsix\n"},
		"end of the last row":             {"down down end '|'", "  one two three four five|\nsix\n"},
		"home to the row":                 {"down right right home '|'", "  one two |three four five\nsix\n"},
		"then to the first letter":        {"down right right home home '|'", "  |one two three four five\nsix\n"},
		"then to the beginning":           {"down right right home home home '|'", "|  one two three four five\nsix\n"},
		"what is selected is of the text": {"down shift+end delete", "  one two  five\nsix\n"},
		"above the first row":             {"down up up '|'", "|  one two three four five\nsix\n"},
	} {
		e := wrapped(content, 17, 8)
		press(e, c.keys)
		if got := string(e.Content()); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestWrap_ClickSelectsTheDrawnCharacter(t *testing.T) {
	r := seeded(t)
	for range 30 {
		e := wrapped(string(hostileText(r, 900))+strings.Repeat("words and \t中文 ", 700), 8+r.Intn(50), 2+r.Intn(12))
		for range 40 {
			e.cursor = 0
			e.moveTo(e.text.next(r.Intn(e.text.len())), false) // at the beginning of a character
			e.moveTo(e.text.prev(e.cursor), false)
			x, y, ok := e.Cursor()
			if !ok {
				t.Fatalf("byte %d is out of sight", e.cursor)
			}
			at := e.cursor
			e.Update(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
			from, _ := e.rowAt(e.placeOf(at))
			if hung := text.Column(e.text.slice(from, at), at-from, tab) > e.wrapWidth(); e.cursor != at && !hung {
				t.Fatalf("a click where byte %d is drawn hits byte %d", at, e.cursor)
			}
		}
	}
}

func TestWrap_ClickPastTheEndStaysInTheRow(t *testing.T) {
	e := wrapped("one two three four\nfive\n", 17, 6)
	for y, want := range []int{7, 18, 23, 24, 24} {
		e.Update(tea.MouseClickMsg{X: 16, Y: y, Button: tea.MouseLeft})
		if e.cursor != want {
			t.Errorf("a click right of row %d puts the cursor at %d, want %d", y, e.cursor, want)
		}
		if _, at, _ := e.Cursor(); at != min(y, 3) {
			t.Errorf("a click right of row %d puts the cursor into row %d", y, at)
		}
	}
}

func TestWrap_DragSelectsOverRows(t *testing.T) {
	e := wrapped("one two three four\nfive\n", 17, 6)
	e.Update(tea.MouseClickMsg{X: 9, Y: 0, Button: tea.MouseLeft})
	e.Update(tea.MouseMotionMsg{X: 10, Y: 1, Button: tea.MouseLeft})
	if from, to, _ := e.selection(); string(e.Content()[from:to]) != "two three" {
		t.Errorf("selected is %q", e.Content()[from:to])
	}
}

// TestWrap_RowsOfALongLineMatchAFullLayout compares rows that are kept over
// edits with those of the line.
func TestWrap_RowsOfALongLineMatchAFullLayout(t *testing.T) {
	r := seeded(t)
	pieces := []string{"plain ascii text ", "\t", "中文字", "👩\u200d👧", "\xff", "e\u0301", "\u202e", "x", strings.Repeat("long ascii ", 300), strings.Repeat(" ", 3000), strings.Repeat("o", 500)}
	for range 8 {
		var b strings.Builder
		for b.Len() < 30_000 {
			b.WriteString(pieces[r.Intn(len(pieces))])
		}
		e := wrapped("first\n"+b.String()+"\nlast", 16+r.Intn(60), 10)
		for range 60 {
			start, end, _ := e.text.line(1)
			switch at := start + r.Intn(end-start); r.Intn(4) {
			case 0:
				for at < end && !utf8.RuneStart(e.text.slice(at, at+1)[0]) {
					at++
				}
				e.apply(at, at, pieces[r.Intn(9)], noRun)
			case 1:
				e.moveTo(e.text.next(e.text.prev(at)), false)
				e.backspace()
			case 2:
				e.SetSize(16+r.Intn(60), 10)
			}
			start, end, _ = e.text.line(1)
			all := text.Wrap(nil, e.text.slice(start, end), e.wrapWidth(), tab, 0)
			row := r.Intn(len(all))
			from, to := e.rowAt(position{1, row})
			next := end - start
			if row+1 < len(all) {
				next = all[row+1]
			}
			if from-start != all[row] || to-start != next {
				t.Fatalf("row %d is %d to %d, want %d to %d", row, from-start, to-start, all[row], next)
			}
			if got := e.placeOf(start + all[row]); got != (position{1, row}) {
				t.Fatalf("byte %d is in %v, want row %d", all[row], got, row)
			}
		}
		start, end, _ := e.text.line(1)
		if got, want := e.rowsOf(1), len(text.Wrap(nil, e.text.slice(start, end), e.wrapWidth(), tab, 0)); got != want {
			t.Fatalf("%d rows, want %d", got, want)
		}
	}
}

func TestWrap_FitsEverySize(t *testing.T) {
	r := seeded(t)
	content := string(hostileText(r, 600)) + strings.Repeat("long line 中文 \t", 600) + "\n" + strings.Repeat(" ", 9000)
	for w := 0; w <= 100; w += 1 + w/9 {
		for h := 0; h <= 40; h += 1 + h/7 {
			e := wrapped(content, w, h)
			for _, k := range []string{"", "ctrl+end", "pgup shift+up shift+up", "ctrl+home end end", "ctrl+f 'long' ctrl+n", "esc pgdown", "ctrl+a", "alt+z", "alt+z"} {
				press(e, k)
				if p := gridProblem(e.View(), w, h); p != "" {
					t.Fatalf("%dx%d after %q: %s", w, h, k, p)
				}
			}
		}
	}
}

func TestWrap_CursorStaysVisible(t *testing.T) {
	r := seeded(t)
	e := wrapped(string(hostileText(r, 400))+strings.Repeat("and words\t", 300), 40, 9)
	moves := []string{"left", "right", "up", "down", "pgup", "pgdown", "end", "home", "ctrl+right", "ctrl+left", "ctrl+end", "ctrl+home", "shift+down", "alt+z", "'word '", "backspace", "ctrl+x", "ctrl+z"}
	for range 4000 {
		m := moves[r.Intn(len(moves))]
		e.SetSize(5+r.Intn(60), 1+r.Intn(12))
		press(e, m)
		if _, _, ok := e.Cursor(); !ok {
			t.Fatalf("after %s the cursor (byte %d, size %dx%d, top %v) is out of sight", m, e.cursor, e.w, e.h, e.top)
		}
	}
}

func TestWrap_TheWindowIsFullAtTheEnd(t *testing.T) {
	e := wrapped(strings.Repeat("one two three four five six\n", 30)+"end", 15, 10)
	press(e, "ctrl+end")
	if rows := strings.Split(e.shown(), "\n"); !strings.Contains(rows[9], "end") {
		t.Errorf("the last row is %q", rows[9])
	}
	for range 60 {
		e.Update(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	}
	if e.top != (position{}) {
		t.Errorf("the wheel ends at %v", e.top)
	}
	for range 60 {
		e.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	if rows := strings.Split(e.shown(), "\n"); !strings.Contains(rows[9], "end") {
		t.Errorf("the wheel ends with %q", rows[9])
	}
}

func BenchmarkWrappedKey(b *testing.B) {
	for _, n := range []int{100, 100_000} {
		content := lines(n)
		for name, names := range map[string][]string{"type": {"a", "b", "space", "enter", "backspace"}, "move": {"down", "right", "pgdown", "pgup", "up"}} {
			b.Run(fmt.Sprintf("%s_in_%d_lines", name, n), func(b *testing.B) { benchmarkWrapped(b, content, names...) })
		}
	}
	long := bytes.Repeat([]byte("0123456789 "), 100_000)
	b.Run("type_at_the_beginning_of_a_1MB_line", func(b *testing.B) { benchmarkWrapped(b, long, "a", "b", "left", "down") })
	b.Run("type_at_the_end_of_a_1MB_line", func(b *testing.B) { benchmarkWrapped(b, long, "ctrl+end", "a", "b", "left", "up") })
	b.Run("go_to_the_ends_of_a_1MB_line", func(b *testing.B) { benchmarkWrapped(b, long, "ctrl+home", "a", "ctrl+end") })
}

func benchmarkWrapped(b *testing.B, content []byte, names ...string) {
	e := newEditor(string(content))
	e.SetWrap(true)
	e.SetSize(120, 40)
	e.GoTo(len(e.text.lines) / 2)
	var msgs []tea.Msg
	for _, n := range names {
		msgs = append(msgs, keyMsg(n))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Update(msgs[i%len(msgs)])
		_ = e.View()
	}
}

// The wheel stops where the longest line ends, so that turning it back moves the text at once.
func TestWheel_ScrollsToTheEndOfTheLongestLine(t *testing.T) {
	e := newEditor("short\n" + strings.Repeat("long ", 30) + "end\n")
	for range 50 {
		e.Update(tea.MouseWheelMsg{Button: tea.MouseWheelRight})
	}
	if got := ansi.Strip(e.View()); !strings.Contains(got, "long end ") {
		t.Errorf("the end does not show:\n%s", got)
	}
	e.Update(tea.MouseWheelMsg{Button: tea.MouseWheelLeft})
	if got := ansi.Strip(e.View()); strings.Contains(got, "end") {
		t.Errorf("the text does not move back:\n%s", got)
	}
}
