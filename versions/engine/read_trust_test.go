package engine_test

import (
	"context"
	"errors"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/watch"
)

// An event follows whatever the queue of a screen depends on, though no memory changes.
func TestWatch_ReportsHeldChangesAndDecisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy("hold actor:agent")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events, err := watch.Watch(ctx, w.store)
	w.must(err)
	wait := func(what string) {
		t.Helper()
		for e := range events {
			if e.Trust {
				return
			}
		}
		t.Fatalf("no event reports %s", what)
	}
	n := w.heldAs(robot, "a", "text")
	wait("a held change")
	w.must(review.Reject(ctx, w.store, alice, n, "no"))
	wait("a decision")
	w.must(review.Pin(ctx, w.store, alice, mustPath("a"), versions.PinAll))
	wait("a pin")
	w.must(review.Unpin(ctx, w.store, alice, mustPath("a")))
	wait("its removal")
	w.policy("allow")
	wait("a policy")
}

// An event follows each decision of a review, too, which is no change: other terminals show what is left to decide.
func TestWatch_ReportsWhatIsReviewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.store.Sync(t.Context()) // what is there before is not to be reviewed
	w.must(err)
	w.write(robot, "a", "text")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	events, err := watch.Watch(ctx, w.store)
	w.must(err)
	wait := func(what string) {
		t.Helper()
		for e := range events {
			if e.Reviewed {
				return
			}
		}
		t.Fatalf("no event reports %s", what)
	}
	s, err := homeOf(t, w.home).OpenStore(ctx, w.store.Info().ID) // as another process opens it
	w.must(err)
	defer func() { w.must(s.Close()) }()
	made, err := review.Unreviewed(ctx, s, alice.Actor, 1)
	w.must(err)
	of, err := review.PendingOf(ctx, s, made[0].Memory, alice.Actor)
	w.must(err)
	marks, err := review.Keep(ctx, s, alice.Actor, of, of.Now)
	w.must(err)
	wait("what is kept")
	w.must(review.Unmark(ctx, s, marks))
	wait("what is taken back")
	_, err = review.MarkAllReviewed(ctx, s, of.Change)
	w.must(err)
	wait("that all is reviewed")
}

func TestUnreviewed_ListsWhatOthersDidAndNobodyReviewed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	write := func(by versions.By, p, text string) versions.Change {
		c, err := w.store.Write(t.Context(), by, mustPath(p), []byte(text), versions.Pre{})
		w.must(err)
		return c
	}
	wants := func(what string, want ...string) {
		t.Helper()
		got, err := review.Unreviewed(t.Context(), w.store, alice.Actor, 100)
		w.must(err)
		var names []string
		for _, v := range got {
			names = append(names, v.Path.Rel()+" "+string(v.Operation))
		}
		if len(names) != len(want) {
			t.Fatalf("%s: %q, want %q", what, names, want)
		}
		for i := range want {
			if names[i] != want[i] {
				t.Errorf("%s: %q, want %q", what, names, want)
			}
		}
	}
	write(robot, "a", "one")
	wants("before the first review")
	w.must(second(review.MarkAllReviewed(t.Context(), w.store, 1)))
	wants("after a review of all")
	write(alice, "mine", "one")
	write(robot, "a", "two")
	b := write(robot, "b", "one")
	_, err := w.store.Delete(t.Context(), robot, mustPath("b"))
	w.must(err)
	wants("after changes", "b deleted", "b created", "a modified")
	w.must(second(review.MarkReviewed(t.Context(), w.store, map[versions.MemoryID]int64{w.entry("a").Memory: b.Number})))
	wants("after a review of one", "b deleted", "b created")
	undone := write(robot, "c", "one")
	_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(undone.Number))
	w.must(err)
	wants("after an undo", "b deleted", "b created")
}

func TestPlansHeld_PlansSeveralWithoutAScan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy("hold actor:agent")
	one, two := w.heldAs(robot, "a", "text\n"), w.heldAs(robot, "b", "text\n")
	plans, err := review.PlansHeld(t.Context(), w.store, one, two, 99)
	w.must(err)
	if len(plans) != 2 || plans[one].Held != one || plans[two].Clean[0].Added != 1 {
		t.Fatalf("%+v", plans)
	}
	if _, err := plan.Apply(t.Context(), w.store, alice, plans[one], nil); err != nil {
		t.Error(err)
	}
	if _, err := w.store.Write(t.Context(), alice, mustPath("b"), []byte("mine\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	var stale *versions.StalePlanError
	if _, err := plan.Apply(t.Context(), w.store, alice, plans[two], nil); !errors.As(err, &stale) {
		t.Errorf("%v", err)
	}
}
