package engine_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/watch"
)

var (
	watchSeed = flag.Uint64("watch.seed", 1, "seed of what other programs write while a store is watched; 0 takes one from the clock")
	watchTime = flag.Duration("watch.time", time.Second, "how long other programs write while a store is watched")
	watchLate = flag.Duration("watch.late", 20*time.Second, "how long a test waits for the heads to be right after the last write")
)

// watched watches the store until the test ends, and drops the events. The first look at
// everything is over when it returns.
func (w *world) watched() {
	w.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	events, _, err := watch.SyncAndWatch(ctx, w.store)
	must(w, err)
	over := make(chan bool)
	go func() {
		for range events {
		}
		close(over)
	}()
	w.t.Cleanup(func() { stop(); <-over })
}

// unlike says where the folder and the heads differ; "" when they don't.
func (w *world) unlike() string {
	w.t.Helper()
	es, err := vhistory.Tree(w.t.Context(), w.store)
	if err != nil {
		w.t.Fatal(err)
	}
	heads := map[string]versions.Hash{}
	for _, e := range es {
		heads[versions.Key(e.Path)] = e.SHA256
	}
	var differ string
	err = filepath.WalkDir(w.folder, func(host string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			return err
		}
		b, err := os.ReadFile(host)
		rel, _ := filepath.Rel(w.folder, host)
		if rel = filepath.ToSlash(rel); heads[rel] != versions.Sum(b) {
			differ = rel
		}
		delete(heads, rel)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	for p := range heads {
		differ = p
	}
	return differ
}

// agreesWithin waits until the heads are what the folder holds.
func (w *world) agreesWithin(limit time.Duration) {
	w.t.Helper()
	began := time.Now()
	for {
		differ := w.unlike()
		took := time.Since(began)
		switch {
		case differ == "":
			w.t.Logf("right after %v", took.Round(time.Millisecond))
			return
		case took > limit:
			w.t.Fatalf("%s differs from its head %v after the last write", differ, took.Round(time.Millisecond))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// selfProving is a content that shows whether it is whole.
func selfProving(r *rand.Rand) []byte {
	b := make([]byte, 100+r.IntN(20_000))
	for i := range b {
		b[i] = byte('a' + r.IntN(26))
	}
	h := versions.Sum(b)
	return append([]byte(hex.EncodeToString(h[:])+"\n"), b...)
}

func whole(b []byte) bool {
	proof, text, ok := bytes.Cut(b, []byte("\n"))
	h := versions.Sum(text)
	return ok && string(proof) == hex.EncodeToString(h[:])
}

// saveWhole writes as careful editors do: a file of another name, then a rename.
func (w *world) saveWhole(p string, b []byte) error {
	host := filepath.Join(w.folder, filepath.FromSlash(p))
	if err := os.MkdirAll(filepath.Dir(host), 0o755); err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(host), ".saving-"+filepath.Base(host))
	if err := os.WriteFile(tmp, b, 0o644); err != nil {
		return err
	}
	return os.Rename(tmp, host)
}

func TestHeadsAreRightSoonAfterTheLastWriteOfAnotherProgram(t *testing.T) {
	t.Parallel()
	seed := *watchSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-watch.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	w := newWorld(t)
	w.watched()
	w.outside("new/folder/first", "1")
	writes := 0
	for end := time.Now().Add(*watchTime); time.Now().Before(end); writes++ {
		p := fmt.Sprintf("f%d", r.IntN(20))
		if r.IntN(2) == 0 {
			p = fmt.Sprintf("d%d/e%d/f%d", r.IntN(5), r.IntN(5), r.IntN(5))
		}
		host := filepath.Join(w.folder, filepath.FromSlash(p))
		switch r.IntN(6) {
		case 0, 1:
			must(w, w.saveWhole(p, selfProving(r)))
		case 2, 3:
			w.outside(p, string(selfProving(r)))
		case 4:
			_ = os.Remove(host)
		case 5:
			_ = os.RemoveAll(filepath.Join(w.folder, fmt.Sprintf("d%d", r.IntN(5))))
		}
		time.Sleep(time.Duration(r.IntN(4)) * time.Millisecond)
	}
	t.Logf("%d writes", writes)
	w.agreesWithin(*watchLate)
	time.Sleep(3 * watch.Quiet)
	w.outside("new/folder/last", "1") // one alone: no other hint brings it to light
	w.agreesWithin(*watchLate)
}

// The system's queue of hints overflows while nobody can look.
func TestHeadsAreRightSoonAfterMoreHintsThanTheSystemKeeps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.watched()
	unlock, err := w.trail.DB.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.outside("f", "1")
	time.Sleep(5 * watch.Quiet) // by now it waits for the lock
	for i := range 20_000 {
		w.outside(fmt.Sprintf("f%d", i%300), fmt.Sprint(i))
	}
	for i := range 20 { // of which there is no hint
		w.outside(fmt.Sprintf("late%d", i), "1")
	}
	unlock()
	w.agreesWithin(2 * *watchLate)
}

func TestNothingIsMissedThatWasWrittenWhileNobodyLooked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 20 {
		w.write(alice, fmt.Sprintf("d/%d", i), "1")
	}
	w.close()
	w.outside("d/1", "2")
	w.outside("d/2", "") // as an old file of the same size has it, but for its times
	w.outside("d/3", "3")
	must(w, os.Remove(w.host("d/4")))
	must(w, os.Rename(w.host("d/5"), w.host("moved")))
	must(w, os.Rename(w.host("d/6"), w.host("d/7")))
	w.outside("new/folder/x", "x")
	w.open()
	w.sync()
	if differ := w.unlike(); differ != "" {
		t.Errorf("%s was missed", differ)
	}
	if vs := w.history("moved"); len(vs) != 2 || !vs[0].Renamed() {
		t.Errorf("a rename: %+v", vs)
	}
}

func TestNoVersionHoldsAPartOfWhatACarefulProgramSaves(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	if *watchSeed != 0 {
		seed = *watchSeed
	}
	t.Logf("-watch.seed=%d", seed)
	r := rand.New(rand.NewPCG(seed, 2))
	w := newWorld(t)
	w.watched()
	saved := 0
	for end := time.Now().Add(*watchTime); time.Now().Before(end) || saved < 100; saved++ {
		must(w, w.saveWhole(fmt.Sprintf("f%d", r.IntN(3)), selfProving(r)))
		if saved%50 == 49 { // a pause, until it is looked at
			w.agreesWithin(*watchLate)
		}
	}
	w.agreesWithin(*watchLate)
	cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 10_000)
	if err != nil || len(cs) < 2 {
		t.Fatalf("%d changes, %v", len(cs), err)
	}
	for _, c := range cs {
		_, vs, err := vhistory.Change(t.Context(), w.store, c.Number)
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range vs {
			if v.Operation == versions.Deleted {
				t.Errorf("%s was never gone", v.Path)
			} else if b, err := vhistory.Content(t.Context(), w.store, v.ID); err != nil || !whole(b) {
				t.Errorf("version %d of %s holds a part: %d bytes, %v", v.Number, v.Path, len(b), err)
			}
		}
	}
	t.Logf("%d saved, %d changes seen", saved, len(cs))
}

func TestOwnWritesAreNeverAnotherProgramsWhileWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.watched()
	for i := range 150 {
		w.write(alice, fmt.Sprintf("d/%d", i%7), fmt.Sprint(i))
		switch i % 10 {
		case 3:
			w.write(alice, "m/1", fmt.Sprint(i))
		case 4:
			w.rename("m/1", "e/1")
		case 5:
			w.rename("e", "g")
		case 6:
			w.rename("g/1", "m/1")
		case 7:
			w.remove("m/1")
		case 8:
			_, err := plan.Do(t.Context(), w.store, alice, plan.UndoLast{By: alice.Actor})
			must(w, err)
		case 9:
			must(w, os.RemoveAll(w.host("g"))) // an empty folder
		}
	}
	time.Sleep(2 * watch.Quiet)
	w.sync()
	if cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 5); err != nil || len(cs) > 0 {
		t.Errorf("taken for another program's: %+v, %v", cs, err)
	}
}

// A folder that another program moves is one hint, whatever is in it.
func TestFoldersThatAreMovedAreSeenWhileWatched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, p := range []string{"a/1", "a/sub/2", "c/1", "d/x"} {
		w.write(alice, p, p)
	}
	w.watched()
	must(w, os.Rename(w.host("a"), w.host("b")))
	w.agreesWithin(*watchLate)
	for _, p := range []string{"b/1", "b/sub/2"} {
		if vs := w.history(p); len(vs) != 2 || !vs[0].Renamed() {
			t.Errorf("%s: %+v", p, vs)
		}
	}
	must(w, os.Rename(w.host("b"), filepath.Join(t.TempDir(), "b")))
	w.agreesWithin(*watchLate)
	must(w, os.RemoveAll(w.host("d"))) // in its place comes a folder with a memory that it had
	must(w, os.Rename(w.host("c"), w.host("d")))
	w.outside("d/x", "d/x")
	w.agreesWithin(*watchLate)
}

// The kernel's watch of a folder moves with the folder: what is written there afterwards must be seen at the
// path that the folder has now. Every step waits for one write, of which there is no other hint.
func TestWhatIsWrittenInFoldersThatWereMovedIsSeenWhileWatched(t *testing.T) {
	t.Parallel()
	r := seeded(t, "watch.seed", *watchSeed)
	w := newWorld(t)
	away := t.TempDir()
	names := []string{"a", "b", "c"}
	place := func() string { // up to three folders deep
		p := names[r.IntN(len(names))]
		for range r.IntN(3) {
			p += "/" + names[r.IntN(len(names))]
		}
		return p
	}
	folders := func(root string) (out []string) {
		must(w, filepath.WalkDir(root, func(host string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && host != root {
				out = append(out, host)
			}
			return err
		}))
		return out
	}
	move := func(from, to string) {
		must(w, os.MkdirAll(filepath.Dir(to), 0o755))
		if os.Rename(from, to) != nil { // it would move into itself, or onto a folder that is not empty
			return
		}
		if r.IntN(3) == 0 { // a new folder takes its place
			must(w, os.MkdirAll(filepath.Join(from, names[r.IntN(len(names))]), 0o755))
		}
	}
	for range 4 {
		must(w, os.MkdirAll(w.host(place()), 0o755))
	}
	w.watched()
	steps, slowest := 15, time.Duration(0)
	if testing.Short() {
		steps = 10
	}
	for i := range steps {
		for range 1 + r.IntN(3) {
			all, outside := folders(w.folder), folders(away)
			switch n := r.IntN(6); {
			case n == 0 || len(all) == 0:
				must(w, os.MkdirAll(w.host(place()), 0o755))
			case n == 1:
				move(all[r.IntN(len(all))], filepath.Join(away, fmt.Sprint(len(outside), "-", i)))
			case n == 2 && len(outside) > 0:
				move(outside[r.IntN(len(outside))], w.host(place()))
			default:
				move(all[r.IntN(len(all))], w.host(place()))
			}
		}
		w.agreesWithin(*watchLate)
		time.Sleep(2 * watch.Quiet) // the moves have been looked at, and the next write is alone
		all := folders(w.folder)
		if len(all) == 0 {
			continue
		}
		began := time.Now()
		host := filepath.Join(all[r.IntN(len(all))], fmt.Sprintf("%d.md", r.IntN(3)))
		must(w, os.WriteFile(host, fmt.Appendf(nil, "written in step %d\n", i), 0o644))
		w.agreesWithin(*watchLate)
		slowest = max(slowest, time.Since(began))
	}
	t.Logf("the slowest of %d writes was seen after %v", steps, slowest.Round(time.Millisecond))
}

// A process looks at a folder that another memend made, and at nothing else: each folder would
// cost every process a scan otherwise.
func TestAFolderOfOwnWritesCostsNoScan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sync()
	seen := watch.NewWatcher(w.store)
	seen.Start()
	t.Cleanup(seen.Stop)
	seen.Whole = false
	made := func(p string) {
		t.Helper()
		if !seen.Hint(fsnotify.Event{Name: w.host(p), Op: fsnotify.Create}) {
			t.Errorf("nothing to look at in %s", p)
		}
		seen.Scan(t.Context())
	}
	w.write(alice, "own/sub/1", "1")
	w.outside("unseen", "1") // nobody hints at it
	made("own")
	if differ := w.unlike(); differ != "unseen" {
		t.Errorf("after a memory was written in a new folder, %q differs", differ)
	}
	w.outside("foreign/sub/1", "1")
	made("foreign")
	if differ := w.unlike(); differ != "" {
		t.Errorf("after another program wrote in a new folder, %q differs", differ)
	}
}

func TestWatch_TellsOfItsOwnFaults(t *testing.T) {
	t.Parallel()
	w := &watch.Watcher{Out: make(chan versions.Event, 1)}
	func() {
		defer w.RecoverPanic(t.Context())
		panic("no such thing")
	}()
	if e := <-w.Out; e.Err == nil || !strings.Contains(e.Err.Error(), "no such thing") {
		t.Errorf("it tells %+v", e)
	}
}

func TestSyncAndWatch_AdoptsFirstAndTellsOfWhatComesAfter(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(robot, "known.md", "1")
	must(w, w.saveWhole("before.md", []byte("written while nobody looked")))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events, report, err := watch.SyncAndWatch(ctx, w.store)
	must(w, err)
	if !report.Changed || report.Adopted != 1 || report.Files != 2 {
		t.Errorf("the first look found %+v", report)
	}
	must(w, w.saveWhole("new/after.md", []byte("written while somebody watches")))
	patience := time.After(20 * time.Second)
	for {
		select {
		case e := <-events:
			for _, c := range e.Changes {
				switch c.Path {
				case mustPath("before.md"):
					t.Error("what the first look adopted is told once more")
				case mustPath("new/after.md"):
					return
				}
			}
		case <-patience:
			t.Fatal("what was written after it is never told")
		}
	}
}

// A folder that is out of reach is told once, and so is that it is back.
func TestSyncAndWatch_TellsOnceThatTheFolderIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	away := w.folder + "-away"
	must(w, os.Rename(w.folder, away))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	events, report, err := watch.SyncAndWatch(ctx, w.store)
	must(w, err)
	if report.Changed {
		t.Errorf("the first look found %+v", report)
	}
	if e := <-events; !errors.Is(e.Err, versions.ErrFolderGone) {
		t.Fatalf("told first: %+v", e)
	}
	select {
	case e := <-events:
		t.Fatalf("told again: %+v", e)
	case <-time.After(2500 * time.Millisecond): // longer than to the next look
	}
	pool := db.OpenFile(filepath.Join(w.home, db.File), "&_pragma=busy_timeout(10000)") // as another program
	_, err = pool.Exec(`UPDATE store SET used=used+1`)
	must(w, errors.Join(err, pool.Close()))
	if e := <-events; !e.Reviewed || !errors.Is(e.Err, versions.ErrFolderGone) {
		t.Errorf("of what a person reviewed elsewhere, while the folder is gone: %+v", e)
	}
	must(w, os.Rename(away, w.folder))
	select {
	case e := <-events:
		if e.Err != nil || !e.Reload {
			t.Errorf("of the folder that is back: %+v", e)
		}
	case <-time.After(20 * time.Second):
		t.Error("nobody told that the folder is back")
	}
}

// toldWithout watches the store with another log than SQLite's, does something, and
// waits to be told of a change.
func toldWithout(t *testing.T, log watch.LogWatch, asks []time.Duration, do func(w *world, other *core.Store)) {
	t.Helper()
	w := newWorld(t)
	trail, err := vengine.Open(t.Context(), w.home, versions.Options{}) // as another process would
	must(w, err)
	defer func() { must(w, trail.Close()) }()
	other, err := trail.OpenStore(t.Context(), w.store.Opened.ID)
	must(w, err)
	defer func() { must(w, other.Close()) }()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	seen := watch.NewWatcher(w.store)
	seen.Looked = true // nothing but the log tells of it
	seen.AfterWrite = asks
	seen.WatchLog = func() watch.LogWatch { log.Stop = func() {}; return log }
	events, err := seen.Run(ctx)
	must(w, err)
	do(w, other)
	select {
	case e := <-events:
		if len(e.Changes) != 1 || e.Changes[0].Path != mustPath("late.md") {
			t.Errorf("told %+v", e)
		}
	case <-time.After(8 * time.Second):
		t.Error("a change of another process is never told")
	}
}

// The log is written before it is synced, and readers see what was written after.
func TestWatch_TellsOfAChangeWhoseLogTakesLongToBeSynced(t *testing.T) {
	t.Parallel()
	events := make(chan fsnotify.Event)
	toldWithout(t, watch.LogWatch{Events: events}, watch.AfterWrite, func(w *world, other *core.Store) {
		events <- fsnotify.Event{Name: db.File + "-wal", Op: fsnotify.Write}
		time.Sleep(400 * time.Millisecond)
		_, err := other.Write(t.Context(), robot, mustPath("late.md"), []byte("x"), versions.Pre{})
		must(w, err)
	})
}

func TestWatch_TellsOfAChangeThatWasBeingWrittenWhenItBegan(t *testing.T) {
	t.Parallel()
	toldWithout(t, watch.LogWatch{}, watch.AfterWrite, func(w *world, other *core.Store) {
		time.Sleep(400 * time.Millisecond)
		_, err := other.Write(t.Context(), robot, mustPath("late.md"), []byte("x"), versions.Pre{})
		must(w, err)
	})
}

// That an earlier write is still asked for now and then holds up none that comes.
func TestWatch_TellsOfAChangeBeforeTheNextLateAsk(t *testing.T) {
	t.Parallel()
	events := make(chan fsnotify.Event)
	toldWithout(t, watch.LogWatch{Events: events}, []time.Duration{5 * time.Millisecond, time.Hour}, func(w *world, other *core.Store) {
		time.Sleep(100 * time.Millisecond)
		_, err := other.Write(t.Context(), robot, mustPath("late.md"), []byte("x"), versions.Pre{})
		must(w, err)
		events <- fsnotify.Event{Name: db.File + "-wal", Op: fsnotify.Write}
	})
}

func TestWatch_AsksWhenTheSystemHasLostWhatItHadToTell(t *testing.T) {
	t.Parallel()
	lost := make(chan error, 1)
	toldWithout(t, watch.LogWatch{Lost: lost}, watch.AfterWrite[:2], func(w *world, other *core.Store) {
		time.Sleep(200 * time.Millisecond) // longer than it asks at first
		_, err := other.Write(t.Context(), robot, mustPath("late.md"), []byte("x"), versions.Pre{})
		must(w, err)
		lost <- fsnotify.ErrEventOverflow
	})
}

// Who closes a store need not have ended what watches it: that is not to look at what
// is closed then.
func TestWatch_EndsBeforeItsStoreIsClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s, err := w.trail.OpenStore(t.Context(), w.store.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	var all []<-chan versions.Event
	for range 3 {
		events, err := watch.Watch(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, events)
	}
	for i := range 20 {
		w.outside(fmt.Sprintf("f%d/a.md", i), "more to look at\n")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	for _, events := range all {
		for {
			select {
			case _, more := <-events:
				if more {
					t.Error("an event of a store that is closed")
					continue
				}
			default:
				t.Error("a watch goes on")
			}
			break
		}
	}
	if _, err := watch.Watch(t.Context(), s); !errors.Is(err, os.ErrClosed) {
		t.Errorf("watched when closed: %v", err)
	}
}
