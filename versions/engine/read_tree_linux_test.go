package engine_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
)

// What can't be a memory is listed with the reason, in its own folder.
func TestTree_ListsWhatCannotBeAMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(os.MkdirAll(filepath.Join(w.folder, "sub"), 0o755))
	for _, name := range []string{"tab\there.md", "new\nline.md", "sub/bad\xff.md", "shut.md"} {
		w.must(os.WriteFile(filepath.Join(w.folder, name), []byte("x\n"), 0o600))
	}
	w.must(os.Chmod(filepath.Join(w.folder, "shut.md"), 0))
	if _, err := w.store.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	es, err := vhistory.Tree(t.Context(), w.store)
	w.must(err)
	for i := range es {
		if name, ok := es[i].Unnamed(); ok {
			got[es[i].Path.Tool()+" "+name] = "unnamed"
		} else if es[i].Kind == versions.Unreadable {
			got[es[i].Path.Tool()] = es[i].Note
		}
	}
	want := map[string]string{`/memories "tab\there.md"`: "unnamed", `/memories "new\nline.md"`: "unnamed", `/memories/sub "bad\xff.md"`: "unnamed", "/memories/shut.md": "permission denied"}
	if os.Geteuid() == 0 { // root may read everything
		delete(want, "/memories/shut.md")
	}
	if !maps.Equal(got, want) {
		t.Errorf("listed are %q, want %q", got, want)
	}
	defer os.Remove(filepath.Join(w.folder, "shut.md")) // check would report it
	if r, err := w.store.Sync(t.Context()); err != nil || r.Changed {
		t.Errorf("a second look at the same folder changed something: %+v, %v", r, err)
	}
}
