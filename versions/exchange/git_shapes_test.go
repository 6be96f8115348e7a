package exchange

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	gitcmd "github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

// script commits a step: lines of "path text", "path -> link target", "path @ submodule", and "-path".
func (r *repo) script(lines string) {
	r.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		path, what, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case strings.HasPrefix(path, "-"):
			r.git("", "rm", "-q", "--cached", "-r", path[1:])
			continue
		case what == "@":
			r.git("", "update-index", "--add", "--replace", "--cacheinfo", "160000,"+strings.Repeat("1", 40)+","+path)
			continue
		}
		mode := "100644"
		if target, ok := strings.CutPrefix(what, "-> "); ok {
			mode, what = "120000", target
		}
		id := strings.TrimSpace(r.git(what, "hash-object", "-w", "--stdin"))
		r.git("", "update-index", "--add", "--replace", "--cacheinfo", mode+","+id+","+path)
	}
	r.git("", "commit", "-q", "--allow-empty", "-m", "step")
}

// listed are the files of a commit that can be memories, by git's own account.
func (r *repo) listed(commit string) map[string]string {
	r.Helper()
	return r.list(commit, map[string]string{})
}

// list is listed with the contents that are known already, by id.
func (r *repo) list(commit string, known map[string]string) map[string]string {
	r.Helper()
	out := map[string]string{}
	for line := range strings.SplitSeq(r.git("", "ls-tree", "-r", "-z", commit), "\x00") {
		head, path, ok := strings.Cut(line, "\t")
		if ok && strings.HasPrefix(head, "100") {
			id := strings.Fields(head)[2]
			if _, ok := known[id]; !ok {
				known[id] = r.git("", "cat-file", "blob", id)
			}
			out["/"+path] = known[id]
		}
	}
	return out
}

var long = strings.Repeat("a line that a rename is recognised by\n", 20)

func TestAFileThatBecomesAFolderAndBackKeepsEverything(t *testing.T) {
	t.Parallel()
	cases := map[string][]string{
		"file to folder":      {"notes text\nk.md k", "-notes\nnotes/refunds.md r\nnotes/style.md s"},
		"link to folder":      {"notes -> k.md\nk.md k", "-notes\nnotes/x.md x"},
		"submodule to folder": {"notes @\nk.md k", "-notes\nnotes/x.md x"},
		"rename into its own": {"notes " + strings.TrimSpace(strings.ReplaceAll(long, "\n", "")), "-notes\nnotes/style.md s\nnotes/refunds.md " + strings.TrimSpace(strings.ReplaceAll(long, "\n", ""))},
		"folder to file":      {"notes/a a\nnotes/b/c c", "-notes\nnotes text"},
		"folder to link":      {"notes/a a\nnotes/b/c c", "-notes\nnotes -> x"},
		"folder to submodule": {"notes/a a\nnotes/b/c c", "-notes\nnotes @"},
		"and back":            {"notes text", "-notes\nnotes/a a", "-notes\nnotes text", "-notes\nnotes/notes/notes deep"},
		"link to file":        {"a -> b\nb b", "-a\na b", "-a\na -> b"},
		"swapped":             {"a/x one and more\nb two and more", "-a\n-b\na two and more\nb/x one and more"},
		"file below a file":   {"a/b one", "-a\na two", "-a\na/b/c three", "-a\na/b four"},
	}
	for _, name := range sampled(cases) {
		steps := cases[name]
		t.Run(name, func(t *testing.T) {
			git, w := newRepo(t), newWorld(t)
			for _, step := range steps {
				git.script(step)
			}
			git.into(w, "")
			if got, want := w.tree(), git.listed("HEAD"); !maps.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// A rename into the folder of its own name keeps the memory.
func TestARenameIntoTheFolderOfItsNameKeepsTheMemory(t *testing.T) {
	t.Parallel()
	git, w := newRepo(t), newWorld(t)
	git.write("notes", long)
	git.commit("one")
	git.git("", "mv", "notes", "aside")
	git.write("notes/style.md", "style\n")
	git.git("", "mv", "aside", "notes/refunds.md")
	git.commit("two")
	git.silently(w)
	_, vs, err := history.Change(t.Context(), w.s, 2)
	w.must(err)
	if len(vs) != 2 || !slices.ContainsFunc(vs, func(v versions.Version) bool {
		return v.From == at("notes") && v.Path == at("notes/refunds.md") && v.Number == 2
	}) {
		t.Errorf("%+v", vs)
	}
}

var gitRuns = flag.Int("exchange.histories", 3, "random git histories that are imported and compared with git after every commit")

// forest makes random commits in which files, links and folders take each other's paths.
type forest struct {
	*rand.Rand
	now map[string]string // path -> mode and text
	out bytes.Buffer      // for git fast-import
}

func (f *forest) free(path string) {
	for p := range f.now {
		if p == path || strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/") {
			delete(f.now, p)
		}
	}
}

func (f *forest) path() string {
	names := []string{"a", "b", "c"}
	p := names[f.IntN(3)]
	for f.IntN(2) == 0 && len(p) < 6 {
		p += "/" + names[f.IntN(3)]
	}
	return p
}

func (f *forest) step() {
	for range 1 + f.IntN(4) {
		p := f.path()
		switch paths := slices.Sorted(maps.Keys(f.now)); {
		case len(paths) > 0 && f.IntN(3) == 0: // a rename, perhaps with an edit
			old := paths[f.IntN(len(paths))]
			what := f.now[old]
			delete(f.now, old)
			f.free(p)
			if f.now[p] = what; f.IntN(3) == 0 && !strings.HasPrefix(what, "120000") {
				f.now[p] += "more\n"
			}
		case len(paths) > 0 && f.IntN(4) == 0:
			delete(f.now, paths[f.IntN(len(paths))])
		default:
			f.free(p)
			mode := []string{"100644", "100644", "100644", "100755", "120000"}[f.IntN(5)]
			f.now[p] = mode + " " + strings.Repeat(fmt.Sprintf("text %d of a file\n", f.IntN(12)), 1+f.IntN(6))
		}
	}
}

// commit writes a commit whose tree is the present one.
func (f *forest) commit(n int) {
	fmt.Fprintf(&f.out, "commit refs/heads/main\nmark :%d\ncommitter A <a@b> %d +0000\ndata 1\nm\n", n, 1_700_000_000+n)
	if n > 1 {
		fmt.Fprintf(&f.out, "from :%d\n", n-1)
	}
	f.out.WriteString("deleteall\n")
	for _, p := range slices.Sorted(maps.Keys(f.now)) {
		mode, text, _ := strings.Cut(f.now[p], " ")
		fmt.Fprintf(&f.out, "M %s inline %s\ndata %d\n%s\n", mode, p, len(text), text)
	}
}

func TestRandomHistoriesAreImportedAsGitHasThem(t *testing.T) {
	t.Parallel()
	rnd := random(t)
	var w *world
	for run := range *gitRuns {
		if run%100 == 0 { // a home of thousands of stores is slow
			w = newWorld(t)
		}
		f := &forest{Rand: rnd, now: map[string]string{}}
		git := newRepo(t)
		commits := 3 + rnd.IntN(10)
		for n := range commits {
			f.step()
			f.commit(n + 1)
		}
		git.git(f.out.String(), "fast-import", "--quiet")
		git.compared(w, run)
		if t.Failed() {
			t.Fatalf("in history %d", run)
		}
		_ = os.RemoveAll(git.dir)
	}
}

// compared imports a repository into a store of its own and compares the memories with git's files after every commit.
func (r *repo) compared(w *world, run int) {
	r.Helper()
	dir := w.TempDir()
	info, err := stores.CreateStore(w.Context(), w.trail, owner, fmt.Sprintf("run%d", run), "", dir)
	w.must(err)
	s, err := w.trail.OpenStore(w.Context(), info.ID)
	w.must(err)
	defer s.Close()
	_, err = Import(w.Context(), s, owner, r.open("").History(w.Context(), func(string) {}))
	w.must(err)
	ids := strings.Fields(r.git("", "rev-list", "--reverse", "main"))
	trees := map[string]map[string]versions.Hash{} // by the session, which is the commit's id
	now := map[versions.MemoryID]versions.RecordVersion{}
	w.must(Export(w.Context(), s, func(it versions.Item) error {
		if it.Record == nil {
			return nil
		}
		for _, v := range it.Record.Versions {
			if now[v.Memory] = v; v.Operation == versions.Deleted {
				delete(now, v.Memory)
			}
		}
		tree := map[string]versions.Hash{}
		for _, v := range now {
			tree[v.Path.Rel()] = v.SHA256
		}
		trees[string(it.Record.By.Session)] = tree
		return nil
	}))
	last, known := map[string]versions.Hash{}, map[string]string{}
	for i, id := range ids {
		if tree := trees[id]; tree != nil {
			last = tree
		}
		if want := r.hashes(id, known); !maps.Equal(last, want) {
			r.Errorf("after commit %d of %d:\n%v\nwant\n%v\n%s", i+1, len(ids), slices.Sorted(maps.Keys(last)), slices.Sorted(maps.Keys(want)), r.git("", "log", "--reverse", "--raw", "-M"))
			return
		}
	}
	w.must(os.RemoveAll(dir))
}

// hashes are the files of a commit that can be memories.
func (r *repo) hashes(commit string, known map[string]string) map[string]versions.Hash {
	r.Helper()
	out := map[string]versions.Hash{}
	for path, text := range r.list(commit, known) {
		out[path[1:]] = hashOf([]byte(text))
	}
	return out
}

func TestHostileTreesAreLeftOutOrRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		entries []string
		left    int
		want    string // of the error; "": /ok alone is imported
	}{
		"up":              {[]string{"100644 ..", "100644 ok"}, 1, ""},
		"current":         {[]string{"100644 .", "100644 ok"}, 1, ""},
		"slash":           {[]string{"100644 ../a", "100644 /etc/x", "100644 b//c", "100644 ok"}, 3, ""},
		"git's own":       {[]string{"100644 .GIT", "100644 x/.git/config", "100644 ok"}, 2, ""},
		"newline":         {[]string{"100644 a\nb", "100644 d\x1b[2J", "100644 ok"}, 2, ""},
		"not UTF-8":       {[]string{"100644 \xff", "100644 ok"}, 1, ""},
		"links":           {[]string{"120000 a", "160000 b", "100644 ok"}, 2, ""},
		"twice":           {[]string{"100644 a", "100644 a", "100644 ok"}, 0, "not a sound history"},
		"file and folder": {[]string{"100644 a", "100644 a/b", "100644 ok"}, 0, "not a sound history"},
	} {
		t.Run(name, func(t *testing.T) {
			git, w := newRepo(t), newWorld(t)
			git.raw(git.tree(c.entries...), "a <a@b>", "m")
			var left []string
			_, err := Import(t.Context(), w.s, owner, git.open("").History(t.Context(), func(what string) { left = append(left, what) }))
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
				w.untouched()
				return
			}
			w.must(err)
			if got := w.tree(); !maps.Equal(got, map[string]string{"/ok": "hello\n"}) || len(left) != c.left {
				t.Errorf("%q, left %q", got, left)
			}
		})
	}
}

// wrote commits what is in the work tree at two times.
func (r *repo) wrote(author, written, committed string) {
	r.Helper()
	r.Setenv("GIT_COMMITTER_DATE", committed)
	r.git("", "add", "-A")
	r.git("", "commit", "-q", "-m", author, "--author", author+" <"+author+"@example.com>", "--date", written)
}

func TestAChangeHasTheAuthorAndTheTimeOfAuthorship(t *testing.T) {
	git := newRepo(t)
	git.write("a.md", "one\n")
	git.wrote("ann", "2023-01-01T00:00:00Z", "2024-05-05T05:05:05Z")
	git.write("a.md", "one\ntwo\n")
	git.wrote("bob", "2023-02-01T00:00:00Z", "2024-05-05T05:05:05Z")
	git.write("b.md", "b\n")
	git.wrote("cyd", "2033-03-01T00:00:00Z", "2024-05-05T05:05:06Z") // a wrong clock
	said := func(dir string) (out []string) {
		w := newWorld(t)
		_, left := (&repo{t, dir}).into(w, "")
		changes, err := history.Changes(t.Context(), w.s, versions.Filter{}, 0, 10)
		w.must(err)
		for _, c := range changes {
			out = append(out, fmt.Sprintf("%s %s %s %d found", c.Time.UTC().Format("2006-01-02"), c.Actor.Kind, c.Actor.Name, c.Effect.Found))
		}
		return append(out, left...)
	}
	third, second := "2024-05-05 person cyd 0 found", "2023-02-01 person bob 0 found"
	if got := said(git.dir); !slices.Equal(got, []string{third, second, "2023-01-01 person ann 0 found"}) {
		t.Errorf("%q", got)
	}
	// The author of the first commit of a shallow clone did not write all that it holds.
	shallow := filepath.Join(t.TempDir(), "r")
	git.git("", "clone", "-q", "--depth", "2", "file://"+git.dir, shallow)
	if got := said(shallow); len(got) != 3 || got[0] != third || got[1] != "2023-02-01 outside  1 found" || !strings.HasPrefix(got[2], "this is a shallow clone: ") {
		t.Errorf("%q", got)
	}
}

func TestAMissingObjectIsNamedAsGitDoes(t *testing.T) {
	git := newRepo(t)
	git.write("notes/a.md", "one\n")
	git.commit("one")
	id := strings.TrimSpace(git.git("", "rev-parse", "HEAD:notes/a.md"))
	if err := os.Remove(filepath.Join(git.dir, ".git", "objects", id[:2], id[2:])); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	_, err := Import(t.Context(), w.s, owner, git.open("").History(t.Context(), func(string) {}))
	if want := `"notes/a.md": git in ` + git.dir + `: the git repository is damaged: git says "` + id + ` missing"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
	w.untouched()
}

func TestEveryKindOfRepositoryIsImportedOrRefusedByName(t *testing.T) {
	git := newRepo(t)
	git.write("a.md", "one\n")
	git.write("mem/b\\c.md", "two\n")
	git.write("big.md", strings.Repeat("x", versions.DefaultMaxBytes+1))
	git.commit("one")
	git.write("a.md", "three\n")
	git.git("", "rm", "-q", "-r", "--cached", "mem")
	git.git("", "commit", "-q", "-am", "two")
	want := map[string]string{"/a.md": "three\n"}
	check := func(name, dir, subdir string, changes int, lefts int) {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			n, left := (&repo{t, dir}).into(w, subdir)
			if got := w.tree(); n.Changes != changes || len(left) != lefts || subdir == "" && !maps.Equal(got, want) {
				t.Errorf("%+v, %q, %q", n, left, got)
			}
		})
	}
	other := func(args ...string) string {
		dir := filepath.Join(t.TempDir(), "r")
		git.git("", append(args, dir)...)
		return dir
	}
	check("plain", git.dir, "", 2, 1)
	check("a deleted folder", git.dir, "mem", 2, 0)
	check("bare", other("clone", "-q", "--bare", git.dir), "", 2, 1)
	check("shallow", other("clone", "-q", "--depth", "1", "file://"+git.dir), "", 1, 2)
	check("worktree", other("worktree", "add", "-q", "--detach"), "", 2, 1)
	t.Setenv("GIT_DIR", t.TempDir())
	t.Setenv("GIT_WORK_TREE", t.TempDir())
	t.Setenv("GIT_CONFIG_COUNT", "x")
	check("a misleading environment", git.dir, "", 2, 1)
	os.Unsetenv("GIT_DIR")
	os.Unsetenv("GIT_WORK_TREE")
	os.Unsetenv("GIT_CONFIG_COUNT")
	for _, c := range []string{"log.showRoot false", "log.follow true", "log.diffMerges off", "diff.renames false", "diff.relative true", "log.showSignature true",
		"gpg.program false", "format.pretty oneline", "diff.orderFile nowhere", "diff.ignoreSubmodules all", "i18n.logOutputEncoding UTF-16", "color.ui always", "core.pager false"} {
		key, value, _ := strings.Cut(c, " ")
		git.git("", "config", key, value)
	}
	check("misleading settings", git.dir, "", 2, 1)

	sha256 := &repo{t, t.TempDir()}
	sha256.git("", "init", "-q", "-b", "main", "--object-format=sha256")
	sha256.write("a.md", "three\n")
	sha256.commit("one")
	check("SHA-256", sha256.dir, "", 1, 0)

	if _, err := OpenRepo(t.Context(), newRepo(t).dir, ""); !errors.Is(err, ErrNoCommits) {
		t.Error(err)
	}
	lost := strings.TrimSpace(sha256.git("", "rev-parse", "HEAD:a.md"))
	if err := os.Remove(filepath.Join(sha256.dir, ".git/objects", lost[:2], lost[2:])); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	if _, err := Import(t.Context(), w.s, owner, sha256.open("").History(t.Context(), func(string) {})); err == nil || !strings.Contains(err.Error(), lost) {
		t.Error(err)
	}
	w.untouched()
	if os.Geteuid() == 0 {
		if err := os.Chown(git.dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenRepo(t.Context(), git.dir, ""); err == nil || !strings.Contains(err.Error(), "safe.directory") {
			t.Error(err)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := OpenRepo(t.Context(), git.dir, ""); !errors.Is(err, gitcmd.ErrNone) {
		t.Error(err)
	}
	old := filepath.Join(os.Getenv("PATH"), "git")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho git version 2.29.9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenRepo(t.Context(), git.dir, ""); !errors.Is(err, gitcmd.ErrNone) || !strings.Contains(err.Error(), "2.29.9") {
		t.Error(err)
	}
}

func TestACanceledImportLeavesNothing(t *testing.T) {
	t.Parallel()
	git, w := newRepo(t), newWorld(t)
	git.script("a one")
	git.script("a two")
	ctx, cancel := context.WithCancel(t.Context())
	source := git.open("").History(ctx, func(string) {})
	_, err := Import(t.Context(), w.s, owner, func(yield func(versions.Item, error) bool) {
		for it, err := range source {
			cancel()
			if !yield(it, err) {
				return
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.untouched()
}

func TestADifferenceFromTheTreeFailsTheImport(t *testing.T) {
	t.Parallel()
	git, w := newRepo(t), newWorld(t)
	for _, name := range []string{"a", "b", "c", "d"} {
		git.write(name, name)
	}
	git.commit("one")
	first := git.open("")
	git.write("a", "other")
	git.git("", "rm", "-q", "b")
	git.write("e", "e")
	git.commit("two")
	g := &gitReader{Repo: git.open(""), notice: func(string) {}, blobs: map[string]blob{}, left: map[string]bool{}, result: newResult()}
	for it, err := range first.History(t.Context(), func(string) {}) {
		w.must(err)
		if it.Record != nil {
			g.result.apply(it.Record)
		}
	}
	if err := g.compare(t.Context()); !errors.Is(err, versions.ErrUnsound) || !strings.Contains(err.Error(), `["a" "b" "c"]`) {
		t.Error(err)
	}
}
