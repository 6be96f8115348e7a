package gitsync

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

func TestARepositoryWithSHA256(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.url += ".sha256"
	w.git(".", "init", "--quiet", "--bare", "--object-format=sha256", "--initial-branch=main", w.url)
	dir := filepath.Join(t.TempDir(), "tree")
	w.git(".", "init", "--quiet", "--object-format=sha256", "--initial-branch=main", dir)
	w.git(dir, "remote", "add", "origin", w.url)
	early := w.home("eve") // nobody can see of which kind an empty repository is
	early.write("a.md", "a\n")
	if _, err := early.trySync(Options{}); err == nil || !strings.Contains(err.Error(), "hash algorithm") {
		t.Errorf("%v", err)
	}
	w.commit(dir, "begin", map[string]string{"a.md": "1\n2\n3\n4\n5\n"})
	ann, bob := w.home("ann"), w.home("bob")
	ann.sync()
	bob.write("b.md", "b\n") // bob takes in change by change
	bob.sync()
	ann.write("a.md", "one\n2\n3\n4\n5\n")
	bob.write("a.md", "1\n2\n3\n4\nfive\n")
	ann.sync()
	if r := bob.sync(); !r.Merged {
		t.Errorf("%+v", r)
	}
	ann.sync()
	want := map[string]string{"a.md": "one\n2\n3\n4\nfive\n", "b.md": "b\n"}
	ann.stands(want)
	bob.stands(want)
	if head := branchOf(ann).Head; len(head) != 64 {
		t.Errorf("%s", head)
	}
	if r := ann.sync(); r.Sent+len(r.Taken) > 0 || r.Pushed {
		t.Errorf("%+v", r)
	}
}

func TestAShallowRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"a.md": "a\n"})
	w.commit(dir, "second", map[string]string{"a.md": "a\nb\n"})
	full := w.url
	w.url += ".shallow"
	w.git(".", "clone", "--quiet", "--bare", "--depth=1", "file://"+full, w.url)
	ann := w.home("ann")
	if _, err := ann.trySync(Options{}); !errors.Is(err, ErrShallow) {
		t.Errorf("%v", err)
	}
	ann.stands(map[string]string{})
	w.git(w.url, "fetch", "--quiet", "--unshallow")
	ann.sync()
	ann.stands(map[string]string{"a.md": "a\nb\n"})
	if n := len(ann.told()); n != 2 {
		t.Errorf("%d changes", n)
	}
}

// A file of 12 MB is left out by name, and is not read into memory; what comes with it comes in.
func TestAFileOf12MB(t *testing.T) { // not in parallel: it counts what is allocated
	w := newWorld(t)
	dir := w.clone()
	w.commit(dir, "huge", map[string]string{"huge.md": strings.Repeat("x\n", 6<<20), "a.md": "a\n"})
	for _, begun := range []bool{false, true} {
		h := w.home("ann")
		if begun {
			h.write("b.md", "b\n")
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := h.trySync(Options{NoPush: true})
		w.must(err)
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 10<<20 {
			t.Errorf("begun %v: it allocates %d MB", begun, grown>>20)
		}
		if len(r.LeftOut) != 1 || !strings.Contains(r.LeftOut[0], "huge.md") {
			t.Errorf("begun %v: %+v", begun, r)
		}
		texts := h.texts()
		delete(texts, "b.md")
		if len(texts) != 1 || texts["a.md"] != "a\n" {
			t.Errorf("begun %v: %d texts", begun, len(texts))
		}
	}
}

// A branch that has nothing in common with the known one is named, whether it took its place or is another repository's.
// Nothing is written here or there.
func TestABranchThatIsNoDescendant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "a\n")
	ann.sync()
	other := w.url + ".other"
	w.git(".", "init", "--quiet", "--bare", "--initial-branch=main", other)
	dir := filepath.Join(t.TempDir(), "tree")
	w.git(".", "init", "--quiet", "--initial-branch=main", dir)
	w.git(dir, "remote", "add", "origin", other)
	w.commit(dir, "other", map[string]string{"other.md": "other\n"})
	tip := w.git(other, "rev-parse", "main")
	ann.write("b.md", "b\n")
	want := map[string]string{"a.md": "a\n", "b.md": "b\n"}

	known := branchOf(ann)
	moved := known
	moved.URL = other
	if _, err := Sync(t.Context(), ann.s, ann.me, moved, Options{}); !errors.As(err, new(*UnrelatedError)) {
		t.Errorf("%v", err)
	}
	if got := branchOf(ann); got != known {
		t.Errorf("%+v, want %+v", got, known)
	}
	ann.stands(want)
	w.git(dir, "push", "--quiet", "--force", w.url, "HEAD:main")
	if _, err := ann.trySync(Options{}); !errors.As(err, new(*RewrittenError)) {
		t.Errorf("%v", err)
	}
	ann.stands(want)
	for _, url := range []string{w.url, other} {
		if got := w.git(url, "rev-parse", "main"); got != tip {
			t.Errorf("%s is %s, want %s", url, got, tip)
		}
	}
}

// The names of branches are names of files in the repository, too.
func TestABranchWhoseNameIsLikeAFileOfOurs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"marks-1", "marks-of/main"} {
		w := newWorld(t)
		ann, bob := w.home("ann"), w.home("bob")
		sync := func(h *home) {
			t.Helper()
			_, err := Sync(t.Context(), h.s, h.me, versions.Branch{URL: w.url, Name: name}, Options{Me: func() (name, email string) { return "", "" }, Subject: func(versions.Change, string) string { return "change" }})
			w.must(err)
		}
		ann.write("a.md", "one\n")
		sync(ann)
		sync(bob)
		bob.write("b.md", "b\n")
		sync(bob)
		sync(ann)
		ann.stands(map[string]string{"a.md": "one\n", "b.md": "b\n"})
	}
}
