//go:build unix

package engine_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/redact"
)

// TestRandomRedactionsKeepTheTrailWhole does random acts and redactions, and holds
// every version against what it should hold.
func TestRandomRedactionsKeepTheTrailWhole(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	held := map[versions.VersionID]string{} // of all versions that hold something
	erased := map[versions.VersionID]bool{}
	paths := []string{"a", "b", "d/a", "d/b", "e/f/g"}
	note := func() {
		cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cs {
			_, vs, err := vhistory.Change(t.Context(), w.store, c.Number)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range vs {
				if v.Operation == versions.Deleted || !v.Redacted.IsZero() || held[v.ID] != "" {
					continue
				}
				b, err := vhistory.Content(t.Context(), w.store, v.ID)
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
			if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: alice.Actor}); err != nil && !errors.Is(err, versions.ErrRedacted) && !errors.Is(err, versions.ErrNothing) && !errors.As(err, new(*versions.LaterChangeError)) {
				t.Fatalf("step %d: undo: %v", i, err)
			}
		case 3:
			ids := slices.Collect(maps.Keys(held))
			if len(ids) > 0 {
				id := ids[r.IntN(len(ids))]
				if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(id)); err != nil && !errors.Is(err, versions.ErrNothing) && erased[id] != errors.Is(err, versions.ErrRedacted) {
					t.Fatalf("step %d: restore: %v", i, err)
				}
			}
		case 4:
			target := versions.RedactTarget{Match: []byte(fmt.Sprintf("word-%d-%s", r.IntN(6), "of-the-test"))}
			if ids := slices.Collect(maps.Keys(held)); r.IntN(2) == 0 && len(ids) > 0 {
				v, err := vhistory.Version(t.Context(), w.store, ids[r.IntN(len(ids))])
				if err != nil {
					t.Fatal(err)
				}
				target = versions.RedactTarget{Version: v.ID}
				if r.IntN(3) == 0 {
					target = versions.RedactTarget{Memory: v.Memory}
				}
			}
			choice := versions.RedactChoice{Heads: versions.HeadChoice(r.IntN(4)), Text: []byte(fmt.Sprint("clean ", i))}
			plan := w.plan(target)
			stands := len(plan.Current()) > 0
			_, err := redact.Do(t.Context(), w.store, alice, plan, choice)
			switch {
			case plan.Empty(), errors.Is(err, versions.ErrNothing):
				continue
			case stands && choice.Heads == versions.HeadRefuse && target.Memory == "":
				if !errors.Is(err, versions.ErrCurrent) {
					t.Fatalf("step %d: %v", i, err)
				}
				continue
			case stands && choice.Heads == versions.HeadMask && target.Match == nil:
				if err == nil {
					t.Fatalf("step %d: a version was masked", i)
				}
				continue
			case err != nil:
				t.Fatalf("step %d: redact %+v: %v", i, target, err)
			}
			redactions++
			for _, v := range plan.Erase {
				if !v.Current || choice.Heads != versions.HeadRefuse {
					erased[v.ID] = true
				}
			}
		default:
			c := fmt.Sprintf("%d word-%d-of-the-test\n", r.IntN(40), r.IntN(6))
			if _, err := w.store.Write(t.Context(), alice, mustPath(p), []byte(c), versions.Pre{}); err != nil {
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
		b, err := vhistory.Content(context.Background(), w.store, id)
		if erased[id] {
			if !errors.Is(err, versions.ErrRedacted) {
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
	if strings.Contains(fmt.Sprint(redact.Receipts(t.Context(), w.trail)), "of-the-test") {
		t.Error("a receipt tells the text")
	}
}
