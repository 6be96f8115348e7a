package versions

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
)

// Where only reading is allowed no act changes a memory or a store, and everything can be
// read, also what another program wrote meanwhile.
func TestATrailThatIsOpenForReadingRefusesEveryChange(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	if _, err := Open(t.Context(), w.home, Options{ReadOnly: true}); !errors.Is(err, ErrReadingOnly) {
		t.Errorf("a home was made: %v", err)
	}
	if _, err := os.Stat(w.home); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a home: %v", err)
	}
	w.open()
	w.write(alice, "a", "a1\n")
	w.write(alice, "a", "a2\n")
	w.close()
	w.outside("b", "theirs\n")
	w.open(Options{ReadOnly: true})
	w.sync()
	ctx, id, old := t.Context(), w.store.info.ID, w.history("a")[1].ID
	plan, err := w.store.Plan(ctx, UndoChange(2))
	must(w, err)
	redact, err := w.store.PlanRedact(ctx, RedactTarget{Version: old})
	must(w, err)
	for name, err := range map[string]error{
		"write":   second(w.store.Write(ctx, alice, mustPath("c"), nil, Pre{})),
		"rename":  second(w.store.Rename(ctx, alice, mustPath("a"), mustPath("c"))),
		"delete":  second(w.store.Delete(ctx, alice, mustPath("a"))),
		"undo":    second(w.store.Do(ctx, alice, UndoLast(alice.Actor))),
		"apply":   second(w.store.Apply(ctx, alice, plan, nil)),
		"restore": second(w.store.Do(ctx, alice, Restore(old))),
		"redact":  second(w.store.Redact(ctx, alice, redact, RedactChoice{})),
		"import":  second(w.store.Import(ctx, alice, func(func(Item, error) bool) {})),
		"create":  second(w.trail.CreateStore(ctx, alice, "other", "", "")),
		"update":  second(w.trail.UpdateStore(ctx, alice, id, StoreUpdate{})),
		"files":   second(w.store.SetFiles(ctx, alice, files(t, "x"), true)),
		"archive": second(w.trail.ArchiveStore(ctx, alice, id)),
		"erase":   second(w.trail.DeleteStore(ctx, alice, id, Scrub{})),
	} {
		if !errors.Is(err, ErrReadingOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
	res, _, err := w.store.Tool(ctx, robot, memfs.Create{Path: "/memories/c", FileText: "x"}, memfs.Options{})
	if err != nil || !res.IsError {
		t.Errorf("tool: %+v, %v", res, err)
	}
	if res, _, err = w.store.Tool(ctx, robot, memfs.View{Path: "/memories/a"}, memfs.Options{}); err != nil || res.IsError {
		t.Errorf("view: %+v, %v", res, err)
	}
	w.wantFile("a", "a2\n")
	w.wantFile("c", none)
	if n, err := w.store.LastChange(ctx); err != nil || n != 3 {
		t.Errorf("%d changes, %v", n, err)
	}
	w.check()
	w.close()
}

func second[T any](_ T, err error) error { return err }
