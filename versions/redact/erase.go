package redact

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
	"github.com/memend/memend/versions/scrub"
	"github.com/memend/memend/versions/sweep"
)

// eraseRows erases the rows of a started redaction from the trail. It is idempotent. It
// skips a version that is current: someone restored it since, and its removal needs a new
// decision.
func eraseRows(x core.TrailTxn, e Entry) error {
	do := e.Todo
	var store int64
	if err := x.Row(`SELECT store FROM redaction WHERE id=?`, e.ID).Scan(&store); err != nil {
		return err
	}
	eraseBranches(x, store, do.AllStores)
	if do.Drop { // erase the whole store; its folder follows
		do.Drop = false
		if err := dropStore(x, store); err != nil {
			return err
		}
		if do.Remove != "" {
			Advance(x, e, tables.StageStarted)
			return x.Err()
		}
	}
	if err := eraseHeld(x, e.held); err != nil {
		return err
	}
	n := 0
	for _, id := range do.Versions {
		done, err := eraseVersion(x, id, e.ID)
		if err != nil {
			return err
		}
		if done {
			n++
		}
	}
	for _, id := range do.Changes {
		if err := erasePaths(x, id, func(string) bool { return true }); err != nil {
			return err
		}
	}
	if len(do.Versions) > 0 {
		e.Versions = n
	}
	x.Exec(`DELETE FROM evidence`) // paths and hashes of any store
	x.Exec(`UPDATE store SET view=x'', links=NULL WHERE id=?`, store)
	x.Exec(`UPDATE look SET kept=NULL, kept_path=NULL, kept_at=NULL WHERE store=?1 OR ?2`, store, do.AllStores)
	if do.Match != nil {
		n, err := needle(do.target())
		if err != nil {
			return err
		}
		if err := errors.Join(eraseOrigins(x, n, store, do.AllStores), eraseTexts(x, n, store, do.AllStores)); err != nil {
			return err
		}
		e.Receipt = masked(e.Receipt, n)
	}
	e.Todo, e.Outcome = nil, versions.OutcomePending
	Advance(x, e, tables.StageErased)
	return x.Err()
}

func eraseVersion(x core.TrailTxn, id, redaction int64) (done bool, err error) {
	var change, blob int64
	var path, origin sql.NullString
	err = x.Row(`SELECT change,coalesce(blob,0),path,origin FROM version v WHERE id=? AND redacted IS NULL AND NOT EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`, id).
		Scan(&change, &blob, &path, &origin)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	x.Exec(`UPDATE version SET path=NULL, origin=NULL, blob=NULL, mode=NULL,
		(redacted,redacted_by)=(SELECT ts,actor FROM redaction WHERE id=?) WHERE id=?`, redaction, id)
	if err := forgetRejected(x, blob); err != nil {
		return false, err
	}
	x.DropUnusedBlob(blob)
	// The change's row contains the path too. Erase it once all versions of the change are
	// redacted; until then a folder's path is in another version anyway.
	var left bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM version WHERE change=? AND redacted IS NULL)`, change).Scan(&left); err != nil {
		return false, err
	}
	return true, erasePaths(x, change, func(p string) bool {
		return !left || path.Valid && p == path.String || origin.Valid && p == origin.String
	})
}

// eraseOrigins erases the former paths with the text of versions that stay: renamed memories that are current.
func eraseOrigins(x core.TrailTxn, n *scrub.Needle, store int64, all bool) error {
	rows, err := rowsWith(n, x, `SELECT id,origin,NULL FROM version WHERE origin IS NOT NULL AND memory IN (SELECT id FROM memory WHERE store=?1 OR ?2)`, store, all)
	if err == nil {
		x.Exec(`UPDATE version SET origin=NULL WHERE id IN (SELECT value FROM json_each(?))`, tables.AsJSON(rows))
	}
	return err
}

// erasePaths erases the paths of a change that are chosen.
func erasePaths(x core.TrailTxn, change int64, chosen func(path string) bool) error {
	var was, now [2]string
	var others string
	if err := x.Row(`SELECT path,dest,coalesce(others,'') FROM change WHERE id=?`, change).Scan(&was[0], &was[1], &others); err != nil {
		return tables.IgnoreNoRows(err)
	}
	erase := others != "" && slices.ContainsFunc(strings.Split(others, tables.OtherSeparator), chosen)
	for i, p := range was {
		if !chosen(p) {
			now[i] = p
		}
	}
	if now == was && !erase {
		return nil
	}
	x.Exec(`UPDATE change SET path=?, dest=?, others=CASE WHEN ? THEN '' ELSE others END WHERE id=?`, now[0], now[1], erase, change)
	return x.Err()
}

// flushLocked is flush for a caller that holds the lock. The intents of applied changes
// contain paths and hashes and must be deleted before a redaction ends.
func flushLocked(ctx context.Context, s *core.Store) error {
	return core.InTx(ctx, s, func(x *core.Txn) error {
		return x.FlushFirst()
	})
}

// FinishErasing does the remaining work of redactions as far as possible now. The
// caller holds the lock. If there is none, it costs one query.
func FinishErasing(ctx context.Context, s *core.Store) error {
	var any, ours bool
	if err := core.LockedReader(ctx, s).Row(`SELECT count(*)>0, coalesce(max(store=? AND pending=?),0) FROM redaction WHERE pending>0`, s.Row, tables.StageStarted).Scan(&any, &ours); err != nil || !any {
		return err
	}
	if ours { // the store's intents block it
		if err := flushLocked(ctx, s); err != nil {
			return err
		}
	}
	return finishRedactions(ctx, s.Trail)
}

// finishRedactions does the work of redactions that needs no store.
func finishRedactions(ctx context.Context, t *core.Trail) error {
	if err := EraseStarted(ctx, t); err != nil {
		return err
	}
	if err := stage(ctx, t, tables.StageErased, tables.StageCleared, "clear", func() (bool, error) {
		return true, errors.Join(forgetAllSending(t), removeBranches(ctx, t), t.DB.RemoveCopies(), t.DB.ClearSlack(ctx))
	}); err != nil {
		return err
	}
	return stage(ctx, t, tables.StageCleared, tables.StageDone, "truncate", func() (bool, error) { return t.DB.EmptyLog(ctx) })
}

// stage runs do and moves all redactions of stage from to stage to, if there are any.
func stage(ctx context.Context, t *core.Trail, from, to int, name string, do func() (bool, error)) error {
	var any bool
	if err := t.DB.W.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM redaction WHERE pending=?)`, from).Scan(&any); err != nil || !any {
		return db.Error(err)
	}
	if err := core.AtStep(t, "before-"+name); err != nil {
		return err
	}
	if done, err := do(); err != nil || !done {
		return err
	}
	if err := core.AtStep(t, "after-"+name); err != nil {
		return err
	}
	return core.UpdateLocked(ctx, t, `UPDATE redaction SET pending=iif(?1=?3 AND `+HasUpstream+` AND EXISTS(SELECT 1 FROM store WHERE id=redaction.store),?4,?1) WHERE pending=?2`,
		to, from, tables.StageDone, tables.StageUpstream)
}

// ResumeErasing finishes redactions at open that a crashed process or a long reader
// left unfinished. If a full or read-only disk prevents that, the trail stays readable;
// each mutation tries again, and fails if it can't.
func ResumeErasing(ctx context.Context, t *core.Trail) {
	var stage sql.NullInt64
	if err := t.DB.Row(ctx, `SELECT max(pending) FROM redaction`).Scan(&stage); err != nil || stage.Int64 <= tables.StageDone || t.DB.ReadOnly() != nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if stage.Int64 >= tables.StageStarted {
		resumeStores(ctx, t)
	}
	unlock, err := t.DB.Acquire(ctx)
	if err != nil {
		return
	}
	defer unlock()
	_ = finishRedactions(ctx, t)
}

// resumeStores does the part of unfinished redactions that needs their stores: memories
// and the folder. If a store's folder is gone, its redaction stays unfinished.
func resumeStores(ctx context.Context, t *core.Trail) {
	rows, err := Entries(ctx, t, `pending>=?`, tables.StageStarted)
	if err != nil {
		return
	}
	for _, e := range rows {
		s, err := t.OpenStore(ctx, e.Store) // OpenStore finishes the store's changes
		if err != nil {
			continue
		}
		_ = clearCurrent(ctx, s, e.ID)
		_ = s.Close()
	}
}

// EraseStarted erases what started redactions target, first from the files beside the
// trail, while the trail still holds what to search for, and then from the trail. A
// redaction waits while its store has open intents; the next opener of the store finishes
// those first. The caller holds the lock.
func EraseStarted(ctx context.Context, t *core.Trail) error {
	// If a redaction's change was reverted, its work must be done again.
	if err := core.UpdateLocked(ctx, t, `UPDATE redaction SET pending=?, change=NULL WHERE pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`,
		tables.StagePlanned, tables.StageStarted); err != nil {
		return err
	}
	for {
		ready, err := Entries(ctx, t, `r.pending=? AND (json_extract(r.receipt,'$.todo.drop') OR NOT EXISTS(SELECT 1 FROM intent WHERE store=r.store))`, tables.StageStarted)
		if err != nil || len(ready) == 0 {
			return err
		}
		for i := range ready {
			if ready[i].Todo == nil { // from an older memend, with only the stages left
				ready[i].Todo = &Todo{}
			}
			if err := removeFolder(t, &ready[i]); err != nil {
				return err
			}
		}
		if err := sweepFor(ctx, t, ready); err != nil {
			return err
		}
		if err := core.InTrailTx(ctx, t, func(x core.TrailTxn) error {
			for _, e := range ready {
				if err := eraseRows(x, e); err != nil {
					return err
				}
			}
			return core.AtStep(t, "before-erase-commit")
		}); err != nil {
			return err
		}
		core.Notify(t)
		if err := core.AtStep(t, "after-erase-commit"); err != nil {
			return err
		}
	}
}

// sweepFor erases what redactions target from the files beside the trail, with one sweep
// for all redactions that search for the same.
func sweepFor(ctx context.Context, t *core.Trail, ready []Entry) error {
	for i := range ready {
		done := slices.ContainsFunc(ready[:i], func(e Entry) bool { return sameSweep(e.Todo, ready[i].Todo) })
		if done {
			continue
		}
		var alike []Entry
		for _, e := range ready[i:] {
			if sameSweep(e.Todo, ready[i].Todo) {
				alike = append(alike, e)
			}
		}
		s, err := sweepOf(ctx, t, alike)
		if err != nil {
			return err
		}
		if err := s.Run(ctx); err != nil {
			return err
		}
		e := &ready[i]
		if e.held, err = heldWith(ctx, t, &s.Scanner); err != nil {
			return err
		}
		e.Drafts, e.Copies, e.Masked, e.Unknown = e.Drafts+s.Drafts, e.Copies+s.Copies, e.Masked+s.Masked, append(e.Unknown, s.Unknown...)
	}
	return nil
}

func sameSweep(a, b *Todo) bool {
	return bytes.Equal(a.Match, b.Match) && (a.Match == nil) == (b.Match == nil) && a.IgnoreCase == b.IgnoreCase && a.Regexp == b.Regexp && a.Memory == b.Memory
}

// sweepOf returns the sweep for redactions that search for the same.
func sweepOf(ctx context.Context, t *core.Trail, alike []Entry) (*sweep.Sweep, error) {
	p := Plan{Target: alike[0].Todo.target()}
	var err error
	if p.needle, err = needle(p.Target); err != nil {
		return nil, err
	}
	var ids, blobs []int64
	var stores, dropped []versions.StoreID
	for _, e := range alike {
		ids, stores = append(ids, e.Todo.Versions...), append(stores, e.Store)
		if e.Todo.Drop {
			dropped = append(dropped, e.Store)
			own, err := OwnContents(ctx, t, e.Store)
			if err != nil {
				return nil, err
			}
			blobs = append(blobs, own...)
		}
	}
	err = core.View(ctx, t, func(q tables.Reader) error {
		if p.Erase, err = PlannedVersions(q, `v.id IN (SELECT value FROM json_each(?))`, tables.AsJSON(ids)); err != nil {
			return err
		}
		gone, err := db.Values[int64](q.Rows(`SELECT DISTINCT blob FROM version v WHERE id IN (SELECT value FROM json_each(?1)) AND blob IS NOT NULL
			AND NOT EXISTS(SELECT 1 FROM version o WHERE o.blob=v.blob AND o.id NOT IN (SELECT value FROM json_each(?1)))`, tables.AsJSON(ids)))
		blobs = append(blobs, gone...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.needle != nil {
		s := newSweep(t, p.needle.Pieces(), p)
		s.Folders, err = ownFolders(ctx, t, stores, p.Target.AllStores)
		return s, err
	}
	look, err := WindowsOf(ctx, t, blobs, nil)
	if err != nil {
		return nil, err
	}
	s := newSweep(t, look, p)
	left, err := t.Stores(ctx)
	for _, info := range left {
		if !slices.Contains(dropped, info.ID) {
			s.Stores = append(s.Stores, info.ID)
		}
	}
	return s, err
}

// newSweep returns a sweep of the home for what a plan erases.
func newSweep(t *core.Trail, look *scrub.Pieces, p Plan) *sweep.Sweep {
	s := &sweep.Sweep{Home: t.Folder, Conversations: t.Conversations(), Scanner: scrub.Scanner{Pieces: look, Needle: p.needle}, Memory: p.Target.Memory, Step: func(name string) error { return core.AtStep(t, name) }}
	for _, v := range p.Erase {
		s.Erased = append(s.Erased, v.SHA256)
	}
	return s
}

// placesBeside lists what a sweep found in the files beside the trail.
func placesBeside(s *sweep.Sweep) (out []versions.TextPlace) {
	for _, p := range []versions.TextPlace{
		{What: "unsaved text", Count: s.Drafts},
		{What: "text in a conversation with an agent", Count: s.Masked},
		{What: "copy for an editor", Count: s.Copies},
	} {
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	return out
}
