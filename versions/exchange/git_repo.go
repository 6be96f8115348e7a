package exchange

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
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

// gitCommand runs git in an untrusted folder: nothing in its settings can start a program or access the network.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	safe := []string{"-C", dir, "--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never"}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	return cmd
}

// Repo reads the history of a git repository.
type Repo struct {
	Subdir string // relative to the repository's root; for GitOptions
	io.Reader
	cmd    *exec.Cmd
	stderr bytes.Buffer
	stop   context.CancelFunc
}

// OpenRepo reads the history of HEAD of the repository that contains dir, following first parents; only what is in subdir, relative to dir. It needs git.
func OpenRepo(ctx context.Context, dir, subdir string) (*Repo, error) {
	prefix, err := gitCommand(ctx, dir, "rev-parse", "--show-prefix").Output()
	if err != nil {
		return nil, gitError(dir, err, nil)
	}
	ctx, stop := context.WithCancel(ctx)
	r := &Repo{stop: stop}
	if top := path.Join(strings.TrimSuffix(string(prefix), "\n"), filepath.ToSlash(subdir)); top != "." {
		r.Subdir = top
	}
	args := []string{"fast-export", "--first-parent", "-M", "--show-original-ids", "--use-done-feature", "--signed-tags=strip", "--reencode=yes", "HEAD"}
	if subdir != "" {
		args = append(args, "--", subdir)
	} else if r.Subdir != "" {
		args = append(args, "--", ".")
	}
	r.cmd = gitCommand(ctx, dir, args...)
	r.cmd.Stderr = &r.stderr
	if r.Reader, err = r.cmd.StdoutPipe(); err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, gitError(dir, err, nil)
	}
	return r, nil
}

// Close ends the reading. git's messages are an error if everything was read.
func (r *Repo) Close() error {
	if _, err := io.ReadFull(r.Reader, make([]byte, 1)); err == nil {
		r.stop() // if the reading ended early, git must stop
		_ = r.cmd.Wait()
		return nil
	}
	defer r.stop()
	if err := r.cmd.Wait(); err != nil {
		return gitError(r.cmd.Args[2], err, r.stderr.Bytes())
	}
	return nil
}

func gitError(dir string, err error, said []byte) error {
	if exit, ok := err.(*exec.ExitError); ok && said == nil {
		said = exit.Stderr
	}
	if text := strings.TrimSpace(string(said)); text != "" {
		return fmt.Errorf("git in %s: %s", dir, strings.Join(strings.Fields(text), " "))
	}
	return fmt.Errorf("git in %s: %w", dir, err)
}
