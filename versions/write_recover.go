package versions

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/memend/memend/memfs"
)

// recover finishes the changes of this store that a dead process left between
// their commit and the note that they are applied. The caller holds the lock.
// It runs at the head of every critical section and not only at open: the lock of
// a killed holder passes to a living process, which would take the half-done write
// for another program's.
//
// A commit can be in limbo: a process killed between the frame and the shared
// index of SQLite's log leaves a transaction that the living don't see and that
// returns when the last of them is gone. So nothing here relies on an intent
// being there, and each step can be done again.
func (s *Store) recover(ctx context.Context) error {
	var any int
	err := s.reader(ctx).Row(`SELECT 1 FROM intent WHERE store=? AND carried=0 LIMIT 1`, s.id).Scan(&any)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := s.openChanges(ctx, `carried=0`)
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := s.finishOpen(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// openChange is a change whose steps may not be done, or not be on the disk.
type openChange struct {
	id    int64
	done  int64 // when the steps were done, in nanoseconds; 0 when that was not noted
	steps []step
}

// finishOpen does a dead process's steps, as far as the folder is still what
// they expect. Where another program wrote since, theirs stands, on top of ours
// in the history: nothing is lost.
func (s *Store) finishOpen(ctx context.Context, o *openChange) error {
	if err := s.dir.Sweep(); err != nil {
		return err
	}
	for i := range o.steps {
		st := &o.steps[i]
		if st.op == memfs.OpPut {
			var err error
			if st.content, err = s.contentByHash(ctx, st.new); err != nil {
				return err
			}
		}
		if _, err := s.applyStep(st); err != nil && !passedOver(err) {
			return err
		}
	}
	if !s.lazy(o.steps) {
		if err := s.syncSteps(o.steps); err != nil {
			return err
		}
	}
	if err := s.noteApplied(ctx, &mutation{c: &changeRow{id: o.id}, steps: o.steps}); err != nil {
		return err
	}
	if s.lazy(o.steps) {
		s.flushSoon()
	}
	return s.adoptSteps(ctx, o.steps)
}

// adoptSteps adopts what stands at the paths of steps that are done.
func (s *Store) adoptSteps(ctx context.Context, steps []step) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	for _, st := range steps {
		for _, p := range []memfs.Path{st.path, st.to} {
			if p.IsRoot() {
				continue
			}
			if _, err := x.adopt(p, s.t.maxBytes); err != nil && !passedOver(err) && !errors.Is(err, memfs.ErrTooBig) {
				return err
			}
		}
	}
	return x.Commit()
}

// passedOver are the failures of a step that will not go away by trying again:
// it must not stand in the way of every later mutation. A full, read-only or broken
// disk is not among them.
func passedOver(err error) bool {
	for _, e := range []error{errForeign, memfs.ErrNoPermission, memfs.ErrExist, memfs.ErrNotExist,
		memfs.ErrIsFolder, memfs.ErrNotFolder, memfs.ErrNotRegular, memfs.ErrLinkOut, memfs.ErrLinkLoop, memfs.ErrNotEmpty, memfs.ErrNameTooLong} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openChanges reads the changes of this store that have intents of a kind,
// oldest first.
func (s *Store) openChanges(ctx context.Context, which string, args ...any) ([]*openChange, error) {
	var open []*openChange
	for row, err := range s.t.each(ctx, `SELECT change,op,path,dest,old,new,mode,done FROM intent
		WHERE store=? AND `+which+` ORDER BY change, n`, append([]any{s.id}, args...)...) {
		if err != nil {
			return nil, err
		}
		var id, done int64
		var from, to string
		var op, mode int
		var old, new []byte
		if err := row.Scan(&id, &op, &from, &to, &old, &new, &mode, &done); err != nil {
			return nil, err
		}
		if len(open) == 0 || open[len(open)-1].id != id {
			open = append(open, &openChange{id: id, done: done})
		}
		st := step{op: memfs.OpKind(op), mode: fs.FileMode(mode)}
		copy(st.old[:], old)
		copy(st.new[:], new)
		if st.path, err = pathOf(from); err != nil {
			return nil, err
		}
		if st.to, err = pathOf(to); err != nil {
			return nil, err
		}
		o := open[len(open)-1]
		o.steps = append(o.steps, st)
	}
	return open, nil
}
