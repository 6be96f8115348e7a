package engine_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

// two is a world with a second store.
func newTwo(t *testing.T) (*world, *core.Store) {
	w := newWorld(t)
	other := w.second()
	t.Cleanup(func() { _ = other.Close() })
	return w, other
}

func textIn(t *testing.T, s *core.Store, p string) string {
	t.Helper()
	e, err := vhistory.Entry(t.Context(), s, mustPath(p))
	if errors.Is(err, memfs.ErrNotExist) || errors.Is(err, versions.ErrNoMemory) {
		return "(none)"
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := vhistory.Content(t.Context(), s, e.Version)
	if err != nil {
		t.Fatal(err)
	}
	onDisk, _, err := core.Folder(s).Read(mustPath(p), 1<<20)
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
	here, there, err := write.MoveTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("notes"), To: mustPath("from/notes")})
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
	if here.Kind != versions.KindDelete || there.Kind != versions.KindCreate || here.Versions != 2 || there.Versions != 2 {
		t.Fatalf("%+v, %+v", here, there)
	}

	e, err := vhistory.Entry(ctx, other, mustPath("from/notes/a"))
	w.must(err)
	vs, err := vhistory.Of(ctx, other, e.Memory, 0, 10)
	w.must(err)
	from := vs[len(vs)-1].Across
	if from == nil || from.Store != w.store.Info().ID || from.Number != 2 || from.Path != mustPath("notes/a") || from.Version != w.versionOf("notes/a", 2).ID {
		t.Fatalf("it comes from %+v", from)
	}
	gone := w.versionOf("notes/a", 3)
	if gone.Across == nil || gone.Across.Version != vs[0].ID || gone.Across.Store != other.Info().ID {
		t.Fatalf("it went to %+v", gone.Across)
	}
	b, err := vhistory.Blame(ctx, other, e.Version)
	w.must(err)
	if len(b.Runs) != 2 || b.Runs[0].By.Actor != alice.Actor || b.Runs[1].By.Actor != robot.Actor {
		t.Fatalf("%+v", b.Runs)
	}

	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(here.Number))
	w.must(err)
	texts("the deletion undone", "one\ntwo\n", "one\ntwo\n")
	_, err = plan.Do(ctx, w.store, alice, plan.RedoChange(here.Number))
	w.must(err)
	texts("the deletion redone", "(none)", "one\ntwo\n")
	_, err = plan.Do(ctx, other, alice, plan.UndoChange(there.Number))
	w.must(err)
	texts("the copy undone", "(none)", "(none)")
	_, err = plan.Do(ctx, w.store, alice, plan.UndoLast{By: alice.Actor})
	w.must(err)
	texts("both undone", "one\ntwo\n", "(none)")
}

func TestCopyTo_LeavesTheOriginalAndNamesIt(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	c, err := write.CopyTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "one\n" {
		t.Fatal("it is not in both")
	}
	if _, err := write.CopyTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")}); !errors.Is(err, memfs.ErrExist) {
		t.Fatalf("a copy onto a memory: %v", err)
	}
	if _, err := write.CopyTo(ctx, w.store, alice, w.store, versions.Transfer{From: mustPath("a"), To: mustPath("z")}); !errors.Is(err, versions.ErrSameStore) {
		t.Fatalf("into itself: %v", err)
	}
	_, err = plan.Do(ctx, other, alice, plan.UndoChange(c.Number))
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
		_, _, err := write.MoveTo(ctx, w.store, robot, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
		if !errors.As(err, want) || errors.As(err, new(*versions.OriginalError)) {
			t.Fatalf("%s: %v", when, err)
		}
		if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" {
			t.Fatalf("%s: it went", when)
		}
	}
	w.must(review.Pin(ctx, other, alice, mustPath("b"), versions.PinAgents))
	refused("a pin there", new(*versions.DeniedError))
	w.must(review.Unpin(ctx, other, alice, mustPath("b")))
	w.must(review.SetPolicy(ctx, other, alice, "", "hold actor:agent"))
	held := (*versions.HeldError)(nil)
	refused("a creation held there", &held)
	p, err := plan.Make(ctx, other, plan.Accept(held.Number))
	w.must(err)
	_, err = plan.Apply(ctx, other, alice, p, nil)
	w.must(err)
	if textIn(t, other, "b") != "one\n" || textIn(t, w.store, "a") != "one\n" {
		t.Fatal("the accepted copy")
	}
}

// A deletion that is always denied is refused before anything is copied: else each try would leave a copy.
func TestMoveTo_IsRefusedBeforeItCopiesWhatMayNotBeDeleted(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]func(w *world){
		"a pin":                func(w *world) { w.must(review.Pin(w.t.Context(), w.store, alice, mustPath("d"), versions.PinAgents)) },
		"a policy that denies": func(w *world) { w.policy("deny actor:agent verb:delete") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			other := w.second()
			t.Cleanup(func() { _ = other.Close() })
			w.write(alice, "d/a", "one\n")
			before(w)
			_, there, err := write.MoveTo(t.Context(), w.store, robot, other, versions.Transfer{From: mustPath("d"), To: mustPath("e")})
			if !errors.As(err, new(*versions.DeniedError)) || errors.As(err, new(*versions.OriginalError)) || there.Number != 0 {
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
		"a policy that holds": {before: func(w *world) { w.policy("hold actor:agent verb:delete") }, want: new(*versions.HeldError), says: "held for review"},
		"a change meanwhile":  {then: func(w *world) { w.outside("d/a", "new\n") }, want: new(*versions.ConflictError), says: "/memories/d/a"},
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
			w = newWorld(t, versions.Options{Hook: func(at string) error {
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
			here, there, err := write.MoveTo(ctx, w.store, robot, other, versions.Transfer{From: mustPath("d"), To: mustPath("e")})
			moving = false
			var left *versions.OriginalError
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
			_, err = plan.Do(ctx, other, robot, plan.UndoChange(there.Number))
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
	w.must(w.trail.NoteInputs(ctx, robot, versions.InputWeb, w.trail.Now()))
	w.write(robot, "a", "from a page\n")
	c, err := write.CopyTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
	w.must(err)
	if c.Inputs.SecondHand() != versions.InputWeb {
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
	_, _, err := write.MoveTo(t.Context(), w.store, alice, other, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
	if err == nil || !strings.Contains(err.Error(), "is not a memory") {
		t.Fatal(err)
	}
	if textIn(t, w.store, "d/a") != "one\n" || textIn(t, other, "d/a") != "(none)" {
		t.Fatal("it went")
	}
	w.must(os.Remove(w.host("d/link")))
	_, _, err = write.MoveTo(t.Context(), w.store, alice, other, versions.Transfer{From: mustPath("d"), To: mustPath("d")})
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
	_, err := write.CopyTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
	w.must(err)
	copied, err := vhistory.Entry(ctx, other, mustPath("b"))
	w.must(err)
	target := versions.RedactTarget{Version: w.versionOf("a", 1).ID}
	p, err := redact.Prepare(ctx, w.store, target)
	w.must(err)
	if len(p.Erase) != 1 || len(p.Kept) != 1 || p.Kept[0].StoreID != other.Info().ID || p.Kept[0].Path != mustPath("b") {
		t.Fatalf("it erases %+v and keeps %+v", p.Erase, p.Kept)
	}
	target = versions.RedactTarget{Match: []byte("the secret of the copied memory"), AllStores: true}
	p, err = redact.Prepare(ctx, w.store, target)
	w.must(err)
	r, err := redact.Do(ctx, w.store, alice, p, versions.RedactChoice{Heads: versions.HeadDelete})
	w.must(err)
	if r.Outcome != versions.OutcomeGone || r.Versions != 2 {
		t.Fatalf("%+v", r)
	}
	vs, err := vhistory.Of(ctx, other, copied.Memory, 0, 10)
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
	here, _, err := write.MoveTo(ctx, w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")})
	w.must(err)
	w.must(other.Close())
	_, err = stores.Delete(ctx, w.trail, alice, other.Info().ID, versions.Scrub{})
	w.must(err)
	if v := w.versionOf("a", 2); v.Across != nil {
		t.Fatalf("it names a deleted store: %+v", v.Across)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(here.Number))
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
	if _, err := write.CopyTo(t.Context(), w.store, alice, other, versions.Transfer{From: mustPath("a"), To: mustPath("b")}); !errors.Is(err, memfs.ErrExist) {
		t.Fatal(err)
	}
	for _, s := range []*core.Store{w.store, other} {
		r, err := check.Store(t.Context(), s)
		if err != nil || len(r) > 0 {
			t.Errorf("%s: %+v, %v", s.Info().Name, r, err)
		}
	}
	if a, b := textIn(t, w.store, "a"), textIn(t, other, "b"); a != "a\n" || b != "b\n" {
		t.Errorf("%q, %q", a, b)
	}
}
