package engine_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

func (w *world) limit(l versions.Limits) {
	w.t.Helper()
	if err := stores.SetLimits(w.t.Context(), w.trail, alice, w.store.Info().ID, l); err != nil {
		w.t.Fatal(err)
	}
}

// tool runs a command that must be answered, and gives the answer.
func (w *world) tool(c memfs.Command) memfs.Result {
	w.t.Helper()
	res, _, err := w.store.Tool(w.t.Context(), robot, c, memfs.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	return res
}

func TestTheDefaultLimitsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(versions.Limits{})
	info, err := w.trail.FindStore(t.Context(), w.folder)
	if err != nil || info.Limits != (versions.Limits{}) || info.Limits.Effective() != (versions.Limits{Bytes: 102_400, Memories: 10_000, ViewChars: versions.NoLimit}) {
		t.Errorf("%+v, %v", info.Limits, err)
	}
	w.write(alice, "full", strings.Repeat("x", 102_400))
	var over *versions.LimitError
	_, err = w.store.Write(t.Context(), alice, mustPath("over"), make([]byte, 102_401), versions.Pre{})
	if !errors.As(err, &over) || over.Bytes != 102_401 || over.Limit != 102_400 || over.Path != mustPath("over") {
		t.Errorf("one byte more: %v", err)
	}
	w.wantFile("over", "<none>")
	if n, err := w.store.LastChange(t.Context()); err != nil || n != 1 {
		t.Errorf("a refused write took number %d, %v", n, err)
	}
	if err := stores.SetLimits(t.Context(), w.trail, alice, info.ID, versions.Limits{Bytes: -2}); !errors.Is(err, versions.ErrInvalid) {
		t.Error(err)
	}
	if err := stores.SetLimits(t.Context(), w.trail, alice, "memstore_nonsense", versions.Limits{}); !errors.Is(err, versions.ErrNoStore) {
		t.Error(err)
	}
}

func TestAMemoryOverTheLimitMayOnlyShrink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.outside("big", strings.Repeat("0123456789\n", 10)) // taken as it is
	w.sync()
	w.limit(versions.Limits{Bytes: 20})
	var over *versions.LimitError
	if _, err := w.store.Write(t.Context(), alice, mustPath("big"), make([]byte, 111), versions.Pre{}); !errors.As(err, &over) {
		t.Errorf("larger: %v", err)
	}
	want := "Error: File /memories/big would have 112 bytes; the limit is 20. Keep it shorter, or split it into several files"
	if res := w.tool(memfs.Insert{Path: "/memories/big", InsertText: "z"}); res != (memfs.Result{Text: want, IsError: true}) {
		t.Errorf("insert: %+v", res)
	}
	if res := w.tool(memfs.StrReplace{Path: "/memories/big", OldStr: strings.Repeat("0123456789\n", 10), NewStr: strings.Repeat("a", 50)}); res.IsError {
		t.Errorf("smaller by the tool: %+v", res)
	}
	w.write(alice, "big", strings.Repeat("b", 40)) // smaller, and still over
	w.write(alice, "big", strings.Repeat("c", 20))
	if res := w.tool(memfs.Create{Path: "/memories/new", FileText: strings.Repeat("d", 21)}); !res.IsError || !strings.Contains(res.Text, "the limit is 20") {
		t.Errorf("create: %+v", res)
	}
	// What was there may come back, whatever the limit is.
	vs := w.history("big")
	if _, err := plan.Do(t.Context(), w.store, alice, plan.Restore(vs[len(vs)-1].ID)); err != nil {
		t.Error(err)
	}
	c, err := w.store.Delete(t.Context(), alice, mustPath("big"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(c.Number)); err != nil {
		t.Error(err)
	}
	if got := len(w.file("big")); got != 110 {
		t.Errorf("it came back with %d bytes", got)
	}
	if _, err := w.store.Rename(t.Context(), alice, mustPath("big"), mustPath("moved")); err != nil {
		t.Error(err)
	}
	w.limit(versions.Limits{Bytes: versions.NoLimit})
	w.write(alice, "moved", strings.Repeat("e", 200_000))
}

// Without a limit a memory is still no larger than what is versioned of others.
func TestNoLimitEndsWhereFilesAreNoMemoriesAnyMore(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	w.write(alice, "a", strings.Repeat("x", 1000))
	var over *versions.LimitError
	if _, err := w.store.Write(t.Context(), alice, mustPath("a"), make([]byte, 1001), versions.Pre{}); !errors.As(err, &over) || over.Limit != 1000 {
		t.Error(err)
	}
}

func TestAFullStoreTakesNoMoreMemories(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(versions.Limits{Bytes: versions.NoLimit, Memories: 3})
	for i := range 3 {
		w.write(alice, fmt.Sprint("m", i), "x")
	}
	var over *versions.LimitError
	_, err := w.store.Write(t.Context(), alice, mustPath("m3"), []byte("x"), versions.Pre{})
	if !errors.As(err, &over) || over.Bytes != 0 || over.Limit != 3 || over.Error() != "create /memories/m3: store "+w.store.Info().Name+" is full: it may hold 3 memories" {
		t.Errorf("%v", err)
	}
	want := "Error: Could not create /memories/m3: the memory directory is full; it may hold 3 files. Delete or merge some first"
	if res := w.tool(memfs.Create{Path: "/memories/m3", FileText: "x"}); res != (memfs.Result{Text: want, IsError: true}) {
		t.Errorf("%+v", res)
	}
	if _, err := exchange.ImportFiles(t.Context(), w.store, alice, []versions.NewFile{{Path: mustPath("m0"), Content: []byte("y")}, {Path: mustPath("f1")}}, true); !errors.As(err, &over) || over.Path != mustPath("f1") {
		t.Errorf("files: %v", err)
	}
	for i := range 5 { // edits and renames make no room and need none
		w.write(alice, "m0", fmt.Sprint(i))
	}
	if _, err := w.store.Rename(t.Context(), alice, mustPath("m0"), mustPath("m9")); err != nil {
		t.Error(err)
	}
	gone, err := w.store.Delete(t.Context(), alice, mustPath("m9"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(alice, "m4", "x") // there is room again
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(gone.Number)); err != nil {
		t.Error("undo is refused:", err)
	}
	w.outside("theirs", "x")
	w.sync()
	if _, err := w.store.Write(t.Context(), alice, mustPath("m5"), []byte("x"), versions.Pre{}); !errors.As(err, &over) {
		t.Errorf("with five: %v", err)
	}
	w.limit(versions.Limits{Bytes: versions.NoLimit, Memories: 6})
	w.write(alice, "m5", "x")
	if _, err := w.store.Write(t.Context(), alice, mustPath("m6"), []byte("x"), versions.Pre{}); !errors.As(err, &over) {
		t.Errorf("with six: %v", err)
	}
	w.limit(versions.Limits{Bytes: versions.NoLimit, Memories: versions.NoLimit})
	w.write(alice, "m6", "x")
}

// The count that a store keeps is right when others add, delete and rename.
func TestTheCountOfMemoriesFollowsOtherProcesses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.limit(versions.Limits{Bytes: versions.NoLimit, Memories: 10})
	two, err := vengine.Open(t.Context(), w.home, versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := two.OpenStore(t.Context(), w.store.Info().ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = s.Close(), two.Close() }()
	live := map[string]bool{}
	for i := range 60 {
		st := []*core.Store{w.store, s}[i%2]
		p := fmt.Sprint("m", i)
		var over *versions.LimitError
		_, err := st.Write(t.Context(), alice, mustPath(p), []byte("x"), versions.Pre{})
		if full := len(live) == 10; errors.As(err, &over) != full || !full && err != nil {
			t.Fatalf("write %d with %d memories: %v", i, len(live), err)
		}
		if err == nil {
			live[p] = true
		}
		if i%7 == 0 {
			for q := range live {
				if _, err := s.Delete(t.Context(), alice, mustPath(q)); err != nil {
					t.Fatal(err)
				}
				delete(live, q)
				break
			}
		}
	}
}

func TestViewsAreHeldToTheStoresLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a", string(bytes.Repeat([]byte("line\n"), 40)))
	whole := w.view(robot, "a")
	if strings.Contains(whole.Text, "cut") || strings.Count(whole.Text, "\n") != 41 {
		t.Errorf("by default: %q", whole.Text)
	}
	w.limit(versions.Limits{Bytes: versions.NoLimit, ViewChars: 200})
	if res := w.view(robot, "a"); !strings.HasSuffix(res.Text, "\n    12\tline\n[cut at 200 characters, after line 12; use view_range [13, 41] to read on]") {
		t.Errorf("with a limit: %q", res.Text)
	}
	if res, _, err := w.store.Tool(t.Context(), robot, memfs.View{Path: "/memories/a"}, memfs.Options{ViewChars: 100_000}); err != nil || res != whole {
		t.Errorf("with a limit of the caller's: %+v, %v", res, err)
	}
	w.limit(versions.Limits{Bytes: versions.NoLimit, ViewChars: versions.NoLimit})
	if res := w.view(robot, "a"); res != whole {
		t.Errorf("without one: %q", res.Text)
	}
}
