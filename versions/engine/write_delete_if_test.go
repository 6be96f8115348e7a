package engine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	vstores "github.com/memend/memend/versions/stores"
	"github.com/memend/memend/versions/write"
)

func TestDeleteIfRemovesOnlyTheMemoryThatWasMeant(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(alice, "a.md", "one")
	w.write(alice, "b/c.md", "two")
	if err := os.Symlink("a.md", filepath.Join(w.folder, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(w.folder, "empty"), 0o755); err != nil {
		t.Fatal(err)
	}
	var conflict *versions.ConflictError
	for _, try := range []struct {
		path string
		pre  versions.Pre
		err  error
	}{
		{"a.md", versions.Pre{SHA256: versions.Sum([]byte("two"))}, &versions.ConflictError{}},
		{"b", versions.Pre{}, memfs.ErrIsFolder},
		{"empty", versions.Pre{}, memfs.ErrIsFolder},
		{"link", versions.Pre{}, memfs.ErrNotRegular},
		{"none", versions.Pre{}, memfs.ErrNotExist},
		{"", versions.Pre{}, memfs.ErrIsRoot},
	} {
		_, err := write.DeleteIf(t.Context(), w.store, robot, mustPath(try.path), try.pre)
		if _, wants := try.err.(*versions.ConflictError); wants != errors.As(err, &conflict) || !wants && !errors.Is(err, try.err) {
			t.Errorf("%q: %v, want %v", try.path, err, try.err)
		}
	}
	if conflict.Now != versions.Sum([]byte("one")) {
		t.Errorf("the conflict says %+v", conflict)
	}
	c, err := write.DeleteIf(t.Context(), w.store, robot, mustPath("a.md"), versions.Pre{SHA256: versions.Sum([]byte("one"))})
	if err != nil || c.Kind != versions.KindDelete || c.Versions != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	// What another program wrote a moment ago is what stands there.
	if err := os.WriteFile(filepath.Join(w.folder, "b", "c.md"), []byte("three"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := write.DeleteIf(t.Context(), w.store, robot, mustPath("b/c.md"), versions.Pre{SHA256: versions.Sum([]byte("two"))}); !errors.As(err, &conflict) {
		t.Errorf("over another program's text: %v", err)
	}
	if _, err := write.DeleteIf(t.Context(), w.store, robot, mustPath("b/c.md"), versions.Pre{SHA256: versions.Sum([]byte("three"))}); err != nil {
		t.Error(err)
	}
}

// Sessions of a server share its stores, and each is bound to what is attached to it.
func TestAttachOpenBindsASessionToStoresThatStayOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("own", "team")
	as := []versions.Attachment{{Store: ids[0]}, {Store: ids[1], Access: versions.ReadOnly}}
	var stores []*core.Store
	for _, id := range ids {
		s, err := w.trail.OpenStore(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stores = append(stores, s)
	}
	if _, err := vstores.AttachOpen(t.Context(), w.trail, robot, as, stores[:1]); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("one of two: %v", err)
	}
	if _, err := vstores.AttachOpen(t.Context(), w.trail, robot, as, []*core.Store{stores[1], stores[0]}); !errors.Is(err, versions.ErrInvalid) {
		t.Errorf("in another order: %v", err)
	}
	a, err := vstores.AttachOpen(t.Context(), w.trail, robot, as, stores)
	if err != nil {
		t.Fatal(err)
	}
	infos := []versions.StoreInfo{stores[0].Info(), stores[1].Info()}
	for i, m := range vstores.MountsOf(infos, as) {
		if m != a.Mounts()[i] {
			t.Errorf("%+v is said before, %+v after", m, a.Mounts()[i])
		}
	}
	if _, err := stores[1].Write(t.Context(), robot, mustPath("x"), []byte("x"), versions.Pre{}); !errors.Is(err, versions.ErrReadOnly) {
		t.Errorf("where it may only read: %v", err)
	}
	if _, err := w.store.Write(t.Context(), robot, mustPath("x"), []byte("x"), versions.Pre{}); !errors.Is(err, versions.ErrUnattached) {
		t.Errorf("elsewhere: %v", err)
	}
	if _, err := stores[0].Write(t.Context(), robot, mustPath("x"), []byte("x"), versions.Pre{}); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if f, err := stores[0].Open(t.Context(), mustPath("x")); err != nil {
		t.Errorf("the store was closed: %v", err)
	} else {
		_ = f.Close()
	}
}
