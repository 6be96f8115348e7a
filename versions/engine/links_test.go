package engine_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

// A memory is a file that a scan comes to. One whose folder became a link is deleted or,
// when its file is found at another path of the store, moved.
func TestAFolderThatBecomesALinkLeavesNoMemoriesBehindIt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target func(w *world) string
		moved  string // where the memory is afterwards
	}{
		"out of the store": {func(w *world) string {
			out := filepath.Join(w.t.TempDir(), "out")
			must(w, os.Rename(w.host("d"), out))
			return out
		}, ""},
		"to another folder of the store": {func(w *world) string {
			must(w, os.Rename(w.host("d"), w.host("e")))
			return "e"
		}, "e/deep/1"},
		"to nowhere": {func(w *world) string {
			must(w, os.RemoveAll(w.host("d")))
			return "nowhere"
		}, ""},
		"to itself": {func(w *world) string {
			must(w, os.RemoveAll(w.host("d")))
			return "d"
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.write(alice, "d/deep/1", "one\n")
			must(w, os.Symlink(c.target(w), w.host("d")))
			w.sync()
			w.check()
			es, err := vhistory.Tree(t.Context(), w.store)
			must(w, err)
			for _, e := range es {
				if e.Kind == versions.Memory && e.Path.String() != "/"+c.moved {
					t.Errorf("still listed: %+v", e)
				}
			}
			if c.moved != "" {
				if vs := w.history(c.moved); len(vs) != 2 || !vs[0].Renamed() {
					t.Errorf("%+v", vs)
				}
			} else if vs := w.history("d/deep/1"); len(vs) != 2 || vs[0].Operation != versions.Deleted || vs[0].Actor.Kind != versions.Outside {
				t.Errorf("%+v", vs)
			}
		})
	}
}
