// Package git runs the program git and reads what it prints. It trusts no repository: nothing in the settings of one can
// start a program or change what is printed. Each function may be called from any goroutine; a [Process] belongs to one.
package git

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// ErrNone reports that the program git is missing or too old.
var ErrNone = errors.New("git " + oldest + " or newer is needed")

// ErrUnsound reports that a repository is damaged, or not what git writes.
var ErrUnsound = errors.New("the git repository is damaged")

func unsound(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrUnsound, fmt.Sprintf(format, args...))
}

// keptEnv are git's variables that an installation needs. The others change which repository git reads, or how.
var keptEnv = []string{"GIT_EXEC_PATH", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS"}

// Command runs git in an untrusted repository: nothing in its settings can start a program, access the network or change what is printed.
func Command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return command(ctx, dir, append([]string{"-c", "protocol.allow=never"}, args...))
}

// Remote runs a git command that speaks with another repository, by any protocol that the person's settings allow.
func Remote(ctx context.Context, dir string, args ...string) *exec.Cmd {
	return command(ctx, dir, args)
}

func command(ctx context.Context, dir string, args []string) *exec.Cmd {
	safe := []string{"-C", dir, "--no-pager", "--no-replace-objects", "--literal-pathspecs", "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=" + os.DevNull,
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

// oldest is the first version of git whose output this package reads.
const oldest = "2.30"

// Find returns an error if git is missing or too old.
func Find(ctx context.Context) error {
	out, err := exec.CommandContext(ctx, "git", "version").Output()
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	var major, minor int
	if _, err := fmt.Sscanf(string(out), "git version %d.%d", &major, &minor); err != nil || major < 2 || major == 2 && minor < 30 {
		return fmt.Errorf("%w: this is %.40q", ErrNone, strings.TrimSpace(string(out)))
	}
	return nil
}

// Process is a running git.
type Process struct {
	dir    string
	cmd    *exec.Cmd
	In     io.WriteCloser
	Out    *bufio.Reader
	stderr bytes.Buffer
	stop   context.CancelFunc
}

// Start starts git. Its output is read with Token, or from Out.
func Start(ctx context.Context, dir string, args ...string) (*Process, error) {
	ctx, stop := context.WithCancel(ctx)
	p := &Process{dir: dir, cmd: Command(ctx, dir, args...), stop: stop}
	p.cmd.Stderr = &p.stderr
	p.cmd.WaitDelay = time.Second // likewise
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		p.In, err = p.cmd.StdinPipe()
	}
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		stop()
		return nil, Error(dir, err, nil)
	}
	p.Out = bufio.NewReaderSize(out, 64<<10)
	return p, nil
}

// End waits until git exits, and returns an error if git failed. All its output must have been read.
func (p *Process) End() error {
	defer p.stop()
	_ = p.In.Close()
	return Error(p.dir, p.cmd.Wait(), p.stderr.Bytes())
}

// Kill ends git early.
func (p *Process) Kill() {
	p.stop()
	_ = p.In.Close() // so that it also ends if git is a script, and only that was killed
	_ = p.cmd.Wait()
}

// token returns what comes before the next NUL, or io.EOF.
func (p *Process) token() (string, error) {
	s, err := p.Out.ReadString(0)
	if errors.Is(err, io.EOF) && s != "" {
		err = io.ErrUnexpectedEOF
	}
	return strings.TrimSuffix(s, "\x00"), err
}

// Objects reads the contents of objects by a Process of cat-file --batch.
type Objects struct {
	*Process
	ahead map[string][]byte
}

// Ahead reads contents that Blob is asked for next, all at once, which takes a fraction of the time. It forgets those that
// it read before, and keeps limit bytes at most.
func (o *Objects) Ahead(ids []string, limit int64) error {
	o.ahead = map[string][]byte{}
	go func() { // git stops to read while nobody reads what it prints
		_, _ = io.WriteString(o.In, strings.Join(ids, "\n")+"\n")
	}()
	for _, id := range ids {
		b, ok, err := o.read(id, limit)
		if err != nil {
			return err
		}
		if ok {
			o.ahead[id] = b
			limit -= int64(len(b))
		}
	}
	return nil
}

// Blob returns the content of a file, or false if it is larger than limit.
func (o *Objects) Blob(id string, limit int64) (b []byte, ok bool, err error) {
	if b, ok := o.ahead[id]; ok && int64(len(b)) <= limit {
		return b, true, nil
	}
	if _, err := io.WriteString(o.In, id+"\n"); err != nil {
		return nil, false, o.dead(err)
	}
	return o.read(id, limit)
}

// read reads the content that git was asked for.
func (o *Objects) read(id string, limit int64) (b []byte, ok bool, err error) {
	line, err := o.Out.ReadString('\n')
	if err != nil {
		return nil, false, o.dead(err)
	}
	var kind string
	var size int64
	if _, err := fmt.Sscanf(line, id+" %s %d\n", &kind, &size); err != nil || kind != "blob" {
		return nil, false, fmt.Errorf("git in %s: %w", o.dir, unsound("git says %q", strings.TrimSpace(line[:min(len(line), 80)])))
	}
	if size > limit {
		_, err = io.CopyN(io.Discard, o.Out, size)
	} else {
		b = make([]byte, size)
		_, err = io.ReadFull(o.Out, b)
	}
	if err == nil {
		_, err = o.Out.Discard(1) // a line end
	}
	if err != nil {
		return nil, false, o.dead(err)
	}
	return b, size <= limit, nil
}

// dead returns why git stopped to answer.
func (o *Objects) dead(err error) error { return cmp.Or(o.End(), err) }

// Shown is the address of a repository without the password that may be in it.
func Shown(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		return u.Redacted()
	}
	return address
}

// CommandError is the error of a git that failed, in the words that it said.
type CommandError struct {
	Where string // a folder or an address
	Said  string // in one line; "": nothing
	Err   error
}

func (e *CommandError) Error() string {
	if e.Said != "" {
		return "git in " + e.Where + ": " + e.Said
	}
	return "git in " + e.Where + ": " + e.Err.Error()
}

func (e *CommandError) Unwrap() error { return e.Err }

// Error returns the error of a git that ended with err, or nil.
func Error(where string, err error, said []byte) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: %w", ErrNone, err)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && said == nil {
		said = exit.Stderr
	}
	return &CommandError{where, strings.Join(strings.Fields(string(said)), " "), err}
}
