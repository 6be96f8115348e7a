package engine_test

import (
	"io/fs"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/tables"
)

func (w *world) syncPaths(names ...string) {
	w.t.Helper()
	var paths []memfs.Path
	for _, n := range names {
		paths = append(paths, mustPath(n))
	}
	if _, err := w.store.SyncPaths(w.t.Context(), paths...); err != nil {
		w.t.Fatal(err)
	}
}

func TestSyncPaths_LooksAtNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.write(alice, "b", "1")
	w.sync()
	w.outside("a", "22")
	w.outside("b", "22")
	w.outside("c", "22")
	w.syncPaths("a", "nothing there")
	if n := len(w.history("a")); n != 2 {
		t.Errorf("a has %d versions", n)
	}
	if n := len(w.history("b")); n != 1 {
		t.Errorf("b has %d versions: it was looked at", n)
	}
	w.sync()
	if len(w.history("b")) != 2 || len(w.history("c")) != 1 {
		t.Error("a sync finds less than was left")
	}
}

func TestSyncPaths_LooksAtAllWhereOnePathTellsTooLittle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(w *world)
		path string
	}{
		"a rename, by its new name": {func(w *world) { os.Rename(w.host("a"), w.host("z")) }, "z"},
		"a rename, by its old name": {func(w *world) { os.Rename(w.host("a"), w.host("z")) }, "a"},
		"a folder":                  {func(w *world) { os.Rename(w.host("a"), w.host("z")) }, "d"},
	} {
		w := newWorld(t)
		w.write(alice, "a", "text")
		w.write(alice, "d/b", "text of b")
		w.sync()
		memory := w.entry("a").Memory
		c.do(w)
		w.syncPaths(c.path)
		if got := w.entry("z").Memory; got != memory {
			t.Errorf("%s: memory %s became %s", name, memory, got)
		}
	}
	w := newWorld(t)
	w.outside("first", "1")
	w.outside("other", "1")
	w.syncPaths("first")
	if len(w.history("other")) != 1 {
		t.Error("the first look was not at the whole folder")
	}
}

// What agents' records tell of a change is asked for that memory alone.
func TestSyncPaths_AsksRecordsOfWhatItLooksAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "1")
	w.write(alice, "b", "1")
	w.sync()
	r := &records{texts: []versions.Recalled{recalled("a", "2", "S", time.Now().Add(time.Second))}}
	w.trail.Recall = r
	w.outside("a", "33")
	w.outside("b", "33")
	w.syncPaths("a")
	if r.first || len(r.asked) != 1 || r.asked[0].Path != mustPath("a") {
		t.Errorf("asked for %+v", r.asked)
	}
	var got []string
	for _, v := range w.history("a") {
		got = append(got, writerName(v))
	}
	if want := []string{"outside", "S/t"}; !slices.Equal(got[:2], want) {
		t.Errorf("a is by %v, want %v first", got, want)
	}
}

// A look at one memory costs the same among many.
func BenchmarkSyncPaths_Among10000(b *testing.B) {
	s := benchStore(b)
	benchFolder(b, s, 10_000)
	if _, err := s.Sync(b.Context()); err != nil {
		b.Fatal(err)
	}
	entries, err := vhistory.Tree(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	p := entries[len(entries)-1].Path
	for b.Loop() {
		if _, err := s.SyncPaths(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
}

// Claude Code saves by renaming a file that it wrote beside the memory.
func TestSync_PassesOverAFileThatIsBeingSaved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "1")
	unfinished := "a.md.tmp.4242.0a1b2c3d4e5f"
	w.outside(unfinished, "22")
	if r := w.sync(); r.Adopted != 0 {
		t.Errorf("%d versions of a file that is being saved", r.Adopted)
	}
	if err := os.Rename(w.host(unfinished), w.host("a.md")); err != nil {
		t.Fatal(err)
	}
	if r := w.sync(); r.Adopted != 1 || len(w.history("a.md")) != 2 {
		t.Errorf("the save is %d versions", r.Adopted)
	}
	// One that stays is a file like any other.
	w.outside(unfinished, "left behind")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(w.host(unfinished), old, old); err != nil {
		t.Fatal(err)
	}
	if r := w.sync(); r.Adopted != 1 {
		t.Errorf("%d versions of a file that was left behind", r.Adopted)
	}
}

// Root may read everything, so the folder refuses it here.
func TestScansNameTheFilesThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	var denied bool
	w := newWorld(t, versions.Options{Hook: func(step string) error {
		if step == "read" && denied {
			return fs.ErrPermission
		}
		return nil
	}})
	w.outside("a", "old\n")
	w.outside("b", "same\n")
	time.Sleep(2 * tables.RacyWindow)
	w.sync()
	w.outside("a", "new text\n")
	denied = true
	for name, scan := range map[string]func() (versions.SyncReport, error){
		"all": func() (versions.SyncReport, error) { return w.store.Sync(t.Context()) },
		"some": func() (versions.SyncReport, error) {
			return w.store.SyncPaths(t.Context(), mustPath("a"), mustPath("b"))
		},
	} {
		report, err := scan()
		if err != nil || !slices.Equal(report.Denied, []memfs.Path{mustPath("a")}) {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
	}
	if report, err := w.store.SyncPaths(t.Context(), mustPath("b")); err != nil || len(report.Denied) > 0 {
		t.Errorf("another: %+v, %v", report, err)
	}
	denied = false
	if report, err := w.store.Sync(t.Context()); err != nil || len(report.Denied) > 0 || report.Adopted != 1 {
		t.Errorf("again: %+v, %v", report, err)
	}
}
