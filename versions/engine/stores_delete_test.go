//go:build unix

package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

func TestDeletingAStoreErasesItAndLeavesWhatOthersShare(t *testing.T) {
	t.Parallel()
	r := scrubRand(t)
	w := newWorld(t)
	info, err := stores.CreateStore(t.Context(), w.trail, alice, "own", "", "")
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
			if _, err := own.Write(t.Context(), robot, mustPath(fmt.Sprintf("d/%d", i)), []byte(c), versions.Pre{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	receipt, err := stores.Delete(t.Context(), w.trail, alice, info.ID, versions.Scrub{})
	if err != nil || receipt.Outcome != versions.OutcomeGone || receipt.Versions != 100 || receipt.Folder != versions.FolderRemoved {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	if _, err := os.Stat(info.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("its folder: %v", err)
	}
	if _, err := w.trail.OpenStore(t.Context(), info.ID); !errors.Is(err, versions.ErrNoStore) {
		t.Errorf("open: %v", err)
	}
	if left := ps.left(t, w.home, w.folder); len(left) > 0 {
		t.Errorf("of %d windows there are left %v", ps.count(), left)
	}
	if b, err := vhistory.Content(t.Context(), w.store, w.entry("kept").Version); err != nil || string(b) != shared {
		t.Errorf("what another store shares: %q, %v", b, err)
	}
	// The folder of somebody else stays, and the store can be deleted without it.
	moved := w.folder + "-moved"
	if err := os.Rename(w.folder, moved); err != nil {
		t.Fatal(err)
	}
	receipt, err = stores.Delete(t.Context(), w.trail, alice, w.store.Info().ID, versions.Scrub{})
	if err != nil || receipt.Outcome != versions.OutcomeGone || receipt.Folder != versions.FolderLeft {
		t.Errorf("receipt %+v, %v", receipt, err)
	}
	if b, err := os.ReadFile(filepath.Join(moved, "kept")); err != nil || string(b) != shared {
		t.Errorf("the folder of another: %q, %v", b, err)
	}
	var rows int
	if err := w.trail.DB.W.QueryRow(`SELECT (SELECT count(*) FROM version)+(SELECT count(*) FROM change)+(SELECT count(*) FROM memory)+(SELECT count(*) FROM blob)+(SELECT count(*) FROM head)`).Scan(&rows); err != nil || rows != 0 {
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
	for _, step := range sampled([]string{"before-journal-commit", "after-journal-commit", "before-drafts", "before-erase-commit", "after-erase-commit", "after-remove", "before-clear", "after-clear", "before-truncate", "after-truncate"}) {
		t.Run(step, func(t *testing.T) {
			w := &world{t: t, home: newHome(t)}
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
			trail, err := vengine.Open(t.Context(), w.home, versions.Options{})
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
			if rs, err := redact.Receipts(t.Context(), trail); err != nil || len(rs) != 1 || rs[0].Versions != 30 || rs[0].Folder != versions.FolderRemoved {
				t.Errorf("receipts %+v, %v", rs, err)
			}
		})
	}
}
