package merge

import (
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

func TestDecisions_ApplyToAnotherScreenWithTheSameTexts(t *testing.T) {
	in := texts(baseText, theirsText, mineText)
	s := play(t, in, 120, 34)
	if d := s.Decided(versions.Hash{1}); d != nil {
		t.Fatalf("nothing was decided: %+v", d)
	}
	was := s.State()
	s.press("n tab e")
	s.typed("own ")
	if s.State() == was {
		t.Error("the state is the one before")
	}
	d := s.Decided(versions.Hash{1})
	if d == nil || len(d.Picks) != 2 || d.Picks[0].Pick != "theirs" || string(d.Picks[1].Text) != "own - Lee: on leave until July\n" || d.Theirs != (versions.Hash{1}) {
		t.Fatalf("decided is %+v", d)
	}
	s.typed("esc")
	s.press("] b") // a change that was merged automatically
	d = s.Decided(versions.Hash{1})
	next := play(t, in, 120, 34)
	if !next.Decide(d) {
		t.Fatal("it is not taken up")
	}
	if got, want := next.result(), s.result(); got != want {
		t.Errorf("the result is\n%s\nwant\n%s", got, want)
	}
	next.press("u u u")
	if next.Decided(versions.Hash{1}) != nil || next.left != 2 {
		t.Errorf("undone, %d conflicts are left", next.left)
	}
}

func TestDecisions_ForOtherTextsAreIgnored(t *testing.T) {
	for name, d := range map[string]*drafts.Merge{
		"other parts":         {Parts: 3},
		"a part too many":     {Parts: 8, Picks: []drafts.Pick{{Part: 8, Pick: "mine"}}},
		"what is no change":   {Parts: 8, Picks: []drafts.Pick{{Part: 0, Pick: "mine"}}},
		"no pick":             {Parts: 8, Picks: []drafts.Pick{{Part: 1, Pick: "x"}}},
		"a text that is lost": {Parts: 8, Picks: []drafts.Pick{{Part: 1, Pick: "base"}}},
		"own without text":    {Parts: 8, Picks: []drafts.Pick{{Part: 1, Pick: "own"}}},
	} {
		s := play(t, texts(baseText, theirsText, mineText), 120, 34)
		s.m.there[base] = name != "a text that is lost"
		if len(s.m.parts) != 8 {
			t.Fatalf("there are %d parts", len(s.m.parts))
		}
		if s.Decide(d) || s.Decided(versions.Hash{}) != nil {
			t.Errorf("%s: taken up", name)
		}
	}
}
