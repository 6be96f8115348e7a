//go:build unix

package versions

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { roles["instructs"] = instruct }

// instruct writes CLAUDE.md until it dies at the step that it is told, at the third write.
func instruct(args []string) {
	ctx, writes := context.Background(), 0
	err := func() error {
		t, err := Open(ctx, os.Args[1], Options{})
		if err != nil {
			return err
		}
		t.hook = func(step string) error {
			if writes == 3 && step == args[0] {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
			return nil
		}
		info, err := t.FindStore(ctx, os.Args[2])
		if err != nil {
			return err
		}
		s, err := t.OpenStore(ctx, info.ID)
		if err != nil {
			return err
		}
		for writes = 1; writes < 10; writes++ {
			if _, err := s.Write(ctx, robot, mustPath("CLAUDE.md"), fmt.Append(nil, "by the other process ", writes), Pre{}); err != nil {
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
