package versions

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/memend/memend/memfs"
)

// Settling makes what acknowledged changes did to the folder outlive a loss of
// power by itself. Until then the trail makes up for it: it is on the disk, and
// the next open in another run of the system compares (see lost.go). So a change
// costs one sync before it is acknowledged, and the files' syncs come in batches.

const (
	settleDelay = 50 * time.Millisecond // after the first change of a batch
	settleLimit = 512                   // steps that may wait; then a mutation flushes by itself
)

// lazy reports whether files are synced after the acknowledgement. It takes a
// way to tell a loss of power from another program's write.
func (t *Trail) lazy() bool { return t.boot != "" }

// lazy reports whether the folder may be synced after the acknowledgement of a
// change with these steps. Not so where a folder or a link is renamed: after a
// loss of power memories are put right one by one, but a folder also holds what
// the trail doesn't, and whether its rename was lost could not be told from what
// later changes did to the two names.
func (s *Store) lazy(steps []step) bool {
	return s.t.lazy() && !slices.ContainsFunc(steps, step.wholesale)
}

// wholesale reports whether a step renames what the trail does not hold.
func (st step) wholesale() bool { return st.op == memfs.OpRename && st.old == (Hash{}) }

// flushFirst flushes all that was applied so far, in one commit with what x
// is about to do. What is in doubt is synced once more: no better is to be had.
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

// flusher is the batch of one store.
type flusher struct {
	mu      sync.Mutex
	running sync.WaitGroup
	timer   *time.Timer
	closed  bool
	waiting int // changes since the last batch
}

// flushSoon sees to it that what is applied gets flushed. The caller holds
// the trail's lock.
func (s *Store) flushSoon() {
	b := &s.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting++
	if b.timer != nil || b.closed {
		return
	}
	b.running.Add(1)
	b.timer = time.AfterFunc(settleDelay, func() {
		defer s.t.recoverPanic()
		defer b.running.Done()
		b.mu.Lock()
		b.timer, b.waiting = nil, 0
		b.mu.Unlock()
		// What fails here is tried again with the next batch, at Close, and by the
		// next process; nothing depends on it but the time that a recovery takes.
		_ = s.flush(context.Background())
	})
}

// crowded reports whether so much waits that a mutation should flush by itself.
func (s *Store) crowded() bool {
	s.batch.mu.Lock()
	defer s.batch.mu.Unlock()
	return s.batch.waiting >= settleLimit
}

// close is for a store that is closed: what is done after it is flushed by another process.
func (b *flusher) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// flushNow ends the batch: at Close, and where no intent may stay behind.
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

// flush syncs the files and folders of carried changes, and then lets their
// intents go. It holds the lock only for the latter.
func (s *Store) flush(ctx context.Context) error {
	open, err := s.openChanges(ctx, `carried=1 AND boot=?`, s.t.boot)
	if err != nil || len(open) == 0 {
		return err
	}
	if err := s.t.step("before-settle-sync"); err != nil {
		return err
	}
	failed := s.syncSteps(stepsOf(open))
	unlock, err := s.t.acquire(ctx)
	if err != nil {
		return errors.Join(failed, err)
	}
	defer unlock()
	x, err := s.beginNonDurable(ctx) // an intent that comes back after a loss of power finds all as it should be
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
	if err := s.t.step("before-settle-commit"); err != nil {
		return err
	}
	return x.Commit()
}

// doubt keeps the intents of what could not be synced until the system was started
// anew and the folder is compared: a second sync may say that all is well where
// the first one failed, and the disk has nothing of it.
func (x *txn) doubt(open []*openChange) error {
	for _, o := range open {
		if err := x.Exec(`UPDATE intent SET carried=2 WHERE change=?`, o.id); err != nil {
			return err
		}
	}
	return x.Commit()
}

// syncSteps makes durable what steps did: files, the folders that hold them, and
// the folders above, which may be new. What is gone by now needs none of it.
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
			if err := dir.SyncFile(p); err != nil && !gone(err) && !errors.Is(err, memfs.ErrNoPermission) {
				return err
			}
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(folders), comparePaths) { // a name is worth nothing before that of its folder
		if err := dir.SyncDir(p); err != nil && !gone(err) {
			return err
		}
	}
	return nil
}

// gone reports whether something else stands at a path by now, or nothing, or a link on
// the way to it.
func gone(err error) bool {
	for _, e := range []error{memfs.ErrNotExist, memfs.ErrNotFolder, memfs.ErrIsFolder, memfs.ErrNotRegular, memfs.ErrLinkOut, memfs.ErrLinkLoop} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
