package versions

import (
	"errors"
	"testing"

	"github.com/memend/memend/memfs"
)

// A goal that is reached without a preview does what its plan would.
func TestDo_ReachesEachGoal(t *testing.T) {
	t.Parallel()
	everything := []memfs.Path{memfs.Root}
	for name, c := range map[string]struct {
		goal func(w *world) Goal
		kind ChangeKind
		by   Actor
		want map[string]string
	}{
		"UndoChange":  {func(*world) Goal { return UndoChange(2) }, KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"UndoLast":    {func(*world) Goal { return UndoLast(robot.Actor) }, KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"UndoChanges": {func(*world) Goal { return UndoChanges{3, 2} }, KindUndo, alice.Actor, map[string]string{"a": "one\n", "outside": "o\n"}},
		"UndoSession": {func(*world) Goal { return UndoSession(robot.Session) }, KindUndo, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"RedoChange":  {func(*world) Goal { return RedoChange(4) }, KindRedo, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "c": "c\n", "outside": "o\n"}},
		"RedoLast":    {func(*world) Goal { return RedoLast(alice.Actor) }, KindRedo, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "c": "c\n", "outside": "o\n"}},
		"Restore":     {func(w *world) Goal { return Restore(w.versionOf("a", 1).ID) }, KindRestore, alice.Actor, map[string]string{"a": "one\n", "b": "b\n", "outside": "o\n"}},
		"RestoreAt":   {func(*world) Goal { return RestoreAt{Moment{Change: 1}, everything} }, KindRestore, alice.Actor, map[string]string{"a": "one\n"}},
		"Replacement": {func(*world) Goal { return Replacement{Query: Query{Text: "two"}, With: "2"} }, KindEdit, alice.Actor, map[string]string{"a": "2\n", "b": "b\n", "outside": "o\n"}},
		"MergeTexts":  {func(*world) Goal { return MergeTexts{{mustPath("z"), []byte("z\n")}} }, KindEdit, alice.Actor, map[string]string{"a": "two\n", "b": "b\n", "outside": "o\n", "z": "z\n"}},
		"Accept": {func(w *world) Goal {
			w.policy("hold actor:agent")
			return Accept(w.heldAs(robot, "h", "held\n"))
		}, KindCreate, robot.Actor, map[string]string{"a": "two\n", "b": "b\n", "h": "held\n", "outside": "o\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sync() // the history begins
			w.write(alice, "a", "one\n")
			w.write(robot, "a", "two\n")
			w.write(alice, "b", "b\n")
			w.write(alice, "c", "c\n")
			_, err := w.store.Do(t.Context(), alice, UndoChange(4))
			w.must(err)
			goal := c.goal(w)
			w.outside("outside", "o\n") // the trail doesn't know it yet
			done, err := w.store.Do(t.Context(), alice, goal)
			w.must(err)
			if done.Kind != c.kind || done.Actor.Name != c.by.Name {
				t.Errorf("%+v", done)
			}
			w.sync()
			w.stands(name, c.want)
			if _, err := w.store.Do(t.Context(), alice, goal); err == nil && name != "UndoLast" {
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
	_, err := w.store.Do(t.Context(), alice, UndoChange(2))
	if later := (*LaterChangeError)(nil); !errors.As(err, &later) || later.Later != 3 {
		t.Errorf("undo: %v", err)
	}
	if _, err = w.store.Do(t.Context(), alice, Restore(w.versionOf("a", 3).ID)); !errors.Is(err, ErrNothing) {
		t.Errorf("restore of the current text: %v", err)
	}
	w.deleteBy(alice, "a")
	w.write(alice, "a", "another memory\n")
	if _, err = w.store.Do(t.Context(), alice, Restore(old)); !errors.Is(err, memfs.ErrExist) || err.Error() != "restore version "+string(old)+": /memories/a: already exists" {
		t.Errorf("restore to a path that is taken: %v", err)
	}
	w.stands("after all", map[string]string{"a": "another memory\n"})
}
