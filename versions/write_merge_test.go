package versions

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
)

// mergingOf is a memory that is to be merged as it is now.
func mergingOf(t *testing.T, s *Store, p string) Merging {
	t.Helper()
	e, err := s.Entry(t.Context(), mustPath(p))
	if err != nil {
		t.Fatal(err)
	}
	return Merging{Store: s.Info().ID, Path: mustPath(p), SHA256: e.SHA256}
}

// newMerging is a world with a memory "a", and one to merge with it in the second store.
func newMerging(t *testing.T) (w *world, other *Store, a, b Merging) {
	w, other = newTwo(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "a", "one\ntwo\n")
	_, err := other.Write(t.Context(), robot, mustPath("d/b"), []byte("one\nthree\n"), Pre{})
	w.must(err)
	return w, other, mergingOf(t, w.store, "a"), mergingOf(t, other, "d/b")
}

func TestMergeInto_IsOneActOfTwoStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, b := newMerging(t)
	before := w.versionOf("a", 2)
	e, err := other.Entry(ctx, b.Path)
	w.must(err)
	kept, deleted, err := w.trail.MergeInto(ctx, alice, a, b, []byte("one\ntwo\nthree\n"))
	w.must(err)
	if kept.Kind != KindEdit || deleted.Kind != KindDelete || kept.Versions != 1 || deleted.Versions != 1 {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	merged := func(when string) {
		t.Helper()
		if here, there := textIn(t, w.store, "a"), textIn(t, other, "d/b"); here != "one\ntwo\nthree\n" || there != "(none)" {
			t.Fatalf("%s: %q, %q", when, here, there)
		}
	}
	apart := func(when string) {
		t.Helper()
		if here, there := textIn(t, w.store, "a"), textIn(t, other, "d/b"); here != "one\ntwo\n" || there != "one\nthree\n" {
			t.Fatalf("%s: %q, %q", when, here, there)
		}
	}
	merged("merged")
	v := w.versionOf("a", 3)
	if v.Memory != before.Memory || v.Operation != Modified || v.Across == nil || v.Across.Version != e.Version || v.Across.Path != b.Path {
		t.Fatalf("the merged version: %+v, with %+v", v, v.Across)
	}
	gone, err := other.History(ctx, e.Memory, 0, 10)
	w.must(err)
	if len(gone) != 2 || gone[0].Across == nil || gone[0].Across.Version != v.ID {
		t.Fatalf("the merged memory: %+v", gone)
	}
	// Either side undoes and redoes both.
	_, err = w.store.Undo(ctx, alice, kept.Number)
	w.must(err)
	apart("undone where it was kept")
	_, err = other.Redo(ctx, alice, deleted.Number)
	w.must(err)
	merged("redone where it was deleted")
	_, err = other.Undo(ctx, alice, deleted.Number)
	w.must(err)
	apart("undone where it was deleted")
	_, err = w.store.Redo(ctx, alice, kept.Number)
	w.must(err)
	merged("redone where it was kept")
}

func TestMergeInto_InOneStoreIsOneChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "b", "one\ntwo\n")
	a, b := mergingOf(t, w.store, "a"), mergingOf(t, w.store, "b")
	if _, _, err := w.trail.MergeInto(ctx, alice, a, a, []byte("x\n")); !errors.Is(err, ErrSameMemory) {
		t.Fatalf("with itself: %v", err)
	}
	kept, deleted, err := w.trail.MergeInto(ctx, alice, a, b, []byte("one\ntwo\nthree\n"))
	w.must(err)
	if kept.Number != deleted.Number || kept.Versions != 2 || textIn(t, w.store, "a") != "one\ntwo\nthree\n" || textIn(t, w.store, "b") != "(none)" {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	_, err = w.store.Undo(ctx, alice, kept.Number)
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, w.store, "b") != "one\ntwo\n" {
		t.Fatal("not undone")
	}
	// If one of them says it all, only the other is deleted.
	kept, _, err = w.trail.MergeInto(ctx, alice, b, a, []byte("one\ntwo\n"))
	w.must(err)
	if kept.Kind != KindDelete || kept.Path != mustPath("a") || textIn(t, w.store, "b") != "one\ntwo\n" || textIn(t, w.store, "a") != "(none)" {
		t.Fatalf("%+v", kept)
	}
}

func TestMergeInto_AMemoryThatSaysItAllDeletesTheOther(t *testing.T) {
	t.Parallel()
	w, other, a, b := newMerging(t)
	n := w.lastNumber()
	kept, deleted, err := w.trail.MergeInto(t.Context(), alice, a, b, []byte("one\ntwo\n"))
	w.must(err)
	if kept.Number != 0 || deleted.Versions != 1 || w.lastNumber() != n || textIn(t, other, "d/b") != "(none)" {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	_, err = other.Undo(t.Context(), alice, deleted.Number)
	w.must(err)
	if textIn(t, w.store, "a") != "one\ntwo\n" || textIn(t, other, "d/b") != "one\nthree\n" {
		t.Fatal("the undo of the deletion")
	}
}

// Both have the contents that were merged, or nothing is written.
func TestMergeInto_NeedsBothAsTheyWere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, change := range map[string]func(w *world, other *Store) (store string){
		"the kept one changed": func(w *world, _ *Store) string { w.write(robot, "a", "new\n"); return w.store.Info().Name },
		"the kept one changed outside": func(w *world, _ *Store) string {
			w.outside("a", "new\n")
			return w.store.Info().Name
		},
		"the kept one deleted": func(w *world, _ *Store) string { w.deleteBy(robot, "a"); return w.store.Info().Name },
		"the kept one redacted": func(w *world, _ *Store) string {
			p, err := w.store.PlanRedact(ctx, RedactTarget{Version: w.versionOf("a", 2).ID})
			w.must(err)
			_, err = w.store.Redact(ctx, alice, p, RedactChoice{Heads: HeadDelete})
			w.must(err)
			return w.store.Info().Name
		},
		"the other one changed": func(w *world, other *Store) string {
			_, err := other.Write(ctx, robot, mustPath("d/b"), []byte("new\n"), Pre{})
			w.must(err)
			return "second"
		},
		"the other one renamed": func(w *world, other *Store) string {
			_, err := other.Rename(ctx, robot, mustPath("d/b"), mustPath("d/c"))
			w.must(err)
			return "second"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, other, a, b := newMerging(t)
			in := change(w, other)
			w.sync()
			here, there := textIn(t, w.store, "a"), textIn(t, other, "d/b")
			n := w.lastNumber()
			_, _, err := w.trail.MergeInto(ctx, alice, a, b, []byte("one\ntwo\nthree\n"))
			if c := (*ConflictError)(nil); !errors.As(err, &c) || !strings.Contains(err.Error(), "store "+in+":") {
				t.Fatalf("%v, want a conflict in %s", err, in)
			}
			if textIn(t, w.store, "a") != here || textIn(t, other, "d/b") != there || w.lastNumber() != n {
				t.Fatal("a refused merge changed something")
			}
		})
	}
}

func TestMergeInto_NeedsThePermissionOfBothStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, b := newMerging(t)
	merge := func(by By) error {
		_, _, err := w.trail.MergeInto(ctx, by, a, b, []byte("one\ntwo\nthree\n"))
		return err
	}
	refused := func(when string, err error, want any) {
		t.Helper()
		if !errors.As(err, want) {
			t.Fatalf("%s: %v", when, err)
		}
		if textIn(t, w.store, "a") != "one\ntwo\n" || textIn(t, other, "d/b") != "one\nthree\n" {
			t.Fatalf("%s: it was merged", when)
		}
		for _, s := range []*Store{w.store, other} {
			if held, err := s.Held(ctx, HeldFilter{}); err != nil || len(held) > 0 {
				t.Fatalf("%s: half of it waits: %v, %v", when, held, err)
			}
		}
	}
	w.must(w.store.Pin(ctx, alice, mustPath("a"), PinAll))
	refused("a pin on the kept one", merge(alice), new(*DeniedError))
	w.must(w.store.Unpin(ctx, alice, mustPath("a")))
	w.must(other.Pin(ctx, alice, mustPath("d"), PinAll))
	refused("a pin on the other one", merge(alice), new(*DeniedError))
	w.must(other.Unpin(ctx, alice, mustPath("d")))
	w.policy("hold actor:agent verb:edit")
	refused("an edit that is held", merge(robot), new(*DeniedError))
	w.policy("allow")
	w.must(other.SetPolicy(ctx, alice, "", "hold actor:agent verb:delete"))
	refused("a deletion that is held", merge(robot), new(*DeniedError))
	w.must(other.SetPolicy(ctx, alice, "", "allow"))
	_, err := w.trail.ArchiveStore(ctx, alice, w.store.Info().ID)
	w.must(err)
	if err := merge(alice); !errors.Is(err, ErrArchived) {
		t.Fatalf("an archived store: %v", err)
	}
}

// In one store a merge waits as a whole, and is done as a whole.
func TestMergeInto_InOneStoreWaitsForReview(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "b", "one\ntwo\n")
	w.policy("hold actor:agent")
	_, _, err := w.trail.MergeInto(ctx, robot, mergingOf(t, w.store, "a"), mergingOf(t, w.store, "b"), []byte("one\ntwo\nthree\n"))
	var held *HeldError
	if !errors.As(err, &held) || textIn(t, w.store, "a") != "one\n" || textIn(t, w.store, "b") != "one\ntwo\n" {
		t.Fatalf("%v", err)
	}
	p, err := w.store.PlanHeld(ctx, held.Number)
	w.must(err)
	_, err = w.store.Accept(ctx, alice, p, nil)
	w.must(err)
	if textIn(t, w.store, "a") != "one\ntwo\nthree\n" || textIn(t, w.store, "b") != "(none)" {
		t.Fatal("the accepted merge")
	}
}

// A text that came from the web stays one in whatever it is merged into.
func TestMergeInto_KeepsWhatTheWriterHadTakenIn(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, _ := newMerging(t)
	w.must(w.trail.NoteInputs(ctx, robot, InputWeb, w.trail.now()))
	_, err := other.Write(ctx, robot, mustPath("page"), []byte("from a page\n"), Pre{})
	w.must(err)
	kept, _, err := w.trail.MergeInto(ctx, alice, a, mergingOf(t, other, "page"), []byte("one\ntwo\nfrom a page\n"))
	w.must(err)
	if kept.Inputs.SecondHand() != InputWeb {
		t.Fatalf("it was merged after %q", kept.Inputs)
	}
}

// A step that fails in the second folder undoes what was done in the first.
func TestMergeInto_ThatFailsInOneFolderLeavesBothAsTheyWere(t *testing.T) {
	t.Parallel()
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
	_, err := other.Write(context.Background(), alice, mustPath("b"), []byte("two\n"), Pre{})
	w.must(err)
	a, b := mergingOf(t, w.store, "a"), mergingOf(t, other, "b")
	n := w.lastNumber()
	fail = true
	_, _, err = w.trail.MergeInto(t.Context(), alice, a, b, []byte("one\ntwo\n"))
	fail = false
	if err == nil {
		t.Fatal("it did not fail")
	}
	if textIn(t, w.store, "a") != "one\n" || textIn(t, other, "b") != "two\n" || w.lastNumber() != n {
		t.Fatalf("changes %d, %v", w.lastNumber(), err)
	}
}

func TestMergeInto_RefusesFolders(t *testing.T) {
	t.Parallel()
	w, _, a, b := newMerging(t)
	b.Path = mustPath("d")
	if _, _, err := w.trail.MergeInto(t.Context(), alice, a, b, nil); !errors.Is(err, memfs.ErrIsFolder) {
		t.Fatal(err)
	}
}
