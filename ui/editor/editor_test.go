package editor

import (
	"bytes"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

func TestKeys_EditAsInOtherEditors(t *testing.T) {
	for name, c := range map[string]struct{ text, keys, want string }{
		"typing at the beginning":           {"abc\n", "'x y'", "x yabc\n"},
		"the last newline stays away":       {"abc", "ctrl+end 'd'", "abcd"},
		"enter in a CRLF text":              {"a\r\nb\r\n", "end enter 'x'", "a\r\nx\r\nb\r\n"},
		"enter indents like the line":       {"\t- a\n", "end enter '- b'", "\t- a\n\t- b\n"},
		"enter inside the indentation":      {"    a\n", "right right enter", "  \n    a\n"},
		"tab is a tab":                      {"a\n", "tab", "\ta\n"},
		"tab is blanks in a text of blanks": {"a:\n  b\n  c\nd\n", "ctrl+end up tab", "a:\n  b\n  c\n  d\n"},
		"backspace takes one step of them":  {"a:\n    b\n      c\nd:\n    e\n", "down home backspace", "a:\nb\n      c\nd:\n    e\n"},
		"backspace joins lines":             {"a\r\nb\r\n", "down backspace", "ab\r\n"},
		"delete takes a whole line end":     {"a\r\nb", "end delete", "ab"},
		"backspace takes a whole character": {"e\u0301x", "right backspace", "x"},
		"a family is one character":         {"👩\u200d👧x", "right backspace", "x"},
		"bytes that are no text go one by one": {"\xff\xfe", "right backspace",
			"\xfe"},
		"what is selected is replaced":     {"one two", "shift+right shift+right shift+right 'x'", "x two"},
		"words":                            {"one two-three", "ctrl+right ctrl+right '!'", "one two!-three"},
		"a word is erased":                 {"one two", "end alt+backspace", "one "},
		"a word is selected":               {"one two", "end ctrl+shift+left delete", "one "},
		"a line is cut and comes back":     {"a\nb\nc\n", "ctrl+x down ctrl+v", "b\na\nc\n"},
		"cut takes a CRLF along":           {"a\r\nb", "ctrl+x ctrl+v", "a\r\nb"},
		"the empty last line is deleted":   {"a\n", "ctrl+end ctrl+x", "a"},
		"copy and paste keep every byte":   {"\xff\x00\r\n", "ctrl+a ctrl+c right ctrl+v", "\xff\x00\r\n\xff\x00\r\n"},
		"lines are indented together":      {"a\n\nb\nc\n", "shift+down shift+down shift+down tab", "\ta\n\n\tb\nc\n"},
		"a whole line is indented":         {"ab\ncd\n", "shift+down tab", "\tab\ncd\n"},
		"and back":                         {"\ta\n    b\nc\n", "ctrl+a shift+tab", "a\n  b\nc\n"},
		"home goes to the first letter":    {"  ab", "end home 'x'", "  xab"},
		"and then to the beginning":        {"  ab", "end home home 'x'", "x  ab"},
		"undo takes a word back":           {"", "'one two' ctrl+z", "one "},
		"undo, then redo":                  {"a", "end 'bc' ctrl+z ctrl+y", "abc"},
		"a new edit ends redo":             {"a", "end 'b' ctrl+z 'c' ctrl+y", "ac"},
		"undo puts the selection back":     {"abc", "ctrl+a 'x' ctrl+z 'y'", "y"},
		"erasing is undone as one":         {"abcd", "end backspace backspace backspace ctrl+z", "abcd"},
		"go to a line":                     {"a\nb\nc\n", "ctrl+g '3' enter 'x'", "a\nb\nxc\n"},
		"go to a line and column":          {"a\nbcd\n", "ctrl+l '2:3' enter 'x'", "a\nbcxd\n"},
		"go to the last line":              {"a\nb", "ctrl+g '-1' enter 'x'", "a\nxb"},
		"no line of that name":             {"a\nb", "ctrl+g 'b' enter esc 'x'", "xa\nb"},
		"find, and type over it":           {"one two one", "ctrl+f 'two' enter 'x'", "one x one"},
		"find again":                       {"one two one", "ctrl+f 'one' enter ctrl+n 'x'", "one two x"},
		"find around the end":              {"one two one", "ctrl+f 'one' enter ctrl+n ctrl+n 'x'", "x two one"},
		"find backwards":                   {"one two one", "ctrl+f 'one' enter ctrl+p 'x'", "one two x"},
		"find reads small letters as both": {"ÉTÉ Été", "ctrl+f 'été' enter 'x'", "x Été"},
		"find reads a capital as itself":   {"été Été", "ctrl+f 'É' enter 'x'", "été xté"},
		"a search that is left":            {"one two", "ctrl+f 'two' esc 'x'", "xone two"},
		"a move ends a run of typing":      {"", "'a' left right 'b' ctrl+z", "a"},
		"a move sideways is a new column":  {"abcd\nabcd\nabcd\n", "end down home down 'x'", "abcd\nabcd\nxabcd\n"},
		"the column is kept":               {"abcd\n\nabcd\n", "end down down 'x'", "abcd\n\nabcdx\n"},
	} {
		e := newEditor(c.text)
		press(e, c.keys)
		if got := string(e.Content()); got != c.want {
			t.Errorf("%s: %q and %s give %q, want %q", name, c.text, c.keys, got, c.want)
		}
		for e.Update(keyMsg("ctrl+z")); len(e.undo) > 0; {
			e.Update(keyMsg("ctrl+z"))
		}
		if got := string(e.Content()); got != c.text {
			t.Errorf("%s: undone to %q, want %q", name, got, c.text)
		}
	}
}

func TestPaste_IsOneUndoStepAndConvertsLineEnds(t *testing.T) {
	e := newEditor("a\r\nb\r\n")
	e.Update(tea.PasteMsg{Content: "x\ry\nz\r\n"})
	if got := string(e.Content()); got != "x\r\ny\r\nz\r\na\r\nb\r\n" {
		t.Errorf("pasted as %q", got)
	}
	press(e, "ctrl+z")
	if got := string(e.Content()); got != "a\r\nb\r\n" || e.Dirty() {
		t.Errorf("undone to %q, dirty %v", got, e.Dirty())
	}
}

func TestPaste_OfOwnCopiesKeepsTheirBytes(t *testing.T) {
	e := newEditor("a\nb\r\nc")
	press(e, "ctrl+a ctrl+c ctrl+end")
	e.Update(tea.PasteMsg{Content: "a\rb\rc"}) // as a terminal sends it
	if got := string(e.Content()); got != "a\nb\r\nca\nb\r\nc" {
		t.Errorf("pasted as %q", got)
	}
}

func TestCopy_SetsTheClipboardOfTheTerminal(t *testing.T) {
	e := newEditor("plain\n")
	press(e, "ctrl+c")
	msgs := forTerminal(e)
	if want := tea.SetClipboard("plain\n")(); len(msgs) != 1 || msgs[0] != want {
		t.Errorf("got %v, want %v", msgs, want)
	}
	e = newEditor("\xff\n")
	press(e, "ctrl+c")
	if msgs := forTerminal(e); msgs != nil {
		t.Errorf("bytes that are no text went to the terminal: %v", msgs)
	}
	e = newEditor("")
	press(e, "ctrl+v")
	if msgs := forTerminal(e); len(msgs) != 1 || msgs[0] != tea.ReadClipboard() {
		t.Errorf("with nothing copied, paste does not ask the terminal: %v", msgs)
	}
}

func TestDirty_MeansDifferentFromTheSavedText(t *testing.T) {
	e := newEditor("a")
	steps := []struct {
		keys string
		want bool
	}{
		{"'x'", true}, {"ctrl+z", false}, {"ctrl+y", true}, {"backspace", false}, {"'y'", true},
	}
	for _, s := range steps {
		press(e, s.keys)
		if e.Dirty() != s.want {
			t.Fatalf("after %s dirty is %v", s.keys, e.Dirty())
		}
	}
	save := press(e, "ctrl+s")[0].(SaveRequest)
	if string(save.Content) != "ya" || save.Base != (versions.Hash{1}) {
		t.Errorf("asked to save %q on %v", save.Content, save.Base)
	}
	press(e, "'z'") // during the save
	e.Saved(save.Text, versions.Hash{2})
	if !e.Dirty() {
		t.Error("what was typed after the save counts as saved")
	}
	press(e, "ctrl+z")
	if e.Dirty() || string(e.Content()) != "ya" {
		t.Errorf("undo does not stop at what was saved: %q, dirty %v", e.Content(), e.Dirty())
	}
	press(e, "ctrl+z")
	if !e.Dirty() {
		t.Error("going back beyond the save is clean")
	}
	if again := press(e, "ctrl+s")[0].(SaveRequest); again.Base != (versions.Hash{2}) {
		t.Errorf("the next save is on %v", again.Base)
	}
}

func TestSaveRequest_HasTheTextWhenItWasMade(t *testing.T) {
	e := newEditor("a")
	cmd := e.Update(keyMsg("ctrl+s"))
	press(e, "'later'")
	if got := cmd().(SaveRequest).Content; string(got) != "a" {
		t.Errorf("saves %q", got)
	}
}

func TestEscape_ClosesOneThingAtATime(t *testing.T) {
	e := newEditor("one two\n")
	press(e, "ctrl+f 'two' enter")
	if msgs := press(e, "esc"); msgs != nil {
		t.Errorf("the first esc asks %v", msgs)
	}
	press(e, "shift+right")
	if msgs := press(e, "esc"); msgs != nil {
		t.Errorf("esc with a selection asks %v", msgs)
	}
	if msgs := press(e, "esc"); len(msgs) != 1 || msgs[0] != (CloseRequest{Dirty: false}) {
		t.Errorf("the last esc gives %v", msgs)
	}
	if msgs := press(e, "'x' ctrl+q"); len(msgs) != 1 || msgs[0] != (CloseRequest{Dirty: true}) {
		t.Errorf("ctrl+q gives %v", msgs)
	}
}

func TestReload_KeepsThePlaceAndCanBeUndone(t *testing.T) {
	e := newEditor("head\none\ntwo\nthree\n")
	press(e, "down down right")
	e.Reload([]byte("head\nnew\nlines\none\ntwo\nthree\n"), versions.Hash{7})
	if line, col, _ := e.Position(); line != 5 || col != 2 || e.Dirty() || e.Base() != (versions.Hash{7}) {
		t.Errorf("at %d:%d, dirty %v", line, col, e.Dirty())
	}
	press(e, "ctrl+z")
	if line, _, _ := e.Position(); string(e.Content()) != "head\none\ntwo\nthree\n" || !e.Dirty() || line != 3 {
		t.Errorf("undone to %q at line %d, dirty %v", e.Content(), line, e.Dirty())
	}
	press(e, "ctrl+y")
	if line, _, _ := e.Position(); line != 5 {
		t.Errorf("redone at line %d", line)
	}
}

func TestReload_OfTheSameTextIsNoUndoStep(t *testing.T) {
	e := newEditor("a\n")
	e.Reload([]byte("a\n"), versions.Hash{7})
	if len(e.undo) != 0 || e.Base() != (versions.Hash{7}) {
		t.Error("there is something to undo, or the base is old")
	}
}

func TestMouse_PlacesDragsAndSelects(t *testing.T) {
	e := newEditor("one two\nthree\tfour\n")
	g := e.gutter()
	at := func(x, y int) tea.Mouse { return tea.Mouse{X: g + x, Y: y, Button: tea.MouseLeft} }
	selected := func() string { a, b, _ := e.selection(); return e.text.slice(a, b) }

	e.Update(tea.MouseClickMsg(at(4, 0)))
	e.Update(tea.MouseMotionMsg(at(5, 1)))
	if got := selected(); got != "two\nthree" {
		t.Errorf("dragging selected %q", got)
	}
	e.Update(tea.MouseReleaseMsg(at(5, 1)))
	e.Update(tea.MouseMotionMsg(at(0, 0)))
	if got := selected(); got != "two\nthree" {
		t.Errorf("moving without a button selected %q", got)
	}
	e.Update(tea.MouseClickMsg(at(6, 1)))
	if x, y, ok := e.Cursor(); x != g+5 || y != 1 || !ok {
		t.Errorf("a click inside a tab goes to %d,%d", x, y)
	}
	e.Update(tea.MouseClickMsg(at(5, 0)))
	e.Update(tea.MouseReleaseMsg(at(5, 0)))
	e.Update(tea.MouseClickMsg(at(5, 0)))
	if got := selected(); got != "two" {
		t.Errorf("the second click selected %q", got)
	}
	e.Update(tea.MouseMotionMsg(at(1, 0)))
	if got := selected(); got != "ne two" {
		t.Errorf("dragging after it selected %q", got)
	}
	e.Update(tea.MouseReleaseMsg(at(1, 0)))
	for range 3 {
		e.Update(tea.MouseClickMsg(at(2, 1)))
	}
	if got := selected(); got != "three\tfour\n" {
		t.Errorf("the third click selected %q", got)
	}
	e.Update(tea.MouseClickMsg(at(2, 1)))
	press(e, "right")
	e.Update(tea.MouseClickMsg(at(2, 1)))
	if got := selected(); got != "" {
		t.Errorf("two clicks with a key between selected %q", got)
	}
}

func TestWheel_ScrollsWithoutMovingTheCursor(t *testing.T) {
	e := newEditor(strings.Repeat("line\n", 100))
	for range 5 {
		e.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown})
	}
	if _, _, ok := e.Cursor(); ok || e.top.line != 15 {
		t.Errorf("top is %v, cursor shown %v", e.top, ok)
	}
	press(e, "down")
	if _, y, ok := e.Cursor(); !ok || e.top.line+y != 1 {
		t.Errorf("a key does not bring the cursor back: row %d, %v", y, ok)
	}
}

// TestEdits_FollowAPlainText drives the editor with random keys and compares it with the
// same edits to plain bytes.
func TestEdits_FollowAPlainText(t *testing.T) {
	r := seeded(t)
	for range 60 {
		start := hostileText(r, 200)
		e := New(screentest.Env(t.Context()), bytes.Clone(start), versions.Hash{}, nil)
		e.SetSize(40, 8)
		for range 120 {
			before := e.Content()
			from, to, sel := e.selection()
			var want []byte
			replaced := func(a, b int, s []byte) []byte {
				return append(append(bytes.Clone(before[:a]), s...), before[b:]...)
			}
			op := r.Intn(12)
			switch op {
			case 0, 1:
				s := []string{"x", " ", "é", "中", "\u0301"}[r.Intn(5)]
				e.Update(tea.KeyPressMsg{Code: tea.KeyExtended, Text: s})
				want = replaced(from, to, []byte(s))
			case 2:
				s := strings.ReplaceAll(toLF(string(hostileText(r, 6))), "\n", e.eol)
				e.Update(tea.PasteMsg{Content: s})
				want = replaced(from, to, []byte(s))
				if s == "" {
					want = before
				} else if sameLines(s, e.clip.text) {
					want = replaced(from, to, []byte(e.clip.text))
				}
			case 3:
				press(e, "backspace")
				if !sel {
					from = e.cursor
				}
				if !sel && to > 0 && from >= to {
					t.Fatalf("backspace at %d of %q moved to %d", to, before, from)
				}
				want = replaced(from, to, nil)
			case 4:
				press(e, "delete")
				if !sel {
					to = from + len(before) - e.text.len()
				}
				if !sel && from < len(before) && to <= from {
					t.Fatalf("delete at %d of %q does nothing", from, before)
				}
				want = replaced(from, to, nil)
			case 5:
				if len(e.undo) > 0 {
					last := e.undo[len(e.undo)-1]
					want = replaced(last.at, last.at+len(last.new), []byte(last.old))
					press(e, "ctrl+z")
				} else {
					want = before
				}
			case 6:
				press(e, []string{"tab", "shift+tab", "enter", "ctrl+v", "ctrl+x"}[r.Intn(5)])
				want = e.Content() // their result is tested above; here they must not break what follows
			default:
				press(e, []string{"left", "right", "up", "down", "ctrl+left", "ctrl+right", "home", "end", "ctrl+end", "shift+right", "shift+down", "ctrl+shift+left", "ctrl+a", "pgup"}[r.Intn(14)])
				want = before
			}
			if got := e.Content(); !bytes.Equal(got, want) {
				t.Fatalf("edit %d of %q gives %q, want %q", op, before, got, want)
			}
			if e.cursor < 0 || e.cursor > len(want) || e.anchor > len(want) {
				t.Fatalf("edit %d leaves the cursor at %d, the anchor at %d of %d bytes", op, e.cursor, e.anchor, len(want))
			}
			if e.Dirty() != !bytes.Equal(want, start) {
				t.Fatalf("dirty is %v", e.Dirty())
			}
			if p := gridProblem(e.View(), 40, 8); p != "" {
				t.Fatalf("edit %d: %s", op, p)
			}
		}
		end := e.Content()
		n := len(e.undo)
		for range n {
			press(e, "ctrl+z")
		}
		if !bytes.Equal(e.Content(), start) || e.Dirty() {
			t.Fatalf("undone to %q, want %q", e.Content(), start)
		}
		for range n {
			press(e, "ctrl+y")
		}
		if !bytes.Equal(e.Content(), end) {
			t.Fatalf("redone to %q, want %q", e.Content(), end)
		}
	}
}

func TestMoves_VisitEveryCharacterBothWays(t *testing.T) {
	r := seeded(t)
	for range 30 {
		e := newEditor(string(hostileText(r, 120)))
		var there []int
		for e.cursor < e.text.len() {
			there = append(there, e.cursor)
			at := e.cursor
			press(e, "right")
			if e.cursor <= at {
				t.Fatalf("right stays at %d of %q", at, e.Content())
			}
		}
		for i := len(there) - 1; i >= 0; i-- {
			press(e, "left")
			if e.cursor != there[i] {
				t.Fatalf("left goes to %d, right came from %d, in %q", e.cursor, there[i], e.Content())
			}
		}
	}
}

func TestIndentation_IsDetectedFromTheText(t *testing.T) {
	for content, want := range map[string]string{
		"a\n":                   "\t",
		"a\n\tb\n":              "\t",
		"a:\n  b:\n    c\n":     "  ",
		"a:\n    b\n    c\n":    "    ",
		"- a\n  \n\n\tb\n\tc\n": "\t",
	} {
		if got := indentation([]byte(content)); got != want {
			t.Errorf("%q is indented by %q, want %q", content, got, want)
		}
	}
}

// What refers to bytes of the text goes along when someone else changes it.
func TestReload_KeepsPromptsAndDragsInTheText(t *testing.T) {
	long := strings.Repeat("line\n", 100)
	e := newEditor(long)
	press(e, "ctrl+end ctrl+f 'z'")
	e.Reload([]byte("short\n"), versions.Hash{2})
	press(e, "esc 'x'")
	if got := string(e.Content()); got != "short\nx" || !strings.Contains(e.shown(), "short") {
		t.Errorf("after a search the text is %q, shown\n%s", got, e.shown())
	}
	e = newEditor("aa bb aa\n")
	press(e, "ctrl+r 'aa' enter 'c' enter")
	e.Reload([]byte("more aa bb aa\n"), versions.Hash{2})
	press(e, "y n")
	if got := string(e.Content()); got != "more c bb aa\n" {
		t.Errorf("replaced is %q", got)
	}
	e = newEditor(long)
	press(e, "ctrl+end")
	e.Update(tea.MouseClickMsg{X: 6, Y: 5, Button: tea.MouseLeft})
	e.Reload([]byte("short\n"), versions.Hash{2})
	e.Update(tea.MouseMotionMsg{X: 8, Y: 0, Button: tea.MouseLeft})
	if from, to, _ := e.selection(); to > e.text.len() || !strings.Contains(e.shown(), "short") {
		t.Errorf("a drag selects %d to %d", from, to)
	}
}

func TestReload_LeavesTheCursorAtACharacter(t *testing.T) {
	e := newEditor("é ü")
	press(e, "right right")
	e.Reload([]byte("è û"), versions.Hash{2})
	press(e, "'x'")
	if got := string(e.Content()); got != "xè û" {
		t.Errorf("typed is %q", got)
	}
}
