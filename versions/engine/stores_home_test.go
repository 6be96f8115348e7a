package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	vengine "github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

// homeOf opens the trail of a home for the length of the test.
func homeOf(t *testing.T, home string) *core.Trail {
	t.Helper()
	trail, err := vengine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = trail.Close() })
	return trail
}

// twoStores makes a home with a store of its own and one of a folder elsewhere.
func twoStores(t *testing.T) (home, elsewhere string) {
	t.Helper()
	home, elsewhere = filepath.Join(t.TempDir(), "home"), t.TempDir()
	trail, err := vengine.Open(t.Context(), home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, folder := range map[string]string{"own": "", "project": elsewhere} {
		info, err := stores.CreateStore(t.Context(), trail, alice, name, "", folder)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeIn(t, trail, info.ID, "a.md", "kept\n"); err != nil {
			t.Fatal(err)
		}
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	return home, elsewhere
}

func writeIn(t *testing.T, trail *core.Trail, id versions.StoreID, path, text string) error {
	t.Helper()
	s, err := trail.OpenStore(t.Context(), id)
	if err != nil {
		return err
	}
	_, err = s.Write(t.Context(), alice, mustPath(path), []byte(text), versions.Pre{})
	return errors.Join(err, s.Close())
}

func storeNamed(t *testing.T, trail *core.Trail, name string) versions.StoreInfo {
	t.Helper()
	info, err := trail.FindStore(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func wantText(t *testing.T, file, want string) {
	t.Helper()
	if b, err := os.ReadFile(file); err != nil || string(b) != want {
		t.Errorf("%s: %q, %v; want %q", file, b, err, want)
	}
}

// What is done in a copy of a home stays in the copy.
func TestACopyOfAHomeTouchesNothingOfTheOriginal(t *testing.T) {
	t.Parallel()
	home, elsewhere := twoStores(t)
	backup := filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(backup, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	trail := homeOf(t, backup)
	own := storeNamed(t, trail, "own")
	if err := writeIn(t, trail, own.ID, "a.md", "changed in the copy\n"); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(backup, "stores", "own", "a.md"), "changed in the copy\n")
	wantText(t, filepath.Join(home, "stores", "own", "a.md"), "kept\n")

	project := storeNamed(t, trail, "project")
	err := writeIn(t, trail, project.ID, "a.md", "changed in the copy\n")
	copied := (*versions.CopiedHomeError)(nil)
	if !errors.As(err, &copied) || !strings.Contains(err.Error(), "store project") {
		t.Errorf("the folder of the original: %v", err)
	}
	wantText(t, filepath.Join(elsewhere, "a.md"), "kept\n")

	// Its past can be read, and nothing else.
	past, err := trail.OpenPast(t.Context(), project.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := past.Sync(t.Context()); !errors.As(err, &copied) {
		t.Errorf("what the folder of the original holds: %v", err)
	}
	if _, err := past.Write(t.Context(), alice, mustPath("a.md"), []byte("changed in the copy\n"), versions.Pre{}); !errors.As(err, &copied) {
		t.Errorf("a write to the folder of the original: %v", err)
	}
	if cs, err := vhistory.Changes(t.Context(), past, versions.Filter{}, 0, 10); err != nil || len(cs) == 0 {
		t.Errorf("its past is %v, %v", cs, err)
	}
	if err := past.Close(); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(elsewhere, "a.md"), "kept\n")

	// A folder of its own lets it go on; the original has its own as before.
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(elsewhere)); err != nil {
		t.Fatal(err)
	}
	if err := stores.MoveStore(t.Context(), trail, alice, project.ID, folder); err != nil {
		t.Fatal(err)
	}
	if err := writeIn(t, trail, project.ID, "a.md", "changed in the copy\n"); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(elsewhere, "a.md"), "kept\n")
	if err := writeIn(t, homeOf(t, home), project.ID, "a.md", "changed in the original\n"); err != nil {
		t.Fatal(err)
	}
	wantText(t, filepath.Join(folder, "a.md"), "changed in the copy\n")
}

// Erasing in a copy removes neither the empty folders of the original that its redactions remove, nor its staging files.
func TestErasingInACopyRemovesNothingOfTheOriginal(t *testing.T) {
	t.Parallel()
	home, elsewhere := twoStores(t)
	dir, err := memfs.OpenDir(elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dir.Stage([]byte("two\n"), 0, nil, false); err != nil {
		t.Fatal(err)
	}
	left, err := dir.Leftovers()
	if err = errors.Join(err, dir.Close()); err != nil {
		t.Fatal(err)
	}
	const secret = "the-secret-of-the-house"
	empty, staged := filepath.Join(elsewhere, secret), filepath.Join(elsewhere, left[0].Base())
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	backup := filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(backup, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	trail := homeOf(t, backup)
	own, err := trail.OpenStore(t.Context(), storeNamed(t, trail, "own").ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := own.Write(t.Context(), alice, mustPath("b.md"), []byte(secret+"\n"), versions.Pre{}); err != nil {
		t.Fatal(err)
	}
	p, err := redact.Prepare(t.Context(), own, versions.RedactTarget{Match: []byte(secret), AllStores: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := redact.Do(t.Context(), own, alice, p, versions.RedactChoice{Heads: versions.HeadMask}); err != nil {
		t.Fatal(err)
	}
	if err := own.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := stores.Delete(t.Context(), trail, alice, storeNamed(t, trail, "project").ID, versions.Scrub{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{empty, staged} {
		if _, err := os.Lstat(name); err != nil {
			t.Error(err)
		}
	}
}

// Deleting a store of a copy removes no folder of the original.
func TestDeletingAStoreOfACopyLeavesTheOriginal(t *testing.T) {
	t.Parallel()
	home, elsewhere := twoStores(t)
	backup := filepath.Join(t.TempDir(), "backup")
	if err := os.CopyFS(backup, os.DirFS(home)); err != nil {
		t.Fatal(err)
	}
	trail := homeOf(t, backup)
	for _, name := range []string{"own", "project"} {
		if _, err := stores.Delete(t.Context(), trail, alice, storeNamed(t, trail, name).ID, versions.Scrub{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantText(t, filepath.Join(home, "stores", "own", "a.md"), "kept\n")
	wantText(t, filepath.Join(elsewhere, "a.md"), "kept\n")
}

// A home that was moved has all its stores where they are now.
func TestAMovedHomeWorks(t *testing.T) {
	t.Parallel()
	home, elsewhere := twoStores(t)
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(home, moved); err != nil {
		t.Fatal(err)
	}
	trail := homeOf(t, moved)
	for name, folder := range map[string]string{"own": filepath.Join(moved, "stores", "own"), "project": elsewhere} {
		info := storeNamed(t, trail, name)
		s, err := trail.OpenStore(t.Context(), info.ID)
		if err != nil {
			t.Fatal(err)
		}
		if report, err := s.Sync(t.Context()); err != nil || report.Adopted > 0 {
			t.Errorf("%s: %+v, %v", name, report, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := writeIn(t, trail, info.ID, "b.md", "new\n"); err != nil {
			t.Error(err)
		}
		wantText(t, filepath.Join(folder, "b.md"), "new\n")
	}

	// It has the folder now: a new home at the old place can't take it back by being there.
	if err := homeOf(t, home).Close(); err != nil {
		t.Fatal(err)
	}
	if err := writeIn(t, trail, storeNamed(t, trail, "project").ID, "c.md", "new\n"); err != nil {
		t.Error(err)
	}
}

// A home that is reached by two names is one home.
func TestAHomeBehindALinkIsTheSameHome(t *testing.T) {
	t.Parallel()
	home, _ := twoStores(t)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(home, link); err != nil {
		t.Skip(err)
	}
	trail := homeOf(t, link)
	for _, name := range []string{"own", "project"} {
		if err := writeIn(t, trail, storeNamed(t, trail, name).ID, "b.md", "new\n"); err != nil {
			t.Error(err)
		}
	}
}

// Whatever modes a home and its files had, other users can read none of them once it
// was opened; the folder of a store that another tool owns keeps its modes.
func TestAHomeIsClosedToOtherUsers(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]bool{"new": false, "made beforehand": true} {
		t.Run(name, func(t *testing.T) {
			home, elsewhere := filepath.Join(t.TempDir(), "home"), t.TempDir()
			if before { // by a memend that left it open
				if err := homeOf(t, home).Close(); err != nil {
					t.Fatal(err)
				}
				for _, folder := range []string{"", "conversations", "stores", "stores/own"} {
					if err := errors.Join(os.MkdirAll(filepath.Join(home, folder), 0o755), os.Chmod(filepath.Join(home, folder), 0o755)); err != nil {
						t.Fatal(err)
					}
				}
				if err := os.WriteFile(filepath.Join(home, "conversations", "c.jsonl"), []byte("{}\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(elsewhere, 0o755); err != nil {
				t.Fatal(err)
			}
			trail := homeOf(t, home)
			info, err := stores.CreateStore(t.Context(), trail, alice, "project", "", elsewhere)
			if err != nil {
				t.Fatal(err)
			}
			if err := writeIn(t, trail, info.ID, "a.md", "a\n"); err != nil {
				t.Fatal(err)
			}
			if before {
				if err := os.Chmod(filepath.Join(home, db.File), 0o644); err != nil {
					t.Fatal(err)
				}
				homeOf(t, home)
			}
			err = filepath.WalkDir(home, func(name string, _ os.DirEntry, err error) error {
				if err != nil {
					return err
				}
				fi, err := os.Stat(name)
				if err == nil && fi.Mode()&0o077 != 0 && name != filepath.Join(home, "stores", "own") {
					t.Errorf("%s: %v", name, fi.Mode())
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if fi, err := os.Stat(elsewhere); err != nil || fi.Mode().Perm() != 0o755 {
				t.Errorf("the folder elsewhere: %v, %v", fi.Mode(), err)
			}
		})
	}
}

// A folder that everybody uses stays usable when it is somebody's home.
func TestASharedFolderStaysOpenAsAHome(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := errors.Join(os.Chmod(home, 0o777|os.ModeSticky), os.WriteFile(filepath.Join(home, "theirs"), nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	homeOf(t, home)
	homeOf(t, home)
	for name, want := range map[string]os.FileMode{"": 0o777, "theirs": 0o644, db.File: 0o600} {
		if fi, err := os.Stat(filepath.Join(home, name)); err != nil || fi.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
}
