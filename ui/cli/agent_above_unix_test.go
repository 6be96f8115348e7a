//go:build unix

package cli

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// fakeAgents are names of the programs of agents, and of programs that are none.
var fakeAgents = map[string]bool{"claude": true, "codex": true, "gemini": true, "opencode": true, "qwen": true, "cursor-agent": true,
	"bash": false, "tmux: server": false, "code": false, "cursor": false, "claudette": false}

// asAgent is a variable that makes the test's program an agent that runs a command and waits for it.
const asAgent = "MEMEND_TEST_AGENT"

// runAsAgent runs the command in its arguments with an environment that names no agent.
func runAsAgent() int {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	for _, name := range []string{"HOME", "PATH", runAsProgram, realAncestors} {
		cmd.Env = append(cmd.Env, name+"="+os.Getenv(name))
	}
	if err := cmd.Run(); err != nil {
		return cmd.ProcessState.ExitCode()
	}
	return 0
}

// inPty runs a command in a terminal of its own, and returns what it prints and its exit code.
func inPty(t *testing.T, cmd *exec.Cmd) (string, int) {
	t.Helper()
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(tty) // ends with an error when the terminal is closed
	_ = tty.Close()
	_ = cmd.Wait()
	return string(out), cmd.ProcessState.ExitCode()
}

// A terminal makes no person of an agent: what runs below one is the agent's, whatever the environment. (README: agents
// are limited.)
// README: "only a person's terminal changes it or accepts".
func TestAnAgentAboveACommand_IsNoPersonInAnyTerminal(t *testing.T) {
	t.Parallel()
	for _, p := range ancestors() {
		if _, ok := p.agent(); ok {
			t.Skip("an agent runs the tests:", p.Name)
		}
		if _, _, ok := shellOf(p.getenv); ok {
			t.Skip("an agent runs the tests:", p.Name)
		}
	}
	for name, isAgent := range fakeAgents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHooked(t)
			program := filepath.Join(t.TempDir(), name)
			if err := os.Symlink(os.Args[0], program); err != nil {
				t.Fatal(err)
			}
			acts := [][]string{{"policy", "use", "open"}, {"pin", "a.md"}, {"review", "reject", "1"}, {"redact", "--match", "x", "--yes"}}
			if name != "claude" && name != "bash" { // the others differ in the name alone
				acts = acts[:1]
			}
			for _, args := range acts {
				if err := os.WriteFile(filepath.Join(h.folder, "a.md"), []byte("x\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				cmd := exec.Command(program, append([]string{os.Args[0], "--home", h.home, "-s", h.folder + "/"}, args...)...)
				cmd.Env = append(os.Environ(), asAgent+"=1", runAsProgram+"=1", realAncestors+"=1", realTerminal+"=1")
				out, code := inPty(t, cmd)
				if refused := code == exitRefused && strings.Contains(out, "only a person may do that"); refused != isAgent {
					t.Errorf("%v: exit %d: %s", args, code, out)
				}
				if isAgent && !strings.Contains(out, "above this one is "+name[:min(len(name), 15)]) {
					t.Errorf("%v doesn't say why: %s", args, out)
				}
			}
		})
	}
}

// A person who has no terminal, or isn't in its foreground, decides nothing.
// README: "only a person's terminal changes it or accepts".
func TestWithoutTheForegroundOfATerminal_NobodyDecides(t *testing.T) {
	t.Parallel()
	h := newHooked(t)
	for _, act := range [][]string{{"policy", "use", "open"}, {"redact", "--match", "secretword", "--mask", "--yes"}} {
		for _, line := range []string{"set -m; \"$@\" & wait $!", "exec \"$@\""} {
			if err := os.WriteFile(filepath.Join(h.folder, "a.md"), []byte("secretword\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("sh", append([]string{"-c", line, "sh", os.Args[0], "--home", h.home, "-s", h.folder + "/"}, act...)...)
			cmd.Env = append(os.Environ(), runAsProgram+"=1", realTerminal+"=1")
			out, code := inPty(t, cmd)
			if foreground := !strings.Contains(line, "&"); (code == 0) != foreground {
				t.Errorf("%v, %s: exit %d: %s", act, line, code, out)
			}
		}
	}
}

func TestProcess_IsAnAgentByItsNameOrItsScript(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p    Process
		want string
	}{
		{Process{Name: "claude"}, "claude-code"},
		{Process{Name: "2.1.330", Args: []string{"/home/me/.local/bin/claude", "-p"}}, "claude-code"},
		{Process{Name: "node", Args: []string{"node", "/usr/bin/gemini"}}, "gemini-cli"},
		{Process{Name: "MainThread", Args: []string{"/usr/bin/node", "/usr/lib/node_modules/@google/gemini-cli/dist/index.js"}}, "gemini-cli"},
		{Process{Name: "node", Args: []string{"node", "--no-warnings"}}, ""},
		{Process{Name: "python3", Args: []string{"/usr/bin/python3.12", "/home/me/.local/bin/aider"}}, "aider"},
		{Process{Name: "Codex", Args: []string{"codex.exe"}}, "codex"},
		{Process{Name: "bash", Args: []string{"-bash"}}, ""},
		{Process{Name: "vim", Args: []string{"vim", "/home/me/claude"}}, ""},
		{Process{Name: "cursor"}, ""}, // the editor: a person types in its terminal
	} {
		if got, _ := c.p.agent(); got != c.want {
			t.Errorf("%+v is %q, want %q", c.p, got, c.want)
		}
	}
}
