package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
)

// remount makes a small disk read-only, or writable again.
func remount(t *testing.T, disk string, readOnly bool) {
	t.Helper()
	flags := uintptr(syscall.MS_REMOUNT)
	if readOnly {
		flags |= syscall.MS_RDONLY
	}
	if err := syscall.Mount("memend-test", disk, "tmpfs", flags, ""); err != nil {
		t.Fatal(err)
	}
}

// browses checks that all can be read that was written: a at two versions.
func (w *world) browses() {
	w.t.Helper()
	if es, err := vhistory.Tree(w.t.Context(), w.store); err != nil || len(es) != 1 {
		w.t.Errorf("tree: %+v, %v", es, err)
	}
	vs := w.history("a")
	if len(vs) != 2 {
		w.t.Fatalf("history: %+v", vs)
	}
	if b, err := vhistory.Content(w.t.Context(), w.store, vs[1].ID); err != nil || string(b) != "a1" {
		w.t.Errorf("content: %q, %v", b, err)
	}
}

// refuses checks that a write says why it can't be done.
func (w *world) refuses(why error) {
	w.t.Helper()
	if _, err := w.store.Write(w.t.Context(), alice, mustPath("b"), []byte("b"), versions.Pre{}); !errors.Is(err, why) {
		w.t.Errorf("write: %v, want %v", err, why)
	}
}

func TestAReadOnlyFolderIsBrowsedAndWritesSayWhy(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "8m")
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: disk}
	w.open()
	w.write(alice, "a", "a1")
	w.write(alice, "a", "a2")
	remount(t, disk, true)
	w.refuses(memfs.ErrReadOnlyDisk)
	w.browses()
	w.close()
	w.open()
	w.refuses(memfs.ErrReadOnlyDisk)
	w.browses()
	w.sync()
	w.check()
	remount(t, disk, false)
	w.write(alice, "b", "b")
	w.check()
	w.close()
}

// What a loss of power took is put right when the folder can be written again,
// and is not taken for another program's work until then.
func TestALossOfPowerIsMadeUpForWhenTheFolderCanBeWritten(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "8m")
	var stop atomic.Value // a flush may ask at any time
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: disk}
	w.open(versions.Options{Boot: "monday", Now: inAnHour, Hook: func(step string) error {
		if step == stop.Load() {
			return memfs.ErrNoSpace
		}
		return nil
	}})
	w.write(alice, "a", "a1")
	if err := core.FlushNow(t.Context(), w.store); err != nil {
		t.Fatal(err)
	}
	stop.Store("before-flush-sync")
	w.write(alice, "a", "a2")
	if err := w.store.Close(); !errors.Is(err, memfs.ErrNoSpace) {
		t.Fatal(err)
	}
	must(w, w.trail.Close())
	w.outside("a", "a1")
	remount(t, disk, true)
	w.open(versions.Options{Boot: "tuesday"})
	w.browses()
	w.refuses(memfs.ErrReadOnlyDisk)
	if _, err := w.store.Sync(t.Context()); !errors.Is(err, memfs.ErrReadOnlyDisk) {
		t.Errorf("sync: %v", err)
	}
	w.close()
	w.open(versions.Options{Boot: "wednesday"})
	w.browses()
	remount(t, disk, false)
	w.write(alice, "b", "b")
	w.wantFile("a", "a2")
	w.sync()
	w.check()
	if cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{Actor: versions.Outside}, 0, 5); err != nil || len(cs) > 0 {
		t.Errorf("taken for another program's: %+v, %v", cs, err)
	}
	w.close()
}

func TestAReadOnlyHomeIsBrowsedAndWritesSayWhy(t *testing.T) {
	t.Parallel()
	for name, left := range map[string]func(w *world){
		"closed in order":  func(w *world) { w.close() },
		"left by the dead": func(w *world) {},
	} {
		t.Run(name, func(t *testing.T) {
			disk := smallDisk(t, "8m")
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
			w.open()
			w.write(alice, "a", "a1")
			w.write(alice, "a", "a2")
			left(w)
			must(w, os.CopyFS(filepath.Join(disk, "home"), os.DirFS(w.home)))
			if name != "closed in order" {
				_ = w.store.Close()
				_ = w.trail.Close()
			}
			must(w, os.RemoveAll(w.home)) // the folder goes with the only home that there is
			w.home = filepath.Join(disk, "home")
			remount(t, disk, true)
			w.open()
			w.browses()
			w.refuses(memfs.ErrReadOnlyDisk)
			_ = w.store.Close()
			_ = w.trail.Close()
			remount(t, disk, false)
			w.open()
			w.write(alice, "b", "b")
			w.sync()
			w.check()
			w.close()
		})
	}
}

// A process whose home was taken away must not go on writing to files that have
// no name any more.
func TestAHomeThatIsGoneTakesNoWrites(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]func(w *world) error{
		"the folder": func(w *world) error { return os.Rename(w.home, w.home+".away") },
		"everything": func(w *world) error { return os.RemoveAll(w.home) },
		"trail.db":   func(w *world) error { return os.Remove(filepath.Join(w.home, "trail.db")) },
		"the lock":   func(w *world) error { return os.Remove(filepath.Join(w.home, "trail.lock")) },
		"for another": func(w *world) error {
			return errors.Join(os.Remove(filepath.Join(w.home, "trail.db")), os.WriteFile(filepath.Join(w.home, "trail.db"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
			w.open()
			w.write(alice, "a", "a1")
			if err := take(w); err != nil {
				t.Fatal(err)
			}
			w.refuses(versions.ErrHomeGone)
			if got := w.file("b"); got != none {
				t.Errorf("b holds %q", got)
			}
			_ = w.store.Close()
			_ = w.trail.Close()
		})
	}
}

func TestAHomeMayHaveAnyName(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "a?b#c%20d &e=f"), folder: t.TempDir()}
	w.open()
	defer w.close()
	w.write(alice, "a", "a1")
	if _, err := os.Stat(filepath.Join(w.home, db.File)); err != nil {
		t.Error(err)
	}
}
