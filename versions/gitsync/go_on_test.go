package gitsync

import (
	"errors"
	"strings"
	"testing"

	"github.com/memend/memend/versions/exchange"
)

// importRepo imports the history of a working tree, as the command does.
func (h *home) importRepo(dir string, o Options) (Result, error) {
	h.Helper()
	r, started, err := GoOn(h.Context(), h.s, h.me, dir, "", o)
	if started || err != nil {
		return r, err
	}
	repo, err := exchange.OpenRepo(h.Context(), dir, "")
	h.must(err)
	n, err := exchange.Import(h.Context(), h.s, h.me, repo.History(h.Context(), func(string) {}))
	return Result{Imported: n.Changes}, err
}

// An import goes on after a rebase; commits that are nowhere any more are named, and a person lets it go on all the same.
func TestAnImportOfARewrittenRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone()
	for name, text := range map[string]string{"a.md": "a\n", "b.md": "b\n"} {
		w.commit(dir, "begin "+name, map[string]string{name: text})
	}
	ann := w.home("ann")
	if r, err := ann.importRepo(dir, Options{}); err != nil || r.Imported != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	w.commit(dir, "third", map[string]string{"a.md": "a\nthird\n"})
	if r, err := ann.importRepo(dir, Options{}); err != nil || len(r.Taken) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}

	// A rebase: another commit comes before those that are known, which are known again.
	w.git(dir, "branch", "old")
	w.git(dir, "reset", "--quiet", "--hard", "HEAD~2")
	w.commit2(dir, "below", map[string]string{"c.md": "c\n"})
	w.git(dir, "cherry-pick", "old~1", "old")
	if r, err := ann.importRepo(dir, Options{}); err != nil || len(r.Taken) != 1 || len(r.Held) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	want := map[string]string{"a.md": "a\nthird\n", "b.md": "b\n", "c.md": "c\n"}
	ann.stands(want)

	// All of it with other names, as after a filter.
	w.git(dir, "rebase", "--quiet", "--root", "--exec", `git commit --quiet --amend -m "$(git log -1 --format=%B && echo && echo seen)"`)
	w.commit2(dir, "fifth", map[string]string{"d.md": "d\n"})
	if r, err := ann.importRepo(dir, Options{}); err != nil || len(r.Taken) != 1 || len(r.Held) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	want["d.md"] = "d\n"
	ann.stands(want)

	// A commit goes, another comes.
	w.git(dir, "reset", "--quiet", "--hard", "HEAD~1")
	w.commit2(dir, "sixth", map[string]string{"e.md": "e\n"})
	r, err := ann.importRepo(dir, Options{})
	if lost := (*RewrittenError)(nil); !errors.As(err, &lost) || len(lost.Lost) != 1 || !strings.HasSuffix(lost.Lost[0], " fifth") || len(r.Taken) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	ann.stands(want)
	if r, err := ann.importRepo(dir, Options{Rewrite: true}); err != nil || len(r.Taken) != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	want["e.md"] = "e\n"
	ann.stands(want)
	if r, err := ann.importRepo(dir, Options{}); err != nil || len(r.Taken) > 0 {
		t.Errorf("it asks again: %+v, %v", r, err)
	}
	if n := len(ann.told()); n != 6 {
		t.Errorf("%d changes: %q", n, ann.told())
	}
}
