package demo_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/ui/cli/demo"
)

// A program that is not aware of memend runs an agent on the demo's API: with a model of
// any name, a long system prompt, tools of its own and reminders beside results.
func TestHost_AnAgentOfAnotherProgramHasSeveralTurns(t *testing.T) {
	api, err := script.New(demo.Host(1e6))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = api.Close() })
	ask := func(method, path string, body any) (int, map[string]any) {
		t.Helper()
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), method, api.URL()+path, bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Api-Key", "any")
		r.Header.Set("Anthropic-Version", "2023-06-01")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		b, err = io.ReadAll(res.Body)
		out := map[string]any{}
		if err == nil {
			err = json.Unmarshal(b, &out)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, b)
		}
		return res.StatusCode, out
	}
	if code, m := ask(http.MethodGet, "/v1/models/claude-next", nil); code != 200 || m["max_input_tokens"] != 200_000.0 || m["id"] != "claude-next" {
		t.Errorf("the model is %d %v", code, m)
	}
	for _, tool := range []string{"mcp__memend__memory", "memory", "memend_memory", "ToolSearch"} {
		messages := []any{map[string]any{"role": "user", "content": []any{map[string]any{"type": "text", "text": "<reminder>"}, map[string]any{"type": "text", "text": "Ticket 3: hello"}}}}
		var commands []string
		offered := []any{map[string]any{"name": "Bash"}, map[string]any{"name": tool}}
		for turn := 0; ; turn++ {
			code, m := ask(http.MethodPost, "/v1/messages", map[string]any{"model": "claude-next", "max_tokens": 32000, "messages": messages,
				"system": strings.Repeat("Be good. ", 8000), "tools": offered})
			if code != 200 || turn > 5 {
				t.Fatalf("turn %d: %d %v", turn, code, m)
			}
			content := m["content"].([]any)
			messages = append(messages, map[string]any{"role": "assistant", "content": content})
			if m["stop_reason"] != "tool_use" {
				break
			}
			call := content[len(content)-1].(map[string]any)
			switch {
			case call["name"] != tool:
				t.Errorf("it calls %v", call["name"])
			case tool == "ToolSearch": // Claude Code offers the tool from now on
				tool = "mcp__memend__memory"
				offered = append(offered, map[string]any{"name": tool})
			}
			commands = append(commands, fmt.Sprint(call["input"].(map[string]any)["command"]))
			messages = append(messages, map[string]any{"role": "user", "content": []any{
				map[string]any{"type": "tool_result", "tool_use_id": call["id"], "content": "done"}, map[string]any{"type": "text", "text": "<reminder>"}}})
		}
		if got := strings.TrimPrefix(strings.Join(commands, " "), "<nil> "); got != "view create insert" {
			t.Errorf("%s: %s", tool, got)
		}
	}
	_, m := ask(http.MethodPost, "/v1/messages", map[string]any{"model": "small", "max_tokens": 100, "messages": []any{map[string]any{"role": "user", "content": "title?"}}})
	if m["stop_reason"] != "end_turn" {
		t.Errorf("without tools: %v", m)
	}
}
