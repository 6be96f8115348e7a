//go:build unix

package engine_test

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

	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/write"
)

func init() { roles["mover"] = mover }

// mover is a process that moves a memory to the store "second" or merges it with one there, and dies when it gets to a
// step for the n-th time.
func mover(args []string) {
	step, what := args[0], args[2]
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
	t, err := vengine.Open(ctx, home, versions.Options{Hook: func(at string) error {
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
	var stores [2]*core.Store
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
func moveOrMerge(ctx context.Context, t *core.Trail, what string, here, there *core.Store) (err error) {
	switch what {
	case "move":
		_, _, err = write.MoveTo(ctx, here, alice, there, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
	default: // merge
		_, _, err = write.MergeInto(ctx, t, alice, versions.Merging{Store: there.Info().ID, Path: mustPath("c"), SHA256: versions.Sum([]byte("two\n"))}, versions.Merging{Store: here.Info().ID, Path: mustPath("a"), SHA256: versions.Sum([]byte("one\n"))}, []byte("one\ntwo\n"))
	}
	return err
}

// A process that is killed while a memory moves or is merged leaves both, or has done it: the original is deleted only
// after the text is in the other store.
func TestAMoveOrMergeThatIsKilledNeverLosesTheMemory(t *testing.T) {
	t.Parallel()
	type death struct {
		step          string
		n             int
		written, gone bool
	}
	always := []death{{"before-intent-commit", 1, false, false}, {"after-intent-commit", 1, true, false}, {"stage-write", 1, true, false},
		{"before-final-commit", 1, true, false}, {"after-final-commit", 1, true, false}, {"before-intent-commit", 2, true, false},
		{"after-intent-commit", 2, true, true}, {"remove", 1, true, true}, {"before-final-commit", 2, true, true}, {"after-final-commit", 2, true, true}}
	for what, own := range map[string]death{"move": {"create", 1, true, false}, "merge": {"replace", 1, true, false}} {
		deaths := append(slices.Clone(always), own)
		for first := range 2 { // the store that is opened first afterwards
			for _, d := range sampled(deaths[2*first%*caseEach:]) {
				t.Run(fmt.Sprintf("%s at %s %d, then store %d", what, d.step, d.n, first), func(t *testing.T) {
					t.Parallel()
					w := newMovers(t)
					out, ended := w.mover(what, d.step, d.n)
					if !ended {
						t.Fatalf("it did not get there: said %q", out)
					}
					if first == 1 {
						w.openSecondAlone()
					}
					want := [3]string{"one\n", "(none)", "two\n"}
					if d.gone {
						want[0] = "(none)"
					}
					if d.written && what == "move" {
						want[1] = "one\n"
					} else if d.written {
						want[2] = "one\ntwo\n"
					}
					w.wantTexts(want)
				})
			}
		}
	}
}

// newMovers is a closed world with "a", and "c" in the second store.
func newMovers(t *testing.T) *world {
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	other := w.second()
	writeText(t, other, alice, "c", "two\n")
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

// wantTexts opens the world and compares "a" of the first store, and "b" and "c" of the second.
func (w *world) wantTexts(want [3]string) {
	w.t.Helper()
	w.open()
	info, err := w.trail.FindStore(w.t.Context(), "second")
	w.must(err)
	other, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	defer other.Close()
	for _, s := range []*core.Store{w.store, other} {
		_, err := s.Sync(w.t.Context())
		w.must(err)
	}
	got := [3]string{textIn(w.t, w.store, "a"), textIn(w.t, other, "b"), textIn(w.t, other, "c")}
	if got != want {
		w.t.Errorf("a, b and c are %q, want %q", got, want)
	}
}

// Two processes that merge the same two memories can't both do it.
func TestMergeInto_OfTwoProcessesIsDoneOnce(t *testing.T) {
	t.Parallel()
	w := newMovers(t)
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
	w.wantTexts([3]string{"(none)", "(none)", "one\ntwo\n"})
}

// openSecondAlone opens the home and its second store only, as the next process might.
func (w *world) openSecondAlone() {
	w.t.Helper()
	tr, err := vengine.Open(w.t.Context(), w.home, versions.Options{})
	w.must(err)
	info, err := tr.FindStore(w.t.Context(), "second")
	w.must(err)
	s, err := tr.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	w.must(s.Close())
	w.must(tr.Close())
}
