package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
)

// gitHome is a home with a store, beside a bare repository.
func gitHome(t *testing.T) (home *homeStores, id versions.StoreID, url string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("HOME", t.TempDir()) // settings of git
	url = filepath.Join(os.Getenv("HOME"), "team.git")
	gitIn(t, ".", "init", "--quiet", "--bare", "--initial-branch=main", url)
	return storeHome(t, url)
}

func storeHome(t *testing.T, url string) (*homeStores, versions.StoreID, string) {
	t.Helper()
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	home := &homeStores{Home: local.Home{Trail: trail}, by: tester}
	t.Cleanup(func() {
		if err := errors.Join(home.close(), trail.Close()); err != nil {
			t.Error(err)
		}
	})
	info, err := home.CreateStore(t.Context(), "notes", "", "")
	if err != nil {
		t.Fatal(err)
	}
	return home, info.ID, url
}

func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func writeTo(t *testing.T, h *homeStores, id versions.StoreID, path, text string) {
	t.Helper()
	s, err := h.open(t.Context(), id)
	if err == nil {
		_, err = s.Write(t.Context(), tester, pathAt(t, path), []byte(text), versions.Pre{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// Two homes meet at a repository: a store that is shown, and one that is not open.
func TestHome_SyncsItsStores(t *testing.T) {
	ann, a, url := gitHome(t)
	writeTo(t, ann, a, "/a.md", "one\n")
	if all, err := ann.BranchStates(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := ann.SyncStore(t.Context(), screen.Sync{Store: a}); err == nil || !strings.Contains(err.Error(), "has no branch") {
		t.Errorf("%v", err)
	}
	if r, err := ann.SyncStore(t.Context(), screen.Sync{Store: a, URL: "~/team.git", Subdir: "docs"}); err != nil || r.Sent != 1 || !r.Pushed {
		t.Fatalf("%+v, %v", r, err)
	}
	bob, b, _ := storeHome(t, url)
	if r, err := bob.SyncStore(t.Context(), screen.Sync{Store: b, URL: url, Branch: "main", Subdir: "docs"}); err != nil || r.Imported != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if bob.isOpen(b) != nil {
		t.Error("the store stays open")
	}
	writeTo(t, ann, a, "/a.md", "two\n")
	all, err := ann.BranchStates(t.Context())
	if st := all[a]; err != nil || st.Store != "notes" || st.URL != url || st.Subdir != "docs" || st.ToSend != 1 || st.Seen.IsZero() || st.Failed != nil {
		t.Errorf("%+v, %v", all, err)
	}
	info, err := ann.FindStore(t.Context(), string(a))
	if err != nil {
		t.Fatal(err)
	}
	// What another program wrote goes out with the rest.
	if err := os.WriteFile(filepath.Join(info.Folder, "b.md"), []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if r, err := ann.SyncStore(t.Context(), screen.Sync{Store: a}); err != nil || r.Sent != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if err := os.Rename(url, url+".away"); err != nil {
		t.Fatal(err)
	}
	_, err = ann.SyncStore(t.Context(), screen.Sync{Store: a})
	if !errors.As(err, new(*git.CommandError)) {
		t.Errorf("%v", err)
	}
	if all, _ := ann.BranchStates(t.Context()); all[a].Failed != err {
		t.Errorf("%+v", all[a])
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := ann.SyncStore(stopped, screen.Sync{Store: a}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if all, _ := ann.BranchStates(t.Context()); all[a].Failed != err {
		t.Errorf("%+v", all[a]) // that was no failure
	}
	if _, err := ann.ArchiveStore(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if all, err := ann.BranchStates(t.Context()); err != nil || len(all) > 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Only a person replaces a branch that lost commits.
func TestHome_ReplacesABranchForAPerson(t *testing.T) {
	home, id, url := gitHome(t)
	for _, text := range []string{"one\n", "two\n"} {
		writeTo(t, home, id, "/a.md", text)
		if _, err := home.SyncStore(t.Context(), screen.Sync{Store: id, URL: url}); err != nil {
			t.Fatal(err)
		}
	}
	gitIn(t, url, "update-ref", "refs/heads/main", "refs/heads/main~1")
	if _, err := home.SyncStore(t.Context(), screen.Sync{Store: id}); !errors.As(err, new(*gitsync.RewrittenError)) {
		t.Errorf("%v", err)
	}
	home.by = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: versions.NewSession()}
	if _, err := home.SyncStore(t.Context(), screen.Sync{Store: id, Rewrite: true}); err == nil {
		t.Error("an agent replaced it")
	}
	home.by = tester
	home.by.Door = versions.DoorTUI
	if r, err := home.SyncStore(t.Context(), screen.Sync{Store: id, Rewrite: true}); err != nil || !r.Pushed {
		t.Errorf("%+v, %v", r, err)
	}
	home.demo = true
	if _, err := home.SyncStore(t.Context(), screen.Sync{Store: id}); !errors.Is(err, errDemo) {
		t.Errorf("%v", err)
	}
}
