package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
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

// keptEnv are git's variables that an installation needs. The others change which repository git reads, or how.
var keptEnv = []string{"GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM"}

// gitCommand runs git in an untrusted repository: nothing in its settings can start a program, access the network or change what is printed.
func gitCommand(ctx context.Context, dir string, args ...string) *exec.Cmd {
	safe := []string{"-C", dir, "--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never",
		"-c", "core.bigFileThreshold=8m", // larger contents are streamed
		"-c", "advice.graftFileDeprecated=false",
		"-c", "log.follow=false", "-c", "log.showRoot=true", "-c", "log.diffMerges=first-parent"} // those without a flag, or without one in git 2.30
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return strings.HasPrefix(name, "GIT_") && !slices.Contains(keptEnv, name)
	})
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_GRAFT_FILE="+os.DevNull, "LC_ALL=C")
	return cmd
}

// oldestGit is the first version of git whose output this package reads.
const oldestGit = "2.30"

// findGit returns an error if git is missing or too old.
func findGit(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil || major < 2 || major == 2 && minor < 30 {
		return fmt.Errorf("%w: this is %.40q", ErrNoGit, strings.TrimSpace(string(out)))
	}
	return nil
}

// Repo is a commit of a git repository with the history before it.
type Repo struct {
	dir    string
	head   string   // id of the commit
	subdir string   // the folder that becomes the root, relative to the repository's root; "": everything
	paths  []string // that limit git's output, relative to dir
	cut    bool     // a shallow clone: the history before some commit is missing
}

// OpenRepo finds the HEAD of the repository that contains dir, and in it only what is in subdir, relative to dir. Neither need be checked out. It needs git.
func OpenRepo(ctx context.Context, dir, subdir string) (*Repo, error) {
	if err := findGit(ctx); err != nil {
		return nil, err
	}
	ask := func(args ...string) (string, error) {
		out, err := gitCommand(ctx, dir, args...).Output()
		return strings.TrimSuffix(string(out), "\n"), gitError(dir, err, nil)
	}
	prefix, err := ask("rev-parse", "--show-prefix")
	if err != nil {
		return nil, err
	}
	r := &Repo{dir: dir}
	if r.head, err = ask("rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return nil, fmt.Errorf("git in %s: %w", dir, ErrNoCommits)
	}
	shallow, err := ask("rev-parse", "--is-shallow-repository")
	if err != nil {
		return nil, err
	}
	r.cut = shallow == "true"
	if top := path.Join(prefix, filepath.ToSlash(subdir)); top != "." {
		r.subdir = top
	}
	if subdir != "" {
		r.paths = []string{subdir}
	} else if r.subdir != "" {
		r.paths = []string{"."}
	}
	return r, nil
}

// gitProcess is a running git.
type gitProcess struct {
	dir    string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
	stop   context.CancelFunc
}

func startGit(ctx context.Context, dir string, args ...string) (*gitProcess, error) {
	ctx, stop := context.WithCancel(ctx)
	p := &gitProcess{dir: dir, cmd: gitCommand(ctx, dir, args...), stop: stop}
	p.cmd.Stderr = &p.stderr
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.in, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, gitError(dir, err, nil)
	}
	p.out = bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// end waits until git exits, and returns an error if git failed. All its output must have been read.
func (p *gitProcess) end() error {
	defer p.stop()
	_ = p.in.Close()
	return gitError(p.dir, p.cmd.Wait(), p.stderr.Bytes())
}

// kill ends git early.
func (p *gitProcess) kill() {
	p.stop()
	_ = p.cmd.Wait()
}

// token returns what comes before the next NUL, or io.EOF.
func (p *gitProcess) token() (string, error) {
	s, err := p.out.ReadString(0)
	if errors.Is(err, io.EOF) && s != "" {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(s, "\x00"), err
}

// gitObjects reads the contents of objects.
type gitObjects struct{ *gitProcess }

// blob returns the content of a file, or false if it is larger than limit.
func (o gitObjects) blob(id string, limit int64) (b []byte, ok bool, err error) {
	if _, err := io.WriteString(o.in, id+"\n"); err != nil {
		return nil, false, o.dead(err)
	}
	line, err := o.out.ReadString('\n')
	if err != nil {
		return nil, false, o.dead(err)
	}
	var kind string
	var size int64
	if _, err := fmt.Sscanf(line, id+" %s %d\n", &kind, &size); err != nil || kind != "blob" {
		return nil, false, fmt.Errorf("git in %s: %w: git says %q; `git fsck` says what else is wrong", o.dir, versions.ErrUnsound, strings.TrimSpace(line[:min(len(line), 80)]))
	}
	if size > limit {
		_, err = io.CopyN(io.Discard, o.out, size)
	} else {
		b = make([]byte, size)
		_, err = io.ReadFull(o.out, b)
	}
	if err == nil {
		_, err = o.out.Discard(1) // a line end
	}
	if err != nil {
		return nil, false, o.dead(err)
	}
	return b, size <= limit, nil
}

// dead returns why git stopped to answer.
func (o gitObjects) dead(err error) error { return cmp.Or(o.end(), err) }

func gitError(dir string, err error, said []byte) error {
	if err == nil {
		return nil
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && said == nil {
		said = exit.Stderr
	}
	if text := strings.TrimSpace(string(said)); text != "" {
		return fmt.Errorf("git in %s: %s", dir, strings.Join(strings.Fields(text), " "))
	}
	return fmt.Errorf("git in %s: %w", dir, err)
}
