package gitsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
)

// NoBranchError reports that a repository has no branch of a name.
type NoBranchError struct{ URL, Name string }

func (e *NoBranchError) Error() string { return fmt.Sprintf("%s has no branch %s", e.URL, e.Name) }

// ErrURL reports what git would take for an option or for a program to start.
var ErrURL = errors.New("this is no address of a repository")

// ErrShallow reports a repository that lacks a part of its history.
var ErrShallow = errors.New("it is a shallow clone, without its whole history (`git fetch --unshallow` in it gets the rest)")

// Find returns the branch that a repository has under a name; under "", its default branch. A repository without commits
// has any: a push begins it.
func Find(ctx context.Context, url, name, subdir string) (versions.Branch, error) {
	b := versions.Branch{URL: url, Name: name, Subdir: strings.Trim(filepath.ToSlash(subdir), "/")}
	if url == "" || strings.HasPrefix(url, "-") || strings.Contains(url, "::") {
		return b, fmt.Errorf("%q: %w", url, ErrURL)
	}
	if err := git.Find(ctx); err != nil {
		return b, err
	}
	out, err := git.Remote(ctx, ".", "ls-remote", "--symref", "--", url, "HEAD", "refs/heads/*").Output()
	if err != nil {
		return b, git.Error(git.Shown(url), err, nil)
	}
	branches := map[string]bool{}
	def := ""
	for line := range strings.Lines(string(out)) {
		line = strings.TrimSuffix(line, "\n")
		if ref, ok := strings.CutPrefix(line, "ref: refs/heads/"); ok {
			def, _, _ = strings.Cut(ref, "\t")
		} else if _, ref, _ := strings.Cut(line, "\trefs/heads/"); ref != "" {
			branches[ref] = true
		}
	}
	switch {
	case name != "":
		if len(branches) > 0 && !branches[name] {
			return b, &NoBranchError{git.Shown(url), name}
		}
	case branches[def]:
		b.Name = def
	case len(branches) == 1:
		for b.Name = range branches {
			break
		}
	case len(branches) == 0:
		b.Name = unborn(ctx, url)
	default:
		return b, &NoBranchError{git.Shown(url), "that is its default"}
	}
	if exec.CommandContext(ctx, "git", "check-ref-format", "refs/heads/"+b.Name).Run() != nil {
		return b, fmt.Errorf("%q: %w", b.Name, errors.New("no name of a branch"))
	}
	return b, nil
}

// unborn returns the branch that a repository without commits is to have, which its HEAD names; main if git can't tell. ls-remote
// doesn't print a HEAD without a commit, but a clone takes it over.
func unborn(ctx context.Context, url string) string {
	const unknown = "main"
	dir, err := os.MkdirTemp("", "memend-clone-")
	if err != nil {
		return unknown
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if git.Remote(ctx, ".", "-c", "init.defaultBranch="+unknown, "clone", "--quiet", "--bare", "--template=", "--", url, dir).Run() != nil {
		return unknown
	}
	head, err := git.Command(ctx, dir, "symbolic-ref", "HEAD").Output()
	if err != nil {
		return unknown
	}
	return strings.TrimPrefix(strings.TrimSpace(string(head)), "refs/heads/")
}

// prepare makes the bare repository, or removes what a git that was killed left in it. Nobody else works in it now.
func (r *run) prepare(ctx context.Context) error {
	if _, err := os.Stat(r.dir); err == nil {
		return r.tidy()
	}
	if err := git.Find(ctx); err != nil {
		return err
	}
	out, err := git.Remote(ctx, filepath.Dir(r.dir), "ls-remote", "--", r.b.URL).Output()
	if err != nil {
		return git.Error(git.Shown(r.b.URL), err, nil)
	}
	id, _, _ := strings.Cut(string(out), "\t")
	begun := r.dir + ".new" // a redaction removes it, too
	if err := r.begin(ctx, begun, id); err != nil {
		return err
	}
	return os.Rename(begun, r.dir)
}

// begin makes an empty bare repository. like is the id of a commit there, which says of which kind ids are.
func (r *run) begin(ctx context.Context, dir, like string) error {
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o700)); err != nil {
		return err
	}
	format := "sha1"
	if len(like) == 64 {
		format = "sha256"
	}
	_, err := output(ctx, dir, "init", "--quiet", "--bare", "--template=", "--object-format="+format, "--initial-branch="+r.b.Name, ".")
	return err
}

// tidy removes the locks of a git that was killed.
func (r *run) tidy() error {
	return filepath.WalkDir(r.dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && e.Name() == "objects":
			return fs.SkipDir
		case strings.HasSuffix(name, ".lock"):
			return os.Remove(name)
		}
		return nil
	})
}

// there is the ref of the branch's last known commit there.
func (r *run) there() string { return "refs/remotes/origin/" + r.b.Name }

// fetch reads the branch there into remote; "" if the repository has no commits.
func (r *run) fetch(ctx context.Context) error {
	var said []byte
	var err error
	for range 3 { // the git of a sync that was killed may still fetch
		said, err = git.Remote(ctx, r.dir, "-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--",
			r.b.URL, "+refs/heads/"+r.b.Name+":"+r.there()).CombinedOutput()
		if err == nil || !strings.Contains(string(said), "cannot lock ref") {
			break
		}
	}
	if err != nil {
		if !strings.Contains(string(said), "couldn't find remote ref") {
			return git.Error(git.Shown(r.b.URL), err, said)
		}
		_, ferr := Find(ctx, r.b.URL, "", "") // is it empty, or is only the branch gone?
		if none := (*NoBranchError)(nil); errors.As(ferr, &none) || ferr == nil && r.b.Remote != "" {
			return &NoBranchError{git.Shown(r.b.URL), r.b.Name}
		}
		if ferr != nil {
			return ferr
		}
		r.remote, r.lost, r.seen = "", !r.has(ctx, r.b.Head), true
		return nil
	}
	if id, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(r.there()))); err == nil && strings.TrimSpace(string(id)) == r.b.Head && r.b.Head == r.b.Remote {
		r.remote, r.lost, r.seen = r.b.Remote, false, true // nothing is new: git need not be asked
		return nil
	}
	ids, err := r.resolve(ctx, r.there(), r.b.Head, r.b.Remote)
	if err == nil && ids[0] == "" { // git leaves out what has no whole history, without an error
		err = fmt.Errorf("%s: %w", git.Shown(r.b.URL), ErrShallow)
	}
	if err != nil {
		return err
	}
	r.remote, r.lost, r.seen = ids[0], r.b.Head != "" && ids[1] == "", true
	if r.b.Remote != "" && ids[2] == "" && !r.lost { // the branch was replaced, and the repository here lost
		r.b.Remote, err = r.base(ctx, r.b.Head, r.remote)
	}
	return err
}

// resolve returns the ids of commits by their names; "" for one that is not there.
func (r *run) resolve(ctx context.Context, names ...string) (ids []string, err error) {
	cmd := git.Command(ctx, r.dir, "cat-file", "--batch-check=%(objectname)")
	cmd.Stdin = strings.NewReader(strings.Join(names, "^{commit}\n") + "^{commit}\n")
	out, err := cmd.Output()
	if err != nil {
		return nil, git.Error(r.dir, err, nil)
	}
	for line := range strings.Lines(string(out)) {
		id, _, missing := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if missing {
			id = ""
		}
		ids = append(ids, id)
	}
	if len(ids) != len(names) {
		return nil, fmt.Errorf("git in %s: it says %q of commits", r.dir, out)
	}
	return ids, nil
}

// saw records how many commits the branch there has that are not here.
func (r *run) saw(ctx context.Context) error {
	if !r.seen {
		return nil
	}
	comes := 0
	if r.remote != "" && r.remote != r.b.Head {
		args := []string{"rev-list", "--count", "--no-merges", r.remote}
		if r.b.Head != "" && !r.lost {
			args = append(args, "^"+r.b.Head)
		}
		out, err := output(ctx, r.dir, args...)
		if err == nil {
			comes, err = strconv.Atoi(out)
		}
		if err != nil {
			return err
		}
	}
	return SawBranch(ctx, r.s, comes)
}

// push sends the head; false if the branch has moved on.
func (r *run) push(ctx context.Context) (bool, error) {
	args := []string{"push", "--porcelain", "--no-verify"}
	if r.o.Rewrite {
		args = append(args, "--force-with-lease=refs/heads/"+r.b.Name+":"+r.remote)
	}
	cmd := git.Remote(ctx, r.dir, append(args, "--", r.b.URL, r.b.Head+":refs/heads/"+r.b.Name)...)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	switch {
	case err == nil:
		r.remote = r.b.Head
		return true, nil
	case strings.Contains(string(out), "[rejected]") && r.o.Rewrite && !r.b.Erased: // its new commits would be lost unseen
		return false, &MovedError{r.b.Name, true}
	case strings.Contains(string(out), "[rejected]"), strings.Contains(said.String(), "cannot lock ref"):
		return false, nil
	}
	if _, why, ok := strings.Cut(string(out), "\t[remote rejected] ("); ok {
		why, _, _ = strings.Cut(why, ")\n")
		return false, &RefusedError{git.Shown(r.b.URL), r.b.Name, why, remotes(said.String())}
	}
	return false, git.Error(git.Shown(r.b.URL), err, []byte(said.String()+string(out)))
}

// RefusedError reports a repository whose rules, or whose program, take no new commits of a branch. The commits wait
// here.
type RefusedError struct {
	Where, Branch string
	Why           string // in git's words
	Said          string // by the repository's hooks, in one line; may be empty
}

func (e *RefusedError) Error() string {
	s := fmt.Sprintf("%s does not take the commits of branch %s: %s", e.Where, e.Branch, e.Why)
	if e.Said != "" && !e.CheckedOut() {
		s += ": " + e.Said
	}
	return s
}

// CheckedOut reports whether the repository has the branch in a working tree, which would not follow.
func (e *RefusedError) CheckedOut() bool { return strings.Contains(e.Why, "checked out") }

// remotes returns what a repository said during a push, in one line.
func remotes(said string) string {
	var out []string
	for line := range strings.Lines(said) {
		if text, ok := strings.CutPrefix(line, "remote:"); ok && strings.TrimSpace(text) != "" {
			out = append(out, strings.TrimSpace(text))
		}
	}
	return strings.Join(out, " ")
}

// has reports whether the repository here has a commit. It has the empty one.
func (r *run) has(ctx context.Context, commit string) bool {
	return commit == "" || git.Command(ctx, r.dir, "cat-file", "-e", commit+"^{commit}").Run() == nil
}

// restore goes on after the repository here was lost, as in a home from a backup: from the last commit that is known there.
// Changes that it doesn't have go out again. If there is none, because the branch was rewritten meanwhile, all of the branch
// counts: what it has is known by its ids, and commits of others by their authors, times and subjects.
func (r *run) restore(ctx context.Context) error {
	if !r.lost {
		return nil
	}
	r.stepBack(ctx)
	there, err := r.commits(ctx, "", cmp.Or(r.b.Head, r.remote))
	if err != nil {
		return err
	}
	has := map[string]bool{}
	others := map[string]string{}
	for _, t := range there {
		for _, id := range append(t.ids, t.in.Commit) {
			has[id] = true
		}
		if len(t.ids) == 0 {
			others[taken(t.in.By.Actor.Name, t.in.Email, t.in.Time, t.subject)] = t.in.Commit
		}
	}
	for c, err := range TakenCommits(ctx, r.s) {
		if err != nil {
			return err
		}
		subject, _, _ := strings.Cut(c.Message, "\n")
		now := others[taken(c.Author, c.Email, c.Time, subject)]
		if now == "" || has[c.ID] {
			continue
		}
		has[c.ID] = true
		if err := SetShared(ctx, r.s, now); err != nil {
			return err
		}
	}
	ids, err := SharedIDs(ctx, r.s)
	if err != nil {
		return err
	}
	var gone []string
	for _, id := range ids {
		if !has[id] {
			gone = append(gone, id)
		}
	}
	return Unshare(ctx, r.s, gone)
}

// stepBack takes the last commit that is known there, and is here, for Head, which is not.
func (r *run) stepBack(ctx context.Context) {
	if r.b.Head, r.b.Sent, r.lost = r.b.Remote, 0, false; !r.has(ctx, r.b.Remote) {
		r.b.Head, r.b.Remote = "", ""
	}
}

// isAncestor reports whether a commit leads to another.
func (r *run) isAncestor(ctx context.Context, a, b string) (bool, error) {
	if a == "" || a == b {
		return true, nil
	}
	if b == "" {
		return false, nil
	}
	err := git.Command(ctx, r.dir, "merge-base", "--is-ancestor", a, b).Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return false, nil
	}
	return err == nil, git.Error(r.dir, err, nil)
}

// base returns the best common ancestor; "" if there is none.
func (r *run) base(ctx context.Context, a, b string) (string, error) {
	if a == "" || b == "" {
		return "", nil
	}
	out, err := git.Command(ctx, r.dir, "merge-base", a, b).Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), git.Error(r.dir, err, nil)
}
