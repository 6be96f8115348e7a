package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/review"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

// mergingOf is a memory that is to be merged as it is now.
func mergingOf(t *testing.T, s *core.Store, p string) versions.Merging {
	t.Helper()
	e, err := vhistory.Entry(t.Context(), s, mustPath(p))
	if err != nil {
		t.Fatal(err)
	}
	return versions.Merging{Store: s.Info().ID, Path: mustPath(p), SHA256: e.SHA256}
}

// newMerging is a world with a memory "a", and one to merge with it in the second store.
func newMerging(t *testing.T) (w *world, other *core.Store, a, b versions.Merging) {
	w, other = newTwo(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "a", "one\ntwo\n")
	_, err := other.Write(t.Context(), robot, mustPath("d/b"), []byte("one\nthree\n"), versions.Pre{})
	w.must(err)
	return w, other, mergingOf(t, w.store, "a"), mergingOf(t, other, "d/b")
}

func TestMergeInto_IsTwoChangesOfTwoStores(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, b := newMerging(t)
	before := w.versionOf("a", 2)
	e, err := vhistory.Entry(ctx, other, b.Path)
	w.must(err)
	kept, deleted, err := write.MergeInto(ctx, w.trail, alice, a, b, []byte("one\ntwo\nthree\n"))
	w.must(err)
	if kept.Kind != versions.KindEdit || deleted.Kind != versions.KindDelete || kept.Versions != 1 || deleted.Versions != 1 {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	texts := func(when, here, there string) {
		t.Helper()
		if a, b := textIn(t, w.store, "a"), textIn(t, other, "d/b"); a != here || b != there {
			t.Fatalf("%s: %q, %q", when, a, b)
		}
	}
	texts("merged", "one\ntwo\nthree\n", "(none)")
	v := w.versionOf("a", 3)
	if v.Memory != before.Memory || v.Operation != versions.Modified || v.Across == nil || v.Across.Version != e.Version || v.Across.Path != b.Path {
		t.Fatalf("the merged version: %+v, with %+v", v, v.Across)
	}
	gone, err := vhistory.Of(ctx, other, e.Memory, 0, 10)
	w.must(err)
	if len(gone) != 2 || gone[0].Across == nil || gone[0].Across.Version != v.ID {
		t.Fatalf("the merged memory: %+v", gone)
	}
	// Each is undone and redone alone.
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(kept.Number))
	w.must(err)
	texts("undone where it was kept", "one\ntwo\n", "(none)")
	_, err = plan.Do(ctx, other, alice, plan.UndoChange(deleted.Number))
	w.must(err)
	texts("undone where it was deleted", "one\ntwo\n", "one\nthree\n")
	_, err = plan.Do(ctx, w.store, alice, plan.RedoChange(kept.Number))
	w.must(err)
	texts("redone where it was kept", "one\ntwo\nthree\n", "one\nthree\n")
}

func TestMergeInto_InOneStoreIsOneChange(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w := newWorld(t)
	w.write(alice, "a", "one\n")
	w.write(alice, "b", "one\ntwo\n")
	a, b := mergingOf(t, w.store, "a"), mergingOf(t, w.store, "b")
	if _, _, err := write.MergeInto(ctx, w.trail, alice, a, a, []byte("x\n")); !errors.Is(err, versions.ErrSameMemory) {
		t.Fatalf("with itself: %v", err)
	}
	kept, deleted, err := write.MergeInto(ctx, w.trail, alice, a, b, []byte("one\ntwo\nthree\n"))
	w.must(err)
	if kept.Number != deleted.Number || kept.Versions != 2 || textIn(t, w.store, "a") != "one\ntwo\nthree\n" || textIn(t, w.store, "b") != "(none)" {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	_, err = plan.Do(ctx, w.store, alice, plan.UndoChange(kept.Number))
	w.must(err)
	if textIn(t, w.store, "a") != "one\n" || textIn(t, w.store, "b") != "one\ntwo\n" {
		t.Fatal("not undone")
	}
	// If one of them says it all, only the other is deleted.
	kept, _, err = write.MergeInto(ctx, w.trail, alice, b, a, []byte("one\ntwo\n"))
	w.must(err)
	if kept.Kind != versions.KindDelete || kept.Path != mustPath("a") || textIn(t, w.store, "b") != "one\ntwo\n" || textIn(t, w.store, "a") != "(none)" {
		t.Fatalf("%+v", kept)
	}
}

func TestMergeInto_AMemoryThatSaysItAllDeletesTheOther(t *testing.T) {
	t.Parallel()
	w, other, a, b := newMerging(t)
	n := w.lastNumber()
	kept, deleted, err := write.MergeInto(t.Context(), w.trail, alice, a, b, []byte("one\ntwo\n"))
	w.must(err)
	if kept.Number != 0 || deleted.Versions != 1 || w.lastNumber() != n || textIn(t, other, "d/b") != "(none)" {
		t.Fatalf("%+v, %+v", kept, deleted)
	}
	_, err = plan.Do(t.Context(), other, alice, plan.UndoChange(deleted.Number))
	w.must(err)
	if textIn(t, w.store, "a") != "one\ntwo\n" || textIn(t, other, "d/b") != "one\nthree\n" {
		t.Fatal("the undo of the deletion")
	}
}

// Both have the contents that were merged, or nothing is written.
func TestMergeInto_NeedsBothAsTheyWere(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for name, change := range map[string]func(w *world, other *core.Store) (store string){
		"the kept one changed": func(w *world, _ *core.Store) string { w.write(robot, "a", "new\n"); return w.store.Info().Name },
		"the kept one changed outside": func(w *world, _ *core.Store) string {
			w.outside("a", "new\n")
			return w.store.Info().Name
		},
		"the kept one deleted": func(w *world, _ *core.Store) string { w.deleteBy(robot, "a"); return w.store.Info().Name },
		"the kept one redacted": func(w *world, _ *core.Store) string {
			p, err := redact.Prepare(ctx, w.store, versions.RedactTarget{Version: w.versionOf("a", 2).ID})
			w.must(err)
			_, err = redact.Do(ctx, w.store, alice, p, versions.RedactChoice{Heads: versions.HeadDelete})
			w.must(err)
			return w.store.Info().Name
		},
		"the other one changed": func(w *world, other *core.Store) string {
			_, err := other.Write(ctx, robot, mustPath("d/b"), []byte("new\n"), versions.Pre{})
			w.must(err)
			return "second"
		},
		"the other one renamed": func(w *world, other *core.Store) string {
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
			_, _, err := write.MergeInto(ctx, w.trail, alice, a, b, []byte("one\ntwo\nthree\n"))
			if c := (*versions.ConflictError)(nil); !errors.As(err, &c) || !strings.Contains(err.Error(), "store "+in+":") {
				t.Fatalf("%v, want a conflict in %s", err, in)
			}
			if textIn(t, w.store, "a") != here || textIn(t, other, "d/b") != there || w.lastNumber() != n {
				t.Fatal("a refused merge changed something")
			}
		})
	}
}

// The kept memory is decided about first: what stops it deletes nothing.
func TestMergeInto_DeletesNothingWithoutTheMergedText(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, b := newMerging(t)
	refused := func(when string, by versions.By, want any) {
		t.Helper()
		_, _, err := write.MergeInto(ctx, w.trail, by, a, b, []byte("one\ntwo\nthree\n"))
		if !errors.As(err, want) || errors.As(err, new(*versions.OriginalError)) {
			t.Fatalf("%s: %v", when, err)
		}
		if textIn(t, w.store, "a") != "one\ntwo\n" || textIn(t, other, "d/b") != "one\nthree\n" {
			t.Fatalf("%s: it was merged", when)
		}
	}
	w.must(review.Pin(ctx, w.store, alice, mustPath("a"), versions.PinAll))
	refused("a pin", alice, new(*versions.DeniedError))
	w.must(review.Unpin(ctx, w.store, alice, mustPath("a")))
	w.policy("hold actor:agent verb:edit")
	refused("an edit that is held", robot, new(*versions.HeldError))
	_, err := stores.Archive(ctx, w.trail, alice, w.store.Info().ID)
	w.must(err)
	if _, _, err := write.MergeInto(ctx, w.trail, alice, a, b, []byte("x\n")); !errors.Is(err, versions.ErrArchived) || textIn(t, other, "d/b") != "one\nthree\n" {
		t.Fatalf("an archived store: %v", err)
	}
}

// If the other memory can't be deleted, the error says so and why, and where the merged text stands.
func TestMergeInto_KeepsTheOtherIfItsDeletionFails(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	w, other, a, b := newMerging(t)
	w.must(review.Pin(ctx, other, alice, mustPath("d"), versions.PinAll))
	kept, _, err := write.MergeInto(ctx, w.trail, alice, a, b, []byte("one\ntwo\nthree\n"))
	var left *versions.OriginalError
	if !errors.As(err, &left) || !errors.As(err, new(*versions.DeniedError)) || left.Change != kept.Number || kept.Number == 0 {
		t.Fatalf("%+v, %v", kept, err)
	}
	if want := fmt.Sprintf("store %s has the merged text /memories/a (change 3), but the original /memories/d/b is still in store second: ", w.store.Info().Name); !strings.HasPrefix(err.Error(), want) {
		t.Errorf("%v", err)
	}
	if textIn(t, w.store, "a") != "one\ntwo\nthree\n" || textIn(t, other, "d/b") != "one\nthree\n" {
		t.Error("the texts")
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
	_, _, err := write.MergeInto(ctx, w.trail, robot, mergingOf(t, w.store, "a"), mergingOf(t, w.store, "b"), []byte("one\ntwo\nthree\n"))
	var held *versions.HeldError
	if !errors.As(err, &held) || textIn(t, w.store, "a") != "one\n" || textIn(t, w.store, "b") != "one\ntwo\n" {
		t.Fatalf("%v", err)
	}
	p, err := plan.Make(ctx, w.store, plan.Accept(held.Number))
	w.must(err)
	_, err = plan.Apply(ctx, w.store, alice, p, nil)
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
	w.must(w.trail.NoteInputs(ctx, robot, versions.InputWeb, w.trail.Now()))
	_, err := other.Write(ctx, robot, mustPath("page"), []byte("from a page\n"), versions.Pre{})
	w.must(err)
	kept, _, err := write.MergeInto(ctx, w.trail, alice, a, mergingOf(t, other, "page"), []byte("one\ntwo\nfrom a page\n"))
	w.must(err)
	if kept.Inputs.SecondHand() != versions.InputWeb {
		t.Fatalf("it was merged after %q", kept.Inputs)
	}
}

func TestMergeInto_RefusesFolders(t *testing.T) {
	t.Parallel()
	w, _, a, b := newMerging(t)
	b.Path = mustPath("d")
	if _, _, err := write.MergeInto(t.Context(), w.trail, alice, a, b, nil); !errors.Is(err, memfs.ErrIsFolder) {
		t.Fatal(err)
	}
}
