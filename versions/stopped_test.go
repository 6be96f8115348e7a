package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtrail/memtrail/memfs"
)

// stopping ends a context after so many calls of a kind have begun.
func (w *twin) stopping(call string, after int) context.Context {
	ctx, stop := context.WithCancel(w.t.Context())
	n := 0
	w.up.fault = func(c string) (error, error) {
		if c == call {
			if n++; n == after {
				stop()
			}
		}
		return nil, nil
	}
	return ctx
}

func TestAPlanThatIsStoppedSaysHowFarItCameAndGoesOn(t *testing.T) {
	w := newTwin(t)
	var paths []memfs.Path
	for _, p := range []string{"/a.md", "/b.md", "/c.md", "/d.md", "/e.md"} {
		w.write(alice, p, "before "+p+"\n")
		paths = append(paths, mustPath(p))
	}
	for _, p := range paths {
		w.write(robot, p.String(), "after "+p.String()+"\n")
	}
	plan, err := w.store.PlanUndoSession(t.Context(), robot.Session)
	if err != nil {
		t.Fatal(err)
	}
	var told []Progress
	c, err := w.store.Apply(WithProgress(w.stopping("update", 2), func(p Progress) {
		if p.Of == MemoriesSent {
			told = append(told, p)
		}
	}), alice, plan, nil)
	var partly *PartlyError
	if !errors.As(err, &partly) || !partly.Stopped() || len(partly.Done) != 2 || !slices.Equal(pathsOf(partly.Done, partly.Left), []string{"/a.md", "/b.md", "/c.md", "/d.md", "/e.md"}) {
		t.Fatalf("%+v, %v", partly, err)
	}
	if !slices.Equal(told, []Progress{{0, 5, MemoriesSent}, {1, 5, MemoriesSent}}) || c.Versions != 2 || c.Actor != alice.Actor {
		t.Errorf("told %v, change %+v", told, c)
	}
	if !strings.Contains(err.Error(), "2 of 5 memories were done, as change 11, and then it was stopped") {
		t.Error(err)
	}

	w.up.fault = nil
	w.agree()
	if plan, err = w.store.PlanUndoSession(t.Context(), robot.Session); err != nil || len(plan.Clean) != 3 || len(plan.Nothing) != 2 || len(plan.Conflicts) > 0 {
		t.Fatalf("the rest: %+v, %v", plan, err)
	}
	if c, err = w.store.Apply(t.Context(), alice, plan, nil); err != nil || c.Versions != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, p := range paths {
		if got := w.file(p.Rel()); got != "before "+p.String()+"\n" {
			t.Errorf("%s: %q", p, got)
		}
	}
	if _, err := w.store.PlanUndoSession(t.Context(), robot.Session); err == nil {
		if plan, _ = w.store.PlanUndoSession(t.Context(), robot.Session); !plan.Empty() {
			t.Errorf("it is not taken for undone: %+v", plan)
		}
	}
	w.agree()
}

func pathsOf(lists ...[]memfs.Path) (out []string) {
	for _, l := range lists {
		for _, p := range l {
			out = append(out, p.String())
		}
	}
	slices.Sort(out)
	return out
}

func TestAPullThatIsStoppedGoesOnWhereItWas(t *testing.T) {
	w := newTwin(t)
	for n := range chunkItems + 50 {
		w.there("/a.md", fmt.Sprintf("text %d\n", n))
	}
	ctx, stop := context.WithCancel(t.Context())
	var first, last Progress
	_, err := w.store.Pull(WithProgress(ctx, func(p Progress) {
		if p.Of != VersionsRead {
			return
		}
		if first.Done == 0 {
			first = p
		}
		if last = p; p.Done > chunkItems {
			stop()
		}
	}), PullOptions{Full: true})
	if !errors.Is(err, context.Canceled) || first.Done > 20 || last.Total != chunkItems+50 {
		t.Fatalf("%v, first %+v, last %+v", err, first, last)
	}
	if n, _ := w.store.LastChange(t.Context()); n != int64(chunkItems) {
		t.Errorf("%d changes are kept", n)
	}
	if got := w.pull(PullOptions{Full: true}); got.Versions != 50 {
		t.Errorf("the rest: %+v", got)
	}
	w.agree()
}

func TestAnAnswerThatIsOnItsWayIsWaitedForWhenSomebodyStops(t *testing.T) {
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	ctx := w.stopping("update", 1)
	if c, err := w.store.Write(ctx, alice, mustPath("/a.md"), []byte("two\n"), Pre{}); err != nil || c.Actor != alice.Actor {
		t.Errorf("%+v, %v", c, err)
	}
}
