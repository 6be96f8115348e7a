package versions

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
)

// two is a world with a second store.
func newTwo(t *testing.T) (*world, *Store) {
	w := newWorld(t)
	other := w.second()
	t.Cleanup(func() { _ = other.Close() })
	return w, other
}

func textIn(t *testing.T, s *Store, p string) string {
	t.Helper()
	e, err := s.Entry(t.Context(), mustPath(p))
	if errors.Is(err, memfs.ErrNotExist) || errors.Is(err, ErrNoMemory) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Content(t.Context(), e.Version)
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _, err := s.folder().Read(mustPath(p), 1<<20)
	if err != nil || string(onDisk) != string(b) {
		t.Fatalf("%s: the folder has %q, %v; the trail %q", p, onDisk, err, b)
	}
	return string(b)
}

func TestMoveTo_IsACopyAndADeletionWithUndosOfTheirOwn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "notes/a", "one\n")
	w.write(robot, "notes/a", "one\ntwo\n")
	w.write(alice, "notes/b", "b\n")
	here, there, err := w.store.MoveTo(ctx, alice, other, Transfer{mustPath("notes"), mustPath("from/notes")})
	if err != nil {
		t.Fatal(err)
	}
	texts := func(when, original, copied string) {
		t.Helper()
		if a, b := textIn(t, w.store, "notes/a"), textIn(t, other, "from/notes/a"); a != original || b != copied {
			t.Fatalf("%s: %q, %q", when, a, b)
		}
		if b := textIn(t, other, "from/notes/b"); (b == "b\n") != (copied != "(none)") {
			t.Fatalf("%s: the second memory of the folder is %q", when, b)
		}
	}
	texts("moved", "(none)", "one\ntwo\n")
	if here.Kind != KindDelete || there.Kind != KindCreate || here.Versions != 2 || there.Versions != 2 {
		t.Fatalf("%+v, %+v", here, there)
	}

	e, err := other.Entry(ctx, mustPath("from/notes/a"))
	w.must(err)
	vs, err := other.History(ctx, e.Memory, 0, 10)
	w.must(err)
	from := vs[len(vs)-1].Across
	if from == nil || from.Store != w.store.Info().ID || from.Number != 2 || from.Path != mustPath("notes/a") || from.Version != w.versionOf("notes/a", 2).ID {
		t.Fatalf("it comes from %+v", from)
	}
	gone := w.versionOf("notes/a", 3)
	if gone.Across == nil || gone.Across.Version != vs[0].ID || gone.Across.Store != other.Info().ID {
		t.Fatalf("it went to %+v", gone.Across)
	}
	b, err := other.Blame(ctx, e.Version)
	w.must(err)
	if len(b.Runs) != 2 || b.Runs[0].By.Actor != alice.Actor || b.Runs[1].By.Actor != robot.Actor {
		t.Fatalf("%+v", b.Runs)
	}

	_, err = w.store.Do(ctx, alice, UndoChange(here.Number))
	w.must(err)
	texts("the deletion undone", "one\ntwo\n", "one\ntwo\n")
	_, err = w.store.Do(ctx, alice, RedoChange(here.Number))
	w.must(err)
	texts("the deletion redone", "(none)", "one\ntwo\n")
	_, err = other.Do(ctx, alice, UndoChange(there.Number))
	w.must(err)
	texts("the copy undone", "(none)", "(none)")
	_, err = w.store.Do(ctx, alice, UndoLast(alice.Actor))
	w.must(err)
	texts("both undone", "one\ntwo\n", "(none)")
}

func TestCopyTo_LeavesTheOriginalAndNamesIt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	c, err := w.store.CopyTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "one\n" {
		t.Fatal("it is not in both")
	}
	if _, err := w.store.CopyTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")}); !errors.Is(err, memfs.ErrExist) {
		t.Fatalf("a copy onto a memory: %v", err)
	}
	if _, err := w.store.CopyTo(ctx, alice, w.store, Transfer{mustPath("a"), mustPath("z")}); !errors.Is(err, ErrSameStore) {
		t.Fatalf("into itself: %v", err)
	}
	_, err = other.Do(ctx, alice, UndoChange(c.Number))
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" {
		t.Fatal("the undo of a copy")
	}
}

// What stops the copy deletes nothing. A copy that is held can be accepted; the original is the person's to delete.
func TestMoveTo_DeletesNothingWithoutTheCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	refused := func(when string, want any) {
		t.Helper()
		_, _, err := w.store.MoveTo(ctx, robot, other, Transfer{mustPath("a"), mustPath("b")})
		if !errors.As(err, want) || errors.As(err, new(*OriginalError)) {
			t.Fatalf("%s: %v", when, err)
		}
		if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" {
			t.Fatalf("%s: it went", when)
		}
	}
	w.must(other.Pin(ctx, alice, mustPath("b"), PinAgents))
	refused("a pin there", new(*DeniedError))
	w.must(other.Unpin(ctx, alice, mustPath("b")))
	w.must(other.SetPolicy(ctx, alice, "", "hold actor:agent"))
	held := (*HeldError)(nil)
	refused("a creation held there", &held)
	p, err := other.Plan(ctx, Accept(held.Number))
	w.must(err)
	_, err = other.Apply(ctx, alice, p, nil)
	w.must(err)
	if textIn(t, other, "b") != "one\n" || textIn(t, w.store, "a") != "one\n" {
		t.Fatal("the accepted copy")
	}
}

// A deletion that is always denied is refused before anything is copied: else each try would leave a copy.
func TestMoveTo_IsRefusedBeforeItCopiesWhatMayNotBeDeleted(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(w *world){
		"a pin":                func(w *world) { w.must(w.store.Pin(w.t.Context(), alice, mustPath("d"), PinAgents)) },
		"a policy that denies": func(w *world) { w.policy("deny actor:agent verb:delete") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			other := w.second()
			t.Cleanup(func() { _ = other.Close() })
			w.write(alice, "d/a", "one\n")
			before(w)
			_, there, err := w.store.MoveTo(t.Context(), robot, other, Transfer{mustPath("d"), mustPath("e")})
			if !errors.As(err, new(*DeniedError)) || errors.As(err, new(*OriginalError)) || there.Number != 0 {
				t.Errorf("%+v, %v", there, err)
			}
			if textIn(t, other, "e/a") != "(none)" || textIn(t, w.store, "d/a") != "one\n" {
				t.Error("something was copied or deleted")
			}
		})
	}
}

// If the original can't be deleted, it stays. The error says so and why, and where the copy is.
func TestMoveTo_KeepsTheOriginalIfItsDeletionFails(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(w *world)        // before the move
		middle func(at string) error // at the steps of the deletion
		then   func(w *world)        // between the copy and the deletion
		want   any                   // the cause
		says   string
	}{
		"a policy that holds": {before: func(w *world) { w.policy("hold actor:agent verb:delete") }, want: new(*HeldError), says: "held for review"},
		"a change meanwhile":  {then: func(w *world) { w.outside("d/a", "new\n") }, want: new(*ConflictError), says: "/memories/d/a"},
		"a file meanwhile":    {then: func(w *world) { w.outside("d/z", "new\n") }, says: "/memories/d/z: it was created meanwhile and is not copied"},
		"a folder that fails": {middle: func(at string) error {
			if at == "remove" {
				return errors.New("no disk")
			}
			return nil
		}, says: "no disk"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			var w *world
			moving := false
			w = newWorld(t, Options{Hook: func(at string) error {
				if !moving {
					return nil
				}
				if at == "after-final-commit" && c.then != nil {
					moving = false
					c.then(w)
				}
				if c.middle != nil {
					return c.middle(at)
				}
				return nil
			}})
			other := w.second()
			t.Cleanup(func() { _ = other.Close() })
			w.write(alice, "d/a", "one\n")
			if c.before != nil {
				c.before(w)
			}
			n := w.lastNumber()
			moving = true
			here, there, err := w.store.MoveTo(ctx, robot, other, Transfer{mustPath("d"), mustPath("e")})
			moving = false
			var left *OriginalError
			if !errors.As(err, &left) || here.Number != 0 || there.Number != 1 || left.Change != 1 {
				t.Fatalf("%+v, %+v, %v", here, there, err)
			}
			if c.want != nil && !errors.As(err, c.want) {
				t.Errorf("the cause is %v", left.Err)
			}
			if text := err.Error(); !strings.HasPrefix(text, fmt.Sprintf("store second has the copy /memories/e (change 1), but the original /memories/d is still in store %s: ", w.store.Info().Name)) || !strings.Contains(text, c.says) {
				t.Errorf("it says %s", text)
			}
			if textIn(t, other, "e/a") != "one\n" {
				t.Error("there is no copy")
			}
			want := "one\n"
			if name == "a change meanwhile" {
				want = "new\n"
			}
			if got := textIn(t, w.store, "d/a"); got != want {
				t.Errorf("the original is %q", got)
			}
			if c.then == nil && w.lastNumber() != n {
				t.Error("there is a deletion")
			}
			_, err = other.Do(ctx, robot, UndoChange(there.Number))
			w.must(err)
			if textIn(t, other, "e/a") != "(none)" {
				t.Error("the copy is not undone")
			}
		})
	}
}

// A text that came from the web stays one, whoever copies it.
func TestCopyTo_KeepsWhatTheWriterHadTakenIn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.must(w.trail.NoteInputs(ctx, robot, InputWeb, w.trail.now()))
	w.write(robot, "a", "from a page\n")
	c, err := w.store.CopyTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	if c.Inputs.SecondHand() != InputWeb {
		t.Fatalf("the copy was made after %q", c.Inputs)
	}
}

// What is no memory would be lost, so nothing moves.
func TestMoveTo_RefusesAFolderWithOtherFiles(t *testing.T) {
	t.Parallel()
	w, other := newTwo(t)
	w.write(alice, "d/a", "one\n")
	w.outside("d/.hidden", "moves too")
	w.must(os.Symlink("a", w.host("d/link")))
	_, _, err := w.store.MoveTo(t.Context(), alice, other, Transfer{mustPath("d"), mustPath("d")})
	if err == nil || !strings.Contains(err.Error(), "is not a memory") {
		t.Fatal(err)
	}
	if textIn(t, w.store, "d/a") != "one\n" || textIn(t, other, "d/a") != "(none)" {
		t.Fatal("it went")
	}
	w.must(os.Remove(w.host("d/link")))
	_, _, err = w.store.MoveTo(t.Context(), alice, other, Transfer{mustPath("d"), mustPath("d")})
	w.must(err)
	if textIn(t, other, "d/.hidden") != "moves too\n" && textIn(t, other, "d/.hidden") != "moves too" {
		t.Fatal("the hidden file")
	}
}

// A copy has the same content, so a redaction of the original names it, and one of the text erases it.
func TestARedactionOfACopiedMemoryFindsTheCopy(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "the secret of the copied memory 0123456789\n")
	_, err := w.store.CopyTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	copied, err := other.Entry(ctx, mustPath("b"))
	w.must(err)
	target := RedactTarget{Version: w.versionOf("a", 1).ID}
	p, err := w.store.PlanRedact(ctx, target)
	w.must(err)
	if len(p.Erase) != 1 || len(p.Kept) != 1 || p.Kept[0].StoreID != other.Info().ID || p.Kept[0].Path != mustPath("b") {
		t.Fatalf("it erases %+v and keeps %+v", p.Erase, p.Kept)
	}
	target = RedactTarget{Match: []byte("the secret of the copied memory"), AllStores: true}
	p, err = w.store.PlanRedact(ctx, target)
	w.must(err)
	r, err := w.store.Redact(ctx, alice, p, RedactChoice{Heads: HeadDelete})
	w.must(err)
	if r.Outcome != OutcomeGone || r.Versions != 2 {
		t.Fatalf("%+v", r)
	}
	vs, err := other.History(ctx, copied.Memory, 0, 10)
	w.must(err)
	if from := vs[len(vs)-1].Across; from == nil || from.Number != 1 || !from.Path.IsRoot() {
		t.Fatalf("the redacted copy comes from %+v", from)
	}
	w.must(other.Close())
	w.wantNowhere("the secret of the copied memory")
}

// A deletion that names a version in another store is undone alone, whether that store is there or not.
func TestMoveTo_IsUndoneWithoutTheOtherStore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	here, _, err := w.store.MoveTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	w.must(other.Close())
	_, err = w.trail.DeleteStore(ctx, alice, other.Info().ID, Scrub{})
	w.must(err)
	if v := w.versionOf("a", 2); v.Across != nil {
		t.Fatalf("it names a deleted store: %+v", v.Across)
	}
	_, err = w.store.Do(ctx, alice, UndoChange(here.Number))
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" {
		t.Fatal("not undone")
	}
}

// A copy that is refused keeps what it found in the folder, and the chains of both stores agree.
func TestCopyTo_ThatIsRefusedKeepsWhatItFound(t *testing.T) {
	t.Parallel()
	w, other := newTwo(t)
	w.outside("a", "a\n")
	writeText(t, other, alice, "b", "b\n")
	if _, err := w.store.CopyTo(t.Context(), alice, other, Transfer{mustPath("a"), mustPath("b")}); !errors.Is(err, memfs.ErrExist) {
		t.Fatal(err)
	}
	for _, s := range []*Store{w.store, other} {
		r, err := s.Check(t.Context())
		if err != nil || len(r) > 0 {
			t.Errorf("%s: %+v, %v", s.Info().Name, r, err)
		}
	}
	if a, b := textIn(t, w.store, "a"), textIn(t, other, "b"); a != "a\n" || b != "b\n" {
		t.Errorf("%q, %q", a, b)
	}
}
