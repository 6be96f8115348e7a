package core

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// Mutator is a caller's function that plans one mutation through calls on d. It runs in the
// critical section, and runs again if another program wrote in between.
type Mutator func(d *Mutation) error

// MaxTries bounds how often a mutation is planned again because another program keeps
// writing the same memory.
const MaxTries = 5

// ErrForeign reports that another program wrote a file between our check and our write.
var ErrForeign = foreignError{}

type foreignError struct{}

func (foreignError) Error() string      { return "another program wrote it meanwhile" }
func (foreignError) Class() memfs.Class { return memfs.Blocked }

// Mutate changes the folder and the trail. It is the only function that does. The package
// documentation lists its steps.
func Mutate(ctx context.Context, s *Store, by versions.By, want Mutator) (versions.Change, error) {
	if err := MayChange(s.Trail); err != nil {
		return versions.Change{}, err
	}
	if err := TakeReports(ctx, s, by); err != nil {
		return versions.Change{}, err
	}
	var c versions.Change
	var err error
	if Hosted(s) {
		c, err = s.Replica.Mutate(ctx, by, want)
	} else {
		c, err = MutateLocked(ctx, s, by, want)
	}
	if s.crowded() {
		_ = FlushNow(ctx, s) // the next batch retries what fails
	}
	return c, err
}

// MutateLocked is Mutate of a store that no service has.
func MutateLocked(ctx context.Context, s *Store, by versions.By, want Mutator) (c versions.Change, err error) {
	err = Exclusively(ctx, s, func(ctx context.Context) error {
		c, err = Attempt(ctx, s, by, want)
		return err
	})
	return c, err
}

// Attempt is mutate for a caller that holds the lock and tries again.
func Attempt(ctx context.Context, s *Store, by versions.By, want Mutator) (c versions.Change, err error) {
	err = Act(ctx, s, want.By(by), func(ctx context.Context, d *Mutation) (err error) {
		if d.Change != nil { // else it is already in the requested state
			err = d.write()
		}
		if err == nil {
			err = CommitAndApply(ctx, d)
		}
		if err == nil && d.Change != nil {
			c = d.change()
		}
		return err
	})
	return c, err
}

// Rehearse plans a mutation and decides about it as mutate does, and changes nothing.
func Rehearse(ctx context.Context, s *Store, by versions.By, want Mutator) error {
	if err := MayChange(s.Trail); err != nil {
		return err
	}
	return Exclusively(ctx, s, func(ctx context.Context) error {
		err := Act(ctx, s, want.By(by), Discard)
		var h *HeldBack
		if errors.As(err, &h) {
			return &versions.HeldError{Path: h.Asked.Path, Rule: h.Rule, Conflicts: h.conflicts}
		}
		return err
	})
}

// Exclusively runs an attempt at a change while it holds the lock of the home, and runs it again if
// another program wrote in between. A change that must wait for a person is held.
func Exclusively(ctx context.Context, s *Store, attempt func(context.Context) error) error {
	unlock, err := Enter(ctx, s)
	if err != nil {
		return err
	}
	defer unlock()
	// From here on a cancellation must not interrupt the protocol. Waiting for the lock is the
	// only long wait.
	ctx = context.WithoutCancel(ctx)
	for try := 1; ; try++ {
		if err := hold(ctx, s, attempt(ctx)); !errors.Is(err, ErrForeign) || try == MaxTries {
			return err
		}
	}
}

// Act is the one path of mutations, rehearsals, proposals and what a service sent: plan makes a change in a transaction, and
// finish commits or discards it. If the plan fails, what it found of other programs' writes is recorded all the same. The
// caller holds the lock.
func Act(ctx context.Context, s *Store, plan func(*Txn) (*Mutation, error), finish func(context.Context, *Mutation) error) error {
	x, err := Begin(ctx, s)
	if err != nil {
		return err
	}
	defer x.Rollback()
	d, planErr := plan(x)
	if planErr == nil && d.Change != nil && x.adoptedSince(d.changes()[0].Number) {
		planErr = ErrForeign
	}
	if planErr == nil {
		planErr = x.Err()
	}
	if planErr == nil {
		return finish(ctx, d)
	}
	if err := adoptFirst(ctx, s, x); err != nil {
		return errors.Join(planErr, err)
	}
	return planErr
}

// Discard ends an act that is only rehearsed.
func Discard(ctx context.Context, d *Mutation) error { return adoptFirst(ctx, d.Txn.Store, d.Txn) }

// By returns the plan of a mutation that somebody wants, and that is decided about.
func (want Mutator) By(by versions.By) func(*Txn) (*Mutation, error) {
	return func(x *Txn) (*Mutation, error) { return x.plan(by, want) }
}

// plan plans a mutation in the transaction.
func (x *Txn) plan(by versions.By, want Mutator) (*Mutation, error) {
	d := &Mutation{Txn: x, By: by}
	if err := x.MayWrite(by); err != nil {
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
	return d, d.Arrives.wait(err)
}

// CommitAndApply commits a mutation with its journaled steps, applies the steps to the folder and
// acknowledges it. One without a change commits what it found.
func CommitAndApply(ctx context.Context, d *Mutation) error {
	s := d.Txn.Store
	defer Notify(s.Trail)
	if d.Change == nil {
		return d.Txn.Commit()
	}
	if !s.lazy(d.Steps) {
		if err := d.Txn.FlushFirst(); err != nil {
			return err
		}
	}
	if err := AtStep(s.Trail, "before-intent-commit"); err != nil {
		return err
	}
	if err := d.Txn.Commit(); err != nil {
		return s.uncommitted(ctx, d, err)
	}
	return ApplySteps(ctx, s, d, s.forget)
}

// uncommitted ends a transaction whose commit failed. It returns the error.
func (s *Store) uncommitted(ctx context.Context, d *Mutation, err error) error {
	d.Txn.Rollback()
	var is int
	if none := LockedReader(ctx, s).Row(`SELECT 1 FROM change WHERE id=?`, d.Change.ID).Scan(&is); !errors.Is(none, sql.ErrNoRows) {
		err = fmt.Errorf("%w; %w", err, versions.ErrUnfinished) // it exists, or its state can't be determined now
	}
	return err
}

// adoptedSince reports whether the transaction adopted something after a change got its
// number.
func (x *Txn) adoptedSince(number int64) bool {
	return slices.ContainsFunc(x.adopted, func(c *ChangeRow) bool { return c.Number > number })
}

// adoptFirst drops a failed transaction and adopts in a new one what it found of other
// programs' writes. The failed one may hold a half-written draft or adoption, whose number
// no row has. Also, a numbered draft can't be removed without a gap once the adoption is
// numbered after it.
func adoptFirst(ctx context.Context, s *Store, half *Txn) error {
	half.Rollback()
	if len(half.adopted)+len(half.Foreign) == 0 {
		return nil
	}
	defer Notify(s.Trail)
	return InTx(ctx, s, func(x *Txn) error {
		for _, p := range half.seen {
			if _, err := x.Adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
				return err
			}
		}
		return nil
	})
}

// ApplySteps applies a committed mutation to the folder and acknowledges it. If that fails, it
// reverts the steps, newest first, and calls forget to remove the changes from the trail.
func ApplySteps(ctx context.Context, s *Store, d *Mutation, forget func(context.Context, *Mutation) error) error {
	done := 0
	err := AtStep(s.Trail, "after-intent-commit")
	if err == nil {
		err = s.run(ctx, d.Steps, &done)
	}
	if err == nil && !s.lazy(d.Steps) {
		err = s.syncSteps(d.Steps)
	}
	if err == nil {
		return s.acknowledge(ctx, d)
	}
	var back error
	for i := done - 1; i >= 0 && back == nil; i-- {
		back = s.revertStep(ctx, d.Steps[i])
	}
	if back == nil {
		back = forget(ctx, d)
	}
	if back == nil {
		return err
	}
	for _, e := range []*error{&err, &back} { // no retry over an open intent: its steps would be done twice
		if errors.Is(*e, ErrForeign) {
			*e = errors.New((*e).Error())
		}
	}
	return fmt.Errorf("%w; %w (%w)", err, versions.ErrUnfinished, back)
}

// run applies steps in order and counts in done those that touched the folder.
func (s *Store) run(ctx context.Context, steps []Step, done *int) error {
	for i := range steps {
		touched, err := s.applyStep(ctx, &steps[i])
		if touched {
			*done = i + 1
		}
		if errors.Is(err, ErrForeign) {
			err = fmt.Errorf("%s: %w", steps[i].Path.Tool(), err)
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
func (s *Store) acknowledge(ctx context.Context, d *Mutation) error {
	err := s.noteApplied(ctx, d)
	if err != nil && !s.lazy(d.Steps) {
		return fmt.Errorf("%w; %w", err, versions.ErrUnfinished)
	}
	// If this record can't be written, the change is as after a crash: it is in the trail and
	// in the folder, and the next critical section completes the record.
	if s.lazy(d.Steps) {
		FlushSoon(s)
	}
	_ = AtStep(s.Trail, "after-final-commit") // tests kill here; the change can't fail any more
	return nil
}

func (s *Store) noteApplied(ctx context.Context, d *Mutation) error {
	x, err := s.beginFor(ctx, !s.lazy(d.Steps))
	if err != nil {
		return err
	}
	defer x.Rollback()
	done := s.Trail.Now().UnixNano()
	for _, st := range d.Steps {
		done = max(done, st.left.Mtime, st.left.Ctime) // another machine's clock may be ahead
		if st.left == (memfs.Sig{}) {
			continue
		}
		x.touch(tables.Head{Path: st.Path, SHA: st.New}, st.left)
	}
	if s.lazy(d.Steps) {
		x.Exec(`UPDATE intent SET carried=1, done=? WHERE change=?`, done, d.Change.ID)
	} else {
		x.Exec(`DELETE FROM intent WHERE change=?`, d.Change.ID)
	}
	if err := AtStep(s.Trail, "before-final-commit"); err != nil {
		return err
	}
	return x.Commit()
}

// forget removes changes that never reached the folder, and frees their numbers.
func (s *Store) forget(ctx context.Context, d *Mutation) error {
	return InTx(ctx, s, func(x *Txn) error {
		return x.forget(d)
	})
}

func (x *Txn) forget(d *Mutation) error {
	for _, c := range slices.Backward(d.changes()) {
		x.forgetChange(c.ID)
	}
	x.Exec(`UPDATE store SET changes=?-1 WHERE id=?`, d.changes()[0].Number, x.Store.Row)
	if err := x.headsBack(d.Versions); err != nil {
		return err
	}
	var back []tables.Other
	for _, o := range slices.Backward(d.others) {
		back = append(back, o.Inverse())
	}
	if err := x.followLinks(back); err != nil {
		return err
	}
	for _, v := range d.Versions {
		x.Exec(`DELETE FROM memory WHERE id=?1 AND NOT EXISTS(SELECT 1 FROM version WHERE memory=?1)`, v.Memory)
		x.DropUnusedBlob(v.Blob)
	}
	return nil
}

// changes returns the changes of the mutation, oldest first.
func (d *Mutation) changes() []*ChangeRow {
	if d.All != nil {
		return d.All
	}
	return []*ChangeRow{d.Change}
}

func (x *Txn) forgetChange(id int64) {
	for _, q := range []string{
		waitAgain + `(SELECT store FROM change WHERE id=?1) AND change=(SELECT number FROM change WHERE id=?1)`,
		`DELETE FROM intent WHERE change=?`,
		`DELETE FROM head WHERE memory IN (SELECT memory FROM version WHERE change=?)`,
		`DELETE FROM shared WHERE (store,change)=(SELECT store,number FROM change WHERE id=?)`,
		`DELETE FROM version WHERE change=?`,
		`UPDATE change SET undone_by=NULL WHERE store=(SELECT store FROM change WHERE id=?1) AND undone_by=(SELECT number FROM change WHERE id=?1)`,
		`DELETE FROM change WHERE id=?`,
	} {
		x.Exec(q, id)
	}
}

// DropUnusedBlob deletes a content that no version has.
func (x TrailTxn) DropUnusedBlob(id int64) {
	const unused = ` AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=?1)`
	x.Exec(`DELETE FROM blob_chunk WHERE blob=?1`+unused, id)
	x.Exec(`DELETE FROM blob WHERE id=?1`+unused, id)
}

// effect counts what the mutation does.
func (d *Mutation) effect() (e versions.Effect) {
	for _, v := range d.Versions {
		switch {
		case v.Op == versions.Created:
			e.Created++
		case v.Op == versions.Deleted:
			e.Deleted++
		case v.Origin != memfs.Root:
			e.Renamed++
		default:
			e.Edited++
		}
	}
	if len(d.Versions) == 1 {
		e.Path, e.From = d.Versions[0].Path, d.Versions[0].Origin
	}
	return e
}

// change returns the change for the caller.
func (d *Mutation) change() versions.Change {
	return versions.Change{
		Number: d.Change.Number, Kind: d.Asked.Kind, Path: d.Asked.Path, To: d.Asked.To, Versions: len(d.Versions), Effect: d.effect(),
		Actor: d.By.Actor, Session: d.By.Session, ToolUse: d.By.ToolUse, Turn: d.By.Turn, Door: d.By.Door, Inputs: d.Change.inputs,
		Time: tables.FromMicros(d.Change.TS), Undoes: d.Asked.About,
	}
}
