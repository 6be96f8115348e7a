package versions

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"

	"github.com/memtrail/memtrail/memfs"
)

// recover finishes the changes of this store that a dead process left between
// their two commits. The caller holds the lock. It runs at the head of every
// critical section and not only at open: the lock of a killed holder passes to a
// living process, which would take the half-done write for another program's.
//
// A commit can be in limbo: a process killed between the frame and the shared
// index of SQLite's log leaves a transaction that the living don't see and that
// returns when the last of them is gone. So nothing here relies on an intent
// being there, and each step can be done again.
func (s *Store) recover(ctx context.Context) error {
	var any int
	err := s.t.w.QueryRowContext(ctx, `SELECT 1 FROM intent LIMIT 1`).Scan(&any)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return diskError(err)
	}
	open, err := s.openChanges(ctx)
	if err != nil {
		return err
	}
	for _, d := range open {
		if err := s.finishOpen(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// finishOpen does a dead process's steps, as far as the folder is still what
// they expect. Where another program wrote since, theirs stands, on top of ours
// in the history: nothing is lost.
func (s *Store) finishOpen(ctx context.Context, d *draft) error {
	if err := s.dir.Sweep(); err != nil {
		return err
	}
	folders := map[memfs.Path]bool{}
	for i := range d.steps {
		st := &d.steps[i]
		if _, err := s.carry(st); err != nil && !passedOver(err) {
			return err
		}
		folders[st.path.Dir()] = true
		folders[st.to.Dir()] = true
	}
	for p := range folders {
		if err := s.dir.SyncDir(p); err != nil && !errors.Is(err, memfs.ErrNotExist) && !errors.Is(err, memfs.ErrNotFolder) {
			return err
		}
	}
	if err := s.closeChange(ctx, d.c, d.versions); err != nil {
		return err
	}
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	for _, v := range d.versions {
		for _, p := range []memfs.Path{v.path, v.origin} {
			if p.IsRoot() {
				continue
			}
			if _, err := x.adopt(p, s.t.maxBytes); err != nil && !passedOver(err) && !errors.Is(err, memfs.ErrTooBig) {
				return err
			}
		}
	}
	return x.commit()
}

// passedOver are the failures of a step that will not go away by trying again:
// it must not stand in the way of every later mutation. A full or broken disk is
// not among them.
func passedOver(err error) bool {
	for _, e := range []error{errForeign, memfs.ErrNoPermission, memfs.ErrReadOnlyDisk, memfs.ErrExist, memfs.ErrNotExist,
		memfs.ErrIsFolder, memfs.ErrNotFolder, memfs.ErrNotRegular, memfs.ErrLinkOut, memfs.ErrNotEmpty, memfs.ErrNameTooLong} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// openChanges reads the changes that have intents, oldest first.
func (s *Store) openChanges(ctx context.Context) ([]*draft, error) {
	x, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer x.rollback()
	rows, err := x.rows(`SELECT i.change, i.op, i.path, i.dest, i.old, i.new, i.mode, c.number, c.actor, c.path, c.kind, c.ts
		FROM intent i JOIN change c ON c.id=i.change WHERE c.store=? ORDER BY i.change, i.n`, s.id)
	if err != nil {
		return nil, diskError(err)
	}
	defer func() { _ = rows.Close() }()
	var open []*draft
	for rows.Next() {
		var id, number, actor, ts int64
		var op, mode int
		var from, to, cpath, kind string
		var old, new []byte
		if err := rows.Scan(&id, &op, &from, &to, &old, &new, &mode, &number, &actor, &cpath, &kind, &ts); err != nil {
			return nil, err
		}
		if len(open) == 0 || open[len(open)-1].c.id != id {
			p, err := pathOf(cpath)
			if err != nil {
				return nil, err
			}
			open = append(open, &draft{c: &changeRow{id: id, number: number, actor: actor, path: p, kind: ChangeKind(kind), ts: ts}})
		}
		d := open[len(open)-1]
		st := step{op: memfs.OpKind(op), mode: fs.FileMode(mode)}
		copy(st.old[:], old)
		copy(st.new[:], new)
		if st.path, err = pathOf(from); err != nil {
			return nil, err
		}
		if st.to, err = pathOf(to); err != nil {
			return nil, err
		}
		d.steps = append(d.steps, st)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, d := range open {
		if err := x.loadDraft(d); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// loadDraft reads the versions of an open change, and the contents its steps put.
func (x *txn) loadDraft(d *draft) error {
	rows, err := x.rows(`SELECT v.id, v.memory, v.number, v.op, v.path, coalesce(v.origin,''), coalesce(v.blob,0) FROM version v WHERE v.change=? ORDER BY v.id`, d.c.id)
	if err != nil {
		return diskError(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var v versionRow
		var op, path, origin string
		if err := rows.Scan(&v.id, &v.memory, &v.number, &op, &path, &origin, &v.blob); err != nil {
			return err
		}
		v.op = Operation(op)
		if v.path, err = pathOf(path); err != nil {
			return err
		}
		if v.origin, err = pathOf(origin); err != nil {
			return err
		}
		d.versions = append(d.versions, v)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	d.c.versions = len(d.versions)
	for i := range d.versions {
		v := &d.versions[i]
		if v.op == Deleted {
			continue
		}
		b, err := blobContent(x, v.blob)
		if err != nil {
			return err
		}
		v.facts = factsOf(b, sum(b))
		for j := range d.steps {
			if st := &d.steps[j]; st.op == memfs.OpPut && st.new == v.facts.sha {
				st.content = b
			}
		}
	}
	return nil
}
