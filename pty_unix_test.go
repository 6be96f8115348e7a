//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is memtrail at work in a terminal of 120 columns and 36 rows.
type terminal struct {
	t   *testing.T
	cmd *exec.Cmd
	pty *os.File

	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

// inTerminal starts it. The test's own program is memtrail when it is called so.
func inTerminal(t *testing.T, env []string, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Args: append([]string{"memtrail"}, args...), Env: append(os.Environ(), env...)}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color")
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 36})
	if err != nil {
		t.Skip("no terminal to be had here:", err)
	}
	term := &terminal{t: t, cmd: cmd, pty: f, done: make(chan struct{})}
	t.Cleanup(func() { cmd.Process.Kill(); f.Close() })
	go func() {
		defer close(term.done)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			term.mu.Lock()
			term.seen.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return term
}

func (m *terminal) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen.String()
}

// wait waits until something was shown.
func (m *terminal) wait(text string) {
	m.t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(m.text(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("the terminal never shows %q, but\n%q", text, m.text())
		}
	}
}

func (m *terminal) press(keys string) {
	if _, err := io.WriteString(m.pty, keys); err != nil {
		m.t.Fatal(err)
	}
}

// ends waits for the program's end.
func (m *terminal) ends(code int) {
	m.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			m.t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		m.t.Fatalf("memtrail does not end; it shows\n%q", m.text())
	}
	select { // what was written last
	case <-m.done:
	case <-time.After(time.Second):
	}
	if got := m.cmd.ProcessState.ExitCode(); got != code {
		m.t.Errorf("ended with %d, want %d; it shows\n%q", got, code, m.text())
	}
}

func TestDemoOpensWritesByItselfAndLeavesNothingBehind(t *testing.T) {
	tmp := t.TempDir()
	m := inTerminal(t, []string{"TMPDIR=" + tmp}, "demo")
	m.wait("MEMORY.md")
	m.wait("scripted")
	m.wait("live") // the folder that the scripted agent makes
	m.press("q")
	m.ends(0)
	if !strings.Contains(m.text(), "\x1b[?1049l") {
		t.Error("the terminal was not given back")
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestScreensOpenOnAFolderAndKeepTheirDataOutOfIt(t *testing.T) {
	home, store := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(store, "remembered.md"), []byte("# Remembered\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := inTerminal(t, []string{"MEMTRAIL_HOME=" + home}, store)
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
	entries, err := os.ReadDir(store)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	// Without a name it is the one used last.
	m = inTerminal(t, []string{"MEMTRAIL_HOME=" + home})
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
}

// ^C in a command that waits for input ends it, and nothing is written.
func TestInterruptedWriteWritesNothing(t *testing.T) {
	home, store := t.TempDir(), t.TempDir()
	m := inTerminal(t, nil, "--home", home, "-s", store, "write", "a.md")
	m.wait("end it with ^D")
	m.press("half a thought\r\n")
	m.wait("half a thought")
	if err := m.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	m.ends(-1)
	if _, err := os.Stat(filepath.Join(store, "a.md")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a.md:", err)
	}
}

// What a memory holds reaches a terminal as text, never as a command to it.
func TestNothingInAMemoryCommandsTheTerminal(t *testing.T) {
	home, store := t.TempDir(), t.TempDir()
	hostile := "\x1b]0;owned\x07\x1b[2Jtext\r\x9b31m\u202eevil\u200b\n"
	for _, name := range []string{"a.md", "b\u202e.md"} {
		if err := os.WriteFile(filepath.Join(store, name), []byte(hostile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("x\x1b[2Jy", filepath.Join(store, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, "\x1b[2Jname"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"cat", "a.md"}, {"cat", "-n", "a.md"}, {"ls"}, {"log"}, {"log", "b\u202e.md"}, {"show", "a.md@1"}, {"show", "1"},
		{"diff", "a.md"}, {"cat", "no\u202e.md"}, {"show", "--content", "a.md@1"}, {"check"},
	} {
		m := inTerminal(t, []string{"NO_COLOR=1"}, append([]string{"--home", home, "-s", store}, args...)...)
		want := 0
		if strings.HasPrefix(args[len(args)-1], "no") {
			want = 1
		}
		m.ends(want)
		shown := strings.ReplaceAll(m.text(), "\x1b[m", "")
		for _, never := range []string{"\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u200b"} {
			if strings.Contains(shown, never) {
				t.Errorf("memtrail %s shows %q", strings.Join(args, " "), shown)
			}
		}
		if len(shown) == 0 {
			t.Errorf("memtrail %s shows nothing", strings.Join(args, " "))
		}
	}
}
