package versions

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
)

// What a redaction does to the memories that hold the text as they stand.

// clearHeads takes what is to be erased out of the store's current memories, as a
// change like any other. With the same commit the redaction counts as started. Of a
// redaction that is further it does nothing.
func (s *Store) clearHeads(ctx context.Context, id int64) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	ctx = context.WithoutCancel(ctx)
	for try := 1; ; try++ {
		rows, err := s.t.redactions(ctx, `r.id=? AND r.pending=?`, id, stagePlanned)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := s.dir.Sweep(); err != nil { // what writes of the dead left may hold it
			return err
		}
		_, err = s.attempt(ctx, By{Actor: rows[0].By, Session: rows[0].Session}, func(d *mutation) error { return d.clearHeads(id) })
		if errors.Is(err, errForeign) && try < maxTries {
			continue
		}
		if err != nil {
			return errors.Join(err, s.backToPlan(ctx, id))
		}
		s.forgetCounts()
		s.t.notify()
		return s.flushLocked(ctx)
	}
}

// backToPlan notes that a change which was reverted has done nothing.
func (s *Store) backToPlan(ctx context.Context, id int64) error {
	_, err := s.t.w.ExecContext(ctx, `UPDATE redaction SET pending=?, change=NULL WHERE id=? AND pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`,
		stagePlanned, id, stageStarted)
	return db.Error(err)
}

// clearHeads is the same for a draft.
func (d *mutation) clearHeads(id int64) error {
	var stage int
	var text string
	if err := d.x.Row(`SELECT pending,receipt FROM redaction WHERE id=?`, id).Scan(&stage, &text); err != nil || stage != stagePlanned {
		return unlessNone(err)
	}
	r, err := decodeReceipt(text)
	if err != nil {
		return fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
	}
	r.ID = id
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

// takeOutPlanned takes the text out of the memories that a plan names, or refuses the
// plan when it no longer holds.
func (d *mutation) takeOutPlanned(p RedactPlan, c RedactChoice) error {
	if err := errors.Join(p.stale(d.x), p.stillLive(d.x)); err != nil {
		return err
	}
	r := Receipt{todo: &todo{Heads: c.Heads, Text: c.Text}}
	for _, v := range p.Erase {
		r.todo.Versions = append(r.todo.Versions, v.row)
	}
	return d.takeOutAll(p, &r)
}

// takeOutAll takes what is to be erased out of all memories that hold it now. Versions
// that came since the plan was made are erased too, if it names them.
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

// current are the versions, of some, that memories hold now.
func (x *txn) current(ids []int64) (out []PlannedVersion, err error) {
	for row, err := range x.Each(`SELECT v.id,coalesce(v.blob,0),h.path FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.id IN (SELECT value FROM json_each(?)) ORDER BY v.id`, x.s.id, asJSON(ids)) {
		if err != nil {
			return nil, err
		}
		var v PlannedVersion
		var path string
		if err := row.Scan(&v.row, &v.blob, &path); err != nil {
			return nil, err
		}
		if v.Path, err = pathOf(path); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// eraseToo adds what the draft itself tells of a path that is to go.
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
	if h.version != v.row { // another program wrote it just now: it is adopted, and looked at again
		return errForeign
	}
	switch do.Heads {
	case HeadDelete:
		return d.remove(v.Path)
	case HeadMask:
		b, err := blobContent(d.x, v.blob)
		if err != nil {
			return err
		}
		return d.put(v.Path, p.needle.Replace(b, do.Text), 0, 0)
	}
	return d.put(v.Path, do.Text, 0, 0)
}
