package versions

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/memend/memend/memfs"
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
	var conflict *ConflictError
	for _, try := range []struct {
		path string
		pre  Pre
		err  error
	}{
		{"a.md", Pre{SHA256: sum([]byte("two"))}, &ConflictError{}},
		{"b", Pre{}, memfs.ErrIsFolder},
		{"empty", Pre{}, memfs.ErrIsFolder},
		{"link", Pre{}, memfs.ErrNotRegular},
		{"none", Pre{}, memfs.ErrNotExist},
		{"", Pre{}, memfs.ErrIsRoot},
	} {
		_, err := w.store.DeleteIf(t.Context(), robot, mustPath(try.path), try.pre)
		if _, wants := try.err.(*ConflictError); wants != errors.As(err, &conflict) || !wants && !errors.Is(err, try.err) {
			t.Errorf("%q: %v, want %v", try.path, err, try.err)
		}
	}
	if conflict.Now != sum([]byte("one")) {
		t.Errorf("the conflict says %+v", conflict)
	}
	c, err := w.store.DeleteIf(t.Context(), robot, mustPath("a.md"), Pre{SHA256: sum([]byte("one"))})
	if err != nil || c.Kind != KindDelete || c.Versions != 1 {
		t.Errorf("%+v, %v", c, err)
	}
	// What another program wrote a moment ago is what stands there.
	if err := os.WriteFile(filepath.Join(w.folder, "b", "c.md"), []byte("three"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.DeleteIf(t.Context(), robot, mustPath("b/c.md"), Pre{SHA256: sum([]byte("two"))}); !errors.As(err, &conflict) {
		t.Errorf("over another program's text: %v", err)
	}
	if _, err := w.store.DeleteIf(t.Context(), robot, mustPath("b/c.md"), Pre{SHA256: sum([]byte("three"))}); err != nil {
		t.Error(err)
	}
}

// Sessions of a server share its stores, and each is bound to what is attached to it.
func TestAttachOpenBindsASessionToStoresThatStayOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ids := w.makeStores("own", "team")
	as := []Attachment{{Store: ids[0]}, {Store: ids[1], Access: ReadOnly}}
	var stores []*Store
	for _, id := range ids {
		s, err := w.trail.OpenStore(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		stores = append(stores, s)
	}
	if _, err := w.trail.AttachOpen(t.Context(), robot, as, stores[:1]); !errors.Is(err, ErrInvalid) {
		t.Errorf("one of two: %v", err)
	}
	if _, err := w.trail.AttachOpen(t.Context(), robot, as, []*Store{stores[1], stores[0]}); !errors.Is(err, ErrInvalid) {
		t.Errorf("in another order: %v", err)
	}
	a, err := w.trail.AttachOpen(t.Context(), robot, as, stores)
	if err != nil {
		t.Fatal(err)
	}
	infos := []StoreInfo{stores[0].Info(), stores[1].Info()}
	for i, m := range MountsOf(infos, as) {
		if m != a.Mounts()[i] {
			t.Errorf("%+v is said before, %+v after", m, a.Mounts()[i])
		}
	}
	if _, err := stores[1].Write(t.Context(), robot, mustPath("x"), []byte("x"), Pre{}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("where it may only read: %v", err)
	}
	if _, err := w.store.Write(t.Context(), robot, mustPath("x"), []byte("x"), Pre{}); !errors.Is(err, ErrUnattached) {
		t.Errorf("elsewhere: %v", err)
	}
	if _, err := stores[0].Write(t.Context(), robot, mustPath("x"), []byte("x"), Pre{}); err != nil {
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
