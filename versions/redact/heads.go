package redact

import (
	"context"
	"errors"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// This file removes the text from current memories.

// clearCurrent removes what must be erased from the store's current memories, by a normal
// change. The same commit marks the redaction as started. If the redaction is past that
// stage, clearHeads does nothing.
func clearCurrent(ctx context.Context, s *core.Store, id int64) error {
	return core.Exclusively(ctx, s, func(ctx context.Context) error {
		rows, err := Entries(ctx, s.Trail, `r.id=? AND r.pending=?`, id, tables.StagePlanned)
		if err != nil || len(rows) == 0 {
			return err
		}
		if err := s.Dir.Sweep(); err != nil { // temporary files of crashed writes may hold it
			return err
		}
		if _, err = core.Attempt(ctx, s, versions.By{Actor: rows[0].By, Session: rows[0].Session}, func(d *core.Mutation) error { return clearHeads(d, id) }); err != nil {
			return errors.Join(err, backToPlan(ctx, s, id))
		}
		ForgetCounts(s)
		return flushLocked(ctx, s)
	})
}

// backToPlan marks a redaction as not started because its change was reverted.
func backToPlan(ctx context.Context, s *core.Store, id int64) error {
	return core.UpdateLocked(ctx, s.Trail, `UPDATE redaction SET pending=?, change=NULL WHERE id=? AND pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`,
		tables.StagePlanned, id, tables.StageStarted)
}

// clearHeads adds the changes of current memories to the draft.
func clearHeads(d *core.Mutation, id int64) error {
	e, err := ByID(d.Txn.TrailTxn, id)
	if err != nil || e.Stage != tables.StagePlanned {
		return tables.IgnoreNoRows(err)
	}
	p := Plan{Target: e.Todo.target(), Newest: e.Todo.Newest}
	if p.needle, err = needle(p.Target); err != nil {
		return err
	}
	planned := len(e.Todo.Versions)
	if e.Todo.Heads != versions.HeadRefuse {
		if err := takeOutAll(d, p, &e); err != nil {
			return err
		}
	}
	if d.Change != nil {
		e.Change = d.Change.Number
		eraseToo(d, p, &e)
	}
	if e.Todo.Upstream {
		e.Upstream = append(e.Upstream, e.Todo.Versions[planned:]...)
	}
	Advance(d.Txn.TrailTxn, e, tables.StageStarted)
	return d.Txn.Err()
}

// TakeOutPlanned removes the text from the memories that a plan names, or rejects the plan
// if it is out of date.
func TakeOutPlanned(d *core.Mutation, p Plan, c versions.RedactChoice) error {
	if err := errors.Join(p.stale(d.Txn), p.stillCurrent(d.Txn)); err != nil {
		return err
	}
	e := Entry{Todo: &Todo{Heads: c.Heads, Text: c.Text}}
	for _, v := range p.Erase {
		e.Todo.Versions = append(e.Todo.Versions, v.Row)
	}
	return takeOutAll(d, p, &e)
}

// takeOutAll removes what must be erased from all memories that hold it now. Versions
// added since the plan are erased too, if they match its target.
func takeOutAll(d *core.Mutation, p Plan, e *Entry) error {
	newer, err := p.newer(d.Txn, d.Txn.Store.Row)
	if err != nil {
		return err
	}
	for _, id := range newer {
		if !slices.Contains(e.Todo.Versions, id) {
			e.Todo.Versions = append(e.Todo.Versions, id)
			e.Versions++
		}
	}
	live, err := current(d.Txn, e.Todo.Versions)
	if err != nil {
		return err
	}
	var paths []memfs.Path
	for _, v := range live {
		paths = append(paths, v.Path)
	}
	d.Decided = true // by core.MayAdministerStore
	d.Asked = core.Request{Kind: versions.KindEdit, Path: versions.Common(paths)}
	if e.Todo.Heads == versions.HeadDelete {
		d.Asked.Kind = versions.KindDelete
	}
	for _, v := range live {
		if err := takeOut(d, v, p, e.Todo); err != nil {
			return err
		}
	}
	return nil
}

// current returns those of some versions that are current.
func current(x *core.Txn, ids []int64) (out []versions.PlannedVersion, err error) {
	var v versions.PlannedVersion
	return db.All(x.Rows(`SELECT v.id,coalesce(v.blob,0),h.path FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND v.id IN (SELECT value FROM json_each(?)) ORDER BY v.id`, x.Store.Row, tables.AsJSON(ids)),
		&v, &v.Row, &v.Blob, tables.PathTo(&v.Path))
}

// eraseToo adds the draft's own change and versions if they contain a path that is erased.
func eraseToo(d *core.Mutation, p Plan, e *Entry) {
	for _, v := range d.Versions {
		if v.Op == versions.Deleted && (p.Target.Memory != "" || p.tellsPath(v.Path)) {
			e.Todo.Versions = append(e.Todo.Versions, v.ID)
			e.Deletions++
		}
	}
	if p.tellsPath(d.Asked.Path) {
		e.Todo.Changes = append(e.Todo.Changes, d.Change.ID)
	}
}

// takeOut gives one current memory its new text, or deletes it.
func takeOut(d *core.Mutation, v versions.PlannedVersion, p Plan, do *Todo) error {
	h, err := d.Current(v.Path)
	if err != nil {
		return err
	}
	if h.Version != v.Row { // another program just wrote it: adopt it and check again
		return core.ErrForeign
	}
	switch do.Heads {
	case versions.HeadDelete:
		return d.Remove(v.Path)
	case versions.HeadMask:
		b, err := blobs.Get(d.Txn, v.Blob)
		if err != nil {
			return err
		}
		return d.Put(v.Path, p.needle.Replace(b, do.Text), 0, 0)
	}
	return d.Put(v.Path, do.Text, 0, 0)
}
