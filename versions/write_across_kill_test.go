//go:build unix

package versions

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
)

func init() { roles["mover"] = mover }

// mover is a process that moves a memory to the store "second", or undoes that, and dies when it gets to a
// step for the n-th time.
func mover(args []string) {
	what, step := args[0], args[1]
	n, _ := strconv.Atoi(args[2])
	if err := moverRun(context.Background(), what, step, n); err != nil {
		fmt.Println("bad", err)
		os.Exit(1)
	}
	fmt.Println("done")
	os.Exit(0)
}

func moverRun(ctx context.Context, what, step string, n int) error {
	home, folder := os.Args[1], os.Args[2]
	armed := false
	t, err := Open(ctx, home, Options{Hook: func(at string) error {
		if armed && at == step {
			if n--; n == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		return nil
	}})
	if err != nil {
		return err
	}
	var stores [2]*Store
	for i, ref := range []string{folder, "second"} {
		info, err := t.FindStore(ctx, ref)
		if err != nil {
			return err
		}
		if stores[i], err = t.OpenStore(ctx, info.ID); err != nil {
			return err
		}
	}
	armed = true
	if what == "undo" {
		_, err = stores[1].Undo(ctx, alice, 1)
	} else {
		_, _, err = stores[0].MoveTo(ctx, alice, stores[1], Transfer{mustPath("a"), mustPath("b")})
	}
	return err
}

// A process that is killed while a memory moves, or comes back, leaves it in one of the two stores: never in
// none, and never in both.
func TestAMoveBetweenStoresThatIsKilledIsDoneOrNot(t *testing.T) {
	t.Parallel()
	type death struct {
		step string
		n    int
		done bool
	}
	deaths := []death{{"before-intent-commit", 1, false}, {"after-intent-commit", 1, true}, {"stage-write", 1, true}, {"create", 1, true},
		{"before-final-commit", 1, true}, {"after-final-commit", 1, true}, {"between-stores", 1, true}, {"after-intent-commit", 2, true},
		{"remove", 1, true}, {"before-final-commit", 2, true}, {"after-final-commit", 2, true}, {"between-stores", 2, true}}
	for _, what := range []string{"move", "undo"} {
		for _, d := range deaths {
			for _, first := range []int{0, 1} { // the store that is opened first afterwards
				t.Run(fmt.Sprintf("%s at %s %d, then store %d", what, d.step, d.n, first), func(t *testing.T) {
					t.Parallel()
					w := newWorld(t)
					w.write(alice, "a", "one\n")
					other := w.second()
					if what == "undo" {
						_, _, err := w.store.MoveTo(t.Context(), alice, other, Transfer{mustPath("a"), mustPath("b")})
						w.must(err)
					}
					w.must(other.Close())
					w.close()
					cmd := exec.Command(os.Args[0], w.home, w.folder)
					cmd.Env = append(os.Environ(), roleEnv+"=mover "+what+" "+d.step+" "+strconv.Itoa(d.n))
					out, err := cmd.StdoutPipe()
					w.must(err)
					w.must(cmd.Start())
					said, _ := io.ReadAll(out)
					_ = cmd.Wait()
					if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
						t.Fatalf("it did not get there: said %q", said)
					}
					if first == 1 {
						w.openSecondAlone()
					}
					w.open()
					info, err := w.trail.FindStore(t.Context(), "second")
					w.must(err)
					other, err = w.trail.OpenStore(t.Context(), info.ID)
					w.must(err)
					defer other.Close()
					for _, s := range []*Store{w.store, other} {
						_, err := s.Sync(t.Context())
						w.must(err)
					}
					here, there := textIn(t, w.store, "a"), textIn(t, other, "b")
					if moved := d.done == (what == "move"); moved && (here != "(none)" || there != "one\n") || !moved && (here != "one\n" || there != "(none)") {
						t.Errorf("here %q, there %q", here, there)
					}
				})
			}
		}
	}
}

// openSecondAlone opens the home and its second store only, as the next process might.
func (w *world) openSecondAlone() {
	w.t.Helper()
	tr, err := Open(w.t.Context(), w.home, Options{})
	w.must(err)
	info, err := tr.FindStore(w.t.Context(), "second")
	w.must(err)
	s, err := tr.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	w.must(s.Close())
	w.must(tr.Close())
}
