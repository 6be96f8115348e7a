package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// watches holds the running watches of a store. They end before the store is closed, because
// closing it also closes the files and locks that they use.
type watches struct {
	mu     sync.Mutex
	closed bool
	ends   map[chan struct{}]context.CancelFunc // by the channel that is closed when the watch has ended
}

// Begin adds a watch that cancel ends. The watch calls ended when it has ended.
func (w *watches) Begin(cancel context.CancelFunc) (ended func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, fmt.Errorf("watch: the store is %w", os.ErrClosed)
	}
	done := make(chan struct{})
	if w.ends == nil {
		w.ends = map[chan struct{}]context.CancelFunc{}
	}
	w.ends[done] = cancel
	return func() {
		cancel()
		w.mu.Lock()
		delete(w.ends, done)
		w.mu.Unlock()
		close(done)
	}, nil
}

func (w *watches) close() {
	w.mu.Lock()
	w.closed = true
	under := maps.Clone(w.ends)
	w.mu.Unlock()
	for _, cancel := range under {
		cancel()
	}
	for done := range under {
		<-done
	}
}

// AsKnown reports whether the file at p matches its head, and whether the entry can be a memory at
// all. A folder that is gone with memories is none.
func AsKnown(ctx context.Context, s *Store, p memfs.Path) (same, memory bool, err error) {
	h, err := tables.ScanHead(s.Trail.DB.Row(ctx, tables.HeadAtPath, s.Row, versions.Key(p)), p)
	if err != nil {
		return false, false, err
	}
	info, err := Folder(s).Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		var below bool
		err := s.Trail.DB.Row(ctx, `SELECT EXISTS(SELECT 1 FROM head WHERE store=? AND path>? AND path<?)`, s.Row, versions.Key(p)+"/", versions.Key(p)+"0").Scan(&below)
		return !h.Live(), !below && !s.isOther(p), err
	case err != nil, info.Kind != memfs.File, !Versionable(s, info.Sig.Size), s.isOther(p):
		return false, false, nil
	case h.Fresh(info.Sig):
		return true, true, nil
	case !h.Live():
		return false, true, nil
	}
	now, err := FileHash(s, p)
	return err == nil && now == h.SHA, true, nil
}

func (s *Store) isOther(p memfs.Path) bool {
	return slices.ContainsFunc(OtherEntries(s), func(e versions.Entry) bool { return e.Path == p })
}

// OtherEntries are the files that are no memories, from the last scan.
func OtherEntries(s *Store) []versions.Entry {
	s.Mu.RLock()
	defer s.Mu.RUnlock()
	return s.Others
}

// notifier wakes the watchers of a home after a change. It is notified by the commits of this
// process, and by a watch on SQLite's log for the commits of others.
type notifier struct {
	mu      sync.Mutex
	waiting map[chan struct{}]bool
}

// Subscribe returns a channel that gets a token after each change, until leave is called.
func (b *notifier) Subscribe() (ring chan struct{}, leave func()) {
	ring = make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting == nil {
		b.waiting = map[chan struct{}]bool{}
	}
	b.waiting[ring] = true
	return ring, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, ring)
	}
}

// Notify wakes the watchers after a commit.
func Notify(t *Trail) {
	t.Notifier.mu.Lock()
	defer t.Notifier.mu.Unlock()
	for ring := range t.Notifier.waiting {
		select {
		case ring <- struct{}{}:
		default: // a notification is already pending
		}
	}
}
