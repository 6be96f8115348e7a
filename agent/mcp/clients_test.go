package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/versions"
)

// testdata/clients is what clients really sent to a server on its standard input, in a
// run in which each wrote one memory, after a line with the environment that they gave it.
func TestARunOfAClient_IsOneSession(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]struct{ session, call, actor, title string }{
		"claude-code-2.1.330": {"2b41dc49-9d48-4eb4-9cea-702b43614c77", "toolu_003900", "claude-code 2.1.330", "Claude Code 2.1.330"},
		"codex-0.169.0":       {"01a2047c-d8d4-7de0-a672-1905a6a4cf99", "call_4", "codex-mcp-client 0.169.0", "Codex 0.169.0"},
		"gemini-cli-0.61.0":   {"sesn_", "mcp_", "gemini-cli-mcp-client 0.61.0", ""}, // it says neither
		"opencode-1.18.33":    {"sesn_", "mcp_", "opencode 1.18.33", ""},
	} {
		for _, attach := range []bool{false, true} {
			t.Run(file, func(t *testing.T) {
				b, err := os.ReadFile(filepath.Join("testdata", "clients", file+".jsonl"))
				if err != nil {
					t.Fatal(err)
				}
				first, lines, _ := bytes.Cut(b, []byte("\n"))
				var started struct{ Env map[string]string }
				if err := json.Unmarshal(first, &started); err != nil {
					t.Fatal(err)
				}
				w := newWorld(t, func(o *Options) {
					o.ClaudeCode, o.Attach = versions.SessionID(started.Env["CLAUDE_CODE_SESSION_ID"]), attach
				})
				if err := w.s.Serve(t.Context(), io.NopCloser(bytes.NewReader(lines)), discard{}); err != nil {
					t.Fatal(err)
				}
				cs := w.changes()
				if attach { // then it is the connection's
					want.session = "sesn_"
				}
				if len(cs) != 1 || !strings.HasPrefix(string(cs[0].Session), want.session) || !strings.HasPrefix(cs[0].ToolUse, want.call) || cs[0].Actor.Name != want.actor || cs[0].Actor.Title != want.title {
					t.Errorf("attached %v: %+v", attach, cs)
				}
			})
		}
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// Two servers of one run may have different stores attached: neither binds the other.
func TestServersOfOneRun_MayAttachDifferentStores(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	team := newStore(t, w.trail, "team")
	wiki := w.store.Info().ID
	for path, attach := range map[string][]versions.Attachment{"/memories/wiki/a.md": {{Store: wiki}}, "/memories/team/a.md": {{Store: team.Info().ID}}, "/memories/b.md": nil} {
		w.serve(func(o *Options) {
			if o.ClaudeCode = "claude"; attach != nil {
				o.Attach, o.Stores = true, attach
			}
		})
		w.connect("claude-code", nil).must("memory", args{"command": "create", "path": path, "file_text": "x"})
	}
}

func TestAGivenSession_IsNotReplacedByTheClients(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.Session, o.ClaudeCode = "given", "claude" })
	c := w.connect("claude-code", nil)
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{"sessionId": "named"}, Name: "memory",
		Arguments: args{"command": "create", "path": "/memories/a.md", "file_text": "x"}}); err != nil {
		t.Fatal(err)
	}
	if cs := w.changes(); cs[0].Session != "given" {
		t.Errorf("%+v", cs[0])
	}
}

// Over HTTP anybody could name somebody else's run, and have it undone with that.
func TestOverHTTP_ClientsCanNotNameARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *Options) { o.ClaudeCode = "claude" })
	c := dial(t, w.listen(""), "", "claude-code", nil)
	if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Meta: mcp.Meta{"sessionId": "named"}, Name: "memory",
		Arguments: args{"command": "create", "path": "/memories/a.md", "file_text": "x"}}); err != nil {
		t.Fatal(err)
	}
	if cs := w.changes(); !strings.HasPrefix(string(cs[0].Session), "sesn_") {
		t.Errorf("%+v", cs[0])
	}
}
