package gitsync

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

// What was erased here and comes again, because somebody merged an old clone into the branch, waits for a person: the commits
// that had it, whoever made them, and a merge that takes their text. What they did else comes in once, as before.
func TestWhatWasErasedComesAgain(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "a\n")
	ann.write("leak.md", "the password is "+secret+"\n")
	ann.write("leak.md", "the password is gone\n")
	ann.write("a.md", "a\nmore\n")
	ann.sync()
	dir := w.clone()
	w.commit(dir, "tess leaks it too", map[string]string{"tess.md": "it is " + secret + "\n", "harmless.md": "harmless\n"})
	leaked := w.git(dir, "rev-parse", "HEAD~3") // ann's
	if got := w.git(dir, "show", leaked+":leak.md"); !strings.Contains(got, secret) {
		t.Fatal(got)
	}
	w.commit(dir, "tess corrects it", map[string]string{"tess.md": "it is gone\n"})
	ann.sync()
	plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)})
	w.must(err)
	receipt, err := redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
	w.must(err)
	if receipt.Outcome != versions.OutcomeGone {
		t.Fatalf("%+v", receipt)
	}
	if _, err := ann.trySync(Options{Rewrite: true}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a.md": "a\nmore\n", "leak.md": "the password is gone\n", "tess.md": "it is gone\n", "harmless.md": "harmless\n"}
	ann.stands(want)
	ann.write("a.md", "all other\n")
	ann.write("leak.md", "nothing\n")
	ann.sync()
	want["a.md"], want["leak.md"] = "all other\n", "nothing\n"

	w.commit2(dir, "on the old clone", map[string]string{"tess.md": "it is gone\nmore\n"})
	w.git(dir, "fetch", "--quiet")
	w.git(dir, "merge", "--quiet", "--no-edit", "--allow-unrelated-histories", "-X", "theirs", "origin/main")
	w.git(dir, "checkout", "--quiet", "HEAD~1", "--", "tess.md")
	w.git(dir, "checkout", "--quiet", leaked, "--", "leak.md")
	w.git(dir, "commit", "--quiet", "--amend", "--no-edit")
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
	p, err := Look(t.Context(), ann.s, ann.me, branchOf(ann), Options{})
	w.must(err)
	if len(p.Held) != 3 || len(p.Conflicts) > 0 {
		t.Errorf("held: %q, conflicts: %q", p.Held, p.Conflicts)
	}
	want["tess.md"] = "it is gone\nmore\n"
	for i := range 2 { // the second time, nothing is held twice
		r := ann.sync()
		if n := map[int]int{0: 3}[i]; len(r.Held) != n || len(r.Taken) != 1-i || r.Sent > 0 {
			t.Errorf("sync %d: %+v", i, r)
		}
		ann.stands(want)
	}
	if known, err := IsShared(t.Context(), ann.s, leaked); err != nil || known {
		t.Errorf("the name of the commit, a hash of its text, is kept: %v", err)
	}
	held, err := review.Held(t.Context(), ann.s, versions.HeldFilter{State: versions.HeldWaiting})
	w.must(err)
	for _, h := range held {
		if !strings.Contains(h.Rule, "was erased here") {
			t.Errorf("#%d: %q", h.Number, h.Rule)
		}
		w.must(review.Reject(t.Context(), ann.s, ann.me, h.Number, "no"))
	}
	if len(held) != 3 {
		t.Errorf("%+v", held)
	}
	if text, err := os.ReadFile(filepath.Join(ann.folder, "leak.md")); err != nil || strings.Contains(string(text), secret) {
		t.Errorf("%q, %v", text, err)
	}
	ann.sync()
	if got := w.tree(); got["leak.md"] != want["leak.md"] || got["tess.md"] != want["tess.md"] {
		t.Errorf("the branch has %q", got)
	}
	if r := ann.sync(); len(r.Taken)+r.Sent+len(r.Held) != 0 || r.Pushed {
		t.Errorf("%+v", r)
	}
	if n := len(ann.told()); n != 9 {
		t.Errorf("%d changes: %q", n, ann.told())
	}
}

func branchOf(h *home) versions.Branch {
	b, _, err := Branch(h.Context(), h.s)
	h.must(err)
	return b
}

// A branch was rebased and followed; then somebody merges a clone from before. Its commits are known.
func TestACloneFromBeforeARebaseBringsNothingTwice(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"a.md": "a\n"})
	ann.sync()
	ann.write("b.md", "b\n")
	ann.write("b.md", "b\nmore\n")
	ann.sync()
	w.git(dir, "fetch", "--quiet")
	w.git(dir, "branch", "before", "origin/main")
	w.git(dir, "reset", "--quiet", "--hard", "origin/main~2")
	w.commit2(dir, "below", map[string]string{"c.md": "c\n"})
	w.git(dir, "cherry-pick", "origin/main~1", "origin/main")
	w.git(dir, "push", "--quiet", "--force", "origin", "HEAD:main")
	ann.sync()
	ann.write("b.md", "rewritten\n")
	ann.sync()
	w.git(dir, "pull", "--quiet", "--ff-only", "origin", "main")
	w.git(dir, "merge", "--quiet", "--no-edit", "-X", "ours", "before")
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
	if r := ann.sync(); len(r.Taken)+len(r.Held)+r.Sent > 0 {
		t.Errorf("%+v", r)
	}
	ann.stands(map[string]string{"a.md": "a\n", "b.md": "rewritten\n", "c.md": "c\n"})
}

// A branch that is made anew names what others did there and changed nothing here, or was rejected: for them it has all that
// they know.
func TestANewBranchHasWhatChangedNothingHere(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("begin.md", "begin\n")
	ann.write("leak.md", secret)
	ann.write("leak.md", "gone\n")
	ann.sync()
	bob.sync()
	bob.write("same.md", "same\n")
	bob.write("other.md", "bob's\n")
	bob.sync()
	ann.write("same.md", "same\n")
	ann.write("other.md", "ann's\n")
	r := ann.sync()
	if len(r.Held) != 1 {
		t.Fatalf("%+v", r)
	}
	w.must(review.Reject(t.Context(), ann.s, ann.me, r.Held[0], "no"))
	ann.sync()
	bob.sync()
	plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)})
	w.must(err)
	_, err = redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
	w.must(err)
	if _, err := ann.trySync(Options{Rewrite: true}); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*home{bob, ann, bob} {
		if r := h.sync(); len(r.Taken)+len(r.Held)+r.Sent > 0 || r.Pushed {
			t.Errorf("%s: %+v", h.me.Actor.Name, r)
		}
		h.stands(map[string]string{"begin.md": "begin\n", "leak.md": "gone\n", "same.md": "same\n", "other.md": "ann's\n"})
	}
}

// Somebody pushes while a home rewrites the branch: a rewrite without a redacted text takes that in and keeps it, whether the
// text is in the first commit or a later one, and whether the rewrite goes on or was stopped. One that a person asked for
// replaces nothing.
func TestAPushBesideARewrite(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	for _, kind := range []string{"in the first commit", "stopped, in a later commit", "asked for"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ann := w.home("ann")
			want := map[string]string{"leak.md": "gone\n", "more.md": "more\n", "tess1.md": "tess\n", "tess2.md": "tess\n"}
			if strings.HasSuffix(kind, "later commit") {
				want["begin.md"] = "begin\n"
				ann.write("begin.md", "begin\n")
			}
			ann.write("leak.md", "the password is "+secret+"\n")
			ann.write("leak.md", "gone\n")
			ann.sync()
			dir := w.clone()
			if kind != "asked for" {
				plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)})
				w.must(err)
				_, err = redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
				w.must(err)
			}
			ann.write("more.md", "more\n")
			pushes, stopped := 0, errors.New("stopped")
			ann.step = func(name string) error {
				if name != "given out" || pushes == 2 {
					return nil
				}
				pushes++
				w.commit(dir, "meanwhile", map[string]string{fmt.Sprintf("tess%d.md", pushes): "tess\n"})
				if strings.HasPrefix(kind, "stopped") {
					return stopped
				}
				return nil
			}
			_, err := ann.trySync(Options{Rewrite: true})
			if kind == "asked for" {
				if moved := (*MovedError)(nil); !errors.As(err, &moved) || !moved.Rewrite || w.tree()["tess1.md"] != "tess\n" {
					t.Errorf("%v; the branch has %q", err, w.tree())
				}
				return
			}
			for errors.Is(err, stopped) {
				_, err = ann.trySync(Options{Rewrite: true})
			}
			w.must(err)
			ann.stands(want)
			if all := w.git(w.url, "log", "-p", "main"); strings.Contains(all, secret) || !maps.Equal(w.tree(), want) || pushes != 2 {
				t.Errorf("%d pushes; the branch has %q: %s", pushes, w.tree(), all)
			}
			if r := ann.sync(); len(r.Taken)+len(r.Held)+r.Sent > 0 || r.Pushed {
				t.Errorf("again: %+v", r)
			}
		})
	}
}

// After a redaction the branch keeps all commits, and all that is none of the store's, as it was: other folders, links,
// files that are left out, merges. Only the commits that brought the text are others, and what comes after them.
func TestARewriteKeepsWhatIsNoneOfTheStores(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	dir := w.clone()
	large := strings.Repeat("x", versions.DefaultMaxBytes+1)
	w.commit2(dir, "begin", map[string]string{"README.md": "read me\n", "src/x.go": "code\n", "notes/a.md": "a\n", "notes/large.md": large})
	begin := w.git(dir, "rev-parse", "HEAD")
	w.commit2(dir, "tell the password "+secret, map[string]string{"notes/leak.md": "the password is " + secret + "\n", "notes/b.md": "b\n"})
	w.commit2(dir, "only code", map[string]string{"src/x.go": "more code\n"})
	w.git(dir, "checkout", "--quiet", "-b", "side", begin)
	w.commit2(dir, "on the side", map[string]string{"docs/side.md": "side\n"})
	w.git(dir, "checkout", "--quiet", "main")
	w.git(dir, "merge", "--quiet", "--no-edit", "side")
	w.must(os.Symlink("a.md", filepath.Join(dir, "notes", "link")))
	w.commit(dir, "a link", map[string]string{"notes/leak.md": "the password is gone\n"})
	ann := w.home("ann")
	sync := func(o Options) (Result, error) {
		t.Helper()
		if _, ok, err := Branch(t.Context(), ann.s); err == nil && !ok {
			b := versions.Branch{URL: w.url, Name: "main", Subdir: "notes"}
			o.Me, o.Subject = func() (name, email string) { return }, func(versions.Change, string) string { return "it" }
			return Sync(t.Context(), ann.s, ann.me, b, o)
		}
		return ann.trySync(o)
	}
	_, err := sync(Options{})
	w.must(err)
	plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)})
	w.must(err)
	_, err = redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
	w.must(err)
	before := w.tree()
	if r, err := sync(Options{Rewrite: true}); err != nil || !r.Pushed {
		t.Fatalf("%+v, %v", r, err)
	}
	if after := w.tree(); !maps.Equal(before, after) {
		t.Errorf("%q", slices.Collect(maps.Keys(after)))
	}
	if all := w.git(w.url, "log", "-p", "-m", "--root", "main"); strings.Contains(all, secret) {
		t.Error("it is still there")
	}
	subjects := strings.Fields(strings.ReplaceAll(w.git(w.url, "log", "--format=%s", "main"), " ", "_"))
	slices.Sort(subjects)
	if want := []string{"A_change_whose_text_was_erased", "Merge_branch_'side'", "a_link", "begin", "on_the_side", "only_code"}; !slices.Equal(subjects, want) {
		t.Errorf("%q", subjects)
	}
	if got := w.git(w.url, "merge-base", begin, "main"); got != begin {
		t.Errorf("the commits before it have other names")
	}
	if erased := w.git(w.url, "log", "--format=%H", "--grep=was erased", "main"); w.git(w.url, "show", erased+":notes/b.md") != "b" {
		t.Error("the other file of the commit is gone")
	}
}

// A name that was erased leaves the branch too, though its text is still another memory's.
func TestARewriteLeavesNoErasedName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone()
	w.commit2(dir, "begin", map[string]string{"b.md": "b\n"})
	w.commit2(dir, "made secret \"place\".md", map[string]string{"secret \"pläce\".md": "b\n", "c.md": "c\n"})
	w.git(dir, "rm", "--quiet", "secret \"pläce\".md")
	w.commit(dir, "no secret any more", map[string]string{"d.md": "d\n"})
	ann := w.home("ann")
	ann.sync()
	plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte("secret \"pläce\"")})
	w.must(err)
	_, err = redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
	w.must(err)
	before := w.tree()
	_, err = ann.trySync(Options{Rewrite: true})
	w.must(err)
	if all := w.git(w.url, "log", "--name-only", "main"); strings.Contains(all, "secret") {
		t.Errorf("%s", all)
	}
	if after := w.tree(); !maps.Equal(before, after) {
		t.Errorf("%q", after)
	}
	tip := w.git(w.url, "rev-parse", "main")
	if r := ann.sync(); r.Pushed || w.git(w.url, "rev-parse", "main") != tip {
		t.Errorf("again: %+v", r)
	}
}
