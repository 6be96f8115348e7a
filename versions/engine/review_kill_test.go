//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/review"
)

func init() { roles["decider"] = beDecider }

const (
	decideBase  = "one\ntwo\nthree\nfour\nfive\n"
	decideTheir = "ONE\ntwo\nthree\nfour\nFIVE\n"
)

// beDecider decides the first hunk of a memory, and dies at the n-th step of the engine; the steps of opening count.
func beDecider(args []string) {
	die, err := strconv.Atoi(args[1])
	if err != nil {
		panic(err)
	}
	steps := 0
	o := versions.Options{Hook: func(string) error {
		if steps++; steps == die {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		return nil
	}}
	if err := decideOnce(args[0], o); err != nil {
		fmt.Println("bad", err)
	}
	fmt.Println("done")
	os.Exit(0)
}

func decideOnce(act string, o versions.Options) error {
	ctx := context.Background()
	s, err := openNamed(ctx, o)
	if err != nil {
		return err
	}
	e, err := history.Entry(ctx, s, mustPath("a"))
	if err != nil {
		return err
	}
	p, err := review.PendingOf(ctx, s, e.Memory, alice.Actor)
	if err != nil {
		return err
	}
	h := p.Hunks()[0]
	switch act {
	case "keep":
		_, err = review.Keep(ctx, s, alice.Actor, p, p.With(h))
	case "undo":
		_, _, err = review.Undo(ctx, s, alice, p, p.Without(h))
	case "edit":
		_, _, err = review.Edit(ctx, s, alice, p, []byte(strings.Replace(decideTheir, "ONE", "ONE\nmine", 1)), h)
	}
	return err
}

// Whenever a process that decides about a hunk dies, the decision is made or it is not; the other hunk is still to be decided.
func TestAKilledDecisionIsMadeOrNot(t *testing.T) {
	t.Parallel()
	for act, want := range map[string][]string{ // the memory, and the hunks that are left
		"keep": {decideTheir, "-one+ONE,-five+FIVE", decideTheir, "-five+FIVE"},
		"undo": {decideTheir, "-one+ONE,-five+FIVE", strings.Replace(decideTheir, "ONE", "one", 1), "-five+FIVE"},
		"edit": {decideTheir, "-one+ONE,-five+FIVE", strings.Replace(decideTheir, "ONE", "ONE\nmine", 1), "-five+FIVE",
			strings.Replace(decideTheir, "ONE", "ONE\nmine", 1), "-one+ONE+mine,-five+FIVE"}, // written, and not marked yet
	} {
		t.Run(act, func(t *testing.T) {
			t.Parallel()
			seen := map[int]bool{}
			for step, done := 1, false; !done; step += max(1, *caseEach/2) {
				w := newWorld(t)
				w.write(alice, "a", decideBase)
				w.must(second(review.MarkAllReviewed(t.Context(), w.store, w.lastNumber())))
				w.write(robot, "a", decideTheir)
				w.close()
				cmd := exec.Command(os.Args[0], w.home, w.folder)
				cmd.Env = append(os.Environ(), fmt.Sprintf("%s=decider %s %d", roleEnv, act, step))
				said, err := cmd.CombinedOutput()
				if done = err == nil; done && string(said) != "done\n" {
					t.Fatalf("%s", said)
				}
				w.open()
				w.sync()
				text, left := w.file("a"), strings.Join(hunksOf(w.pending(w.entry("a").Memory)), ",")
				known := false
				for i := 0; i < len(want); i += 2 {
					if text == want[i] && left == want[i+1] {
						seen[i], known = true, true
					}
				}
				if !known {
					t.Errorf("killed at step %d: the memory is %q, to be decided is %s", step, text, left)
				}
			}
			if len(seen) < len(want)/2 && act != "keep" { // which is one transaction
				t.Errorf("%d outcomes were seen of %q", len(seen), want)
			}
		})
	}
}
