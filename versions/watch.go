package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/memend/memend/memfs"
)

// Event tells who watches a store what is new in it.
type Event struct {
	Changes []Change // since the last event, oldest first, whoever made them: this process, another, or outside
	// Changes that were told of before, of which it was concluded now who made them, or
	// that it is not known after all.
	Attributed []Change

	Reload  bool  // so much is new that Changes was left out: read the tree again
	Polling bool  // the folder can't be watched and is scanned now and then instead
	Others  bool  // entries that are not memories came, went or changed
	Reads   bool  // the ledger has new reads; who shows none has nothing to do
	Err     error // the store can't be read now (the folder is gone, say); later events follow when it can

	Upstream *UpstreamState // how a hosted store stands to its service now; nil: as before
}

const (
	quiet     = 100 * time.Millisecond // without an event, before a file is believed to be written
	patience  = time.Second            // after which it is looked at all the same
	fullScan  = 60 * time.Second       // between two looks at everything: a hint can be lost
	maxEvents = 500                    // changes in one event; more are a Reload
)

// Watch adopts what other programs write as they write it, and sends an event
// for each change whoever makes it, until ctx ends or the store is closed; then the
// channel is closed.
// It begins with a full scan. Notifications of the system are only hints where
// to look: what counts is what a look at the folder finds.
func (s *Store) Watch(ctx context.Context) (<-chan Event, error) {
	return s.newWatcher().run(ctx)
}

// SyncAndWatch is Sync and then Watch, with one look at the folder for both: what
// Sync adopted is in no event, and nothing that comes after it is missed. Where it
// fails an event says so, as of any later look.
func (s *Store) SyncAndWatch(ctx context.Context) (<-chan Event, SyncReport, error) {
	w := s.newWatcher()
	w.start()
	report, err := s.Sync(ctx)
	w.whole = err != nil
	w.looked = err == nil
	events, err := w.run(ctx)
	if err != nil {
		w.stop()
	}
	return events, report, err
}

func (s *Store) newWatcher() *watcher {
	return &watcher{s: s, watchLog: s.t.watchLog, afterWrite: afterWrite, out: make(chan Event), notes: make(chan Event, 1), dirty: map[memfs.Path]bool{}}
}

// run looks and tells until ctx ends.
func (w *watcher) run(ctx context.Context) (_ <-chan Event, err error) {
	last, err := w.s.LastChange(ctx)
	if err != nil {
		return nil, err
	}
	if w.read, err = w.s.lastRead(ctx); err != nil {
		return nil, err
	}
	if w.inferred, err = w.s.lastInference(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended, err := w.s.watches.begin(cancel)
	if err != nil {
		cancel()
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() { defer w.recoverPanic(ctx); w.adopt(ctx) })
	wg.Go(func() { defer w.recoverPanic(ctx); w.tell(ctx, last) })
	if w.s.up != nil {
		wg.Go(func() { defer w.recoverPanic(ctx); w.ask(ctx) })
	}
	go func() {
		wg.Wait()
		close(w.out)
		ended()
	}()
	return w.out, nil
}

// watches are the watches of a store. They end before it is closed: what they look at
// and lock is closed with it.
type watches struct {
	mu     sync.Mutex
	closed bool
	ends   map[chan struct{}]context.CancelFunc // by what is closed when one has ended
}

func (w *watches) begin(cancel context.CancelFunc) (ended func(), err error) {
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

// recoverPanic tells of a fault of ours instead of ending the program with it, which may
// own a terminal or hold a text that is not saved.
func (w *watcher) recoverPanic(ctx context.Context) {
	if fault := recover(); fault != nil {
		select {
		case w.out <- Event{Err: fmt.Errorf("watch: it failed and has ended: %v", fault)}:
		case <-ctx.Done():
		}
	}
}

// watcher is one Watch: adopt looks at the folder, tell reports.
type watcher struct {
	s          *Store
	watchLog   func() logWatch // the trail's, but for tests; afterWrite too
	afterWrite []time.Duration
	out        chan Event
	notes      chan Event // what adopt has to say beside changes
	fs         *fsnotify.Watcher
	read       int64 // tell has told of the ledger up to this row
	inferred   int64 // and of conclusions up to this one
	polling    atomic.Bool
	dirty      map[memfs.Path]bool
	whole      bool   // look at everything
	looked     bool   // everything was looked at, and the folders were watched before
	trouble    string // why the last look failed, as it was told; empty when it did not
}

// note hands an event to tell, merged with one that waits.
func (w *watcher) note(e Event) {
	for {
		select {
		case w.notes <- e:
			return
		case old := <-w.notes:
			e.Reload = e.Reload || old.Reload
			e.Others = e.Others || old.Others
			e.Reads = e.Reads || old.Reads
			if e.Upstream == nil {
				e.Upstream = old.Upstream
			}
			if e.Err == nil && !e.Reload {
				e.Err = old.Err
			}
		}
	}
}

// adopt runs until ctx ends.
func (w *watcher) adopt(ctx context.Context) {
	defer w.stop()
	next := fullScan
	switch {
	case !w.looked:
		w.start()
		next = w.look(ctx)
	case w.polling.Load():
		next = time.Second
	}
	timer := time.NewTimer(next)
	defer timer.Stop()
	var first time.Time // of the hints that wait
	for {
		var events chan fsnotify.Event
		var errs chan error
		if w.fs != nil {
			events, errs = w.fs.Events, w.fs.Errors
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.hint(e) {
				continue
			}
		case <-errs: // an overflow, most of all: hints are lost
			w.whole = true
		case <-timer.C:
			if len(w.dirty) == 0 && !w.whole {
				w.whole = true
			}
			next = w.look(ctx)
			first = time.Time{}
			timer.Reset(next)
			continue
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(0, min(quiet, patience-time.Since(first))))
	}
}

// start watches every folder that a listing shows. Where that fails the store is
// polled. Watches first, then the scan: what comes between is seen twice, not never.
func (w *watcher) start() {
	w.stop()
	var err error
	if w.fs, err = fsnotify.NewWatcher(); err == nil {
		err = w.add(w.s.info.Folder)
	}
	w.polling.Store(err != nil)
	w.whole = true
}

func (w *watcher) stop() {
	if w.fs != nil {
		_ = w.fs.Close()
	}
}

// add watches a folder of the host and those below it. One that is gone or can't be
// read is left to the scan to judge.
func (w *watcher) add(folder string) error {
	if err := w.fs.Add(folder); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	dir, err := os.Open(folder)
	if err != nil {
		return nil
	}
	var below []string
	for {
		some, err := dir.ReadDir(readAtOnce) // in no order, and not all of a large folder
		for _, e := range some {
			if e.IsDir() && !hiddenName(e.Name()) {
				below = append(below, e.Name())
			}
		}
		if err != nil {
			break
		}
	}
	_ = dir.Close() // before its folders are opened: they may be deep
	for _, name := range below {
		if err := w.add(filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// readAtOnce is how many entries of a folder are read at once where only its
// folders are of interest.
const readAtOnce = 512

func hiddenName(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// hint notes where to look and reports whether there is anything to look at.
func (w *watcher) hint(e fsnotify.Event) bool {
	rel, err := filepath.Rel(w.s.info.Folder, e.Name)
	if err != nil {
		return false
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	switch {
	case err != nil, p.IsRoot(): // a name that no memory has, or the folder itself
		w.whole = true
		return true
	case p.Hidden():
		return false
	}
	if info, err := w.s.folder().Lstat(p); err == nil && info.Kind == memfs.Folder {
		if e.Has(fsnotify.Create) {
			if w.add(e.Name) != nil {
				w.polling.Store(true)
			}
			w.whole = true
		}
		return e.Has(fsnotify.Create)
	}
	w.dirty[p] = true
	return true
}

// look adopts what the hints say, or everything, and says when to look again.
func (w *watcher) look(ctx context.Context) time.Duration {
	began := time.Now()
	dirty, whole := w.dirty, w.whole
	w.dirty, w.whole = map[memfs.Path]bool{}, false
	var err error
	if whole || len(dirty) > syncChunk {
		err = w.lookAtAll(ctx)
	} else {
		err = w.lookAt(ctx, dirty)
	}
	if err != nil && ctx.Err() == nil {
		w.whole = true
		if why := err.Error(); why != w.trouble { // else it is known already
			w.trouble = why
			w.note(Event{Err: err})
		}
		return 2 * time.Second
	}
	if w.trouble != "" {
		w.trouble = ""
		w.start() // the folder may be another one
		w.note(Event{Reload: true})
		return 0
	}
	if w.polling.Load() { // at most a fiftieth of the time goes into looking
		w.whole = true
		return min(max(time.Second, 50*time.Since(began)), 30*time.Second)
	}
	return fullScan
}

func (w *watcher) lookAtAll(ctx context.Context) error {
	before := w.s.otherEntries()
	if _, err := w.s.Sync(ctx); err != nil {
		return err
	}
	if after := w.s.otherEntries(); !equalEntries(before, after) {
		w.note(Event{Others: true})
	}
	return nil
}

// lookAt adopts a few paths, those that are not as their heads say. Most hints
// come from our own writes, and those must cost no transaction.
func (w *watcher) lookAt(ctx context.Context, dirty map[memfs.Path]bool) error {
	var paths []memfs.Path
	for p := range dirty {
		same, memory, err := w.s.asKnown(ctx, p)
		if err != nil {
			return err
		}
		if !memory { // a link, a FIFO, too big: only a scan keeps the list of those
			return w.lookAtAll(ctx)
		}
		if !same {
			paths = append(paths, p)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	_, err := w.s.adoptPaths(ctx, paths)
	return err
}

// asKnown reports whether what stands at p is what its head says, and whether it
// is something that can be a memory at all.
func (s *Store) asKnown(ctx context.Context, p memfs.Path) (same, memory bool, err error) {
	h := head{path: p}
	var sha []byte
	err = s.t.get(ctx, `SELECT memory,version,sha,size,mtime,ctime,ino,seen FROM head WHERE store=? AND path=?`, []any{s.id, key(p)},
		&h.memory, &h.version, &sha, &h.sig.Size, &h.sig.Mtime, &h.sig.Ctime, (*inode)(&h.sig.Ino), &h.seen)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return false, false, err
	}
	copy(h.sha[:], sha)
	info, err := s.folder().Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		return !h.live(), !s.isOther(p), nil
	case err != nil, info.Kind != memfs.File, info.Sig.Size > s.t.maxBytes, s.isOther(p):
		return false, false, nil
	case h.fresh(info.Sig):
		return true, true, nil
	case !h.live():
		return false, true, nil
	}
	now, err := s.fileHash(p)
	return err == nil && now == h.sha, true, nil
}

func (s *Store) isOther(p memfs.Path) bool {
	for _, e := range s.otherEntries() {
		if e.Path == p {
			return true
		}
	}
	return false
}

func (s *Store) otherEntries() []Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.others
}

func equalEntries(a, b []Entry) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
