package versions

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
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/planning"
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

// acts are all methods of a store and a trail that a caller calls with what it states about itself. A method
// that is not here fails the test below.
var acts = map[string]struct {
	fate fate
	do   func(w *world, s *Store, by By) error
}{
	"Store.Write": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.Write(w.t.Context(), by, mustPath("a"), []byte("x"), Pre{}))
	}},
	"Store.RestoreText": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.RestoreText(w.t.Context(), by, mustPath("a"), []byte("x"), Pre{}))
	}},
	"Store.Rename": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.Rename(w.t.Context(), by, mustPath("a"), mustPath("z")))
	}},
	"Store.Move": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.Move(w.t.Context(), by, mustPath("d"), mustPath("a")))
	}},
	"Store.Delete": {isHeld, func(w *world, s *Store, by By) error { return second(s.Delete(w.t.Context(), by, mustPath("a"))) }},
	"Store.DeleteIf": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.DeleteIf(w.t.Context(), by, mustPath("a"), Pre{}))
	}},
	"Store.Copy": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.Copy(w.t.Context(), by, mustPath("a"), mustPath("z")))
	}},
	"Store.CopyTo": {isHeld, func(w *world, s *Store, by By) error {
		other := w.elsewhere()
		defer other.Close()
		return second(other.CopyTo(w.t.Context(), by, s, Transfer{mustPath("there"), mustPath("z")}))
	}},
	"Store.MoveTo": {isHeld, func(w *world, s *Store, by By) error {
		other := w.elsewhere()
		defer other.Close()
		_, _, err := s.MoveTo(w.t.Context(), by, other, Transfer{mustPath("a"), mustPath("z")})
		_, _ = other.Delete(w.t.Context(), alice, mustPath("z")) // the copy there is free
		return err
	}},
	"Store.CreateMemory": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.CreateMemory(w.t.Context(), by, mustPath("z"), []byte("x")))
	}},
	"Store.UpdateMemory": {isHeld, func(w *world, s *Store, by By) error {
		text := []byte("x")
		return second(s.UpdateMemory(w.t.Context(), by, w.entry("a").Memory, MemoryUpdate{Content: &text}))
	}},
	"Store.DeleteMemory": {isHeld, func(w *world, s *Store, by By) error {
		return s.DeleteMemory(w.t.Context(), by, w.entry("a").Memory, nil)
	}},
	"Store.Apply": {byGoal, nil},
	"Store.Do":    {byGoal, nil},
	"Store.ImportFiles": {isHeld, func(w *world, s *Store, by By) error {
		return second(s.ImportFiles(w.t.Context(), by, []NewFile{{Path: mustPath("z")}}, true))
	}},
	"Store.Expire": {isHeld, func(w *world, s *Store, by By) error {
		_, _, err := s.Expire(w.t.Context(), by, w.stale(1))
		return err
	}},
	"Store.Tool": {isHeld, func(w *world, s *Store, by By) error {
		res, _, err := s.Tool(w.t.Context(), by, memfs.Create{Path: "/memories/z", FileText: "x"}, memfs.Options{})
		if err == nil && strings.Contains(res.Text, "held for review") {
			err = &HeldError{}
		}
		return err
	}},
	"Store.Propose":        {isHeld, func(w *world, s *Store, by By) error { return s.Propose(w.t.Context(), by, mustPath("a"), []byte("x")) }},
	"Store.ProposeUnknown": {isDenied, func(w *world, s *Store, by By) error { return s.ProposeUnknown(w.t.Context(), by, mustPath("a")) }},
	"Store.ProposeShell": {isDenied, func(w *world, s *Store, by By) error {
		return s.ProposeShell(w.t.Context(), by, mustPath("a"), false, "echo x > a")
	}},
	"Store.Import": {isDenied, func(w *world, s *Store, by By) error {
		return second(s.Import(w.t.Context(), by, func(func(Item, error) bool) {}))
	}},
	"Store.MayTakeIn": {isDenied, func(w *world, s *Store, by By) error { return s.MayTakeIn(w.t.Context(), by) }},
	"Store.Redact": {isDenied, func(w *world, s *Store, by By) error {
		p, err := s.PlanRedact(w.t.Context(), RedactTarget{Version: w.versionOf("a", 1).ID})
		w.must(err)
		return second(s.Redact(w.t.Context(), by, p, RedactChoice{}))
	}},
	"Store.RedactVersion": {isDenied, func(w *world, s *Store, by By) error {
		_, _, err := s.RedactVersion(w.t.Context(), by, w.versionOf("a", 1).ID, Scrub{})
		return err
	}},
	"Trail.MergeInto": {isHeld, func(w *world, s *Store, by By) error {
		other := w.elsewhere()
		defer other.Close()
		_, err := other.Write(w.t.Context(), alice, mustPath("z"), []byte("z\n"), Pre{})
		w.must(err)
		_, _, err = w.trail.MergeInto(w.t.Context(), by, mergingOf(w.t, s, "a"), mergingOf(w.t, other, "z"), []byte("merged\n"))
		return err
	}},
	"Trail.Transfer": {isHeld, func(w *world, s *Store, by By) error {
		other := w.elsewhere()
		w.must(other.Close())
		_, _, err := w.trail.Transfer(w.t.Context(), by, other.Info().ID, s.Info().ID, true, Transfer{mustPath("there"), mustPath("z")})
		return err
	}},
	"Trail.ArchiveStore": {isDenied, func(w *world, s *Store, by By) error {
		return second(w.trail.ArchiveStore(w.t.Context(), by, s.Info().ID))
	}},
	"Trail.UnarchiveStore": {isDenied, func(w *world, s *Store, by By) error {
		return second(w.trail.UnarchiveStore(w.t.Context(), by, s.Info().ID))
	}},
	"Trail.SetLimits": {isDenied, func(w *world, s *Store, by By) error {
		return w.trail.SetLimits(w.t.Context(), by, s.Info().ID, Limits{Bytes: 5})
	}},
	"Trail.UpdateStore": {isDenied, func(w *world, s *Store, by By) error {
		name := "other"
		return second(w.trail.UpdateStore(w.t.Context(), by, s.Info().ID, StoreUpdate{Name: &name}))
	}},
	"Trail.MoveStore": {isDenied, func(w *world, s *Store, by By) error {
		return w.trail.MoveStore(w.t.Context(), by, s.Info().ID, w.t.TempDir())
	}},
	"Trail.DeleteStore": {isDenied, func(w *world, s *Store, by By) error {
		return second(w.trail.DeleteStore(w.t.Context(), by, s.Info().ID, Scrub{}))
	}},
	"Trail.DeleteUpstreamStore": {isDenied, func(w *world, s *Store, by By) error { return w.trail.DeleteUpstreamStore(w.t.Context(), by, s.Info()) }},
	"Store.Reject":              {forPerson, func(w *world, s *Store, by By) error { return s.Reject(w.t.Context(), by, firstHeld, "") }},
	"Store.RejectUndone":        {forPerson, func(w *world, s *Store, by By) error { return second(s.RejectUndone(w.t.Context(), by, 1, "")) }},
	"Store.SetPolicy":           {forPerson, func(w *world, s *Store, by By) error { return s.SetPolicy(w.t.Context(), by, "", "allow") }},
	"Store.DropPolicy":          {forPerson, func(w *world, s *Store, by By) error { return s.DropPolicy(w.t.Context(), by, "") }},
	"Store.SetFiles": {forPerson, func(w *world, s *Store, by By) error {
		return second(s.SetFiles(w.t.Context(), by, files(w.t, "x"), true))
	}},
	"Store.Pin":   {forPerson, func(w *world, s *Store, by By) error { return s.Pin(w.t.Context(), by, mustPath("a"), PinAll) }},
	"Store.Unpin": {forPerson, func(w *world, s *Store, by By) error { return s.Unpin(w.t.Context(), by, mustPath("a")) }},

	"Store.NoteRead":        {isFree, func(w *world, s *Store, by By) error { s.NoteRead(by, mustPath("a")); return nil }},
	"Store.NoteVersionRead": {isFree, func(w *world, s *Store, by By) error { s.NoteVersionRead(by, w.versionOf("a", 1).ID); return nil }},
	"Trail.NoteInputs":      {isFree, nil}, // only adds to what is known
	"Trail.SpoolInputs":     {isFree, nil}, // likewise
	"Trail.CreateStore":     {isFree, nil}, // a new store has no policy yet
	"Trail.MakeStore":       {isFree, nil},
	"Trail.Connect":         {isFree, nil},
	"Trail.Attach":          {isFree, nil}, // Attached.Tool is Store.Tool
	"Trail.AttachOpen":      {isFree, nil},
	"Trail.MayAdminister":   {isFree, nil},
	"Trail.MayDeleteStore":  {isFree, nil}, // these three say what the act would answer
	"Store.MayRedact":       {isFree, nil},
	"Store.Rehearse":        {isFree, nil},
}

// goals are what becomes of each goal, whether it is planned and applied or done at once. A goal that is not here fails
// the test below.
var goals = map[string]struct {
	fate fate
	goal func(w *world) Goal
}{
	"UndoChange":  {isHeld, func(*world) Goal { return UndoChange(4) }},
	"UndoLast":    {isHeld, func(*world) Goal { return UndoLast(alice.Actor) }},
	"UndoChanges": {isHeld, func(*world) Goal { return UndoChanges{1, 4} }},
	"UndoSession": {isHeld, func(*world) Goal { return UndoSession(alice.Session) }},
	"RedoChange":  {isHeld, func(*world) Goal { return RedoChange(5) }},
	"RedoLast":    {isHeld, func(*world) Goal { return RedoLast(alice.Actor) }},
	"Restore":     {isHeld, func(w *world) Goal { return Restore(w.versionOf("a", 1).ID) }},
	"RestoreAt":   {isHeld, func(*world) Goal { return RestoreAt{Moment{Change: 1}, []memfs.Path{memfs.Root}} }},
	"Replacement": {isHeld, func(*world) Goal { return Replacement{Query: Query{Text: "three"}, With: "3"} }},
	"MergeTexts":  {isHeld, func(*world) Goal { return MergeTexts{{mustPath("z"), []byte("text")}} }},
	"Accept":      {forPerson, func(*world) Goal { return Accept(firstHeld) }},
}

// elsewhere opens another store of the home, with a memory "there" and no policy.
func (w *world) elsewhere() *Store {
	w.t.Helper()
	info, err := w.trail.FindStore(w.t.Context(), "second")
	if errors.Is(err, ErrNoStore) {
		s := w.second()
		_, err := s.Write(w.t.Context(), alice, mustPath("there"), []byte("text"), Pre{})
		w.must(err)
		return s
	}
	w.must(err)
	s, err := w.trail.OpenStore(w.t.Context(), info.ID)
	w.must(err)
	return s
}

// Every method by which something can be changed is in the table of acts.
func TestDoors_TheTableHasEveryWayToChangeSomething(t *testing.T) {
	t.Parallel()
	for _, of := range []reflect.Type{reflect.TypeFor[*Store](), reflect.TypeFor[*Trail]()} {
		for i := range of.NumMethod() {
			m := of.Method(i)
			name := of.Elem().Name() + "." + m.Name
			takes := false
			for j := range m.Type.NumIn() {
				takes = takes || m.Type.In(j) == reflect.TypeFor[By]()
			}
			if _, known := acts[name]; takes != known {
				t.Errorf("%s: takes a caller: %v, in the table: %v", name, takes, known)
			}
		}
	}
}

// Every type that is a goal is in the table of goals, except what a goal of the table turns into.
func TestDoors_TheTableHasEveryGoal(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Name.Name == "collect" && m.Recv != nil {
				if of, ok := m.Recv.List[0].Type.(*ast.Ident); ok && of.IsExported() {
					found[of.Name] = true
				}
			}
		}
	}
	if is, want := slices.Sorted(maps.Keys(found)), slices.Sorted(maps.Keys(goals)); !slices.Equal(is, want) {
		t.Errorf("goals %v, in the table %v", is, want)
	}
}

// callers are all doors with all kinds of actors, and the caller that states nothing.
func callers() (out []By) {
	for door := range Door(len(doorNames)) {
		for _, kind := range ActorKinds {
			out = append(out, By{Door: door, Actor: Actor{Kind: kind, Name: "caller"}, Session: "sesn_caller"})
		}
	}
	return append(out, By{})
}

// README: "what is written through memend meets the policy".
func TestDoors_NobodyButAPersonGetsPastAPolicy(t *testing.T) {
	t.Parallel()
	for name, act := range acts {
		if act.do != nil {
			tryDoor(t, name, act.fate, act.do)
		}
	}
	for name, to := range goals {
		tryDoor(t, "Apply "+name, to.fate, func(w *world, s *Store, by By) error {
			p, err := s.Plan(w.t.Context(), to.goal(w))
			w.must(err)
			return second(s.Apply(w.t.Context(), by, p, nil))
		})
		tryDoor(t, "Do "+name, to.fate, func(w *world, s *Store, by By) error {
			return second(s.Do(w.t.Context(), by, to.goal(w)))
		})
	}
}

func tryDoor(t *testing.T, name string, want fate, do func(w *world, s *Store, by By) error) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.write(alice, "a", "one")
		w.write(alice, "a", "two")
		_, err := w.store.Do(t.Context(), alice, UndoChange(2))
		w.must(err)
		w.write(alice, "a", "three")
		w.write(alice, "b", "one")
		_, err = w.store.Do(t.Context(), alice, UndoChange(5))
		w.must(err)
		w.policy("hold actor:agent")
		if n := w.heldAs(robot, "waits", "text"); n != firstHeld {
			t.Fatal(n)
		}
		before, changes := w.now(), w.lastNumber()
		for _, by := range callers() {
			if by.Person() {
				continue
			}
			err := do(w, w.store, by)
			ok := false
			switch want {
			case isHeld:
				ok = errors.As(err, new(*HeldError))
			case isDenied:
				ok = errors.As(err, new(*DeniedError))
			case forPerson:
				ok = errors.Is(err, ErrPersonsOnly)
			case isFree:
				ok = err == nil
			}
			if by.Actor == (Actor{}) || by.Actor.Kind == Agent && by.Session == "" {
				ok = ok || errors.Is(err, ErrUnidentified)
			}
			if !ok {
				t.Errorf("%s at door %s: %v", by.Actor, by.Door, err)
			}
		}
		w.stands("after all tries", before)
		if now := w.lastNumber(); now != changes {
			t.Errorf("%d changes, %d before", now, changes)
		}
		if h := w.state(firstHeld); h.State != HeldWaiting {
			t.Errorf("%+v", h)
		}
	})
}

func (w *world) lastNumber() int64 {
	w.t.Helper()
	n, err := w.store.LastChange(w.t.Context())
	w.must(err)
	return n
}

var (
	trustCalls = flag.Int("trust.calls", 1500, "random calls under a policy that holds everything")
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
	others := slices.DeleteFunc(callers(), By.Person)
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
			waiting, err := w.store.Held(t.Context(), HeldFilter{State: HeldWaiting})
			w.must(err)
			if len(waiting) == 0 {
				continue
			}
			h := waiting[len(waiting)-1-r.IntN(min(len(waiting), 5))]
			plan, err := w.store.Plan(t.Context(), Accept(h.Number))
			w.must(err)
			if len(plan.Clean) != 1 || r.IntN(3) == 0 {
				w.must(w.store.Reject(t.Context(), alice, h.Number, ""))
				continue
			}
			for _, old := range waiting[:max(len(waiting)-20, 0)] {
				w.must(w.store.Reject(t.Context(), alice, old.Number, ""))
			}
			_, err = w.store.Apply(t.Context(), alice, plan, nil)
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
			plan := &Plan{goal: Accept(r.IntN(i + 1))}
			if _, err := w.store.Apply(t.Context(), by, plan, map[MemoryID]planning.Choice{}); err == nil {
				t.Fatalf("call %d: accepted by %+v", i, by)
			}
		case 5:
			if _, err := w.store.Delete(t.Context(), by, mustPath(p)); err == nil {
				t.Fatalf("call %d: deleted by %+v", i, by)
			} else if h := (*HeldError)(nil); errors.As(err, &h) {
				held++
			}
		case 6:
			if _, err := w.store.Rename(t.Context(), by, mustPath(p), mustPath(p+"x")); err == nil {
				t.Fatalf("call %d: renamed by %+v", i, by)
			} else if h := (*HeldError)(nil); errors.As(err, &h) {
				held++
			}
		default:
			if _, err := w.store.Write(t.Context(), by, mustPath(p), []byte(text), Pre{}); err == nil {
				t.Fatalf("call %d: written by %+v", i, by)
			} else if h := (*HeldError)(nil); errors.As(err, &h) {
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
