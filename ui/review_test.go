package ui

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/memend/memend/ui/screen"
)

// reviewText returns a memory of 120 lines; the edit is far below the first screen.
func reviewText(line int, edited string) string {
	var b strings.Builder
	for i := 1; i <= 120; i++ {
		if i == line {
			b.WriteString(edited + "\n")
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return b.String()
}

// changedLong returns a screen on a store in which an agent has edited a long memory while it
// was closed.
func changedLong(t *testing.T) *sim {
	f := newFake()
	f.write(agent, "a.md", "a\n")
	f.write(agent, "long.md", reviewText(0, ""))
	s := newSim(t, f, 100, 30)
	f.write(agent, "long.md", reviewText(90, "POISON"))
	s.deliver()
	return s
}

func TestReview_OpensAtTheChangeAndHighlightsIt(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	s.shows("90▌POISON", "● +1 −1 since v1")
	s.keys("g g")
	s.hides("POISON")
	s.keys("] c")
	s.shows("POISON")
	s.keys("d")
	s.shows("compare /long.md v1 → now", "- line 90", "+ POISON")
	s.keys("esc")
	s.shows("● 1 changed")
}

func TestReview_SurvivesARestart(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter j k H")
	s.send(screen.Open{Path: at("a.md")})
	s.send(screen.Open{Path: at("long.md")})
	s.shows("90▌POISON", "● 1 changed")
	if err := s.app.tree.Saver()(context.Background()); err != nil {
		t.Fatal(err)
	}
	again := newSim(t, s.store, 100, 30)
	again.shows("● 1 changed")
	again.send(screen.Open{Path: at("long.md")})
	again.shows("90▌POISON", "● +1 −1 since v1")
	again.keys(".")
	again.hides("●", "▌")
	if err := again.app.tree.Saver()(context.Background()); err != nil {
		t.Fatal(err)
	}
	again = newSim(t, s.store, 100, 30)
	again.send(screen.Open{Path: at("long.md")})
	again.hides("●", "▌")
}

// A change that arrives while a memory is open is added to the review; the position in the
// text stays.
func TestReview_CoversLaterChanges(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	edited := strings.Replace(reviewText(90, "POISON"), "line 88\n", "SECOND\n", 1)
	s.store.write(agent, "long.md", edited)
	s.deliver()
	s.shows("88▌SECOND", "90▌POISON", "● +2 −2 since v1")
	s.keys(".")
	s.hides("●", "▌")
	s.store.write(agent, "long.md", strings.Replace(edited, "line 89\n", "THIRD\n", 1))
	s.deliver()
	s.shows("89▌THIRD", "● +1 −1 since v3")
	s.hides("▌SECOND", "▌POISON")
}

// Marking a memory as reviewed covers what was on the screen, not what was written meanwhile.
func TestReview_MarksOnlyWhatIsShown(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter")
	s.store.write(agent, "long.md", reviewText(90, "LATER")) // its event was not delivered yet
	s.keys(".")
	s.deliver()
	s.shows("● 1 changed", "90▌LATER", "● +1 −1 since v2")
}

func TestReview_SkipsOwnChanges(t *testing.T) {
	t.Parallel()
	s := changedLong(t)
	s.keys("] enter .")
	s.store.write(me, "long.md", reviewText(90, "MINE"))
	s.store.write(agent, "long.md", reviewText(90, "MINE")+"THEIRS\n")
	s.deliver()
	s.send(screen.Open{Path: at("long.md")})
	s.shows("121▌THEIRS", "● +1 −0 since v3")
	s.hides("90▌MINE")
}

func TestReview_IsMarkedFromTheTreeToo(t *testing.T) {
	t.Parallel()
	for _, key := range []string{".", ">"} {
		s := changedLong(t)
		s.keys("] enter esc")
		s.keys(key)
		s.hides("●", "▌")
	}
}
