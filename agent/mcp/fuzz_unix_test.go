//go:build unix

package mcp

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memend/memend/versions"
)

// Whatever is passed to whichever tool, the answer is a result, nothing outside of the
// store is read, made or changed, and no path of this machine is revealed.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `7`, `"x"`, `{"command":null}`, `{"command":"view","path":"/memories/../../secret"}`, `{"command":"create","path":"/memories/\u0000","file_text":"x"}`,
		`{"command":"rename","old_path":"/memories/out/secret","new_path":"/memories/mine"}`, `{"command":"create","path":"/memories/out/new","file_text":"x"}`,
		`{"type":"tool_use","name":"memory","id":"x","input":{"command":"view","path":"/memories"}}`, `{"command":"view","path":"/memories/a","view_range":[9e99,-1]}`,
		`{"command":"insert","path":"/memories/a","insert_line":-9223372036854775808,"insert_text":"\ud800"}`, `{"command":"delete","path":"/memories/./"}`,
		`{"path":"/memories/%2e%2e/secret","content":"x"}`, `{"path":"/memories/a","content":"x","precondition":{"type":"content_sha256","content_sha256":"zz"}}`,
		`{"path":"/memories/a","content":"x","precondition":[]}`, `{"path":"/memories/out/secret"}`, `{"query":"(((","regexp":true,"path":"/memories/out"}`, `{"query":"\"","limit":-1}`,
		`{"depth":1,"page":"L21lbW9yaWVz","limit":1}`, `{"path":"/memories/a","first_line":-5,"last_line":-9}`, `{"path":"/memories/a","old_str":"","new_str":null}`,
	} {
		f.Add(seed)
	}
	base, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	folder, secret := filepath.Join(base, "memories"), filepath.Join(base, "secret")
	const treasure = "the treasure"
	renew := func(t testing.TB) { // the corpus may fill the store, or empty it
		_ = os.RemoveAll(folder)
		for _, err := range []error{os.Mkdir(folder, 0o755), os.WriteFile(secret, []byte(treasure), 0o600), os.WriteFile(filepath.Join(folder, "a"), []byte("one\ntwo"), 0o600), os.Symlink("..", filepath.Join(folder, "out"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	renew(f)
	c := worldOf(f, folder, versions.Options{}, nil).connect("fuzz", nil)
	calls := 0
	f.Fuzz(func(t *testing.T, input string) {
		if calls++; calls%500 == 0 {
			renew(t)
		}
		for _, tool := range []string{"memory", "memory_list", "memory_search", "memory_read", "memory_write", "memory_edit", "memory_delete"} {
			var arguments any = json.RawMessage(input)
			if !json.Valid([]byte(input)) {
				arguments = map[string]any{"command": "view", "path": input, "content": input, "query": input}
			}
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			if err != nil {
				if strings.Contains(err.Error(), "invalid UTF-8") || strings.Contains(err.Error(), "marshal") { // of the client
					continue
				}
				t.Fatalf("%s %q: %v", tool, input, err)
			}
			text := textOf(res)
			if !utf8.ValidString(text) || strings.Contains(text, treasure) || strings.Contains(text, base) {
				t.Errorf("%s %q answers %q", tool, input, text)
			}
		}
		var outside []string
		_ = filepath.WalkDir(base, func(p string, d fs.DirEntry, err error) error {
			if p == folder {
				return fs.SkipDir
			}
			outside = append(outside, p)
			return nil
		})
		if b, err := os.ReadFile(secret); err != nil || string(b) != treasure || len(outside) != 2 {
			t.Fatalf("%q: outside there are %v, the secret is %q, %v", input, outside, b, err)
		}
	})
}
