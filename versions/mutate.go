package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memtrail/memtrail/memfs"
)

// plan is what a caller wants of one mutation. It runs inside the critical
// section, may run again when another program wrote in the middle, and says by
// calls on the draft what is to become of the folder.
type plan func(d *draft) error

// maxTries bounds how often a mutation is planned anew because another program
// keeps writing the same memory.
const maxTries = 5

// errForeign: another program wrote between the look at a file and our write.
var errForeign = errors.New("another program wrote it meanwhile")

// mutate is the one way in which the folder and the trail change. The order of
// steps is in the package's documentation.
func (s *Store) mutate(ctx context.Context, by By, want plan) (Change, error) {
	// Past this point a cancelled context must not tear the protocol in the middle;
	// waiting for the lock is the only long wait.
	unlock, err := s.enter(ctx)
	if err != nil {
		return Change{}, err
	}
	defer unlock()
	ctx = context.WithoutCancel(ctx)
	for try := 1; ; try++ {
		c, err := s.attempt(ctx, by, want)
		if !errors.Is(err, errForeign) || try == maxTries {
			if err == nil && c.Number > 0 {
				s.t.announce()
			}
			return c, err
		}
	}
}

func (s *Store) attempt(ctx context.Context, by By, want plan) (Change, error) {
	x, err := s.begin(ctx)
	if err != nil {
		return Change{}, err
	}
	defer x.rollback()
	d := &draft{x: x, by: by}
	planned := want(d)
	if d.c != nil && (planned != nil || x.adopted != nil && x.adopted.number > d.c.number) {
		if err := s.adoptFirst(ctx, x); err != nil {
			return Change{}, errors.Join(planned, err)
		}
		if planned == nil {
			planned = errForeign
		}
		return Change{}, planned
	}
	if planned != nil {
		// What was seen of other programs on the way stays seen; a failure of the
		// trail itself would only repeat itself here.
		if err := x.commit(); err != nil {
			return Change{}, errors.Join(planned, err)
		}
		return Change{}, planned
	}
	if d.c == nil { // everything is as asked already
		return Change{}, x.commit()
	}
	if err := d.write(); err != nil {
		return Change{}, err
	}
	if err := s.t.step("before-intent-commit"); err != nil {
		return Change{}, err
	}
	if err := x.commit(); err != nil {
		return Change{}, err
	}
	if err := s.carryOut(ctx, d); err != nil {
		return Change{}, err
	}
	return d.change(), nil
}

// adoptFirst drops a transaction that holds a part of a draft, and keeps what it
// saw of other programs in one of its own. A draft that failed in the middle must
// not be committed; and one that has its number already could not be forgotten
// any more without a gap, were the adoption numbered after it.
func (s *Store) adoptFirst(ctx context.Context, half *txn) error {
	half.rollback()
	if half.adopted == nil {
		return nil
	}
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	for _, p := range half.seen {
		if _, err := x.adopt(p, maxKeepBytes); err != nil && !passedOver(err) &&
			!errors.Is(err, memfs.ErrTooBig) && !errors.Is(err, memfs.ErrUnstable) {
			return err
		}
	}
	return x.commit()
}

// carryOut takes a committed draft to the folder and closes it.
func (s *Store) carryOut(ctx context.Context, d *draft) error {
	if err := s.t.step("after-intent-commit"); err != nil {
		return err
	}
	done := 0
	err := s.run(d.steps, &done)
	if err != nil {
		if back := s.takeBack(ctx, d, done); back != nil {
			if errors.Is(err, errForeign) { // planning anew on top of an open intent would do it twice
				err = errors.New(err.Error())
			}
			return fmt.Errorf("%w; it is half done and will be finished when the store can be written again: %w", err, back)
		}
		return err
	}
	return s.closeChange(ctx, d.c, d.versions)
}

// run carries out steps in order and makes their folders durable. done counts
// those that touched the folder.
func (s *Store) run(steps []step, done *int) error {
	folders := map[memfs.Path]bool{}
	for i := range steps {
		touched, err := s.carry(&steps[i])
		if touched {
			*done = i + 1
		}
		if err != nil {
			return err
		}
		folders[steps[i].path.Dir()] = true
		if steps[i].op == memfs.OpRename {
			folders[steps[i].to.Dir()] = true
		}
	}
	for p := range folders {
		if err := s.dir.SyncDir(p); err != nil && !errors.Is(err, memfs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// takeBack undoes the steps that touched the folder, newest first, and then the
// change itself, as if it had never been asked for.
func (s *Store) takeBack(ctx context.Context, d *draft, done int) error {
	for i := done - 1; i >= 0; i-- {
		if err := s.carryBack(ctx, d.steps[i]); err != nil {
			return err
		}
	}
	return s.forget(ctx, d)
}

// forget removes a change that never reached the folder, and gives its number back.
func (s *Store) forget(ctx context.Context, d *draft) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	for _, q := range []string{
		`DELETE FROM intent WHERE change=?`,
		`DELETE FROM version WHERE change=?`,
		`UPDATE change SET undone_by=NULL WHERE store=(SELECT store FROM change WHERE id=?1) AND undone_by=(SELECT number FROM change WHERE id=?1)`,
		`UPDATE store SET changes=changes-1 WHERE id=(SELECT store FROM change WHERE id=?)`,
		`DELETE FROM change WHERE id=?`,
	} {
		if err := x.exec(q, d.c.id); err != nil {
			return err
		}
	}
	for _, v := range d.versions {
		if err := x.exec(`DELETE FROM memory WHERE id=?1 AND NOT EXISTS(SELECT 1 FROM version WHERE memory=?1)`, v.memory); err != nil {
			return err
		}
		if err := x.dropUnusedBlob(v.blob); err != nil {
			return err
		}
	}
	return x.commit()
}

func (x *txn) dropUnusedBlob(id int64) error {
	const unused = ` AND NOT EXISTS(SELECT 1 FROM version WHERE version.blob=?1)`
	if err := x.exec(`DELETE FROM blob_chunk WHERE blob=?1`+unused, id); err != nil {
		return err
	}
	return x.exec(`DELETE FROM blob WHERE id=?1`+unused, id)
}

// closeChange is the second commit: the heads become the change's versions, the
// intent goes, the change is acknowledged.
func (s *Store) closeChange(ctx context.Context, c *changeRow, vs []versionRow) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	if err := x.applyHeads(c, vs); err != nil {
		return err
	}
	if err := x.exec(`DELETE FROM intent WHERE change=?`, c.id); err != nil {
		return err
	}
	if err := s.t.step("before-final-commit"); err != nil {
		return err
	}
	if err := x.commit(); err != nil {
		return err
	}
	return s.t.step("after-final-commit")
}

func (x *txn) applyHeads(c *changeRow, vs []versionRow) error {
	for _, v := range vs { // first all out, then in: memories may have swapped places
		if err := x.dropHead(v.memory); err != nil {
			return err
		}
	}
	for _, v := range vs {
		if v.op == Deleted {
			continue
		}
		// Another program may have written since, and long ago when this finishes what
		// a dead process began: a signature is only believed with its content.
		b, g, err := x.s.dir.Read(v.path, maxKeepBytes)
		if err != nil || sum(b) != v.facts.sha {
			g = memfs.Sig{} // never fresh: it is read at the next look
		}
		if err := x.insertHead(v, g, c); err != nil {
			return err
		}
	}
	return nil
}

// change is what the caller is told.
func (d *draft) change() Change {
	return Change{
		Number: d.c.number, Kind: d.asked.kind, Path: d.asked.path, To: d.asked.to, Versions: len(d.versions),
		Actor: d.by.Actor, Session: d.by.Session, ToolUse: d.by.ToolUse, Turn: d.by.Turn,
		Time: fromMicros(d.c.ts), Undoes: d.asked.about,
	}
}
