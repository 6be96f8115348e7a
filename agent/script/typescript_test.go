package script_test

import (
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"time"

	"github.com/memend/memend/agent/testdata/npmtest"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
)

// readings is what the TypeScript SDK read.
type readings struct {
	Turns []struct {
		Stop    string
		Content []map[string]any
		Usage   agent.Usage
		Context struct {
			Applied []agent.AppliedEdit `json:"applied_edits"`
		}
		Text, JSON string
	}
	Calls                         []map[string]any
	Whole                         reply
	Compacted                     reply
	Resumed                       reply
	Refused, Broken, Cut, Invalid json.RawMessage
	Models                        []string
	Model                         struct {
		Name         string `json:"display_name"`
		Capabilities struct {
			Context struct {
				Clear struct{ Supported bool } `json:"clear_tool_uses_20250919"`
			} `json:"context_management"`
		}
	}
}

const (
	tsText = "Prüfe — ☃ “memory” 👩‍👩‍👧 🦀 naïve."
	tsFile = "☃ \"q\"\n🦀 \\u0041\t</x>\n"
)

// The official TypeScript SDK is the judge of our streams: it is written by those who
// make the API.
func TestTheTypeScriptSDKReadsTheScriptedAPI(t *testing.T) {
	folder := npmtest.SDK.Folder(t)
	models := []agent.Model{
		{ID: "all", Name: "All", MaxInputTokens: 200_000, KnowsContext: true, ClearToolUses: true},
		{ID: "limited"}, {ID: "broken"}, {ID: "cut"}, {ID: "last"},
	}
	s := start(t, script.Options{Models: models, Conversations: []script.Conversation{
		{Name: "all", Model: "all", Prompts: []script.Prompt{{Turns: []script.Turn{
			{Noise: true, Blocks: []script.Block{script.Think("schau zuerst — 🧠"), script.Say(tsText), script.Create("/memories/ü.md", tsFile)}},
			{Blocks: []script.Block{script.View("/memories"), script.View("/memories/ü.md")}},
			{Blocks: []script.Block{script.Delete("/memories/ü.md")}},
			{Blocks: []script.Block{script.Say("done")}},
		}}}},
		{Name: "limited", Model: "limited", Prompts: []script.Prompt{{Turns: []script.Turn{{Faults: []script.Fault{script.RateLimited(1500 * time.Millisecond)}}}}}},
		{Name: "broken", Model: "broken", Prompts: []script.Prompt{{Turns: []script.Turn{{Blocks: []script.Block{script.Say(tsText)}, Faults: []script.Fault{script.OverloadedAfter(5)}}}}}},
		{Name: "cut", Model: "cut", Prompts: []script.Prompt{{Turns: []script.Turn{{Blocks: []script.Block{script.Say(tsText)}, Faults: []script.Fault{{Kind: script.Reset, After: 5}}}}}}},
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	node := exec.CommandContext(ctx, "node", filepath.Join("testdata", "read.mjs"), folder, s.URL())
	node.WaitDelay = time.Second
	out, err := node.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var got readings
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	checkTurns(t, got)
	checkOthers(t, got)
}

func checkTurns(t *testing.T, got readings) {
	t.Helper()
	if len(got.Turns) != 4 || len(got.Calls) != 4 {
		t.Fatalf("%d turns, %d calls", len(got.Turns), len(got.Calls))
	}
	first := got.Turns[0]
	if first.Stop != "tool_use" || first.Text != tsText || len(first.Content) != 3 {
		t.Errorf("%+v", first)
	}
	if b := first.Content[0]; b["type"] != "thinking" || b["thinking"] != "schau zuerst — 🧠" || !strings.HasPrefix(b["signature"].(string), "scripted.") {
		t.Errorf("%v", b)
	}
	if c := got.Calls[0]; c["command"] != "create" || c["path"] != "/memories/ü.md" || c["file_text"] != tsFile {
		t.Errorf("%v", c)
	}
	last := got.Turns[3]
	if last.Stop != "end_turn" || last.Text != "done" || last.Usage.Input == 0 || last.Usage.Output == 0 {
		t.Errorf("%+v", last)
	}
	if a := last.Context.Applied; len(a) != 1 || a[0].Type != agent.ClearToolUses || a[0].ToolUses != 3 || a[0].InputTokens < 2500 {
		t.Errorf("%+v", a)
	}
}

func checkOthers(t *testing.T, got readings) {
	t.Helper()
	if got.Whole.Stop != "tool_use" || got.Whole.says() != tsText {
		t.Errorf("whole: %+v", got.Whole)
	}
	if c := got.Compacted; c.Stop != "compaction" || len(c.Content) != 1 || c.Content[0]["type"] != "compaction" || c.Content[0]["content"] == nil ||
		c.Content[0]["encrypted_content"] == nil || c.Content[0]["signature"] == nil || len(c.Usage.Iterations) != 1 {
		t.Errorf("compacted: %+v", c)
	}
	if got.Resumed.says() != tsText {
		t.Errorf("after a summary that went through the SDK: %+v", got.Resumed)
	}
	for _, c := range []struct {
		name string
		got  json.RawMessage
		want []string
	}{
		{"refused", got.Refused, []string{`"status":429`, `"type":"rate_limit_error"`, `"retry":"1500"`}},
		{"broken", got.Broken, []string{`"type":"overloaded_error"`}},
		{"cut", got.Cut, []string{`"status":null`}},
		{"invalid", got.Invalid, []string{`"status":400`, "strategy requires `thinking` to be enabled or adaptive"}},
	} {
		for _, w := range c.want {
			if !strings.Contains(string(c.got), w) {
				t.Errorf("%s: no %s in %s", c.name, w, c.got)
			}
		}
	}
	if strings.Join(got.Models, " ") != "all limited broken cut last" || got.Model.Name != "All" || !got.Model.Capabilities.Context.Clear.Supported {
		t.Errorf("models: %v, %+v", got.Models, got.Model)
	}
}
