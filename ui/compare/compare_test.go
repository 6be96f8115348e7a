package compare

import (
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
)

func newSim(t *testing.T, a, b string, w, h int) *screentest.Sim[*Pane] {
	env := screentest.Env(t.Context())
	p := New(env, Text{Path: screentest.Path("/old/plan.md"), Content: []byte(a)}, Text{Path: screentest.Path("/plan 佐藤.md"), Content: []byte(b)})
	return screentest.New(t, env, p, w, h)
}

func TestCompare_ShowsTheDifference(t *testing.T) {
	s := newSim(t, "one\ntwo\nthree\n", "one\n2\nthree\nfour\n", 60, 12)
	s.Shows("- two", "+ 2", "+ four")
	if name, info := s.Pane.Title(); name != "compare /old/plan.md → /plan 佐藤.md" || info != "+2 −1 · 1/2" {
		t.Errorf("the title is %q, %q", name, info)
	}
	s.Keys("]")
	if _, info := s.Pane.Title(); info != "+2 −1 · 2/2" {
		t.Errorf("at the next hunk it says %q", info)
	}
	s.Keys("y d")
	if c := s.Last().(screen.Copy); !strings.Contains(c.Text, "--- a/old/plan.md\n") || !strings.Contains(c.Text, "\n-two\n+2\n") {
		t.Errorf("copied is %+v", c)
	}
}

func TestCompare_OpensOneOfTheTwo(t *testing.T) {
	s := newSim(t, "one\n", "two\n", 60, 12)
	s.Keys("o")
	if o := s.Last().(screen.Open); o.Path.String() != "/old/plan.md" {
		t.Errorf("opened is %v", o)
	}
	s.Keys("O")
	if o := s.Last().(screen.Open); o.Path.String() != "/plan 佐藤.md" {
		t.Errorf("opened is %v", o)
	}
	s.Keys("V esc")
	if _, ok := s.Last().(screen.Back); ok {
		t.Error("esc leaves while lines are selected")
	}
	s.Keys("esc")
	if _, ok := s.Last().(screen.Back); !ok {
		t.Error("esc does not leave")
	}
}

func TestCompare_FitsEverySize(t *testing.T) {
	newSim(t, "one\n\x1b]0;evil\a\u202e佐藤\n"+strings.Repeat("long ", 80)+"\n", "two\n👩‍👩‍👧\n", 80, 24).FitsEverySize()
	newSim(t, "same\n", "same\n", 80, 24).FitsEverySize()
}
