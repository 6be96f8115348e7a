package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

// A first look at a large folder adopts it in parts, and a process that works on another
// store of the home gets its turn after each.
func TestSync_LetsWritersOfOtherStoresInBetween(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const chunks, files = 8, 20
	w.trail.SyncChunk = files
	w.trail.SyncPause = 100 * time.Millisecond // that a waiting writer wakes in, on a busy machine too
	for i := range chunks * files {
		w.outside(fmt.Sprintf("d%d/%d", i/files, i), "x")
	}
	other := homeOf(t, w.home) // as another process opens it
	folder := filepath.Join(t.TempDir(), "other")
	w.must(os.Mkdir(folder, 0o700))
	info, err := other.MakeStore(t.Context(), alice, versions.NewStore{Name: "other", Folder: folder})
	w.must(err)
	s, err := other.OpenStore(t.Context(), info.ID)
	w.must(err)
	defer func() { w.must(s.Close()) }()

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		for i := 0; ctx.Err() == nil; i++ {
			if _, err := s.Write(t.Context(), alice, mustPath("a"), fmt.Append(nil, i), versions.Pre{}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	_, err = w.store.Sync(t.Context())
	w.must(err)
	cancel()
	w.must(<-done)

	between := 0
	w.must(w.trail.DB.Row(t.Context(), `SELECT count(*) FROM change c WHERE c.kind='adopt' AND EXISTS(SELECT 1 FROM change WHERE id=c.id-1 AND store<>c.store AND kind<>'adopt')`).Scan(&between))
	if between < chunks-1 {
		t.Errorf("the other store's writer came in before %d of %d parts", between, chunks)
	}
}
