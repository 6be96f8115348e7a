package engine_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/replica"
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
	t.Parallel()
	w := newTwin(t)
	var paths []memfs.Path
	for _, p := range []string{"/a.md", "/b.md", "/c.md", "/d.md", "/e.md"} {
		w.write(alice, p, "before "+p+"\n")
		paths = append(paths, mustPath(p))
	}
	for _, p := range paths {
		w.write(robot, p.String(), "after "+p.String()+"\n")
	}
	plan, err := vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))
	if err != nil {
		t.Fatal(err)
	}
	var told []versions.Progress
	c, err := vplan.Apply(versions.WithProgress(w.stopping("update", 2), func(p versions.Progress) {
		if p.Of == versions.MemoriesSent {
			told = append(told, p)
		}
	}), w.store, alice, plan, nil)
	var partly *versions.PartlyError
	if !errors.As(err, &partly) || !partly.Stopped() || len(partly.Done) != 2 || !slices.Equal(pathsOf(partly.Done, partly.Left), []string{"/a.md", "/b.md", "/c.md", "/d.md", "/e.md"}) {
		t.Fatalf("%+v, %v", partly, err)
	}
	if !slices.Equal(told, []versions.Progress{{Done: 0, Total: 5, Of: versions.MemoriesSent}, {Done: 1, Total: 5, Of: versions.MemoriesSent}}) || c.Versions != 2 || c.Actor != alice.Actor {
		t.Errorf("told %v, change %+v", told, c)
	}
	if !strings.Contains(err.Error(), "2 of 5 memories were done, as change 11, and then it was stopped") {
		t.Error(err)
	}

	w.up.fault = nil
	w.agree()
	if plan, err = vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)); err != nil || len(plan.Clean) != 3 || len(plan.Nothing) != 2 || len(plan.Conflicts) > 0 {
		t.Fatalf("the rest: %+v, %v", plan, err)
	}
	if c, err = vplan.Apply(t.Context(), w.store, alice, plan, nil); err != nil || c.Versions != 3 {
		t.Fatalf("%+v, %v", c, err)
	}
	for _, p := range paths {
		if got := w.file(p.Rel()); got != "before "+p.String()+"\n" {
			t.Errorf("%s: %q", p, got)
		}
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)); err == nil {
		if plan, _ = vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)); !plan.Empty() {
			t.Errorf("it is not taken for undone: %+v", plan)
		}
	}
	w.agree()
}

// What comes back has another id at the service: the plan that goes on knows it again.
func TestAPlanThatIsStoppedWhileMemoriesComeBackGoesOn(t *testing.T) {
	t.Parallel()
	for _, whole := range []bool{false, true} { // a session, and a moment
		w := newTwin(t)
		var paths []memfs.Path
		for _, p := range []string{"/a.md", "/b.md", "/c.md", "/d.md"} {
			w.write(alice, p, "text of "+p+"\n")
			paths = append(paths, mustPath(p))
		}
		if _, err := w.store.Delete(t.Context(), robot, paths...); err != nil {
			t.Fatal(err)
		}
		plan := func() *vplan.Plan {
			t.Helper()
			plan, err := vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))
			if whole {
				plan, err = vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 4}, Paths: []memfs.Path{memfs.Root}})
			}
			if err != nil {
				t.Fatal(err)
			}
			return plan
		}
		_, err := vplan.Apply(w.stopping("create", 2), w.store, alice, plan(), nil)
		var partly *versions.PartlyError
		if !errors.As(err, &partly) || len(partly.Done) != 2 {
			t.Fatalf("%v", err)
		}
		w.up.fault = nil
		rest := plan()
		if len(rest.Conflicts) > 0 {
			t.Errorf("what is back is in the way of itself: %+v", rest.Conflicts[0])
		}
		n := w.up.calls["create"]
		if _, err := vplan.Apply(t.Context(), w.store, alice, rest, nil); err != nil {
			t.Fatal(err)
		}
		if made := w.up.calls["create"] - n; made != 2 {
			t.Errorf("%d memories were made to do the rest", made)
		}
		for _, p := range paths {
			if got := w.file(p.Rel()); got != "text of "+p.String()+"\n" {
				t.Errorf("%s: %q", p, got)
			}
		}
		w.agree()
	}
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
	t.Parallel()
	w := newTwin(t)
	for n := range replica.ChunkItems + 50 {
		w.there("/a.md", fmt.Sprintf("text %d\n", n))
	}
	ctx, stop := context.WithCancel(t.Context())
	var first, last versions.Progress
	_, err := replica.Pull(versions.WithProgress(ctx, func(p versions.Progress) {
		if p.Of != versions.VersionsRead {
			return
		}
		if first.Done == 0 {
			first = p
		}
		if last = p; p.Done > replica.ChunkItems {
			stop()
		}
	}), w.store, versions.PullOptions{Full: true})
	if !errors.Is(err, context.Canceled) || first.Done > 20 || last.Total != replica.ChunkItems+50 {
		t.Fatalf("%v, first %+v, last %+v", err, first, last)
	}
	if n, _ := w.store.LastChange(t.Context()); n != int64(replica.ChunkItems) {
		t.Errorf("%d changes are kept", n)
	}
	if got := w.pull(versions.PullOptions{Full: true}); got.Versions != 50 {
		t.Errorf("the rest: %+v", got)
	}
	w.agree()
}

func TestAnAnswerThatIsOnItsWayIsWaitedForWhenSomebodyStops(t *testing.T) {
	t.Parallel()
	w := newTwin(t)
	w.write(alice, "/a.md", "one\n")
	ctx := w.stopping("update", 1)
	if c, err := w.store.Write(ctx, alice, mustPath("/a.md"), []byte("two\n"), versions.Pre{}); err != nil || c.Actor != alice.Actor {
		t.Errorf("%+v, %v", c, err)
	}
}
