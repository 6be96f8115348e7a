package ui

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

func TestStoreOfNamedFiles_ShowsHiddenOnesAndRefusesOthers(t *testing.T) {
	t.Parallel()
	trail, err := engine.Open(t.Context(), storetest.Home(t), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for name, text := range map[string]string{"CLAUDE.md": "be brief\n", ".claude/rules/style.md": "tabs\n", ".claude/settings.json": "{}", "README.md": "not a memory\n"} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files, err := memfs.ParseNames([]string{"CLAUDE.md", ".claude/rules/**/*.md"})
	if err != nil {
		t.Fatal(err)
	}
	info, err := trail.MakeStore(t.Context(), me, versions.NewStore{Name: "rules", Folder: folder, Files: files})
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(); trail.Close() })
	if _, err := store.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newSim(t, newFake(), 120, 30, func(c *Config) {
		c.Store, c.Trail, c.By.Door = local.Store{Store: store}, local.Home{Trail: trail}, versions.DoorTUI
	})
	s.shows(".claude", "style.md", "CLAUDE.md")
	s.hides("settings.json", "README.md")
	s.keys("G n")
	s.typed("README.md")
	s.keys("enter")
	s.shows("/README.md is not one of the files of this store, which are CLAUDE.md, .claude/rules/**/*.md")
	if s.app.editing.Pane() != nil {
		t.Error("an editor is open")
	}
	s.keys("n")
	s.typed(".claude/rules/new.md")
	s.keys("enter")
	s.typed("x")
	s.keys("ctrl+s")
	s.shows("saved /.claude/rules/new.md")
	if _, err := os.Stat(filepath.Join(folder, ".claude", "rules", "new.md")); err != nil {
		t.Error(err)
	}
}
