package versions

import (
	"errors"
	"os"
	"path/filepath"
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

func TestMoveTo_IsOneActOfTwoStores(t *testing.T) {
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
	moved := func(when string) {
		t.Helper()
		if a, b, gone := textIn(t, other, "from/notes/a"), textIn(t, other, "from/notes/b"), textIn(t, w.store, "notes/a"); a != "one\ntwo\n" || b != "b\n" || gone != "(none)" {
			t.Fatalf("%s: %q, %q, %q", when, a, b, gone)
		}
	}
	back := func(when string) {
		t.Helper()
		if a, b, gone := textIn(t, w.store, "notes/a"), textIn(t, w.store, "notes/b"), textIn(t, other, "from/notes/a"); a != "one\ntwo\n" || b != "b\n" || gone != "(none)" {
			t.Fatalf("%s: %q, %q, %q", when, a, b, gone)
		}
	}
	moved("moved")
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

	// Either side undoes and redoes both, again and again.
	_, err = other.Undo(ctx, alice, there.Number)
	w.must(err)
	back("undone there")
	_, err = w.store.Redo(ctx, alice, here.Number)
	w.must(err)
	moved("redone here")
	_, err = w.store.Undo(ctx, alice, here.Number)
	w.must(err)
	back("undone here")
	_, err = other.Redo(ctx, alice, there.Number)
	w.must(err)
	moved("redone there")
	p, err := other.PlanUndoSession(ctx, alice.Session)
	w.must(err)
	if len(p.Changes) > 0 {
		_, err = other.Apply(ctx, alice, p, nil)
		w.must(err)
		back("the session undone there")
	}
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
	_, err = other.Undo(ctx, alice, c.Number)
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" {
		t.Fatal("the undo of a copy")
	}
}

// A conflict in one store leaves both as they are.
func TestMoveTo_IsUndoneInBothStoresOrInNone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	here, there, err := w.store.MoveTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	w.write(alice, "a", "something new\n")
	before := w.lastNumber()
	if _, err := other.Undo(ctx, alice, there.Number); err == nil || !strings.Contains(err.Error(), "one act") {
		t.Fatalf("%v", err)
	}
	if textIn(t, other, "b") != "one\n" || textIn(t, w.store, "a") != "something new\n" || w.lastNumber() != before {
		t.Fatal("a refused undo changed something")
	}
	w.deleteBy(alice, "a")
	_, err = w.store.Undo(ctx, alice, here.Number)
	w.must(err)
	if textIn(t, other, "b") != "(none)" || textIn(t, w.store, "a") != "one\n" {
		t.Fatal("not undone in both")
	}
}

// Both stores decide, and an act that one of them holds is denied as a whole.
func TestMoveTo_NeedsThePermissionOfBothStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	move := func() error {
		_, _, err := w.store.MoveTo(ctx, robot, other, Transfer{mustPath("a"), mustPath("b")})
		return err
	}
	unchanged := func(when string, err error, want any) {
		t.Helper()
		if !errors.As(err, want) {
			t.Fatalf("%s: %v", when, err)
		}
		if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" {
			t.Fatalf("%s: it went", when)
		}
	}
	w.must(w.store.Pin(ctx, alice, mustPath("a"), PinAgents))
	unchanged("a pin here", move(), new(*DeniedError))
	w.must(w.store.Unpin(ctx, alice, mustPath("a")))
	w.must(other.Pin(ctx, alice, mustPath("b"), PinAgents))
	unchanged("a pin there", move(), new(*DeniedError))
	w.must(other.Unpin(ctx, alice, mustPath("b")))
	w.policy("hold actor:agent verb:delete")
	unchanged("a deletion held here", move(), new(*DeniedError))
	w.policy("allow")
	w.must(other.SetPolicy(ctx, alice, "", "hold actor:agent"))
	unchanged("a creation held there", move(), new(*DeniedError))
	_, err := w.store.CopyTo(ctx, robot, other, Transfer{mustPath("a"), mustPath("b")})
	unchanged("a copy held there", err, new(*HeldError))
	held := (*HeldError)(nil)
	errors.As(err, &held)
	p, err := other.PlanHeld(ctx, held.Number)
	w.must(err)
	_, err = other.Accept(ctx, alice, p, nil)
	w.must(err)
	if textIn(t, other, "b") != "one\n" {
		t.Fatal("the accepted copy")
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

// A step that fails in the second store takes the first one back.
func TestMoveTo_ThatFailsInOneFolderLeavesBothAsTheyWere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	fail := false
	w := newWorld(t, Options{Hook: func(step string) error {
		if fail && step == "remove" {
			fail = false
			return errors.New("no")
		}
		return nil
	}})
	other := w.second()
	defer other.Close()
	w.write(alice, "a", "one\n")
	n := w.lastNumber()
	fail = true
	_, _, err := w.store.MoveTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	fail = false
	if err == nil {
		t.Fatal("it did not fail")
	}
	t.Log(err)
	last, err := other.LastChange(ctx)
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "(none)" || w.lastNumber() != n || last != 0 {
		t.Fatalf("changes %d, %d", w.lastNumber(), last)
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

// Without the other store, its part of an act can't be undone, so neither is.
func TestMoveTo_OfAStoreThatIsGone(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other := newTwo(t)
	w.write(alice, "a", "one\n")
	here, _, err := w.store.MoveTo(ctx, alice, other, Transfer{mustPath("a"), mustPath("b")})
	w.must(err)
	folder := other.Info().Folder
	w.must(other.Close())
	w.must(os.Rename(folder, folder+".away"))
	if _, err := w.store.Undo(ctx, alice, here.Number); err == nil || !strings.Contains(err.Error(), "one act") {
		t.Fatal(err)
	}
	if textIn(t, w.store, "a") != "(none)" {
		t.Fatal("half undone")
	}
	w.must(os.Rename(folder+".away", folder))
	_, err = w.trail.DeleteStore(ctx, alice, other.Info().ID, Scrub{})
	w.must(err)
	if v := w.versionOf("a", 2); v.Across != nil {
		t.Fatalf("it names a deleted store: %+v", v.Across)
	}
	_, err = w.store.Undo(ctx, alice, here.Number)
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" {
		t.Fatal("not undone")
	}
}

// What an act that changes nothing has found in both stores is in the chains of both.
func TestAnActThatChangesNothingKeepsWhatItFound(t *testing.T) {
	t.Parallel()
	w, other := newTwo(t)
	must(w, os.WriteFile(filepath.Join(w.folder, "a"), []byte("a\n"), 0o600))
	must(w, os.WriteFile(filepath.Join(other.Info().Folder, "b"), []byte("b\n"), 0o600))
	read := func(s *Store, p string) part {
		return part{s: s, reads: true, want: func(d *mutation) error { return d.readFor(&crossing{}, Transfer{From: mustPath(p)}) }}
	}
	_, err := w.trail.mutateTogether(t.Context(), alice, read(w.store, "a"), read(other, "b"))
	must(w, err)
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
