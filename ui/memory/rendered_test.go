package memory

import (
	"fmt"
	"strings"
	"testing"
)

func TestRendered_KeepsLineNumbersAndPositions(t *testing.T) {
	f := sample()
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "## Heading %d\n\nsome **strong** words\nand more of them\n\n", i)
	}
	f.write("long.md", b.String())
	s := newSim(t, f, 80, 12)
	s.open("long.md")
	s.keys("4 9 6 G")
	s.shows("496 ## Heading 99")
	top := s.pane.text.top().line
	s.keys("m")
	s.shows("496 ## Heading 99", "498 some strong words")
	s.hides("**")
	if d := s.pane.text.top().line - top; d < -1 || d > 1 {
		t.Errorf("line %d was on top, now %d", top+1, s.pane.text.top().line+1)
	}
	s.keys("m")
	s.shows("498 some **strong** words")
	s.open("projects/plan.md")
	s.hides("Release plan  \n") // raw
	s.keys("m")
	s.open("people/dana.md")
	if s.pane.text.rows.md == nil {
		t.Error("it is not remembered that Markdown is shown rendered")
	}
}

func TestRendered_FoldsFrontMatterAtFirst(t *testing.T) {
	s := newSim(t, sample(), 80, 20)
	s.open("projects/plan.md")
	s.keys("m")
	s.hides("  2 ", "tags: [release, q2]")
	s.shows("release plan")
	s.keys("3 G") // the target is shown
	s.shows("tags: [release, q2]")
	s.open("people/dana.md")
	s.open("projects/plan.md")
	s.hides("tags: [release, q2]") // restored
}

func TestRendered_FindsAndFollows(t *testing.T) {
	s := newSim(t, sample(), 80, 8)
	s.open("projects/plan.md")
	s.keys("m /")
	s.answers("short notes")
	s.shows("Dana prefers short notes")
	s.titled("1/1")
	s.keys("esc }")
	s.shows("short notes")
	s.keys("enter")
	s.goesTo()
	s.shows("Ten lines.")
}

func TestRendered_DrawsTheCut(t *testing.T) {
	f := newFake()
	f.write("MEMORY.md", strings.Repeat("- an item\n", 230))
	s := newSim(t, f, 80, 12)
	s.open("MEMORY.md")
	s.keys("m 2 0 3 G")
	s.shows("agents do not load what is below: 200 lines", "201 ", "203 ")
	s.keys("G")
	s.shows("230 ")
	for range 230 {
		s.keys("k")
	}
	s.shows("  1 ")
}

func TestRendered_MovesTheCursorAndSelectsLines(t *testing.T) {
	s := newSim(t, sample(), 80, 8)
	s.open("people/dana.md")
	s.keys("m V")
	for range 10 {
		s.keys("j")
	}
	s.shows("▸  7 Ten lines.")
	for range 10 {
		s.keys("k")
	}
	s.shows("▸  1 # Dana")
}

func TestRendered_IsForMarkdownOnly(t *testing.T) {
	f := newFake()
	f.write("a.txt", "# no heading\n")
	s := newSim(t, f, 80, 8)
	s.open("a.txt")
	if s.pane.renderDisabled() != "it is no Markdown" {
		t.Errorf("it says %q", s.pane.renderDisabled())
	}
	s.pane.text.rendered = true
	s.run(s.pane.Reload())
	s.shows("# no heading")
}

func TestRendered_FindsTheFirstRowOfALine(t *testing.T) {
	f := newFake()
	f.write("a.md", "# *Head* of it\n\nThe words of this paragraph go on until their author broke them\nhere, near the edge, as people do whose lines are joined again.\n\n- an `item`\n\n## `code` first\n")
	s := newSim(t, f, 60, 20)
	s.open("a.md")
	s.keys("m")
	rows := strings.Split(s.screen(), "\n")
	for line, want := range map[int]string{0: "# Head", 2: "The words", 3: "here, near", 5: "an `item`", 7: "## `code`"} {
		if i := s.pane.text.rows.of(spot{line: line}); !strings.Contains(rows[i], want) {
			t.Errorf("line %d is said to be in row %d: %q", line, i, rows[i])
		}
	}
	if i := s.pane.text.rows.begins(3); i != s.pane.text.rows.of(spot{line: 3})+1 {
		t.Errorf("line 3 goes on, or begins, in %q", rows[i])
	}
}
