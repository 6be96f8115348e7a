package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/agent/clients"
	"github.com/memend/memend/versions"
)

// checkResult is the result of trying a hook or a server as a client uses it.
type checkResult struct {
	Door string `json:"door"`
	OK   bool   `json:"ok"`
	Seen string `json:"seen"`
	Hint string `json:"hint,omitempty"`
}

// checkTimeout limits a check: a client would wait no longer either.
const checkTimeout = 20 * time.Second

// setupClient is the client name that checks send, so that they are not taken for a
// client's calls.
const setupClient = "memend-setup"

// checkEvent is the event that setup sends to a hook: the hook only notes it.
const checkEvent = "memend-check"

// hookNote is what a hook notes about its last call, without contents.
type hookNote struct {
	At      time.Time `json:"at"`
	Event   string    `json:"hook_event_name"`
	Tool    string    `json:"tool_name,omitempty"`
	Session string    `json:"session_id"`
}

func hookNoteFile(home string, check bool) string {
	if check {
		return filepath.Join(home, "hook-check.json")
	}
	return filepath.Join(home, "hook-last.json")
}

// noteHook notes that a hook was called, and reports whether setup called it.
func noteHook(env *environment, now func() time.Time, line []byte) (check bool) {
	home, err := env.homeFolder()
	var note hookNote
	if err != nil || json.Unmarshal(line, &note) != nil || note.Event == "" {
		return false
	}
	check = note.Event == checkEvent
	note.At = now()
	if b, err := json.Marshal(note); err == nil && env.hasTrail() {
		_ = os.WriteFile(hookNoteFile(home, check), append(b, '\n'), 0o600) // a hook does not report errors
	}
	return check
}

func readHookNote(home string, check bool) (note hookNote, err error) {
	b, err := os.ReadFile(hookNoteFile(home, check))
	if err == nil {
		err = json.Unmarshal(b, &note)
	}
	return note, err
}

// checkHook runs the command line of a hook as Claude Code does, and checks that the home of
// this program has a note of it.
func checkHook(ctx context.Context, env *environment, now func() time.Time, line string) checkResult {
	a := checkResult{Door: "hooks"}
	home, err := env.homeFolder()
	if err != nil {
		a.Seen = err.Error()
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	mark := string(versions.NewSession())
	input, err := json.Marshal(hookNote{At: now(), Event: checkEvent, Session: mark})
	if err != nil {
		a.Seen = err.Error()
		return a
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	if runtime.GOOS == "windows" {
		words := clients.Words(line)
		cmd = exec.CommandContext(ctx, words[0], words[1:]...)
	}
	var output bytes.Buffer
	cmd.Stdin, cmd.Stderr, cmd.Dir = bytes.NewReader(input), &output, os.TempDir()
	err = cmd.Run()
	note, nerr := readHookNote(home, true)
	switch {
	case err != nil:
		a.Seen, a.Hint = fmt.Sprintf("%s failed: %v: %s", line, err, firstLine(output.String())), "run it in a shell to see why"
	case nerr != nil || note.Session != mark:
		a.Seen, a.Hint = "the hook ran, but nothing arrived in "+home, "`memend doctor` shows more; "+filepath.Join(home, "log", "hook.log")+" has the errors"
	default:
		a.OK, a.Seen = true, "a message arrived in "+home
	}
	return a
}

// checkServer connects to a server as a client does, and lists its tools.
func checkServer(ctx context.Context, s clients.Server) checkResult {
	a := checkResult{Door: "mcp"}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	var output bytes.Buffer
	var over mcp.Transport
	if s.URL != "" {
		over = &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: withHeaders(s.Headers)}, MaxRetries: -1}
	} else {
		cmd := exec.CommandContext(ctx, s.Command, s.Args...)
		cmd.Stderr, cmd.Dir = &output, os.TempDir()
		over = &mcp.CommandTransport{Command: cmd}
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: setupClient, Version: release().Version}, nil).Connect(ctx, over, nil)
	var tools []string
	if err == nil {
		var list *mcp.ListToolsResult
		if list, err = session.ListTools(ctx, nil); err == nil {
			for _, tool := range list.Tools {
				tools = append(tools, tool.Name)
			}
		}
		err = errors.Join(err, session.Close())
	}
	switch {
	case s.URL != "" && errors.Is(err, syscall.ECONNREFUSED):
		a.Seen, a.Hint = "nothing listens at "+s.URL, "start it with `memend mcp --http ADDRESS`, and let it run"
	case err != nil:
		a.Seen = fmt.Sprintf("the server does not answer: %v", err)
		if line := firstLine(output.String()); line != "" {
			a.Seen += ": " + line
		}
	default:
		a.OK, a.Seen = true, "the server answers, with the tools "+strings.Join(tools, ", ")
	}
	return a
}

// withHeaders is a transport that adds headers to every request.
type withHeaders map[string]string

func (h withHeaders) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
