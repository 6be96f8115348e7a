package gitsync

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

func TestAChangeIsACommitAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "one\n")
	ann.write("notes/b.md", "b\n")
	_, err := ann.s.Rename(t.Context(), ann.me, at("a.md"), at("c.md"))
	w.must(err)
	if r := ann.sync(); r.Sent != 3 || !r.Pushed {
		t.Errorf("%+v", r)
	}
	if r := bob.sync(); r.Imported != 3 || r.Sent != 0 || r.Pushed {
		t.Errorf("%+v", r)
	}
	bob.stands(ann.texts())
	if a, b := ann.told(), bob.told(); !slices.Equal(a, b) {
		t.Errorf("%q\n%q", a, b)
	}
	if r := bob.sync(); len(r.Taken)+r.Imported+r.Sent+r.Known != 0 {
		t.Errorf("%+v", r)
	}
	if log := w.git(w.url, "log", "--format=%an <%ae> %s", "main"); log != "ann <ann@example.com> rename /memories/a.md\nann <ann@example.com> create /memories/notes/b.md\nann <ann@example.com> create /memories/a.md" {
		t.Error(log)
	}
	vs, err := history.Changes(t.Context(), bob.s, versions.Filter{}, 0, 10)
	w.must(err)
	if c := vs[0]; c.Door != versions.DoorGit || c.Actor.Name != "ann" || c.Email != "ann@example.com" {
		t.Errorf("%+v", c)
	}
}

func TestBothSidesAreMerged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "1\n2\n3\n4\n5\n")
	ann.sync()
	bob.sync()
	ann.write("a.md", "one\n2\n3\n4\n5\n")
	bob.write("a.md", "1\n2\n3\n4\nfive\n")
	bob.write("b.md", "b\n")
	ann.sync()
	if r := bob.sync(); !r.Merged || len(r.Taken) != 1 || r.Sent != 2 || !r.Pushed {
		t.Errorf("%+v", r)
	}
	ann.sync()
	want := map[string]string{"a.md": "one\n2\n3\n4\nfive\n", "b.md": "b\n"}
	ann.stands(want)
	bob.stands(want)
	if len(ann.told()) != 4 || len(bob.told()) != 4 {
		t.Errorf("%q\n%q", ann.told(), bob.told())
	}
	for _, h := range []*home{ann, bob} {
		if r := h.sync(); len(r.Taken)+r.Sent != 0 || r.Pushed {
			t.Errorf("%+v", r)
		}
	}
}

// What conflicts waits for a person and stays on the branch as it is there; the decision is sent.
func TestAConflictWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for name, decide := range map[string]func(bob *home, n int64) string{
		"theirs": func(bob *home, n int64) string {
			p, err := plan.Make(t.Context(), bob.s, plan.Accept(n))
			bob.must(err)
			if len(p.Conflicts) != 1 || p.Conflicts[0].Merge == nil {
				t.Fatalf("%+v", p)
			}
			_, err = plan.Apply(t.Context(), bob.s, bob.me, p, map[versions.MemoryID]planning.Choice{p.Conflicts[0].Memory: {Kind: planning.TakeTheirs}})
			bob.must(err)
			return "ann's\n"
		},
		"ours": func(bob *home, n int64) string {
			bob.must(review.Reject(t.Context(), bob.s, bob.me, n, "no"))
			return "bob's\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			ann, bob, cal := w.home("ann"), w.home("bob"), w.home("cal")
			ann.write("a.md", "begin\n")
			ann.sync()
			bob.sync()
			ann.write("a.md", "ann's\n")
			ann.write("other.md", "other\n")
			bob.write("a.md", "bob's\n")
			ann.sync()
			r := bob.sync()
			if len(r.Held) != 1 || len(r.Taken) != 1 {
				t.Fatalf("%+v", r)
			}
			bob.stands(map[string]string{"a.md": "bob's\n", "other.md": "other\n"})
			if got := w.tree()["a.md"]; got != "ann's\n" {
				t.Errorf("the branch has %q", got)
			}
			bob.sync()
			cal.sync()
			cal.stands(map[string]string{"a.md": "ann's\n", "other.md": "other\n"})
			want := decide(bob, r.Held[0])
			if r := bob.sync(); len(r.Held) != 0 {
				t.Errorf("%+v", r)
			}
			for _, h := range []*home{ann, cal} {
				if r := h.sync(); len(r.Held) != 0 {
					t.Errorf("%+v", r)
				}
			}
			for _, h := range []*home{ann, bob, cal} {
				h.stands(map[string]string{"a.md": want, "other.md": "other\n"})
			}
		})
	}
}

// Commits of others: merges, renames, folders for files, links, and what can't be a memory.
func TestCommitsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"a.md": "1\n2\n3\n", "keep.md": "keep\n", ".vscode/tasks.json": "{}\n"})
	ann := w.home("ann")
	if r := ann.sync(); r.Imported != 1 || len(r.LeftOut) != 1 {
		t.Errorf("%+v", r)
	}
	w.git(dir, "checkout", "--quiet", "-b", "side")
	w.commit2(dir, "on the side", map[string]string{"a.md": "1\n2\nthree\n", "side.md": "side\n"})
	w.git(dir, "checkout", "--quiet", "main")
	w.commit2(dir, "on the trunk", map[string]string{"a.md": "one\n2\n3\n"})
	w.git(dir, "merge", "--quiet", "--no-edit", "side")
	w.git(dir, "mv", "keep.md", "kept.md")
	w.must(os.Symlink("a.md", filepath.Join(dir, "link.md")))
	w.commit(dir, "rename", nil)
	w.commit(dir, "a folder", map[string]string{"kept.md": "", "kept.md/in.md": "in\n"})
	r := ann.sync()
	if len(r.Taken) != 4 || len(r.Held) != 0 {
		t.Errorf("%+v", r)
	}
	ann.stands(map[string]string{"a.md": "one\n2\nthree\n", "side.md": "side\n", "kept.md/in.md": "in\n"})
	ann.write("a.md", "by ann\n")
	ann.sync()
	if tree := w.tree(); tree[".vscode/tasks.json"] != "{}\n" || tree["a.md"] != "by ann\n" || tree["link.md"] != "a.md" {
		t.Errorf("%q", tree)
	}
}

func TestARebasedBranchIsFollowedAndALossIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"a.md": "a\n"})
	ann.sync()
	ann.write("b.md", "b\n")
	ann.sync()
	w.git(dir, "fetch", "--quiet")
	w.git(dir, "reset", "--quiet", "--hard", "origin/main~1")
	w.commit2(dir, "below", map[string]string{"c.md": "c\n"})
	w.git(dir, "cherry-pick", "origin/main")
	w.git(dir, "push", "--quiet", "--force", "origin", "HEAD:main")
	ann.write("d.md", "d\n")
	if r := ann.sync(); len(r.Taken) != 1 || r.Sent != 1 {
		t.Errorf("%+v", r)
	}
	want := map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "d.md": "d\n"}
	ann.stands(want)
	bob := w.home("bob")
	bob.sync()
	bob.stands(want)
	if n := len(bob.told()); n != 4 {
		t.Errorf("%d changes: %q", n, bob.told())
	}

	w.git(dir, "fetch", "--quiet")
	w.git(dir, "reset", "--quiet", "--hard", "origin/main~2")
	w.git(dir, "push", "--quiet", "--force", "origin", "HEAD:main")
	_, err := ann.trySync(Options{})
	if lost := (*RewrittenError)(nil); !errors.As(err, &lost) || len(lost.Lost) != 2 {
		t.Errorf("%v", err)
	}
	ann.stands(want)
	if _, err := ann.trySync(Options{Rewrite: true}); err != nil {
		t.Error(err)
	}
	if got := w.tree(); len(got) != 4 {
		t.Errorf("%q", got)
	}
}

// A policy holds what an agent elsewhere wrote, and a repository without memend's words names its authors.
func TestWhatAnAgentWroteElsewhereIsHeld(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.me.Actor, ann.me.Door = versions.Actor{Kind: versions.Agent, Name: "robot"}, versions.DoorTool
	w.must(review.SetPolicy(t.Context(), bob.s, bob.me, "", "hold actor:agent"))
	ann.write("a.md", "by robot\n")
	ann.sync()
	r := bob.sync()
	if len(r.Held) != 1 {
		t.Fatalf("%+v", r)
	}
	bob.stands(map[string]string{})
	bob.write("b.md", "b\n")
	bob.sync()
	if got := w.tree(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	p, err := plan.Make(t.Context(), bob.s, plan.Accept(r.Held[0]))
	w.must(err)
	c, err := plan.Apply(t.Context(), bob.s, bob.me, p, nil)
	w.must(err)
	if c.Actor.Name != "robot" {
		t.Errorf("%+v", c)
	}
	if r := bob.sync(); r.Sent != 0 || r.Pushed {
		t.Errorf("%+v", r)
	}
	ann.sync()
	ann.stands(bob.texts())
}

func (w *world) commit2(dir, message string, files map[string]string) {
	w.Helper()
	for name, text := range files {
		w.must(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		w.must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	w.git(dir, "add", "-A")
	w.git(dir, "commit", "--quiet", "-m", message)
}

func TestAnAddressThatIsNone(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for _, url := range []string{"", "--upload-pack=touch x", "ext::sh -c x", "/nowhere"} {
		if _, err := Find(t.Context(), url, "", ""); err == nil || strings.Contains(err.Error(), "exit status") {
			t.Errorf("%q: %v", url, err)
		}
	}
}

// A redaction removes the repository here; the branch there is replaced only when a person says so, and then by one with
// the same changes without the text. What others did there meanwhile stays.
func TestARedactionMeetsGit(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-and-more-of-it"
	w := newWorld(t)
	dir := w.clone()
	w.commit(dir, "begin", map[string]string{"a.md": "a\n"})
	ann, bob := w.home("ann"), w.home("bob")
	ann.sync()
	ann.write("leak.md", "the password is "+secret+"\n")
	ann.write("leak.md", "the password is gone\n")
	ann.write("b.md", "b\n")
	ann.sync()
	bob.sync()
	plan, err := redact.Prepare(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)})
	w.must(err)
	receipt, err := redact.Do(t.Context(), ann.s, ann.me, plan, versions.RedactChoice{})
	w.must(err)
	if receipt.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", receipt)
	}
	if _, err := os.Stat(BranchDir(ann.s)); !os.IsNotExist(err) {
		t.Errorf("the repository is there: %v", err)
	}
	w.git(dir, "fetch", "--quiet")
	w.git(dir, "reset", "--quiet", "--hard", "origin/main")
	w.commit(dir, "meanwhile", map[string]string{"tess.md": "tess\n"})
	ann.write("c.md", "c\n")
	for range 2 {
		if _, err := ann.trySync(Options{}); !errors.As(err, new(*ErasedError)) {
			t.Fatalf("%v", err)
		}
	}
	if _, err := os.Stat(BranchDir(ann.s)); !os.IsNotExist(err) {
		t.Errorf("the repository is there: %v", err)
	}
	r, err := ann.trySync(Options{Rewrite: true})
	if err != nil || len(r.Taken) != 1 || !r.Pushed {
		t.Fatalf("%+v, %v", r, err)
	}
	if all := w.git(w.url, "log", "-p", "--all"); strings.Contains(all, secret) || !strings.Contains(all, "meanwhile") {
		t.Errorf("the branch: %s", all)
	}
	verified, err := redact.Verify(t.Context(), ann.s, versions.RedactTarget{Match: []byte(secret)}, versions.Scrub{})
	w.must(err)
	if verified.Outcome != versions.OutcomeGone {
		t.Errorf("%+v", verified)
	}
	want := map[string]string{"a.md": "a\n", "leak.md": "the password is gone\n", "b.md": "b\n", "c.md": "c\n", "tess.md": "tess\n"}
	ann.stands(want)
	if r := bob.sync(); len(r.Taken) != 2 {
		t.Errorf("%+v", r)
	}
	bob.stands(want)
	for _, h := range []*home{ann, bob} {
		if r := h.sync(); len(r.Taken)+r.Sent+len(r.Held) != 0 || r.Pushed {
			t.Errorf("%s: %+v", h.me.Actor.Name, r)
		}
	}
}

// A home that lost its repository, or comes from a backup, goes on without a loss or a double.
func TestALostRepositoryIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "a\n")
	ann.sync()
	bob.sync()
	bob.write("b.md", "b\n")
	bob.sync()
	ann.write("c.md", "c\n")
	if _, err := ann.trySync(Options{NoPush: true}); err != nil {
		t.Fatal(err)
	}
	w.must(os.RemoveAll(BranchDir(ann.s)))
	ann.write("d.md", "d\n")
	if p, err := Look(t.Context(), ann.s, ann.me, branchOf(ann), Options{}); err != nil || len(p.Conflicts) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
	ann.sync()
	bob.sync()
	bob.stands(map[string]string{"a.md": "a\n", "b.md": "b\n", "c.md": "c\n", "d.md": "d\n"})
	ann.stands(bob.texts())
	if len(ann.told()) != 4 || len(bob.told()) != 4 {
		t.Errorf("%q\n%q", ann.told(), bob.told())
	}
}

// A repository that wants out of the folder, or to run something, writes nothing of that; what can be a memory comes in.
func TestAHostileRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	blob := func(text string) string {
		cmd := exec.Command("git", "-C", w.url, "hash-object", "-w", "--stdin")
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.Output()
		w.must(err)
		return strings.TrimSpace(string(out))
	}
	tree := func(entries ...string) string {
		cmd := exec.Command("git", "-C", w.url, "mktree", "-z", "--missing")
		cmd.Stdin = strings.NewReader(strings.Join(entries, "\x00") + "\x00")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
	text := blob("text\n")
	inner := tree("100644 blob " + text + "\tevil.md")
	top := tree("040000 tree "+inner+"\t..", "040000 tree "+inner+"\t.git", "040000 tree "+inner+"\t.vscode", "100755 blob "+text+"\tran.sh", "120000 blob "+blob("/etc/passwd")+"\tlink.md",
		"160000 commit 1111111111111111111111111111111111111111\tsub", "100644 blob "+text+"\tA.md", "100644 blob "+text+"\ta.md", "100644 blob "+text+"\t\u00e9.md", "100644 blob "+text+"\te\u0301.md",
		"100644 blob "+blob(strings.Repeat("x", versions.DefaultMaxBytes+1))+"\tbig.md", "100644 blob "+text+"\tgood.md", "100644 blob "+text+"\tbad\x1b[31m.md", "100644 blob "+text+"\t.gitattributes")
	commit := w.git(w.url, "commit-tree", "-m", "\x1b[31mhostile\x07", top)
	w.git(w.url, "update-ref", "refs/heads/main", commit)
	for _, begun := range []bool{false, true} { // at once, and change by change
		h := w.home("ann")
		want := []string{"good.md", "ran.sh", "A.md", "a.md", "\u00e9.md", "e\u0301.md", ".gitattributes"}
		if begun {
			h.write("mine.md", "mine\n")
			want = append(want, "mine.md")
		}
		r := h.sync()
		texts := h.texts()
		for _, name := range want {
			if _, there := texts[name]; !there {
				t.Errorf("begun %v: no %s: %+v", begun, name, r)
			}
			delete(texts, name)
		}
		if len(texts) > 0 {
			t.Errorf("begun %v: %q came in", begun, texts)
		}
		for _, name := range []string{"link.md", "big.md", ".git", ".vscode", "sub", "../evil.md"} {
			if _, err := os.Lstat(filepath.Join(h.folder, name)); !os.IsNotExist(err) {
				t.Errorf("begun %v: %s: %v", begun, name, err)
			}
		}
		if len(r.LeftOut) < 5 {
			t.Errorf("begun %v: left out: %q", begun, r.LeftOut)
		}
	}
}

// A commit whose author used the message of another again, trailers and all, is a change of its own: here, and in a home
// that takes in all at once.
func TestAMessageThatIsUsedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cal := w.home("ann"), w.home("bob"), w.home("cal")
	ann.write("a.md", "one\n")
	ann.sync()
	bob.write("b.md", "b\n")
	bob.sync()
	dir := w.clone()
	w.must(os.WriteFile(filepath.Join(dir, "a.md"), []byte("two\n"), 0o644))
	w.git(dir, "commit", "--quiet", "-a", "-C", "HEAD~1")
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
	w.commit(dir, "later", map[string]string{"a.md": "three\n"})
	w.must(os.WriteFile(filepath.Join(dir, "a.md"), []byte("one\n"), 0o644)) // and back
	w.git(dir, "commit", "--quiet", "-a", "-C", "HEAD~3")
	w.git(dir, "push", "--quiet", "origin", "HEAD:main")
	for _, h := range []*home{ann, bob, cal, ann} {
		if r := h.sync(); r.Sent > 0 || r.Pushed {
			t.Errorf("%s sends: %+v", h.me.Actor.Name, r)
		}
	}
	for _, h := range []*home{ann, bob, cal} {
		h.stands(map[string]string{"a.md": "one\n", "b.md": "b\n"})
		if n := len(h.told()); n != 5 {
			t.Errorf("%s has %d changes: %q", h.me.Actor.Name, n, h.told())
		}
	}
}

// A push alone takes in nothing, and says so if the branch has moved on; what it can't send stays to be sent.
func TestAPushAloneTakesInNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob := w.home("ann"), w.home("bob")
	ann.write("a.md", "a\n")
	ann.sync()
	bob.sync()
	bob.write("b.md", "b\n")
	bob.sync()
	ann.write("c.md", "c\n")
	if _, err := ann.trySync(Options{NoPull: true}); !errors.As(err, new(*MovedError)) {
		t.Errorf("%v", err)
	}
	ann.stands(map[string]string{"a.md": "a\n", "c.md": "c\n"})
	ann.sync()
	bob.sync()
	bob.stands(ann.texts())
	if files, err := filepath.Glob(filepath.Join(BranchDir(ann.s), "marks-*")); err != nil || len(files) > 0 {
		t.Errorf("left over: %q, %v", files, err)
	}
}

// The message of a commit that only says what the change did is none of the change, here as there; one that somebody wrote
// stays.
func TestAMessageIsOnlyWhatSomebodyWrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann, bob, cal := w.home("ann"), w.home("bob"), w.home("cal")
	ann.write("a.md", "a\n")
	ann.sync()
	bob.write("b.md", "b\n")
	bob.sync()
	dir := w.clone()
	w.commit(dir, "why", map[string]string{"c.md": "c\n"})
	for _, h := range []*home{bob, cal} {
		h.sync()
		cs, err := history.Changes(t.Context(), h.s, versions.Filter{}, 0, 10)
		w.must(err)
		for _, c := range cs {
			if want := map[string]string{"/c.md": "why"}[c.Path.String()]; c.Subject != want {
				t.Errorf("%s: change of %s has the message %q, want %q", h.me.Actor.Name, c.Path, c.Subject, want)
			}
		}
	}
}

func TestAnErrorNamesNoPassword(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	if _, err := Find(t.Context(), "http://me:s3cret@127.0.0.1:1/x.git", "", ""); err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("%v", err)
	}
}

// A repository that takes no commits says why, and the commits wait.
func TestARepositoryThatRefusesSaysWhy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "a\n")
	hook := filepath.Join(w.url, "hooks", "pre-receive")
	w.must(os.MkdirAll(filepath.Dir(hook), 0o755))
	w.must(os.WriteFile(hook, []byte("#!/bin/sh\necho 'not on Saturdays' >&2; exit 1\n"), 0o755))
	var refused *RefusedError
	if _, err := ann.trySync(Options{}); !errors.As(err, &refused) || refused.CheckedOut() || !strings.HasSuffix(err.Error(), "does not take the commits of branch main: pre-receive hook declined: not on Saturdays") {
		t.Errorf("%v", err)
	}
	w.must(os.Remove(hook))
	if r := ann.sync(); !r.Pushed {
		t.Errorf("%+v", r)
	}
	dir := w.clone()
	w.url = dir
	ann.write("b.md", "b\n")
	b, _, err := Branch(t.Context(), ann.s)
	w.must(err)
	b.URL = dir
	if _, err := Sync(t.Context(), ann.s, ann.me, b, Options{Subject: func(versions.Change, string) string { return "b" }, Me: func() (name, email string) { return }}); !errors.As(err, &refused) || !refused.CheckedOut() {
		t.Errorf("%v", err)
	}
}

func TestASyncWithoutGitSaysSo(t *testing.T) {
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "a\n")
	ann.sync()
	t.Setenv("PATH", "")
	if _, err := ann.trySync(Options{}); !errors.Is(err, git.ErrNone) {
		t.Errorf("%v", err)
	}
}

// A git that was killed leaves locks behind, or half a repository; nobody has to remove them.
func TestWhatAKilledGitLeavesIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.home("ann")
	ann.write("a.md", "a\n")
	w.must(os.MkdirAll(filepath.Join(BranchDir(ann.s)+".new", "refs"), 0o700))
	w.must(os.WriteFile(filepath.Join(BranchDir(ann.s)+".new", "HEAD"), []byte("ref: refs/heads/x\n"), 0o600))
	ann.sync()
	ann.sync()
	for _, name := range []string{"refs/remotes/origin/main.lock", "refs/heads/main.lock", "packed-refs.lock"} {
		w.must(os.WriteFile(filepath.Join(BranchDir(ann.s), name), nil, 0o600))
	}
	ann.write("b.md", "b\n")
	if r := ann.sync(); !r.Pushed {
		t.Errorf("%+v", r)
	}
}
