//go:build unix

package versions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestDeletingAStoreErasesItAndLeavesWhatOthersShare(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	info, err := w.trail.CreateStore(t.Context(), alice, "own", "", "")
	if err != nil {
		t.Fatal(err)
	}
	own, err := w.trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	shared := unique(r, 500)
	w.write(alice, "kept", shared)
	ps := prints{}
	for i := range 50 {
		text := unique(r, 900)
		ps.add([]byte(text))
		for _, c := range []string{text, shared} {
			if _, err := own.Write(t.Context(), robot, mustPath(fmt.Sprintf("d/%d", i)), []byte(c), Pre{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	receipt, err := w.trail.DeleteStore(t.Context(), alice, info.ID, Scrub{})
	if err != nil || receipt.Outcome != OutcomeGone || receipt.Versions != 100 || receipt.Folder != FolderRemoved {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	if _, err := os.Stat(info.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
	if _, err := w.trail.OpenStore(t.Context(), info.ID); !errors.Is(err, ErrNoStore) {
		t.Errorf("open: %v", err)
	}
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
	if b, err := w.store.Content(t.Context(), w.entry("kept").Version); err != nil || string(b) != shared {
		t.Errorf("what another store shares: %q, %v", b, err)
	}
	// The folder of somebody else stays, and the store can be deleted without it.
	moved := w.folder + "-moved"
	if err := os.Rename(w.folder, moved); err != nil {
		t.Fatal(err)
	}
	receipt, err = w.trail.DeleteStore(t.Context(), alice, w.store.Info().ID, Scrub{})
	if err != nil || receipt.Outcome != OutcomeGone || receipt.Folder != FolderLeft {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	if b, err := os.ReadFile(filepath.Join(moved, "kept")); err != nil || string(b) != shared {
		t.Errorf("the folder of another: %q, %v", b, err)
	}
	var rows int
	if err := w.trail.db.W.QueryRow(`SELECT (SELECT count(*) FROM version)+(SELECT count(*) FROM change)+(SELECT count(*) FROM memory)+(SELECT count(*) FROM blob)+(SELECT count(*) FROM head)`).Scan(&rows); err != nil || rows != 0 {
		t.Errorf("%d rows are left, %v", rows, err)
	}
	if err := os.Rename(moved, w.folder); err != nil { // for the check at the end
		t.Fatal(err)
	}
	w.close()
	w.open()
}

func TestADeletionOfAStoreThatIsKilledIsFinishedAtTheNextOpen(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	for _, step := range []string{"before-journal-commit", "after-journal-commit", "before-drafts", "before-erase-commit", "after-erase-commit", "after-remove", "before-clear", "after-clear", "before-truncate", "after-truncate"} {
		t.Run(step, func(t *testing.T) {
			w := &world{t: t, home: filepath.Join(t.TempDir(), "home")}
			if first, err := Open(t.Context(), w.home, Options{}); err != nil || first.Close() != nil {
				t.Fatal(err)
			}
			w.folder = filepath.Join(w.home, "stores", "own") // ours to remove
			if err := os.MkdirAll(w.folder, 0o700); err != nil {
				t.Fatal(err)
			}
			w.open()
			ps := prints{}
			for i := range 30 {
				text := unique(r, 900)
				ps.add([]byte(text))
				w.write(robot, fmt.Sprint(i), text)
			}
			w.close()
			w.dies("drop", step)
			trail, err := Open(t.Context(), w.home, Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = trail.Close() }()
			all, err := trail.Stores(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_, gone := os.Stat(w.folder)
			if step == "before-journal-commit" {
				if len(all) != 1 || gone != nil {
					t.Errorf("a deletion that was not journaled left stores %+v, folder %v", all, gone)
				}
				return
			}
			if len(all) != 0 || !errors.Is(gone, os.ErrNotExist) {
				t.Errorf("stores %+v, folder %v", all, gone)
			}
			if left := ps.left(t, w.home); len(left) > 0 {
				t.Errorf("of %d windows there are left %v", ps.count(), left)
			}
			if rs, err := trail.Receipts(t.Context()); err != nil || len(rs) != 1 || rs[0].Versions != 30 || rs[0].Folder != FolderRemoved {
				t.Errorf("receipts %+v, %v", rs, err)
			}
		})
	}
}
