package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
)

// ofA returns the list of the 4 versions of /a.md.
func ofA() *Pane {
	p := newPane(story(), 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	return p
}

func chosenInfo(p *Pane) string {
	_, info := p.Title()
	_, after, _ := strings.Cut(info, " · ")
	return after
}

func TestTwoChosen_AreCompared(t *testing.T) {
	p := ofA()
	press(p, "space j space")
	wantShown(t, p, "two", "v2 → v4", "✓v4", "✓v2")
	if got := chosenInfo(p); got != "2 chosen" {
		t.Errorf("titled %q", got)
	}
	press(p, "gg")
	wantShown(t, p, "wherever the cursor is", "v2 → v4")
	press(p, "j space")
	wantShown(t, p, "of three, what the selected one changed", "v1 → v2")
	if msgs := press(p, "esc"); msgs != nil || chosenInfo(p) != "" {
		t.Errorf("esc asks %v and leaves %q", msgs, chosenInfo(p))
	}
}

func TestSpace_TogglesTheSelection(t *testing.T) {
	p := ofA()
	press(p, "space space gg space")
	if got := chosenInfo(p); got != "1 chosen" {
		t.Errorf("titled %q", got)
	}
	wantShown(t, p, "the other", "✓v3")
}

func TestRange_FollowsTheCursor(t *testing.T) {
	p := ofA()
	press(p, "j V j")
	if got := chosenInfo(p); got != "2 chosen" {
		t.Errorf("while it is drawn: %q", got)
	}
	press(p, "j k V gg space")
	if got := chosenInfo(p); got != "3 chosen" {
		t.Errorf("with another: %q", got)
	}
	wantShown(t, p, "chosen", "✓v4", "✓v3", "✓v2", " v1")
	press(p, "esc")
	for _, k := range []string{"shift+down", "shift+down", "shift+up"} {
		drain(p, pressed(p, k))
	}
	if got := chosenInfo(p); got != "2 chosen" {
		t.Errorf("with shift: %q", got)
	}
}

// New rows at the top must not move the range.
func TestRange_KeepsItsEndWhenChangesArrive(t *testing.T) {
	f := story()
	p := newPane(f, 80, 24)
	drain(p, p.ShowMemory("mem_/a.md", path("/a.md")))
	press(p, "j V j")
	c := f.write(agent, "/a.md", "more\n")
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	press(p, "V")
	wantShown(t, p, "the same", "✓v3", "✓v2", " v5", " v4")
	if got := chosenInfo(p); got != "2 chosen" {
		t.Errorf("titled %q", got)
	}
}

func TestActions_ApplyToTheSelection(t *testing.T) {
	p := ofA()
	press(p, "V j j")
	want := []tea.Msg{
		screen.UndoChanges{Changes: []int64{5, 3, 2}},
		screen.RedactVersions{Versions: []versions.VersionID{"memver_/a.md_4", "memver_/a.md_3", "memver_/a.md_2"}},
		keys.Refused{Name: "restore as of here or a hunk", Why: "it takes one at a time, and several are chosen: Esc chooses none"},
	}
	for i, k := range []string{"u", "X", "R"} {
		got := press(p, k)
		switch w := want[i].(type) {
		case screen.UndoChanges:
			if g, ok := got[0].(screen.UndoChanges); !ok || !slices.Equal(g.Changes, w.Changes) {
				t.Errorf("%s asks %v", k, got)
			}
		case screen.RedactVersions:
			if g, ok := got[0].(screen.RedactVersions); !ok || !slices.Equal(g.Versions, w.Versions) {
				t.Errorf("%s asks %v", k, got)
			}
		default:
			if got[0] != w {
				t.Errorf("%s asks %v", k, got)
			}
		}
	}
	for key, want := range map[string]screen.Copy{
		"i": {What: "the ids of 3 versions", Text: "memver_/a.md_4\nmemver_/a.md_3\nmemver_/a.md_2"},
		"p": {What: "1 path", Text: "/a.md"},
	} {
		cmd, _ := p.Press([]string{"y", key}, 0)
		if msgs := drain(p, cmd); len(msgs) != 1 || msgs[0] != want {
			t.Errorf("y %s copies %v", key, msgs)
		}
	}
}

func TestOneChosen_LeavesActionsToTheRowUnderTheCursor(t *testing.T) {
	p := ofA()
	if msgs := press(p, "space G u"); len(msgs) != 1 || msgs[0] != (screen.Undo{Change: 1}) {
		t.Errorf("it asks %v", msgs)
	}
}

func TestChanges_WithOneVersionAreChosenWithIt(t *testing.T) {
	p := newPane(story(), 80, 24)
	press(p, "c V G V")
	if got := chosenInfo(p); got != "5 chosen" {
		t.Fatalf("titled %q", got)
	}
	if msgs := press(p, "X"); msgs[0] != (keys.Refused{Name: "redact this or what is chosen", Why: "a chosen change is of several memories, or is still being read: Enter lists its versions"}) {
		t.Errorf("it asks %v", msgs)
	}
	got, ok := press(p, "u")[0].(screen.UndoChanges)
	if !ok || !slices.Equal(got.Changes, []int64{5, 4, 3, 2, 1}) {
		t.Errorf("it asks %v", got)
	}
	press(p, "esc gg space space") // these two are reviewed now
	if msgs := press(p, "X"); len(msgs) != 1 {
		t.Errorf("it asks %v", msgs)
	} else if r, ok := msgs[0].(screen.RedactVersions); !ok || len(r.Versions) != 2 {
		t.Errorf("it asks %v", msgs)
	}
}

func TestSession_IsChosenByItsHeading(t *testing.T) {
	f := newFake()
	f.oneSession = true
	f.session = "sesn_long"
	for _, name := range []string{"/a.md", "/b.md", "/c.md"} {
		f.write(agent, name, "text\n")
	}
	p := newPane(f, 80, 24)
	press(p, "c gg space")
	if got := chosenInfo(p); got != "3 chosen" {
		t.Fatalf("titled %q", got)
	}
	press(p, "gg _")
	wantShown(t, p, "folded", "▸ ✓ ◇ claude")
	press(p, "space")
	if got := chosenInfo(p); got != "" {
		t.Errorf("chosen once more: %q", got)
	}
}

func TestErased_IsRemovedFromTheSelection(t *testing.T) {
	p := ofA()
	press(p, "space space")
	drain(p, p.Event(versions.Event{Reload: true}))
	if got := chosenInfo(p); got != "" {
		t.Errorf("after a redaction %q", got)
	}
}

func TestErased_IsNotShown(t *testing.T) {
	f := story()
	p := newPane(f, 80, 20)
	drain(p, p.ShowMemory("mem_/b.md", path("/b.md")))
	press(p, "j")
	wantShown(t, p, "before", "+ b")
	delete(f.texts, "memver_/b.md_1")
	cmd := p.Event(versions.Event{Reload: true})
	if strings.Contains(shown(p), "+ b") {
		t.Errorf("what may have been erased shows while it is looked for:\n%s", shown(p))
	}
	drain(p, cmd)
	wantShown(t, p, "after", "Version 1 was redacted: its content is gone for good.")
}

func TestGeometry_FitsWithSeveralChosen(t *testing.T) {
	p := newPane(story(), 80, 24)
	p.SetReviewed(&versions.ReviewState{})
	for _, play := range []string{"c V j j", "j V", "gg space _", "=", "c space space"} {
		press(p, play)
		for _, w := range []int{0, 1, 2, 5, 13, 30, 51, 80, 111, 160} {
			for _, h := range []int{0, 1, 2, 5, 11, 24} {
				p.SetSize(w, h)
				if wrong := drawtest.Problem(p.View(), w, h); wrong != "" {
					t.Fatalf("after %s at %dx%d: %s", play, w, h, wrong)
				}
			}
		}
	}
}

// The engine undoes and redacts everything that is chosen here, together.
func TestChosen_IsUndoneAndErasedTogetherByTheEngine(t *testing.T) {
	ctx := context.Background()
	s, write, read := realStore(t)
	write(mine, "/a.md", texts("one", "two", "three"))
	write(agents, "/a.md", texts("1", "two", "three"))
	write(mine, "/a.md", texts("1", "two", "three", "four"))
	write(agents, "/b.md", texts("made"))
	p := onStore(s)
	p.SetTheme(theme.New(true, theme.Many))
	drain(p, p.ShowChange(0))
	press(p, "gg space j space") // #4, and #2
	ask, ok := press(p, "u")[0].(screen.UndoChanges)
	if !ok || !slices.Equal(ask.Changes, []int64{4, 2}) {
		t.Fatalf("it asks %v", ask)
	}
	plan, err := vplan.Make(ctx, s, vplan.UndoChanges(ask.Changes))
	if err != nil {
		t.Fatal(err)
	}
	c, err := vplan.Apply(ctx, s, mine, plan, nil)
	if err != nil || read("/a.md") != texts("one", "two", "three", "four") {
		t.Fatalf("the memory holds %q: %v", read("/a.md"), err)
	}
	drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
	wantShown(t, p, "undone", "undone")
}

// The versions of a memory say which were undone, as its changes do, and no longer after a redo.
func TestVersions_SayThatTheyWereUndone(t *testing.T) {
	s, write, _ := realStore(t)
	write(mine, "/a.md", texts("one", "two"))
	write(agents, "/a.md", texts("1", "two"))
	p := onStore(s)
	p.SetTheme(theme.New(true, theme.Many))
	p.SetSize(100, 24)
	es, err := history.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	drain(p, p.ShowMemory(es[0].Memory, es[0].Path))
	marked := func() string {
		for line := range strings.Lines(shown(p)) {
			if strings.HasPrefix(strings.TrimLeft(line, " ›>▌"), "v2 ") {
				row, _, _ := strings.Cut(line, "│")
				return strings.Join(strings.Fields(row), " ")
			}
		}
		t.Fatalf("no v2:\n%s", shown(p))
		return ""
	}
	if strings.Contains(marked(), "undone") {
		t.Fatal("already")
	}
	apply := func(plan *vplan.Plan, err error) int64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		c, err := vplan.Apply(t.Context(), s, mine, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		drain(p, p.Event(versions.Event{Changes: []versions.Change{c}}))
		return c.Number
	}
	by := apply(vplan.Make(t.Context(), s, vplan.UndoChange(2)))
	if !strings.HasSuffix(marked(), " undone") {
		t.Errorf("%q", marked())
	}
	press(p, "gg j")
	wantShown(t, p, fmt.Sprintf("undone by #%d", by))
	apply(vplan.Make(t.Context(), s, vplan.RedoChange(2)))
	if strings.Contains(marked(), "undone") {
		t.Errorf("it is in effect: %q", marked())
	}
}

func TestRange_ShowsTheDifferenceOfItsEnds(t *testing.T) {
	p := ofA()
	press(p, "j V j")
	wantShown(t, p, "two", "v2 → v3", "2026-11-20 12:30 ◇ claude · #3")
	press(p, "j")
	wantShown(t, p, "three", "v1 · created", "2026-11-20 12:10 ● ana · #1")
}
