package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// If the home can't be written, every command that reads works, and every other one says
// why it does not.
func TestReadingCommandsWorkWhereTheHomeCanNotBeWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		degrade func(t *testing.T, disk string)
		why     string
	}{
		"a read-only disk": {func(t *testing.T, disk string) {
			for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
				err := syscall.Mount("memend-test", disk, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
				if err == nil {
					return
				}
				if err != syscall.EBUSY || time.Now().After(end) { // a process that another test starts has our files until it becomes its program
					t.Fatal(err)
				}
			}
		}, "the file system is read-only"},
		"a full disk": {func(t *testing.T, disk string) { fill(t, filepath.Join(disk, "filler")) }, "no space left on the disk"},
	} {
		t.Run(name, func(t *testing.T) {
			disk, work := t.TempDir(), t.TempDir()
			if err := syscall.Mount("memend-test", disk, "tmpfs", 0, "size=2m"); err != nil {
				t.Skipf("no disk: %v", err)
			}
			t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) }) // a process that another test starts may have its files open
			folder := filepath.Join(work, "notes")
			if err := os.Mkdir(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			memend := func(stdin string, args ...string) (string, error) {
				var out strings.Builder
				code := Run(append([]string{"--home", filepath.Join(disk, "home"), "-s", folder + "/", "--config", os.DevNull}, args...), strings.NewReader(stdin), &out, &out)
				if code != exitDone {
					return out.String(), fmt.Errorf("exit %d", code)
				}
				return out.String(), nil
			}
			view := `{"command":"view","path":"/memories/a.md"}`
			for _, args := range [][]string{{"write", "a.md"}, {"write", "a.md", "--if-absent=false"}, {"tool", "--actor", "agent:robot"}} {
				in := strings.Join(args, " ") + "\n"
				if args[0] == "tool" {
					in = view
				}
				if out, err := memend(in, args...); err != nil {
					t.Fatal(out)
				}
			}
			c.degrade(t, disk)
			for _, command := range []string{
				"ls", "cat a.md", "log", "log a.md", "show 1", "show a.md@1", "diff a.md", "blame a.md", "ls --at 1", "cat --at 1 a.md", "search write",
				"search --history write", "sessions", "log --reads a.md", "stale --unread 1d", "stores", "check", "export --format folder -o " + work + "/out",
				"export -o " + work + "/out.jsonl", "restore --at 1 --dry-run", "undo 2 --dry-run", "redact", "tool",
			} {
				if out, err := memend(view, strings.Fields(command)...); err != nil {
					t.Errorf("%s: %v: %s", command, err, out)
				}
			}
			for _, command := range []string{"write b.md", "rm a.md", "mv a.md b.md", "undo", "restore a.md@1", "redact a.md@1 --yes", "stores create other", "stores archive notes --yes"} {
				if out, err := memend("text\n", strings.Fields(command)...); err == nil || !strings.Contains(out, c.why) || !strings.Contains(out, "hint: nothing was written") {
					t.Errorf("%s: %v: %s", command, err, out)
				}
			}
		})
	}
}
