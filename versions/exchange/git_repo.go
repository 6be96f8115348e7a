package exchange

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/memend/memend/versions/git"
)

// IsRepo reports whether a folder is the root of a git repository, with a work tree or bare.
func IsRepo(dir string) bool {
	for _, names := range [][]string{{".git"}, {"HEAD", "objects", "refs"}} {
		all := true
		for _, name := range names {
			_, err := os.Stat(filepath.Join(dir, name))
			all = all && err == nil
		}
		if all {
			return true
		}
	}
	return false
}

// Repo is a commit of a git repository with the history before it.
type Repo struct {
	dir    string
	head   string   // id of the commit
	subdir string   // the folder that becomes the root, relative to the repository's root; "": everything
	paths  []string // that limit git's output, relative to dir
	cut    bool     // a shallow clone: the history before some commit is missing
}

// Head returns the commit of a repository's HEAD; where that has none, as after an export to a new repository whose HEAD is
// another branch, that of the branch to which exports go.
func Head(ctx context.Context, dir string) (head string, err error) {
	for _, at := range []string{"HEAD", gitBranch} {
		if head, err = ask(ctx, dir, "rev-parse", "--verify", "--quiet", at+"^{commit}"); err == nil {
			return head, nil
		}
	}
	return "", fmt.Errorf("git in %s: %w", dir, ErrNoCommits)
}

// OpenRepo finds the HEAD of the repository that contains dir, and in it only what is in subdir, relative to dir. Neither need be checked out. It needs git.
func OpenRepo(ctx context.Context, dir, subdir string) (*Repo, error) {
	if err := git.Find(ctx); err != nil {
		return nil, err
	}
	prefix, err := ask(ctx, dir, "rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r := &Repo{dir: dir}
	if r.head, err = Head(ctx, dir); err != nil {
		return nil, err
	}
	shallow, err := ask(ctx, dir, "rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	r.cut = shallow == "true"
	if top := path.Join(prefix, filepath.ToSlash(subdir)); top != "." {
		r.subdir = top
	}
	if subdir != "" {
		r.paths = []string{subdir}
		if some, err := ask(ctx, dir, "rev-list", "--max-count=1", "HEAD", "--", subdir); err != nil {
			return nil, err
		} else if some == "" {
			return nil, fmt.Errorf("find %s in the history of %s: %w", subdir, dir, syscall.ENOENT)
		}
	} else if r.subdir != "" {
		r.paths = []string{"."}
	}
	return r, nil
}

// ask returns what a git command prints, without the last line end.
func ask(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := git.Command(ctx, dir, args...).Output()
	return strings.TrimSuffix(string(out), "\n"), git.Error(dir, err, nil)
}
