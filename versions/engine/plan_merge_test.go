package engine_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/planning"
)

func TestAMergeTakesOverWhatIsMissingAndAsksAboutTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "same", "x\n")
	w.write(alice, "MEMORY.md", "- ours\n")
	texts := []versions.MergeText{{Path: mustPath("same"), Text: []byte("x\n")}, {Path: mustPath("MEMORY.md"), Text: []byte("- theirs\n")}, {Path: mustPath("new/a"), Text: []byte("new\n")}}
	p, err := plan.Make(t.Context(), w.store, plan.MergeTexts(texts))
	w.must(err)
	if len(p.Clean) != 1 || len(p.Nothing) != 1 || len(p.Conflicts) != 1 || p.Conflicts[0].Merge == nil {
		t.Fatalf("%+v", p)
	}
	var conflicts *versions.ConflictsError
	if _, err := plan.Apply(t.Context(), w.store, alice, p, nil); !errors.As(err, &conflicts) {
		t.Errorf("%v", err)
	}
	c := w.apply(p, map[versions.MemoryID]planning.Choice{p.Conflicts[0].Memory: {Kind: planning.OwnText, Text: []byte("- ours\n- theirs\n")}})
	if now := w.now(); now["new/a"] != "new\n" || now["MEMORY.md"] != "- ours\n- theirs\n" || c.Versions != 2 {
		t.Errorf("%v, %+v", now, c)
	}
	_, err = plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number))
	w.must(err)
	if now := w.now(); len(now) != 2 || now["MEMORY.md"] != "- ours\n" {
		t.Errorf("after an undo: %v", now)
	}
}
