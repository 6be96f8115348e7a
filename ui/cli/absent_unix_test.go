//go:build unix

package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// linesOf are command lines for every command: what it does with something that doesn't exist. A
// command that runs for ever, or leaves the test's folder, has none.
var linesOf = map[string][]string{
	"":                        {"", "nosuch", "./nosuch/"},
	"ls":                      {"", "dir", "--sizes", "--all-stores", "-s nosuch"},
	"cat":                     {"a.md", "a.md -s ./nosuch/"},
	"write":                   {"a.md", "a.md -s nosuch", "a.md -s ./nosuch/"},
	"edit":                    {"a.md"},
	"mv":                      {"a.md b.md"},
	"cp":                      {"a.md b.md"},
	"rm":                      {"a.md"},
	"search":                  {"word", "--history word", "--all-stores word", "--replace=x word"},
	"merge":                   {"a.md b.md"},
	"log":                     {"", "a.md", "--reads"},
	"show":                    {"1", "a.md", "sess_1"},
	"diff":                    {"a.md", "1 2"},
	"blame":                   {"a.md"},
	"trace":                   {"a.md"},
	"undo":                    {"", "1", "--session x"},
	"redo":                    {"", "1"},
	"restore":                 {"a.md", "--at 1 /"},
	"redact":                  {"", "a.md", "--match x", "--verify"},
	"review":                  {"", "--all-stores", "--patch", "--since yesterday"},
	"review keep":             {"12ab"},
	"review undo":             {"12ab"},
	"review show":             {"1"},
	"review accept":           {"1"},
	"review edit":             {"1"},
	"review reject":           {"1 --reason x"},
	"policy":                  {""},
	"policy show":             {""},
	"policy use":              {"review"},
	"policy edit":             {""},
	"policy set":              {"-"},
	"pin":                     {"", "a.md"},
	"guard":                   {"", "--all"},
	"check":                   {"", "--all-stores", "--head"},
	"stale":                   {"", "--delete"},
	"sessions":                {"", "--all-stores"},
	"agent":                   {"hello", "hello -s nosuch", "hello --attach nosuch"},
	"watch":                   {"", "nosuch"},
	"tool":                    {"-s nosuch", "--attach nosuch", "--handler python", "--read-only"},
	"mcp":                     {"-s nosuch", "--attach nosuch", "--read-only"},
	"serve":                   {"--attach nosuch", "--read-only"},
	"hook":                    {"", "claude-code"},
	"setup":                   {"", "codex --yes", "codex --dry-run", "codex --print", "codex --remove --yes", "claude-code --dry-run"},
	"tokens":                  {""},
	"tokens create":           {"--read-only x", "x y"},
	"tokens revoke":           {"x"},
	"stores":                  {""},
	"stores create":           {"a --folder ./nosuch/x", "a b", "a --read-only"},
	"stores discover":         {"", "--empty", ".", "nosuch"},
	"stores describe":         {"nosuch", "nosuch --name x"},
	"stores move":             {"nosuch ./x"},
	"stores merge":            {"nosuch", "."},
	"stores archive":          {"nosuch", "nosuch --undo"},
	"stores delete":           {"nosuch", "nosuch --yes"},
	"stores connect":          {"--url http://127.0.0.1:1", "a b c"},
	"stores mirror":           {"nosuch"},
	"stores disconnect":       {"nosuch"},
	"sync":                    {"", "nowhere", "--all"},
	"import":                  {"nosuch", "file.jsonl"},
	"export":                  {"", "-o out"},
	"backup":                  {"", "--restore nosuch"},
	"status":                  {""},
	"doctor":                  {""},
	"config":                  {""},
	"config check":            {""},
	"config themes":           {""},
	"help":                    {"", "ls", "nosuch"},
	"help keys":               {""},
	"help json":               {""},
	"help completion":         {"bash"},
	"version":                 {""},
	cobra.ShellCompRequestCmd: {"cat ", "-s ", "stores delete "},
}

// noLines are the commands without command lines: they write files that are asked for.
var noLines = []string{"demo", "config init", "help man"}

// emptyPlace is a working directory, home folder and memend home where nothing is.
func emptyPlace(t *testing.T) (dir string) {
	dir = t.TempDir()
	emptyPlaceIn(t, dir)
	return dir
}

func emptyPlaceIn(t *testing.T, dir string) {
	t.Helper()
	t.Chdir(dir)
	for _, name := range []string{"XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "MEMEND_STORE", "MEMEND_CONFIG", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "EDITOR", "VISUAL"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", dir)
	t.Setenv("MEMEND_HOME", filepath.Join(dir, "home"))
	t.Setenv("TMPDIR", filepath.Join(t.TempDir())) // an empty home may stand in for the one that isn't there
}

func runLine(line string) (code int, out, errs string) { return runWith(line, "") }

func runWith(line, input string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = Run(strings.Fields(line), strings.NewReader(input), &o, &e)
	return code, o.String(), e.String()
}

func filesIn(t *testing.T, dir string) (out []string) {
	t.Helper()
	if err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		out = append(out, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// README: "Reading creates nothing". Neither does what fails.
func TestACommandThatLooksOrFailsCreatesNothing(t *testing.T) {
	dir := emptyPlace(t)
	if err := os.WriteFile("file.jsonl", []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := filesIn(t, dir)
	left := filesIn(t, os.TempDir())
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "memend"), " ")
		if _, ok := linesOf[name]; !ok && !slices.Contains(noLines, name) {
			t.Errorf("no command line of %q is tried", name)
		}
	})
	for name, lines := range linesOf {
		for _, rest := range lines {
			line := strings.TrimSpace(name + " " + rest)
			code, out, errs := runLine(line)
			if now := filesIn(t, dir); !slices.Equal(now, before) {
				t.Fatalf("memend %s ends with %d, %s%s and leaves %v", line, code, out, errs, now)
			}
			if now := filesIn(t, os.TempDir()); !slices.Equal(now, left) {
				t.Fatalf("memend %s leaves %v", line, now)
			}
		}
	}
}

// A home in which nobody made anything yet is an empty one for backup --restore; any other is not.
func TestABackupIsRestoredToAHomeWithoutStoresAndChanges(t *testing.T) {
	dir := emptyPlace(t)
	home := filepath.Join(dir, "home")
	restored := func() (int, string) {
		code, out, errs := runLine("backup --restore b.tar.gz")
		return code, out + errs
	}
	open := func() {
		trail, err := engine.Open(t.Context(), home, versions.Options{})
		if err == nil {
			err = trail.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"stores create one", "backup b.tar.gz"} {
		if code, out, errs := runLine(line); code != exitDone {
			t.Fatalf("%s: %d %s%s", line, code, out, errs)
		}
	}
	if code, said := restored(); code != exitRefused || !strings.Contains(said, "the home is not empty") {
		t.Errorf("over a home with a store: %d %s", code, said)
	}
	if err := os.RemoveAll(home); err != nil {
		t.Fatal(err)
	}
	open()
	if err := os.WriteFile(filepath.Join(home, "tokens"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, said := restored(); code != exitRefused {
		t.Errorf("over a home with tokens: %d %s", code, said)
	}
	if err := os.Remove(filepath.Join(home, "tokens")); err != nil {
		t.Fatal(err)
	}
	if code, said := restored(); code != exitDone {
		t.Errorf("over a home without anything: %d %s", code, said)
	}
	if _, out, _ := runLine("stores"); !strings.Contains(out, "one") {
		t.Errorf("the stores are %q", out)
	}
}
