package outside

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

func TestInputs_AreTheKindsOfWhatACallBroughtIn(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, memories, elsewhere := filepath.Join(top, "project"), filepath.Join(top, "memories"), filepath.Join(top, "elsewhere")
	for _, dir := range []string{filepath.Join(project, ".git"), filepath.Join(project, "sub"), memories, elsewhere} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(elsewhere, filepath.Join(project, "link")); err != nil {
		t.Fatal(err)
	}
	in := Stores{All: []versions.StoreInfo{{ID: "store", Folder: memories}}, Home: top}
	file := func(dir string) string { return fmt.Sprintf(`{"file_path":%q}`, filepath.Join(dir, "a.md")) }
	for _, c := range []struct {
		tool, input string
		want        versions.Inputs
	}{
		{"WebFetch", `{"url":"https://example.com"}`, versions.InputWeb},
		{"WebSearch", `{"query":"x"}`, versions.InputWeb},
		{"Bash", `{"command":"ls"}`, versions.InputShell},
		{"BashOutput", `{"bash_id":"1"}`, versions.InputShell},
		{"mcp__github__get_issue", `{}`, versions.InputMCP},
		{"mcp__machine__run", `{"command":["ls"]}`, versions.InputMCP}, // arguments of its own kinds
		{"WebFetch", `{"url":"https://example.com","content":{}}`, versions.InputWeb},
		{"mcp__memend__memory", `{"command":"view","path":"/memories"}`, 0},
		{"mcp__memend__read", `{}`, 0},
		{"TodoWrite", `{}`, 0},
		{"Write", file(memories), 0},
		{"Read", file(project), 0},
		{"Read", file(filepath.Join(project, "sub")), 0},
		{"Read", file(memories), 0},
		{"Read", file(elsewhere), versions.InputFile},
		{"Read", file(filepath.Join(project, "link")), versions.InputFile},
		{"Read", file(project + "-other"), versions.InputFile},
		{"Grep", fmt.Sprintf(`{"pattern":"x","path":%q}`, elsewhere), versions.InputFile},
		{"Grep", `{"pattern":"x"}`, 0},
		{"Glob", `{"pattern":"*","path":"../../elsewhere"}`, versions.InputFile},
		{"Glob", `{"pattern":"*","path":"."}`, 0},
	} {
		r := &Reader{Now: time.Now}
		line := func(event string) []byte {
			return []byte(fmt.Sprintf(`{"session_id":"S","hook_event_name":%q,"cwd":%q,"tool_name":%q,"tool_input":%s,"tool_response":{},"tool_use_id":"t"}`, event, filepath.Join(project, "sub"), c.tool, c.input))
		}
		inputs := func(calls []Call) (all versions.Inputs) {
			for _, call := range calls {
				all |= in.Inputs(call)
			}
			return all
		}
		if got := inputs(r.Line(line("PostToolUse"))); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.tool, c.input, got, c.want)
		}
		if got := inputs(r.Line(line("PreToolUse"))); got != 0 {
			t.Errorf("%s that has only begun: %q", c.tool, got)
		}
		if got, want := inputs(r.Line(line("PostToolUseFailure"))), c.want&(versions.InputShell|versions.InputMCP); got != want {
			t.Errorf("%s that failed: %q, want %q", c.tool, got, want)
		}
	}
}
