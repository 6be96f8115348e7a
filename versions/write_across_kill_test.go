//go:build unix

package versions

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func init() { roles["mover"] = mover }

// mover is a process that moves a memory to the store "second" or merges it with one there, or undoes that, and
// dies when it gets to a step for the n-th time.
func mover(args []string) {
	step, what := args[0], strings.Join(args[2:], " ")
	n, _ := strconv.Atoi(args[1])
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
	return moveOrMerge(ctx, t, what, stores[0], stores[1])
}

// moveOrMerge does what a mover is to do.
func moveOrMerge(ctx context.Context, t *Trail, what string, here, there *Store) (err error) {
	switch what {
	case "move":
		_, _, err = here.MoveTo(ctx, alice, there, Transfer{mustPath("a"), mustPath("b")})
	case "merge":
		_, _, err = t.MergeInto(ctx, alice, Merging{there.Info().ID, mustPath("c"), sum([]byte("two\n"))}, Merging{here.Info().ID, mustPath("a"), sum([]byte("one\n"))}, []byte("one\ntwo\n"))
	default: // undo
		var last int64
		if last, err = there.LastChange(ctx); err == nil {
			_, err = there.Undo(ctx, alice, last)
		}
	}
	return err
}

// A process that is killed while a memory moves or is merged, or comes back, leaves it in one of the two stores:
// never in none, and never in both.
func TestAnActOfTwoStoresThatIsKilledIsDoneOrNot(t *testing.T) {
	t.Parallel()
	type death struct {
		step string
		n    int
		done bool
	}
	always := []death{{"before-intent-commit", 1, false}, {"after-intent-commit", 1, true}, {"stage-write", 1, true},
		{"before-final-commit", 1, true}, {"after-final-commit", 1, true}, {"between-stores", 1, true}, {"after-intent-commit", 2, true},
		{"before-final-commit", 2, true}, {"after-final-commit", 2, true}, {"between-stores", 2, true}}
	for what, more := range map[string][]death{
		"move": {{"create", 1, true}, {"remove", 1, true}}, "undo move": {{"remove", 1, true}, {"create", 1, true}},
		"merge": {{"replace", 1, true}, {"remove", 1, true}}, "undo merge": {{"replace", 1, true}, {"create", 1, true}},
	} {
		for _, d := range append(more, always...) {
			for _, first := range []int{0, 1} { // the store that is opened first afterwards
				t.Run(fmt.Sprintf("%s at %s %d, then store %d", what, d.step, d.n, first), func(t *testing.T) {
					t.Parallel()
					act, undoes := strings.CutPrefix(what, "undo ")
					w := newActs(t, act, undoes)
					out, ended := w.mover(what, d.step, d.n)
					if !ended {
						t.Fatalf("it did not get there: said %q", out)
					}
					if first == 1 {
						w.openSecondAlone()
					}
					w.wantAct(act, d.done != undoes)
				})
			}
		}
	}
}

// newActs is a closed world before a move or merge, or after it.
func newActs(t *testing.T, what string, done bool) *world {
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	other := w.second()
	_, err := other.Write(t.Context(), alice, mustPath("c"), []byte("two\n"), Pre{})
	w.must(err)
	if done {
		w.must(moveOrMerge(t.Context(), w.trail, what, w.store, other))
	}
	w.must(other.Close())
	w.close()
	return w
}

// mover runs a process that dies at a step, if n is not 0. It reports what it said, and whether it was killed.
func (w *world) mover(what, step string, n int) (said string, killed bool) {
	cmd := exec.Command(os.Args[0], w.home, w.folder)
	cmd.Env = append(os.Environ(), roleEnv+"=mover "+step+" "+strconv.Itoa(n)+" "+what)
	out, _ := cmd.Output()
	ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	return string(out), ok && ws.Signal() == syscall.SIGKILL
}

// wantAct opens the world and checks that a move or merge was done, or not.
func (w *world) wantAct(what string, done bool) {
	w.t.Helper()
	w.open()
	info, err := w.trail.FindStore(w.t.Context(), "second")
	w.must(err)
	other, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	defer other.Close()
	for _, s := range []*Store{w.store, other} {
		_, err := s.Sync(w.t.Context())
		w.must(err)
	}
	got := [3]string{textIn(w.t, w.store, "a"), textIn(w.t, other, "b"), textIn(w.t, other, "c")}
	want := [3]string{"one\n", "(none)", "two\n"}
	switch {
	case done && what == "move":
		want = [3]string{"(none)", "one\n", "two\n"}
	case done:
		want = [3]string{"(none)", "(none)", "one\ntwo\n"}
	}
	if got != want {
		w.t.Errorf("a, b and c are %q, want %q", got, want)
	}
}

// Two processes that merge the same two memories can't both do it.
func TestMergeInto_OfTwoProcessesIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newActs(t, "merge", false)
	said := make([]string, 2)
	var both sync.WaitGroup
	for i := range said {
		both.Go(func() { said[i], _ = w.mover("merge", "none", 0) })
	}
	both.Wait()
	slices.Sort(said)
	if !strings.HasPrefix(said[0], "bad ") || !strings.Contains(said[0], "since it was read") || said[1] != "done\n" {
		t.Fatalf("they said %q", said)
	}
	w.wantAct("merge", true)
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
