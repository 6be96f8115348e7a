package filter

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

// list is a filtered list: its last filter, and its cursor.
type list struct {
	*Line
	set    string
	cursor int
}

func newList() *list {
	l := &list{}
	l.Line = NewLine(nil, Owner{
		Set: func(s string) tea.Cmd { l.set = s; return nil },
		Words: func(word string) []string {
			if field, value, ok := strings.Cut(word, ":"); ok {
				return Values(field, value, []string{"ana", "bob", "bo", "bob", "日本"})
			}
			return Starting([]string{"by:", "since:"}, word)
		},
		Move: func(n int) tea.Cmd { l.cursor += n; return nil },
		Hint: "letters of a path",
	})
	return l
}

func (l *list) keys(names string) {
	for _, k := range strings.Fields(names) {
		l.Update(screentest.Key(k))
	}
}

func (l *list) row(y, w int, wrong string) string {
	return ansi.Strip(string(l.Append(nil, y, w, wrong, theme.New(true, theme.Many))))
}

func TestLine_FiltersWhileTyping(t *testing.T) {
	l := newList()
	l.Begin("")
	l.keys("x y")
	if l.set != "xy" || !l.On() {
		t.Fatalf("it is filtered by %q", l.set)
	}
	l.Update(tea.PasteMsg{Content: " more\n"})
	if l.set != "xy more" {
		t.Errorf("what is pasted gives %q", l.set)
	}
	l.keys("down down up")
	if l.cursor != 1 || !l.On() {
		t.Errorf("the cursor of the list is at %d", l.cursor)
	}
	l.keys("enter")
	if l.On() || l.set != "xy more" {
		t.Errorf("enter leaves %q", l.set)
	}
	l.Begin(l.set)
	l.keys("z")
	if l.set != "xy more z" {
		t.Errorf("one goes on with %q", l.set)
	}
	for _, k := range []string{"esc", "ctrl+c"} {
		l.Begin("a")
		if l.keys(k); l.On() || l.set != "" {
			t.Errorf("%s leaves %q", k, l.set)
		}
	}
}

func TestLine_CompletesWords(t *testing.T) {
	l := newList()
	l.Begin("x")
	l.keys("b tab")
	if l.set != "x by:" {
		t.Fatalf("a field is completed to %q", l.set)
	}
	l.keys("B tab")
	if l.set != "x by:bob " {
		t.Errorf("a value is completed to %q", l.set)
	}
	if got := Values("by", "bO", []string{"ana", "bob", "bo", "bob"}); !slices.Equal(got, []string{"by:bob", "by:bo"}) {
		t.Errorf("values are %q", got)
	}
	l.keys("! b tab a")
	if got := l.row(1, 24, ""); got != "  !by:ana               " {
		t.Errorf("what must not hold may become %q", got)
	}
	l.keys("tab")
	if l.set != "x by:bob !by:ana " {
		t.Errorf("what must not hold is completed to %q", l.set)
	}
	l.Begin("x by:bob")
	l.keys("q tab")
	if l.set != "x by:bob q" {
		t.Errorf("what nothing begins with is completed to %q", l.set)
	}
}

func TestLine_ShowsCompletions(t *testing.T) {
	l := newList()
	l.Begin("")
	if got := l.row(1, 24, ""); got != "  by:  since:           " {
		t.Errorf("of nothing: %q", got)
	}
	l.keys("q")
	if got := l.row(0, 12, "") + l.row(1, 24, ""); got != "/ q           letters of a path     " {
		t.Errorf("of letters: %q", got)
	}
	if got := l.row(1, 60, ""); !strings.HasPrefix(got, "  letters of a path; ! before a word negates it  ") {
		t.Errorf("of letters, where there is room: %q", got)
	}
	if got := l.row(1, 24, "since: is wrong"); got != "  since: is wrong       " {
		t.Errorf("what is wrong: %q", got)
	}
}

func TestLine_FitsEveryWidth(t *testing.T) {
	l := newList()
	for _, typed := range []string{"", "by:", "日本語 \u202eevil", strings.Repeat("long ", 30)} {
		l.Begin("")
		l.Update(tea.PasteMsg{Content: typed})
		for w := 1; w < 80; w++ {
			frame := string(l.Append(nil, 0, w, "", theme.New(true, theme.Many))) + "\n" + string(l.Append(nil, 1, w, "", theme.New(true, theme.Many)))
			if wrong := drawtest.Problem(frame, w, Rows); wrong != "" {
				t.Fatalf("%q in %d columns: %s", typed, w, wrong)
			}
			if x, y, ok := l.Cursor(draw.At(5, 7, w, 2), theme.New(true, theme.Many)); ok != (w >= 3) || ok && (x < 5 || x >= 5+w || y != 7) {
				t.Fatalf("%q in %d columns: the cursor is at %d,%d: %v", typed, w, x, y, ok)
			}
		}
	}
}

func TestSplit_AcceptsOnlyItsFields(t *testing.T) {
	got := Split("By:x by:Ana by: http://x Letters ! !by: !by:Bo !X", []string{"by:"})
	want := []Word{{"", "by:x", "By:x", false}, {"by", "ana", "Ana", false}, {"", "http://x", "http://x", false}, {"", "letters", "Letters", false}, {"by", "bo", "Bo", true}, {"", "x", "X", true}}
	if !slices.Equal(got, want) {
		t.Errorf("it is %+v", got)
	}
}
