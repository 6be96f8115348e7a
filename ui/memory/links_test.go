package memory

import (
	"strings"
	"testing"

	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/screen"
)

// goesTo obeys the last request to open a memory, as the root would.
func (s *sim) goesTo() {
	s.t.Helper()
	msg := asked[screen.Open](s)
	s.run(s.pane.Show(msg.Path, msg.Line))
}

func TestLink_IsChosenAndThenFollowed(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("enter")
	if s.last() != nil {
		t.Fatalf("the first Enter asks for %+v", s.last())
	}
	s.keys("enter")
	s.goesTo()
	s.shows("- tag")
	s.keys("ctrl+o")
	s.goesTo()
	s.shows("Release plan")
	s.keys("alt+right")
	s.goesTo()
	s.shows("- tag")
}

func TestLink_OfANameIsFoundAnywhere(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("} } enter")
	if got := asked[screen.Open](s).Path; got != at("people/dana.md") {
		t.Errorf("it leads to %s", got)
	}
}

func TestLink_ToAHeadingGoesToItsLine(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("{ enter")
	if got := asked[screen.Open](s); got.Path != at("people/dana.md") || got.Line != 5 {
		t.Errorf("it leads to %+v", got)
	}
	s.keys("} 2 } enter") // wraps around, to the third
	if s.pane.text.cur.line != 9 {
		t.Errorf("a heading of the same memory: line %d", s.pane.text.cur.line+1)
	}
	s.keys("ctrl+o")
	s.goesTo()
	if s.pane.text.top().line != 0 {
		t.Errorf("going back shows line %d", s.pane.text.top().line+1)
	}
}

func TestLink_BrokenOffersToCreate(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("5 } enter")
	q := asked[screen.Choose](s)
	if !strings.Contains(q.Text, "/projects/nobody.md") {
		t.Fatalf("it says %q", q.Text)
	}
	s.run(q.Options[0].Then())
	if got := asked[screen.Create](s).Path; got != at("projects/nobody.md") {
		t.Errorf("it creates %s", got)
	}
}

func TestLink_LeavingTheStoreIsNotFollowed(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("6 } enter")
	if n := asked[screen.Notice](s); !n.Bad || !strings.Contains(n.Text, "leaves the store") {
		t.Errorf("it says %+v", n)
	}
}

func TestLink_ListsOtherMatches(t *testing.T) {
	f := sample()
	f.write("archive/old/nobody.md", "x\n")
	s := newSim(t, f, 80, 20)
	s.open("projects/plan.md")
	s.keys("5 } enter")
	q := asked[screen.Choose](s)
	s.run(q.Options[0].Then())
	if got := asked[screen.Open](s).Path; got != at("archive/old/nobody.md") {
		t.Errorf("it opens %s", got)
	}
}

func TestAddress_IsCopiedOnlyIfSafe(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("4 } enter")
	if got := asked[screen.Copy](s).Text; got != "https://example.com/4.2" {
		t.Errorf("%q is copied", got)
	}
	s.open("people/readme.txt")
	s.keys("} enter")
	if got := asked[screen.Copy](s).Text; got != "https://example.com/a" {
		t.Errorf("%q is copied", got)
	}
	for _, bad := range []string{"file:///etc/passwd", "javascript:alert(1)", "https:", "-x", "data:text/html,x", "ftp://a/b"} {
		if external(bad) {
			t.Errorf("%q is an address to copy", bad)
		}
	}
}

func TestVisits_SurviveARename(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.open("people/dana.md")
	s.pane.Moved(at("projects"), at("work"))
	s.keys("ctrl+o")
	if got := asked[screen.Open](s).Path; got != at("work/plan.md") {
		t.Errorf("back leads to %s", got)
	}
}

func TestVisits_RestoreThePosition(t *testing.T) {
	f := sample()
	f.write("long.md", numbered(500))
	s := newSim(t, f, 80, 10)
	s.open("long.md")
	s.keys("2 0 0 G")
	top := s.pane.text.top()
	s.open("people/dana.md")
	s.keys("ctrl+o")
	s.goesTo()
	if s.pane.text.top() != top {
		t.Errorf("back at %v, left at %v", s.pane.text.top(), top)
	}
}

func TestStale_LinkAnswersAreDropped(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("}")
	cmd, _ := s.pane.Press([]string{"enter"}, 0)
	s.open("people/dana.md")
	s.run(cmd)
	if _, ok := s.last().(screen.Open); ok {
		t.Error("a link is followed from a memory that was left")
	}
}

func TestLinks_OfAnIndexArePlainPathsToo(t *testing.T) {
	f := sample()
	f.write("MEMORY.md", "- people/dana.md: writes short notes\n- see `projects/plan.md`, [it](projects/checklist.md) and /people/dana.md.\n- not v1.2.md/x nor https://e.x/a.md\n")
	f.write("other.md", "people/dana.md\n")
	s := newSim(t, f, 80, 20)
	s.open("MEMORY.md")
	for _, want := range []string{"people/dana.md", "projects/plan.md", "projects/checklist.md", "people/dana.md"} {
		s.keys("} enter")
		if got := asked[screen.Open](s).Path; got != at(want) {
			t.Errorf("it leads to %s, want %s", got, want)
		}
	}
	s.keys("esc g g } } ] l ] l ] l")
	if l := s.pane.link; l.Line == 2 && l.Kind == markdown.Path {
		t.Errorf("%q is a link", l.Target)
	}
	s.open("other.md")
	if why := s.pane.linkDisabled(); why != "it has no link" {
		t.Errorf("in another memory it says %q", why)
	}
}

func TestLink_OfAnEmptyFileIsNone(t *testing.T) {
	for _, name := range []string{"empty.txt", "empty.md"} {
		f := newFake()
		f.write(name, "")
		s := newSim(t, f, 80, 10)
		s.open(name)
		for _, key := range []string{"}", "{"} {
			s.keys(key)
			if n := asked[screen.Notice](s); n.Text != "no link in /"+name {
				t.Errorf("%s in %s: %q", key, name, n.Text)
			}
		}
	}
}
