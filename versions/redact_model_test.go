//go:build unix

package versions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestRandomRedactionsKeepTheTrailWhole does random acts and redactions, and holds
// every version against what it should hold.
func TestRandomRedactionsKeepTheTrailWhole(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	held := map[VersionID]string{} // of all versions that hold something
	erased := map[VersionID]bool{}
	paths := []string{"a", "b", "d/a", "d/b", "e/f/g"}
	note := func() {
		cs, err := w.store.Changes(t.Context(), Filter{}, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cs {
			_, vs, err := w.store.Change(t.Context(), c.Number)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range vs {
				if v.Operation == Deleted || !v.Redacted.IsZero() || held[v.ID] != "" {
					continue
				}
				b, err := w.store.Content(t.Context(), v.ID)
				if err != nil {
					t.Fatal(err)
				}
				held[v.ID] = string(b)
			}
		}
	}
	redactions := 0
	for i := range 250 {
		p := paths[r.IntN(len(paths))]
		switch r.IntN(9) {
		case 0:
			_, _ = w.store.Delete(t.Context(), alice, mustPath(p))
		case 1:
			_, _ = w.store.Rename(t.Context(), alice, mustPath(p), mustPath(paths[r.IntN(len(paths))]))
		case 2:
			if _, err := w.store.Do(t.Context(), alice, UndoLast(alice.Actor)); err != nil && !errors.Is(err, ErrRedacted) && !errors.Is(err, ErrNothing) && !errors.As(err, new(*LaterChangeError)) {
				t.Fatalf("step %d: undo: %v", i, err)
			}
		case 3:
			ids := slices.Collect(maps.Keys(held))
			if len(ids) > 0 {
				id := ids[r.IntN(len(ids))]
				if _, err := w.store.Do(t.Context(), alice, Restore(id)); err != nil && !errors.Is(err, ErrNothing) && erased[id] != errors.Is(err, ErrRedacted) {
					t.Fatalf("step %d: restore: %v", i, err)
				}
			}
		case 4:
			target := RedactTarget{Match: []byte(fmt.Sprintf("word-%d-%s", r.IntN(6), "of-the-test"))}
			if ids := slices.Collect(maps.Keys(held)); r.IntN(2) == 0 && len(ids) > 0 {
				v, err := w.store.Version(t.Context(), ids[r.IntN(len(ids))])
				if err != nil {
					t.Fatal(err)
				}
				target = RedactTarget{Version: v.ID}
				if r.IntN(3) == 0 {
					target = RedactTarget{Memory: v.Memory}
				}
			}
			choice := RedactChoice{Heads: HeadChoice(r.IntN(4)), Text: []byte(fmt.Sprint("clean ", i))}
			plan := w.plan(target)
			stands := len(plan.Current()) > 0
			_, err := w.store.Redact(t.Context(), alice, plan, choice)
			switch {
			case plan.Empty(), errors.Is(err, ErrNothing):
				continue
			case stands && choice.Heads == HeadRefuse && target.Memory == "":
				if !errors.Is(err, ErrCurrent) {
					t.Fatalf("step %d: %v", i, err)
				}
				continue
			case stands && choice.Heads == HeadMask && target.Match == nil:
				if err == nil {
					t.Fatalf("step %d: a version was masked", i)
				}
				continue
			case err != nil:
				t.Fatalf("step %d: redact %+v: %v", i, target, err)
			}
			redactions++
			for _, v := range plan.Erase {
				if !v.Current || choice.Heads != HeadRefuse {
					erased[v.ID] = true
				}
			}
		default:
			c := fmt.Sprintf("%d word-%d-of-the-test\n", r.IntN(40), r.IntN(6))
			if _, err := w.store.Write(t.Context(), alice, mustPath(p), []byte(c), Pre{}); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
		note()
		if i%50 == 49 {
			w.sync()
			w.check()
			note()
		}
	}
	for id, want := range held {
		b, err := w.store.Content(context.Background(), id)
		if erased[id] {
			if !errors.Is(err, ErrRedacted) {
				t.Errorf("%s was redacted: %q, %v", id, b, err)
			}
		} else if err != nil || string(b) != want {
			t.Errorf("%s holds %q, want %q: %v", id, b, want, err)
		}
	}
	if redactions < 5 || len(erased) < 5 {
		t.Errorf("only %d redactions of %d versions: the test shows little", redactions, len(erased))
	}
	t.Logf("%d redactions erased %d of %d versions", redactions, len(erased), len(held))
	if strings.Contains(fmt.Sprint(w.trail.Receipts(t.Context())), "of-the-test") {
		t.Error("a receipt tells the text")
	}
}
