package core

import (
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
)

// Flushing makes the folder's part of acknowledged changes durable. Before that only the
// trail is durable: after a loss of power, the next open compares the folder with it (see
// write_repair_crash.go). So a change costs one sync before its acknowledgement, and files
// are synced in batches.

const (
	flushDelay  = 50 * time.Millisecond // after the first change of a batch
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
func (s *Store) lazy(steps []Step) bool {
	return s.Trail.lazy() && !slices.ContainsFunc(steps, Step.eager)
}

// eager reports whether a step makes something that only its intent describes.
func (st Step) eager() bool {
	return st.renamesUntracked() || st.Op == memfs.OpFolder || st.Op == memfs.OpLink
}

// renamesUntracked reports whether a step renames something that is not in the trail.
func (st Step) renamesUntracked() bool { return st.Op == memfs.OpRename && st.Old == (versions.Hash{}) }

// FlushFirst flushes everything applied so far, in one commit with what x is about to do.
// It also retries failed syncs once, because there is no better remedy.
func (x *Txn) FlushFirst() error {
	open, err := OpenChanges(x.Ctx, x.Store, `carried>0`)
	if err != nil {
		return err
	}
	if err := x.Store.syncSteps(stepsOf(open)); err != nil {
		return err
	}
	x.dropIntents(open)
	return x.Err()
}

func stepsOf(open []*openChange) (steps []Step) {
	for _, o := range open {
		steps = append(steps, o.steps...)
	}
	return steps
}

func (x *Txn) dropIntents(open []*openChange) {
	for _, o := range open {
		x.Exec(`DELETE FROM intent WHERE change=?`, o.id)
	}
}

// flusher is the batch of unflushed changes of one store.
type flusher struct {
	Mu      sync.Mutex
	running sync.WaitGroup
	Timer   *time.Timer
	closed  bool
	waiting int // changes since the last batch
}

// FlushSoon schedules a flush of what is applied. The caller holds the trail's lock.
func FlushSoon(s *Store) {
	b := &s.Batch
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.waiting++
	if b.Timer != nil || b.closed {
		return
	}
	b.running.Add(1)
	b.Timer = time.AfterFunc(s.Trail.FlushDelay, func() { FlushBatch(s) })
}

// FlushBatch is the scheduled flush. It leaves the work to another process that does it now, and
// looks again later: a flush covers the changes of all processes.
func FlushBatch(s *Store) {
	b := &s.Batch
	defer s.Trail.recoverPanic()
	defer b.running.Done()
	release, ok := OnlyFlusher(s.Trail)
	b.Mu.Lock()
	b.Timer = nil
	if !ok && !b.closed {
		b.running.Add(1)
		b.Timer = time.AfterFunc(s.Trail.FlushDelay, func() { FlushBatch(s) })
	} else {
		b.waiting = 0
	}
	b.Mu.Unlock()
	if !ok {
		return
	}
	defer release()
	// The next batch, Close or the next process retries what fails. A failure only makes a
	// recovery take longer.
	_ = s.flush(context.Background())
}

// OnlyFlusher makes this process the one that flushes, unless another is. Without a lock file, all
// do.
func OnlyFlusher(t *Trail) (release func(), ok bool) {
	t.flushing.open.Do(func() { t.flushing.lock, _ = disk.OpenLock(filepath.Join(t.Folder, flushFile)) })
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
	s.Batch.Mu.Lock()
	defer s.Batch.Mu.Unlock()
	return s.Batch.waiting >= settleLimit
}

// close stops scheduled flushes when a store is closed. Another process flushes later
// changes.
func (b *flusher) close() {
	b.Mu.Lock()
	defer b.Mu.Unlock()
	b.closed = true
}

// FlushNow flushes the batch at once: at Close, and where no intent may remain.
func FlushNow(ctx context.Context, s *Store) error {
	b := &s.Batch
	b.Mu.Lock()
	if b.Timer != nil && b.Timer.Stop() {
		b.running.Done()
	}
	b.Timer, b.waiting = nil, 0
	b.Mu.Unlock()
	b.running.Wait()
	return s.flush(ctx)
}

// flush syncs the files and folders of applied changes, then deletes their intents. It
// holds the lock only for the deletion.
func (s *Store) flush(ctx context.Context) error {
	open, err := OpenChanges(ctx, s, `carried=1 AND boot=?`, s.Trail.boot)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := AtStep(s.Trail, "before-flush-sync"); err != nil {
		return err
	}
	failed := s.syncSteps(stepsOf(open))
	unlock, err := s.Trail.DB.Acquire(ctx)
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
	x.dropIntents(open)
	if err := AtStep(s.Trail, "before-flush-commit"); err != nil {
		return err
	}
	return x.Commit()
}

// doubt keeps the intents of steps whose sync failed until the system restarts and the
// folder is compared. A second sync may succeed although the data of the failed one never
// reached the disk.
func (x *Txn) doubt(open []*openChange) error {
	for _, o := range open {
		x.Exec(`UPDATE intent SET carried=2 WHERE change=?`, o.id)
	}
	return x.Commit()
}

// syncSteps makes the results of steps durable: files, their folders, and the folders
// above, which may be new. It skips what no longer exists. Deep folders come first: a folder
// that is gone when its turn comes was removed by a later change, perhaps just now, and what
// the steps did in it is durable only when the folder above is.
func (s *Store) syncSteps(steps []Step) error {
	dir := Folder(s)
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
		above(st.Path)
		switch st.Op {
		case memfs.OpPut:
			files[st.Path] = true
		case memfs.OpRename:
			above(st.To)
			if !st.renamesUntracked() { // its content may have been written just before
				files[st.To] = true
			}
		}
	}
	if s.Trail.lazy() {
		for p := range files {
			if err := dir.SyncFile(p); err != nil && !memfs.Is(err, memfs.NoMemory|memfs.Denied) {
				return err
			}
		}
	}
	for _, p := range slices.Backward(slices.SortedFunc(maps.Keys(folders), versions.ComparePaths)) {
		if err := dir.SyncDir(p); err != nil && !memfs.Is(err, memfs.NoMemory) {
			return err
		}
	}
	return nil
}
