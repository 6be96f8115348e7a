package engine_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	vhistory "github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/write"
)

// README: "over 8 MiB: shown by their beginning, never versioned or deleted"
func TestAFileOverTheLimitHasNoVersionWhateverActTouchesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	big := strings.Repeat("x", 1001)
	w.outside("big", big)
	w.sync()
	for name, act := range map[string]func() error{
		"write": func() error {
			_, err := w.store.Write(t.Context(), alice, mustPath("big"), []byte("small"), versions.Pre{})
			return err
		},
		"write over a known content": func() error {
			_, err := w.store.Write(t.Context(), alice, mustPath("big"), []byte("small"), versions.Pre{SHA256: versions.Sum([]byte(big))})
			return err
		},
		"delete": func() error { _, err := w.store.Delete(t.Context(), alice, mustPath("big")); return err },
		"copy": func() error {
			_, err := write.Copy(t.Context(), w.store, alice, mustPath("big"), mustPath("b"))
			return err
		},
	} {
		if err := act(); !errors.Is(err, memfs.ErrTooBig) || !strings.Contains(err.Error(), "/memories/big") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := w.store.Rename(t.Context(), alice, mustPath("big"), mustPath("moved")); err != nil {
		t.Fatal(err)
	}
	w.sync()
	w.wantFile("moved", big)
	cs, err := vhistory.Changes(t.Context(), w.store, versions.Filter{}, 0, 10)
	must(w, err)
	for _, c := range cs {
		if c.Kind != versions.KindRename || c.Versions != 0 {
			t.Errorf("%+v", c)
		}
	}
}

func TestAMemoryThatOutgrowsTheLimitKeepsItsHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, versions.Options{MaxBytes: 1000})
	w.write(alice, "log", "small\n")
	w.outside("log", strings.Repeat("x", 1001))
	w.sync()
	if vs := w.history("log"); len(vs) != 1 {
		t.Fatalf("%+v", vs)
	}
	if e := w.entry("log"); e.Kind != versions.Memory || !strings.Contains(e.Note, "not versioned since change 1") {
		t.Errorf("%+v", e)
	}
	if _, err := plan.Make(t.Context(), w.store, plan.UndoChange(1)); !errors.Is(err, memfs.ErrTooBig) {
		t.Errorf("planned: %v", err)
	}
	if _, err := plan.Do(t.Context(), w.store, alice, plan.UndoChange(1)); !errors.Is(err, memfs.ErrTooBig) {
		t.Errorf("undone: %v", err)
	}
	if _, err := w.store.Rename(t.Context(), alice, mustPath("log"), mustPath("old")); err != nil {
		t.Fatal(err)
	}
	w.wantFile("old", strings.Repeat("x", 1001))
	w.outside("old", "small again\n")
	w.sync()
	vs := w.history("old")
	if len(vs) != 3 || vs[0].Operation != versions.Modified || vs[0].Actor.Kind != versions.Outside || !vs[1].Renamed() {
		t.Errorf("%+v", vs)
	}
	w.outside("old", strings.Repeat("y", 1001))
	w.sync()
	must(w, os.Remove(w.host("old")))
	w.sync()
	if vs := w.history("old"); vs[0].Operation != versions.Deleted {
		t.Errorf("%+v", vs[0])
	}
}
