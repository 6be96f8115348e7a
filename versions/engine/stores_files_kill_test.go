//go:build unix

package engine_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

func init() { roles["instructs"], roles["names"] = instruct, nameFiles }

// twoNames are the files that nameFiles names in turn. The second have no rules, which are forgotten.
var twoNames = [2][]string{{"CLAUDE.md", ".claude/rules/**/*.md"}, {"CLAUDE.md", "docs/**"}}

// nameFiles names other files until it is killed.
func nameFiles([]string) {
	ctx := context.Background()
	err := func() error {
		s, err := openNamed(ctx, versions.Options{})
		if err != nil {
			return err
		}
		for n := 0; ; n++ {
			names, err := memfs.ParseNames(twoNames[n%2])
			if err == nil {
				_, err = stores.SetFiles(ctx, s, alice, names, true)
			}
			if err == nil {
				_, err = s.Sync(ctx)
			}
			if err != nil {
				return err
			}
			fmt.Println(n)
		}
	}()
	fmt.Println(err)
}

// After a kill the store has the files that were named before or after, and the memories of these. What is forgotten stays on
// disk.
func TestAProcessThatIsKilledNamesOldOrNewFiles(t *testing.T) {
	t.Parallel()
	w := namedWorld(t)
	kept := w.entry("CLAUDE.md").Memory
	for round := range 8 / min(*caseEach, 4) {
		cmd := exec.Command(os.Args[0], w.home, w.folder)
		cmd.Env = append(os.Environ(), roleEnv+"=names")
		out, err := cmd.StdoutPipe()
		must(w, err)
		must(w, cmd.Start())
		lines, last := bufio.NewScanner(out), ""
		for n := 0; lines.Scan(); n++ {
			if last = lines.Text(); n == 5*round {
				_ = cmd.Process.Kill()
			}
		}
		_ = cmd.Wait()
		n, err := strconv.Atoi(last)
		if err != nil {
			t.Fatalf("the process said %q", last)
		}
		w.sync()
		if got := w.store.Info().Files.Patterns(); !slices.Equal(got, twoNames[n%2]) && !slices.Equal(got, twoNames[(n+1)%2]) {
			t.Errorf("after %d: %q", n, got)
		}
		want := "CLAUDE.md"
		if slices.Equal(w.store.Info().Files.Patterns(), twoNames[0]) {
			want = ".claude/rules/a.md CLAUDE.md"
		}
		if got := w.paths(); got != want || w.file(".claude/rules/a.md") != "a\n" || w.entry("CLAUDE.md").Memory != kept {
			t.Errorf("after %d: %s, %q", n, got, w.file(".claude/rules/a.md"))
		}
		w.check()
		if c, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 1000); err != nil || slices.ContainsFunc(c, w.deletes) {
			t.Errorf("after %d another program is said to have deleted something: %+v, %v", n, c, err)
		}
	}
}

// deletes reports whether a change deleted a memory.
func (w *world) deletes(c versions.Change) bool {
	_, vs, err := vhistory.Change(w.t.Context(), w.store, c.Number)
	must(w, err)
	return slices.ContainsFunc(vs, func(v versions.Version) bool { return v.Operation == versions.Deleted })
}

// instruct writes CLAUDE.md until it dies at the step that it is told, at the third write.
func instruct(args []string) {
	ctx, writes := context.Background(), 0
	err := func() error {
		s, err := openNamed(ctx, versions.Options{Hook: func(step string) error {
			if writes == 3 && step == args[0] {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}})
		if err != nil {
			return err
		}
		for writes = 1; writes < 10; writes++ {
			if _, err := s.Write(ctx, robot, mustPath("CLAUDE.md"), fmt.Append(nil, "by the other process ", writes), versions.Pre{}); err != nil {
				return err
			}
			fmt.Println("wrote", writes)
			time.Sleep(time.Millisecond) // the other process gets the lock too
		}
		return fmt.Errorf("it never came to %s", args[0])
	}()
	fmt.Println(err)
}

// Two processes write the same named files. What one that is killed leaves in the project's folder
// is gone when the store is used next.
func TestProcessesThatAreKilledLeaveNothingInAProject(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"stage-open", "stage-write", "stage-mid", "replace", "after-intent-commit", "before-final-commit"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			w := namedWorld(t)
			cmd := exec.Command(os.Args[0], w.home, w.folder)
			cmd.Env = append(os.Environ(), roleEnv+"=instructs "+step)
			done := make(chan string)
			go func() {
				out, _ := cmd.Output()
				done <- string(out)
			}()
			said, own := "", 0
			for said == "" {
				select {
				case said = <-done:
				case <-time.After(time.Millisecond):
					w.write(alice, "AGENTS.md", fmt.Sprint("own ", own))
					own++
				}
			}
			if !strings.HasPrefix(said, "wrote 1\nwrote 2\n") || strings.Count(said, "\n") > 3 {
				t.Errorf("the process said %q", said)
			}
			w.sync()
			w.othersStay()
			if got := w.file("CLAUDE.md"); !strings.HasPrefix(got, "by the other process ") {
				t.Errorf("CLAUDE.md is %q", got)
			}
			if got := w.file("AGENTS.md"); own > 0 && got != fmt.Sprint("own ", own-1) {
				t.Errorf("AGENTS.md is %q", got)
			}
		})
	}
}
