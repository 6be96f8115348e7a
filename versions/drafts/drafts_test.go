package drafts

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

func path(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

func draftOf(p memfs.Path, text string) Draft { return Draft{Path: p, Text: []byte(text)} }

func keep(t *testing.T, d *Keeper, x Draft, step int) string {
	t.Helper()
	id, err := d.Keep(x, step)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func list(t *testing.T, d *Keeper) []Draft {
	t.Helper()
	out, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDraft_IsFoundWhenItsRunWasKilled(t *testing.T) {
	home := t.TempDir()
	entry := Draft{Memory: "mem_1", Path: path("a"), Base: ids.Hash{1}, Text: []byte("one\r\n\xff two")}
	killed := New(home, "memstore_1", time.Now)
	id := keep(t, killed, entry, 1)

	next := New(home, "memstore_1", time.Now)
	if got := list(t, next); len(got) != 1 || !got[0].Held || got[0].Own {
		t.Fatalf("while the run lasts: %+v", got)
	}
	_ = killed.lock.Close()
	got := list(t, next)
	if len(got) != 1 || got[0].Held || got[0].ID != id || got[0].Base != entry.Base || got[0].Memory != entry.Memory || got[0].Path != entry.Path || string(got[0].Text) != "one\r\n\xff two" {
		t.Fatalf("after its death: %+v", got)
	}
	if time.Since(got[0].Time) > time.Hour {
		t.Errorf("it was kept at %v", got[0].Time)
	}
	for name, mode := range map[string]os.FileMode{filepath.Join(home, "drafts"): 0o700, filepath.Join(home, "drafts", id): 0o600} {
		if fi, err := os.Stat(name); err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", name, fi.Mode(), err)
		}
	}
	if err := next.Drop(id, 1); err != nil || len(list(t, next)) != 0 {
		t.Errorf("dropped: %v, %d are left", err, len(list(t, next)))
	}
}

func TestDraft_OfASavedTextIsNotKeptByACallThatComesLate(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := New(home, "memstore_1", time.Now)
	id := keep(t, d, draftOf(path("a"), "new"), 2)
	keep(t, d, draftOf(path("a"), "old"), 1)
	if got := list(t, d); len(got) != 1 || string(got[0].Text) != "new" {
		t.Fatalf("%+v", got)
	}
	if err := d.Drop(id, 4); err != nil {
		t.Fatal(err)
	}
	keep(t, d, draftOf(path("a"), "late"), 3)
	if got := list(t, d); len(got) != 0 {
		t.Errorf("kept after it was saved: %+v", got)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(filepath.Join(home, "drafts")); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

func TestDraft_OfAnotherStoreOrHalfWrittenIsNotOffered(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	other := New(home, "memstore_other", time.Now)
	keep(t, other, draftOf(path("a"), "theirs"), 1)
	for name, b := range map[string]string{"1-2.draft": "", "3-4.draft": "{}", "5-6.draft": `{"path":"../x"}` + "\n"} {
		if err := os.WriteFile(filepath.Join(home, "drafts", name), []byte(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, New(home, "memstore_1", time.Now)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if err := other.Drop("../trail.db", 9); err == nil {
		t.Error("a draft outside of the folder is dropped")
	}
}
