package versions

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/disk"
)

// Flushing makes the folder's part of acknowledged changes durable. Before that only the
// trail is durable: after a loss of power, the next open compares the folder with it (see
// write_repair_crash.go). So a change costs one sync before its acknowledgement, and files
// are synced in batches.

const (
	settleDelay = 50 * time.Millisecond // after the first change of a batch
	settleLimit = 512                   // steps that may wait; beyond that a mutation flushes itself

	flushFile = "flush.lock" // in the home
)

// lazy reports whether files are synced after the acknowledgement. That needs a boot id,
// to tell a loss of power from another program's write.
func (t *Trail) lazy() bool { return t.boot != "" }

// lazy reports whether the folder may be synced after a change with these steps is
// acknowledged. It may not if a folder or a link is renamed. Crash repair restores
// memories one by one, but a folder also holds files that are not in the trail, and later
// changes to the two names can hide whether the rename was lost.
func (s *Store) lazy(steps []step) bool {
	return s.t.lazy() && !slices.ContainsFunc(steps, step.eager)
}

// eager reports whether a step makes something that only its intent describes.
func (st step) eager() bool {
	return st.wholesale() || st.op == memfs.OpFolder || st.op == memfs.OpLink
}

// wholesale reports whether a step renames something that is not in the trail.
func (st step) wholesale() bool { return st.op == memfs.OpRename && st.old == (Hash{}) }

// flushFirst flushes everything applied so far, in one commit with what x is about to do.
// It also retries failed syncs once, because there is no better remedy.
func (x *txn) flushFirst() error {
	open, err := x.s.openChanges(x.Ctx, `carried>0`)
	if err != nil {
		return err
	}
	if err := x.s.syncSteps(stepsOf(open)); err != nil {
		return err
	}
	return x.dropIntents(open)
}

func stepsOf(open []*openChange) (steps []step) {
	for _, o := range open {
		steps = append(steps, o.steps...)
	}
	return steps
}

func (x *txn) dropIntents(open []*openChange) error {
	for _, o := range open {
		if err := x.Exec(`DELETE FROM intent WHERE change=?`, o.id); err != nil {
			return err
		}
	}
	return nil
}

// flusher is the batch of unflushed changes of one store.
type flusher struct {
	mu      sync.Mutex
	running sync.WaitGroup
	timer   *time.Timer
	closed  bool
	waiting int // changes since the last batch
}

// flushSoon schedules a flush of what is applied. The caller holds the trail's lock.
func (s *Store) flushSoon() {
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	if b.timer != nil || b.closed {
		return
	}
	b.running.Add(1)
	b.timer = time.AfterFunc(s.t.settleDelay, func() { s.flushBatch() })
}

// flushBatch is the scheduled flush. It leaves the work to another process that does it now, and
// looks again later: a flush covers the changes of all processes.
func (s *Store) flushBatch() {
	b := &s.batch
	defer s.t.recoverPanic()
	defer b.running.Done()
	release, ok := s.t.onlyFlusher()
	b.mu.Lock()
	b.timer = nil
	if !ok && !b.closed {
		b.running.Add(1)
		b.timer = time.AfterFunc(s.t.settleDelay, func() { s.flushBatch() })
	} else {
		b.waiting = 0
	}
	b.mu.Unlock()
	if !ok {
		return
	}
	defer release()
	// The next batch, Close or the next process retries what fails. A failure only makes a
	// recovery take longer.
	_ = s.flush(context.Background())
}

// onlyFlusher makes this process the one that flushes, unless another is. Without a lock file, all
// do.
func (t *Trail) onlyFlusher() (release func(), ok bool) {
	t.flushing.open.Do(func() { t.flushing.lock, _ = disk.OpenLock(filepath.Join(t.home, flushFile)) })
	if t.flushing.lock == nil {
		return func() {}, true
	}
	return t.flushing.lock.Try()
}

// flushing is the lock of the process that flushes, opened when it is first needed.
type flushing struct {
	open sync.Once
	lock *disk.Lock
}

// close closes the lock file for good.
func (f *flushing) close() {
	f.open.Do(func() {})
	if f.lock != nil {
		_ = f.lock.Close()
	}
}

// crowded reports whether so many steps wait that a mutation should flush itself.
func (s *Store) crowded() bool {
	s.batch.mu.Lock()
	defer s.batch.mu.Unlock()
	return s.batch.waiting >= settleLimit
}

// close stops scheduled flushes when a store is closed. Another process flushes later
// changes.
func (b *flusher) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// flushNow flushes the batch at once: at Close, and where no intent may remain.
func (s *Store) flushNow(ctx context.Context) error {
	b := &s.batch
	b.mu.Lock()
	if b.timer != nil && b.timer.Stop() {
		b.running.Done()
	}
	b.timer, b.waiting = nil, 0
	b.mu.Unlock()
	b.running.Wait()
	return s.flush(ctx)
}

// flush syncs the files and folders of applied changes, then deletes their intents. It
// holds the lock only for the deletion.
func (s *Store) flush(ctx context.Context) error {
	open, err := s.openChanges(ctx, `carried=1 AND boot=?`, s.t.boot)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := s.t.step("before-flush-sync"); err != nil {
		return err
	}
	failed := s.syncSteps(stepsOf(open))
	unlock, err := s.t.db.Acquire(ctx)
	if err != nil {
		return errors.Join(failed, err)
	}
	defer unlock()
	x, err := s.beginNonDurable(ctx) // an intent that comes back after a loss of power finds its steps done
	if err != nil {
		return errors.Join(failed, err)
	}
	defer x.Rollback()
	if failed != nil {
		return errors.Join(failed, x.doubt(open))
	}
	if err := x.dropIntents(open); err != nil {
		return err
	}
	if err := s.t.step("before-flush-commit"); err != nil {
		return err
	}
	return x.Commit()
}

// doubt keeps the intents of steps whose sync failed until the system restarts and the
// folder is compared. A second sync may succeed although the data of the failed one never
// reached the disk.
func (x *txn) doubt(open []*openChange) error {
	for _, o := range open {
		if err := x.Exec(`UPDATE intent SET carried=2 WHERE change=?`, o.id); err != nil {
			return err
		}
	}
	return x.Commit()
}

// syncSteps makes the results of steps durable: files, their folders, and the folders
// above, which may be new. It skips what no longer exists.
func (s *Store) syncSteps(steps []step) error {
	dir := s.folder()
	files, folders := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	above := func(p memfs.Path) {
		for at := p; !at.IsRoot(); {
			if at = at.Dir(); folders[at] {
				return
			}
			folders[at] = true
		}
	}
	for _, st := range steps {
		above(st.path)
		switch st.op {
		case memfs.OpPut:
			files[st.path] = true
		case memfs.OpRename:
			above(st.to)
			if !st.wholesale() { // its content may have been written just before
				files[st.to] = true
			}
		}
	}
	if s.t.lazy() {
		for p := range files {
			if err := dir.SyncFile(p); err != nil && !memfs.Is(err, memfs.NoMemory|memfs.Denied) {
				return err
			}
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(folders), comparePaths) { // top folders first: a name needs them
		if err := dir.SyncDir(p); err != nil && !memfs.Is(err, memfs.NoMemory) {
			return err
		}
	}
	return nil
}
