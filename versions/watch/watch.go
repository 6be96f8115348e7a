package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

const (
	Quiet     = 100 * time.Millisecond // time without an event after which a file counts as completely written
	patience  = time.Second            // after this time a file is scanned anyway
	fullScan  = 60 * time.Second       // between two full scans: a notification can be lost
	maxEvents = 500                    // changes in one event; for more, the event is a Reload
)

// Watch adopts outside changes as they happen, and sends an event for each change by any actor,
// until ctx ends or the store is closed. It then closes the channel. It starts with a full scan.
// Notifications of the system are only hints where to scan: the scan decides what changed.
func Watch(ctx context.Context, s *core.Store) (<-chan versions.Event, error) {
	return NewWatcher(s).Run(ctx)
}

// SyncAndWatch runs Sync and then Watch with a single scan of the folder. No event contains what
// Sync adopted, and no later change is missed. An event reports a failed scan, as after any later
// scan.
func SyncAndWatch(ctx context.Context, s *core.Store) (<-chan versions.Event, versions.SyncReport, error) {
	w := NewWatcher(s)
	w.Start()
	report, err := s.Sync(ctx)
	w.Whole = err != nil
	w.Looked = err == nil
	events, err := w.Run(ctx)
	if err != nil {
		w.Stop()
	}
	return events, report, err
}

// NewWatcher returns a watcher of a store that has not begun.
func NewWatcher(s *core.Store) *Watcher {
	return &Watcher{s: s, WatchLog: func() LogWatch { return watchLog(s.Trail) }, AfterWrite: AfterWrite, Out: make(chan versions.Event), notes: make(chan versions.Event, 1), dirty: map[memfs.Path]bool{}, made: map[memfs.Path]bool{},
		files: tables.FilesText(core.Folder(s).Names()), renamed: make(chan struct{}, 1)}
}

// Run scans and sends events until ctx ends.
func (w *Watcher) Run(ctx context.Context) (_ <-chan versions.Event, err error) {
	now, err := Newest(ctx, w.s)
	if err != nil {
		return nil, err
	}
	w.read, w.attributions, w.trust, w.used = now.read, now.attribution, now.trust, now.used
	ctx, cancel := context.WithCancel(ctx)
	ended, err := w.s.Watches.Begin(cancel)
	if err != nil {
		cancel()
		return nil, err
	}
	var wg sync.WaitGroup
	wg.Go(func() { defer w.RecoverPanic(ctx); w.adopt(ctx) })
	wg.Go(func() { defer w.RecoverPanic(ctx); w.tell(ctx, now.Change) })
	if w.s.Replica.Online() {
		wg.Go(func() { defer w.RecoverPanic(ctx); w.poll(ctx) })
	}
	go func() {
		wg.Wait()
		close(w.Out)
		ended()
	}()
	return w.Out, nil
}

// RecoverPanic reports a panic instead of ending the program, which may control a terminal or hold
// unsaved text.
func (w *Watcher) RecoverPanic(ctx context.Context) {
	if fault := recover(); fault != nil {
		select {
		case w.Out <- versions.Event{Err: fmt.Errorf("watch: it failed and has ended: %v", fault)}:
		case <-ctx.Done():
		}
	}
}

// Watcher is one Watch: adopt scans the folder, and tell sends the events.
type Watcher struct {
	s            *core.Store
	WatchLog     func() LogWatch // the trail's, except in tests; AfterWrite too
	AfterWrite   []time.Duration
	Out          chan versions.Event
	notes        chan versions.Event // events of adopt besides changes
	fs           *disk.Watch
	names        memfs.Names       // the files of the store for which folders are watched
	files        string            // of the store, as tell has seen them last
	renamed      chan struct{}     // tell has seen that the files of the store are others
	read         int64             // tell has reported the ledger up to this row
	attributions int64             // and attributions up to this row
	trust        tables.TrustState // as reported last
	used         int64             // when a person used the store last, as reported
	polling      atomic.Bool
	dirty        map[memfs.Path]bool
	made         map[memfs.Path]bool // folders that are new
	moved        bool                // a watched folder was: watch all anew
	Whole        bool                // scan everything
	Looked       bool                // a full scan ran after the folders were watched
	troubles     troubles
}

// troubles are why the store can't be followed now. Several goroutines use them.
type troubles struct {
	mu sync.Mutex
	of [troubleSources]error
}

const (
	inFolder = iota
	inTrail
	atService
	troubleSources
)

// set records what a look at one source came to. It reports whether that is news.
func (t *troubles) set(source int, err error) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.of[source]
	t.of[source] = err
	return (was == nil) != (err == nil) || err != nil && err.Error() != was.Error()
}

func (t *troubles) now() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(t.of[:]...)
}

// note passes an event to tell. It merges the event with one that is still pending.
func (w *Watcher) note(e versions.Event) {
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
		}
	}
}

// adopt adopts outside changes until ctx ends.
func (w *Watcher) adopt(ctx context.Context) {
	defer w.Stop()
	next := fullScan
	switch {
	case !w.Looked:
		w.Start()
		next = w.Scan(ctx)
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
			if !w.Hint(e) {
				continue
			}
		case <-lost:
			w.Whole = true
		case <-w.renamed:
			w.Whole = true
		case <-timer.C:
			if len(w.dirty)+len(w.made) == 0 {
				w.Whole = true
			}
			next = w.Scan(ctx)
			first = time.Time{}
			timer.Reset(next)
			continue
		}
		if first.IsZero() {
			first = time.Now()
		}
		timer.Reset(max(0, min(Quiet, patience-time.Since(first))))
	}
}

// Start watches every folder that a listing shows. If that fails, the store is polled. It sets up
// the watches before the scan, so a change in between is found twice rather than missed.
func (w *Watcher) Start() {
	w.Stop()
	w.names = core.Folder(w.s).Names()
	var err error
	if w.fs, err = disk.NewWatch(); err == nil {
		err = w.watchFolders(memfs.Root)
	}
	w.polling.Store(err != nil)
	w.moved, w.Whole = false, true
}

// watchFolders watches a folder of the store and those below it that can hold memories.
func (w *Watcher) watchFolders(p memfs.Path) error {
	if w.names.All() {
		return w.fs.AddTree(w.folderAt(p))
	}
	if err := w.fs.AddFolder(w.folderAt(p)); err != nil {
		return err
	}
	entries, err := core.Folder(w.s).ReadDir(p)
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

func (w *Watcher) folderAt(p memfs.Path) string {
	return filepath.Join(w.s.Opened.Folder, filepath.FromSlash(p.Rel()))
}

// Stop ends the watch of the folder.
func (w *Watcher) Stop() {
	if w.fs != nil {
		_ = w.fs.Close()
	}
}

// Hint records where to scan, and reports whether there is anything to scan.
func (w *Watcher) Hint(e fsnotify.Event) bool {
	rel, err := filepath.Rel(w.s.Opened.Folder, e.Name)
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
		w.Whole = true
		return true
	case !w.names.Reaches(p):
		return false
	}
	if info, err := core.Folder(w.s).Lstat(p); err == nil && info.Kind == memfs.Folder {
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

// Scan looks at the hinted paths, or at everything, and adopts the changes. It returns the time until the
// next scan.
func (w *Watcher) Scan(ctx context.Context) time.Duration {
	began := time.Now()
	if w.moved {
		w.Start()
	}
	dirty, made, whole := w.dirty, w.made, w.Whole
	w.dirty, w.made, w.Whole = map[memfs.Path]bool{}, map[memfs.Path]bool{}, false
	var err error
	if whole || len(dirty)+len(made) > core.SyncChunk {
		err = w.scanAll(ctx)
	} else {
		err = w.scanPaths(ctx, dirty, made)
	}
	if ctx.Err() != nil {
		return fullScan
	}
	news := w.troubles.set(inFolder, err)
	if err != nil {
		w.Whole = true
		if news {
			w.note(versions.Event{})
		}
		return 2 * time.Second
	}
	if news {
		w.Start() // the folder may have been replaced
		w.note(versions.Event{Reload: true})
		return 0
	}
	if !w.names.Same(core.Folder(w.s).Names()) {
		w.Start() // files may have appeared in folders that were not watched
		return 0
	}
	if w.polling.Load() { // scanning takes at most a fiftieth of the time
		w.Whole = true
		return min(max(time.Second, 50*time.Since(began)), 30*time.Second)
	}
	return fullScan
}

func (w *Watcher) scanAll(ctx context.Context) error {
	before := core.OtherEntries(w.s)
	if _, err := w.s.Sync(ctx); err != nil {
		return err
	}
	if after := core.OtherEntries(w.s); !slices.Equal(before, after) {
		w.note(versions.Event{Others: true})
	}
	return nil
}

// scanPaths adopts those of a few paths that differ from their heads. Most hints come from memend's
// own writes, and these must cost neither a transaction nor a scan: every process that watches the
// store gets them.
func (w *Watcher) scanPaths(ctx context.Context, dirty, made map[memfs.Path]bool) error {
	var paths []memfs.Path
	look := looking{s: w.s, left: core.SyncChunk}
	for p := range dirty {
		same, memory, err := core.AsKnown(ctx, w.s, p)
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
	_, err := core.AdoptPaths(ctx, w.s, paths)
	return err
}

// looking compares at most some files with their heads.
type looking struct {
	s    *core.Store
	left int
}

// below reports whether all that a listing shows in a folder matches its heads.
func (l *looking) below(ctx context.Context, folder memfs.Path) (bool, error) {
	dir := core.Folder(l.s)
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
			same, memory, err = core.AsKnown(ctx, l.s, e.Path)
		}
		if err != nil || !same || !memory {
			return false, err
		}
	}
	return true, nil
}

// poll pulls from the service until ctx ends. Its changes are reported like any other change.
func (w *Watcher) poll(ctx context.Context) {
	w.s.Replica.Poll(ctx, func(now *versions.UpstreamState, err error) {
		if now != nil {
			w.note(versions.Event{Upstream: now})
		}
		if why := notOfService(err); w.troubles.set(atService, why) {
			w.note(versions.Event{Reload: why == nil})
		}
	})
}

// notOfService returns err unless the state of the service already reports it.
func notOfService(err error) error {
	var trouble *versions.UpstreamError
	if err == nil || errors.As(err, &trouble) || errors.Is(err, versions.ErrNoStore) {
		return nil
	}
	return err
}
