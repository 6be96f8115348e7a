package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

var (
	planSeed  = flag.Uint64("plan.seed", 1, "seed of the checks of plans; 0 takes one from the clock")
	planRuns  = flag.Int("plan.runs", 2, "random histories of the checks of plans")
	planSteps = flag.Int("plan.steps", 40, "random acts of each")
)

// slots is how many lines of a shared memory sessions write, each its own; the
// lines between them never change, so that edits of two slots never touch.
const slots = 9

// act is something that a session does to the store. It is done to a plain map
// in the same way, which knows nothing of versions: so what a session's undo must
// leave is what comes out when the history is done again without that session.
type act struct {
	by   versions.By
	does func(model map[string]string)
}

func slotText(values [slots]string) string {
	var b strings.Builder
	for i, v := range values {
		fmt.Fprintf(&b, "-- %d --\n%s\n", i, v)
	}
	return b.String()
}

func setSlot(text string, slot int, value string) string {
	lines := slices.Collect(strings.Lines(text))
	lines[2*slot+1] = value + "\n"
	return strings.Join(lines, "")
}

// TestUndoOfASessionIsTheHistoryWithoutIt lets sessions write, each in its own
// lines of shared memories and in memories of its own, undoes one of them, and
// compares with the history done without it.
func TestUndoOfASessionIsTheHistoryWithoutIt(t *testing.T) {
	t.Parallel()
	r := seeded(t, "plan.seed", *planSeed)
	for range *planRuns {
		w := newWorld(t)
		by := []versions.By{}
		for i := range 3 {
			by = append(by, versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: fmt.Sprint("agent", i)}, Session: versions.SessionID(fmt.Sprint("sesn_", i))})
		}
		var history []act
		model := map[string]string{}
		do := func(a act) {
			a.does(model)
			history = append(history, a)
		}
		for _, p := range []string{"shared", "d/shared"} {
			text := slotText([slots]string{})
			w.write(alice, p, text)
			do(act{alice, func(m map[string]string) { m[p] = text }})
		}
		for i := range *planSteps {
			w.ownAct(r, by, i, model, do)
		}
		before := maps.Clone(model)
		w.stands("the history", before)

		who := by[r.IntN(len(by))]
		want := map[string]string{}
		for _, a := range history {
			if a.by.Session != who.Session {
				a.does(want)
			}
		}
		plan, err := vplan.Make(t.Context(), w.store, vplan.UndoSession(who.Session))
		if errors.Is(err, versions.ErrNoSession) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Conflicts) > 0 {
			t.Fatalf("conflict: %v", plan.Conflicts[0].Reason)
		}
		if plan.Empty() {
			w.stands("a session that left nothing", want)
			continue
		}
		c, err := vplan.Apply(t.Context(), w.store, alice, plan, nil)
		if err != nil {
			t.Fatal(err)
		}
		w.stands("undo", want)
		if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
			t.Fatal(err)
		}
		w.stands("undo of the undo", before)
		if again, err := vplan.Make(t.Context(), w.store, vplan.UndoSession(who.Session)); err != nil || !slices.Equal(again.Changes, plan.Changes) {
			t.Fatalf("after that the session stands as %v, before as %v; %v", again.Changes, plan.Changes, err)
		}
		for _, n := range plan.Changes {
			if c, _, err := vhistory.Change(t.Context(), w.store, n); err != nil || c.UndoneBy != 0 {
				t.Fatalf("change %d: %+v, %v", n, c, err)
			}
		}
	}
}

// ownAct does something random that no other session's acts depend on.
func (w *world) ownAct(r *rand.Rand, by []versions.By, i int, model map[string]string, do func(act)) {
	w.t.Helper()
	n := r.IntN(len(by))
	who := by[n]
	own := fmt.Sprintf("own/%d/%d", n, r.IntN(3))
	var err error
	switch r.IntN(7) {
	case 0, 1, 2:
		p := []string{"shared", "d/shared"}[r.IntN(2)]
		slot, value := n+3*r.IntN(slots/3), fmt.Sprintf("act %d", i)
		w.write(who, p, setSlot(model[p], slot, value))
		do(act{who, func(m map[string]string) { m[p] = setSlot(m[p], slot, value) }})
	case 3, 4:
		text := fmt.Sprintf("act %d\n", i)
		w.write(who, own, text)
		do(act{who, func(m map[string]string) { m[own] = text }})
	case 5:
		if _, ok := model[own]; !ok {
			return
		}
		_, err = w.store.Delete(w.t.Context(), who, mustPath(own))
		do(act{who, func(m map[string]string) { delete(m, own) }})
	case 6:
		to := fmt.Sprintf("own/%d/%d", n, r.IntN(3))
		_, there := model[own]
		if _, taken := model[to]; !there || taken {
			return
		}
		_, err = w.store.Rename(w.t.Context(), who, mustPath(own), mustPath(to))
		do(act{who, func(m map[string]string) {
			m[to] = m[own]
			delete(m, own)
		}})
	}
	if err != nil {
		w.t.Fatalf("act %d: %v", i, err)
	}
}

// stands compares the folder and the tree with a map.
func (w *world) stands(when string, want map[string]string) {
	w.t.Helper()
	es, err := vhistory.Tree(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range es {
		p := versions.Key(e.Path)
		if got[p] = w.file(p); versions.Sum([]byte(got[p])) != e.SHA256 {
			w.t.Fatalf("%s: %s in the folder is not what the trail says", when, p)
		}
	}
	if !maps.Equal(got, want) {
		w.t.Fatalf("%s: there is\n%q\nwant\n%q", when, got, want)
	}
}

// now is what stands, as a map.
func (w *world) now() map[string]string {
	w.t.Helper()
	es, err := vhistory.Tree(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range es {
		out[versions.Key(e.Path)] = w.file(versions.Key(e.Path))
	}
	return out
}

// TestPlansDoWhatTheySay makes random histories in which sessions get in each
// other's way, plans an undo of a session, of a change, and a restore of all or
// of a folder to a moment, carries each out with random choices, and holds what
// stands then against what the plan said. Undo and redo lead back and forth.
func TestPlansDoWhatTheySay(t *testing.T) {
	t.Parallel()
	r := seeded(t, "plan.seed", *planSeed)
	met := map[planning.Clash]int{}
	merged, leftOut := 0, 0
	for range *planRuns {
		w := newWorld(t)
		stood := map[int64]map[string]string{0: {}}
		last := int64(0)
		w.randomActs(r, *planSteps, func(c versions.Change, model map[string]string) {
			stood[c.Number] = maps.Clone(model)
			last = c.Number
		})
		for range 6 {
			before := w.now()
			n := int64(r.IntN(int(last) + 1))
			m := versions.Moment{Change: n}
			var plan *vplan.Plan
			var err error
			var want map[string]string
			switch r.IntN(4) {
			case 0:
				plan, err = vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: m, Paths: []memfs.Path{mustPath("")}})
				want = stood[n]
			case 1:
				plan, err = vplan.Make(t.Context(), w.store, vplan.RestoreAt{Moment: m, Paths: []memfs.Path{mustPath("d")}})
			case 2:
				plan, err = vplan.Make(t.Context(), w.store, vplan.UndoSession([]versions.SessionID{"sesn_alice", "sesn_robot", "sesn_other"}[r.IntN(3)]))
			case 3:
				var undo vplan.Goal = vplan.UndoChange(n)
				if n == 0 {
					undo = vplan.UndoLast{By: alice.Actor}
				}
				plan, err = vplan.Make(t.Context(), w.store, undo)
			}
			if errors.Is(err, versions.ErrNoMemory) || errors.Is(err, versions.ErrUndone) || errors.Is(err, versions.ErrNothing) || errors.Is(err, versions.ErrNoSession) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			w.stands("a plan alone changes nothing", before)
			choices := map[versions.MemoryID]planning.Choice{}
			for _, it := range plan.Conflicts {
				met[it.Clash]++
				choices[it.Memory] = planning.Choice{Kind: planning.Skip}
			}
			merged += len(plan.Merged)
			if len(plan.Conflicts) > 0 {
				if want != nil {
					t.Fatalf("a restore of all conflicts: %v", plan.Conflicts[0].Reason)
				}
				var refused *versions.ConflictsError
				if _, err := vplan.Apply(t.Context(), w.store, alice, plan, nil); !errors.As(err, &refused) || len(refused.Conflicts) != len(plan.Conflicts) {
					t.Fatalf("conflicts were not refused: %v", err)
				}
				w.stands("a refused plan", before)
			}
			own := map[versions.MemoryID]string{}
			if varied := r.IntN(2) == 0; varied && len(plan.Conflicts) > 0 {
				for id := range choices {
					choices[id] = planning.Choice{Kind: planning.Skip + planning.ChoiceKind(r.IntN(4)), Text: []byte("own " + id)}
					if choices[id].Kind == planning.OwnText {
						own[id] = "own " + string(id)
					}
				}
			} else if want == nil {
				want = leads(t, w, plan, before)
			}
			left := leaveOut(r, plan, choices)
			if len(left) > 0 {
				leftOut++
				want = leads(t, w, without(plan, left), before)
			}
			c, err := vplan.Apply(t.Context(), w.store, alice, plan, choices)
			var refused *versions.ConflictsError
			if errors.Is(err, versions.ErrNothing) || errors.As(err, &refused) && len(plan.Conflicts)+len(left) > 0 {
				w.stands("a refused choice", before)
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = w.now()
				for id, text := range own {
					if vs, err := vhistory.Of(t.Context(), w.store, id, 0, 1); err != nil || vs[0].SHA256 != versions.Sum([]byte(text)) {
						t.Fatalf("a text of one's own is %+v, %v", vs, err)
					}
				}
			}
			w.stands("the plan carried out", want)
			if r.IntN(2) == 0 {
				if _, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(c.Number)); err != nil {
					t.Fatalf("undo of %+v: %v", c, err)
				}
				w.stands("undone", before)
				if r.IntN(2) == 0 {
					if _, err := vplan.Do(t.Context(), w.store, alice, vplan.RedoChange(c.Number)); err != nil {
						t.Fatal(err)
					}
					w.stands("redone", want)
				}
			}
			if now, err := w.store.LastChange(t.Context()); err != nil {
				t.Fatal(err)
			} else {
				last = now
			}
			for n := range last + 1 { // what stood at the moments between is not known
				if stood[n] == nil {
					stood[n] = map[string]string{}
					for p, e := range w.treeAt(n) {
						b, err := vhistory.Content(t.Context(), w.store, e.Version)
						if err != nil {
							t.Fatal(err)
						}
						stood[n][p] = string(b)
					}
				}
			}
		}
	}
	t.Logf("%d merged, conflicts %v, %d with memories left out", merged, met, leftOut)
	if leftOut == 0 {
		t.Error("no plan left a memory out")
	}
}

// leaveOut chooses to leave some of the memories without conflict out, if no conflict has another
// choice than that: then the plan itself says where it leads.
func leaveOut(r *rand.Rand, p *vplan.Plan, choices map[versions.MemoryID]planning.Choice) map[versions.MemoryID]bool {
	left := map[versions.MemoryID]bool{}
	for _, c := range choices {
		if c.Kind != planning.Skip {
			return left
		}
	}
	if r.IntN(3) > 0 {
		return left
	}
	for _, it := range slices.Concat(p.Clean, p.Merged) {
		if r.IntN(2) == 0 {
			left[it.Memory] = true
			choices[it.Memory] = planning.Choice{Kind: planning.Skip}
		}
	}
	return left
}

// without returns the plan without some of its memories.
func without(p *vplan.Plan, left map[versions.MemoryID]bool) *vplan.Plan {
	out := *p
	isLeft := func(it versions.PlanItem) bool { return left[it.Memory] }
	out.Clean, out.Merged = slices.DeleteFunc(slices.Clone(p.Clean), isLeft), slices.DeleteFunc(slices.Clone(p.Merged), isLeft)
	return &out
}

// leads is what stands after the plan, by its own words.
func leads(t *testing.T, w *world, p *vplan.Plan, now map[string]string) map[string]string {
	t.Helper()
	out := maps.Clone(now)
	for _, it := range append(slices.Clone(p.Clean), p.Merged...) {
		if it.Now.There() {
			delete(out, versions.Key(it.Now.Path))
		}
	}
	for _, it := range append(slices.Clone(p.Clean), p.Merged...) {
		if !it.Then.There() {
			continue
		}
		var b []byte
		var err error
		if it.Then.Version != "" {
			if b, err = vhistory.Content(t.Context(), w.store, it.Then.Version); err != nil {
				t.Fatal(err)
			}
		} else {
			b = it.Text
		}
		if versions.Sum(b) != it.Then.SHA256 {
			t.Fatalf("the text of %+v is another", it)
		}
		out[versions.Key(it.Then.Path)] = string(b)
	}
	return out
}

// TestARestoreOfAllLeavesTheFoldersOfThen restores all to moments of random histories, and folders between: the folders are
// exactly those of the moment.
func TestARestoreOfAllLeavesTheFoldersOfThen(t *testing.T) {
	t.Parallel()
	r := seeded(t, "plan.seed", *planSeed)
	for run := range 4 * *planRuns {
		w := newWorld(t)
		then := map[int64][]string{0: nil}
		w.randomActs(r, 15, func(c versions.Change, _ map[string]string) { then[c.Number] = w.folders() })
		for range 8 {
			moments := slices.Sorted(maps.Keys(then))
			n := moments[r.IntN(len(moments))]
			at := []string{"", "d", "h", "d/e"}[r.IntN(4)]
			c, err := vplan.Do(t.Context(), w.store, alice, vplan.RestoreAt{Moment: versions.Moment{Change: n}, Paths: []memfs.Path{mustPath(at)}})
			if err != nil {
				if !errors.Is(err, versions.ErrNothing) && !errors.Is(err, versions.ErrNoMemory) && at == "" {
					t.Fatal(err)
				}
				c.Number = 0
			}
			got := w.folders()
			if at == "" && !slices.Equal(got, then[n]) {
				t.Fatalf("run %d: restored to change %d: folders %q, want %q", run, n, got, then[n])
			}
			if c.Number > 0 {
				then[c.Number] = got
			}
		}
	}
}

// folders lists the folders of the store.
func (w *world) folders() (out []string) {
	w.t.Helper()
	err := filepath.WalkDir(w.folder, func(p string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && p != w.folder {
			out = append(out, strings.TrimPrefix(p, w.folder+"/"))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}
