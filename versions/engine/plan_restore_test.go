package engine_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

func TestARestoreSeesWhatCameSinceThePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.write(alice, "a", "1")
	w.write(alice, "a", "2")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: c.Number}, Paths: []memfs.Path{mustPath("")}}))
	w.outside("new", "x")
	var stale *versions.StalePlanError
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); !errors.As(err, &stale) || stale.Path != mustPath("new") {
		t.Errorf("apply: %v", err)
	}
	w.wantFile("a", "2")
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: c.Number}, Paths: []memfs.Path{mustPath("")}})), nil)
	w.stands("restored", map[string]string{"a": "1"})
	if vs := w.history("new"); len(vs) != 2 || vs[1].Actor.Kind != versions.Outside {
		t.Errorf("what another program wrote is lost: %+v", vs)
	}
}

func TestRestoreOfATreeTurnsFilesIntoFoldersAndBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "a file")
	w.write(alice, "b/x/y", "in a folder")
	w.write(alice, "b/z", "in a folder too")
	w.write(alice, "c", "was c")
	one := w.write(alice, "d", "was d").Number
	then := w.now()
	w.deleteBy(robot, "a")
	w.write(robot, "a/deep/er", "now a folder")
	w.deleteBy(robot, "b")
	w.write(robot, "b", "now a file")
	w.renameBy(robot, "c", "t")
	w.renameBy(robot, "d", "c")
	w.renameBy(robot, "t", "d")
	id := w.entry("d").Memory
	now := w.now()
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: one}, Paths: []memfs.Path{mustPath("")}}))
	if len(plan.Conflicts) > 0 {
		t.Fatalf("conflict: %v", plan.Conflicts[0].Reason)
	}
	c := w.apply(plan, nil)
	if c.Kind != versions.KindRestore || !c.Path.IsRoot() {
		t.Errorf("change %+v", c)
	}
	w.stands("restored", then)
	if w.entry("c").Memory != id {
		t.Error("memories that swapped places lost their ids")
	}
	u, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoLast{By: alice.Actor})
	if err != nil || u.Undoes != c.Number {
		t.Fatalf("%+v, %v", u, err)
	}
	w.stands("undone", now)
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.stands("redone", then)
}

func TestRestoreOfAFolderLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/stays", "1")
	w.write(alice, "d/leaves", "1")
	w.write(alice, "comes", "1")
	w.write(alice, "rest", "1")
	one := w.write(alice, "d/goes", "1").Number
	w.write(robot, "d/stays", "2")
	w.renameBy(robot, "d/leaves", "left")
	w.renameBy(robot, "comes", "d/came")
	w.write(robot, "rest", "2")
	w.deleteBy(robot, "d/goes")
	w.write(robot, "d/new", "2")
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: one}, Paths: []memfs.Path{mustPath("d")}})), nil)
	w.stands("the folder", map[string]string{"d/stays": "1", "d/leaves": "1", "comes": "1", "rest": "2", "d/goes": "1"})
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: one}, Paths: []memfs.Path{mustPath("rest")}})), nil)
	w.wantFile("rest", "1")
	if p := plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: one}, Paths: []memfs.Path{mustPath("rest")}})); !p.Empty() || len(p.Nothing) != 1 {
		t.Errorf("again: %+v", p)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: one}, Paths: []memfs.Path{mustPath("nowhere")}}); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("nowhere: %v", err)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 999}, Paths: []memfs.Path{mustPath("")}}); !errors.Is(err, versions.ErrNoChange) {
		t.Errorf("no moment: %v", err)
	}
}

func TestRestoreOfAFolderAndThenOfAllLeavesNoEmptyFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := versions.Moment{Change: w.write(alice, "h/a", "1").Number}
	w.renameBy(alice, "h", "d")
	w.write(alice, "d/b", "2") // because of it the folder stays when h is restored
	for _, at := range []string{"h", "d", ""} {
		if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RestoreAt{Moment: one, Paths: []memfs.Path{mustPath(at)}}); err != nil && !errors.Is(err, versions.ErrNothing) {
			t.Fatal(err)
		}
	}
	if got := w.folders(); !slices.Equal(got, []string{"h"}) {
		t.Errorf("folders %q", got)
	}
}

func TestWhatNeedsARedactedContentIsAConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "secret")
	c := w.write(robot, "a", "1")
	w.write(robot, "b", "1")
	w.eraseVersion("a", 1)
	before := w.now()
	for name, plan := range map[string]*vplan.Plan{
		"undo":    plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))),
		"restore": plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 1}, Paths: []memfs.Path{mustPath("")}})),
	} {
		if len(plan.Conflicts) != 1 || plan.Conflicts[0].Clash != planning.ClashRedacted || !errors.Is(plan.Conflicts[0].Reason, versions.ErrRedacted) {
			t.Fatalf("%s: %+v", name, plan)
		}
		for _, k := range []planning.ChoiceKind{planning.Undecided, planning.TakeTheirs} {
			if _, err := vplan.Apply(t.Context(), w.store, alice, plan, map[versions.MemoryID]planning.Choice{plan.Conflicts[0].Memory: {Kind: k}}); !errors.Is(err, versions.ErrRedacted) {
				t.Errorf("%s, choice %d: %v", name, k, err)
			}
		}
		w.stands(name, before)
		done := w.apply(plan, map[versions.MemoryID]planning.Choice{plan.Conflicts[0].Memory: {Kind: planning.OwnText, Text: []byte("mine")}})
		w.stands(name, map[string]string{"a": "mine"})
		if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(done.Number)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); !errors.Is(err, versions.ErrRedacted) {
		t.Errorf("undo: %v", err)
	}
}

func TestAPlanOfAFolderRenameSaysAllThatMoves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/a", "1")
	c := w.renameBy(alice, "d", "n")
	w.write(robot, "n/later", "2")
	w.outside("n/.git/x", "repository")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChange(c.Number)))
	if len(plan.Clean) != 2 {
		t.Fatalf("plan %+v", plan)
	}
	w.apply(plan, nil)
	w.stands("moved", map[string]string{"d/a": "1", "d/later": "2", "d/.git/x": "repository"}) // hidden ones are kept before they move
	w.wantFile("d/.git/x", "repository")
	if w.exists(mustPath("n")) {
		t.Error("the folder stands in both places")
	}
}

func TestAFolderThatHoldsOtherThingsStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "d/made", "1")
	w.outside("d/.keep", "")
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))), nil)
	w.wantFile("d/made", "<none>")
	w.wantFile("d/.keep", "")
}

func TestAMemoryCanBeLeftOutOfAPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "1")
	w.write(robot, "b", "1")
	a := w.entry("a").Memory
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	w.apply(plan, map[versions.MemoryID]planning.Choice{a: {Kind: planning.Skip}})
	w.stands("one left out", map[string]string{"a": "1"})
	plan = plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	if !slices.Equal(plan.Changes, []int64{1}) || len(plan.Clean) != 1 {
		t.Errorf("what was left out stands: %+v", plan)
	}
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, map[versions.MemoryID]planning.Choice{"mem_x": {}}); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("a choice about something else: %v", err)
	}
}

func TestAnUndoThatMovedSomeOfAFolderIsNotRedoneWithAllOfIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/a", "1")
	c := w.renameBy(alice, "d", "n")
	w.write(alice, "d/other", "2")
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.stands("undone", map[string]string{"d/a": "1", "d/other": "2"})
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.stands("redone", map[string]string{"n/a": "1", "d/other": "2"})
}

func TestWhoCanNotGoIsInTheWayOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "1", "one")
	w.write(alice, "2", "two")
	w.renameBy(robot, "2", "3")
	w.renameBy(robot, "1", "2")
	in := w.write(alice, "1", "in the way").Number
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	if len(plan.Conflicts) != 2 || len(plan.Clean) != 0 {
		t.Fatalf("plan %+v", plan)
	}
	var first, second *versions.LaterChangeError
	if !errors.As(plan.Conflicts[0].Reason, &first) || first.Later != in || first.Path != mustPath("1") {
		t.Errorf("the first: %v", plan.Conflicts[0].Reason)
	}
	if !errors.As(plan.Conflicts[1].Reason, &second) || second.Later != in-1 || second.Path != mustPath("2") {
		t.Errorf("the second: %v", plan.Conflicts[1].Reason)
	}
}
