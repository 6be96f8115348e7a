package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestAddTree_WatchesFoldersThatAreNotHidden(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	want := []string{root}
	for i := range readAtOnce + 10 {
		want = append(want, filepath.Join(root, fmt.Sprintf("d%03d", i)))
	}
	want = append(want, filepath.Join(root, "a"), filepath.Join(root, "a", "b"))
	for _, dir := range append(slices.Clone(want), filepath.Join(root, ".git", "objects"), filepath.Join(root, "a", "node_modules", "x")) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w, err := NewWatch()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }()
	if err := w.AddTree(filepath.Join(root, "gone")); err != nil {
		t.Errorf("AddTree of a folder that is gone: %v", err)
	}
	if err := w.AddTree(root); err != nil {
		t.Fatal(err)
	}
	got := w.WatchList()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d folders are watched, want %d", len(got), len(want))
	}
}
