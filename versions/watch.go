package versions

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
)

// Event describes what is new in a watched store.
type Event struct {
	Changes []Change // since the last event, oldest first, by any actor: this process, another, or outside
	// Attributed lists earlier changes whose actor was inferred now, or turned out to be unknown
	// after all.
	Attributed []Change

	Reload  bool  // there are too many changes, and Changes is empty: read the tree again
	Polling bool  // the folder can't be watched, and is scanned periodically instead
	Others  bool  // entries that are not memories were added, removed or changed
	Reads   bool  // the ledger has new reads; ignore it if you show none
	Trust   bool  // a change was held or decided about, a policy or a pin changed, versions were erased, or the branch was looked at
	Err     error // the store can't be read now (its folder is gone, for example); events continue when it can

	Upstream *UpstreamState // the new state of a hosted store's connection; nil: unchanged
}

const (
	quiet     = 100 * time.Millisecond // time without an event after which a file counts as completely written
	patience  = time.Second            // after this time a file is scanned anyway
	fullScan  = 60 * time.Second       // between two full scans: a notification can be lost
	maxEvents = 500                    // changes in one event; for more, the event is a Reload
)

// Watch adopts outside changes as they happen, and sends an event for each change by any actor,
// until ctx ends or the store is closed. It then closes the channel. It starts with a full scan.
// Notifications of the system are only hints where to scan: the scan decides what changed.
func (s *Store) Watch(ctx context.Context) (<-chan Event, error) {
	return s.newWatcher().run(ctx)
}

// SyncAndWatch runs Sync and then Watch with a single scan of the folder. No event contains what
// Sync adopted, and no later change is missed. An event reports a failed scan, as after any later
// scan.
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
	return &watcher{s: s, watchLog: func() logWatch { return s.t.watchLog() }, afterWrite: afterWrite, out: make(chan Event), notes: make(chan Event, 1), dirty: map[memfs.Path]bool{}, made: map[memfs.Path]bool{},
		files: filesText(s.folder().Names()), renamed: make(chan struct{}, 1)}
}

// run scans and sends events until ctx ends.
func (w *watcher) run(ctx context.Context) (_ <-chan Event, err error) {
	now, err := w.s.newest(ctx)
	if err != nil {
		return nil, err
	}
	w.read, w.attributions, w.trust = now.read, now.attribution, now.trust
	ctx, cancel := context.WithCancel(ctx)
	ended, err := w.s.watches.begin(cancel)
	if err != nil {
		cancel()
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() { defer w.recoverPanic(ctx); w.adopt(ctx) })
	wg.Go(func() { defer w.recoverPanic(ctx); w.tell(ctx, now.change) })
	if w.s.replica.Online() {
		wg.Go(func() { defer w.recoverPanic(ctx); w.poll(ctx) })
	}
	go func() {
		wg.Wait()
		close(w.out)
		ended()
	}()
	return w.out, nil
}

// watches holds the running watches of a store. They end before the store is closed, because
// closing it also closes the files and locks that they use.
type watches struct {
	mu     sync.Mutex
	closed bool
	ends   map[chan struct{}]context.CancelFunc // by the channel that is closed when the watch has ended
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

// recoverPanic reports a panic instead of ending the program, which may control a terminal or hold
// unsaved text.
func (w *watcher) recoverPanic(ctx context.Context) {
	if fault := recover(); fault != nil {
		select {
		case w.out <- Event{Err: fmt.Errorf("watch: it failed and has ended: %v", fault)}:
		case <-ctx.Done():
		}
	}
}

// watcher is one Watch: adopt scans the folder, and tell sends the events.
type watcher struct {
	s            *Store
	watchLog     func() logWatch // the trail's, except in tests; afterWrite too
	afterWrite   []time.Duration
	out          chan Event
	notes        chan Event // events of adopt besides changes
	fs           *disk.Watch
	names        memfs.Names   // the files of the store for which folders are watched
	files        string        // of the store, as tell has seen them last
	renamed      chan struct{} // tell has seen that the files of the store are others
	read         int64         // tell has reported the ledger up to this row
	attributions int64         // and attributions up to this row
	trust        trustState    // as reported last
	polling      atomic.Bool
	dirty        map[memfs.Path]bool
	made         map[memfs.Path]bool // folders that are new
	moved        bool                // a watched folder was: watch all anew
	whole        bool                // scan everything
	looked       bool                // a full scan ran after the folders were watched
	trouble      string              // the last reported scan error; empty after a successful scan
}

// note passes an event to tell. It merges the event with one that is still pending.
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

// adopt adopts outside changes until ctx ends.
func (w *watcher) adopt(ctx context.Context) {
	defer w.stop()
	next := fullScan
	switch {
	case !w.looked:
		w.start()
		next = w.scan(ctx)
	case w.polling.Load():
		next = time.Second
	}
	timer := time.NewTimer(next)
	defer timer.Stop()
	var first time.Time // time of the first pending hint
	for {
		var events chan fsnotify.Event
		var lost <-chan struct{}
		if w.fs != nil {
			events, lost = w.fs.Events, w.fs.Lost
		}
		select {
		case <-ctx.Done():
			return
		case e := <-events:
			if !w.hint(e) {
				continue
			}
		case <-lost:
			w.whole = true
		case <-w.renamed:
			w.whole = true
		case <-timer.C:
			if len(w.dirty)+len(w.made) == 0 {
				w.whole = true
			}
			next = w.scan(ctx)
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

// start watches every folder that a listing shows. If that fails, the store is polled. It sets up
// the watches before the scan, so a change in between is found twice rather than missed.
func (w *watcher) start() {
	w.stop()
	w.names = w.s.folder().Names()
	var err error
	if w.fs, err = disk.NewWatch(); err == nil {
		err = w.watchFolders(memfs.Root)
	}
	w.polling.Store(err != nil)
	w.moved, w.whole = false, true
}

// watchFolders watches a folder of the store and those below it that can hold memories.
func (w *watcher) watchFolders(p memfs.Path) error {
	if w.names.All() {
		return w.fs.AddTree(w.folderAt(p))
	}
	if err := w.fs.AddFolder(w.folderAt(p)); err != nil {
		return err
	}
	entries, err := w.s.folder().ReadDir(p)
	if err != nil {
		return nil // it is gone; a scan reports other errors
	}
	for _, e := range entries {
		if e.Kind == memfs.Folder && w.names.Leads(e.Path) {
			if err := w.watchFolders(e.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *watcher) folderAt(p memfs.Path) string {
	return filepath.Join(w.s.info.Folder, filepath.FromSlash(p.Rel()))
}

func (w *watcher) stop() {
	if w.fs != nil {
		_ = w.fs.Close()
	}
}

// hint records where to scan, and reports whether there is anything to scan.
func (w *watcher) hint(e fsnotify.Event) bool {
	rel, err := filepath.Rel(w.s.info.Folder, e.Name)
	if err != nil {
		return false
	}
	if w.fs.Moved(e) {
		w.moved = true
		return true
	}
	p, err := memfs.ParsePath(filepath.ToSlash(rel))
	switch {
	case err != nil, p.IsRoot(): // not the name of a memory, or the folder itself
		w.whole = true
		return true
	case !w.names.Reaches(p):
		return false
	}
	if info, err := w.s.folder().Lstat(p); err == nil && info.Kind == memfs.Folder {
		if e.Has(fsnotify.Create) {
			if w.watchFolders(p) != nil {
				w.polling.Store(true)
			}
			w.made[p] = true
		}
		return e.Has(fsnotify.Create)
	}
	w.dirty[p] = true
	return true
}

// scan looks at the hinted paths, or at everything, and adopts the changes. It returns the time until the
// next scan.
func (w *watcher) scan(ctx context.Context) time.Duration {
	began := time.Now()
	if w.moved {
		w.start()
	}
	dirty, made, whole := w.dirty, w.made, w.whole
	w.dirty, w.made, w.whole = map[memfs.Path]bool{}, map[memfs.Path]bool{}, false
	var err error
	if whole || len(dirty)+len(made) > syncChunk {
		err = w.scanAll(ctx)
	} else {
		err = w.scanPaths(ctx, dirty, made)
	}
	if err != nil && ctx.Err() == nil {
		w.whole = true
		if why := err.Error(); why != w.trouble { // otherwise it was already reported
			w.trouble = why
			w.note(Event{Err: err})
		}
		return 2 * time.Second
	}
	if w.trouble != "" {
		w.trouble = ""
		w.start() // the folder may have been replaced
		w.note(Event{Reload: true})
		return 0
	}
	if !w.names.Same(w.s.folder().Names()) {
		w.start() // files may have appeared in folders that were not watched
		return 0
	}
	if w.polling.Load() { // scanning takes at most a fiftieth of the time
		w.whole = true
		return min(max(time.Second, 50*time.Since(began)), 30*time.Second)
	}
	return fullScan
}

func (w *watcher) scanAll(ctx context.Context) error {
	before := w.s.otherEntries()
	if _, err := w.s.Sync(ctx); err != nil {
		return err
	}
	if after := w.s.otherEntries(); !slices.Equal(before, after) {
		w.note(Event{Others: true})
	}
	return nil
}

// scanPaths adopts those of a few paths that differ from their heads. Most hints come from memend's
// own writes, and these must cost neither a transaction nor a scan: every process that watches the
// store gets them.
func (w *watcher) scanPaths(ctx context.Context, dirty, made map[memfs.Path]bool) error {
	var paths []memfs.Path
	look := looking{s: w.s, left: syncChunk}
	for p := range dirty {
		same, memory, err := w.s.asKnown(ctx, p)
		if err != nil {
			return err
		}
		if !memory { // a link, a FIFO or a large file: only a scan updates the list of those
			return w.scanAll(ctx)
		}
		if !same {
			paths = append(paths, p)
		}
	}
	for p := range made {
		if same, err := look.below(ctx, p); err != nil {
			return err
		} else if !same { // what is in it may come from elsewhere in the store
			return w.scanAll(ctx)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	_, err := w.s.adoptPaths(ctx, paths)
	return err
}

// looking compares at most some files with their heads.
type looking struct {
	s    *Store
	left int
}

// below reports whether all that a listing shows in a folder matches its heads.
func (l *looking) below(ctx context.Context, folder memfs.Path) (bool, error) {
	dir := l.s.folder()
	entries, unnamed, err := dir.List(folder)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		return true, nil // there was or will be another hint
	case err != nil || unnamed > 0:
		return false, nil
	}
	for _, e := range entries {
		if !dir.Names().Reaches(e.Path) {
			continue
		}
		if l.left--; l.left < 0 {
			return false, nil
		}
		same, memory := false, true
		if e.Kind == memfs.Folder {
			same, err = l.below(ctx, e.Path)
		} else {
			same, memory, err = l.s.asKnown(ctx, e.Path)
		}
		if err != nil || !same || !memory {
			return false, err
		}
	}
	return true, nil
}

// asKnown reports whether the file at p matches its head, and whether the entry can be a memory at
// all. A folder that is gone with memories is none.
func (s *Store) asKnown(ctx context.Context, p memfs.Path) (same, memory bool, err error) {
	h, err := oneHead(s.t.db.Row(ctx, headAtPath, s.id, key(p)), p)
	if err != nil {
		return false, false, err
	}
	info, err := s.folder().Lstat(p)
	switch {
	case errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		var below bool
		err := s.t.db.Row(ctx, `SELECT EXISTS(SELECT 1 FROM head WHERE store=? AND path>? AND path<?)`, s.id, key(p)+"/", key(p)+"0").Scan(&below)
		return !h.live(), !below && !s.isOther(p), err
	case err != nil, info.Kind != memfs.File, !s.versionable(info.Sig.Size), s.isOther(p):
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
	return slices.ContainsFunc(s.otherEntries(), func(e Entry) bool { return e.Path == p })
}

func (s *Store) otherEntries() []Entry {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.others
}
