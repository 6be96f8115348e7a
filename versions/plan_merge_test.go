package versions

import (
	"errors"
	"testing"

	"github.com/memend/memend/versions/planning"
)

func TestAMergeTakesOverWhatIsMissingAndAsksAboutTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "same", "x\n")
	w.write(alice, "MEMORY.md", "- ours\n")
	texts := []MergeText{{mustPath("same"), []byte("x\n")}, {mustPath("MEMORY.md"), []byte("- theirs\n")}, {mustPath("new/a"), []byte("new\n")}}
	p, err := w.store.Plan(t.Context(), MergeTexts(texts))
	w.must(err)
	if len(p.Clean) != 1 || len(p.Nothing) != 1 || len(p.Conflicts) != 1 || p.Conflicts[0].Merge == nil {
		t.Fatalf("%+v", p)
	}
	var conflicts *ConflictsError
	if _, err := w.store.Apply(t.Context(), alice, p, nil); !errors.As(err, &conflicts) {
		t.Errorf("%v", err)
	}
	c := w.apply(p, map[MemoryID]planning.Choice{p.Conflicts[0].Memory: {Kind: planning.OwnText, Text: []byte("- ours\n- theirs\n")}})
	if now := w.now(); now["new/a"] != "new\n" || now["MEMORY.md"] != "- ours\n- theirs\n" || c.Versions != 2 {
		t.Errorf("%v, %+v", now, c)
	}
	_, err = w.store.Do(t.Context(), alice, UndoChange(c.Number))
	w.must(err)
	if now := w.now(); len(now) != 2 || now["MEMORY.md"] != "- ours\n" {
		t.Errorf("after an undo: %v", now)
	}
}
