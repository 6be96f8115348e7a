package core

import (
	"context"
	"database/sql"
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// recover finishes the changes of this store that a crashed process left between their
// commit and their acknowledgement. The caller holds the lock. It runs at the start of
// every critical section, not only at open: when a process is killed, its lock passes to a
// running process, which would otherwise take the half-done write for another program's.
//
// A commit can be in limbo: if a process is killed after it wrote the frame and before it
// updated the shared index of SQLite's log, running processes don't see the transaction,
// and it reappears when the last of them has exited. So recover doesn't rely on an intent
// being present, and each step can be repeated.
func (s *Store) recover(ctx context.Context) error {
	var any int
	err := LockedReader(ctx, s).Row(`SELECT 1 FROM intent WHERE store=? AND carried=0 LIMIT 1`, s.Row).Scan(&any)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	open, err := OpenChanges(ctx, s, `carried=0`)
	if err != nil {
		return err
	}
	for _, o := range open {
		if err := s.finishOpen(ctx, o); err != nil {
			return err
		}
	}
	for _, o := range open {
		if err := s.adoptSteps(ctx, o.steps); err != nil {
			return err
		}
	}
	// Last: if this process is killed before, the next one starts over.
	for _, o := range open {
		if err := s.noteApplied(ctx, &Mutation{Change: &ChangeRow{ID: o.id}, Steps: o.steps}); err != nil {
			return err
		}
		if s.lazy(o.steps) {
			FlushSoon(s)
		}
	}
	return nil
}

// openChange is a change whose steps may not be done or not be durable.
type openChange struct {
	id    int64
	done  int64 // when the steps were done, in nanoseconds; 0 if not recorded
	steps []Step
}

// finishOpen does the steps of a crashed process as far as the folder is in the state they
// expect. If another program wrote since, its content stays and is adopted after ours, so
// nothing is lost.
func (s *Store) finishOpen(ctx context.Context, o *openChange) error {
	if err := s.Dir.Sweep(); err != nil {
		return err
	}
	for i := range o.steps {
		if _, err := s.applyStep(ctx, &o.steps[i]); err != nil && !memfs.Is(err, memfs.OnlyPath) {
			return err
		}
	}
	if s.lazy(o.steps) {
		return nil
	}
	return s.syncSteps(o.steps)
}

// adoptSteps adopts the files at the paths of steps that are done.
func (s *Store) adoptSteps(ctx context.Context, steps []Step) error {
	return InTx(ctx, s, func(x *Txn) error {
		x.stale = map[memfs.Path]versions.Hash{}
		for _, st := range steps {
			if st.Old != (versions.Hash{}) {
				x.stale[st.Path] = st.Old
			}
			for _, p := range []memfs.Path{st.Path, st.To} {
				if p.IsRoot() {
					continue
				}
				if _, err := x.Adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
					return err
				}
			}
		}
		return nil
	})
}

// OpenChanges reads the changes of this store that have matching intents, oldest first.
func OpenChanges(ctx context.Context, s *Store, which string, args ...any) ([]*openChange, error) {
	var open []*openChange
	var id, done int64
	var st Step
	rows := s.Trail.DB.Rows(ctx, `SELECT change,op,path,dest,old,new,mode,done,target FROM intent
		WHERE store=? AND `+which+` ORDER BY change, n`, append([]any{s.Row}, args...)...)
	for range rows.Each(&id, &st.Op, tables.PathTo(&st.Path), tables.PathTo(&st.To), tables.HashTo(&st.Old), tables.HashTo(&st.New), &st.Mode, &done, &st.Target) {
		if len(open) == 0 || open[len(open)-1].id != id {
			open = append(open, &openChange{id: id, done: done})
		}
		o := open[len(open)-1]
		o.steps = append(o.steps, st)
	}
	return open, rows.Err()
}
