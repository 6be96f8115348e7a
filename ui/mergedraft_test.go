package ui

import (
	"context"
	"testing"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

const (
	mergeBase   = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n"
	mergeTheirs = "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"
	mergeResult = "ONE\ntwo\nthree\nfour\nfive\nsix\nmy own seven\n"
)

// startMerge returns a screen with a merge in which one conflict is decided and a text for the
// other is being typed.
func startMerge(t *testing.T, drafts fakeDrafts) *sim {
	t.Helper()
	store := sample()
	store.write(agent, "list.md", mergeBase)
	s := newSim(t, store, 120, 36, func(c *Config) { c.Drafts = drafts })
	s.send(screen.Open{Path: at("list.md")})
	s.keys("e")
	s.typed("my ")
	s.keys("down down down down down down")
	s.keys("home")
	s.typed("my ")
	store.write(agent, "list.md", mergeTheirs)
	s.keys("ctrl+s m")
	s.shows("2 of 2 conflicts left")
	s.elapse()
	if m := drafts["own.draft"].Merge; m != nil {
		t.Fatalf("nothing is decided, kept is %+v", m)
	}
	s.keys("n tab e right right right")
	s.typed("own ")
	s.elapse()
	return s
}

// again returns the program after it was killed and started again.
func again(t *testing.T, store *fakeStore, drafts fakeDrafts) *sim {
	s := newSim(t, store, 120, 36, func(c *Config) { c.Drafts = drafts })
	s.run(s.app.editing.Start())
	s.shows("An unsaved text of /list.md and its merge")
	s.keys("o")
	s.shows("merge /list.md")
	return s
}

func TestMerge_SurvivesTheEndOfTheProgram(t *testing.T) {
	t.Parallel()
	drafts := fakeDrafts{}
	s := startMerge(t, drafts)
	m := drafts["own.draft"].Merge
	if m == nil || len(m.Picks) != 2 || m.Picks[0].Pick != "theirs" || string(m.Picks[1].Text) != "my own seven\n" {
		t.Fatalf("kept is %+v", m)
	}
	next := again(t, s.store, drafts)
	next.shows("2 conflicts, all decided", "my own seven")
	next.keys("ctrl+s")
	if got := content(next, "list.md"); got != mergeResult || len(drafts) != 0 {
		t.Errorf("saved is %q, %d drafts", got, len(drafts))
	}
}

func TestMerge_CanBeKeptForLater(t *testing.T) {
	t.Parallel()
	drafts := fakeDrafts{}
	s := startMerge(t, drafts)
	s.keys("esc esc l")
	if len(drafts) != 1 || s.app.editing.Pane() != nil {
		t.Fatalf("kept is %+v", drafts)
	}
	s.keys("e o")
	s.shows("merge /list.md", "2 conflicts, all decided", "my own seven")
}

func TestMerge_OfATextThatChangedAgainIsDecidedAgain(t *testing.T) {
	t.Parallel()
	drafts := fakeDrafts{}
	s := startMerge(t, drafts)
	if _, err := s.store.Write(context.Background(), agent, at("list.md"), []byte("ONE more\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	next := again(t, s.store, drafts)
	next.shows("2 of 2 conflicts left", "changed again meanwhile")
}

func TestMerge_OutdatedIsNotKept(t *testing.T) {
	t.Parallel()
	drafts := fakeDrafts{}
	s := startMerge(t, drafts)
	s.keys("esc esc e") // back to the editor
	s.elapse()
	if drafts["own.draft"].Merge == nil {
		t.Fatal("what was decided is forgotten, though all is kept")
	}
	s.typed("z")
	s.elapse()
	if m := drafts["own.draft"].Merge; m != nil {
		t.Errorf("kept is %+v", m)
	}
}
