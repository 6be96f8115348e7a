//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
)

// session is a session of Claude Code that writes its transcript, in a temporary folder.
type session struct {
	t          *testing.T
	transcript string
	memory     string
	calls      int
}

func newSession(t *testing.T) *session {
	t.Helper()
	config := t.TempDir()
	t.Setenv("CLAUDE_CONFIG_DIR", config)
	s := &session{t: t, transcript: filepath.Join(config, "projects", "-w-app", "8d2c0a5e-0000-4000-8000-000000000001.jsonl")}
	s.memory = filepath.Join(filepath.Dir(s.transcript), "memory")
	if err := os.MkdirAll(s.memory, 0o755); err != nil {
		t.Fatal(err)
	}
	s.line(`{"type":"mode","mode":"default","sessionId":"8d2c0a5e-0000-4000-8000-000000000001"}`)
	return s
}

func (s *session) line(text string) {
	s.t.Helper()
	f, err := os.OpenFile(s.transcript, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text + "\n")
	}
	if err != nil || f.Close() != nil {
		s.t.Fatal(err)
	}
}

// writes is a call that writes a memory.
func (s *session) writes() {
	s.t.Helper()
	s.calls++
	const stamp, id = "2006-01-02T15:04:05.000Z", "8d2c0a5e-0000-4000-8000-000000000001"
	file, content := filepath.Join(s.memory, "tabs.md"), fmt.Sprintf("Tabs, %d.\n", s.calls)
	s.line(fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":"/w/app","sessionId":%q,"type":"assistant","message":{"id":"msg_1","role":"assistant","content":[{"type":"tool_use","id":"toolu_%d","name":"Write","input":{"file_path":%q,"content":%q}}]},"timestamp":%q}`,
		id, s.calls, file, content, time.Now().UTC().Format(stamp)))
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.line(fmt.Sprintf(`{"parentUuid":null,"isSidechain":false,"cwd":"/w/app","sessionId":%q,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%d","content":"ok"}]},"toolUseResult":{"type":"update","content":%q},"timestamp":%q}`,
		id, s.calls, content, time.Now().UTC().Format(stamp)))
}

// While memend is open it reads transcripts of Claude Code and finds in them who wrote a
// file.
func TestWatch_ShowsAuthorsFromTranscripts(t *testing.T) {
	for _, follows := range []bool{true, false} {
		t.Run(fmt.Sprint(follows), func(t *testing.T) {
			s := newSession(t)
			home := filepath.Join(t.TempDir(), "home")
			if code := Run([]string{"--home", home, "stores", "create", "memory", "--folder", s.memory}, strings.NewReader(""), io.Discard, os.Stderr); code != 0 {
				t.Fatal(code)
			}
			cmd := exec.Command(os.Args[0], "--home", home, "-s", "memory", "watch", "--json")
			cmd.Env = append(os.Environ(), runAsProgram+"=1", fmt.Sprint("MEMEND_OUTSIDE_TRANSCRIPTS=", follows))
			var errs bytes.Buffer
			cmd.Stderr = &errs
			out := begin(t, cmd)
			lines := make(chan eventJSON, 100)
			go func() {
				defer close(lines)
				for in := bufio.NewScanner(out); in.Scan(); {
					var e eventJSON
					if json.Unmarshal(in.Bytes(), &e) == nil {
						lines <- e
					}
				}
			}()
			t.Cleanup(func() {
				_ = cmd.Process.Signal(os.Interrupt)
				for range lines {
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("it ended with %v: %s", err, errs.String())
				}
			})
			changes := 0
			for end := time.After(30 * time.Second); ; {
				select {
				case e := <-lines:
					if e.Kind == agent.Changed {
						changes++
					}
					if e.Inferred {
						if !follows || e.By == nil || e.By.Name != "claude-code" || e.Session != "8d2c0a5e-0000-4000-8000-000000000001" || !strings.HasPrefix(e.ToolUse, "toolu_") {
							t.Errorf("%+v", e)
						}
						return
					}
					if !follows && changes == 3 {
						return
					}
				case <-time.After(300 * time.Millisecond):
					s.writes()
				case <-end:
					t.Fatalf("nobody is told of after %d changes: %s", changes, errs.String())
				}
			}
		})
	}
}

// Line mode reads transcripts as the TUI does, and reports who made a change.
func TestAccessible_ShowsAuthorsFromTranscripts(t *testing.T) {
	for _, follows := range []bool{true, false} {
		t.Run(fmt.Sprint(follows), func(t *testing.T) {
			s := newSession(t)
			cmd := exec.Command(os.Args[0], "--home", filepath.Join(t.TempDir(), "home"), "--accessible", s.memory)
			cmd.Env = append(os.Environ(), runAsProgram+"=1", fmt.Sprint("MEMEND_OUTSIDE_TRANSCRIPTS=", follows), "MEMEND_CONFIG="+os.DevNull)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out := begin(t, cmd)
			lines := make(chan string, 100)
			go func() {
				defer close(lines)
				for said := bufio.NewScanner(out); said.Scan(); {
					lines <- said.Text()
				}
			}()
			changes, theirs := 0, false
			for end := time.After(30 * time.Second); !theirs && (follows || changes < 3); {
				select {
				case line := <-lines:
					if strings.Contains(line, "News: change") {
						changes++
					}
					theirs = strings.Contains(line, "Claude Code (inferred): edited /memories/tabs.md")
				case <-time.After(300 * time.Millisecond):
					s.writes()
					_, _ = io.WriteString(in, "\n") // changes by others are printed before the prompt
				case <-end:
					t.Fatalf("nobody is told of after %d changes: %s", changes, errs.String())
				}
			}
			if theirs != follows {
				t.Errorf("told whose it is: %v", theirs)
			}
			_ = in.Close()
			for range lines {
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v: %s", err, errs.String())
			}
		})
	}
}
