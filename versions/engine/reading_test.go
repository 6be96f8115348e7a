package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	vplan "github.com/memend/memend/versions/plan"
	vredact "github.com/memend/memend/versions/redact"
	"github.com/memend/memend/versions/stores"
)

// Where only reading is allowed no act changes a memory or a store, and everything can be
// read, also what another program wrote meanwhile.
func TestATrailThatIsOpenForReadingRefusesEveryChange(t *testing.T) {
	t.Parallel()
	w := &world{t: t, home: filepath.Join(t.TempDir(), "home"), folder: t.TempDir()}
	if _, err := vengine.Open(t.Context(), w.home, versions.Options{ReadOnly: true}); !errors.Is(err, versions.ErrReadingOnly) {
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
	w.open(versions.Options{ReadOnly: true})
	w.sync()
	ctx, id, old := t.Context(), w.store.Opened.ID, w.history("a")[1].ID
	plan, err := vplan.Make(ctx, w.store, vplan.UndoChange(2))
	must(w, err)
	redact, err := vredact.Prepare(ctx, w.store, versions.RedactTarget{Version: old})
	must(w, err)
	for name, err := range map[string]error{
		"write":   second(w.store.Write(ctx, alice, mustPath("c"), nil, versions.Pre{})),
		"rename":  second(w.store.Rename(ctx, alice, mustPath("a"), mustPath("c"))),
		"delete":  second(w.store.Delete(ctx, alice, mustPath("a"))),
		"undo":    second(vplan.Do(ctx, w.store, alice, vplan.UndoLast{By: alice.Actor})),
		"apply":   second(vplan.Apply(ctx, w.store, alice, plan, nil)),
		"restore": second(vplan.Do(ctx, w.store, alice, vplan.Restore(old))),
		"redact":  second(vredact.Do(ctx, w.store, alice, redact, versions.RedactChoice{})),
		"import":  second(exchange.Import(ctx, w.store, alice, func(func(versions.Item, error) bool) {})),
		"create":  second(stores.CreateStore(ctx, w.trail, alice, "other", "", "")),
		"update":  second(stores.Update(ctx, w.trail, alice, id, versions.StoreUpdate{})),
		"files":   second(stores.SetFiles(ctx, w.store, alice, files(t, "x"), true)),
		"archive": second(stores.Archive(ctx, w.trail, alice, id)),
		"erase":   second(stores.Delete(ctx, w.trail, alice, id, versions.Scrub{})),
	} {
		if !errors.Is(err, versions.ErrReadingOnly) {
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

func third[T, U any](_ T, _ U, err error) error { return err }
