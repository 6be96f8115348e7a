package ui

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
	"github.com/memend/memend/versions/engine"
)

func newDrafts(t *testing.T) *drafts.Keeper {
	trail, err := engine.Open(t.Context(), storetest.Home(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	d := trail.Drafts("memstore_1")
	t.Cleanup(func() { d.Close() })
	return d
}

func listed(t *testing.T, d editing.Drafts) []drafts.Draft {
	t.Helper()
	out, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unsaved returns a screen with an unsaved text that is stored as a draft.
func unsaved(t *testing.T) (*sim, *drafts.Keeper) {
	drafts := newDrafts(t)
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Drafts = drafts })
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	if s.elapse(); len(listed(t, drafts)) != 0 {
		t.Fatal("a text is kept that nobody has changed")
	}
	s.typed("mine ")
	if len(s.timed) != 1 {
		t.Fatalf("%d moments are set", len(s.timed))
	}
	s.elapse()
	if d := listed(t, drafts); len(d) != 1 || string(d[0].Text) != "mine # Dana\n\nprefers short notes\n" || d[0].Path != at("people/dana.md") || d[0].Memory == "" {
		t.Fatalf("kept is %+v", d)
	}
	return s, drafts
}

func TestDraft_FollowsTheTextUntilItIsSaved(t *testing.T) {
	t.Parallel()
	s, drafts := unsaved(t)
	s.typed("x")
	s.elapse()
	if d := listed(t, drafts); len(d) != 1 || !strings.HasPrefix(string(d[0].Text), "mine x#") {
		t.Fatalf("kept is %+v", d)
	}
	s.keys("ctrl+s")
	if d := listed(t, drafts); len(d) != 0 {
		t.Errorf("after saving %+v is kept", d)
	}
	s.typed("y")
	s.elapse()
	s.keys("ctrl+z")
	if d := listed(t, drafts); len(d) != 0 {
		t.Errorf("after undo, %+v is kept", d)
	}
}

func TestDraft_IsDeletedWithADiscardedText(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(s *sim){
		"closed":             func(s *sim) { s.keys("esc d") },
		"for another memory": func(s *sim) { s.send(screen.Open{Path: at("people/lee.md")}); s.keys("d") },
		"saved beside":       func(s *sim) { s.store.write(agent, "people/dana.md", "theirs"); s.keys("ctrl+s b") },
		"for theirs":         func(s *sim) { s.store.write(agent, "people/dana.md", "theirs"); s.keys("ctrl+s n") },
		"quit, before it is so": func(s *sim) {
			s.app.setFocus(frame.Tree)
			s.keys("q")
			s.app.Update(tea.KeyPressMsg{Code: 'd', Text: "d"}) // its command has no time to run
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, drafts := unsaved(t)
			leave(s)
			if err := s.app.editing.Recover(); err != nil {
				t.Fatal(err)
			}
			if d := listed(t, drafts); len(d) != 0 {
				t.Errorf("%+v is kept", d)
			}
		})
	}
}

func TestDraft_IsSavedWhenTheProgramEnds(t *testing.T) {
	t.Parallel()
	s, drafts := unsaved(t)
	s.typed("more ")
	if err := s.app.editing.Recover(); err == nil || !strings.Contains(err.Error(), "offered at the next start") {
		t.Errorf("the error is %v", err)
	}
	if d := listed(t, drafts); len(d) != 1 || !strings.HasPrefix(string(d[0].Text), "mine more #") {
		t.Errorf("kept is %+v", d)
	}
}

func TestDraft_SaveErrorIsReportedOnce(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Drafts = brokenDrafts{} })
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("a")
	s.elapse()
	s.shows("the unsaved text is not kept: disk full")
	notices := len(s.app.notices.All())
	s.typed("b")
	s.elapse()
	if len(s.app.notices.All()) != notices {
		t.Error("the person is told again")
	}
}

type brokenDrafts struct{}

func (brokenDrafts) Keep(drafts.Draft, int) (string, error) { return "", errors.New("disk full") }
func (brokenDrafts) Drop(string, int) error                 { return nil }
func (brokenDrafts) List() ([]drafts.Draft, error)          { return nil, nil }

// leftBehind returns a screen with a draft of a run that was killed.
func leftBehind(t *testing.T, store *fakeStore, base, text string) (*sim, fakeDrafts) {
	m := store.tree()[at("people/dana.md")]
	drafts := fakeDrafts{"1-2.draft": {ID: "1-2.draft", Memory: m.id, Path: at("people/dana.md"), Base: sha256.Sum256([]byte(base)), Text: []byte(text), Time: clock.Add(-180e9)}}
	s := newSim(t, store, 120, 30, func(c *Config) { c.Drafts = drafts })
	s.run(s.app.editing.Start())
	s.shows("An unsaved text of /people/dana.md, from 3m ago")
	return s, drafts
}

// fakeDrafts keeps drafts in memory.
type fakeDrafts map[string]drafts.Draft

func (f fakeDrafts) Keep(d drafts.Draft, _ int) (string, error) {
	d.ID = "own.draft"
	f[d.ID] = d
	return d.ID, nil
}

func (f fakeDrafts) Drop(id string, _ int) error { delete(f, id); return nil }

func (f fakeDrafts) List() ([]drafts.Draft, error) {
	var out []drafts.Draft
	for _, d := range f {
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b drafts.Draft) int { return b.Time.Compare(a.Time) })
	return out, nil
}

const dana = "# Dana\n\nprefers short notes\n"

func TestDraft_OfAKilledRunIsOfferedAndOpened(t *testing.T) {
	t.Parallel()
	s, drafts := leftBehind(t, sample(), dana, "mine "+dana)
	s.keys("o")
	s.shows("edit /people/dana.md *", "mine # Dana")
	if s.elapse(); len(drafts) != 1 || string(drafts["own.draft"].Text) != "mine "+dana {
		t.Errorf("then %+v is kept", drafts)
	}
	s.keys("ctrl+s")
	if got := content(s, "people/dana.md"); got != "mine "+dana || len(drafts) != 0 {
		t.Errorf("the memory holds %q, %d drafts", got, len(drafts))
	}
}

func TestDraft_OfAMemoryThatChangedSinceIsMerged(t *testing.T) {
	t.Parallel()
	store := sample()
	store.write(agent, "people/dana.md", dana+"and tea\n")
	s, _ := leftBehind(t, store, dana, "mine "+dana)
	s.keys("o")
	s.shows("merge /people/dana.md", "no conflict")
	s.keys("ctrl+s")
	if got := content(s, "people/dana.md"); got != "mine "+dana+"and tea\n" {
		t.Errorf("the memory holds %q", got)
	}
}

func TestDraft_WithAnUnknownBaseIsComparedWithTheCurrentText(t *testing.T) {
	t.Parallel()
	s, _ := leftBehind(t, sample(), "never seen", "# Dana\n\nlikes tea\n")
	s.keys("o")
	s.shows("merge /people/dana.md", "the common version is not known")
}

func TestDraft_CanBeDiscardedOrLeft(t *testing.T) {
	t.Parallel()
	s, drafts := leftBehind(t, sample(), dana, "mine")
	s.keys("esc")
	if len(drafts) != 1 || s.app.editing.Pane() != nil || s.app.overlay != nil {
		t.Errorf("left: %v", drafts)
	}
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.shows("leave it, and edit what is saved")
	s.keys("d")
	s.shows("Discard the unsaved text of /people/dana.md", "^D   discard it for good", "Esc  keep it")
	s.keys("ctrl+d")
	s.shows("edit /people/dana.md")
	if len(drafts) != 0 {
		t.Errorf("discarded: %v", drafts)
	}
}

// After several killed runs, the newest draft is asked about, once, and the others are listed behind a key.
func TestDrafts_AreOfferedOnce(t *testing.T) {
	t.Parallel()
	begin := func() (*sim, fakeDrafts) {
		all := fakeDrafts{}
		for i, name := range []string{"people/dana.md", "people/dana.md", "people/dana.md", "safe.md"} {
			id := fmt.Sprintf("%d.draft", i)
			all[id] = drafts.Draft{ID: id, Path: at(name), Base: sha256.Sum256([]byte(dana)), Text: fmt.Appendf(nil, "draft %d\n", i), Time: clock.Add(-time.Duration(10*(i+1)) * time.Minute)}
		}
		s := newSim(t, sample(), 120, 30, func(c *Config) { c.Drafts = all })
		s.run(s.app.editing.Start())
		s.shows("An unsaved text of /people/dana.md, from 10m ago (8B) is kept. 3 older", "ones are kept too.")
		return s, all
	}
	s, all := begin()
	s.keys("l")
	if len(all) != 4 || s.app.overlay != nil {
		t.Errorf("%d drafts, or asked again:\n%s", len(all), s.screen())
	}
	s, _ = begin()
	s.keys("m")
	s.shows("1  /people/dana.md, from 20m ago (8B)", "3  /safe.md, from 40m ago (8B)")
	s.keys("b")
	s.shows("from 10m ago")
	s.keys("m 2")
	s.shows("edit /people/dana.md", "draft 2")
	s, all = begin()
	s.keys("esc")
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.shows("is kept. 2 older", "leave them, and edit what is saved")
	s.keys("l")
	s.shows("edit /people/dana.md", "prefers short notes")
	if len(all) != 4 {
		t.Errorf("%d drafts are left", len(all))
	}
}

// The offer appears on its own, so it may receive keys that were typed for something else.
func TestDraft_IsNotDiscardedByTypeahead(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"d", "ddd", "dyj\n", "dark\n\n", "dk d k y Y d"} {
		s, drafts := leftBehind(t, sample(), dana, "mine")
		for _, r := range text {
			if r == '\n' {
				s.keys("enter")
				continue
			}
			s.typed(string(r))
		}
		if len(drafts) != 1 {
			t.Errorf("%q discards it:\n%s", text, s.screen())
		}
	}
	s, drafts := leftBehind(t, sample(), dana, "mine")
	s.keys("d esc")
	s.shows("An unsaved text of /people/dana.md") // asked again
	s.keys("l")
	if len(drafts) != 1 || s.app.overlay != nil {
		t.Errorf("%d drafts are left", len(drafts))
	}
}

func TestDraft_IsSavedOnBlurAndSuspend(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func(*sim){
		"another window": func(s *sim) { s.send(tea.BlurMsg{}) },
		"suspended":      func(s *sim) { s.keys("ctrl+k"); s.typed("suspend"); s.keys("enter") },
	} {
		s, drafts := unsaved(t)
		s.typed("more ")
		turn(s)
		if d := listed(t, drafts); len(d) != 1 || !strings.HasPrefix(string(d[0].Text), "mine more #") {
			t.Errorf("%s: kept is %+v", name, d)
		}
	}
}

func TestDraft_CanBeLeftForLater(t *testing.T) {
	t.Parallel()
	s, drafts := unsaved(t)
	s.typed("and more ")
	s.keys("esc")
	s.shows("keep the text for later")
	s.keys("l")
	if err := s.app.editing.Recover(); err != nil || s.app.editing.Pane() != nil {
		t.Fatalf("the editor is still there: %v", err)
	}
	if d := listed(t, drafts); len(d) != 1 || !strings.HasPrefix(string(d[0].Text), "mine and more ") {
		t.Fatalf("kept is %+v", d)
	}
	s.keys("e")
	s.shows("An unsaved text of /people/dana.md, from a moment ago")
	s.keys("o")
	s.shows("mine and more # Dana")
	if _, err := s.store.Write(context.Background(), agent, at("people/dana.md"), []byte("theirs\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	s.keys("ctrl+s m esc")
	s.shows("continue later: everything is kept")
	s.keys("l")
	if d := listed(t, drafts); len(d) != 1 || s.app.editing.Pane() != nil || len(s.app.screens) != 0 {
		t.Errorf("kept is %+v", d)
	}
}

// The editor stays open with a text that could not be kept for later.
func TestDraft_ThatCanNotBeLeftForLaterStaysInTheEditor(t *testing.T) {
	t.Parallel()
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Drafts = brokenDrafts{} })
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.keys("esc l")
	s.shows("the unsaved text is not kept: disk full")
	if e := s.app.editing.Pane(); e == nil || !strings.HasPrefix(string(e.Content()), "mine ") {
		t.Error("the text is lost")
	}
}

// Once it is saved, a text whose common version was unknown has one.
func TestDraft_WithAnUnknownBaseHasOneOnceItIsSaved(t *testing.T) {
	t.Parallel()
	s, _ := leftBehind(t, sample(), "never seen", "# Dana\n\nlikes tea\n")
	s.keys("o")
	s.shows("the common version is not known")
	s.keys("B ctrl+s")
	s.typed("mine ")
	s.store.write(agent, "people/dana.md", "# Dana\n\nlikes tea\nand cake\n")
	s.keys("ctrl+s m")
	s.shows("merge /people/dana.md")
	s.hides("the common version is not known")
}
