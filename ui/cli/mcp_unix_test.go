//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

var (
	mcpRounds = flag.Int("mcp.rounds", 2, "how many servers are killed")
	mcpSeed   = flag.Uint64("mcp.seed", 1, "seed of the moments at which they are killed; 0 takes one from the clock")
)

// withStore returns a home with a store called memories.
func withStore(t *testing.T) *victim {
	v := &victim{t: t, home: t.TempDir()}
	v.output("stores", "create", "memories")
	return v
}

// door returns memend mcp as a client starts it.
func (v *victim) door(args ...string) *exec.Cmd {
	return v.command(append([]string{"mcp"}, args...)...)
}

// client starts a server and connects to it.
func (v *victim) client(name string, args ...string) (*mcp.ClientSession, *exec.Cmd) {
	v.t.Helper()
	cmd := v.door(args...)
	c, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil).Connect(v.t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: 10 * time.Second}, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	v.t.Cleanup(func() { _ = c.Close() })
	return c, cmd
}

type arguments map[string]any

func call(ctx context.Context, c *mcp.ClientSession, tool string, in arguments) (string, error) {
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: in})
	if err != nil {
		return "", err
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return text, errors.New(text)
	}
	return text, nil
}

func TestMCP_EveryCommandThroughTheProgram(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	c, cmd := v.client("robby")
	for _, try := range []struct {
		in   arguments
		says string
	}{
		{arguments{"command": "view", "path": "/memories"}, "Here're the files and directories up to 2 levels deep in /memories"},
		{arguments{"command": "create", "path": "/memories/a.md", "file_text": "one\ntwo\n"}, "File created successfully at: /memories/a.md"},
		{arguments{"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "three"}, "The memory file has been edited."},
		{arguments{"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": "zero\n"}, "The file /memories/a.md has been edited."},
		{arguments{"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/b.md"}, "Successfully renamed /memories/a.md to /memories/b.md"},
		{arguments{"command": "view", "path": "/memories/b.md", "view_range": []int{1, 2}}, "     1\tzero\n     2\tone"},
		{arguments{"command": "delete", "path": "/memories/b.md"}, "Successfully deleted /memories/b.md"},
	} {
		if text, err := call(t.Context(), c, "memory", try.in); err != nil || !strings.Contains(text, try.says) {
			t.Errorf("%v: %q, %v", try.in, text, err)
		}
	}
	if _, err := call(t.Context(), c, "memory", arguments{"command": "delete", "path": "/memories/b.md"}); err == nil || err.Error() != "Error: The path /memories/b.md does not exist" {
		t.Error(err)
	}
	if err := c.Close(); err != nil || !cmd.ProcessState.Success() {
		t.Errorf("the server ended with %v, %v", cmd.ProcessState, err)
	}
	if log := v.output("log"); strings.Count(log, "robby 1") != 5 {
		t.Errorf("the log is\n%s", log)
	}
}

// Two clients, each with a server of its own, work on one store; a third process watches.
func TestMCP_ServersOfSeveralClientsShareAStore(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	one, _ := v.client("one")
	two, _ := v.client("two", "--tools", "six")
	if _, err := call(t.Context(), one, "memory", arguments{"command": "create", "path": "/memories/a.md", "file_text": "end\n"}); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for n, edit := range []func(mark string) error{
		func(mark string) error {
			_, err := call(t.Context(), one, "memory", arguments{"command": "str_replace", "path": "/memories/a.md", "old_str": "end\n", "new_str": mark + "\nend\n"})
			return err
		},
		func(mark string) error {
			_, err := call(t.Context(), two, "memory_edit", arguments{"path": "/memories/a.md", "old_str": "end\n", "new_str": mark + "\nend\n"})
			return err
		},
	} {
		all.Go(func() {
			for i := range 25 {
				if err := edit(fmt.Sprintf("%d.%d", n, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if text := v.output("cat", "a.md"); strings.Count(text, "\n") != 51 {
		t.Errorf("lost:\n%s", text)
	}
	sessions := v.output("sessions")
	if !strings.Contains(sessions, "one 1") || !strings.Contains(sessions, "two 1") || strings.Count(sessions, "\n") != 2 {
		t.Errorf("sessions\n%s", sessions)
	}
}

// Changes that were acknowledged before a server was killed are kept.
func TestMCP_AKilledServerLosesNothingThatItAcknowledged(t *testing.T) {
	t.Parallel()
	seed := *mcpSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (-mcp.seed)", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	v := withStore(t)
	kept := map[string]bool{}
	for round := range *mcpRounds {
		c, cmd := v.client("doomed", "--tools", "both")
		wait := 20*time.Millisecond + time.Duration(random.IntN(200))*time.Millisecond
		kill := sync.OnceFunc(func() { time.AfterFunc(wait, func() { _ = cmd.Process.Kill() }) })
		if round > 0 { // the first server acknowledges something, on a busy machine too
			kill()
		}
		var mu sync.Mutex
		var all sync.WaitGroup
		for worker := range 3 {
			all.Go(func() {
				for n := 0; ; n++ {
					path := fmt.Sprintf("/memories/%d/%d/%d.md", round, worker, n)
					var err error
					if n%2 == 0 {
						_, err = call(t.Context(), c, "memory", arguments{"command": "create", "path": path, "file_text": path})
					} else {
						_, err = call(t.Context(), c, "memory_write", arguments{"path": path, "content": path})
					}
					if err != nil {
						return
					}
					mu.Lock()
					kept[path] = true
					mu.Unlock()
					kill()
				}
			})
		}
		all.Wait()
	}
	t.Logf("%d writes were acknowledged by %d servers", len(kept), *mcpRounds)
	if len(kept) == 0 {
		t.Error("none was")
	}
	if out := v.output("check"); !strings.HasSuffix(out, "is intact\n") {
		t.Errorf("check says %q", out)
	}
	known := map[string]bool{}
	for line := range strings.Lines(v.output("ls", "--json")) {
		var m struct {
			Path string
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		known[strings.TrimPrefix(m.Path, "/memories")] = true
	}
	for path := range kept {
		b, err := os.ReadFile(filepath.Join(v.home, "stores", "memories", strings.TrimPrefix(path, "/memories")))
		if err != nil {
			b = []byte(v.output("cat", path))
		}
		if string(b) != path || !known[strings.TrimPrefix(path, "/memories")] {
			t.Errorf("%s holds %q, known: %v", path, b, known[strings.TrimPrefix(path, "/memories")])
		}
	}
}

// listening starts a server over HTTP and returns its URL and a function that ends it.
func (v *victim) listening(args ...string) (url string, end func(os.Signal) error) {
	v.t.Helper()
	cmd := v.door(append([]string{"--http", "127.0.0.1:0"}, args...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out := begin(v.t, cmd)
	v.t.Cleanup(func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		v.t.Fatalf("%v: %s", err, errs.String())
	}
	return strings.TrimSpace(line), func(sig os.Signal) error {
		if err := cmd.Process.Signal(sig); err != nil {
			return err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("%w: %s", err, errs.String())
			}
			return nil
		case <-time.After(15 * time.Second):
			return errors.New("it does not end")
		}
	}
}

func TestMCP_OverHTTPItPrintsItsURLAndEndsCleanlyWhileClientsListen(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		v := withStore(t)
		url, end := v.listening()
		c, err := mcp.NewClient(&mcp.Implementation{Name: "far", Version: "1"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: keyed(v.token())}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := call(t.Context(), c, "memory", arguments{"command": "create", "path": "/memories/a.md", "file_text": "x"}); err != nil {
			t.Error(err)
		}
		began := time.Now()
		if err := end(sig); err != nil {
			t.Errorf("%v: %v", sig, err)
		}
		t.Logf("%v: ended after %v", sig, time.Since(began))
		go func() { _ = c.Close() }()
		if log := v.output("log"); !strings.Contains(log, "far 1") {
			t.Errorf("the log is\n%s", log)
		}
	}
}

// keyed adds a token to every request.
type keyed string

func (k keyed) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Api-Key", string(k))
	return http.DefaultTransport.RoundTrip(r)
}

// token returns the home's own token.
func (v *victim) token() string {
	v.t.Helper()
	b, err := os.ReadFile(filepath.Join(v.home, "token"))
	if err != nil {
		v.t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

func TestMCP_RequiresAToken(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	url, end := v.listening()
	for key, want := range map[string]int{"": 401, "any": 401, v.token(): 400} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := keyed(key).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = res.Body.Close(); res.StatusCode != want {
			t.Errorf("%q: %d, want %d", key, res.StatusCode, want)
		}
	}
	if err := end(os.Interrupt); err != nil {
		t.Error(err)
	}
}

func TestMCP_RequiresATokenFromAFile(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte("0123456789abcdef\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url, end := v.listening("--token-file", token)
	for bearer, want := range map[string]int{"": 401, "Bearer 0123456789abcde": 401, "Bearer 0123456789abcdef": 400} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", bearer)
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("%q: %d, want %d", bearer, res.StatusCode, want)
		}
	}
	if err := end(os.Interrupt); err != nil {
		t.Error(err)
	}
}

func TestMCP_EndsCleanlyOnASignalWithAClient(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	c, cmd := v.client("one")
	if _, err := call(t.Context(), c, "memory", arguments{"command": "create", "path": "/memories/a.md", "file_text": "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t.Context(), c, "memory", arguments{"command": "view", "path": "/memories/a.md"}); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- c.Wait() }()
	select {
	case <-gone:
	case <-time.After(10 * time.Second):
		t.Error("it does not end before its client goes")
	}
	_ = c.Close()
	if !cmd.ProcessState.Success() {
		t.Errorf("ended with %v", cmd.ProcessState)
	}
	if reads := v.output("log", "--reads", "a.md"); !strings.Contains(reads, "one 1") {
		t.Errorf("a read of the last moment is not in the ledger: %q", reads)
	}
}

// If the client disappears without closing the session, the server ends normally and the
// last reads are recorded.
func TestMCP_EndsCleanlyIfNobodyReadsItsOutput(t *testing.T) {
	t.Parallel()
	v := withStore(t)
	cmd := v.door()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out := begin(t, cmd)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"gone","version":"1"}}}` + "\n"
	if _, err := in.Write([]byte(hello)); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write([]byte(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{"command":"create","path":"/memories/a.md","file_text":"x"}}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory","arguments":{"command":"view","path":"/memories/a.md"}}}` + "\n"))
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(15 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("it does not end")
	}
	if cmd.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
		t.Errorf("it was ended by %v", cmd.ProcessState)
	}
	if log := v.output("log"); !strings.Contains(log, "/memories/a.md") {
		t.Errorf("the log is\n%s", log)
	}
}
