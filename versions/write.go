package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
)

// mutator is a caller's function that plans one mutation through calls on d. It runs in the
// critical section, and runs again if another program wrote in between.
type mutator func(d *mutation) error

// maxTries bounds how often a mutation is planned again because another program keeps
// writing the same memory.
const maxTries = 5

// errForeign reports that another program wrote a file between our check and our write.
var errForeign = foreignError{}

type foreignError struct{}

func (foreignError) Error() string      { return "another program wrote it meanwhile" }
func (foreignError) Class() memfs.Class { return memfs.Blocked }

// mutate changes the folder and the trail. It is the only function that does. The package
// documentation lists its steps.
func (s *Store) mutate(ctx context.Context, by By, want mutator) (Change, error) {
	if err := s.t.mayChange(); err != nil {
		return Change{}, err
	}
	if err := s.takeReports(ctx, by); err != nil {
		return Change{}, err
	}
	var c Change
	var err error
	if s.hosted() {
		c, err = s.replica.Mutate(ctx, by, want)
	} else {
		c, err = s.mutateLocked(ctx, by, want)
	}
	if s.crowded() {
		_ = s.flushNow(ctx) // the next batch retries what fails
	}
	return c, err
}

func (s *Store) mutateLocked(ctx context.Context, by By, want mutator) (c Change, err error) {
	err = s.exclusively(ctx, func(ctx context.Context) error {
		c, err = s.attempt(ctx, by, want)
		return err
	})
	return c, err
}

// attempt is mutate for a caller that holds the lock and tries again.
func (s *Store) attempt(ctx context.Context, by By, want mutator) (c Change, err error) {
	err = s.act(ctx, want.by(by), func(ctx context.Context, d *mutation) (err error) {
		if d.c != nil { // else it is already in the requested state
			err = d.write()
		}
		if err == nil {
			err = commitAndApply(ctx, d)
		}
		if err == nil && d.c != nil {
			c = d.change()
		}
		return err
	})
	return c, err
}

// rehearse plans a mutation and decides about it as mutate does, and changes nothing.
func (s *Store) rehearse(ctx context.Context, by By, want mutator) error {
	if err := s.t.mayChange(); err != nil {
		return err
	}
	return s.exclusively(ctx, func(ctx context.Context) error {
		err := s.act(ctx, want.by(by), discard)
		var h *heldBack
		if errors.As(err, &h) {
			return &HeldError{Path: h.asked.path, Rule: h.rule}
		}
		return err
	})
}

// exclusively runs an attempt at a change while it holds the lock of the home, and runs it again if
// another program wrote in between. A change that must wait for a person is held.
func (s *Store) exclusively(ctx context.Context, attempt func(context.Context) error) error {
	unlock, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	// From here on a cancellation must not interrupt the protocol. Waiting for the lock is the
	// only long wait.
	ctx = context.WithoutCancel(ctx)
	for try := 1; ; try++ {
		if err := s.hold(ctx, attempt(ctx)); !errors.Is(err, errForeign) || try == maxTries {
			return err
		}
	}
}

// act is the one path of mutations, rehearsals, proposals and what a service sent: plan makes a change in a transaction, and
// finish commits or discards it. If the plan fails, what it found of other programs' writes is recorded all the same. The
// caller holds the lock.
func (s *Store) act(ctx context.Context, plan func(*txn) (*mutation, error), finish func(context.Context, *mutation) error) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.Rollback()
	d, planErr := plan(x)
	if planErr == nil && d.c != nil && x.adoptedSince(d.changes()[0].number) {
		planErr = errForeign
	}
	if planErr == nil {
		return finish(ctx, d)
	}
	if err := s.adoptFirst(ctx, x); err != nil {
		return errors.Join(planErr, err)
	}
	return planErr
}

// discard ends an act that is only rehearsed.
func discard(ctx context.Context, d *mutation) error { return d.x.s.adoptFirst(ctx, d.x) }

// by returns the plan of a mutation that somebody wants, and that is decided about.
func (want mutator) by(by By) func(*txn) (*mutation, error) {
	return func(x *txn) (*mutation, error) { return x.plan(by, want) }
}

// plan plans a mutation in the transaction.
func (x *txn) plan(by By, want mutator) (*mutation, error) {
	d := &mutation{x: x, by: by}
	if err := x.mayWrite(by); err != nil {
		return d, err
	}
	if err := x.takeInUnwritten(by.Session); err != nil {
		return d, err
	}
	err := want(d)
	if err == nil {
		err = d.noteOthers()
	}
	if err = d.permitted(err); err == nil {
		err = d.decide()
	}
	return d, d.arrives.wait(err)
}

// commitAndApply commits a mutation with its journaled steps, applies the steps to the folder and
// acknowledges it. One without a change commits what it found.
func commitAndApply(ctx context.Context, d *mutation) error {
	s := d.x.s
	defer s.t.notify()
	if d.c == nil {
		return d.x.Commit()
	}
	if !s.lazy(d.steps) {
		if err := d.x.flushFirst(); err != nil {
			return err
		}
	}
	if err := s.t.step("before-intent-commit"); err != nil {
		return err
	}
	if err := d.x.Commit(); err != nil {
		return s.uncommitted(ctx, d, err)
	}
	return s.applySteps(ctx, d, s.forget)
}

// uncommitted ends a transaction whose commit failed. It returns the error.
func (s *Store) uncommitted(ctx context.Context, d *mutation, err error) error {
	d.x.Rollback()
	var is int
	if none := s.reader(ctx).Row(`SELECT 1 FROM change WHERE id=?`, d.c.id).Scan(&is); !errors.Is(none, sql.ErrNoRows) {
		err = fmt.Errorf("%w; %w", err, ErrUnfinished) // it exists, or its state can't be determined now
	}
	return err
}

// adoptedSince reports whether the transaction adopted something after a change got its
// number.
func (x *txn) adoptedSince(number int64) bool {
	return slices.ContainsFunc(x.adopted, func(c *changeRow) bool { return c.number > number })
}

// adoptFirst drops a failed transaction and adopts in a new one what it found of other
// programs' writes. The failed one may hold a half-written draft or adoption, whose number
// no row has. Also, a numbered draft can't be removed without a gap once the adoption is
// numbered after it.
func (s *Store) adoptFirst(ctx context.Context, half *txn) error {
	half.Rollback()
	if len(half.adopted)+len(half.foreign) == 0 {
		return nil
	}
	defer s.t.notify()
	return s.inTx(ctx, func(x *txn) error {
		for _, p := range half.seen {
			if _, err := x.adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
				return err
			}
		}
		return nil
	})
}

// applySteps applies a committed mutation to the folder and acknowledges it. If that fails, it
// reverts the steps, newest first, and calls forget to remove the changes from the trail.
func (s *Store) applySteps(ctx context.Context, d *mutation, forget func(context.Context, *mutation) error) error {
	done := 0
	err := s.t.step("after-intent-commit")
	if err == nil {
		err = s.run(ctx, d.steps, &done)
	}
	if err == nil && !s.lazy(d.steps) {
		err = s.syncSteps(d.steps)
	}
	if err == nil {
		return s.acknowledge(ctx, d)
	}
	var back error
	for i := done - 1; i >= 0 && back == nil; i-- {
		back = s.revertStep(ctx, d.steps[i])
	}
	if back == nil {
		back = forget(ctx, d)
	}
	if back == nil {
		return err
	}
	for _, e := range []*error{&err, &back} { // no retry over an open intent: its steps would be done twice
		if errors.Is(*e, errForeign) {
			*e = errors.New((*e).Error())
		}
	}
	return fmt.Errorf("%w; %w (%w)", err, ErrUnfinished, back)
}

// run applies steps in order and counts in done those that touched the folder.
func (s *Store) run(ctx context.Context, steps []step, done *int) error {
	for i := range steps {
		touched, err := s.applyStep(ctx, &steps[i])
		if touched {
			*done = i + 1
		}
		if errors.Is(err, errForeign) {
			err = fmt.Errorf("%s: %w", steps[i].path.Tool(), err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// acknowledge records that the steps are done. The record need not be durable: a crash of
// the process loses nothing from here on, and after a loss of power recovery compares the
// folder with the heads, which are durable.
func (s *Store) acknowledge(ctx context.Context, d *mutation) error {
	err := s.noteApplied(ctx, d)
	if err != nil && !s.lazy(d.steps) {
		return fmt.Errorf("%w; %w", err, ErrUnfinished)
	}
	// If this record can't be written, the change is as after a crash: it is in the trail and
	// in the folder, and the next critical section completes the record.
	if s.lazy(d.steps) {
		s.flushSoon()
	}
	_ = s.t.step("after-final-commit") // tests kill here; the change can't fail any more
	return nil
}

func (s *Store) noteApplied(ctx context.Context, d *mutation) error {
	x, err := s.beginFor(ctx, !s.lazy(d.steps))
	if err != nil {
		return err
	}
	defer x.Rollback()
	done := s.t.now().UnixNano()
	for _, st := range d.steps {
		done = max(done, st.left.Mtime, st.left.Ctime) // another machine's clock may be ahead
		if st.left == (memfs.Sig{}) {
			continue
		}
		if err := x.touch(head{path: st.path, sha: st.new}, st.left); err != nil {
			return err
		}
	}
	if s.lazy(d.steps) {
		err = x.Exec(`UPDATE intent SET carried=1, done=? WHERE change=?`, done, d.c.id)
	} else {
		err = x.Exec(`DELETE FROM intent WHERE change=?`, d.c.id)
	}
	if err != nil {
		return err
	}
	if err := s.t.step("before-final-commit"); err != nil {
		return err
	}
	return x.Commit()
}

// forget removes changes that never reached the folder, and frees their numbers.
func (s *Store) forget(ctx context.Context, d *mutation) error {
	return s.inTx(ctx, func(x *txn) error {
		return x.forget(d)
	})
}

func (x *txn) forget(d *mutation) error {
	for _, c := range slices.Backward(d.changes()) {
		if err := x.forgetChange(c.id); err != nil {
			return err
		}
	}
	if err := x.Exec(`UPDATE store SET changes=?-1 WHERE id=?`, d.changes()[0].number, x.s.id); err != nil {
		return err
	}
	if err := x.headsBack(d.versions); err != nil {
		return err
	}
	var back []other
	for _, o := range slices.Backward(d.others) {
		back = append(back, o.inverse())
	}
	if err := x.followLinks(back); err != nil {
		return err
	}
	for _, v := range d.versions {
		if err := x.Exec(`DELETE FROM memory WHERE id=?1 AND NOT EXISTS(SELECT 1 FROM version WHERE memory=?1)`, v.memory); err != nil {
			return err
		}
		if err := x.dropUnusedBlob(v.blob); err != nil {
			return err
		}
	}
	return nil
}

// changes returns the changes of the mutation, oldest first.
func (d *mutation) changes() []*changeRow {
	if d.all != nil {
		return d.all
	}
	return []*changeRow{d.c}
}

func (x *txn) forgetChange(id int64) error {
	for _, q := range []string{
		waitAgain + `(SELECT store FROM change WHERE id=?1) AND change=(SELECT number FROM change WHERE id=?1)`,
		`DELETE FROM intent WHERE change=?`,
		`DELETE FROM head WHERE memory IN (SELECT memory FROM version WHERE change=?)`,
		`DELETE FROM shared WHERE (store,change)=(SELECT store,number FROM change WHERE id=?)`,
		`DELETE FROM version WHERE change=?`,
		`UPDATE change SET undone_by=NULL WHERE store=(SELECT store FROM change WHERE id=?1) AND undone_by=(SELECT number FROM change WHERE id=?1)`,
		`DELETE FROM change WHERE id=?`,
	} {
		if err := x.Exec(q, id); err != nil {
			return err
		}
	}
	return nil
}

func (x trailTxn) dropUnusedBlob(id int64) error {
	const unused = ` AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=?1)`
	if err := x.Exec(`DELETE FROM blob_chunk WHERE blob=?1`+unused, id); err != nil {
		return err
	}
	return x.Exec(`DELETE FROM blob WHERE id=?1`+unused, id)
}

// effect counts what the mutation does.
func (d *mutation) effect() (e Effect) {
	for _, v := range d.versions {
		switch {
		case v.op == Created:
			e.Created++
		case v.op == Deleted:
			e.Deleted++
		case v.origin != memfs.Root:
			e.Renamed++
		default:
			e.Edited++
		}
	}
	if len(d.versions) == 1 {
		e.Path, e.From = d.versions[0].path, d.versions[0].origin
	}
	return e
}

// change returns the change for the caller.
func (d *mutation) change() Change {
	return Change{
		Number: d.c.number, Kind: d.asked.kind, Path: d.asked.path, To: d.asked.to, Versions: len(d.versions), Effect: d.effect(),
		Actor: d.by.Actor, Session: d.by.Session, ToolUse: d.by.ToolUse, Turn: d.by.Turn, Door: d.by.Door, Inputs: d.c.inputs,
		Time: fromMicros(d.c.ts), Undoes: d.asked.about,
	}
}
