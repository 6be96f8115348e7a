package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

// refusedFolder checks that nothing is done in a folder that is not the store's, neither by
// a store that is open nor by one that is to be opened.
func (w *world) refusedFolder(want error) {
	w.t.Helper()
	if _, err := w.store.Sync(w.t.Context()); !errors.Is(err, want) {
		w.t.Errorf("sync: %v", err)
	}
	if _, err := w.store.Write(w.t.Context(), alice, mustPath("new"), []byte("ours\n"), versions.Pre{}); !errors.Is(err, want) {
		w.t.Errorf("write: %v", err)
	}
	if s, err := w.trail.OpenStore(w.t.Context(), w.store.Opened.ID); !errors.Is(err, want) || !errors.Is(err, versions.ErrFolderGone) {
		w.t.Errorf("open: %v", err)
		if err == nil {
			_ = s.Close()
		}
	}
	if n, err := w.store.LastChange(w.t.Context()); err != nil || n != 2 {
		w.t.Errorf("%d changes, %v", n, err)
	}
}

// twoMemories is a store of which one memory lies in a folder.
func twoMemories(t *testing.T) *world {
	w := newWorld(t)
	w.write(alice, "a", "a1\n")
	w.write(alice, "d/b", "b1\n")
	return w
}

func TestAStoreWhoseFolderBecameALinkIsRefused(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]func(w *world) string{
		"itself":           func(w *world) string { return w.folder },
		"the one above it": func(w *world) string { return filepath.Dir(w.folder) },
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: filepath.Join(t.TempDir(), "above", "folder")}
			must(w, os.MkdirAll(w.folder, 0o700))
			w.open()
			t.Cleanup(w.close)
			w.write(alice, "a", "a1\n")
			w.write(alice, "b", "b1\n")
			moved := at(w)
			elsewhere := filepath.Join(t.TempDir(), "elsewhere")
			must(w, os.Rename(moved, elsewhere))
			must(w, os.Symlink(elsewhere, moved))
			must(w, os.WriteFile(w.host("theirs"), nil, 0o600))
			w.refusedFolder(versions.ErrFolderLink)
			if info, err := w.trail.FindStore(t.Context(), w.folder); err != nil || info.ID != w.store.Opened.ID {
				t.Errorf("found %+v, %v", info, err)
			}
			if _, err := os.Lstat(w.host("new")); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("written through the link: %v", err)
			}
			must(w, os.Remove(moved))
			must(w, os.Rename(elsewhere, moved))
			w.sync()
			w.check()
		})
	}
}

func TestAnEmptyFolderInThePlaceOfTheStoresIsNotTheDeletionOfEverything(t *testing.T) {
	t.Parallel()
	w := twoMemories(t)
	aside := filepath.Join(t.TempDir(), "aside")
	must(w, os.Rename(w.folder, aside))
	must(w, os.Mkdir(w.folder, 0o700))
	w.outside("theirs", "another program's\n")
	w.refusedFolder(versions.ErrFolderOther)
	must(w, os.RemoveAll(w.folder))
	must(w, os.Rename(aside, w.folder))
	if r := w.sync(); r.Adopted != 0 {
		t.Errorf("%+v", r)
	}
}

// Somebody says that the memories were deleted.
func TestMovingAStoreToAFolderAcceptsItAsItIs(t *testing.T) {
	t.Parallel()
	w := twoMemories(t)
	must(w, os.RemoveAll(w.folder))
	must(w, os.Mkdir(w.folder, 0o700))
	w.refusedFolder(versions.ErrFolderOther)
	if may, err := w.trail.MayMoveStore(t.Context(), w.store.Opened.ID, w.folder); err != nil || may {
		t.Errorf("may move: %v, %v", may, err)
	}
	must(w, stores.MoveStore(t.Context(), w.trail, alice, w.store.Opened.ID, w.folder))
	if r := w.sync(); r.Adopted != 2 {
		t.Errorf("%+v", r)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(3)); err != nil {
		t.Fatal(err)
	}
	w.wantFile("a", "a1\n")
	w.wantFile("d/b", "b1\n")
}

// In the folder that it was, everything may go.
func TestTheDeletionOfEveryMemoryByAnotherProgramIsRecorded(t *testing.T) {
	t.Parallel()
	w := twoMemories(t)
	must(w, errors.Join(os.Remove(w.host("a")), os.RemoveAll(w.host("d"))))
	if r := w.sync(); r.Adopted != 2 {
		t.Errorf("%+v", r)
	}
	w.write(alice, "a", "a2\n")
	w.close()
	must(w, os.Remove(w.host("a")))
	w.open()
	if r := w.sync(); r.Adopted != 1 {
		t.Errorf("while it was closed: %+v", r)
	}
}

// A folder that was copied, or brought back from a backup, is another one and holds the
// memories. It is known from then on.
func TestACopyOfTheFolderInItsPlaceIsTheStores(t *testing.T) {
	t.Parallel()
	w := twoMemories(t)
	aside := filepath.Join(t.TempDir(), "aside")
	must(w, os.Rename(w.folder, aside))
	must(w, os.CopyFS(w.folder, os.DirFS(aside)))
	must(w, os.Remove(w.host("a")))
	w.close()
	w.open()
	if r := w.sync(); r.Adopted != 1 {
		t.Errorf("%+v", r)
	}
	must(w, os.RemoveAll(w.host("d")))
	if r := w.sync(); r.Adopted != 1 {
		t.Errorf("%+v", r)
	}
}

func TestAHomeMayBeReachedThroughALink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	w := &world{t: t, home: link}
	must(w, os.Mkdir(filepath.Join(dir, "real"), 0o700))
	must(w, os.Symlink(filepath.Join(dir, "real"), link))
	var err error
	w.trail, err = vengine.Open(t.Context(), link, versions.Options{})
	must(w, err)
	w.store = w.second()
	w.write(alice, "a", "a1\n")
	w.close()
}

// A write to another file system that is mounted in the folder has its staging file there. The first scan after its process
// died removes it.
func TestSync_RemovesStagingFilesOfDeadProcessesBelowTheFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "d/a.md", "one\n")
	dead, err := memfs.OpenDir(w.folder)
	must(w, err)
	defer dead.Close()
	_, err = dead.Stage([]byte("two\n"), 0, nil, false)
	must(w, err)
	left, err := dead.Leftovers()
	must(w, err)
	at := filepath.Join(w.folder, "d", left[0].Base())
	must(w, os.Rename(filepath.Join(w.folder, left[0].Base()), at))
	w.sync()
	if _, err := os.Lstat(at); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
	if w.file("d/a.md") != "one\n" {
		t.Error("the memory changed")
	}
}

// What an agent views in a folder that is gone is not said to be missing: it is unknown.
func TestTool_SaysOfAFolderThatIsGoneThatItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", "text")
	if err := os.RemoveAll(w.folder); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"/memories", "/memories/a"} {
		res, _, err := w.store.Tool(t.Context(), alice, memfs.View{Path: p}, memfs.Options{})
		if !errors.Is(err, versions.ErrFolderGone) {
			t.Errorf("view %s: %+v, %v", p, res, err)
		}
	}
	if err := errors.Join(os.Mkdir(w.folder, 0o700), os.WriteFile(filepath.Join(w.folder, "a"), []byte("text"), 0o600)); err != nil {
		t.Fatal(err)
	}
}
