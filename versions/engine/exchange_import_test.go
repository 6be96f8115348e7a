package engine_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
)

// sampleHistory is one of a few changes that ends with three memories.
func sampleHistory() iter.Seq2[versions.Item, error] {
	at := time.Date(2025, 1, 2, 3, 4, 5, 6000, time.UTC)
	content := func(s string) versions.Item { return versions.Item{Content: []byte(s)} }
	record := func(n int64, vs ...versions.RecordVersion) versions.Item {
		return versions.Item{Record: &versions.Record{Number: n, Kind: versions.KindEdit, By: robot, Time: at.Add(time.Duration(n)), Versions: vs}}
	}
	put := func(op versions.Operation, path, text string) versions.RecordVersion {
		return versions.RecordVersion{Operation: op, Path: mustPath(path), SHA256: versions.Sum([]byte(text))}
	}
	items := []versions.Item{content("1"), content("2"), content("never used"),
		record(1, put(versions.Created, "a", "1"), put(versions.Created, "d/b", "1")), record(2, put(versions.Modified, "a", "2"), put(versions.Created, "c", "")),
		record(3, versions.RecordVersion{Operation: versions.Modified, From: mustPath("d/b"), Path: mustPath("d/e/f"), SHA256: versions.Sum([]byte("1"))})}
	items = append(items[:4:4], append([]versions.Item{content("")}, items[4:]...)...)
	return func(yield func(versions.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	}
}

var historyEnds = map[string]string{"a": "2", "c": "", "d/e/f": "1"}

// takenIn holds that a store has all of the history, or nothing of it.
func (w *world) takenIn() (all bool) {
	w.t.Helper()
	w.sync()
	w.check()
	n, err := w.store.LastChange(context.Background())
	must(w, err)
	want := map[string]string{}
	if n > 0 {
		want = historyEnds
	}
	got := w.files()
	if n != 0 && n != 3 || !maps.Equal(got, want) {
		w.t.Fatalf("%d changes, the folder holds %v", n, got)
	}
	return n > 0
}

func TestAnImportThatFailsOrDiesAnywhereIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for _, dies := range []bool{false, true} {
		steps := 1 // until the first run has counted them
		seen := map[bool]int{}
		for k := 0; k < steps; k += *caseEach {
			n, armed, where := 0, true, ""
			w := newWorld(t, versions.Options{Hook: func(step string) error {
				if !armed || strings.Contains(step, "flush") {
					return nil
				}
				if n++; n-1 != k {
					return nil
				}
				if where = step; dies {
					panic(step)
				}
				return fmt.Errorf("%s: no", step)
			}})
			n = 0 // opening has its own
			err := func() (err error) {
				defer func() {
					if died := recover(); died != nil {
						err = errors.New(died.(string))
					}
				}()
				_, err = exchange.Import(t.Context(), w.store, alice, sampleHistory())
				return err
			}()
			armed = false
			if k == 0 {
				steps = 40
			}
			if where == "" { // it took fewer steps than that
				steps = k
				continue
			}
			w.close()
			w.open()
			all := w.takenIn()
			seen[all]++
			// Past the last commit but one all is in the trail and in the folder.
			if late := strings.Contains(where, "final-commit"); !dies && all != (err == nil) && !late {
				t.Errorf("failed at %s: all is there: %v, it says %v", where, all, err)
			}
			if all {
				continue
			}
			if _, err := exchange.Import(t.Context(), w.store, alice, sampleHistory()); err != nil || !w.takenIn() {
				t.Errorf("after dying at %s: %v", where, err)
			}
		}
		if steps < 15 || seen[false] == 0 || seen[true] == 0 {
			t.Errorf("%d steps; nothing %d times, all %d times", steps, seen[false], seen[true])
		}
	}
}

func TestAnImportRefusesAFolderWhereSomethingIsInTheWay(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"c", "d/e/f/g", "d/e"} {
		w := newWorld(t)
		w.outside(path, "theirs")
		_, err := exchange.Import(t.Context(), w.store, alice, sampleHistory())
		if !errors.Is(err, memfs.ErrExist) && !errors.Is(err, memfs.ErrNotFolder) {
			t.Errorf("%s: %v", path, err)
		}
		if got := w.files(); !maps.Equal(got, map[string]string{path: "theirs"}) {
			t.Errorf("%s: the folder holds %v", path, got)
		}
		if n, err := w.store.LastChange(t.Context()); n != 0 || err != nil {
			t.Error(n, err)
		}
	}
}

func TestAnImportThatIsCancelledChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	source := func(yield func(versions.Item, error) bool) {
		for it := range sampleHistory() {
			if it.Record != nil {
				cancel()
			}
			if !yield(it, nil) {
				return
			}
		}
	}
	if _, err := exchange.Import(ctx, w.store, alice, source); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if w.takenIn() {
		t.Error("it was taken in")
	}
}

// An undo after an import, and the marks of what was undone before it.
func TestAnImportedUndoCanBeRedone(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t), newWorld(t)
	a.write(alice, "x", "1")
	a.write(alice, "x", "2")
	undo, redo := plan.UndoLast{By: alice.Actor}, plan.RedoLast{By: alice.Actor}
	for _, g := range []plan.Goal{undo, redo, undo, redo, undo} {
		_, err := plan.Do(t.Context(), a.store, alice, g)
		must(a, err)
	}
	var items []versions.Item
	must(a, exchange.Export(t.Context(), a.store, func(it versions.Item) error { items = append(items, it); return nil }))
	_, err := exchange.Import(t.Context(), b.store, alice, func(yield func(versions.Item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
	})
	must(b, err)
	for n := int64(1); n <= 7; n++ {
		c, _, err := vhistory.Change(t.Context(), a.store, n)
		must(a, err)
		d, _, err := vhistory.Change(t.Context(), b.store, n)
		must(b, err)
		if !reflect.DeepEqual(c, d) {
			t.Errorf("change %d: %+v, want %+v", n, d, c)
		}
	}
	_, err = plan.Do(t.Context(), b.store, alice, plan.RedoLast{By: alice.Actor})
	must(b, err)
	if got := b.files(); got["x"] != "2" {
		t.Error(got)
	}
}

func TestAnExportDuringARedactionFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 100 {
		w.write(alice, "x", fmt.Sprint(i))
	}
	done := false
	err := exchange.Export(t.Context(), w.store, func(it versions.Item) error {
		if it.Record == nil || it.Record.Number != 90 {
			return nil
		}
		done = true
		_, err := w.trail.DB.W.ExecContext(t.Context(), `UPDATE version SET redacted=1, path=NULL, blob=NULL WHERE number=5; DELETE FROM blob WHERE size=1 AND NOT EXISTS(SELECT 1 FROM version WHERE blob=blob.id)`)
		return err
	})
	if !done || !errors.Is(err, versions.ErrRedactedMeanwhile) {
		t.Error(done, err)
	}
	w.relog()
}

func TestFilesComeInAsOneChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "n/a", "same")
	w.write(alice, "n/b", "mine")
	files := []versions.NewFile{{Path: mustPath("n/a"), Content: []byte("same")}, {Path: mustPath("n/b"), Content: []byte("theirs")}, {Path: mustPath("n/c/d"), Content: []byte("new")}}
	var occupied *versions.OccupiedError
	if _, err := exchange.ImportFiles(t.Context(), w.store, robot, files, false); !errors.As(err, &occupied) || len(occupied.Paths) != 1 || occupied.Paths[0] != mustPath("n/b") {
		t.Error(err)
	}
	if got := w.files(); !maps.Equal(got, map[string]string{"n/a": "same", "n/b": "mine"}) {
		t.Error(got)
	}
	c, err := exchange.ImportFiles(t.Context(), w.store, robot, files, true)
	must(w, err)
	if c.Kind != versions.KindImport || c.Versions != 2 || c.Path != mustPath("n") {
		t.Errorf("%+v", c)
	}
	if got := w.files(); !maps.Equal(got, map[string]string{"n/a": "same", "n/b": "theirs", "n/c/d": "new"}) {
		t.Error(got)
	}
	if _, err := plan.Do(t.Context(), w.store, robot, plan.UndoChange(c.Number)); err != nil {
		t.Error(err)
	}
	if got := w.files(); got["n/b"] != "mine" || len(got) != 2 {
		t.Error(got)
	}
	if c, err := exchange.ImportFiles(t.Context(), w.store, robot, files[:1], false); err != nil || c.Number != 0 {
		t.Errorf("the same again: %+v, %v", c, err)
	}
	if err := os.Symlink("a", filepath.Join(w.folder, "n/link")); err != nil {
		t.Fatal(err)
	}
	two := []versions.NewFile{{Path: mustPath("n/a"), Content: []byte("x")}, {Path: mustPath("n/link"), Content: []byte("y")}}
	if _, err := exchange.ImportFiles(t.Context(), w.store, robot, two, true); err == nil || !strings.Contains(err.Error(), "links") {
		t.Error(err)
	}
}
