package engine_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

// unflushed is a world whose last changes never reach the disk by themselves: the
// machine goes down before.
func unflushed(t *testing.T) (w *world, cut func()) {
	dead := false
	w = newWorld(t, versions.Options{Boot: "monday", Now: inAnHour, Hook: func(step string) error {
		if dead && step == "before-flush-sync" {
			return memfs.ErrNoSpace
		}
		return nil
	}})
	for path, content := range map[string]string{"a": "a1\n", "d/1": "one\n", "d/2": "two\n"} {
		w.write(alice, path, content)
	}
	if err := core.FlushNow(t.Context(), w.store); err != nil {
		t.Fatal(err)
	}
	dead = true
	return w, func() {
		t.Helper()
		_ = w.store.Close() // can't flush
		if err := w.trail.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// inAnHour is the clock of a process whose files seem to have been written before it was
// done: what a test puts there later stands for what a loss of power left.
func inAnHour() time.Time { return time.Now().Add(time.Hour) }

const none = "<none>" // what no file holds

func (w *world) host(path string) string { return filepath.Join(w.folder, path) }

func TestALossOfPowerTakesNoAcknowledgedChange(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line of a memory\n", 200)
	for name, c := range map[string]struct {
		do    func(w *world)
		lose  func(w *world) // what the disk is like afterwards
		files map[string]string
	}{
		"an edit that is not there": {
			do:    func(w *world) { w.write(alice, "a", "a2\n") },
			lose:  func(w *world) { w.outside("a", "a1\n") },
			files: map[string]string{"a": "a2\n"},
		},
		"two edits of which the first is there": {
			do:    func(w *world) { w.write(alice, "a", "a2\n"); w.write(alice, "a", "a3\n") },
			lose:  func(w *world) { w.outside("a", "a2\n") },
			files: map[string]string{"a": "a3\n"},
		},
		"a file without its content": {
			do:    func(w *world) { w.write(alice, "new/x", long) },
			lose:  func(w *world) { w.outside("new/x", "") },
			files: map[string]string{"new/x": long},
		},
		"a file with holes": {
			do:    func(w *world) { w.write(alice, "a", long) },
			lose:  func(w *world) { w.outside("a", long[:512]+strings.Repeat("\x00", 1024)+long[1536:2000]) },
			files: map[string]string{"a": long},
		},
		"a new folder that is not there": {
			do:    func(w *world) { w.write(alice, "new/deep/x", "x") },
			lose:  func(w *world) { must(w, os.RemoveAll(w.host("new"))) },
			files: map[string]string{"new/deep/x": "x"},
		},
		"a deletion that did not happen": {
			do:    func(w *world) { w.remove("a") },
			lose:  func(w *world) { w.outside("a", "a1\n") },
			files: map[string]string{"a": none},
		},
		"a rename that did not happen": {
			do:    func(w *world) { w.rename("a", "b/a") },
			lose:  func(w *world) { must(w, os.Rename(w.host("b/a"), w.host("a"))) },
			files: map[string]string{"a": none, "b/a": "a1\n"},
		},
		"a rename of which both names are there": {
			do:    func(w *world) { w.rename("a", "b/a") },
			lose:  func(w *world) { w.outside("a", "a1\n") },
			files: map[string]string{"a": none, "b/a": "a1\n"},
		},
		"nothing, after a folder took another's name": {
			do: func(w *world) {
				w.rename("d", "e")
				w.write(alice, "d/x", "x")
				w.rename("e", "f")
			},
			lose:  func(w *world) {},
			files: map[string]string{"d/x": "x", "e/x": none, "f/1": "one\n", "f/2": "two\n"},
		},
		"an edit in a folder that was renamed": {
			do:    func(w *world) { w.rename("d", "e"); w.write(alice, "e/1", long) },
			lose:  func(w *world) { w.outside("e/1", long[:512]) },
			files: map[string]string{"d/1": none, "e/1": long, "e/2": "two\n"},
		},
		"a file where a folder was": {
			do: func(w *world) { w.remove("d"); w.write(alice, "d", "a file") },
			lose: func(w *world) {
				must(w, os.Remove(w.host("d")))
				w.outside("d/1", "one\n")
				w.outside("d/2", "two\n")
			},
			files: map[string]string{"d": "a file"},
		},
		"a folder where a file was": {
			do: func(w *world) { w.remove("a"); w.write(alice, "a/b/c", "c") },
			lose: func(w *world) {
				must(w, os.RemoveAll(w.host("a")))
				w.outside("a", "a1\n")
			},
			files: map[string]string{"a/b/c": "c"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, cut := unflushed(t)
			c.do(w)
			cut()
			c.lose(w)
			w.open(versions.Options{Boot: "tuesday"})
			for path, content := range c.files {
				w.wantFile(path, content)
			}
			w.sync()
			w.check()
			if cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 5); err != nil || len(cs) > 0 {
				t.Errorf("taken for another program's: %+v, %v", cs, err)
			}
			if left, err := core.OpenChanges(t.Context(), w.store, `1`); err != nil || len(left) > 0 {
				t.Errorf("still open: %v, %v", left, err)
			}
		})
	}
}

// A file that was not synced yet is moved by another program, which syncs nothing
// either.
func TestALossOfPowerFollowsAFileThatAnotherProgramMoved(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("line of a memory\n", 200)
	w, cut := unflushed(t)
	w.write(alice, "a", long)
	must(w, os.Rename(w.host("a"), w.host("b")))
	w.sync()
	cut()
	w.outside("b", long[:512])
	w.open(versions.Options{Boot: "tuesday"})
	w.wantFile("b", long)
	w.wantFile("a", none)
	if vs := w.history("b"); len(vs) != 3 || !vs[0].Renamed() {
		t.Errorf("%+v", vs)
	}
}

// What another program wrote is kept, even where a change of ours was not flushed.
func TestALossOfPowerKeepsWhatAnotherProgramWrote(t *testing.T) {
	t.Parallel()
	w, cut := unflushed(t)
	w.write(alice, "a", "a2\n")
	w.write(alice, "n", "ours\n")
	cut()
	w.outside("a", "theirs\n")
	w.outside("n", "ours\nand theirs\n")
	w.open(versions.Options{Boot: "tuesday"})
	w.wantFile("a", "theirs\n")
	w.wantFile("n", "ours\nand theirs\n")
	for path, want := range map[string]int{"a": 3, "n": 2} {
		if vs := w.history(path); len(vs) != want || vs[0].Actor.Kind != versions.Outside || vs[1].Actor != alice.Actor {
			t.Errorf("%s: %+v", path, vs)
		}
	}
}

// The rename of a folder is on the disk when it is acknowledged, and so is what
// was in it: afterwards it could not be told from what came later.
func TestTheRenameOfAFolderFlushesWhatWasBefore(t *testing.T) {
	t.Parallel()
	w, cut := unflushed(t)
	var synced []memfs.Path
	w.write(alice, "d/1", "one, edited\n")
	w.store.Dir.Hook = func(step string, p memfs.Path) error {
		if step == "sync-file" || step == "sync-dir" {
			synced = append(synced, p)
		}
		return nil
	}
	// followFolder takes the Dir that is open while it stays the same folder
	w.rename("d", "e/f")
	for _, p := range []string{"d/1", "d", "e", ""} {
		if !slices.Contains(synced, mustPath(p)) {
			t.Errorf("%q was not synced: %v", p, synced)
		}
	}
	if left, err := core.OpenChanges(t.Context(), w.store, `1`); err != nil || len(left) > 0 {
		t.Errorf("still open: %v, %v", left, err)
	}
	cut()
	w.open()
}

// The rename of a folder may be lost, done, or half done by a disk that keeps the
// name of a folder without those of the folders above.
func TestALossOfPowerInTheMiddleOfTheRenameOfAFolder(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *world){
		"not done": func(w *world) { must(w, os.Rename(w.host("e/f"), w.host("d"))) },
		"done":     func(w *world) {},
		"lost":     func(w *world) { must(w, os.RemoveAll(w.host("e"))) },
	} {
		t.Run(name, func(t *testing.T) {
			var stop atomic.Value // a flush may ask at any time
			w := newWorld(t, versions.Options{Boot: "monday", Hook: func(step string) error {
				if step == stop.Load() {
					return memfs.ErrNoSpace
				}
				return nil
			}})
			w.write(alice, "d/1", "one\n")
			w.outside("d/.hidden", "no memory")
			stop.Store("before-final-commit")
			if _, err := w.store.Rename(t.Context(), alice, mustPath("d"), mustPath("e/f")); !errors.Is(err, memfs.ErrNoSpace) {
				t.Fatal(err)
			}
			stop.Store("before-flush-sync")
			if err := w.store.Close(); err != nil && !errors.Is(err, memfs.ErrNoSpace) { // nothing was left to settle
				t.Fatal(err)
			}
			must(w, w.trail.Close())
			lose(w)
			w.open(versions.Options{Boot: "tuesday"})
			w.wantFile("e/f/1", "one\n")
			w.wantFile("d/1", none)
			if name != "lost" {
				w.wantFile("e/f/.hidden", "no memory")
			}
			w.sync()
			if vs := w.history("e/f/1"); len(vs) != 2 || vs[0].Actor != alice.Actor {
				t.Errorf("%+v", vs)
			}
		})
	}
}

// A file is synced under the name that it has by then.
func TestAFlushSyncsAFileThatWasRenamedSince(t *testing.T) {
	t.Parallel()
	var renamed atomic.Bool // nothing is flushed before, however long it takes
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == "before-flush-sync" && !renamed.Load() {
			return memfs.ErrNoSpace
		}
		return nil
	}})
	var mu sync.Mutex
	var synced []memfs.Path
	w.store.Dir.Hook = func(step string, p memfs.Path) error {
		if step == "sync-file" {
			mu.Lock()
			synced = append(synced, p)
			mu.Unlock()
		}
		return nil
	}
	w.write(alice, "a", "1")
	w.rename("a", "b/a")
	renamed.Store(true)
	if err := core.FlushNow(t.Context(), w.store); err != nil || !slices.Contains(synced, mustPath("b/a")) {
		t.Errorf("synced %v, %v", synced, err)
	}
}

// What can't be put right must not keep the store shut.
func TestAStoreOpensAfterALossOfPowerWhateverStandsInTheWay(t *testing.T) {
	t.Parallel()
	w, cut := unflushed(t)
	w.write(alice, "a", "a2\n")
	w.write(alice, "d/1", "one, edited\n")
	cut()
	w.outside("a", "")
	must(w, os.Truncate(w.host("a"), core.MaxContent+1))
	must(w, os.RemoveAll(w.host("d/1")))
	must(w, os.Symlink("nowhere", w.host("d/1")))
	w.open(versions.Options{Boot: "tuesday"})
	w.sync()
	if es, err := vhistory.Tree(t.Context(), w.store); err != nil || len(es) != 3 {
		t.Errorf("%+v, %v", es, err)
	}
	must(w, os.Remove(w.host("a")))
}

// Within one run of the system nothing is lost: what looks like the state before
// is another program's work.
func TestInOneRunOfTheSystemAnOldContentIsAnotherProgramsWork(t *testing.T) {
	t.Parallel()
	w, cut := unflushed(t)
	w.write(alice, "a", "a2\n")
	cut()
	w.outside("a", "a1\n")
	w.open(versions.Options{Boot: "monday"})
	w.sync()
	w.wantFile("a", "a1\n")
	if vs := w.history("a"); len(vs) != 3 || vs[0].Actor.Kind != versions.Outside {
		t.Errorf("%+v", vs)
	}
}

// Where a sync failed, a later one that succeeds proves nothing: the files are
// compared when the system was started anew.
func TestAFailedSyncIsMadeUpForAfterTheNextStart(t *testing.T) {
	t.Parallel()
	broken := false
	w := newWorld(t, versions.Options{Boot: "monday", Now: inAnHour, Hook: func(step string) error {
		if broken && step == "sync-file" {
			return syscall.EIO
		}
		return nil
	}})
	w.write(alice, "a", "a1\n")
	must(w, core.FlushNow(t.Context(), w.store))
	w.write(alice, "a", "a2\n")
	broken = true
	if err := core.FlushNow(t.Context(), w.store); !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	broken = false
	must(w, core.FlushNow(t.Context(), w.store)) // says nothing any more
	w.close()
	w.outside("a", "a1\n") // what the disk had
	w.open(versions.Options{Boot: "tuesday"})
	w.wantFile("a", "a2\n")
	if left, err := core.OpenChanges(t.Context(), w.store, `1`); err != nil || len(left) > 0 {
		t.Errorf("still open: %v, %v", left, err)
	}
}

func TestAFlushLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.write(alice, "a", strings.Repeat("x", i+1))
	}
	if err := core.FlushNow(t.Context(), w.store); err != nil {
		t.Fatal(err)
	}
	if left, err := core.OpenChanges(t.Context(), w.store, `1`); err != nil || len(left) > 0 {
		t.Errorf("still open: %v, %v", left, err)
	}
}

func TestTornFromKnowsWhatADiskCanLeave(t *testing.T) {
	t.Parallel()
	full := bytes.Repeat([]byte("0123456789abcdef"), 100) // 1600 bytes
	hole := bytes.Clone(full)
	clear(hole[512:1024])
	half := bytes.Clone(full)
	clear(half[600:1024])
	for name, c := range map[string]struct {
		b    []byte
		want bool
	}{
		"nothing": {nil, true}, "all": {full, true}, "a sector": {full[:512], true}, "an odd part": {full[:700], true},
		"a hole": {hole, true}, "zeros": {make([]byte, 1600), true},
		"a hole inside a sector": {half, false}, "longer": {append(bytes.Clone(full), 0), false}, "other text": {[]byte("other"), false},
	} {
		if got := core.TornFrom(c.b, full); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func must(w *world, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(p string) {
	w.t.Helper()
	_, err := w.store.Delete(w.t.Context(), alice, mustPath(p))
	must(w, err)
}

func (w *world) rename(from, to string) {
	w.t.Helper()
	_, err := w.store.Rename(w.t.Context(), alice, mustPath(from), mustPath(to))
	must(w, err)
}

// A process is killed before it synced its files. What another program does after that is
// newer than any lost write, whatever the file holds then.
func TestWhatAnotherProgramDidAfterAnUnflushedChangeIsAdopted(t *testing.T) {
	t.Parallel()
	const a1 = "a1, a text that is not equal to another by chance\n"
	for name, c := range map[string]struct {
		do       func(w *world)
		theirs   func(w *world)
		files    map[string]string
		versions map[string]int
	}{
		"the old text is written again": {
			func(w *world) { w.write(alice, "a", "a2\n") }, func(w *world) { w.outside("a", a1) },
			map[string]string{"a": a1}, map[string]int{"a": 3},
		},
		"the old file is moved back": {
			func(w *world) { must(w, os.Link(w.host("a"), w.host(".a.orig"))); w.write(alice, "a", "a2\n") },
			func(w *world) { must(w, os.Rename(w.host(".a.orig"), w.host("a"))) },
			map[string]string{"a": a1}, map[string]int{"a": 3},
		},
		"the file is emptied": {
			func(w *world) { w.write(alice, "a", "a2\n") }, func(w *world) { w.outside("a", "") },
			map[string]string{"a": ""}, map[string]int{"a": 3},
		},
		"the file is removed": {
			func(w *world) { w.write(alice, "a", "a2\n") }, func(w *world) { must(w, os.Remove(w.host("a"))) },
			map[string]string{"a": none}, map[string]int{"a": 3},
		},
		"a new file is removed with its folders": {
			func(w *world) { w.write(alice, "n/m/x", "x\n") }, func(w *world) { must(w, os.RemoveAll(w.host("n"))) },
			map[string]string{"n/m/x": none}, map[string]int{"n/m/x": 2},
		},
		"a removed file is written again": {
			func(w *world) { w.remove("a") }, func(w *world) { w.outside("a", a1) },
			map[string]string{"a": a1}, map[string]int{"a": 1}, // as a new memory
		},
		"a renamed file is moved back": {
			func(w *world) { w.rename("a", "b/a") }, func(w *world) { must(w, os.Rename(w.host("b/a"), w.host("a"))) },
			map[string]string{"a": a1, "b/a": none}, map[string]int{"a": 3},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dead := false
			w := newWorld(t, versions.Options{Boot: "monday", Hook: func(step string) error {
				if dead && step == "before-flush-sync" {
					return memfs.ErrNoSpace
				}
				return nil
			}})
			w.write(alice, "a", a1)
			must(w, core.FlushNow(t.Context(), w.store))
			dead = true
			c.do(w)
			_ = w.store.Close() // can't flush
			must(w, w.trail.Close())
			nextTick(w)
			c.theirs(w)
			w.open(versions.Options{Boot: "tuesday"})
			for path, content := range c.files {
				w.wantFile(path, content)
			}
			for path, n := range c.versions {
				if vs := w.history(path); len(vs) != n || vs[0].Actor.Kind != versions.Outside {
					t.Errorf("%s: %d versions: %+v", path, len(vs), vs)
				}
			}
			w.check()
			if left, err := core.OpenChanges(t.Context(), w.store, `1`); err != nil || len(left) > 0 {
				t.Errorf("still open: %v, %v", left, err)
			}
		})
	}
}

// nextTick waits until the file system stamps files with a later time than now.
func nextTick(w *world) {
	w.t.Helper()
	now := time.Now()
	for file := filepath.Join(w.home, "tick"); ; {
		must(w, os.WriteFile(file, nil, 0o600))
		fi, err := os.Stat(file)
		must(w, err)
		must(w, os.Remove(file))
		if fi.ModTime().After(now) {
			return
		}
	}
}

// While one process makes changes durable, others leave theirs to it: each would sync the files of
// all of them otherwise.
func TestOneProcessFlushesAtATime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	flushed := make(chan bool, 100)
	w.trail.Hook = func(step string) error {
		if step == "before-flush-sync" {
			flushed <- true
		}
		return nil
	}
	other, err := vengine.Open(t.Context(), w.home, versions.Options{})
	must(w, err)
	defer func() { must(w, other.Close()) }()
	release, ok := core.OnlyFlusher(other)
	if !ok {
		t.Fatal("somebody flushes already")
	}
	w.write(alice, "a", "1")
	b := &w.store.Batch
	b.Mu.Lock()
	if b.Timer.Stop() { // now, instead of later
		b.Mu.Unlock()
		core.FlushBatch(w.store)
		b.Mu.Lock()
	}
	armed := b.Timer != nil
	b.Mu.Unlock()
	if !armed || len(flushed) > 0 {
		t.Errorf("it looks again later: %v; it flushed: %v", armed, len(flushed) > 0)
	}
	release()
	<-flushed // by the timer
}
