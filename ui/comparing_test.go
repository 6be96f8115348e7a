package ui

import (
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
)

func TestCompare_ShowsTwoMemoriesOfTheTree(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.on("people/dana.md").keys("space")
	s.on("people/lee.md").keys("D")
	s.shows("compare /people/", " → /people/")
	s.keys("q")
	s.hides("compare /people/")
	s.shows("1 chosen")
}

func TestCopyDiff_CopiesWhatTheNewestVersionChanged(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "evil", 120, 30)
	s.send(screen.Open{Path: at("d/evil")})
	s.keys("y d")
	s.shows("copied the diff of version 4 of /d/evil (")
	if got := s.copied; !strings.Contains(got, "--- a/d/evil\n+++ b/d/evil\n") || !strings.Contains(got, "\n-# theirs\n+# mine again\n") {
		t.Errorf("copied is %q", got)
	}
	s.keys("esc")
	s.send(screen.Open{Path: at("moved.md")})
	s.keys("y d")
	s.shows("version 2 of /moved.md changed no line")
}

func TestColumns_ReportThatTheyDoNotFit(t *testing.T) {
	t.Parallel()
	const wider = "widen the tree to see them"
	s := newSim(t, sample(), 80, 24)
	s.keys("c")
	s.shows("columns: what needs attention", wider)
	s = newSim(t, sample(), 120, 24)
	s.keys("c")
	s.shows("columns: what needs attention")
	s.hides(wider)
}

func TestPalette_OpensWithAColon(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30)
	s.keys(":")
	s.shows("all actions")
	s.keys("esc")
	s.on("people/dana.md").keys("enter enter :")
	s.shows("go to 42 or 50%")
}
