//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/memfs/testdata/conformance"
	"github.com/memend/memend/memfs/testdata/ramdisk"
	"github.com/memend/memend/ui/cli"
	"github.com/memend/memend/ui/cli/demo"
	"github.com/memend/memend/ui/cli/testdata/clitest"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(ramdisk.Tests(m).AtOnce(2), map[string]func(){
		"memend": func() {
			belowTheTest()
			os.Exit(clitest.Commands(cli.Run))
		},
		"claude": runsItsArguments, "codex": runsItsArguments, "gemini": runsItsArguments, "bystander": runsItsArguments,
		// An editor that adds a line, and before that runs what $MEANWHILE says.
		"fake-editor": func() { os.Exit(fakeEditor(os.Args[len(os.Args)-1])) },
		"ask":         func() { os.Exit(clitest.Ask(os.Args[1:])) },
		"on-terminal": func() { os.Exit(onTerminal(os.Args[1])) },
	})
}

// noTerminal is the variable by which a script has its commands see that they have no terminal.
const noTerminal = "MEMEND_TEST_NO_TERMINAL"

// belowTheTest hides the processes above the tests, because an agent may run them, and that they may have no terminal.
func belowTheTest() {
	foreground := cli.System.Foreground
	cli.System.Foreground = func() bool { return os.Getenv(noTerminal) == "" || foreground() }
	all := cli.System.Ancestors
	cli.System.Ancestors = func() []cli.Process {
		found := all()
		if i := slices.IndexFunc(found, func(p cli.Process) bool { return len(p.Args) > 0 && strings.HasSuffix(p.Args[0], ".test") }); i >= 0 {
			return found[:i]
		}
		return found
	}
}

// runsItsArguments is an agent that runs a command, in an environment of its own.
func runsItsArguments() {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil {
		os.Exit(max(1, cmd.ProcessState.ExitCode()))
	}
	os.Exit(0)
}

func fakeEditor(file string) int {
	if meanwhile := strings.Fields(os.Getenv("MEANWHILE")); len(meanwhile) > 0 {
		cmd := exec.Command(meanwhile[0], meanwhile[1:]...)
		cmd.Stdin = strings.NewReader("theirs\n")
		if err := cmd.Run(); err != nil {
			return 1
		}
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 1
	}
	if _, err := f.WriteString(os.Getenv("TYPED")); err != nil || f.Close() != nil {
		return 1
	}
	return 0
}

// onTerminal runs a command of the shell whose output is the terminal of the script. The script closes that as soon
// as this process ends, and loses what it has not read yet.
func onTerminal(command string) int {
	terminal, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	cmd := exec.Command("sh", "-c", command)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, terminal, terminal
	err = cmd.Run()
	time.Sleep(50 * time.Millisecond)
	if cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cmd.ProcessState.ExitCode()
}

// The scripts run in a folder of their own, with a home of their own. In it,
// "memend" is the program. "exec memend" runs it in a process of its own, and "run memend"
// in one that the script has for all of these: most of what a command costs is the start.
func TestScripts(t *testing.T) { testscript.Run(t, scripts("testdata/script")) }

func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Setup: func(e *testscript.Env) error {
			for _, folder := range []string{"store", "tmp"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, folder), 0o755); err != nil {
					return err
				}
			}
			e.Setenv("MEMEND_HOME", filepath.Join(e.WorkDir, ".home"))
			e.Setenv("MEMEND_STORE", filepath.Join(e.WorkDir, "store"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("TZ", "UTC")
			e.Setenv("MEMEND_CORPUS", os.Getenv("MEMEND_CORPUS"))
			clitest.Setup(e)
			u, err := user.Current()
			if err != nil {
				return err
			}
			e.Setenv("ME", u.Username)
			clitest.SetUpRun(e, dir, "ANTHROPIC_BASE_URL")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run": clitest.Run, "exits": exits, "fifo": fifo, "nonutf8": nonUTF8, "longname": longName, "matches": matches, "placed": placed,
			"scripted-api": scriptedAPI, "freeport": clitest.FreePort, "memory-service": clitest.MemoryService, "sql": clitest.SQL,
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "corpus":
				return os.Getenv("MEMEND_CORPUS") != "", nil
			}
			return false, fmt.Errorf("%s is no condition", cond)
		},
	}
}

// readmeNeeds is what the commands of a section of README.md find when they are run: a
// script that comes first, the script whose files it has, and what a command needs
// besides.
var readmeNeeds = map[string]struct {
	first, files string
	before       map[string]string // by the beginning of the command
	adds         map[string]string // to a command that would ask; by its beginning
}{
	"Claude Code": {
		first: "exec sh transcripts.sh $WORK/src/shop\nexec memend stores discover --add all\ncd src/shop\n", files: "journey_claude",
		adds: map[string]string{"memend setup claude-code": " --yes"},
	},
	"An agent with the memory tool": {before: map[string]string{
		"memend log": "stdin run\nexec memend tool -s notes --session run-42\nstdout 'created successfully'\n",
	}},
	"A team's git history": {first: "[!exec:git] skip 'git is not installed'\nexec sh repository.sh\nexec git clone -q --bare src/project team.git\n", files: "journey_git"},
	"A leaked secret": {
		first: "exec memend stores create notes\nstdin dana\nexec memend write -s notes dana.md\n", files: "journey_leak",
		adds: map[string]string{"memend redact --match": " --yes"},
	},
	"Commands": {first: "exec memend stores create notes\nstdin run\nexec memend tool -s notes\n"},
	"Files": {
		first: "mkdir work\nexec memend stores create work --folder work\nmkdir new\n",
		before: map[string]string{
			"memend backup --restore": "env MEMEND_HOME=$WORK/empty\n",
			"memend stores move":      "env MEMEND_HOME=\nmv work new/place\n",
		},
	},
}

// Every command that README.md shows is run, section by section, and must end well.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, section, made := t.TempDir(), "", map[string]string{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			section = strings.TrimSpace(strings.TrimLeft(line, "#"))
		}
		command, ok := strings.CutPrefix(line, "    $ ")
		if !ok {
			continue
		}
		needs, known := readmeNeeds[section]
		if !known {
			t.Errorf("section %q has commands that nobody knows how to run: %s", section, command)
		}
		if made[section] == "" {
			made[section] = "env MEMEND_STORE=\nenv MEMEND_HOME=\n" + needs.first
		}
		command, _, _ = strings.Cut(command, " #")
		command = strings.TrimSpace(command)
		for begins, does := range needs.before {
			if strings.HasPrefix(command, begins) {
				made[section] += does
			}
		}
		for begins, what := range needs.adds {
			if strings.HasPrefix(command, begins) {
				command += what
			}
		}
		if strings.Contains(command, "| jq") {
			made[section] += "[exec:jq] "
		}
		made[section] += "exec sh -ec '" + strings.ReplaceAll(command, "'", "''") + "'\n"
	}
	for section := range readmeNeeds {
		if made[section] == "" {
			t.Errorf("README.md has no commands in a section %q", section)
		}
	}
	for section, script := range made {
		script += "\n-- run --\n{\"command\":\"create\",\"path\":\"/memories/tea.md\",\"file_text\":\"tea\"}\n"
		if from := readmeNeeds[section].files; from != "" {
			b, err := os.ReadFile(filepath.Join("testdata/script", from+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			_, files, _ := strings.Cut(string(b), "\n-- ")
			script += "-- " + files
		}
		name := strings.ReplaceAll(strings.ToLower(strings.ReplaceAll(section, "'", "")), " ", "_")
		if err := os.WriteFile(filepath.Join(dir, name+".txtar"), []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	testscript.Run(t, scripts(dir))
}

// exits runs a program that must end with a code: exits CODE PROGRAM ARGS.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program [args...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if exit := (*exec.ExitError)(nil); err != nil {
		if !asExit(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if want := args[0]; string(rune('0'+code)) != want {
		ts.Fatalf("ended with %d, want %s", code, want)
	}
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError)
	*exit = e
	return ok
}

// nonUTF8 makes a file that is no text.
func nonUTF8(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte("caf\xe9\x00\xff"), 0o644))
}

// longName makes a file with a name of so many bytes as a name can have.
func longName(ts *testscript.TestScript, neg bool, args []string) {
	name := strings.Repeat("n", 252) + ".md"
	ts.Check(os.WriteFile(filepath.Join(ts.MkAbs(args[0]), name), []byte("long\n"), 0o644))
	ts.Setenv("LONG", name)
}

// matches holds what a command printed against a file, byte for byte.
func matches(ts *testscript.TestScript, neg bool, args []string) {
	got, want := ts.ReadFile("stdout"), ts.ReadFile(args[0])
	if (got == want) == neg {
		ts.Fatalf("stdout is %q, the file %q", got, want)
	}
}

// placed puts the script's folder into files in place of $WORK.
func placed(ts *testscript.TestScript, neg bool, args []string) {
	for _, file := range args {
		text := strings.ReplaceAll(ts.ReadFile(file), "$WORK", ts.Getenv("WORK"))
		ts.Check(os.WriteFile(ts.MkAbs(file), []byte(text), 0o644))
	}
}

// features returns the packages of the engine that stand on its core, except some.
func features(but ...string) (out []string) {
	for _, name := range []string{"check", "engine", "exchange", "gitsync", "history", "plan", "redact", "replica", "review", "stores", "watch", "write"} {
		if !slices.Contains(but, name) {
			out = append(out, "/versions/"+name)
		}
	}
	return out
}

// Who may import what, so that the drawing of the parts stays true.
func TestImports(t *testing.T) {
	t.Parallel()
	const self = "github.com/memend/memend"
	code, tests := imports(t)
	rules := []struct {
		pkg  string   // this package and those below it
		own  []string // of ours it may import these, and what lies below them if no $ follows
		only []string // of others these alone, besides the standard library; nil: any
		not  []string // of ours it may not import these all the same
	}{
		{pkg: "/memfs", own: []string{"/memfs"}, only: []string{}},
		// The layers of the engine: each package may import the words, the core and what is named here.
		{pkg: "/versions/internal/schema", own: []string{"/versions/db", "/versions/repair"}, only: []string{}},
		{pkg: "/versions/internal/tables", own: []string{"/memfs", "/versions"}, only: []string{}, not: append(features(), "/versions/internal/core", "/versions/internal/evidence")},
		{pkg: "/versions/internal/evidence", own: []string{"/memfs", "/versions"}, only: []string{}, not: append(features(), "/versions/internal")},
		{pkg: "/versions/internal/core", own: []string{"/memfs", "/versions"}, only: []string{"golang.org/x/text/unicode/norm"}, not: features()},
		{pkg: "/versions/history", own: []string{"/memfs", "/versions"}, only: []string{}, not: features()},
		{pkg: "/versions/plan", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("history")},
		{pkg: "/versions/review", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("history", "write", "plan")},
		{pkg: "/versions/redact", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("history")},
		{pkg: "/versions/replica", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("history", "redact")},
		{pkg: "/versions/stores", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("redact", "replica")},
		{pkg: "/versions/write", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("history")},
		{pkg: "/versions/watch", own: []string{"/memfs", "/versions"}, only: []string{"github.com/fsnotify/fsnotify"}, not: features()},
		{pkg: "/versions/exchange", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("exchange")},
		{pkg: "/versions/gitsync", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("exchange", "gitsync", "plan", "redact", "review")},
		{pkg: "/versions/engine", own: []string{"/versions"}, only: []string{}, not: features("redact", "replica")},
		{pkg: "/versions/check", own: []string{"/memfs", "/versions"}, only: []string{}, not: features("engine")},
		{pkg: "/versions/git", own: []string{}, only: []string{}},
		{pkg: "/versions/backup", own: []string{"/memfs", "/versions$", "/versions/blobs", "/versions/db"}, only: []string{}},
		{pkg: "/versions/blame", own: []string{"/versions/diff"}, only: []string{}},
		{pkg: "/versions/diff", own: []string{}, only: []string{"github.com/sergi/go-diff"}},
		{pkg: "/versions/guard", own: []string{"/memfs"}, only: []string{"github.com/BurntSushi/toml"}},
		{pkg: "/versions/match", own: []string{"/versions/match"}, only: []string{"golang.org/x/text/unicode/norm"}},
		{pkg: "/versions/disk", own: []string{"/memfs", "/versions/disk"}, only: []string{"github.com/fsnotify/fsnotify", "golang.org/x/sys"}},
		{pkg: "/versions/scrub", own: []string{"/memfs", "/versions/match", "/versions/scrub"}, only: []string{"github.com/klauspost/compress"}},
		{pkg: "/versions/sweep", own: []string{"/versions/calls", "/versions/conversations", "/versions/disk", "/versions/drafts", "/versions/ids", "/versions/scrub"}, only: []string{}},
		{pkg: "/versions/calls", own: []string{"/versions/disk"}, only: []string{}},
		{pkg: "/versions/blobs", own: []string{"/memfs", "/versions$", "/versions/db"}, only: []string{"github.com/klauspost/compress"}},
		{pkg: "/versions/db/pages", own: []string{}, only: []string{}},
		{pkg: "/versions/db", own: []string{"/memfs", "/versions$", "/versions/db/pages", "/versions/disk"}, only: []string{"modernc.org/sqlite"}},
		{pkg: "/versions/policy", own: []string{}, only: []string{}},
		{pkg: "/versions/planning", own: []string{"/memfs", "/versions/diff", "/versions/ids"}, only: []string{}},
		{pkg: "/versions/journal", own: []string{"/versions$", "/versions/blobs", "/versions/db", "/versions/ids"}, only: []string{}},
		{pkg: "/versions/repair", own: []string{"/memfs", "/versions$", "/versions/blobs", "/versions/journal", "/versions/db", "/versions/ids"}, only: []string{}},
		{pkg: "/versions/search", own: []string{"/memfs", "/versions$", "/versions/blobs", "/versions/db", "/versions/ids", "/versions/match"}, only: []string{}},
		{pkg: "/versions/ids", own: []string{}, only: []string{}},
		{pkg: "/versions/drafts", own: []string{"/versions/disk", "/versions/ids", "/memfs"}, only: []string{}},
		{pkg: "/versions/conversations", own: []string{"/versions/disk", "/versions/ids"}, only: []string{"github.com/fsnotify/fsnotify"}},
		{pkg: "/versions", own: []string{"/memfs", "/versions"}, only: []string{}, not: append(features(), "/versions/internal")},
		// The API's SDK takes a minute to compile: only what speaks to the API has it.
		{pkg: "/agent/outbound", own: []string{}, only: []string{}},
		{pkg: "/agent/shell", own: []string{}, only: []string{"mvdan.cc/sh/v3"}},
		{pkg: "/agent/tokens", own: []string{}, only: []string{}},
		{pkg: "/agent/clients", own: []string{}, only: []string{"github.com/BurntSushi/toml", "github.com/tailscale/hujson"}},
		{pkg: "/agent/messages", own: []string{"/agent"}, only: []string{"github.com/anthropics/anthropic-sdk-go/v2"}},
		{pkg: "/agent/hosted", own: []string{"/agent/outbound", "/versions", "/memfs"}, only: []string{"github.com/anthropics/anthropic-sdk-go/v2"}},
		{pkg: "/agent/script", own: []string{"/agent"}, only: []string{}, not: []string{"/agent/messages"}},
		{pkg: "/agent/places", own: []string{"/agent/outside", "/versions", "/memfs"}, only: []string{}},
		{pkg: "/agent/mcp", own: []string{"/agent", "/versions", "/memfs"}, only: []string{"github.com/modelcontextprotocol/go-sdk"}, not: []string{"/agent/messages", "/agent/script"}},
		{pkg: "/agent/outside", own: []string{"/agent", "/versions", "/memfs"}, only: []string{"github.com/fsnotify/fsnotify"}, not: []string{"/agent/messages", "/agent/script"}},
		{pkg: "/agent/storesapi", own: []string{"/agent/tokens", "/versions", "/memfs"}, only: []string{"golang.org/x/text/unicode/norm"}},
		{pkg: "/agent", own: []string{"/versions", "/memfs"}, only: []string{}},
		{pkg: "/theme", only: []string{"charm.land/lipgloss/v2", "github.com/charmbracelet/x/ansi", "github.com/charmbracelet/colorprofile"}},
		{pkg: "/ui/cli", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}},
		// Panes that show texts need nothing of the engine.
		{pkg: "/ui/screen", own: []string{"/ui/keys", "/versions$", "/memfs", "/theme"}},
		{pkg: "/ui/wording", own: []string{"/ui/draw", "/ui/text", "/ui/units", "/versions", "/memfs"}},
		// The rooms of the root speak to each other by requests only.
		{pkg: "/ui/actions", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}, not: []string{"/ui/editing", "/ui/live"}},
		{pkg: "/ui/editing", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}, not: []string{"/ui/actions", "/ui/live"}},
		{pkg: "/ui/live", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}, not: []string{"/ui/actions", "/ui/editing"}},
		{pkg: "/ui/rules", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}, not: []string{"/ui/actions", "/ui/editing", "/ui/live"}},
		{pkg: "/ui/branches", own: []string{"/ui/draw", "/ui/screen", "/ui/wording", "/versions"}},
		{pkg: "/ui/preview", own: []string{"/ui/frame", "/ui/memory", "/ui/screen", "/ui/tree"}},
		{pkg: "/ui/textscreen", own: []string{"/ui/draw", "/ui/editor", "/ui/screen", "/ui/text", "/versions/ids", "/theme"}},
		{pkg: "/ui/frame", own: []string{"/ui/dialog", "/ui/draw", "/ui/geometry", "/ui/keys", "/ui/screen", "/ui/text", "/theme"}},
		{pkg: "/ui/text", own: []string{"/memfs"}},
		{pkg: "/ui", own: []string{"/ui", "/agent", "/versions", "/memfs", "/theme"}, not: []string{"/agent/messages", "/agent/script", "/agent/hosted"}},
		{pkg: "", own: []string{"/ui/cli"}, only: []string{}},
	}
	for pkg, imported := range code {
		for _, rule := range rules {
			if !below(pkg, rule.pkg) {
				continue
			}
			for _, imported := range imported {
				if own, ok := strings.CutPrefix(imported, self); ok {
					if !belowAny(own, rule.own) || belowAny(own, rule.not) || own == "/ui/cli" && pkg != "" {
						t.Errorf("%s%s imports %s", self, pkg, imported)
					}
				} else if strings.Contains(strings.Split(imported, "/")[0], ".") && rule.only != nil && !belowAny(imported, rule.only) {
					t.Errorf("%s%s imports %s", self, pkg, imported)
				}
			}
			break
		}
	}
	for _, seen := range []string{"", "/memfs", "/versions", "/agent", "/ui", "/ui/cli"} {
		if len(code[seen]) == 0 {
			t.Errorf("no imports of %s%s were found", self, seen)
		}
	}
	// A test that links the API's SDK takes seconds more to build.
	withSDK := []string{"/agent/hosted", "/agent/messages", "/agent/storesapi", "/ui/talk", "/ui/cli"}
	for pkg, imported := range tests {
		for _, imported := range imported {
			own, _ := strings.CutPrefix(imported, self)
			links := own == "/agent/messages" || own == "/agent/hosted" || own == "/ui/cli" || below(imported, "github.com/anthropics/anthropic-sdk-go/v2")
			if links && pkg != "" && !belowAny(pkg, withSDK) {
				t.Errorf("the tests of %s%s import %s, which links the SDK", self, pkg, imported)
			}
			if own == "/ui" && !below(pkg, "/ui") || below(own, "/agent") && below(pkg, "/versions") || below(own, "/versions") && below(pkg, "/memfs") {
				t.Errorf("the tests of %s%s import %s", self, pkg, imported)
			}
		}
	}
	for _, pkg := range []string{"/versions", "/ui/merge", "/ui/compare", "/ui/diffview", "/ui/editor", "/ui/dialog", "/ui/frame"} {
		if way := wayTo(code, self+pkg, "modernc.org/sqlite", map[string]bool{}); way != nil {
			t.Errorf("%s links SQLite: %s", pkg, strings.Join(way, " -> "))
		}
	}
	for pkg, imported := range code {
		for _, imported := range imported {
			if strings.Contains(imported, "/testdata/") {
				t.Errorf("%s%s imports %s, which is for tests", self, pkg, imported)
			}
		}
	}
}

// elsewhere are words that comments may use although nothing here has that name.
var elsewhere = strings.Fields("macOS GiB OpenAPI CommonMark ownCloud NousResearch QwenLM extHostStoragePaths projectRegistry ExecCommand ExecProcess")

// A doc comment begins with the name that it documents, and the names in comments exist.
func TestComments_NameWhatExists(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	sources, known := map[string]*ast.File{}, map[string]bool{}
	imported := map[string]bool{}
	learn := func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				known[n.Name] = true
			case *ast.BasicLit: // the keys of other programs' JSON
				for _, w := range camelCase.FindAllString(n.Value, -1) {
					known[w] = true
				}
			}
			return true
		})
	}
	err := filepath.WalkDir(".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(name) != ".go" {
			return err
		}
		f, err := parser.ParseFile(files, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		learn(f)
		for _, im := range f.Imports {
			imported[strings.Trim(im.Path.Value, `"`)] = true
		}
		if !strings.HasSuffix(name, "_test.go") {
			sources[name] = f
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range imported { // of the standard library
		names, _ := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", pkg, "*.go"))
		for _, name := range names {
			if f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution); err == nil {
				learn(f)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		for _, problem := range commentProblems(sources[name], known) {
			t.Errorf("%s: %s", files.Position(problem.at), problem.text)
		}
	}
	wrong, err := parser.ParseFile(files, "wrong.go", "package p\n\n// Old is NewTestedName's.\nfunc New() {}\n\n// A Box is right.\ntype Box int\n", parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	if got := commentProblems(wrong, map[string]bool{}); len(got) != 2 {
		t.Errorf("of two wrong comments the test finds %v", got)
	}
}

var camelCase = regexp.MustCompile(`\b[A-Za-z]\w*[a-z][A-Z]\w*\b`)

type commentProblem struct {
	at   token.Pos
	text string
}

func commentProblems(f *ast.File, known map[string]bool) (out []commentProblem) {
	check := func(doc *ast.CommentGroup, name *ast.Ident) {
		words := strings.Fields(doc.Text())
		if len(words) > 1 && (words[0] == "A" || words[0] == "An" || words[0] == "The") {
			words = words[1:]
		}
		if len(words) > 0 && name.Name != "_" && strings.TrimSuffix(strings.TrimRight(words[0], ",:;."), "'s") != name.Name {
			out = append(out, commentProblem{doc.Pos(), "the comment of " + name.Name + " begins with " + words[0]})
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			check(d.Doc, d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					check(spec.Doc, spec.Name)
					if !d.Lparen.IsValid() {
						check(d.Doc, spec.Name)
					}
				case *ast.ValueSpec:
					if !d.Lparen.IsValid() && len(spec.Names) == 1 {
						check(d.Doc, spec.Names[0])
					}
				}
			}
		}
	}
	for _, g := range f.Comments {
		for _, w := range camelCase.FindAllString(g.Text(), -1) {
			if !known[w] && !slices.Contains(elsewhere, w) {
				out = append(out, commentProblem{g.Pos(), w + " does not exist"})
			}
		}
	}
	return out
}

// wayTo is how a package comes to import another one; nil when it does not.
func wayTo(code map[string][]string, from, to string, seen map[string]bool) []string {
	own, ok := strings.CutPrefix(from, "github.com/memend/memend")
	if from == to {
		return []string{to}
	}
	if !ok || seen[from] {
		return nil
	}
	seen[from] = true
	for _, next := range code[own] {
		if way := wayTo(code, next, to, seen); way != nil {
			return append([]string{from}, way...)
		}
	}
	return nil
}

// imports reads which packages each package of the module imports, for any system, and
// which its tests import. Packages of the module are named by their folder: /memfs.
func imports(t *testing.T) (code, tests map[string][]string) {
	t.Helper()
	code, tests = map[string][]string{}, map[string][]string{}
	err := filepath.WalkDir(".", func(name string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && (e.Name() == "testdata" || len(name) > 1 && e.Name()[0] == '.') {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		into := code
		if strings.HasSuffix(name, "_test.go") {
			into = tests
		}
		pkg := strings.TrimPrefix("/"+filepath.ToSlash(filepath.Dir(name)), "/.")
		for _, spec := range f.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			into[pkg] = append(into[pkg], imported)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return code, tests
}

func below(pkg, top string) bool {
	if alone, ok := strings.CutSuffix(top, "$"); ok { // without what is below it
		return pkg == alone
	}
	return pkg == top || strings.HasPrefix(pkg, top+"/")
}

func belowAny(pkg string, tops []string) bool {
	for _, top := range tops {
		if below(pkg, top) {
			return true
		}
	}
	return false
}

// scriptedAPI plays the Messages API, and lets the environment say where.
func scriptedAPI(ts *testscript.TestScript, neg bool, args []string) {
	api, err := script.New(demo.API(1e6))
	ts.Check(err)
	ts.Defer(func() { _ = api.Close() })
	ts.Setenv("ANTHROPIC_BASE_URL", api.URL())
}

// fifo makes one.
func fifo(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o644))
}

var casesEach = flag.Int("cases.each", 4, "run one of this many cases of the memory tool")

// Cases of the memory tool, through the program, its engine and its trail;
// each step in a run of its own. Other packages run all of them.
func TestToolBehavesAsTheCasesSay(t *testing.T) {
	t.Parallel()
	conformance.RunEach(t, "memfs/testdata/memory-tool-cases.json", *casesEach, func(t *testing.T, folder string) conformance.Answer {
		home := t.TempDir()
		t.Cleanup(func() {
			out := memend(t, "", "--home", home, "-s", folder, "check")
			if !strings.HasSuffix(out, "is intact\n") {
				t.Errorf("check says %q", out)
			}
		})
		return func(t *testing.T, input []byte) (string, bool) {
			var line bytes.Buffer
			if err := json.Compact(&line, input); err != nil {
				t.Fatal(err)
			}
			var answer struct {
				Content string `json:"content"`
				IsError bool   `json:"is_error"`
			}
			out := memend(t, line.String(), "--home", home, "-s", folder, "tool")
			if err := json.Unmarshal([]byte(out), &answer); err != nil {
				t.Fatalf("%q: %v", out, err)
			}
			return answer.Content, answer.IsError
		}
	})
}

func memend(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := cli.Run(args, strings.NewReader(in), &out, &errs); code != 0 {
		t.Fatalf("memend %s: ended with %d: %s%s", strings.Join(args, " "), code, out.String(), errs.String())
	}
	return out.String()
}

// terminal is memend at work in a terminal of 120 columns and 36 rows.
type terminal struct {
	t   *testing.T
	cmd *exec.Cmd
	pty *os.File

	mu   sync.Mutex
	seen bytes.Buffer
	done chan struct{}
}

// inTerminal starts it. The test's own program is memend when it is called so.
func inTerminal(t *testing.T, env []string, args ...string) *terminal {
	t.Helper()
	return inTerminalOf(t, 120, "", env, args...)
}

// inTerminalOf works in a folder; "" is that of the tests.
func inTerminalOf(t *testing.T, columns uint16, dir string, env []string, args ...string) *terminal {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := &exec.Cmd{Path: self, Dir: dir, Args: append([]string{"memend"}, args...)}
	own := []string{"CLAUDE_CONFIG_DIR=", "CODEX_HOME=", "GEMINI_CLI_HOME=", "HERMES_HOME=", "BASIC_MEMORY_HOME="} // those of whoever runs the tests
	cmd.Env = slices.Concat(os.Environ(), own, env, []string{"TERM=xterm-256color"})
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: columns, Rows: 36})
	if err != nil {
		t.Skip("no terminal to be had here:", err)
	}
	term := &terminal{t: t, cmd: cmd, pty: f, done: make(chan struct{})}
	t.Cleanup(func() { cmd.Process.Kill(); f.Close() })
	go func() {
		defer close(term.done)
		buf := make([]byte, 4096)
		for {
			n, err := f.Read(buf)
			term.mu.Lock()
			term.seen.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return term
}

func (m *terminal) text() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen.String()
}

// wait waits until something was shown.
func (m *terminal) wait(text string) {
	m.t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(m.text(), text); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			m.t.Fatalf("the terminal never shows %q, but\n%q", text, m.text())
		}
	}
}

func (m *terminal) press(keys string) {
	if _, err := io.WriteString(m.pty, keys); err != nil {
		m.t.Fatal(err)
	}
}

// ends waits for the program's end.
func (m *terminal) ends(code int) {
	m.t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- m.cmd.Wait() }()
	select {
	case err := <-ended:
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			m.t.Fatal(err)
		}
	case <-time.After(20 * time.Second):
		m.t.Fatalf("memend does not end; it shows\n%q", m.text())
	}
	select { // what was written last
	case <-m.done:
	case <-time.After(time.Second):
	}
	if got := m.cmd.ProcessState.ExitCode(); got != code {
		m.t.Errorf("ended with %d, want %d; it shows\n%q", got, code, m.text())
	}
}

func TestDemoOpensWritesByItselfAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	m := inTerminal(t, []string{"TMPDIR=" + tmp}, "demo")
	m.wait("MEMORY.md")
	m.wait("scripted")
	m.wait("live") // the folder that the scripted agent makes
	m.press("q")
	m.ends(0)
	if !strings.Contains(m.text(), "\x1b[?1049l") {
		t.Error("the terminal was not given back")
	}
	if left, err := filepath.Glob(filepath.Join(tmp, "*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestScreensOpenOnAFolderAndKeepTheirDataOutOfIt(t *testing.T) {
	t.Parallel()
	home, store := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(store, "remembered.md"), []byte("# Remembered\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m := inTerminal(t, []string{"MEMEND_HOME=" + home}, store)
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
	entries, err := os.ReadDir(store)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
	// Without a name it is the one used last.
	m = inTerminal(t, []string{"MEMEND_HOME=" + home})
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
}

// In a new home the screens show the memories that other tools keep, and open the store
// that is made of one.
func TestScreensOfANewHomeOfferWhatOtherToolsKeep(t *testing.T) {
	t.Parallel()
	home, person, project := t.TempDir(), t.TempDir(), t.TempDir()
	memories := filepath.Join(project, ".serena", "memories")
	if err := os.MkdirAll(memories, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(memories, "remembered.md"), []byte("# Remembered\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	env := []string{"MEMEND_HOME=" + home, "MEMEND_STORE=", "HOME=" + person, "XDG_CONFIG_HOME="}
	m := inTerminalOf(t, 120, project, env)
	m.wait("no store yet")
	m.wait("memories of Serena")
	m.press("q")
	m.wait("no store here")
	m.ends(2)
	m = inTerminalOf(t, 120, project, env)
	m.wait("add all 1")
	m.press("c")
	m.wait("Create stores in which?")
	m.press("1\r")
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
	env[0] = "MEMEND_HOME=" + t.TempDir()
	m = inTerminalOf(t, 120, project, env)
	m.wait("add all 1")
	m.press("a")
	m.wait("remembered.md")
	m.press("q")
	m.ends(0)
}

// The first command of a new home sets Claude Code up for what it remembers of the project.
func TestSetupOfANewHomeOffersTheMemoriesOfTheProject(t *testing.T) {
	person, project := t.TempDir(), filepath.Join(t.TempDir(), "shop")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(project)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	memories := filepath.Join(person, ".claude", "projects", regexp.MustCompile("[^A-Za-z0-9]").ReplaceAllString(here, "-"), "memory")
	for _, folder := range []string{memories, filepath.Join(person, ".claude", "agent-memory", "reviewer")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "tea.md"), []byte("Tea is 3.\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"MEMEND_HOME=" + t.TempDir(), "MEMEND_STORE=", "HOME=" + person, "XDG_CONFIG_HOME="}
	m := inTerminal(t, env, "setup", "claude-code")
	m.wait("there is no store for Claude Code yet")
	m.wait("Which one?")
	m.press("\r")
	m.wait("`memend setup claude-code --yes` uses its own memories of this project, " + memories)
	m.ends(2)
	m = inTerminal(t, env, "setup", "claude-code")
	m.wait("2  claude-reviewer")
	m.wait("3  shop ")
	m.press("1\r")
	m.wait("created store shop-claude in " + memories)
	m.wait("Write these files?")
	m.press("y\r")
	m.wait("mcp: the server answers")
	m.ends(0)
	m = inTerminal(t, env, "--no-pager", "log")
	m.wait("found /memories/tea.md")
	m.ends(0)
}

// Who sees nothing is told in which store.
func TestAnEmptyAnswerOnATerminalNamesTheStore(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	memend(t, "", "--home", home, "stores", "create", "team")
	for _, args := range [][]string{{"ls"}, {"log"}, {"stale"}, {"ls", "--at", "0"}, {"diff", "--at", "0"}} {
		m := inTerminal(t, []string{"MEMEND_STORE="}, append([]string{"--home", home}, args...)...)
		m.ends(0)
		if !strings.Contains(m.text(), "store team (") {
			t.Errorf("memend %s shows %q", strings.Join(args, " "), m.text())
		}
	}
	m := inTerminal(t, []string{"MEMEND_STORE="}, "--home", home, "sessions", "--actor", "nobody")
	m.ends(0)
	if !strings.Contains(m.text(), "no matching sessions") {
		t.Errorf("memend sessions shows %q", m.text())
	}
	memend(t, "one\n", "--home", home, "write", "a.md")
	m = inTerminal(t, []string{"MEMEND_STORE="}, "--home", home, "sessions")
	m.ends(0)
	if !strings.Contains(m.text(), "no agent's session; `memend sessions --actor person` lists 1 of people") {
		t.Errorf("memend sessions shows %q", m.text())
	}
	if out := memend(t, "", "--home", home, "stale"); out != "" {
		t.Errorf("without a terminal: %q", out)
	}
}

// Lists fit a terminal of 80 columns, and ids in them are as short as commands take them.
func TestListsFitEightyColumns(t *testing.T) {
	t.Parallel()
	home, folder := t.TempDir(), t.TempDir()
	memend(t, "", "--home", home, "stores", "create", "the-notes-of-a-team-with-a-long-name", "--folder", folder, "--description", strings.Repeat("what it is for ", 10))
	memend(t, "one\n", "--home", home, "--actor", "agent:claude-code", "-s", "the-notes-of-a-team-with-a-long-name", "write", "notes/plan.md")
	memend(t, "two\n", "--home", home, "--actor", "agent:claude-code", "-s", "the-notes-of-a-team-with-a-long-name", "write", "notes/plan.md")
	memend(t, "", "--home", home, "mv", "notes/plan.md", "notes/plan-of-the-week.md")
	memend(t, "", "--home", home, "mv", "notes/plan-of-the-week.md", "notes/plan.md")
	other, bulk, person := t.TempDir(), t.TempDir(), t.TempDir()
	save := func(name, content string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		for n := range 12 {
			save(filepath.Join(bulk, fmt.Sprint(n+6*max(i-1, 0))), fmt.Sprint(i))
		}
		if i == 0 {
			memend(t, "", "--home", other, "stores", "create", "bulk", "--folder", bulk)
		}
		memend(t, "", "--home", other, "ls")
	}
	save(filepath.Join(person, ".cursor/mcp.json"), `{"mcpServers": {"memend": {"type": "http", "url": "http://127.0.0.1:4100/mcp"}}}`)
	for _, args := range [][]string{{"ls"}, {"ls", "-l"}, {"stores"}, {"sessions"}, {"log"}, {"log", "notes/plan.md"}, {"log", "--home", other}, {"help", "keys"}, {"config"}, {"setup"}, {"help"}} {
		m := inTerminalOf(t, 80, "", []string{"MEMEND_STORE=", "PAGER=", "NO_COLOR=1", "HOME=" + person}, append([]string{"--home", home}, args...)...)
		m.ends(0)
		for line := range strings.Lines(m.text()) {
			if line = strings.TrimRight(line, "\r\n"); utf8.RuneCountInString(line) > 80 && !strings.HasPrefix(line, "file: ") {
				t.Errorf("memend %s prints %d columns: %s", strings.Join(args, " "), utf8.RuneCountInString(line), line)
			}
		}
		if len(args) == 2 && args[0] == "log" && !strings.Contains(m.text(), "plan-of-the-week.md") {
			t.Errorf("memend %s hides a name: %s", strings.Join(args, " "), m.text())
		}
		if id := regexp.MustCompile(`(sesn|memver)_\w+`).FindString(m.text()); id != "" {
			kind := map[string][]string{"sesn": {"sessions", "--session"}, "memv": {"show"}}[id[:4]]
			if out := memend(t, "", append(append([]string{"--home", home}, kind...), id)...); !strings.Contains(out, id) {
				t.Errorf("%s is not understood: %q", id, out)
			}
		}
	}
}

// ^C in a command that waits for input ends it, and nothing is written.
func TestInterruptedWriteWritesNothing(t *testing.T) {
	t.Parallel()
	home, store := t.TempDir(), t.TempDir()
	m := inTerminal(t, nil, "--home", home, "-s", store, "write", "a.md")
	m.wait("end it with ^D")
	m.press("half a thought\r\n")
	m.wait("half a thought")
	if err := m.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	m.ends(-1)
	if _, err := os.Stat(filepath.Join(store, "a.md")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a.md:", err)
	}
}

// What a memory holds reaches a terminal as text, never as a command to it.
func TestNothingInAMemoryCommandsTheTerminal(t *testing.T) {
	t.Parallel()
	home, store := t.TempDir(), t.TempDir()
	hostile := "\x1b]0;owned\x07\x1b[2Jtext\r\x9b31m\u202eevil\u200b\n"
	for _, name := range []string{"a.md", "b\u202e.md"} {
		if err := os.WriteFile(filepath.Join(store, name), []byte(hostile), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("x\x1b[2Jy", filepath.Join(store, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(store, "\x1b[2Jname"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	memend(t, "", "--home", home, "stores", "create", "hostile", "--folder", store)
	for _, args := range [][]string{
		{"cat", "a.md"}, {"cat", "-n", "a.md"}, {"ls"}, {"log"}, {"log", "b\u202e.md"}, {"show", "a.md@1"}, {"show", "1"},
		{"diff", "a.md"}, {"cat", "no\u202e.md"}, {"show", "--content", "a.md@1"}, {"check"},
	} {
		m := inTerminal(t, []string{"NO_COLOR=1"}, append([]string{"--home", home, "-s", store}, args...)...)
		want := 0
		if strings.HasPrefix(args[len(args)-1], "no") {
			want = 1
		}
		m.ends(want)
		shown := strings.ReplaceAll(m.text(), "\x1b[m", "")
		for _, never := range []string{"\x1b]", "\x1b[2J", "\x07", "\x9b", "\u202e", "\u200b"} {
			if strings.Contains(shown, never) {
				t.Errorf("memend %s shows %q", strings.Join(args, " "), shown)
			}
		}
		if len(shown) == 0 {
			t.Errorf("memend %s shows nothing", strings.Join(args, " "))
		}
	}
}

// What stores and sessions are called, and what is kept with them, is text too.
func TestNothingSaidOfAStoreCommandsTheTerminal(t *testing.T) {
	t.Parallel()
	home, store := t.TempDir(), t.TempDir()
	const hostile = "\x1b]0;owned\x07\x1b[2Jtext\r\u202eevil\u200b"
	memend(t, "text\n", "--home", home, "-s", store, "write", "a.md", "--session", hostile, "--actor", "agent:"+hostile)
	memend(t, `{"command":"view","path":"/memories/a.md"}`, "--home", home, "-s", store, "tool", "--session", hostile, "--actor", "agent:"+hostile)
	memend(t, "", "--home", home, "stores", "describe", store, hostile, "--metadata", hostile+"="+hostile, "--name", "evil\u202ename")
	for _, args := range [][]string{
		{"stores"}, {"stores", "describe", store}, {"sessions"}, {"log", "--reads", "a.md"}, {"stale", "--unread", "1ns"},
	} {
		m := inTerminal(t, []string{"NO_COLOR=1"}, append([]string{"--home", home, "-s", store}, args...)...)
		m.ends(0)
		for _, never := range []string{"\x1b]", "\x1b[2J", "\x07", "\u202e", "\u200b"} {
			if strings.Contains(m.text(), never) {
				t.Errorf("memend %s shows %q", strings.Join(args, " "), m.text())
			}
		}
		if !strings.Contains(m.text(), "evil") && !strings.Contains(m.text(), "a.md") {
			t.Errorf("memend %s shows %q", strings.Join(args, " "), m.text())
		}
	}
}

func TestStaleMemoriesAreDeletedAfterAQuestion(t *testing.T) {
	t.Parallel()
	home, store := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(store, "a.md"), []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		answer string
		left   int
	}{{"\r", 1}, {"n\r", 1}, {"y\r", 0}} {
		m := inTerminal(t, nil, "--home", home, "-s", store, "stale", "--delete", "--never-read", "--unread", "1ns")
		m.wait("Delete these (1)? One undo restores them. [y/N] ")
		if !strings.Contains(m.text(), "/memories/a.md") {
			t.Errorf("asked about nothing that is shown: %q", m.text())
		}
		m.press(c.answer)
		m.ends(0)
		if left, err := os.ReadDir(store); err != nil || len(left) != c.left {
			t.Errorf("after %q the folder holds %v, %v", c.answer, left, err)
		}
	}
}

// Folders of other tools are found, become stores by an answer or by the screens, and
// are looked through; they stay what they were to the last second of their times.
func TestDiscoveringAndLookingChangesNothingOfOtherTools(t *testing.T) {
	t.Parallel()
	machine, home := t.TempDir(), t.TempDir()
	for name, content := range map[string]string{
		"app/.git/config":                  "[core]\n",
		"app/.serena/memories/overview.md": "what it is\n",
		"app/.serena/memories/.hidden.md":  "hidden\n",
		"app/memory-bank/progress.md":      "works\n",
		"app/main.go":                      "package main\n",
	} {
		file := filepath.Join(machine, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := stateOf(t, machine)
	env := []string{"MEMEND_HOME=" + home, "HOME=" + machine, "XDG_CONFIG_HOME=", "MEMEND_STORE="}
	for answer, want := range map[string]string{"\r": "", "7\r": "no folder has the number 7", "1\r": "created store app-serena in "} {
		m := inTerminal(t, env, "stores", "discover", filepath.Join(machine, "app"))
		m.wait("Create stores in which? Numbers, or all; Enter for none: ")
		m.press(answer)
		m.wait(want)
		m.ends(map[bool]int{false: 0, true: 2}[answer[0] == '7'])
	}

	m := inTerminal(t, env, "app-serena")
	m.wait("overview.md")
	m.press("\r")
	m.wait("what it is")
	m.press("@")
	m.wait("find others")
	m.press("f")
	m.wait("memories of other tools")
	m.press("qqq")
	m.ends(0)
	if stateOf(t, machine) != before {
		t.Error("a folder is different")
	}
}

// stateOf is everything below a folder: names, modes, times and contents.
func stateOf(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&out, path, info.Mode(), info.ModTime().UnixNano(), info.Size())
		if info.Mode().IsRegular() {
			b, err := os.ReadFile(path)
			fmt.Fprintf(&out, "%q\n", b)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// notTested are the claims of README.md that no test shows: what others can do, and what nobody tried.
var notTested = []string{
	"can change the home, or leave its parents and pass for a person",
	"only Linux is tested",
}

// Each claim in the tables of guarantees and of limits is what a test shows, which says so in the
// comment above it after "README:", in quotes. No test names words that README.md does not have.
func TestEveryGuaranteeAndLimitHasATest(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string][]string{} // tests by claim
	claim := regexp.MustCompile(`README: "([^"]*)"`)
	comment := regexp.MustCompile(`(?m)((?:^(?://|#) .*\n)+)(?:func ((?:Test|Fuzz)\w+))?`)
	err = filepath.WalkDir(".", func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(path, ".txtar") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, c := range comment.FindAllStringSubmatch(string(text), -1) {
			name := c[2]
			if strings.HasSuffix(path, ".txtar") {
				name = filepath.Base(path)
			} else if name == "" {
				continue
			}
			words := strings.Join(strings.Fields(regexp.MustCompile(`(?m)^(//|#) `).ReplaceAllString(c[1], "")), " ")
			for _, m := range claim.FindAllStringSubmatch(words, -1) {
				for words := range strings.SplitSeq(m[1], "; ") {
					shown[words] = append(shown[words], name)
				}
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	said := strings.NewReplacer("`", "", "*", "").Replace(string(readme))
	claims := 0
	for _, section := range []string{"Guarantees", "Limits"} {
		_, text, _ := strings.Cut(said, "\n## "+section+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| (.*) \|$`).FindAllStringSubmatch(text, -1)[2:] {
			for words := range strings.SplitSeq(row[2], "; ") {
				claims++
				if tests := shown[words]; tests != nil {
					t.Logf("%s: %s: %s", row[1], words, strings.Join(tests, ", "))
				} else if !slices.Contains(notTested, words) {
					t.Errorf("%s: no test shows that %q", row[1], words)
				}
			}
		}
	}
	for words, tests := range shown {
		if !strings.Contains(said, words) {
			t.Errorf("README.md does not say %q, which %s shows", words, strings.Join(tests, ", "))
		}
	}
	if claims < 30 {
		t.Errorf("only %d claims were read", claims)
	}
}
