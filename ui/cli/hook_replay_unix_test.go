//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/policy"
	"github.com/memend/memend/versions/review"
)

// event is what Claude Code sent to its hook in a real run.
type event struct {
	Name  string `json:"hook_event_name"`
	Tool  string `json:"tool_name"`
	Call  string `json:"tool_use_id"`
	Input struct {
		File    string `json:"file_path"`
		Command string `json:"command"`
	} `json:"tool_input"`
	line string
}

// realRun returns the events of a real run about tools, with the run's folders replaced by others.
func realRun(t *testing.T, memories, project string) (out []event) {
	t.Helper()
	b, err := os.ReadFile("../../agent/outside/testdata/claude-code/hooks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(b), "/tmp/claude-run/home/.claude/projects/-tmp-claude-run-shop/memory", memories)
	text = strings.ReplaceAll(text, "/tmp/claude-run/shop", project)
	for line := range strings.Lines(text) {
		e := event{line: line}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Name == "PreToolUse" || e.Name == "PostToolUse" {
			out = append(out, e)
		}
	}
	return out
}

// brings is the oracle: whether a call brings something from outside into its session.
func (e event) brings(memories, project string) bool {
	switch {
	case e.Name != "PostToolUse":
		return false
	case e.Tool == "Read":
		return !strings.HasPrefix(e.Input.File, memories) && !strings.HasPrefix(e.Input.File, project)
	}
	return e.Tool == "WebFetch" || e.Tool == "WebSearch" || e.Tool == "Bash" || strings.HasPrefix(e.Tool, "mcp__")
}

func (e event) writes(memories string) bool {
	if e.Tool == "Bash" { // those of the run that name a memory write or delete it
		return e.Name == "PreToolUse" && strings.Contains(e.Input.Command, memories)
	}
	return e.Name == "PreToolUse" && slices.Contains([]string{"Write", "Edit", "MultiEdit"}, e.Tool) && strings.HasPrefix(e.Input.File, memories)
}

// In a real run of Claude Code, with something from outside at different places of it, each write of a memory that
// follows something from outside is stopped under the policy careful, and no other.
func TestHook_StopsInRealRunsWhatFollowsOutsideInputAndNothingElse(t *testing.T) {
	t.Parallel()
	injected := map[string]string{
		"WebFetch":                `{"url":"https://example.com"}`,
		"WebSearch":               `{"query":"refunds"}`,
		"Bash":                    `{"command":"cat notes"}`,
		"Read":                    `{"file_path":"/etc/hosts"}`,
		"mcp__github__get_issues": `{}`,
	}
	type replay struct {
		name string
		own  bool // with what the run itself took in from outside
		tool string
		at   int // before this event
	}
	runs := []replay{{name: "as it was", own: true}, {name: "without outside input"}}
	for i, tool := range []string{"WebFetch", "WebSearch", "Bash", "Read", "mcp__github__get_issues"} {
		runs = append(runs, replay{name: "after " + tool, tool: tool, at: 1 + 5*i})
	}
	for _, run := range runs {
		t.Run(run.name, func(t *testing.T) {
			t.Parallel()
			h := newHooked(t)
			memories, err := filepath.EvalSymlinks(h.folder)
			if err != nil {
				t.Fatal(err)
			}
			project, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			careful, _ := policy.ByName("careful")
			h.with(func(_ *engine.Trail, s *engine.Store) {
				person := versions.By{Door: versions.DoorCLI, Actor: versions.Actor{Kind: versions.Person, Name: "mira"}}
				if err := review.SetPolicy(t.Context(), s, person, "", careful.Text); err != nil {
					t.Fatal(err)
				}
			})
			events := realRun(t, memories, project)
			if !run.own {
				if err := os.WriteFile(filepath.Join(memories, "crlf.md"), []byte("a\r\nb\r\nc\r\n"), 0o644); err != nil { // as its first command did
					t.Fatal(err)
				}
				events = slices.DeleteFunc(events, func(e event) bool { return e.brings(memories, project) || e.Tool == "Bash" })
			}
			if run.tool != "" {
				line := fmt.Sprintf(`{"session_id":"2b41dc49-8a3c-4a0e-9a5b-5f4f0c2f1c11","hook_event_name":"PostToolUse","cwd":%q,"tool_name":%q,"tool_input":%s,"tool_response":{"content":"x"},"tool_use_id":"toolu_in"}`, project, run.tool, injected[run.tool])
				var first struct {
					Session string `json:"session_id"`
				}
				if err := json.Unmarshal([]byte(events[0].line), &first); err != nil {
					t.Fatal(err)
				}
				e := event{line: strings.Replace(line, "2b41dc49-8a3c-4a0e-9a5b-5f4f0c2f1c11", first.Session, 1)}
				if err := json.Unmarshal([]byte(e.line), &e); err != nil {
					t.Fatal(err)
				}
				events = slices.Insert(events, run.at, e)
			}
			tainted, writes, stopped := false, 0, map[string]bool{}
			for _, e := range events {
				if stopped[e.Call] {
					continue // the call is never made
				}
				answer := h.answer(e)
				tainted = tainted || e.brings(memories, project)
				if denied := strings.Contains(answer, `"permissionDecision":"deny"`); denied {
					stopped[e.Call] = true
				}
				if e.writes(memories) {
					writes++
					if stopped[e.Call] != tainted {
						t.Errorf("%s %s%s after outside input: %v; stopped: %v: %s", e.Tool, filepath.Base(e.Input.File), e.Input.Command, tainted, stopped[e.Call], answer)
					}
				} else if stopped[e.Call] {
					t.Errorf("%s is stopped: %s", e.Tool, answer)
				}
				if e.Name == "PostToolUse" {
					h.does(e)
				}
			}
			if writes < 10 || (len(stopped) > 0) != (run.own || run.tool != "") {
				t.Errorf("%d writes, %d stopped", writes, len(stopped))
			}
		})
	}
}

// answer runs the hook of an event, and returns what it answers.
func (h *hooked) answer(e event) string {
	h.t.Helper()
	var out bytes.Buffer
	p := &homeOpener{caller: caller{console: console{in: strings.NewReader(e.line), now: time.Now, out: bufio.NewWriter(&out)}}, environment: environment{home: h.home}}
	runHook(h.t.Context(), p, time.Minute)
	return out.String()
}

// does writes the file that a call wrote, as far as it is known.
func (h *hooked) does(e event) {
	h.t.Helper()
	r := outside.Reader{Now: time.Now}
	for _, c := range r.Line([]byte(e.line)) {
		if c.After == nil || c.Op != versions.CallWrote {
			continue
		}
		err := os.WriteFile(c.Path, []byte(*c.After), 0o644)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			h.t.Fatal(err)
		}
	}
}
