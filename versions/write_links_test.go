package versions

import (
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
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
	first, err := w.store.newest(t.Context())
	must(w, err)
	want := func(n int64, is ...LinkChange) {
		t.Helper()
		c, err := w.store.newest(t.Context())
		must(w, err)
		if c.change != first.change+n {
			t.Fatalf("%d changes, want %d", c.change-first.change, n)
		}
		if len(is) == 0 {
			return
		}
		last, _, err := w.store.Change(t.Context(), c.change)
		must(w, err)
		if len(last.Links) != len(is) || last.Links[0] != is[0] || last.Actor.Kind != Outside || last.Versions != 0 {
			t.Errorf("%+v", last)
		}
	}
	want(0)
	relink("other.md", "CLAUDE.md")
	want(1, LinkChange{mustPath("CLAUDE.md"), "a.md", "other.md"})
	relink("/etc/hostname", "d/new")
	want(2, LinkChange{mustPath("d/new"), "", "/etc/hostname"})
	relink("", "CLAUDE.md")
	want(3, LinkChange{mustPath("CLAUDE.md"), "other.md", ""})
	w.sync()
	want(3)
	in, err := w.store.Changes(t.Context(), Filter{In: mustPath("CLAUDE.md")}, 0, 10)
	if must(w, err); len(in) != 2 {
		t.Errorf("the log of the link has %d changes", len(in))
	}

	// What memend does to links is not taken for another program's act.
	undo, err := w.store.Do(t.Context(), alice, UndoChange(first.change+3))
	must(w, err)
	w.sync()
	_, err = w.store.Do(t.Context(), alice, UndoChange(first.change+1))
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
	want(undo.Number - first.change + 3)
	plan, err := w.store.Plan(t.Context(), RestoreAt{Moment{Change: first.change + 2}, []memfs.Path{memfs.Root}})
	must(w, err)
	w.apply(plan, nil)
	w.sync()
	want(undo.Number - first.change + 4)
	tree := w.tree()
	if tree["CLAUDE.md"] != "-> other.md" || tree["d/new"] != "-> /etc/hostname" || !strings.HasSuffix(tree["d/x.md"], "three\n") {
		t.Errorf("%q", tree)
	}
	w.check()
}
