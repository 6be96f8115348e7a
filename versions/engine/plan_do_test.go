package engine_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
)

// A goal that is reached without a preview does what its plan would.
func TestDo_ReachesEachGoal(t *testing.T) {
	t.Parallel()
	everything := []memfs.Path{memfs.Root}
	for name, c := range map[string]struct {
		goal func(w *world) plan.Goal
		kind versions.ChangeKind
		by   versions.Actor
		want map[string]string
	}{
		"UndoChange":  {func(*world) plan.Goal { return plan.UndoChange(2) }, versions.KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"UndoLast":    {func(*world) plan.Goal { return plan.UndoLast{By: robot.Actor} }, versions.KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"UndoChanges": {func(*world) plan.Goal { return plan.UndoChanges{3, 2} }, versions.KindUndo, alice.Actor, map[string]string{"a": "one\n", "outside": "o\n"}},
		"UndoSession": {func(*world) plan.Goal { return plan.UndoSession(robot.Session) }, versions.KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"RedoChange":  {func(*world) plan.Goal { return plan.RedoChange(4) }, versions.KindRedo, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "c": "c\n", "outside": "o\n"}},
		"RedoLast":    {func(*world) plan.Goal { return plan.RedoLast{By: alice.Actor} }, versions.KindRedo, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "c": "c\n", "outside": "o\n"}},
		"Restore":     {func(w *world) plan.Goal { return plan.Restore(w.versionOf("a", 1).ID) }, versions.KindRestore, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"RestoreAt":   {func(*world) plan.Goal { return plan.RestoreAt{Moment: versions.Moment{Change: 1}, Paths: everything} }, versions.KindRestore, alice.Actor, map[string]string{"a": "one\n"}},
		"Replacement": {func(*world) plan.Goal { return plan.Replacement{Query: versions.Query{Text: "two"}, With: "2"} }, versions.KindEdit, alice.Actor, map[string]string{"a": "2\n", "b": "b\n", "outside": "o\n"}},
		"MergeTexts":  {func(*world) plan.Goal { return plan.MergeTexts{{Path: mustPath("z"), Text: []byte("z\n")}} }, versions.KindEdit, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "outside": "o\n", "z": "z\n"}},
		"Accept": {func(w *world) plan.Goal {
			w.policy("hold actor:agent")
			return plan.Accept(w.heldAs(robot, "h", "held\n"))
		}, versions.KindCreate, robot.Actor, map[string]string{"a": "two\n", "b": "b\n", "h": "held\n", "outside": "o\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sync() // the history begins
			w.write(alice, "a", "one\n")
			w.write(robot, "a", "two\n")
			w.write(alice, "b", "b\n")
			w.write(alice, "c", "c\n")
			_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(4))
			w.must(err)
			goal := c.goal(w)
			w.outside("outside", "o\n") // the trail doesn't know it yet
			done, err := plan.Do(t.Context(), w.store, alice, goal)
			w.must(err)
			if done.Kind != c.kind || done.Actor.Name != c.by.Name {
				t.Errorf("%+v", done)
			}
			w.sync()
			w.stands(name, c.want)
			if _, err := plan.Do(t.Context(), w.store, alice, goal); err == nil && name != "UndoLast" {
				t.Error("it was reached twice")
			}
		})
	}
}

// What a plan would show as a conflict is an error without one, and nothing is written.
func TestDo_ReportsWhatAPlanWouldAsk(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(robot, "a", "two\n")
	w.write(alice, "a", "three\n")
	old := w.versionOf("a", 1).ID
	_, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(2))
	if later := (*versions.LaterChangeError)(nil); !errors.As(err, &later) || later.Later != 3 {
		t.Errorf("undo: %v", err)
	}
	if _, err = plan.Do(t.Context(), w.store, alice, plan.Restore(w.versionOf("a", 3).ID)); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("restore of the current text: %v", err)
	}
	w.deleteBy(alice, "a")
	w.write(alice, "a", "another memory\n")
	if _, err = plan.Do(t.Context(), w.store, alice, plan.Restore(old)); !errors.Is(err, memfs.ErrExist) || err.Error() != "restore version "+string(old)+": /memories/a: already exists" {
		t.Errorf("restore to a path that is taken: %v", err)
	}
	w.stands("after all", map[string]string{"a": "another memory\n"})
}
