package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/agent/places"
)

// README: an agent gets, instead of the only store, one that memend makes for agents.
func TestAgentsStore_IsNoStoreOfAPerson(t *testing.T) {
	const secret = "only for people"
	ways := map[string]struct {
		folder string // where the person works
		do     [][]string
	}{
		"a folder opened by a slash":         {"vault", [][]string{{"write", "-s", "./", "./diary.md"}}},
		"a folder called memories":           {"app/memories", [][]string{{"write", "-s", "./", "./diary.md"}}},
		"a folder made a store":              {"vault", [][]string{{"stores", "create", "own", "--folder", "."}, {"write", "-s", "own", "/memories/diary.md"}}},
		"a folder made the store memories":   {"vault", [][]string{{"stores", "create", "memories", "--folder", "."}, {"write", "-s", "memories", "/memories/diary.md"}}},
		"a store in the home":                {"vault", [][]string{{"stores", "create", "own"}, {"write", "-s", "own", "/memories/diary.md"}}},
		"a store in the home named memories": {"vault", [][]string{{"stores", "create", "memories"}, {"write", "-s", "memories", "/memories/diary.md"}}},
		"two stores":                         {"vault", [][]string{{"stores", "create", "other"}, {"write", "-s", "./", "./diary.md"}}},
	}
	doors := map[string]struct {
		args  []string
		stdin string
	}{
		"tool": {[]string{"tool"}, `{"command":"view","path":"/memories/diary.md"}` + "\n" + `{"command":"create","path":"/memories/new.md","file_text":"by the agent"}` + "\n"},
		"mcp": {[]string{"mcp"}, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
			`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" +
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{"command":"view","path":"/memories/diary.md"}}}` + "\n"},
		"the shell of an agent": {[]string{"cat", "/memories/diary.md", "--actor", "agent:robot"}, ""},
	}
	for way, w := range ways {
		for door, d := range doors {
			t.Run(way+", "+door, func(t *testing.T) {
				t.Setenv("MEMEND_STORE", "")
				t.Setenv("XDG_CONFIG_HOME", t.TempDir())
				home, root := filepath.Join(t.TempDir(), "home"), t.TempDir()
				folder := filepath.Join(root, filepath.FromSlash(w.folder))
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				run := func(in string, args ...string) string {
					var out, errs bytes.Buffer
					code := Run(append([]string{"--home", home}, args...), strings.NewReader(in), &out, &errs)
					if code != 0 && args[0] != d.args[0] {
						t.Fatalf("%q: %s", args, errs.String())
					}
					return out.String() + errs.String()
				}
				t.Chdir(folder)
				for _, args := range w.do {
					run(secret+"\n", args...)
				}
				t.Chdir(t.TempDir())
				if got := run(d.stdin, d.args...); strings.Contains(got, secret) || !strings.Contains(got, "diary.md") && !strings.Contains(got, "no store here") {
					t.Errorf("the agent got %s", got)
				}
				if listed := run("", "stores"); door == "tool" && !strings.Contains(listed, filepath.Join(home, "stores")) {
					t.Errorf("the stores are\n%s", listed)
				}
				t.Chdir(folder)
				if _, err := os.Stat(filepath.Join(folder, "new.md")); err == nil {
					t.Error("the agent wrote to the person's folder")
				}
			})
		}
	}
}

// Agents find again what they wrote.
func TestAgentsStore_IsOne(t *testing.T) {
	t.Setenv("MEMEND_STORE", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	home := filepath.Join(t.TempDir(), "home")
	tool := func(command string) string {
		t.Chdir(t.TempDir())
		var out, errs bytes.Buffer
		Run([]string{"--home", home, "tool"}, strings.NewReader(command), &out, &errs)
		return out.String() + errs.String()
	}
	tool(`{"command":"create","path":"/memories/a.md","file_text":"kept"}`)
	var out bytes.Buffer
	if Run([]string{"--home", home, "stores", "describe", "memories", "--name", "robots"}, strings.NewReader(""), &out, &out) != 0 {
		t.Fatal(out.String())
	}
	if got := tool(`{"command":"view","path":"/memories/a.md"}`); !strings.Contains(got, "kept") {
		t.Errorf("under another name the store is not found: %s", got)
	}
}

// Several stores of a project are no reason to fail, and none of them is the agent's.
func TestAgentsStore_IsUsedWhereAProjectHasSeveral(t *testing.T) {
	t.Setenv("MEMEND_STORE", "")
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	home, project := filepath.Join(t.TempDir(), "home"), t.TempDir()
	t.Chdir(project)
	var out bytes.Buffer
	for _, name := range []string{"one", "two"} {
		if Run([]string{"--home", home, "stores", "create", name, "--metadata", places.Project + "=" + project}, strings.NewReader(""), &out, &out) != 0 {
			t.Fatal(out.String())
		}
	}
	out.Reset()
	Run([]string{"--home", home, "tool"}, strings.NewReader(`{"command":"create","path":"/memories/a.md","file_text":"x"}`), &out, &out)
	if _, err := os.Stat(filepath.Join(home, "stores", "memories", "a.md")); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
}
