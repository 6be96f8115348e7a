package engine_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
)

func TestUndoOfSeveralChangesTakesThemBackTogetherWhoeverMadeThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", five)
	first := w.write(robot, "a", "robot\n2\n3\n4\n5\n")
	w.write(alice, "a", "robot\n2\n3\n4\nstays\n")
	second := w.write(alice, "b", "of somebody else")
	third := w.write(robot, "a", "robot\n2\nagain\n4\nstays\n")
	w.write(robot, "c", "not chosen")
	before := w.now()

	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChanges{third.Number, first.Number, second.Number, first.Number}))
	if len(plan.Clean) != 1 || len(plan.Merged) != 1 || len(plan.Conflicts) != 0 || len(plan.Changes) != 3 || plan.Change != 0 {
		t.Fatalf("plan %+v", plan)
	}
	c := w.apply(plan, nil)
	if c.Kind != versions.KindUndo || c.Undoes != 0 || c.Versions != 2 {
		t.Errorf("change %+v", c)
	}
	w.stands("undone", map[string]string{"a": "1\n2\n3\n4\nstays\n", "c": "not chosen"})
	for _, n := range plan.Changes {
		if got, _, err := vhistory.Change(t.Context(), w.store, n); err != nil || got.UndoneBy != c.Number {
			t.Errorf("change %+v, %v", got, err)
		}
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoChanges{first.Number, 1}); !errors.Is(err, versions.ErrUndone) {
		t.Errorf("one of them is undone: %v", err)
	}
	if r, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoLast{By: alice.Actor}); err != nil || r.Kind != versions.KindRedo {
		t.Fatalf("%+v, %v", r, err)
	}
	w.stands("redone", before)
}

func TestUndoOfSeveralChangesSaysWhatStandsAgainstIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", five)
	first := w.write(robot, "a", "robot\n2\n3\n4\n5\n")
	w.write(alice, "a", "alice\n2\n3\n4\n5\n")
	second := w.write(robot, "b", "made")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChanges{first.Number, second.Number}))
	if len(plan.Conflicts) != 1 || plan.Conflicts[0].Clash != planning.ClashText || len(plan.Clean) != 1 {
		t.Fatalf("plan %+v", plan)
	}
	var conflicts *versions.ConflictsError
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); !errors.As(err, &conflicts) {
		t.Fatalf("applied with a conflict: %v", err)
	}
	w.write(alice, "b", "made, and more")
	var stale *versions.StalePlanError
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, map[versions.MemoryID]planning.Choice{plan.Conflicts[0].Memory: {Kind: planning.Skip}}); !errors.As(err, &stale) {
		t.Errorf("a plan that was overtaken: %v", err)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoChanges{2, 99}); !errors.Is(err, versions.ErrNoChange) {
		t.Errorf("a change that is none: %v", err)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoChanges{}); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("no change: %v", err)
	}
	if one := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChanges{first.Number, first.Number})); one.Change != first.Number {
		t.Errorf("one change alone: %+v", one)
	}
}

func TestRedactingSeveralVersionsErasesThoseAndNoOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "a", "the first secret-4711")
	w.write(robot, "a", "kept between")
	w.write(robot, "a", "the second secret-4711")
	w.write(robot, "b", "the third secret-4711")
	w.write(alice, "a", "nothing here")
	target := versions.RedactTarget{Versions: []versions.VersionID{w.versionOf("a", 3).ID, w.versionOf("a", 1).ID, w.versionOf("b", 1).ID}}
	if p := w.plan(target); len(p.Erase) != 3 || len(p.Current()) != 1 {
		t.Fatalf("plan %+v", p)
	}
	if _, err := redact.Do(t.Context(), w.store, alice, w.plan(target), versions.RedactChoice{}); !errors.Is(err, versions.ErrCurrent) {
		t.Errorf("one of them stands: %v", err)
	}
	if r := w.redact(target, versions.RedactChoice{Heads: versions.HeadDelete}); r.Outcome != versions.OutcomeGone {
		t.Errorf("receipt %+v", r)
	}
	for n, redacted := range map[int]bool{1: true, 2: false, 3: true, 4: false} {
		if v := w.versionOf("a", n); v.Redacted.IsZero() == redacted {
			t.Errorf("version %d is redacted: %v", n, !v.Redacted.IsZero())
		}
	}
	w.wantNowhere("secret-4711")
	if _, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Versions: target.Versions, Version: target.Versions[0]}); err == nil {
		t.Error("two targets at once")
	}
	if _, err := redact.Prepare(t.Context(), w.store, versions.RedactTarget{Versions: []versions.VersionID{"memver_none"}}); !errors.Is(err, versions.ErrNoVersion) {
		t.Errorf("a version that is none: %v", err)
	}
}

// What an actor did last may be a redo, of an older change of their own or of another's.
func TestUndoLast_TakesARedoAsWhatWasDoneLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	do := func(g vplan.Goal) versions.Change {
		t.Helper()
		c, err := vplan.Do(t.Context(), w.store, alice, g)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	w.write(robot, "theirs", "1")
	theirs := w.write(robot, "theirs", "2").Number
	first := w.write(alice, "mine", "1").Number
	do(vplan.UndoChange(first))
	do(vplan.UndoChange(theirs))
	redo := do(vplan.RedoChange(theirs)).Number
	began := do(vplan.RedoChange(first)).Number - 1
	if c := do(vplan.UndoLast{By: alice.Actor, After: began}); c.Undoes != first {
		t.Fatalf("%+v, and not the undo of %d", c, first)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoLast{By: alice.Actor, After: began}); !errors.Is(err, versions.ErrNoOwnChange) {
		t.Fatal(err)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoLast{By: alice.Actor, After: w.lastNumber()}); !errors.Is(err, versions.ErrNothing) {
		t.Fatal("an undo before the change was redone", err)
	}
	if c := do(vplan.UndoLast{By: alice.Actor}); c.Undoes != redo || c.Kind != versions.KindUndo {
		t.Fatalf("%+v, and not the undo of %d", c, redo)
	}
	a, b := w.write(robot, "a", "1").Number, w.write(robot, "b", "1").Number
	do(vplan.UndoChanges{a, b})
	do(vplan.RedoLast{By: alice.Actor})
	w.wantFile("a", "1")
	do(vplan.UndoLast{By: alice.Actor})
	w.wantFile("a", none)
	w.wantFile("b", none)
}

// What an actor did last may be the undo of what others did. It is taken back, and a further undo goes back to what came before; a
// redo goes forward again, step by step. Once every step is redone, nothing is left to redo.
func TestUndoLast_GoesBackAndRedoLastForward(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]func(change int64) vplan.Goal{
		"a change":  func(n int64) vplan.Goal { return vplan.UndoChange(n) },
		"a session": func(int64) vplan.Goal { return vplan.UndoSession(robot.Session) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(alice, "mine", "1")
			w.write(robot, "b", "1")
			theirs := w.write(robot, "a", "1").Number
			back, forward := vplan.Goal(vplan.UndoLast{By: alice.Actor}), vplan.Goal(vplan.RedoLast{By: alice.Actor})
			for i, step := range []struct {
				goal    vplan.Goal
				kind    versions.ChangeKind
				a, mine string // none: no such memory
			}{
				{undo(theirs), versions.KindUndo, none, "1"},
				{back, versions.KindUndo, "1", "1"},
				{back, versions.KindUndo, "1", none},
				{forward, versions.KindRedo, "1", "1"},
				{forward, versions.KindRedo, none, "1"},
				{back, versions.KindUndo, "1", "1"},
				{back, versions.KindUndo, "1", none},
				{forward, versions.KindRedo, "1", "1"},
				{forward, versions.KindRedo, none, "1"},
			} {
				if c, err := vplan.Do(t.Context(), w.store, alice, step.goal); err != nil || c.Kind != step.kind {
					t.Fatalf("step %d: %s: %+v, %v", i, step.goal, c, err)
				}
				w.wantFile("a", step.a)
				w.wantFile("mine", step.mine)
			}
			if c, err := vplan.Do(t.Context(), w.store, alice, forward); !errors.Is(err, versions.ErrNothing) {
				t.Errorf("after all is redone: %+v, %v", c, err)
			}
		})
	}
}

// Accepting a held change is an act of the person who accepted it, although somebody else is recorded as its maker.
func TestUndoLast_UndoesWhatThePersonAccepted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.policy("hold actor:agent")
	held := w.heldAs(robot, "h", "held\n")
	w.write(alice, "mine", "1")
	p, err := vplan.Make(t.Context(), w.store, vplan.Accept(held))
	w.must(err)
	w.must(second(review.Accept(t.Context(), w.store, alice, p, nil)))
	back, forward := vplan.Goal(vplan.UndoLast{By: alice.Actor}), vplan.Goal(vplan.RedoLast{By: alice.Actor})
	for i, step := range []struct {
		goal    vplan.Goal
		h, mine string // none: no such memory
	}{
		{back, none, "1"}, {back, none, none}, {forward, none, "1"}, {forward, "held\n", "1"},
		{back, none, "1"}, {back, none, none},
	} {
		if c, err := vplan.Do(t.Context(), w.store, alice, step.goal); err != nil {
			t.Fatalf("step %d: %s: %+v, %v", i, step.goal, c, err)
		}
		w.wantFile("h", step.h)
		w.wantFile("mine", step.mine)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, back); !errors.Is(err, versions.ErrNoOwnChange) {
		t.Error(err)
	}

	// A redo is none after another change was accepted.
	held = w.heldAs(robot, "more", "held\n")
	p, err = vplan.Make(t.Context(), w.store, vplan.Accept(held))
	w.must(err)
	w.must(second(review.Accept(t.Context(), w.store, alice, p, nil)))
	if c, err := vplan.Do(t.Context(), w.store, alice, forward); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("redone after a change was accepted: %+v, %v", c, err)
	}
	w.policy("allow")
	if _, err := vplan.Do(t.Context(), w.store, robot, vplan.UndoLast{By: robot.Actor}); err != nil {
		t.Errorf("the maker of what was accepted: %v", err)
	}
}

// The redo of what was undone together is taken back as that redo, so that the first undo is still known as what it is of.
func TestUndoLast_OfARedoKeepsWhatTheUndoBeforeWasOf(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "b", "1")
	w.write(robot, "a", "1")
	undo, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoSession(robot.Session))
	w.must(err)
	for _, g := range []vplan.Goal{vplan.RedoLast{By: alice.Actor}, vplan.UndoLast{By: alice.Actor}, vplan.RedoLast{By: alice.Actor}} {
		w.must(second(vplan.Do(t.Context(), w.store, alice, g)))
	}
	listed, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, undo.Number+2, 2)
	if err != nil || len(listed) != 2 || listed[0].Of != robot.Session || listed[1].Of != robot.Session {
		t.Errorf("%+v, %v", listed, err)
	}
}

// An undo that leaves out a memory undoes no change whole. It is an act of its own: the next one that undo undoes.
func TestUndoLast_TakesAnUndoInPartAsWhatWasDoneLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"a", "b"} {
		w.outside(p, "one\n")
	}
	w.sync()
	for _, p := range []string{"a", "b"} {
		w.outside(p, "bad\n")
	}
	w.sync()
	theirs := w.lastNumber()
	w.write(alice, "a", "bad and good\n")
	w.write(alice, "c", "mine\n")
	p := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChange(theirs)))
	if len(p.Conflicts) != 1 {
		t.Fatalf("%+v", p)
	}
	part := w.apply(p, map[versions.MemoryID]planning.Choice{p.Conflicts[0].Memory: {Kind: planning.Skip}})
	w.wantFile("b", "one\n")
	for _, step := range []struct {
		goal vplan.Goal
		b, c string
	}{
		{vplan.UndoLast{By: alice.Actor}, "bad\n", "mine\n"},
		{vplan.UndoLast{By: alice.Actor}, "bad\n", none},
		{vplan.RedoLast{By: alice.Actor}, "bad\n", "mine\n"},
		{vplan.RedoLast{By: alice.Actor}, "one\n", "mine\n"},
	} {
		c, err := vplan.Do(t.Context(), w.store, alice, step.goal)
		if err != nil {
			t.Fatalf("%s after change %d: %v", step.goal, part.Number, err)
		}
		t.Logf("%s: change %d %s of %d", step.goal, c.Number, c.Kind, c.Undoes)
		w.wantFile("b", step.b)
		w.wantFile("c", step.c)
	}
}
