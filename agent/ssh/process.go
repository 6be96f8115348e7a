package ssh

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// commandEnv names the command that is used as ssh.
const commandEnv = "MEMEND_SSH"

const (
	stopTime = 2 * time.Second // that ssh has to end once its input has
	exitTime = 3 * time.Second // that ssh has to end once its output has
)

// process is a running ssh.
type process struct {
	target Target
	cmd    *exec.Cmd
	in     *os.File // its input
	out    *os.File // its output
	errs   tail
	ended  chan struct{}
	once   sync.Once
}

// arguments returns what ssh is called with.
func arguments(t Target, actor string, prompt bool) []string {
	args := []string{"-T"}
	if !prompt {
		args = append(args, "-o", "BatchMode=yes")
	}
	if t.Port != "" {
		args = append(args, "-p", t.Port)
	}
	args = append(args, t.name(), "memend", "serve", "--listen", "stdio")
	if actor != "" {
		args = append(args, "--actor", quoted(actor))
	}
	return args
}

// quoted returns a word for the shell of the other machine.
func quoted(s string) string {
	plain := strings.IndexFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._@-", r))
	}) < 0
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// command returns the program that $MEMEND_SSH names, or ssh. A command with arguments is for the
// shell, unless it is the name of a program that contains a space.
func command(args []string) *exec.Cmd {
	program := strings.TrimSpace(os.Getenv(commandEnv))
	if program == "" {
		program = "ssh"
	}
	if _, err := exec.LookPath(program); err == nil || !strings.ContainsAny(program, " \t\"'") {
		return exec.Command(program, args...)
	}
	if runtime.GOOS == "windows" {
		words := strings.Fields(program)
		return exec.Command(words[0], append(words[1:], args...)...)
	}
	return exec.Command("sh", append([]string{"-c", program + ` "$@"`, "ssh"}, args...)...)
}

// run starts ssh.
func run(t Target, actor string, prompt bool) (*process, error) {
	p := &process{target: t, cmd: command(arguments(t, actor, prompt)), ended: make(chan struct{})}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), in.Close())
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, &p.errs
	p.cmd.WaitDelay = time.Second // a connection that ssh shares may keep the error output open
	if !prompt {
		alone(p.cmd)
	}
	err = p.cmd.Start()
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		_, _ = in.Close(), out.Close()
		return nil, &Error{Target: t, NotSent: true, Final: true, Text: "start " + p.cmd.Args[0] + ": " + err.Error(),
			Hint: "install OpenSSH, or name another command in $" + commandEnv, Err: err}
	}
	go func() {
		_ = p.cmd.Wait() // failure reads the exit code
		close(p.ended)
	}()
	return p, nil
}

// stop ends the program's input, and the program if it ignores that.
func (p *process) stop() {
	p.once.Do(func() {
		_ = p.in.Close()
		go func() {
			select {
			case <-p.ended:
			case <-time.After(stopTime):
				p.kill()
				<-p.ended
			}
			_ = p.out.Close()
		}()
	})
}

// kill ends the program and those that it started, and closes its output: another program may hold
// the other end.
func (p *process) kill() {
	select {
	case <-p.ended:
	default:
		killAll(p.cmd)
	}
	_ = p.out.Close()
}

// exitCode waits for the end of the program, whose output has ended, and returns its exit code; -1
// if it was killed.
func (p *process) exitCode() int {
	select {
	case <-p.ended:
	case <-time.After(exitTime):
		p.kill()
		<-p.ended
	}
	return p.cmd.ProcessState.ExitCode()
}

// tail keeps the end of what a program prints.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const tailSize = 4 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - tailSize; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}
