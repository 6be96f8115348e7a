package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/gitsync"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	vplan "github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/replica"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

// fate is what becomes of an act by somebody who is no person, where the policy holds everything.
type fate uint8

const (
	isHeld    fate = iota + 1 // it waits for a person
	isDenied                  // it can't wait
	forPerson                 // no policy allows it
	isFree                    // it changes nothing that a policy protects
	byGoal                    // as its goal says
)

// firstHeld is the number of the first held change of a home.
const firstHeld = 1

// acts are all functions of the engine, and methods of a store and a trail, that a caller calls with what it states about
// itself. One that is not here fails the test below.
var acts = map[string]struct {
	fate fate
	do   func(w *world, s *core.Store, by versions.By) error
}{
	"Store.Write": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(s.Write(w.t.Context(), by, mustPath("a"), []byte("x"), versions.Pre{}))
	}},
	"Store.RestoreText": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(s.RestoreText(w.t.Context(), by, mustPath("a"), []byte("x"), versions.Pre{}))
	}},
	"Store.Rename": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(s.Rename(w.t.Context(), by, mustPath("a"), mustPath("z")))
	}},
	"Store.Move": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(s.Move(w.t.Context(), by, mustPath("d"), mustPath("a")))
	}},
	"Store.Delete": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(s.Delete(w.t.Context(), by, mustPath("a")))
	}},
	"write.DeleteIf": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(write.DeleteIf(w.t.Context(), s, by, mustPath("a"), versions.Pre{}))
	}},
	"write.Copy": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(write.Copy(w.t.Context(), s, by, mustPath("a"), mustPath("z")))
	}},
	"write.CopyTo": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		other := w.elsewhere()
		defer other.Close()
		return second(write.CopyTo(w.t.Context(), other, by, s, versions.Transfer{From: mustPath("there"), To: mustPath("z")}))
	}},
	"write.MoveTo": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		other := w.elsewhere()
		defer other.Close()
		_, _, err := write.MoveTo(w.t.Context(), s, by, other, versions.Transfer{From: mustPath("a"), To: mustPath("z")})
		_, _ = other.Delete(w.t.Context(), alice, mustPath("z")) // the copy there is free
		return err
	}},
	"write.CreateMemory": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(write.CreateMemory(w.t.Context(), s, by, mustPath("z"), []byte("x")))
	}},
	"write.UpdateMemory": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		text := []byte("x")
		return second(write.UpdateMemory(w.t.Context(), s, by, w.entry("a").Memory, versions.MemoryUpdate{Content: &text}))
	}},
	"write.DeleteMemory": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return write.DeleteMemory(w.t.Context(), s, by, w.entry("a").Memory, nil)
	}},
	"review.Undo": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		p, err := review.PendingOf(w.t.Context(), s, w.entry("a").Memory, alice.Actor)
		w.must(err)
		return third(review.Undo(w.t.Context(), s, by, p, review.Side{Exists: true, Path: p.Now.Path, Text: []byte("x")}))
	}},
	"review.Accept": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		p, err := vplan.Make(w.t.Context(), s, vplan.Accept(firstHeld))
		w.must(err)
		return second(review.Accept(w.t.Context(), s, by, p, nil))
	}},
	"review.Edit": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		p, err := review.PendingOf(w.t.Context(), s, w.entry("a").Memory, alice.Actor)
		w.must(err)
		_, _, err = review.Edit(w.t.Context(), s, by, p, []byte("x"), review.Hunk{})
		return err
	}},
	"plan.Apply": {byGoal, nil},
	"plan.Do":    {byGoal, nil},
	"exchange.ImportFiles": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return second(exchange.ImportFiles(w.t.Context(), s, by, []versions.NewFile{{Path: mustPath("z")}}, true))
	}},
	"history.Expire": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		_, _, err := vhistory.Expire(w.t.Context(), s, by, w.stale(1))
		return err
	}},
	"Store.Tool": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		res, _, err := s.Tool(w.t.Context(), by, memfs.Create{Path: "/memories/z", FileText: "x"}, memfs.Options{})
		if err == nil && strings.Contains(res.Text, "held for review") {
			err = &versions.HeldError{}
		}
		return err
	}},
	"review.Propose": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		return review.Propose(w.t.Context(), s, by, mustPath("a"), []byte("x"))
	}},
	"review.ProposeUnknown": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return review.ProposeUnknown(w.t.Context(), s, by, mustPath("a"))
	}},
	"review.ProposeShell": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return review.ProposeShell(w.t.Context(), s, by, mustPath("a"), false, "echo x > a")
	}},
	"exchange.Import": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return second(exchange.Import(w.t.Context(), s, by, func(func(versions.Item, error) bool) {}))
	}},
	"gitsync.MayTakeIn": {isDenied, func(w *world, s *core.Store, by versions.By) error { return gitsync.MayTakeIn(w.t.Context(), s, by) }},
	"redact.Do": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		p, err := redact.Prepare(w.t.Context(), s, versions.RedactTarget{Version: w.versionOf("a", 1).ID})
		w.must(err)
		return second(redact.Do(w.t.Context(), s, by, p, versions.RedactChoice{}))
	}},
	"redact.Version": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		_, _, err := redact.Version(w.t.Context(), s, by, w.versionOf("a", 1).ID, versions.Scrub{})
		return err
	}},
	"write.MergeInto": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		other := w.elsewhere()
		defer other.Close()
		_, err := other.Write(w.t.Context(), alice, mustPath("y"), []byte("y\n"), versions.Pre{})
		w.must(err)
		_, _, err = write.MergeInto(w.t.Context(), w.trail, by, mergingOf(w.t, s, "a"), mergingOf(w.t, other, "y"), []byte("merged\n"))
		return err
	}},
	"write.Transfer": {isHeld, func(w *world, s *core.Store, by versions.By) error {
		other := w.elsewhere()
		w.must(other.Close())
		_, _, err := write.Transfer(w.t.Context(), w.trail, by, other.Info().ID, s.Info().ID, true, versions.Transfer{From: mustPath("there"), To: mustPath("z")})
		return err
	}},
	"stores.Archive": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return second(stores.Archive(w.t.Context(), w.trail, by, s.Info().ID))
	}},
	"stores.Unarchive": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return second(stores.Unarchive(w.t.Context(), w.trail, by, s.Info().ID))
	}},
	"stores.SetLimits": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return stores.SetLimits(w.t.Context(), w.trail, by, s.Info().ID, versions.Limits{Bytes: 5})
	}},
	"stores.Update": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		name := "other"
		return second(stores.Update(w.t.Context(), w.trail, by, s.Info().ID, versions.StoreUpdate{Name: &name}))
	}},
	"stores.MoveStore": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return stores.MoveStore(w.t.Context(), w.trail, by, s.Info().ID, w.t.TempDir())
	}},
	"stores.Delete": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return second(stores.Delete(w.t.Context(), w.trail, by, s.Info().ID, versions.Scrub{}))
	}},
	"replica.DeleteUpstreamStore": {isDenied, func(w *world, s *core.Store, by versions.By) error {
		return replica.DeleteUpstreamStore(w.t.Context(), w.trail, by, s.Info())
	}},
	"review.Reject": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return review.Reject(w.t.Context(), s, by, firstHeld, "")
	}},
	"review.RejectUndone": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return second(review.RejectUndone(w.t.Context(), s, by, 1, ""))
	}},
	"review.SetPolicy": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return review.SetPolicy(w.t.Context(), s, by, "", "allow")
	}},
	"review.DropPolicy": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return review.DropPolicy(w.t.Context(), s, by, "")
	}},
	"stores.SetFiles": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return second(stores.SetFiles(w.t.Context(), s, by, files(w.t, "x"), true))
	}},
	"review.Pin": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return review.Pin(w.t.Context(), s, by, mustPath("a"), versions.PinAll)
	}},
	"review.Unpin": {forPerson, func(w *world, s *core.Store, by versions.By) error {
		return review.Unpin(w.t.Context(), s, by, mustPath("a"))
	}},

	"Store.NoteRead": {isFree, func(w *world, s *core.Store, by versions.By) error { s.NoteRead(by, mustPath("a")); return nil }},
	"Store.NoteVersionRead": {isFree, func(w *world, s *core.Store, by versions.By) error {
		s.NoteVersionRead(by, w.versionOf("a", 1).ID)
		return nil
	}},
	"gitsync.Sync":        {isFree, nil}, // of what comes in, each commit is decided about; see MayTakeIn
	"gitsync.GoOn":        {isFree, nil},
	"engine.NoteCall":     {isFree, nil}, // who ran a shell, for what is found in the folder
	"gitsync.Look":        {isFree, nil},
	"Trail.NoteInputs":    {isFree, nil}, // only adds to what is known
	"Trail.SpoolInputs":   {isFree, nil}, // likewise
	"stores.CreateStore":  {isFree, nil}, // a new store has no policy yet
	"Trail.MakeStore":     {isFree, nil},
	"replica.Connect":     {isFree, nil},
	"stores.Attach":       {isFree, nil}, // Attached.Tool is Store.Tool
	"stores.AttachOpen":   {isFree, nil},
	"Trail.MayAdminister": {isFree, nil},
	"stores.MayDelete":    {isFree, nil}, // these three say what the act would answer
	"redact.May":          {isFree, nil},
	"plan.Rehearse":       {isFree, nil},
}

// goals are what becomes of each goal, whether it is planned and applied or done at once. A goal that is not here fails
// the test below.
var goals = map[string]struct {
	fate fate
	goal func(w *world) vplan.Goal
}{
	"UndoChange":  {isHeld, func(*world) vplan.Goal { return vplan.UndoChange(4) }},
	"UndoLast":    {isHeld, func(*world) vplan.Goal { return vplan.UndoLast{By: alice.Actor} }},
	"UndoChanges": {isHeld, func(*world) vplan.Goal { return vplan.UndoChanges{1, 4} }},
	"UndoSession": {isHeld, func(*world) vplan.Goal { return vplan.UndoSession(alice.Session) }},
	"UndoHunks": {isHeld, func(w *world) vplan.Goal {
		p := w.pending(w.entry("a").Memory)
		return vplan.UndoHunks{Memory: p.Memory, Shown: planning.WithText(p.Now.Path, p.Now.Text)}
	}},
	"RedoChange": {isHeld, func(*world) vplan.Goal { return vplan.RedoChange(5) }},
	"RedoLast":   {isHeld, func(*world) vplan.Goal { return vplan.RedoLast{By: alice.Actor} }},
	"Restore":    {isHeld, func(w *world) vplan.Goal { return vplan.Restore(w.versionOf("a", 1).ID) }},
	"RestoreAt": {isHeld, func(*world) vplan.Goal {
		return vplan.RestoreAt{Moment: versions.Moment{Change: 1}, Paths: []memfs.Path{memfs.Root}}
	}},
	"Replacement": {isHeld, func(*world) vplan.Goal { return vplan.Replacement{Query: versions.Query{Text: "three"}, With: "3"} }},
	"MergeTexts":  {isHeld, func(*world) vplan.Goal { return vplan.MergeTexts{{Path: mustPath("z"), Text: []byte("text")}} }},
	"Accept":      {forPerson, func(*world) vplan.Goal { return vplan.Accept(firstHeld) }},
}

// elsewhere opens another store of the home, with a memory "there" and no policy.
func (w *world) elsewhere() *core.Store {
	w.t.Helper()
	info, err := w.trail.FindStore(w.t.Context(), "second")
	if errors.Is(err, versions.ErrNoStore) {
		s := w.second()
		_, err := s.Write(w.t.Context(), alice, mustPath("there"), []byte("text"), versions.Pre{})
		w.must(err)
		return s
	}
	w.must(err)
	s, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	return s
}

// engineFunctions calls do with each exported function and method of the packages that other programs of ours use: the
// engine's, and of the core what its Store and Trail have.
func engineFunctions(t *testing.T, do func(pkg string, f *ast.FuncDecl)) {
	t.Helper()
	dirs, err := filepath.Glob("../*")
	if err != nil || len(dirs) < 20 {
		t.Fatal(dirs, err)
	}
	for _, dir := range append(dirs, "../internal/core") {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && !strings.HasSuffix(name, "_test.go") {
					do(filepath.Base(dir), f)
				}
			}
		}
	}
}

// receiver returns the type that a method belongs to; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if n, ok := of.(*ast.Ident); ok {
		return n.Name
	}
	return ""
}

// Every function and method by which something can be changed is in the table of acts.
func TestDoors_TheTableHasEveryWayToChangeSomething(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	engineFunctions(t, func(pkg string, f *ast.FuncDecl) {
		of, name := receiver(f), pkg+"."+f.Name.Name
		if of == "Store" || of == "Trail" {
			name = of + "." + f.Name.Name
		} else if of != "" || pkg == "core" { // the core's functions are for the engine's packages alone
			return
		}
		takes, ours := false, false
		for _, p := range f.Type.Params.List {
			of := p.Type
			if p, ok := of.(*ast.StarExpr); ok {
				of = p.X
			}
			if of, ok := of.(*ast.SelectorExpr); ok {
				takes = takes || of.Sel.Name == "By"
				ours = ours || of.Sel.Name == "Txn" || of.Sel.Name == "Sibling" // only the engine's packages have one
			}
		}
		if takes && !ours && f.Name.IsExported() {
			found[name] = true
		}
	})
	for name := range found {
		if _, known := acts[name]; !known {
			t.Errorf("%s takes a caller, and is not in the table", name)
		}
	}
	for name := range acts {
		if !found[name] {
			t.Errorf("%s is in the table, and does not exist or takes no caller", name)
		}
	}
}

// Every type that is a goal is in the table of goals, except what a goal of the table turns into.
func TestDoors_TheTableHasEveryGoal(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	engineFunctions(t, func(_ string, f *ast.FuncDecl) {
		if of := receiver(f); f.Name.Name == "collect" && ast.IsExported(of) && of != "Planner" && of != "Takeover" {
			found[of] = true
		}
	})
	if is, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(goals)); !slices.Equal(is, want) {
		t.Errorf("goals %v, in the table %v", is, want)
	}
}

// callers are all doors with all kinds of actors, and the caller that states nothing.
func callers() (out []versions.By) {
	for door := range versions.Door(len(versions.DoorNames)) {
		for _, kind := range versions.ActorKinds {
			out = append(out, versions.By{Door: door, Actor: versions.Actor{Kind: kind, Name: "caller"}, Session: "sesn_caller"})
		}
	}
	return append(out, versions.By{})
}

// README: "what is written through memend meets the policy".
func TestDoors_NobodyButAPersonGetsPastAPolicy(t *testing.T) {
	t.Parallel()
	var doors []door
	for _, name := range slices.Sorted(maps.Keys(acts)) {
		if act := acts[name]; act.do != nil {
			doors = append(doors, door{name, act.fate, act.do})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(goals)) {
		to := goals[name]
		doors = append(doors, door{"Apply " + name, to.fate, func(w *world, s *core.Store, by versions.By) error {
			p, err := vplan.Make(w.t.Context(), s, to.goal(w))
			w.must(err)
			return second(vplan.Apply(w.t.Context(), s, by, p, nil))
		}}, door{"Do " + name, to.fate, func(w *world, s *core.Store, by versions.By) error {
			return second(vplan.Do(w.t.Context(), s, by, to.goal(w)))
		}})
	}
	for some := range slices.Chunk(doors, 8) { // which use one store, and leave it as it was
		t.Run(some[0].name+" and others", func(t *testing.T) {
			t.Parallel()
			tryDoors(t, some)
		})
	}
}

// door is a way to change something.
type door struct {
	name string
	fate fate
	do   func(w *world, s *core.Store, by versions.By) error
}

func tryDoors(t *testing.T, doors []door) {
	w := newWorld(t)
	w.write(alice, "a", "one")
	w.write(alice, "a", "two")
	_, err := vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(2))
	w.must(err)
	w.write(alice, "a", "three")
	w.write(alice, "b", "one")
	_, err = vplan.Do(t.Context(), w.store, alice, vplan.UndoChange(5))
	w.must(err)
	w.policy("hold actor:agent")
	if n := w.heldAs(robot, "waits", "text"); n != firstHeld {
		t.Fatal(n)
	}
	before, changes := w.now(), w.lastNumber()
	for _, d := range doors {
		t.Run(d.name, func(t *testing.T) {
			defer func(of *testing.T) { w.t = of }(w.t)
			w.t = t
			others := slices.DeleteFunc(callers(), versions.By.Person)
			for _, by := range sampled(others[len(d.name)%*caseEach:]) { // the doors together meet all
				if err := d.do(w, w.store, by); !d.fate.of(by, err) {
					t.Errorf("%s at door %s: %v", by.Actor, by.Door, err)
				}
			}
			w.stands("after all tries", before)
			if now := w.lastNumber(); now != changes {
				t.Errorf("%d changes, %d before", now, changes)
			}
			if h := w.state(firstHeld); h.State != versions.HeldWaiting {
				t.Errorf("%+v", h)
			}
		})
	}
}

// of reports whether err is the answer to an act of this fate.
func (f fate) of(by versions.By, err error) bool {
	ok := false
	switch f {
	case isHeld:
		ok = errors.As(err, new(*versions.HeldError))
	case isDenied:
		ok = errors.As(err, new(*versions.DeniedError))
	case forPerson:
		ok = errors.Is(err, versions.ErrPersonsOnly)
	case isFree:
		ok = err == nil
	}
	unidentified := by.Actor == (versions.Actor{}) || by.Actor.Kind == versions.Agent && by.Session == ""
	return ok || unidentified && errors.Is(err, versions.ErrUnidentified)
}

func (w *world) lastNumber() int64 {
	w.t.Helper()
	n, err := w.store.LastChange(w.t.Context())
	w.must(err)
	return n
}

var (
	trustCalls = flag.Int("trust.calls", 200, "random calls under a policy that holds everything")
	trustSeed  = flag.Uint64("trust.seed", 1, "seed of the random calls; 0: a new one")
)

// Whatever agents call, in whatever order, the memories are what persons wrote and accepted.
func TestRandomCallsNeverGetPastAHold(t *testing.T) {
	t.Parallel()
	seed := *trustSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("-trust.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t)
	w.policy("hold actor:agent")
	model := map[string]string{}
	path := func() string { return fmt.Sprintf("%c/%d", 'a'+r.IntN(3), r.IntN(4)) }
	others := slices.DeleteFunc(callers(), versions.By.Person)
	held, accepted := 0, 0
	for i := range *trustCalls {
		by := others[r.IntN(len(others))]
		p, text := path(), fmt.Sprintf("text %d\n", i)
		switch r.IntN(10) {
		case 0, 1: // a person writes, as only persons do
			w.write(alice, p, text)
			model[p] = text
		case 2:
			if _, ok := model[p]; ok {
				_, err := w.store.Delete(t.Context(), alice, mustPath(p))
				w.must(err)
				delete(model, p)
			}
		case 3: // a person decides
			waiting, err := review.Held(t.Context(), w.store, versions.HeldFilter{State: versions.HeldWaiting})
			w.must(err)
			if len(waiting) == 0 {
				continue
			}
			h := waiting[len(waiting)-1-r.IntN(min(len(waiting), 5))]
			plan, err := vplan.Make(t.Context(), w.store, vplan.Accept(h.Number))
			w.must(err)
			if len(plan.Clean) != 1 || r.IntN(3) == 0 {
				w.must(review.Reject(t.Context(), w.store, alice, h.Number, ""))
				continue
			}
			for _, old := range waiting[:max(len(waiting)-20, 0)] {
				w.must(review.Reject(t.Context(), w.store, alice, old.Number, ""))
			}
			_, err = vplan.Apply(t.Context(), w.store, alice, plan, nil)
			w.must(err)
			it := plan.Clean[0]
			now := model[it.Now.Path.String()[1:]]
			if it.Text != nil {
				now = string(it.Text)
			}
			if it.Now.There() {
				delete(model, it.Now.Path.String()[1:])
			}
			if it.Then.There() {
				model[it.Then.Path.String()[1:]] = now
			}
			accepted++
		case 4: // an agent tries to decide
			plan := &vplan.Plan{Goal: vplan.Accept(r.IntN(i + 1))}
			if _, err := vplan.Apply(t.Context(), w.store, by, plan, map[versions.MemoryID]planning.Choice{}); err == nil {
				t.Fatalf("call %d: accepted by %+v", i, by)
			}
		case 5:
			if _, err := w.store.Delete(t.Context(), by, mustPath(p)); err == nil {
				t.Fatalf("call %d: deleted by %+v", i, by)
			} else if h := (*versions.HeldError)(nil); errors.As(err, &h) {
				held++
			}
		case 6:
			if _, err := w.store.Rename(t.Context(), by, mustPath(p), mustPath(p+"x")); err == nil {
				t.Fatalf("call %d: renamed by %+v", i, by)
			} else if h := (*versions.HeldError)(nil); errors.As(err, &h) {
				held++
			}
		default:
			if _, err := w.store.Write(t.Context(), by, mustPath(p), []byte(text), versions.Pre{}); err == nil {
				t.Fatalf("call %d: written by %+v", i, by)
			} else if h := (*versions.HeldError)(nil); errors.As(err, &h) {
				held++
			}
		}
		if i%100 == 0 {
			w.stands(fmt.Sprint("after call ", i), model)
		}
	}
	w.stands("at the end", model)
	if held < *trustCalls/10 || accepted < *trustCalls/100 {
		t.Errorf("%d held, %d accepted: the calls did next to nothing", held, accepted)
	}
}
