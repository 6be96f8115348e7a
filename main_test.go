package main

import (
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/ui/cli"
	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"memtrail": func() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
		// An editor that adds a line, and before that runs what $MEANWHILE says.
		"fake-editor": func() { os.Exit(fakeEditor(os.Args[len(os.Args)-1])) },
	})
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

// The scripts run in a folder of their own, with a home of their own. In it,
// "memtrail" is the program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			for _, folder := range []string{"store", "tmp"} {
				if err := os.MkdirAll(filepath.Join(e.WorkDir, folder), 0o755); err != nil {
					return err
				}
			}
			e.Setenv("MEMTRAIL_HOME", filepath.Join(e.WorkDir, ".home"))
			e.Setenv("MEMTRAIL_STORE", filepath.Join(e.WorkDir, "store"))
			e.Setenv("TMPDIR", filepath.Join(e.WorkDir, "tmp"))
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("TZ", "UTC")
			u, err := user.Current()
			if err == nil {
				e.Setenv("ME", u.Username)
			}
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "fifo": fifo, "nonutf8": nonUTF8, "longname": longName, "matches": matches,
		},
		Condition: func(cond string) (bool, error) { return cond == "root" && os.Geteuid() == 0, nil },
	})
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
