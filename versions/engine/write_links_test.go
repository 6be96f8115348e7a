package engine_test

import (
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/watch"
)

// A link decides what an agent reads at its path, so what other programs do to it is a change.
func TestAChangeOfALinkByAnotherProgramIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one\n")
	w.write(alice, "other.md", "two\n")
	w.write(alice, "d/x.md", "three\n")
	relink := func(target, at string) {
		t.Helper()
		_ = os.Remove(w.host(at))
		if target != "" {
			must(w, os.Symlink(target, w.host(at)))
		}
		w.sync()
	}
	relink("a.md", "CLAUDE.md")
	first, err := watch.Newest(t.Context(), w.store)
	must(w, err)
	want := func(n int64, is ...versions.LinkChange) {
		t.Helper()
		c, err := watch.Newest(t.Context(), w.store)
		must(w, err)
		if c.Change != first.Change+n {
			t.Fatalf("%d changes, want %d", c.Change-first.Change, n)
		}
		if len(is) == 0 {
			return
		}
		last, _, err := vhistory.Change(t.Context(), w.store, c.Change)
		must(w, err)
		if len(last.Links) != len(is) || last.Links[0] != is[0] || last.Actor.Kind != versions.Outside || last.Versions != 0 {
			t.Errorf("%+v", last)
		}
	}
	want(0)
	relink("other.md", "CLAUDE.md")
	want(1, versions.LinkChange{Path: mustPath("CLAUDE.md"), Was: "a.md", Now: "other.md"})
	relink("/etc/hostname", "d/new")
	want(2, versions.LinkChange{Path: mustPath("d/new"), Was: "", Now: "/etc/hostname"})
	relink("", "CLAUDE.md")
	want(3, versions.LinkChange{Path: mustPath("CLAUDE.md"), Was: "other.md", Now: ""})
	w.sync()
	want(3)
	in, err := vhistory.Changes(t.Context(), w.store, versions.Filter{In: mustPath("CLAUDE.md")}, 0, 10)
	if must(w, err); len(in) != 2 {
		t.Errorf("the log of the link has %d changes", len(in))
	}

	// What memend does to links is not taken for another program's act.
	undo, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(first.Change+3))
	must(w, err)
	w.sync()
	_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(first.Change+1))
	must(w, err)
	w.sync()
	if target, err := os.Readlink(w.host("CLAUDE.md")); err != nil || target != "a.md" {
		t.Errorf("undone: %q, %v", target, err)
	}
	_, err = w.store.Rename(t.Context(), alice, mustPath("d"), mustPath("e"))
	must(w, err)
	_, err = w.store.Delete(t.Context(), alice, mustPath("e"))
	must(w, err)
	w.sync()
	want(undo.Number - first.Change + 3)
	plan, err := plan.Make(t.Context(), w.store, plan.RestoreAt{Moment: versions.Moment{Change: first.Change + 2}, Paths: []memfs.Path{memfs.Root}})
	must(w, err)
	w.apply(plan, nil)
	w.sync()
	want(undo.Number - first.Change + 4)
	tree := w.tree()
	if tree["CLAUDE.md"] != "-> other.md" || tree["d/new"] != "-> /etc/hostname" || !strings.HasSuffix(tree["d/x.md"], "three\n") {
		t.Errorf("%q", tree)
	}
	w.check()
}
