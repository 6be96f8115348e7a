package memory

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func TestCopy_CopiesWhatItNames(t *testing.T) {
	f := sample()
	f.versions[at("projects/plan.md")] = []versions.Version{{ID: "memver_2", Memory: "mem_1", Number: 2}}
	s := newSim(t, f, 80, 20)
	s.open("projects/plan.md")
	s.keys("7 G")
	for keys, want := range map[string]string{
		"y y": plan, "y p": "/projects/plan.md", "y l": "/projects/plan.md:7", "y i": "mem_1",
	} {
		s.keys(keys)
		if got := asked[screen.Copy](s).Text; got != want {
			t.Errorf("%s copies %q", keys, got)
		}
	}
}

func TestSelection_OfLinesKeepsEveryByte(t *testing.T) {
	f := newFake()
	f.write("a.txt", "one\r\ntwo\r\nthree\r\nfour")
	s := newSim(t, f, 80, 20)
	s.open("a.txt")
	s.keys("2 G V j y")
	if got := asked[screen.Copy](s).Text; got != "two\r\nthree\r\n" {
		t.Errorf("%q is copied", got)
	}
	s.keys("k y")
	if got := asked[screen.Copy](s).Text; got != "two\r\n" {
		t.Errorf("one line back %q is copied", got)
	}
	s.keys("G y")
	if got := asked[screen.Copy](s).Text; got != "two\r\nthree\r\nfour" {
		t.Errorf("to the end %q is copied", got)
	}
	s.keys("o k y")
	if got := asked[screen.Copy](s).Text; got != "one\r\ntwo\r\nthree\r\nfour" {
		t.Errorf("the other end: %q is copied", got)
	}
	s.keys("esc y p")
	if got := asked[screen.Copy](s).Text; got != "/a.txt" {
		t.Errorf("after the selection y p copies %q", got)
	}
}

func TestSelection_OfALargeFileIsLoaded(t *testing.T) {
	f := newFake()
	f.write("big.log", numbered(300_000))
	s := newSim(t, f, 80, 20)
	s.open("big.log")
	s.keys("2 0 0 0 0 0 G 3 V y")
	if got := asked[screen.Copy](s).Text; got != "line 200000\nline 200001\nline 200002\n" {
		t.Errorf("%q is copied", got)
	}
	s.keys("G y") // would be over a megabyte: more than one read
	if got := asked[screen.Copy](s).Text; !strings.HasSuffix(got, "line 300000\n") || strings.Count(got, "\n") != 100_001 {
		t.Errorf("%d lines are copied", strings.Count(got, "\n"))
	}
}

func (s *sim) mouse(msgs ...tea.Msg) {
	for _, msg := range msgs {
		s.run(s.pane.Update(msg))
	}
}

func press(x, y int) tea.Msg { return tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft} }

func dragged(x, y int) tea.Msg { return tea.MouseMotionMsg{X: x, Y: y, Button: tea.MouseLeft} }

func release(x, y int) tea.Msg {
	return tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft}
}

// A selection reaches the clipboard only when it is copied.
func TestMouse_SelectsCharactersWordsAndLines(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("people/dana.md") // the text begins in column 5
	copied := func() string {
		t.Helper()
		if n, ok := s.last().(screen.Copy); ok {
			t.Errorf("the mouse copied %q", n.Text)
		}
		s.keys("y")
		return asked[screen.Copy](s).Text
	}
	s.mouse(press(5+8, 2), dragged(5+2, 4), release(5+2, 4))
	if got := copied(); got != "short notes\n\n##" {
		t.Errorf("%q is selected", got)
	}
	s.keys("esc")
	s.mouse(press(5+9, 2), release(5+9, 2), press(5+9, 2), release(5+9, 2))
	if got := asked[screen.Copy](s).Text; got == "short" {
		t.Error("a double click copies")
	}
	s.mouse(press(5+9, 2), release(5+9, 2))
	s.keys("y")
	if got := asked[screen.Copy](s).Text; got != "prefers short notes\n" {
		t.Errorf("a third click selects %q", got)
	}
	s.keys("esc")
	s.mouse(press(5+3, 2), dragged(5+5, 2), release(5+5, 2))
	s.keys("j j y") // keys extend by lines
	if got := asked[screen.Copy](s).Text; got != "prefers short notes\n\n## Style\n" {
		t.Errorf("after a drag and two keys %q is copied", got)
	}
	s.keys("esc")
	s.mouse(press(2, 2), dragged(2, 0), release(2, 0))
	s.keys("y")
	if got := asked[screen.Copy](s).Text; got != "# Dana\n\nprefers short notes\n" {
		t.Errorf("beside the text %q is copied", got)
	}
}

// Two clicks with time between them are no double click.
func TestMouse_ADoubleClickIsWithinHalfASecond(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	var after time.Duration
	var over tea.Msg
	s.pane.env.Later = func(d time.Duration, msg tea.Msg) tea.Cmd { after, over = d, msg; return nil }
	s.open("people/dana.md")
	s.mouse(press(5+9, 2), release(5+9, 2))
	if after != 500*time.Millisecond {
		t.Errorf("the time is %v", after)
	}
	s.run(over.(screen.Reply).Take())
	s.mouse(press(5+9, 2), release(5+9, 2))
	if s.pane.text.sel.on {
		t.Error("the second click selects")
	}
	first := over
	s.mouse(press(5+9, 2), release(5+9, 2))
	s.run(first.(screen.Reply).Take()) // the clock of an earlier click
	if !s.pane.text.sel.on || s.pane.pointer.clicks.N != 2 {
		t.Error("a double click does not select")
	}
}

func TestMouse_ClickFollowsALink(t *testing.T) {
	for _, view := range []string{"", "m"} {
		s := newSim(t, sample(), 100, 20)
		s.open("projects/plan.md")
		s.keys(view)
		for y, row := range strings.Split(s.screen(), "\n") {
			if x := strings.Index(row, "the checklist"); x >= 0 {
				x = ansi.StringWidth(row[:x]) + len("the checklist") - 1
				s.mouse(press(x-len("the checklist")-1, y), release(x-len("the checklist")-1, y))
				if s.last() != nil {
					t.Errorf("%q: a click beside the link asks for %+v", view, s.last())
				}
				s.mouse(press(x, y), release(x, y))
			}
		}
		if got := asked[screen.Open](s).Path; got != at("projects/checklist.md") {
			t.Errorf("%q: it leads to %s", view, got)
		}
	}
}

// A drag that ended beyond an edge does not scroll during the next one.
func TestMouse_APressIsNotBeyondAnEdge(t *testing.T) {
	s := newSim(t, sample(), 80, 10)
	s.open("projects/plan.md")
	s.mouse(press(8, 2), dragged(8, 12))
	if !s.pane.Beyond() {
		t.Error("a drag below the text is not beyond it")
	}
	s.mouse(release(8, 12), press(8, 2))
	if s.pane.Beyond() {
		t.Error("the next press is beyond the text")
	}
}
