package editor

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

// feed sends the editor the results of its commands, as its owner does.
func feed(e *Editor, msgs []tea.Msg) (asked []tea.Msg) {
	defer func() { asked = append(asked, screentest.Requests(e.env)...) }()
	for _, msg := range msgs {
		switch msg := msg.(type) {
		case tea.BatchMsg:
			for _, cmd := range msg {
				if cmd != nil {
					asked = append(asked, feed(e, []tea.Msg{cmd()})...)
				}
			}
		case screen.Reply:
			if cmd := msg.Take(); cmd != nil {
				asked = append(asked, feed(e, []tea.Msg{cmd()})...)
			}
		default:
			asked = append(asked, msg)
		}
	}
	return asked
}

func TestReplace_AsksForEachHitOrReplacesAll(t *testing.T) {
	for name, c := range map[string]struct{ text, keys, want string }{
		"one, not the next, then the end":   {"a b a b a", "ctrl+r 'a' enter 'X' enter y n esc", "X b a b a"},
		"all from the cursor on, around":    {"a b a b a", "right right ctrl+r 'a' enter 'X' enter a", "X b X b X"},
		"all that are left":                 {"a a a a", "ctrl+r 'a' enter 'X' enter n y a", "a X X X"},
		"each, around the end, and then on": {"a a a", "right ctrl+r 'a' enter 'aa' enter y y y", "aa aa aa"},
		"what is put in is not found again": {"a", "ctrl+r 'a' enter 'aaa' enter y", "aaa"},
		"all before where it began":         {"a a a", "ctrl+end ctrl+r 'a' enter 'bb' enter y y y", "bb bb bb"},
		"by nothing":                        {"xaxbx", "ctrl+r 'x' enter enter a", "ab"},
		"small letters stand for both":      {"Ab aB ab", "ctrl+r 'ab' enter 'x' enter a", "x x x"},
		"a capital stands for itself":       {"Ab ab", "ctrl+r 'Ab' enter 'x' enter a", "x ab"},
		"a dollar is a dollar in plain":     {"a", "ctrl+r 'a' enter '$1' enter a", "$1"},
		"bytes that are no text stay":       {"\xffa\xfe", "ctrl+r 'a' enter 'b' enter a", "\xffb\xfe"},
		"an empty query replaces nothing":   {"a b", "ctrl+f 'a' enter ctrl+home ctrl+r enter enter a esc", "a b"},
		"leaving changes nothing":           {"a a", "ctrl+r 'a' enter 'X' enter esc", "a a"},
	} {
		e := newEditor(c.text)
		press(e, c.keys)
		if got := string(e.Content()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestReplace_OfAllIsOneStepToUndo(t *testing.T) {
	e := newEditor(strings.Repeat("one two\n", 1000))
	asked := feed(e, press(e, "ctrl+r 'two' enter '2' enter a"))
	if got := string(e.Content()); got != strings.Repeat("one 2\n", 1000) {
		t.Fatalf("%.40q", got)
	}
	if len(asked) != 1 || asked[0].(screen.Notice).Text != "replaced 1000 hits · ^Z undoes" {
		t.Errorf("the person is told %v", asked)
	}
	press(e, "ctrl+z")
	if e.Dirty() {
		t.Errorf("undo leaves %.40q", e.Content())
	}
}

// Hits that were decided one by one are undone one by one.
func TestReplace_SaysWhatUndoUndoes(t *testing.T) {
	e := newEditor("two two two two\n")
	asked := feed(e, press(e, "ctrl+r 'two' enter '2' enter y y a"))
	if len(asked) != 1 || asked[0].(screen.Notice).Text != "replaced 4 hits · ^Z undoes one step" {
		t.Errorf("the person is told %v", asked)
	}
	press(e, "ctrl+z")
	if got := string(e.Content()); got != "2 2 two two\n" {
		t.Errorf("undo leaves %q", got)
	}
}

func TestFind_CountsTheHits(t *testing.T) {
	e := newEditor("one two\none\nand One\n")
	feed(e, press(e, "ctrl+f 'one'"))
	if got := e.shown(); !strings.Contains(got, "find: one  1 of 3") {
		t.Errorf("drawn as\n%s", got)
	}
	press(e, "enter ctrl+n")
	if _, info := e.Title(); !strings.HasPrefix(info, "2 of 3 · ") {
		t.Errorf("the title says %q", info)
	}
	feed(e, press(e, "'x'"))
	feed(e, press(e, "ctrl+n"))
	if _, info := e.Title(); !strings.HasPrefix(info, "2 of 2 · ") {
		t.Errorf("after an edit the title says %q", info)
	}
}

func TestFind_FindsBothWaysBetweenTwoPlaces(t *testing.T) {
	e := newEditor("needle one\nNeedle needle\n\nlast needle")
	e.find.pattern = newPattern("needle")
	for _, c := range []struct {
		from, dir int
		want      hit
	}{
		{0, 1, hit{0, 6}}, {1, 1, hit{11, 17}}, {12, 1, hit{18, 24}}, {24, 1, hit{31, 37}}, {32, 1, hit{0, 6}},
		{37, -1, hit{31, 37}}, {36, -1, hit{18, 24}}, {23, -1, hit{11, 17}}, {6, -1, hit{0, 6}}, {5, -1, hit{31, 37}},
	} {
		if got, ok := e.find.pattern.in(e.text, c.from, c.dir); got != c.want || !ok {
			t.Errorf("from %d, %d: found at %v, want %v", c.from, c.dir, got, c.want)
		}
	}
}

func TestReplace_AnswersAreReadInOtherLayouts(t *testing.T) {
	e := newEditor("one two one\n")
	press(e, "ctrl+r 'one' enter 'x' enter")
	e.Update(tea.KeyPressMsg{Code: 'н', BaseCode: 'y', Text: "н"})
	e.Update(tea.KeyPressMsg{Code: 'т', BaseCode: 'n', Text: "т"})
	if got := string(e.Content()); got != "x two one\n" || e.prompt != nil {
		t.Errorf("the text is %q", got)
	}
}
