//go:build unix

package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
)

// testdata/claude-code-2.1.330-http.jsonl is what Claude Code sent to a hook and to a
// server over HTTP, in the order of a run in which the agent and its subagent each created
// a memory. Headers that any client sends are left out.
func TestARunOfClaudeCodeOverHTTPIsOneSession(t *testing.T) {
	t.Parallel()
	const run = "5621de31-004c-45cc-b811-dc22fc982c07"
	for name, c := range map[string]struct {
		hooked bool
		want   map[string]string // who made a memory, by path
	}{
		"with hooks":    {true, map[string]string{"mcp.md": "claude-code 2.1.330", "review.md": "claude-code/reviewer"}},
		"without hooks": {false, map[string]string{"mcp.md": "claude-code 2.1.330", "review.md": "claude-code 2.1.330"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &claudeRun{victim: &victim{t: t, home: filepath.Join(t.TempDir(), "home")}, person: t.TempDir(), memory: t.TempDir()}
			r.output("stores", "create", "memories", "--folder", r.memory)
			r.listen()
			r.replay(c.hooked)
			for _, v := range r.versions(0) {
				if (v.Session == run) != c.hooked || v.Actor.Name != c.want[v.Path.Rel()] || !strings.HasPrefix(v.ToolUse, "toolu_") {
					t.Errorf("%s is by %s in %s, of the call %s", v.Path.Rel(), v.Actor, v.Session, v.ToolUse)
				}
				delete(c.want, v.Path.Rel())
			}
			if len(c.want) > 0 {
				t.Errorf("no version of %v", c.want)
			}
			if c.hooked {
				r.undone(versions.SessionID(run), map[string]string{})
			}
		})
	}
}

// replay sends to the hook and the server what Claude Code sent them.
func (c *claudeRun) replay(hooked bool) {
	c.t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "claude-code-2.1.330-http.jsonl"))
	if err != nil {
		c.t.Fatal(err)
	}
	session := ""
	for line := range bytes.Lines(b) {
		var l struct {
			Hook json.RawMessage
			HTTP *struct {
				Headers map[string]string
				Body    json.RawMessage
			}
		}
		if err := json.Unmarshal(line, &l); err != nil {
			c.t.Fatal(err)
		}
		if l.HTTP == nil {
			if hook := c.command("hook", "--within", "1m"); hooked {
				hook.Stdin = bytes.NewReader(l.Hook)
				if out, err := hook.CombinedOutput(); err != nil || len(out) > 0 {
					c.t.Fatalf("hook: %v: %s", err, out)
				}
			}
			continue
		}
		req, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, bytes.NewReader(l.HTTP.Body))
		if err != nil {
			c.t.Fatal(err)
		}
		for name, value := range l.HTTP.Headers {
			if name == "Mcp-Session-Id" {
				value = session
			}
			req.Header.Set(name, value)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			c.t.Fatal(err)
		}
		answer, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		probe := bytes.Contains(l.HTTP.Body, []byte("server/discover")) // for a newer protocol; it is refused
		if err != nil || res.StatusCode >= http.StatusBadRequest && !probe {
			c.t.Fatalf("%s: %s, %v: %s", l.HTTP.Body, res.Status, err, answer)
		}
		if id := res.Header.Get("Mcp-Session-Id"); id != "" {
			session = id
		}
	}
}
