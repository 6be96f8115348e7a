package engine_test

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/watch"
)

var (
	modelSeed  = flag.Uint64("model.seed", 1, "seed of the model check; 0 takes one from the clock")
	modelSteps = flag.Int("model.steps", 300, "random acts of the model check")
)

// TestRandomActsAgreeWithAMap does random acts on a store and on a plain map,
// with outside writes and reopening in between, and compares the two.
func TestRandomActsAgreeWithAMap(t *testing.T) {
	t.Parallel()
	seed := *modelSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-model.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t)
	model := map[string]string{}
	var states []map[string]string                                        // before each change of a kind that undo is tried on
	names := []string{"a", "b", "d/a", "d/b", "d/e/c", "d/e", "f/g", "f"} // a file becomes a folder, and a folder a file
	pick := func() string { return names[r.IntN(len(names))] }
	in := func(p string) (out []string) { // the memory at a path, or those in the folder
		for q := range model {
			if mustPath(q).In(mustPath(p)) {
				out = append(out, q)
			}
		}
		return out
	}
	inWay := func(p string) (out []string) { // files where a folder would be, or in a folder where the file would be
		for q := range model {
			if q != p && (mustPath(q).In(mustPath(p)) || mustPath(p).In(mustPath(q))) {
				out = append(out, q)
			}
		}
		return out
	}
	empty := func(p string) bool { // a folder stays when its last memory goes
		fi, err := os.Lstat(filepath.Join(w.folder, p))
		return err == nil && fi.IsDir() && len(in(p)) == 0
	}
	blocked := func(p string) bool { return len(inWay(p)) > 0 || empty(p) }
	for i := range *modelSteps {
		switch act := r.IntN(10); act {
		case 0, 1, 2: // write
			p, c := pick(), fmt.Sprintf("%d\n%d\n", i, r.IntN(3))
			if blocked(p) {
				if c, err := w.store.Write(t.Context(), alice, mustPath(p), []byte(c), versions.Pre{}); err == nil {
					t.Fatalf("step %d: write %s: %+v, but %v are in the way", i, p, c, inWay(p))
				}
				continue
			}
			before := maps.Clone(model)
			if w.write(alice, p, c).Number > 0 {
				states = append(states, before)
			}
			model[p] = c
		case 3: // delete
			p := pick()
			gone, wasEmpty := in(p), empty(p)
			_, err := w.store.Delete(t.Context(), alice, mustPath(p))
			if (len(gone) > 0 || wasEmpty) != (err == nil) {
				t.Fatalf("step %d: delete %s: %v, in the model: %v", i, p, err, gone)
			} else if err == nil {
				states = append(states, maps.Clone(model))
				for _, q := range gone {
					delete(model, q)
				}
			}
		case 4: // rename
			p, q := pick(), pick()
			moved, wasEmpty := in(p), empty(p)
			_, taken := model[q]
			taken = taken || blocked(q) || mustPath(q).In(mustPath(p)) // a folder does not go into itself
			_, err := w.store.Rename(t.Context(), alice, mustPath(p), mustPath(q))
			if ((len(moved) > 0 || wasEmpty) && !taken) != (err == nil) {
				t.Fatalf("step %d: rename %s %s: %v, in the model: %v, %v, in the way: %v", i, p, q, err, moved, taken, inWay(q))
			} else if err == nil {
				states = append(states, maps.Clone(model))
				for _, from := range moved {
					text := model[from]
					delete(model, from)
					model[q+strings.TrimPrefix(from, p)] = text
				}
			}
		case 5: // delete a folder
			gone := in("d")
			if len(gone) == 0 {
				continue
			}
			if _, err := w.store.Delete(t.Context(), alice, mustPath("d")); err != nil {
				t.Fatalf("step %d: delete d: %v", i, err)
			}
			states = append(states, maps.Clone(model))
			for _, p := range gone {
				delete(model, p)
			}
		case 6: // outside: write, in place of what is in the way; remove
			p := pick()
			if r.IntN(3) == 0 {
				for _, q := range in(p) {
					delete(model, q)
				}
				_ = os.RemoveAll(filepath.Join(w.folder, p))
			} else {
				for _, q := range inWay(p) {
					_ = os.RemoveAll(filepath.Join(w.folder, q))
					delete(model, q)
				}
				if fi, err := os.Lstat(filepath.Join(w.folder, p)); err == nil && fi.IsDir() {
					_ = os.RemoveAll(filepath.Join(w.folder, p))
				}
				model[p] = fmt.Sprintf("outside %d", i)
				w.outside(p, model[p])
			}
			states = nil // an undo past this may meet what was written here
			if r.IntN(2) == 0 {
				w.sync()
			}
		case 7: // undo and, half the time, redo
			if len(states) == 0 {
				continue
			}
			if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: alice.Actor}); err != nil {
				t.Fatalf("step %d: undo: %v", i, err)
			}
			if r.IntN(2) == 0 {
				if _, err := plan.Do(t.Context(), w.store, alice, plan.RedoLast{By: alice.Actor}); err != nil {
					t.Fatalf("step %d: redo: %v", i, err)
				}
			} else {
				model = states[len(states)-1]
				states = states[:len(states)-1]
			}
		case 8: // restore any version of what stands
			p := pick()
			if _, there := model[p]; !there {
				continue
			}
			w.sync()
			vs := w.history(p)
			v := vs[r.IntN(len(vs))]
			content, err := vhistory.Content(t.Context(), w.store, v.ID)
			if errors.Is(err, versions.ErrDeletion) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			before := maps.Clone(model)
			c, err := plan.Do(t.Context(), w.store, alice, plan.Restore(v.ID))
			if err != nil && !errors.Is(err, versions.ErrNothing) {
				t.Fatalf("step %d: restore %s: %v", i, v.ID, err)
			}
			if c.Number > 0 {
				states = append(states, before)
			}
			model[p] = string(content)
		case 9: // reopen
			if r.IntN(4) == 0 {
				w.close()
				w.open()
			}
		}
		if i%20 == 0 {
			w.agrees(i, model)
		}
	}
	w.agrees(*modelSteps, model)
}

// agrees compares folder and tree with the model.
func (w *world) agrees(step int, model map[string]string) {
	w.t.Helper()
	w.sync()
	entries, err := vhistory.Tree(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, versions.Key(e.Path))
		if want := model[versions.Key(e.Path)]; w.file(versions.Key(e.Path)) != want || e.SHA256 != versions.Sum([]byte(want)) {
			w.t.Fatalf("step %d: %s holds %q, the model %q", step, e.Path, w.file(versions.Key(e.Path)), want)
		}
	}
	if want := slices.Sorted(maps.Keys(model)); !slices.Equal(got, want) {
		w.t.Fatalf("step %d: store holds %v, the model %v", step, got, want)
	}
}

// next waits for an event that want accepts.
func next(t *testing.T, events <-chan versions.Event, what string, want func(versions.Event) bool) versions.Event {
	t.Helper()
	late := time.After(5 * time.Second)
	for {
		select {
		case e := <-events:
			if e.Err != nil {
				t.Logf("event: %v", e.Err)
			}
			if want(e) {
				return e
			}
		case <-late:
			t.Fatalf("no event: %s", what)
		}
	}
}

func TestWatchSeesThisProcessOthersAndOutside(t *testing.T) {
	w := newWorld(t)
	events, _, err := watch.SyncAndWatch(t.Context(), w.store)
	if err != nil {
		t.Fatal(err)
	}
	changed := func(p string) func(versions.Event) bool {
		return func(e versions.Event) bool {
			return slices.ContainsFunc(e.Changes, func(c versions.Change) bool { return c.Path == mustPath(p) })
		}
	}
	w.write(alice, "own", "1")
	next(t, events, "own write", changed("own"))

	other := &world{t: t, home: w.home, folder: w.folder}
	other.open()
	defer other.close()
	began := time.Now()
	other.write(robot, "other", "1")
	next(t, events, "another trail on the same home", changed("other"))
	t.Logf("seen after %v", time.Since(began))

	began = time.Now()
	w.outside("new/folder/x", "1")
	e := next(t, events, "outside write in a new folder", changed("new/folder/x"))
	t.Logf("seen after %v", time.Since(began))
	if e.Changes[len(e.Changes)-1].Actor.Kind != versions.Outside {
		t.Errorf("event %+v", e)
	}
	w.outside("own", "2")
	next(t, events, "outside edit", changed("own"))

	before, err := w.store.LastChange(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.write(alice, "own", "3")
	time.Sleep(400 * time.Millisecond)
	if after, err := w.store.LastChange(t.Context()); err != nil || after != before+1 {
		t.Errorf("an own write made %d changes, %v", after-before, err)
	}
}

func TestAFolderThatWasTakenAwayIsNotADeletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	away := w.folder + ".away"
	if err := os.Rename(w.folder, away); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Sync(t.Context()); !errors.Is(err, versions.ErrFolderGone) {
		t.Errorf("sync: %v", err)
	}
	if _, err := w.store.Write(t.Context(), alice, mustPath("b"), nil, versions.Pre{}); !errors.Is(err, versions.ErrFolderGone) {
		t.Errorf("write: %v", err)
	}
	if err := os.Rename(away, w.folder); err != nil {
		t.Fatal(err)
	}
	w.sync()
	if vs := w.history("a"); len(vs) != 1 {
		t.Errorf("history %+v", vs)
	}
}

func TestDamagedContentIsNeverHandedOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "a text that is long enough, a text that is long enough to be compressed")
	id := w.history("a")[0].ID
	var row int64
	var good []byte
	if err := w.trail.DB.W.QueryRow(`SELECT id, data FROM blob`).Scan(&row, &good); err != nil {
		t.Fatal(err)
	}
	bad := slices.Clone(good)
	bad[len(bad)/2] ^= 1
	put := func(b []byte) {
		if _, err := w.trail.DB.W.Exec(`UPDATE blob SET data=? WHERE id=?`, b, row); err != nil {
			t.Fatal(err)
		}
	}
	put(bad)
	if _, err := vhistory.Content(t.Context(), w.store, id); !errors.Is(err, versions.ErrDamaged) {
		t.Errorf("content: %v", err)
	}
	if problems, err := check.Store(t.Context(), w.store); err != nil || len(problems) == 0 {
		t.Errorf("check: %v, %v", problems, err)
	}
	put(good)
}

func TestAFileThatIsTooBigIsShownAndLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	w.outside("big", string(make([]byte, 1001)))
	if r := w.sync(); r.Adopted != 0 {
		t.Errorf("adopted %d", r.Adopted)
	}
	entries, err := vhistory.Tree(t.Context(), w.store)
	if err != nil || len(entries) != 1 || entries[0].Kind != versions.TooBig || entries[0].Size != 1001 {
		t.Errorf("tree %+v, %v", entries, err)
	}
	if _, err := w.store.Delete(t.Context(), alice, mustPath("big")); !errors.Is(err, memfs.ErrTooBig) {
		t.Errorf("deleted: %v", err)
	}
	if got := w.file("big"); len(got) != 1001 {
		t.Errorf("it has %d bytes now", len(got))
	}
}

func TestStoresAreFoundByNameIdAndFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	info := w.store.Info()
	w.outside("sub/x", "1")
	for _, ref := range []string{info.Name, string(info.ID), w.folder, filepath.Join(w.folder, "sub")} {
		if got, err := w.trail.FindStore(t.Context(), ref); err != nil || got.ID != info.ID {
			t.Errorf("%s: %+v, %v", ref, got, err)
		}
	}
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, "", "", filepath.Join(w.folder, "sub")); !errors.Is(err, versions.ErrNested) {
		t.Errorf("nested: %v", err)
	}
	outer := t.TempDir()
	for _, inner := range []string{"notes", ".serena/memories", "node_modules/tool/memories"} {
		if err := os.MkdirAll(filepath.Join(outer, inner), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	hidden, err := stores.CreateStore(t.Context(), w.trail, alice, "hidden", "", filepath.Join(outer, ".serena/memories"))
	w.must(err)
	installed, err := stores.CreateStore(t.Context(), w.trail, alice, "installed", "", filepath.Join(outer, "node_modules/tool/memories"))
	w.must(err)
	whole, err := stores.CreateStore(t.Context(), w.trail, alice, "whole", "", outer)
	w.must(err)
	if got, err := w.trail.FindStore(t.Context(), filepath.Join(outer, ".serena/memories")); err != nil || got.ID != hidden.ID {
		t.Errorf("the hidden store's folder: %+v, %v", got, err)
	}
	if got, err := w.trail.FindStore(t.Context(), filepath.Join(outer, "node_modules/tool/memories")); err != nil || got.ID != installed.ID {
		t.Errorf("the folder of a store in node_modules: %+v, %v", got, err)
	}
	w.must(stores.MoveStore(t.Context(), w.trail, alice, whole.ID, t.TempDir()))
	_, err = stores.CreateStore(t.Context(), w.trail, alice, "inner", "", filepath.Join(outer, "notes"))
	w.must(err)
	if err := stores.MoveStore(t.Context(), w.trail, alice, whole.ID, outer); !errors.Is(err, versions.ErrHoldsStore) {
		t.Errorf("a store around another: %v", err)
	}
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, info.Name, "", t.TempDir()); !errors.Is(err, versions.ErrNameTaken) {
		t.Errorf("name: %v", err)
	}
	if _, err := stores.CreateStore(t.Context(), w.trail, alice, "", "", filepath.Dir(w.home)); !errors.Is(err, versions.ErrHomeInside) {
		t.Errorf("home inside: %v", err)
	}
}
