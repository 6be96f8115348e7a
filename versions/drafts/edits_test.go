package drafts

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestACopyForAnEditorGoesWithAllThatTheEditorMade(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c, left, err := NewEditCopy(home, "memory.md", []byte("text"))
	if err != nil || len(left) != 0 {
		t.Fatal(left, err)
	}
	if rel, err := filepath.Rel(home, c.File()); err != nil || filepath.Dir(filepath.Dir(rel)) != "edits" {
		t.Errorf("the copy is %s", c.File())
	}
	if b, err := c.Read(); err != nil || string(b) != "text" {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(c.File()), ".memory.md.swp"), []byte("swap"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := c.Remove(); err != nil {
		t.Error(err)
	}
	if files, err := EditFiles(home); err != nil || len(files) != 0 {
		t.Errorf("left is %q, %v", files, err)
	}
	if entries, err := os.ReadDir(filepath.Join(home, "edits")); err != nil || len(entries) != 0 {
		t.Errorf("left is %v, %v", entries, err)
	}
}

// What an editor that was killed leaves is removed when nobody typed into it, and named
// when somebody did; what somebody edits now is nobody's to touch.
func TestCopiesOfDeadEditorsAreTidied(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	edit := func(do func(c *EditCopy)) *EditCopy {
		c, _, err := NewEditCopy(home, "memory.md", []byte("text"))
		if err != nil {
			t.Fatal(err)
		}
		do(c)
		return c
	}
	write := func(file, text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	die := func(c *EditCopy) { // the system frees the lock, and nothing else happens
		if err := c.lock.Close(); err != nil {
			t.Fatal(err)
		}
	}
	// All of them at once, so that making one does not tidy those before.
	running, dead := edit(func(*EditCopy) {}), edit(func(*EditCopy) {})
	typed := edit(func(c *EditCopy) { write(c.File(), "text and more") })
	same := edit(func(c *EditCopy) { write(c.File(), "text") }) // saved without a change: who knows
	swap := edit(func(c *EditCopy) { write(c.File()+".swp", "typed, not saved") })
	for _, c := range []*EditCopy{dead, typed, same, swap} {
		die(c)
	}
	last, left, err := NewEditCopy(home, "memory.md", nil)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{typed.File(): true, same.File(): true, swap.File(): true, swap.File() + ".swp": true}
	for _, file := range left {
		if !want[file] {
			t.Errorf("%s is named", file)
		}
		delete(want, file)
	}
	if len(want) > 0 {
		t.Errorf("not named: %v", want)
	}
	if _, err := os.Stat(dead.File()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the untouched copy: %v", err)
	}
	for _, c := range []*EditCopy{running, last} {
		if _, err := c.Read(); err != nil {
			t.Errorf("one that is edited: %v", err)
		}
		if err := c.Keep(); err != nil {
			t.Error(err)
		}
	}
}
