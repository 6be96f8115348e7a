//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestTheExitCodesAreInTheReadmeAndTheHelp(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for code, means := range exitMeans {
		if !strings.Contains(string(readme), fmt.Sprintf("| %d | %s |\n", code, means)) {
			t.Errorf("README.md does not say that %d means %q", code, means)
		}
	}
	root := rootCommand((&program{}))
	addHelp(root)
	if long := root.Long; !strings.Contains(long, strings.TrimRight(exitsText(), "\n")) {
		t.Error("the help lacks the exit codes")
	}
}

// storeless are the commands that work on no store, or make it.
var storeless = []string{"", "agent", "serve", "hook", "setup", "tokens", "tokens create", "tokens revoke", "stores", "stores create", "stores discover", "stores describe", "stores move",
	"stores archive", "stores delete", "stores connect", "stores mirror", "stores disconnect", "backup", "doctor", "config", "config check", "config themes",
	"help", "help keys", "help json", "help completion", "version", "policy", "policy use", "policy edit", "policy set", "review keep", "review accept", "review edit", "review reject", cobra.ShellCompRequestCmd}

// takesMany are the commands that take any number of arguments.
var takesMany = []string{"hook", "search", "cat", "ls", "pin", "rm", "stores discover"}

// homeWide are command lines that concern the whole home, or check something else before they look
// for a store.
var homeWide = []string{"guard", "redact", "review show 1", "review --patch", "pin a.md", "import nosuch", "import file.jsonl", "stores merge nosuch", "stores merge ."}

func TestMisuseOfEveryCommandExitsWith2(t *testing.T) {
	emptyPlace(t)
	if code, _, errs := runLine("stores create one"); code != exitDone {
		t.Fatal(errs)
	}
	wrong := func(line string) {
		if code, out, errs := runLine(line); code != exitMisuse {
			t.Errorf("memend %s: %d %s%s", line, code, out, errs)
		}
	}
	each(rootCommand((&program{})), func(cmd *cobra.Command) {
		name := strings.TrimPrefix(strings.TrimPrefix(cmd.CommandPath(), "memend"), " ")
		if name != "hook" { // it always exits with 0: an agent waits for it
			wrong(name + " --nosuchflag")
		}
		if !slices.Contains(takesMany, name) {
			wrong(name + " a b c d e f")
		}
	})
	for name, lines := range linesOf {
		for _, rest := range lines {
			line := strings.TrimSpace(name + " " + rest)
			if !slices.Contains(storeless, name) && !slices.Contains(homeWide, line) && !strings.ContainsAny(rest, "/") && !strings.Contains(rest, "--all-stores") && !strings.Contains(rest, "--handler") && !strings.Contains(rest, "--attach") && rest != "-s nosuch" {
				wrong(line + " -s nosuch")
			}
		}
	}
	for _, line := range []string{"stores describe nosuch", "stores move nosuch .", "stores archive nosuch", "stores delete nosuch --yes", "stores disconnect nosuch", "stores mirror nosuch", "nosuch", "nosuch:: -s one", "mv nosuch:a b", "cp a.md nosuch:", "tool --attach nosuch", "serve --attach nosuch", ""} {
		wrong(line)
	}
}

// With nothing to report a command is done.
func TestNothingToReportExitsWith0(t *testing.T) {
	emptyPlace(t)
	for _, line := range []string{"stores", "sessions", "tokens", "stores discover", "check --all-stores", "review --all-stores", "config", "guard"} {
		if code, out, errs := runLine(line); code != exitDone {
			t.Errorf("without a home, memend %s: %d %s%s", line, code, out, errs)
		}
	}
	if code, _, errs := runLine("stores create one"); code != exitDone {
		t.Fatal(errs)
	}
	for _, line := range []string{"ls", "ls --sizes", "log", "sessions", "review", "stale", "guard --all", "check", "status", "tokens", "redact", "pin", "policy show", "export", "stale --delete --unread 1d --yes", "doctor", "undo", "undo --dry-run", "redo", "redo --dry-run"} {
		if code, out, errs := runLine(line); code != exitDone {
			t.Errorf("in an empty store, memend %s: %d %s%s", line, code, out, errs)
		}
	}
	if code, _, _ := runLine("search word"); code != exitFailed {
		t.Errorf("memend search without a hit: %d", code)
	}
}

// pastPlace is where [past] makes its home: always in the same folder, because a home names the folders of its stores.
var pastPlace keptPlace

type keptPlace struct {
	dir   string // its path must not have the words of command lines
	files []keptFile
}

type keptFile struct {
	path    string
	mode    fs.FileMode
	content []byte
}

// past makes a home with one of everything that commands are about. The commands that make it run once; after that their
// files are written.
func past(t *testing.T) {
	t.Helper()
	p := &pastPlace
	if p.dir == "" {
		p.dir = filepath.Join(os.TempDir(), "of-"+strconv.Itoa(os.Getpid()))
	}
	if err := errors.Join(os.RemoveAll(p.dir), os.Mkdir(p.dir, 0o700)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.dir) })
	emptyPlaceIn(t, p.dir)
	if p.files == nil {
		makePast(t, p.dir)
		p.read(t)
	} else {
		p.write(t)
	}
	t.Setenv("MEMEND_STORE", "w")
}

func makePast(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(dir, "w"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, input string }{
		{"stores create w --folder ./w/", ""},
		{"stores create other", ""},
		{"write -s w a.md", "one\ntwo\nthree\n"},
		{"write -s w a.md", "one\nTWO\nthree\n"},
		{"write -s w a.md --actor agent:robin --session sesn_r", "one\n2\nthree\n"},
		{"write -s w b.md --actor agent:robin --session sesn_r", "secret\n"},
		{"tool -s w --actor agent:robin --session sesn_r", `{"command":"view","path":"/memories/a.md"}` + "\n"},
		{"write -s w gone.md", "gone\n"},
		{"rm -s w gone.md", ""},
		{"write -s other b.md", "SECRET\n"},
		{"write -s w secret.md", "quicksilver\n"},
		{"write -s w secret.md", "new\n"},
		{"redact -s w --match quicksilver --yes", ""},
		{"tokens create client", ""},
	} {
		if code, out, errs := runWith(c.line, c.input); code != exitDone {
			t.Fatalf("memend %s: %d %s%s", c.line, code, out, errs)
		}
	}
}

func (p *keptPlace) read(t *testing.T) {
	t.Helper()
	if err := filepath.WalkDir(p.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == p.dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		f := keptFile{path: path, mode: info.Mode()}
		if !e.IsDir() {
			f.content, err = os.ReadFile(path)
		}
		p.files = append(p.files, f)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func (p *keptPlace) write(t *testing.T) {
	t.Helper()
	for _, f := range p.files {
		err := error(nil)
		if f.mode.IsDir() {
			err = os.Mkdir(f.path, f.mode.Perm())
		} else {
			err = os.WriteFile(f.path, f.content, f.mode.Perm())
		}
		if err := errors.Join(err, os.Chmod(f.path, f.mode.Perm())); err != nil {
			t.Fatal(err)
		}
	}
}

func TestADryRunExitsAsTheActItself(t *testing.T) {
	for i, line := range []string{
		"undo", "undo 1", "undo 2", "undo 3", "undo --session sesn_r", "undo 2 --conflict skip", "undo --actor agent:robin --session sesn_x",
		"redo", "restore a.md@1", "restore --at 1 /", "restore a.md@3", "restore gone.md@1", "restore a.md@9", "restore nosuch.md@1",
		"search --replace=x one", "search --replace=x nosuch", "merge a.md b.md --take both", "merge a.md nosuch.md --take both",
		"redact --match secret --yes", "redact --match TWO --yes", "redact --match nothing --yes", "redact a.md@1 --yes", "redact a.md@3 --yes", "redact a.md --yes", "redact b.md --yes",
		"redact a.md@1 --yes --actor agent:robin", "stale --delete --unread 1d --yes", "stale --delete --unread 1d --yes --never-read",
		"stores delete other --yes", "stores delete nosuch --yes", "stores delete other --yes --actor agent:robin", "trace --forward sesn_r --undo", "setup codex --yes -s nosuch",
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) { // the path of the test's folder must not have the words
			past(t)
			dry, out, errs := runLine(line + " --dry-run")
			code, realOut, realErrs := runLine(line)
			if code != dry {
				t.Errorf("%s: the dry run exits with %d: %s%s\nthe act with %d: %s%s", line, dry, out, errs, code, realOut, realErrs)
			}
		})
	}
}

// --json prints an object wherever the text form prints a line.
func TestJSONPrintsWhateverTheTextPrints(t *testing.T) {
	check := func(t *testing.T, line string, anew func(*testing.T)) {
		code, out, errs := runLine(line)
		anew(t)
		jsonCode, object, jsonErrs := runLine(line + " --json")
		if code != jsonCode {
			t.Errorf("%s exits with %d: %s%s\nwith --json %d: %s%s", line, code, out, errs, jsonCode, object, jsonErrs)
		}
		if out != "" && !strings.HasPrefix(object, "{") {
			t.Errorf("%s prints %q, and with --json %q", line, out, object)
		}
	}
	t.Run("looks", func(t *testing.T) {
		past(t)
		for _, line := range []string{
			"ls", "ls --sizes", "ls --at 1", "cat a.md", "cat a.md --at 2", "search one", "search --history old", "log", "log a.md", "log --reads a.md", "log --stat", "show 1", "show a.md@1", "show sesn_r",
			"diff a.md", "diff a.md@1 a.md@2", "diff --at 1", "blame a.md", "trace a.md", "trace --forward sesn_r", "review", "policy show", "pin", "guard --all", "guard",
			"check", "check --head", "check --all-stores", "stale", "stale --unread 0d", "sessions", "stores", "stores discover", "status", "doctor", "config", "config check", "config themes",
			"tokens", "version", "redact", "redact --verify gone", "redact --match two --dry-run", "undo --dry-run", "search --replace=x one --dry-run", "merge a.md b.md --take both --dry-run",
			"stores delete other --dry-run", "setup", "setup codex --dry-run", "setup codex --print", "setup claude-code --print", "stale --delete --unread 1d --never-read --dry-run",
		} {
			check(t, line, func(*testing.T) {})
		}
	})
	// Setup starts this program as a server, which here is the test: setup.txtar has it.
	for i, line := range []string{
		"undo", "redo", "restore a.md@1", "restore a.md@3", "search --replace=x one", "write c.md", "cp a.md c.md", "mv a.md c.md", "mv a.md other:", "rm a.md", "merge a.md b.md --take both",
		"stores describe w --name v", "stores move w ./w", "stores archive other", "stores archive w --undo", "stores delete other --yes", "stores create more", "tokens create x", "tokens revoke client",
		"backup b.tar.gz", "export -o out.jsonl", "import w", "setup codex --remove --yes", "stale --delete --unread 1d --never-read --yes", "config init",
	} {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			past(t)
			check(t, line, past)
		})
	}
}
