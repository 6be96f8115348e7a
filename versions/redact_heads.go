package versions

import (
	"context"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
)

// This file removes the text from current memories.

// clearHeads removes what must be erased from the store's current memories, by a normal
// change. The same commit marks the redaction as started. If the redaction is past that
// stage, clearHeads does nothing.
func (s *Store) clearHeads(ctx context.Context, id int64) error {
	return s.exclusively(ctx, func(ctx context.Context) error {
		rows, err := s.t.redactions(ctx, `r.id=? AND r.pending=?`, id, stagePlanned)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := s.dir.Sweep(); err != nil { // temporary files of crashed writes may hold it
			return err
		}
		if _, err = s.attempt(ctx, By{Actor: rows[0].By, Session: rows[0].Session}, func(d *mutation) error { return d.clearHeads(id) }); err != nil {
			return errors.Join(err, s.backToPlan(ctx, id))
		}
		s.forgetCounts()
		return s.flushLocked(ctx)
	})
}

// backToPlan marks a redaction as not started because its change was reverted.
func (s *Store) backToPlan(ctx context.Context, id int64) error {
	return s.t.updateLocked(ctx, `UPDATE redaction SET pending=?, change=NULL WHERE id=? AND pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`,
		stagePlanned, id, stageStarted)
}

// clearHeads adds the changes of current memories to the draft.
func (d *mutation) clearHeads(id int64) error {
	r, stage, err := d.x.redaction(id)
	if err != nil || stage != stagePlanned {
		return ignoreNoRows(err)
	}
	p := RedactPlan{Target: r.todo.target(), newest: r.todo.Newest}
	if p.needle, err = p.Target.needle(); err != nil {
		return err
	}
	planned := len(r.todo.Versions)
	if r.todo.Heads != HeadRefuse {
		if err := d.takeOutAll(p, &r); err != nil {
			return err
		}
	}
	if d.c != nil {
		r.Change = d.c.number
		d.eraseToo(p, &r)
	}
	if r.todo.There {
		r.there = append(r.there, r.todo.Versions[planned:]...)
	}
	return d.x.advance(&r, stageStarted)
}

// takeOutPlanned removes the text from the memories that a plan names, or rejects the plan
// if it is out of date.
func (d *mutation) takeOutPlanned(p RedactPlan, c RedactChoice) error {
	if err := errors.Join(p.stale(d.x), p.stillCurrent(d.x)); err != nil {
		return err
	}
	r := Receipt{todo: &todo{Heads: c.Heads, Text: c.Text}}
	for _, v := range p.Erase {
		r.todo.Versions = append(r.todo.Versions, v.row)
	}
	return d.takeOutAll(p, &r)
}

// takeOutAll removes what must be erased from all memories that hold it now. Versions
// added since the plan are erased too, if they match its target.
func (d *mutation) takeOutAll(p RedactPlan, r *Receipt) error {
	newer, err := p.newer(d.x, d.x.s.id)
	if err != nil {
		return err
	}
	for _, id := range newer {
		if !slices.Contains(r.todo.Versions, id) {
			r.todo.Versions = append(r.todo.Versions, id)
			r.Versions++
		}
	}
	live, err := d.x.current(r.todo.Versions)
	if err != nil {
		return err
	}
	var paths []memfs.Path
	for _, v := range live {
		paths = append(paths, v.Path)
	}
	d.decided = true // by mayAdminister
	d.asked = request{kind: KindEdit, path: common(paths)}
	if r.todo.Heads == HeadDelete {
		d.asked.kind = KindDelete
	}
	for _, v := range live {
		if err := d.takeOut(v, p, r.todo); err != nil {
			return err
		}
	}
	return nil
}

// current returns those of some versions that are current.
func (x *txn) current(ids []int64) (out []PlannedVersion, err error) {
	var v PlannedVersion
	return db.All(x.Rows(`SELECT v.id,coalesce(v.blob,0),h.path FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.id IN (SELECT value FROM json_each(?)) ORDER BY v.id`, x.s.id, asJSON(ids)),
		&v, &v.row, &v.blob, pathTo(&v.Path))
}

// eraseToo adds the draft's own change and versions if they contain a path that is erased.
func (d *mutation) eraseToo(p RedactPlan, r *Receipt) {
	for _, v := range d.versions {
		if v.op == Deleted && (p.Target.Memory != "" || p.tellsPath(v.path)) {
			r.todo.Versions = append(r.todo.Versions, v.id)
			r.Deletions++
		}
	}
	if p.tellsPath(d.asked.path) {
		r.todo.Changes = append(r.todo.Changes, d.c.id)
	}
}

// takeOut gives one current memory its new text, or deletes it.
func (d *mutation) takeOut(v PlannedVersion, p RedactPlan, do *todo) error {
	h, err := d.current(v.Path)
	if err != nil {
		return err
	}
	if h.version != v.row { // another program just wrote it: adopt it and check again
		return errForeign
	}
	switch do.Heads {
	case HeadDelete:
		return d.remove(v.Path)
	case HeadMask:
		b, err := blobs.Get(d.x, v.blob)
		if err != nil {
			return err
		}
		return d.put(v.Path, p.needle.Replace(b, do.Text), 0, 0)
	}
	return d.put(v.Path, do.Text, 0, 0)
}
