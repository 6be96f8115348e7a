package engine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	vhistory "github.com/memend/memend/versions/history"
)

// A file that was there before its history is as old as the file says. What is written through
// the engine is as old as the change.
func TestTree_KnowsWhenAFoundFileWasWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)
	w.outside("old.md", "o")
	if err := os.Chtimes(filepath.Join(w.folder, "old.md"), old, old); err != nil {
		t.Fatal(err)
	}
	w.sync()
	w.write(alice, "mine.md", "m")
	entries, err := vhistory.Tree(t.Context(), w.store)
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries {
		one, err := vhistory.Entry(t.Context(), w.store, e.Path)
		if err != nil || one != e {
			t.Errorf("the entry is %+v, %v, and that of the tree %+v", one, err, e)
		}
		want := time.Time{}
		if e.Path.String() == "/old.md" {
			want = old
		}
		if !e.Written.Equal(want) {
			t.Errorf("%s was written at %v, want %v", e.Path, e.Written, want)
		}
	}
}
