package stores

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// withBranches is a home with stores that are in step with git, more or less.
func withBranches() *hostedHome {
	h := &hostedHome{fakeHome: home(false), syncStates: map[versions.StoreID]SyncState{}}
	h.git = map[versions.StoreID]branches.State{}
	for i, b := range []branches.State{
		{BranchState: versions.BranchState{Branch: versions.Branch{URL: "https://lee:secret@host/notes.git", Name: "main", Subdir: "memories"}, ToSend: 2, Comes: 1, Waiting: 1, Seen: clock.Add(-2 * time.Hour)}},
		{BranchState: versions.BranchState{Branch: versions.Branch{URL: "/srv/ops.git", Name: "main"}, Seen: clock.Add(-3 * time.Minute)}},
		{BranchState: versions.BranchState{Branch: versions.Branch{URL: "git@host:far.git", Name: "main"}, ToSend: 5, Seen: clock.Add(-72 * time.Hour)},
			Failed: &git.CommandError{Where: "git@host:far.git", Said: "ssh: connect to host host port 22: No route to host fatal: Could not read from remote repository."}},
		{BranchState: versions.BranchState{Branch: versions.Branch{URL: "/srv/leak.git", Name: "main", Erased: true}, ToSend: 1}},
	} {
		name := []string{"notes", "ops", "far", "leak"}[i]
		info := versions.StoreInfo{ID: versions.StoreID("memstore_" + name), Name: name, Folder: "/home/dana/" + name, Created: clock}
		h.all = append(h.all, info)
		h.git[info.ID] = b
		h.sizes[info.ID] = versions.StoreSize{Memories: 10, Bytes: 1000, Changes: 42, Changed: clock}
	}
	return h
}

func TestBranch_ListShowsHowItIs(t *testing.T) {
	s := listed(t, withBranches(), 100, 30)
	s.Shows("notes (2 to send)", "far (sync failed)", "leak (rewrite needed)")
	for name, want := range map[string][]string{
		"notes":  {"git: 2 to send, 1 to take in · 1 waits in the review queue · last look 2h ago · main of", "https://lee:xxxxx@host/notes.git, folder memories"},
		"ops":    {"git: nothing to send · last look 3m ago · main of /srv/ops.git"},
		"far":    {"5 to send · last look 3d ago", "No route to host", "`git ls-remote URL` shows whether git can reach it"},
		"leak":   {"never looked at", "git still has what was erased here: F5 takes it out, and asks first"},
		"serena": {},
	} {
		s.on(name)
		s.Shows(want...)
		if len(want) == 0 {
			s.Hides("git: ")
		}
	}
	s.Hides("secret")
}

func TestBranch_IsSynced(t *testing.T) {
	h := withBranches()
	s := listed(t, h, 100, 30)
	s.on("notes").Keys("f5")
	order, ok := s.Last().(screen.Sync)
	if !ok || order.Store != "memstore_notes" || order.Name != "notes" || order.URL != "" || order.Rewrite {
		t.Fatalf("%+v", s.Last())
	}
	h.git["memstore_notes"] = branches.State{BranchState: versions.BranchState{Branch: h.git["memstore_notes"].Branch, Seen: clock}}
	s.Run(order.Then())
	s.Shows("nothing to send · last look")
	h.git["memstore_notes"] = branches.State{BranchState: versions.BranchState{Branch: h.git["memstore_notes"].Branch, ToSend: 4, Seen: clock}}
	s.Run(s.Pane.Look()) // another program may have done it
	s.Shows("4 to send · last look just now")
	s.on("serena").Keys("f5")
	if refused, ok := s.Last().(keys.Refused); !ok || refused.Why != "the store has no branch: b sets one" {
		t.Errorf("%+v", s.Last())
	}
}

func TestBranch_IsSet(t *testing.T) {
	s := listed(t, withBranches(), 100, 30)
	answer := func(label, value, text string) {
		t.Helper()
		p, ok := s.Last().(screen.Prompt)
		if !ok || p.Label != label || p.Value != value {
			t.Fatalf("%+v", s.Last())
		}
		s.Run(p.Then(text))
	}
	s.on("serena").Keys("b")
	answer("git repository", "", " ")
	if _, ok := s.Last().(screen.Prompt); !ok {
		t.Errorf("%+v", s.Last()) // nothing happens
	}
	s.Keys("b")
	answer("git repository", "", " ~/team.git ")
	answer("its branch", "", "")
	answer("its folder", "", "docs")
	if o, ok := s.Last().(screen.Sync); !ok || o.Store != "memstore_2" || o.URL != "~/team.git" || o.Branch != "" || o.Subdir != "docs" || o.Then == nil {
		t.Errorf("%+v", s.Last())
	}
	s.on("ops").Keys("b") // its folder there stays
	answer("git repository", "/srv/ops.git", "/srv/new.git")
	answer("its branch", "main", "trunk")
	if o, ok := s.Last().(screen.Sync); !ok || o.URL != "/srv/new.git" || o.Branch != "trunk" || o.Subdir != "" {
		t.Errorf("%+v", s.Last())
	}
	s.on("last year").Keys("b")
	if refused, ok := s.Last().(keys.Refused); !ok || !strings.Contains(refused.Why, "archived") {
		t.Errorf("%+v", s.Last())
	}
	s = listed(t, withHosted(), 100, 30)
	s.on("prefs").Keys("b")
	if refused, ok := s.Last().(keys.Refused); !ok || !strings.Contains(refused.Why, "hosted") {
		t.Errorf("%+v", s.Last())
	}
}

func TestBranch_FramesMatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		for _, name := range []string{"notes", "far"} {
			s := listed(t, withBranches(), size.w, size.h)
			s.on(name)
			drawtest.Golden(t, *update, fmt.Sprintf("branch-%s-%dx%d", name, size.w, size.h), s.Pane.View())
		}
	}
}
