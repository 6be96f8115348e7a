package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

// plans makes a plan, or fails the test.
func plans(t *testing.T) func(*vplan.Plan, error) *vplan.Plan {
	return func(p *vplan.Plan, err error) *vplan.Plan {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

func (w *world) apply(p *vplan.Plan, choices map[versions.MemoryID]planning.Choice) versions.Change {
	w.t.Helper()
	c, err := vplan.Apply(w.t.Context(), w.store, alice, p, choices)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) renameBy(by versions.By, from, to string) versions.Change {
	w.t.Helper()
	c, err := w.store.Rename(w.t.Context(), by, mustPath(from), mustPath(to))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) deleteBy(by versions.By, p string) versions.Change {
	w.t.Helper()
	c, err := w.store.Delete(w.t.Context(), by, mustPath(p))
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

const five = "1\n2\n3\n4\n5\n"

// README: "merges line by line".
func TestUndoMergesWithALaterEditOfOtherLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", five)
	c := w.write(robot, "a", "robot\n2\n3\n4\n5\n")
	w.write(alice, "a", "robot\n2\n3\n4\nalice\n")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChange(c.Number)))
	if len(plan.Merged) != 1 || len(plan.Clean)+len(plan.Conflicts)+len(plan.Nothing) != 0 {
		t.Fatalf("plan %+v", plan)
	}
	if it := plan.Merged[0]; it.Added != 1 || it.Removed != 1 || string(it.Text) != "1\n2\n3\n4\nalice\n" || !it.Merge.Clean() {
		t.Errorf("item %+v", it)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "1\n2\n3\n4\nalice\n")
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "robot\n2\n3\n4\nalice\n")
}

func TestWhoStandsAfterUndosAndRedosOfOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	c := w.write(robot, "a", "2").Number
	undoneBy := func() (by int64) {
		got, _, err := vhistory.Change(t.Context(), w.store, c)
		if err != nil {
			t.Fatal(err)
		}
		listed, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, c+1, 1)
		if err != nil || listed[0].UndoneBy != got.UndoneBy {
			t.Fatalf("listed as %+v, shown as %+v, %v", listed, got, err)
		}
		return got.UndoneBy
	}
	do := func(g vplan.Goal, kind versions.ChangeKind, about, wantBy int64, file string) int64 {
		t.Helper()
		done, err := vplan.Do(t.Context(), w.store, alice, g)
		if err != nil {
			t.Fatal(err)
		}
		if done.Kind != kind || done.Undoes != about || undoneBy() != wantBy {
			t.Errorf("%+v is not %s of %d; change %d is undone by %d, not %d", done, kind, about, c, undoneBy(), wantBy)
		}
		w.wantFile("a", file)
		return done.Number
	}
	u := do(vplan.UndoChange(c), versions.KindUndo, c, 3, "1")
	r := do(vplan.RedoChange(c), versions.KindRedo, c, 0, "2")
	do(vplan.UndoChange(r), versions.KindUndo, r, u, "1") // the undo has its effect again
	do(vplan.RedoChange(c), versions.KindRedo, c, 0, "2")
	do(vplan.UndoChange(c), versions.KindUndo, c, 7, "1")
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c)); !errors.Is(err, versions.ErrUndone) {
		t.Errorf("undo again: %v", err)
	}
	do(vplan.RedoLast{By: alice.Actor}, versions.KindRedo, c, 0, "2")
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c)); !errors.Is(err, versions.ErrNotUndone) {
		t.Errorf("redo again: %v", err)
	}
}

func TestUndoOfASessionTakesBackWhatItDidAndLeavesWhatOthersDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "edited", five)
	w.write(alice, "between", five)
	w.write(alice, "gone", "was here")
	w.write(alice, "place", "moves")
	w.write(robot, "new/folder/made", "by the session")
	w.write(robot, "edited", "1\n2\nrobot\n4\n5\n")
	w.write(robot, "between", "robot\n2\n3\n4\n5\n")
	w.write(alice, "between", "robot\n2\n3\n4\nalice\n")
	w.write(robot, "between", "robot\n2\nagain\n4\nalice\n")
	w.deleteBy(robot, "gone")
	w.renameBy(robot, "place", "other place")
	w.write(alice, "other place", "moves, edited")
	before := w.now()

	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	if len(plan.Clean) != 4 || len(plan.Merged) != 1 || len(plan.Conflicts) != 0 || len(plan.Changes) != 6 || plan.Session != robot.Session {
		t.Fatalf("plan %+v", plan)
	}
	c := w.apply(plan, nil)
	if c.Kind != versions.KindUndo || c.Undoes != 0 || c.Versions != 5 {
		t.Errorf("change %+v", c)
	}
	w.stands("undone", map[string]string{"edited": five, "between": "1\n2\n3\n4\nalice\n", "gone": "was here", "place": "moves, edited"})
	if w.exists(mustPath("new")) {
		t.Error("the folder that the session made still stands")
	}
	for _, n := range plan.Changes {
		if got, _, err := vhistory.Change(t.Context(), w.store, n); err != nil || got.UndoneBy != c.Number {
			t.Errorf("change %+v, %v", got, err)
		}
	}
	if again := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))); !again.Empty() || len(again.Changes) > 0 {
		t.Errorf("undo again: %+v", again)
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(plan.Changes[0])); !errors.Is(err, versions.ErrUndoneTogether) {
		t.Errorf("redo of one of them: %v", err)
	}
	r, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoLast{By: alice.Actor})
	if err != nil || r.Kind != versions.KindRedo {
		t.Fatalf("%+v, %v", r, err)
	}
	w.stands("redone", before)
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoSession("sesn_nobody")); !errors.Is(err, versions.ErrNoSession) {
		t.Errorf("a session that is none: %v", err)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.UndoSession("")); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("a session without a name: %v", err)
	}
	if _, err := vplan.Make(t.Context(), w.store, vplan.Restore("")); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("a version without an id: %v", err)
	}
}

func TestConflictsOfASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "text", five)
	w.write(alice, "deleted", five)
	w.write(alice, "revived", "old")
	w.write(alice, "moved", "m")
	w.write(alice, "taken", "t")
	w.write(robot, "made", "1")
	for _, p := range []string{"text", "deleted"} {
		w.write(robot, p, "1\n2\nrobot\n4\n5\n")
	}
	w.deleteBy(robot, "revived")
	w.deleteBy(robot, "taken")
	w.renameBy(robot, "moved", "moved once")
	old := w.history("revived")[1].ID
	touched := map[planning.Clash]int64{
		planning.ClashEdited:  w.write(alice, "made", "2").Number,
		planning.ClashText:    w.write(alice, "text", "1\n2\nalice\n4\n5\n").Number,
		planning.ClashDeleted: w.deleteBy(alice, "deleted").Number,
		planning.ClashTaken:   w.write(alice, "taken", "another memory").Number,
		planning.ClashPath:    w.renameBy(alice, "moved once", "moved twice").Number,
	}
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.Restore(old)); err != nil {
		t.Fatal(err)
	}
	touched[planning.ClashRevived] = w.write(alice, "revived", "new").Number
	before := w.now()

	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	byClash := map[planning.Clash]versions.PlanItem{}
	for _, it := range plan.Conflicts {
		byClash[it.Clash] = it
		var later *versions.LaterChangeError
		if !errors.As(it.Reason, &later) || later.Later != touched[it.Clash] || later.Change != 0 {
			t.Errorf("%s: %v, the change in the way is %d", it.Clash, it.Reason, touched[it.Clash])
		}
		if it.Now != it.Then {
			t.Errorf("a conflict that changes something: %+v", it)
		}
	}
	if len(byClash) != 6 || len(plan.Conflicts) != 6 || len(plan.Clean)+len(plan.Merged) != 0 {
		t.Fatalf("plan %+v", plan)
	}
	if m := byClash[planning.ClashText].Merge; m == nil || m.Conflicts() != 1 {
		t.Errorf("the merge of a conflict: %+v", m)
	}
	var refused *versions.ConflictsError
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); !errors.As(err, &refused) || len(refused.Conflicts) != 6 {
		t.Errorf("without choices: %v", err)
	}
	w.stands("refused", before)

	all := func(k planning.ChoiceKind) map[versions.MemoryID]planning.Choice {
		out := map[versions.MemoryID]planning.Choice{}
		for _, it := range plan.Conflicts {
			out[it.Memory] = planning.Choice{Kind: k}
		}
		return out
	}
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, all(planning.Skip)); !errors.Is(err, versions.ErrNothing) {
		t.Errorf("all skipped: %v", err)
	}
	theirs := all(planning.TakeTheirs)
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, theirs); !errors.As(err, &refused) || len(refused.Conflicts) != 1 || refused.Conflicts[0].Clash != planning.ClashTaken {
		t.Errorf("theirs where a place is taken: %v", err)
	}
	w.stands("refused", before)
	theirs[byClash[planning.ClashTaken].Memory] = planning.Choice{Kind: planning.KeepOurs}
	theirs[byClash[planning.ClashText].Memory] = planning.Choice{Kind: planning.OwnText, Text: []byte("my own\n")}
	c := w.apply(plan, theirs)
	w.stands("theirs", map[string]string{"text": "my own\n", "deleted": five, "revived": "old", "moved": "m", "taken": "another memory"})
	if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	w.stands("undone", before)
}

// README: "a conflict needs --conflict skip, ours or theirs".
func TestAFavorDecidesOnlyTheLinesThatConflict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		choice planning.Choice
		want   string
		stands bool // the change of which something was skipped
	}{
		{planning.Choice{Kind: planning.KeepOurs}, "1\n2\n3\n4\nalice\n", false},
		{planning.Choice{Kind: planning.TakeTheirs}, five, false},
		{planning.Choice{Kind: planning.OwnText, Text: []byte("own")}, "own", false},
		{planning.Choice{Kind: planning.OwnText}, "", false},
		{planning.Choice{Kind: planning.Skip}, "robot\n2\n3\n4\nalice\n", true},
	} {
		w := newWorld(t)
		w.write(alice, "a", five)
		w.write(alice, "b", "1")
		w.write(robot, "a", "robot\n2\n3\n4\nrobot\n")
		w.write(robot, "b", "2")
		w.write(alice, "a", "robot\n2\n3\n4\nalice\n")
		plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
		w.apply(plan, map[versions.MemoryID]planning.Choice{plan.Conflicts[0].Memory: c.choice})
		w.wantFile("a", c.want)
		w.wantFile("b", "1")
		if got, _, err := vhistory.Change(t.Context(), w.store, 3); err != nil || (got.UndoneBy == 0) != c.stands {
			t.Errorf("choice %+v: %+v, %v", c.choice, got, err)
		}
	}
}

func TestAPlanThatIsOvertakenIsRefused(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world){
		"a memory was written":          func(w *world) { w.write(alice, "a", "3") },
		"another program wrote it":      func(w *world) { w.outside("a", "3") },
		"another program removed it":    func(w *world) { _ = os.Remove(filepath.Join(w.folder, "a")) },
		"a younger memory went":         func(w *world) { w.deleteBy(alice, "young") },
		"a memory was moved":            func(w *world) { w.renameBy(alice, "a", "elsewhere") },
		"its place was taken":           func(w *world) { w.write(alice, "c", "x") },
		"another program took it":       func(w *world) { w.outside("c", "x") },
		"a change was undone":           func(w *world) { _, _ = vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(4)) },
		"the session did another thing": func(w *world) { w.write(robot, "fresh", "x") },
	} {
		w := newWorld(t)
		w.write(alice, "a", "1")
		w.write(alice, "c", "c")
		w.write(robot, "a", "2")
		w.renameBy(robot, "c", "d")
		w.write(alice, "young", "y")
		undo := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
		restore := plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 2}, Paths: []memfs.Path{mustPath("")}}))
		meanwhile(w)
		w.sync()
		before := w.now()
		var stale *versions.StalePlanError
		if _, err := vplan.Apply(t.Context(), w.store, alice, restore, nil); !errors.As(err, &stale) {
			t.Errorf("restore, %s: %v", name, err)
		}
		if name != "a younger memory went" { // it is none of the session's
			if _, err := vplan.Apply(t.Context(), w.store, alice, undo, nil); !errors.As(err, &stale) {
				t.Errorf("undo, %s: %v", name, err)
			}
		}
		w.stands(name, before)
	}
}

func TestWhatASessionTookBackItselfIsNoConflict(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", five)
	w.write(robot, "a", "robot\n2\n3\n4\n5\n")
	w.write(robot, "a", "1\n2\n3\n4\nrobot\n")
	w.write(alice, "a", "alice\n2\n3\n4\nrobot\n") // the line that the session changed, and changed back
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))), nil)
	w.wantFile("a", "alice\n2\n3\n4\n5\n")
}

func TestWhatASessionUndidOfItsOwnStaysUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	c := w.write(robot, "a", "2")
	if _, err := vplan.Do(t.Context(), w.store, robot, vplan.UndoChange(c.Number)); err != nil {
		t.Fatal(err)
	}
	if plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))); !plan.Empty() || len(plan.Changes) != 0 {
		t.Errorf("plan %+v", plan)
	}
	d := w.write(alice, "b", "1")
	if _, err := vplan.Do(t.Context(), w.store, robot, vplan.UndoChange(d.Number)); err != nil {
		t.Fatal(err)
	}
	w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session))), nil)
	w.stands("what it undid of another's comes back", map[string]string{"a": "1", "b": "1"})
	if got, _, err := vhistory.Change(t.Context(), w.store, d.Number); err != nil || got.UndoneBy != 0 {
		t.Errorf("and stands: %+v, %v", got, err)
	}
}

func TestAPlanLooksAtTheFilesAgainWhenItIsCarriedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.write(robot, "a", "2")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoSession(robot.Session)))
	w.outside("a", "theirs") // and nobody looks at the folder in between
	var stale *versions.StalePlanError
	if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); !errors.As(err, &stale) || stale.Path != mustPath("a") {
		t.Errorf("apply: %v", err)
	}
	w.wantFile("a", "theirs")
}

func TestSeveralPathsGoBackToAMomentTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"a/1", "a/2", "b/1", "c"} {
		w.write(alice, p, "old")
	}
	then := w.write(alice, "d", "old")
	for _, p := range []string{"a/1", "a/2", "b/1", "c", "d"} {
		w.write(robot, p, "new")
	}
	p := plans(t)(vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: then.Number}, Paths: []memfs.Path{mustPath("a/2"), mustPath("b"), mustPath("c")}}))
	if len(p.Clean) != 3 || !p.Path.IsRoot() {
		t.Fatalf("plan %+v", p)
	}
	if c := w.apply(p, nil); c.Versions != 3 {
		t.Errorf("change %+v", c)
	}
	w.stands("only those", map[string]string{"a/1": "new", "a/2": "old", "b/1": "old", "c": "old", "d": "new"})
	if _, err := vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: versions.Moment{Change: 10}, Paths: []memfs.Path{mustPath("nowhere"), mustPath("none")}}); !errors.Is(err, versions.ErrNoMemory) {
		t.Errorf("paths that never were: %v", err)
	}
}

// A change of which a memory was left out stays in effect: what is left of it can be undone later,
// and the undo of the undo restores only what the undo had changed.
func TestUndoOfAChangeCanLeaveAMemoryOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/a", "1")
	w.write(alice, "d/b", "1")
	c := w.deleteBy(robot, "d")
	plan := plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChange(c.Number)))
	if len(plan.Clean) != 2 {
		t.Fatalf("plan %+v", plan)
	}
	left := plan.Clean[0]
	undo := w.apply(plan, map[versions.MemoryID]planning.Choice{left.Memory: {Kind: planning.Skip}})
	w.stands("a is left out", map[string]string{"d/b": "1"})
	if got, _, err := vhistory.Change(t.Context(), w.store, c.Number); err != nil || got.UndoneBy != 0 {
		t.Errorf("the change is undone by %d, %v", got.UndoneBy, err)
	}
	if undo.Kind != versions.KindUndo || undo.Undoes != 0 {
		t.Errorf("an undo of a part names the whole change: %+v", undo)
	}
	again := w.apply(plans(t)(vplan.Make(t.Context(), w.store, vplan.UndoChange(c.Number))), nil)
	w.stands("the rest is undone", map[string]string{"d/a": "1", "d/b": "1"})
	for _, step := range []struct {
		n    int64
		want map[string]string
	}{{again.Number, map[string]string{"d/b": "1"}}, {undo.Number, map[string]string{}}} {
		if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(step.n)); err != nil {
			t.Fatal(err)
		}
		w.stands(fmt.Sprint("after the undo of ", step.n), step.want)
	}
}

// What is in the way of an undo is found behind a version that was redacted, of which nothing is known.
func TestPlan_WithAConflictBehindARedactedVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, text := range []string{"1\n2\n3\n", "1\ntwo\n3\n", "1\na secret that is in the way\n3\n", "1\nzwei\n3\n"} {
		w.write(alice, "a", text)
	}
	w.redact(versions.RedactTarget{Version: w.versionOf("a", 3).ID}, versions.RedactChoice{})
	plan, err := vplan.Make(t.Context(), w.store, vplan.UndoChange(2))
	if err != nil || len(plan.Conflicts) != 1 || !strings.Contains(plan.Conflicts[0].Reason.Error(), "change 4") {
		t.Errorf("%+v, %v", plan, err)
	}
}
