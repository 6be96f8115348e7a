//go:build unix

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"time"

	"github.com/memend/memend/agent/testdata/npmtest"
)

// nodeProgram returns the program of an npm package.
func nodeProgram(t *testing.T, pkg npmtest.Package) string {
	t.Helper()
	folder := pkg.Folder(t)
	b, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct{ Bin json.RawMessage }
	var one string
	var several map[string]string
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	if json.Unmarshal(p.Bin, &one) != nil {
		_ = json.Unmarshal(p.Bin, &several)
		one = several[filepath.Base(folder)] // npx starts the one with the package's name
	}
	return filepath.Join(folder, filepath.FromSlash(one))
}

// The official inspector starts the server as any client does, and uses all six commands.
func TestMCP_InspectorUsesEveryCommand(t *testing.T) {
	t.Parallel()
	inspector := nodeProgram(t, npmtest.Inspector)
	v := withStore(t)
	home := t.TempDir() // it stores a catalog there
	inspect := func(args ...string) (string, int) {
		t.Helper()
		door := v.door("--tools", "both")
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "node", append(append([]string{inspector, "--cli", "-e", runAsProgram + "=1"}, door.Args...), args...)...)
		cmd.Env = append(os.Environ(), "HOME="+home)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if len(out) == 0 {
			t.Fatalf("%v: the inspector ended with %v and said %s", args, err, exit.Stderr)
		}
		return string(out), cmd.ProcessState.ExitCode()
	}
	tool := func(args ...string) (string, int) {
		t.Helper()
		out, code := inspect(append([]string{"--method", "tools/call", "--tool-name", "memory", "--tool-arg"}, args...)...)
		var answer struct {
			Content []struct{ Text string }
		}
		if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Content) != 1 {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
		return answer.Content[0].Text, code
	}
	const isError = 5
	for _, try := range []struct {
		args []string
		says string
		code int
	}{
		{[]string{"command=create", "path=/memories/a.md", "file_text=one\ntwo"}, "File created successfully at: /memories/a.md", 0},
		{[]string{"command=view", "path=/memories/a.md", "view_range=[2,-1]"}, "Here's the content of /memories/a.md with line numbers:\n     2\ttwo", 0},
		{[]string{"command=str_replace", "path=/memories/a.md", "old_str=two", "new_str=three"}, "     2\tthree", 0},
		{[]string{"command=insert", "path=/memories/a.md", "insert_line=0", "insert_text=zero"}, "The file /memories/a.md has been edited.", 0},
		{[]string{"command=rename", "old_path=/memories/a.md", "new_path=/memories/b.md"}, "Successfully renamed /memories/a.md to /memories/b.md", 0},
		{[]string{"command=view", "path=/memories"}, "14B\t/memories/b.md", 0},
		{[]string{"command=delete", "path=/memories/b.md"}, "Successfully deleted /memories/b.md", 0},
		{[]string{"command=delete", "path=/memories/b.md"}, "Error: The path /memories/b.md does not exist", isError},
	} {
		if text, code := tool(try.args...); code != try.code || !strings.Contains(text, try.says) {
			t.Errorf("%v: %d, %q", try.args, code, text)
		}
	}
	if log := v.output("log"); strings.Count(log, "inspector-cli") != 5 {
		t.Errorf("the log is\n%s", log)
	}
}

// The scenarios of the official suite that need no special tools or resources.
func TestMCP_ConformanceSuitePasses(t *testing.T) {
	t.Parallel()
	suite := nodeProgram(t, npmtest.Conformance)
	v := withStore(t)
	url, _ := v.listening("--no-token") // the suite sends no token
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "logging-set-level",
		"server-sse-multiple-streams", "dns-rebinding-protection"} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		cmd := exec.CommandContext(ctx, npmtest.Conformance.Node(t), suite, "server", "--url", url, "--scenario", scenario)
		cmd.Dir = t.TempDir()
		out, err := cmd.CombinedOutput()
		cancel()
		if err != nil || !strings.Contains(string(out), " 0 failed") || strings.Contains(string(out), "Passed: 0/") {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}
