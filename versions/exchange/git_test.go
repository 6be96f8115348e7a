package exchange

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
)

// repo is a git repository of its own; the test is skipped where git is not there.
type repo struct {
	testing.TB
	dir string
}

func newRepo(t testing.TB) *repo {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	r := &repo{t, t.TempDir()}
	r.git("", "init", "-q", "-b", "main")
	return r
}

func (r *repo) git(in string, args ...string) string {
	r.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Stdin = strings.NewReader(in)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "TZ=UTC")
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (r *repo) write(path, content string) {
	r.Helper()
	at := filepath.Join(r.dir, path)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(content), 0o644)); err != nil {
		r.Fatal(err)
	}
}

func (r *repo) commit(message string) {
	r.Helper()
	r.git("", "add", "-A")
	r.git("", "commit", "-q", "--allow-empty", "-m", message)
}

// files is what the work tree holds.
func (r *repo) files() map[string]string {
	r.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(r.dir, func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			if e != nil && e.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		b, err := os.ReadFile(p)
		out[strings.TrimPrefix(p, r.dir)] = string(b)
		return err
	})
	if err != nil {
		r.Fatal(err)
	}
	return out
}

// open opens the repository for import.
func (r *repo) open(subdir string) *Repo {
	r.Helper()
	src, err := OpenRepo(r.Context(), r.dir, subdir)
	if err != nil {
		r.Fatal(err)
	}
	return src
}

// into imports what git has of the repository; left is what was reported.
func (r *repo) into(w *world, subdir string) (n versions.Imported, left []string) {
	r.Helper()
	n = w.take(r.open(subdir).History(w.Context(), func(what string) { left = append(left, what) }))
	return n, left
}

// silently imports the repository, which has nothing to report.
func (r *repo) silently(w *world) {
	r.Helper()
	if _, left := r.into(w, ""); len(left) > 0 {
		r.Error(left)
	}
}

// raw makes the branch main point to a commit that git would not write itself.
func (r *repo) raw(tree, author, message string) {
	r.Helper()
	commit := fmt.Sprintf("tree %s\nauthor %s 1700000000 +0100\ncommitter Ann <ann@example.com> 1700000000 +0100\n\n%s", tree, author, message)
	id := strings.TrimSpace(r.git(commit, "hash-object", "-t", "commit", "-w", "--stdin", "--literally"))
	r.git("", "update-ref", "refs/heads/main", id)
}

// tree writes a tree that git would not write itself; entries are "100644 NAME" by order, all with the same content.
func (r *repo) tree(entries ...string) string {
	r.Helper()
	blob, err := hex.DecodeString(strings.TrimSpace(r.git("hello\n", "hash-object", "-w", "--stdin")))
	if err != nil {
		r.Fatal(err)
	}
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e + "\x00" + string(blob))
	}
	return strings.TrimSpace(r.git(b.String(), "hash-object", "-t", "tree", "-w", "--stdin", "--literally"))
}

func TestAHistoryGoesThroughGitAndComesBackAsItWas(t *testing.T) {
	t.Parallel()
	rnd := random(t)
	for range *grownRuns {
		git, a, b := newRepo(t), newWorld(t), newWorld(t)
		a.grow(rnd, 80)
		a.say()
		a.redact()
		stream := a.git()
		git.git(string(stream), "fast-import", "--quiet")
		git.git("", "fsck", "--strict")
		git.git("", "reset", "-q", "--hard", "main")
		if got := git.files(); !maps.Equal(got, a.tree()) {
			t.Fatalf("the work tree is %q, want %q", got, a.tree())
		}
		git.silently(b)
		same(t, "the history", b.told(true), a.told(true))
		same(t, "the second stream", string(b.git()), string(stream))
		if !maps.Equal(b.tree(), a.tree()) {
			t.Errorf("the tree is %q, want %q", b.tree(), a.tree())
		}
	}
}

// Each commit's tree is the tree of its change.
func TestEachCommitHoldsTheTreeOfItsChange(t *testing.T) {
	t.Parallel()
	git, w := newRepo(t), newWorld(t)
	w.grow(random(t), 120)
	git.git(string(w.git()), "fast-import", "--quiet")
	var want []string
	now := map[versions.MemoryID]string{}
	w.must(Export(t.Context(), w.s, func(it versions.Item) error {
		if it.Record == nil {
			return nil
		}
		for _, v := range it.Record.Versions {
			if now[v.Memory] = v.Path.Rel(); v.Operation == versions.Deleted {
				delete(now, v.Memory)
			}
		}
		want = append(want, strings.Join(slices.Sorted(maps.Values(now)), "\n"))
		return nil
	}))
	for i, c := range strings.Fields(git.git("", "rev-list", "--reverse", "main")) {
		names := strings.Split(strings.TrimSuffix(git.git("", "-c", "core.quotePath=false", "ls-tree", "-rz", "--name-only", c), "\x00"), "\x00")
		slices.Sort(names)
		if got := strings.Join(names, "\n"); got != want[i] {
			t.Fatalf("commit of change %d holds\n%s\nwant\n%s", i+1, got, want[i])
		}
	}
}

// A swap, a file that becomes a folder, a chain of renames: paths that depend on
// each other inside one change.
func TestPathsThatDependOnEachOtherGoThroughGit(t *testing.T) {
	t.Parallel()
	c := func(s string) versions.Item { return versions.Item{Content: []byte(s)} }
	v := func(id string, op versions.Operation, from, to, content string) versions.RecordVersion {
		v := versions.RecordVersion{Memory: versions.MemoryID("mem_" + strings.Repeat(id, 24)), Operation: op, Path: at(to), From: at(from)}
		if op != versions.Deleted {
			v.SHA256 = hashOf([]byte(content))
		}
		return v
	}
	n := int64(0)
	r := func(vs ...versions.RecordVersion) versions.Item {
		n++
		return versions.Item{Record: &versions.Record{Number: n, Kind: "edit", Versions: vs, Time: versions.Record{}.Time.AddDate(2025, 0, int(n)),
			By: versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "x"}}}}
	}
	items := []versions.Item{c("1"), c("2"), c("3"),
		r(v("a", "created", "", "x", "1"), v("b", "created", "", "y", "2"), v("c", "created", "", "z/z", "3")),
		r(v("a", "modified", "x", "y", "1"), v("b", "modified", "y", "x", "2")),                                        // swapped
		r(v("a", "modified", "y", "z/z", "3"), v("b", "modified", "x", "y", "2"), v("c", "modified", "z/z", "x", "1")), // in a circle
		r(v("a", "modified", "z/z", "y/deep", "3"), v("b", "modified", "y", "z", "2")),                                 // file <-> folder
		r(v("a", "modified", "y/deep", "y", "3")),                                                                      // up
		r(v("a", "deleted", "", "y", ""), v("d", "created", "", "y", "3")),                                             // one goes, another comes
		r(v("d", "modified", "y", "y/y", "3")),                                                                         // down
		r(v("b", "modified", "z", "w", "2"), v("c", "modified", "x", "v", "1")),                                        // plain renames
		r(v("b", "modified", "w", "v", "1"), v("c", "deleted", "", "v", "")),                                           // over what goes
		r(v("a", "created", "", "a", "1"), v("b", "modified", "v", "u", "2"), v("d", "modified", "y/y", "y/x", "3")),   // revived
	}
	seq := func(yield func(versions.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
	git, a, b := newRepo(t), newWorld(t), newWorld(t)
	a.take(seq)
	git.git(string(a.git()), "fast-import", "--quiet")
	git.git("", "reset", "-q", "--hard", "main")
	if got := git.files(); !maps.Equal(got, a.tree()) {
		t.Fatalf("the work tree is %q, want %q", got, a.tree())
	}
	git.silently(b)
	same(t, "the history", b.told(true), a.told(true))
}

func TestNothingRedactedIsInAGitStream(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "ann"}}
	for i := range 30 {
		_, err := w.s.Write(t.Context(), by, at("a"), fmt.Appendf(nil, "content %d.", i), versions.Pre{})
		w.must(err)
	}
	w.redact()
	stream, lines := string(w.git()), string(w.json())
	gone := 0
	for i := range 30 {
		in := strings.Contains(stream, fmt.Sprintf("content %d.", i))
		if !in {
			gone++
		}
		if in != strings.Contains(lines, fmt.Sprintf("content %d.", i)) {
			t.Errorf("content %d: git and JSON differ", i)
		}
	}
	if gone < 9 || strings.Count(stream, `"redacted_at"`) != gone || strings.Count(lines, `"redacted_at"`) != gone {
		t.Errorf("%d contents gone, %d marked", gone, strings.Count(stream, `"redacted_at"`))
	}
}

func TestAForeignRepositoryBecomesAHistory(t *testing.T) {
	t.Parallel()
	git, w := newRepo(t), newWorld(t)
	git.write("mem/a.md", "one\ntwo\nthree\nfour\n")
	git.write("code/main.go", "package main\n")
	git.commit("first")
	git.write("code/other.go", "package main\n")
	git.commit("not about memories")
	git.git("", "mv", "mem/a.md", "mem/b c.md")
	git.write("mem/ünï", "x\r\n")
	git.commit("rename")
	git.git("", "checkout", "-q", "-b", "side")
	git.write("mem/side", "side\n")
	git.commit("on a side branch")
	git.git("", "checkout", "-q", "main")
	git.write("mem/b c.md", "one\ntwo\nthree\nfive\n")
	git.commit("edit")
	git.git("", "merge", "-q", "--no-ff", "-m", "merge", "side")
	if err := errors.Join(os.Symlink("a.md", filepath.Join(git.dir, "mem/link")), os.Remove(filepath.Join(git.dir, "mem/ünï"))); err != nil {
		t.Fatal(err)
	}
	git.write("mem/bad\nname", "x")
	git.write("mem/.envrc", "touch x")
	git.commit("last")
	n, left := git.into(w, "mem")
	if n.Changes != 5 || n.Memories != 2 {
		t.Errorf("%+v", n)
	}
	want := map[string]string{"/b c.md": "one\ntwo\nthree\nfive\n", "/side": "side\n"}
	if got := w.tree(); !maps.Equal(got, want) {
		t.Errorf("%q", got)
	}
	slices.Sort(left)
	if s := strings.Join(left, "; "); s != `"mem/.envrc" is left out: `+memfs.ErrControlFile.Error()+`; "mem/bad\nname" is left out: contains a control character; "mem/link" is left out: a link or a submodule` {
		t.Error(s)
	}
	told := w.told(false)
	for _, part := range []string{"Kind:create Path:/a.md", "Actor:Ann", "From:/a.md", "Kind:delete Path:/ünï", "Session:" + strings.TrimSpace(git.git("", "rev-parse", "main"))} {
		if !strings.Contains(told, part) {
			t.Errorf("no %q in\n%s", part, told)
		}
	}
}

// said is what each commit says: author, e-mail address and message, without our trailers.
func (r *repo) said() (out []string) {
	r.Helper()
	log := strings.TrimSuffix(r.git("", "log", "--reverse", "-z", "--encoding=UTF-8", "--format=%an|%ae|%B", "main"), "\x00")
	for said := range strings.SplitSeq(log, "\x00") {
		said, _, _ = strings.Cut(said, "\n\n"+trailer+"Change: ")
		out = append(out, strings.TrimRight(said, "\n"))
	}
	return out
}

func TestCommitsKeepWhatTheySayThroughATrail(t *testing.T) {
	t.Parallel()
	git, w, out, again := newRepo(t), newWorld(t), newRepo(t), newWorld(t)
	commits := []struct{ author, message string }{
		{"Ann Bee <ann@example.com>", "First\n"},
		{"Bob <bob+notes@example.org>", "Subject in\ntwo lines\n\nBody.\n\n- a list\n- of \"things\"\n\nSigned-off-by: Bob <bob@example.org>\n"},
		{"Ünsal 日本 <ün@example.com>", "ünï 日本 🔑 without a newline"},
		{"No Address <>", "\x1b[31mcontrol\x1b[0m\tcharacters"},
		{"a@b <a@b>", "data 4\ncommit refs/heads/other\nM 100644 :1 x\n\ndone\n"},
		{"Ann Bee <ann@example.com>", "modify\r\n\r\nas Windows does\r\n"},
		{"Ann Bee <ann@example.com>", strings.Repeat("words and ", 6000)},
	}
	for i, c := range commits {
		git.write("a.md", fmt.Sprintf("%d\n", i))
		git.git("", "add", "-A")
		git.git(c.message, "commit", "-q", "--cleanup=verbatim", "--author", c.author, "-F", "-")
	}
	git.write("a.md", "latin\n")
	git.git("", "add", "-A")
	git.git("caf\xe9", "-c", "i18n.commitEncoding=ISO-8859-1", "commit", "-q", "--author", "Ren\xe9 <ren\xe9@example.com>", "-F", "-")
	git.silently(w)
	c, _, err := history.Change(t.Context(), w.s, 2)
	w.must(err)
	if c.Subject != "Subject in two lines" || c.Email != "bob+notes@example.org" || c.Actor.Name != "Bob" {
		t.Errorf("%+v", c)
	}
	stream := w.git()
	out.git(string(stream), "fast-import", "--quiet")
	out.git("", "fsck", "--strict")
	if got, want := out.said(), git.said(); !slices.Equal(got, want) {
		t.Errorf("%q, want\n%q", got, want)
	}
	out.silently(again)
	same(t, "the history", again.told(true), w.told(true))
	same(t, "the stream", string(again.git()), string(stream))
	c, _, err = history.Change(t.Context(), w.s, int64(len(commits)+1))
	w.must(err)
	if c.Subject != "café" || c.Email != "rené@example.com" || c.Actor.Name != "René" {
		t.Errorf("%+v", c)
	}
}

// A message that somebody rewrote after an export is the change's, as an address is.
func TestARewrittenMessageOfOursIsKept(t *testing.T) {
	t.Parallel()
	git, a, b := newRepo(t), newWorld(t), newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}}
	_, err := a.s.Write(t.Context(), by, at("a"), []byte("one\n"), versions.Pre{})
	a.must(err)
	stream := string(a.git())
	if !strings.Contains(stream, "author robot <agent@memend> ") || !strings.Contains(stream, "create /a\n\nMemend-Change: 1\n") {
		t.Error(stream)
	}
	git.git(stream, "fast-import", "--quiet")
	git.git("", "reset", "-q", "--hard", "main")
	message := git.git("", "log", "-1", "--format=%B")
	git.git(strings.Replace(message, "create /a", "Add a", 1), "commit", "-q", "--amend", "--author", "robot <robot@example.com>", "-F", "-")
	git.silently(b)
	c, _, err := history.Change(t.Context(), b.s, 1)
	b.must(err)
	if c.Subject != "Add a" || c.Email != "robot@example.com" || c.Actor != by.Actor {
		t.Errorf("%+v", c)
	}
}

func TestHostileMessagesAndAddressesOfACommit(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ author, message, wantMessage, wantEmail, left string }{
		"NUL":             {"a <a@b>", "one\x00two", "one", "a@b", ""}, // git prints no more
		"not UTF-8":       {"a <a\xe9@b>", "caf\xe9", "café", "aé@b", ""},
		"long message":    {"a <a@b>", strings.Repeat("é", 40_000), strings.Repeat("é", versions.MaxMessageBytes/2), "a@b", "commit 1: its message has 80000 bytes; the first 65536 are kept"},
		"cut in a letter": {"a <a@b>", "x" + strings.Repeat("é", 40_000), "x" + strings.Repeat("é", versions.MaxMessageBytes/2-1), "a@b", "commit 1: its message has 80001 bytes; the first 65536 are kept"},
		"long address":    {"a <" + strings.Repeat("x", versions.MaxEmailBytes+1) + ">", "m", "m", "", "commit 1: the e-mail address of its author is left out: it has more than 1024 bytes"},
		"brackets":        {"a <b@c> <a>\x1b[31m@b>", "m", "m", "b@c", ""},
		"only newlines":   {"a <a@b>", "\n\n", "", "a@b", ""},
		"ours made up":    {"a <person@memend>", "m", "m", "", ""},
		"another's host":  {"a <ann@memend>", "m", "m", "ann@memend", ""},
		"broken trailers": {"a <a@b>", "m\n\nMemend-Change: x\n", "m\n\nMemend-Change: x", "a@b", "commit 1: its trailers don't fit"},
		"false trailers":  {"a <a@b>", "m\n\nMemend-Change: 7\nMemend-Time: 2025-01-01T00:00:00Z\n", "m", "a@b", "commit 1: its trailers don't fit"},
	}
	for _, name := range sampled(cases) {
		c := cases[name]
		t.Run(name, func(t *testing.T) {
			w, from, git, again := newWorld(t), newRepo(t), newRepo(t), newWorld(t)
			from.raw(from.tree("100644 a"), c.author, c.message)
			_, left := from.into(w, "")
			message, email, err := history.Message(t.Context(), w.s, 1)
			w.must(err)
			if message != c.wantMessage || email != c.wantEmail {
				t.Errorf("message %.80q (%d bytes), e-mail %q", message, len(message), email)
			}
			if got := strings.Join(left, "; "); !strings.HasPrefix(got, c.left) || c.left == "" && got != "" {
				t.Errorf("left: %s", got)
			}
			git.git(string(w.git()), "fast-import", "--quiet")
			git.into(again, "")
			same(t, "the history", again.told(true), w.told(true))
		})
	}
}

// A history of ours that somebody went on with, or rewrote, is taken for what it is.
func TestTrailersThatDontFitAreNotBelieved(t *testing.T) {
	t.Parallel()
	git, a, b := newRepo(t), newWorld(t), newWorld(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}}
	for i := range 5 {
		_, err := a.s.Write(t.Context(), by, at("a"), fmt.Appendf(nil, "%d\n", i), versions.Pre{})
		a.must(err)
	}
	git.git(string(a.git()), "fast-import", "--quiet")
	git.git("", "reset", "-q", "--hard", "main")
	git.write("a", "theirs\n")
	git.git("", "commit", "-q", "-a", "--amend", "--no-edit")
	git.write("b", "more\n")
	git.commit("more")
	_, left := git.into(b, "")
	if len(left) != 1 || !strings.Contains(left[0], "commit 5: its trailers don't fit") {
		t.Error(left)
	}
	if got := b.tree(); !maps.Equal(got, map[string]string{"/a": "theirs\n", "/b": "more\n"}) {
		t.Errorf("%q", got)
	}
	if told := b.told(true); strings.Count(told, "robot") != 10 || !strings.Contains(told, string(firstVersion(a))) {
		t.Error(told)
	}
}

func TestNamesThatGitKeepsForItselfAreRefused(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git/hooks/post-checkout", "a/.GIT/x", "git~1", ".git./x", ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x"} {
		if gitHolds(at(name)) {
			t.Errorf("%q goes to git", name)
		}
	}
	for _, name := range []string{".gitignore", "git", "a.git", "agit~1"} {
		if !gitHolds(at(name)) {
			t.Errorf("%q does not go to git", name)
		}
	}
	w := newWorld(t)
	_, err := w.s.Write(t.Context(), versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "x"}, Door: versions.DoorCLI}, at(".git/config"), []byte("x"), versions.Pre{})
	w.must(err)
	if err := Export(t.Context(), w.s, NewGitWriter(&bytes.Buffer{}).Write); !errors.Is(err, ErrGitPath) {
		t.Error(err)
	}
}
