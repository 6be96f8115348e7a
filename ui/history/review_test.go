package history

import (
	"context"
	"maps"
	"strings"
	"testing"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

// signs returns the first columns of the list's rows.
func signs(p *Pane) string {
	var b strings.Builder
	for i := range p.list().rows {
		r := []rune(strings.Split(shown(p), "\n")[i])
		b.WriteRune(r[0])
	}
	return b.String()
}

// seenTo returns a review state with all changes up to n reviewed.
func seenTo(n int64) *versions.ReviewState {
	return &versions.ReviewState{Reviewed: n, Of: map[versions.MemoryID]int64{}}
}

func TestNew_IsMarkedInTheListOfChangesToo(t *testing.T) {
	p := newPane(story(), 80, 24)
	p.SetReviewed(seenTo(1))
	press(p, "c")
	if got := signs(p); got != " ●●● " { // the newest and the first are by the user
		t.Errorf("the signs are %q", got)
	}
	reviewed := seenTo(1)
	reviewed.Of["mem_/a.md"] = 3 // the other memory of #3 is still new
	drain(p, p.SetReviewed(reviewed))
	if got := signs(p); got != " ●●  " {
		t.Errorf("with one memory seen they are %q", got)
	}
}

func TestNew_IsMarkedOnceTheReviewStateIsKnown(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c")
	reviewed := seenTo(1)
	reviewed.Of["mem_/a.md"] = 3
	drain(p, p.SetReviewed(reviewed))
	if got := signs(p); got != " ●●  " {
		t.Errorf("the signs are %q", got)
	}
}

func TestOnlyNew_ShowsOnlyNewItems(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	p.SetReviewed(seenTo(2))
	press(p, "c ,")
	if title, info := p.Title(); title != "all changes · is:new" || info != "2" {
		t.Fatalf("titled %q %q: %s", title, info, outline(p))
	}
	wantShown(t, p, "new", "●▸#3", "● #4")
	press(p, "j")
	reviewed := seenTo(2)
	reviewed.Of["mem_/b.md"] = 4
	drain(p, p.SetReviewed(reviewed))
	if _, info := p.Title(); info != "1" { // #3 changed /a.md too
		t.Errorf("after a look at one there are %s", info)
	}
	drain(p, p.SetReviewed(seenTo(4)))
	wantShown(t, p, "nothing", "Nothing is new here. Esc shows all again.")
	p.SetSize(38, 9)
	wantShown(t, p, "nothing, in little room", "Nothing is new here.", "again.")
	p.SetSize(80, 24)
	c := f.write(other, "/late.md", "late\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantShown(t, p, "what came", "#6")
	press(p, ",")
	if title, info := p.Title(); title != "all changes" || info != "6" {
		t.Errorf("without the filter it is titled %q %q", title, info)
	}
}

func TestOnlyNew_CanBeTyped(t *testing.T) {
	p := newPane(story(), 80, 24)
	p.SetReviewed(seenTo(1))
	press(p, "c /")
	typed(p, "is:new by:claude")
	if _, info := p.Title(); info != "2" {
		t.Errorf("%s get through", info)
	}
	typed(p, " is:old")
	wantShown(t, p, "a word that is none", "is: takes new")
}

func TestOnlyNew_StopsAtTheReviewedChanges(t *testing.T) {
	f := long(700)
	p := newPane(f, 80, 24)
	p.SetReviewed(seenTo(690))
	press(p, "c")
	f.asked = nil
	press(p, ",")
	if _, info := p.Title(); info != "9" { // one is by ana
		t.Errorf("%s are new", info)
	}
	if strings.Count(strings.Join(f.asked, "\n"), "changes before") != 1 {
		t.Errorf("it asked %v", f.asked)
	}
	reviewed := seenTo(0)
	reviewed.Of["mem_/notes/1.md"] = 680
	drain(p, p.SetReviewed(reviewed))
	drain(p, p.ShowMemory("mem_/notes/1.md", path("/notes/1.md")))
	press(p, "c")
	if _, info := p.Title(); info != "2" { // and one of these 3
		t.Errorf("%s of the memory are new", info)
	}
}

func TestMarkReviewed_AppliesToNewVersionsOnly(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	p.SetReviewed(seenTo(1))
	press(p, "c")
	if msgs := press(p, "."); msgs[0] != (keys.Refused{Name: "keep", Why: "it is not new"}) {
		t.Errorf("of one's own it asks %v", msgs)
	}
	for play, want := range map[string]map[versions.MemoryID]int64{
		"gg j .":     {"mem_/b.md": 4},
		"gg j j .":   {"mem_/a.md": 3, "mem_/b.md": 3},
		"gg V G .":   {"mem_/a.md": 3, "mem_/b.md": 4},
		"gg j V j .": {"mem_/a.md": 3, "mem_/b.md": 4},
	} {
		msgs := press(p, play)
		see, ok := msgs[len(msgs)-1].(screen.MarkReviewed)
		if !ok || !maps.Equal(see.UpTo, want) {
			t.Errorf("%s notes %v, want %v", play, msgs, want)
		}
		if got := chosenInfo(p); got != "" {
			t.Errorf("after %s: %q", play, got)
		}
	}
}

func TestFolded_SessionShowsThatItHasNewChanges(t *testing.T) {
	f := newFake()
	f.oneSession, f.session = true, "sesn_long"
	f.write(agent, "/a.md", "text\n")
	f.write(agent, "/b.md", "text\n")
	p := newPane(f, 80, 24)
	p.SetReviewed(seenTo(1))
	press(p, "c _")
	wantShown(t, p, "folded", "▸ ● ◇ claude")
	drain(p, p.SetReviewed(seenTo(2)))
	wantShown(t, p, "seen", "▸ ◇ claude")
}

// The engine and the screen must agree on what is new.
func TestNew_AgreesWithTheEngine(t *testing.T) {
	ctx := context.Background()
	s, write, _ := realStore(t)
	write(mine, "/a.md", "one\n")
	if _, err := review.MarkAllReviewed(ctx, s, 1); err != nil {
		t.Fatal(err)
	}
	write(agents, "/a.md", "two\n")
	write(agents, "/b.md", "b\n")
	if _, err := s.Delete(ctx, agents, path("/b.md")); err != nil {
		t.Fatal(err)
	}
	p := onStore(s)
	load := func() {
		l, err := review.ReviewState(ctx, s)
		if err != nil {
			t.Fatal(err)
		}
		drain(p, p.SetReviewed(l))
	}
	load()
	press(p, "c =")
	drain(p, p.ShowChange(0))
	if got := strings.Count(shown(p), "●"); got < 3 {
		t.Errorf("%d are marked:\n%s", got, shown(p))
	}
	press(p, ", gg j")
	see := press(p, ".")[0].(screen.MarkReviewed)
	if _, err := review.MarkReviewed(ctx, s, see.UpTo); err != nil {
		t.Fatal(err)
	}
	load()
	if _, info := p.Title(); info != "1" { // its creation and its deletion are reviewed
		t.Errorf("%s are new still:\n%s", info, shown(p))
	}
}
