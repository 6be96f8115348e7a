package storesapi

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/watch"
)

// maxOpen is the maximum number of open stores. Each costs two inotify instances, of which a user may have
// 128.
const maxOpen = 24

// storeCache keeps the stores in use open and watched, so that what other programs write into their folders
// is adopted at once.
type storeCache struct {
	life context.Context // when it ends, so do openings and watches
	t    *engine.Trail
	log  *slog.Logger

	mu    sync.Mutex
	open  map[versions.StoreID]*opened
	clock int64 // counts uses, to find the least recently used store
	all   sync.WaitGroup

	failed error // of the closings at the end of life
}

// opened is a cached store. The fields from folder on are guarded by the cache's lock.
type opened struct {
	ready chan struct{} // closed when store or err is set
	store *engine.Store
	err   error
	stop  context.CancelFunc // ends the watch
	ended chan struct{}      // closed when the watch has ended; nil if it never began

	folder  string
	refs    int
	used    int64
	removed bool // removed from the cache; the last user closes it
}

func newStoreCache(life context.Context, t *engine.Trail, log *slog.Logger) *storeCache {
	return &storeCache{life: life, t: t, log: log, open: map[versions.StoreID]*opened{}}
}

// with calls do with a store.
func (h *storeCache) with(ctx context.Context, id versions.StoreID, do func(*engine.Store) error) error {
	info, err := history.Store(ctx, h.t, id)
	if err != nil {
		return err
	}
	o := h.acquire(info)
	defer h.release(o)
	select {
	case <-o.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if err = o.err; err == nil {
		err = do(o.store)
	}
	// If the store was deleted meanwhile, the error may be misleading.
	if err != nil {
		if _, gone := history.Store(context.WithoutCancel(ctx), h.t, id); errors.Is(gone, versions.ErrNoStore) {
			return gone
		}
	}
	return err
}

// acquire returns a store of the cache, or starts to open it.
func (h *storeCache) acquire(info versions.StoreInfo) *opened {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := h.open[info.ID]
	if o != nil && o.folder != info.Folder { // the store was moved
		h.remove(info.ID)
		o = nil
	}
	if o == nil {
		o = &opened{ready: make(chan struct{}), folder: info.Folder, refs: 1} // one reference for the opening
		h.open[info.ID] = o
		h.makeRoom()
		h.all.Add(1)
		h.t.Go(func() { h.load(info.ID, o) })
	}
	o.refs++
	h.clock++
	o.used = h.clock
	return o
}

// load opens a store and starts to watch it.
func (h *storeCache) load(id versions.StoreID, o *opened) {
	defer h.release(o)
	ctx, stop := context.WithCancel(h.life)
	o.stop = stop
	var events <-chan versions.Event
	o.store, o.err = h.t.OpenStore(ctx, id)
	if o.err == nil {
		events, _, o.err = watch.SyncAndWatch(ctx, o.store)
	}
	if o.err == nil {
		o.ended = make(chan struct{})
		h.t.Go(func() { defer close(o.ended); h.listen(id, events) })
	} else { // the next request tries again
		h.mu.Lock()
		if h.open[id] == o {
			h.remove(id)
		}
		h.mu.Unlock()
	}
	close(o.ready)
}

// listen receives the events of a watch. The trail has them already: it logs errors, and that the
// system can't watch the folder.
func (h *storeCache) listen(id versions.StoreID, events <-chan versions.Event) {
	polling, trouble := false, ""
	for e := range events {
		if e.Polling && !polling {
			h.log.Warn("watch", "store", id, "polling", "the system can't watch the folder, so it is scanned from time to time; on Linux, fs.inotify.max_user_instances and max_user_watches limit that")
		}
		polling = polling || e.Polling
		switch {
		case e.Err == nil:
			trouble = ""
		case e.Err.Error() != trouble:
			trouble = e.Err.Error()
			h.log.Warn("watch", "store", id, "error", e.Err)
		}
	}
}

// makeRoom removes the least recently used stores from a cache that exceeds its limit. The caller of makeRoom
// and of remove holds the lock.
func (h *storeCache) makeRoom() {
	for len(h.open) > maxOpen {
		var oldest versions.StoreID
		for id, o := range h.open {
			if o.refs == 0 && (oldest == "" || o.used < h.open[oldest].used) {
				oldest = id
			}
		}
		if oldest == "" { // all are in use: the cache exceeds its limit until one is released
			return
		}
		h.remove(oldest)
	}
}

func (h *storeCache) remove(id versions.StoreID) {
	o := h.open[id]
	if o == nil {
		return
	}
	delete(h.open, id)
	o.removed = true
	if o.refs == 0 {
		h.t.Go(func() { h.shut(o) })
	}
}

func (h *storeCache) release(o *opened) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if o.refs--; o.refs > 0 {
		return
	}
	if o.removed {
		h.t.Go(func() { h.shut(o) })
	} else {
		h.makeRoom() // the cache may have exceeded its limit while its stores were in use
	}
}

// shut closes a store that is unused and removed from the cache.
func (h *storeCache) shut(o *opened) {
	defer h.all.Done()
	o.stop()
	if o.ended != nil { // the watcher may be scanning
		<-o.ended
	}
	if o.store != nil {
		if err := o.store.Close(); err != nil && h.life.Err() == nil {
			h.log.Warn("close", "store", o.store.Info().ID, "error", err)
		} else if err != nil {
			h.mu.Lock()
			h.failed = errors.Join(h.failed, err)
			h.mu.Unlock()
		}
	}
}

// forget removes a store from the cache.
func (h *storeCache) forget(id versions.StoreID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(id)
}

// close closes all stores. No request may use them, and life has ended.
func (h *storeCache) close() error {
	h.mu.Lock()
	for id := range h.open {
		h.remove(id)
	}
	h.mu.Unlock()
	h.all.Wait()
	return h.failed
}
