package exchange

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/memend/memend/versions/git"
)

// AppendTo adds the commits of a history that a repository lacks to its branch main, and returns how many. write writes the
// history with a [GitWriter]. The branch must end with a commit of the history, or have none: else the error is
// ErrOtherCommits, and the repository stays as it is. A working tree is left alone.
func AppendTo(ctx context.Context, repo string, write func(io.Writer) error) (added int, err error) {
	if err := git.Find(ctx); err != nil {
		return 0, err
	}
	format, err := ask(ctx, repo, "rev-parse", "--show-object-format")
	if err != nil {
		return 0, err
	}
	tip, err := ask(ctx, repo, "for-each-ref", "--format=%(objectname)", gitBranch)
	if err != nil {
		return 0, err
	}
	// The whole history is made elsewhere first: the same changes are the same commits.
	all, err := os.MkdirTemp("", "memend-export-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(all)
	if _, err := ask(ctx, all, "init", "--quiet", "--bare", "--template=", "--object-format="+format); err != nil {
		return 0, err
	}
	p, err := git.Start(ctx, all, "fast-import", "--quiet")
	if err != nil {
		return 0, err
	}
	defer p.Kill()
	if err := write(p.In); err != nil {
		return 0, cmp.Or(p.End(), err)
	}
	if err := p.End(); err != nil {
		return 0, err
	}
	commits := []string{"rev-list", "--count", "--branches"}
	if tip != "" {
		if git.Command(ctx, all, "merge-base", "--is-ancestor", tip, gitBranch).Run() != nil {
			return 0, fmt.Errorf("%w: it ends with %.10s", ErrOtherCommits, tip)
		}
		commits = append(commits, "^"+tip)
	}
	count, err := ask(ctx, all, commits...)
	if err != nil {
		return 0, err
	}
	if added, err = strconv.Atoi(count); err != nil || added == 0 {
		return 0, err
	}
	_, err = ask(ctx, repo, "-c", "protocol.file.allow=always", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "fetch", "--quiet",
		"--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--update-head-ok", "--", all, gitBranch+":"+gitBranch)
	return added, err
}
