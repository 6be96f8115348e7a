package engine_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	vhistory "github.com/memend/memend/versions/history"
)

// A disk that is not mounted takes the memories away, not their past.
func TestOpenPast_ReadsTheHistoryOfAFolderThatIsGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.write(alice, "a", "1\n")
	w.write(alice, "a", "2\n")
	away := w.folder + "-away"
	w.must(os.Rename(w.folder, away))
	if _, err := w.trail.OpenStore(t.Context(), w.store.Info().ID); !errors.Is(err, versions.ErrFolderGone) {
		t.Fatalf("the store opens: %v", err)
	}
	s, err := w.trail.OpenPast(t.Context(), w.store.Info().ID)
	w.must(err)
	tree, err := vhistory.TreeAt(t.Context(), s, first.Number)
	w.must(err)
	if len(tree) != 1 || tree[0].Path != mustPath("a") {
		t.Errorf("after the first change: %v", tree)
	}
	problems, err := check.Store(t.Context(), s)
	w.must(err)
	if len(problems) != 1 || !strings.HasSuffix(problems[0], "folder is gone") {
		t.Errorf("check finds %q", problems)
	}
	if _, err := s.Open(t.Context(), mustPath("a")); !errors.Is(err, versions.ErrFolderGone) || errors.Is(err, memfs.ErrNotExist) {
		t.Errorf("a file in no folder: %v", err)
	}
	if err := s.Writable(); err != nil {
		t.Errorf("a folder that is gone counts as read-only: %v", err)
	}
	if _, err := s.Sync(t.Context()); !errors.Is(err, versions.ErrFolderGone) {
		t.Errorf("a scan of nothing: %v", err)
	}
	if _, err := s.Write(t.Context(), alice, mustPath("a"), []byte("3\n"), versions.Pre{}); !errors.Is(err, versions.ErrFolderGone) {
		t.Errorf("a write to nowhere: %v", err)
	}
	w.must(s.Close())
	w.must(os.Rename(away, w.folder))
	if n := len(w.history("a")); n != 2 {
		t.Errorf("a has %d versions when its folder is back", n)
	}
}
