package versions

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/scrub"
	"github.com/memend/memend/versions/sweep"
)

// startRedaction journals a redaction in a store with all its work.
func (x *txn) startRedaction(by By, r *Receipt, stage int) (err error) {
	actor, session, err := x.who(by)
	if err != nil {
		return err
	}
	r.Time = fromMicros(x.ts)
	r.ID, err = x.Insert(`INSERT INTO redaction(store,actor,session,ts,versions,pending,receipt) VALUES(?,?,?,?,?,?,?)`,
		x.s.id, actor, session, x.ts, r.Versions, stage, r.encode())
	return err
}

// advance records that a redaction has reached a stage.
func (x trailTxn) advance(r *Receipt, stage int) error {
	return x.Exec(`UPDATE redaction SET change=coalesce((SELECT id FROM change WHERE store=redaction.store AND number=?),change), versions=?, pending=?, receipt=? WHERE id=?`,
		r.Change, r.Versions, stage, r.encode(), r.ID)
}

// eraseRows erases the rows of a started redaction from the trail. It is idempotent. It
// skips a version that is current: someone restored it since, and its removal needs a new
// decision.
func (x trailTxn) eraseRows(r *Receipt) error {
	do := r.todo
	var store int64
	if err := x.Row(`SELECT store FROM redaction WHERE id=?`, r.ID).Scan(&store); err != nil {
		return err
	}
	if err := x.eraseBranches(store, do.AllStores); err != nil {
		return err
	}
	if do.Drop { // erase the whole store; its folder follows
		do.Drop = false
		if err := x.dropStore(store); err != nil || do.Remove != "" {
			return errors.Join(err, x.advance(r, stageStarted))
		}
	}
	if err := x.eraseHeld(do.held); err != nil {
		return err
	}
	n := 0
	for _, id := range do.Versions {
		done, err := x.eraseVersion(id, r.ID)
		if err != nil {
			return err
		}
		if done {
			n++
		}
	}
	for _, id := range do.Changes {
		if err := x.erasePaths(id, func(string) bool { return true }); err != nil {
			return err
		}
	}
	if len(do.Versions) > 0 {
		r.Versions = n
	}
	if err := x.Exec(`DELETE FROM evidence`); err != nil { // paths and hashes of any store
		return err
	}
	if err := x.Exec(`UPDATE store SET view=x'', links=NULL WHERE id=?`, store); err != nil {
		return err
	}
	if do.Match != nil {
		n, err := do.target().needle()
		if err != nil {
			return err
		}
		if err := x.eraseTexts(n, store, do.AllStores); err != nil {
			return err
		}
		*r = r.masked(n)
	}
	r.todo, r.Outcome = nil, OutcomePending
	return x.advance(r, stageErased)
}

func (x trailTxn) eraseVersion(id, redaction int64) (done bool, err error) {
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
	if err := x.Exec(`UPDATE version SET path=NULL, origin=NULL, blob=NULL, mode=NULL,
		(redacted,redacted_by)=(SELECT ts,actor FROM redaction WHERE id=?) WHERE id=?`, redaction, id); err != nil {
		return false, err
	}
	if err := x.forgetRejected(blob); err != nil {
		return false, err
	}
	if err := x.dropUnusedBlob(blob); err != nil {
		return false, err
	}
	// The change's row contains the path too. Erase it once all versions of the change are
	// redacted; until then a folder's path is in another version anyway.
	var left bool
	if err := x.Row(`SELECT EXISTS(SELECT 1 FROM version WHERE change=? AND redacted IS NULL)`, change).Scan(&left); err != nil {
		return false, err
	}
	return true, x.erasePaths(change, func(p string) bool {
		return !left || path.Valid && p == path.String || origin.Valid && p == origin.String
	})
}

// erasePaths erases the paths of a change that are chosen.
func (x trailTxn) erasePaths(change int64, chosen func(path string) bool) error {
	var was, now [2]string
	var others string
	if err := x.Row(`SELECT path,dest,coalesce(others,'') FROM change WHERE id=?`, change).Scan(&was[0], &was[1], &others); err != nil {
		return ignoreNoRows(err)
	}
	erase := others != "" && slices.ContainsFunc(strings.Split(others, otherSeparator), chosen)
	for i, p := range was {
		if !chosen(p) {
			now[i] = p
		}
	}
	if now == was && !erase {
		return nil
	}
	return x.Exec(`UPDATE change SET path=?, dest=?, others=CASE WHEN ? THEN '' ELSE others END WHERE id=?`, now[0], now[1], erase, change)
}

// flushLocked is flush for a caller that holds the lock. The intents of applied changes
// contain paths and hashes and must be deleted before a redaction ends.
func (s *Store) flushLocked(ctx context.Context) error {
	return s.inTx(ctx, func(x *txn) error {
		return x.flushFirst()
	})
}

// finishErasing does the remaining work of redactions as far as possible now. The
// caller holds the lock. If there is none, it costs one query.
func finishErasing(ctx context.Context, s *Store) error {
	var any, ours bool
	if err := s.reader(ctx).Row(`SELECT count(*)>0, coalesce(max(store=? AND pending=?),0) FROM redaction WHERE pending>0`, s.id, stageStarted).Scan(&any, &ours); err != nil || !any {
		return err
	}
	if ours { // the store's intents block it
		if err := s.flushLocked(ctx); err != nil {
			return err
		}
	}
	return s.t.finishRedactions(ctx)
}

// finishRedactions does the work of redactions that needs no store.
func (t *Trail) finishRedactions(ctx context.Context) error {
	if err := t.eraseStarted(ctx); err != nil {
		return err
	}
	if err := t.stage(ctx, stageErased, stageCleared, "clear", func() (bool, error) {
		return true, errors.Join(t.forgetAllSending(), t.removeBranches(ctx), t.db.RemoveCopies(), t.db.ClearSlack(ctx))
	}); err != nil {
		return err
	}
	return t.stage(ctx, stageCleared, stageDone, "truncate", func() (bool, error) { return t.db.EmptyLog(ctx) })
}

// stage runs do and moves all redactions of stage from to stage to, if there are any.
func (t *Trail) stage(ctx context.Context, from, to int, name string, do func() (bool, error)) error {
	var any bool
	if err := t.db.W.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM redaction WHERE pending=?)`, from).Scan(&any); err != nil || !any {
		return db.Error(err)
	}
	if err := t.step("before-" + name); err != nil {
		return err
	}
	if done, err := do(); err != nil || !done {
		return err
	}
	if err := t.step("after-" + name); err != nil {
		return err
	}
	return t.updateLocked(ctx, `UPDATE redaction SET pending=iif(?1=?3 AND `+hasUpstream+` AND EXISTS(SELECT 1 FROM store WHERE id=redaction.store),?4,?1) WHERE pending=?2`,
		to, from, stageDone, stageUpstream)
}

// resumeErasing finishes redactions at open that a crashed process or a long reader
// left unfinished. If a full or read-only disk prevents that, the trail stays readable;
// each mutation tries again, and fails if it can't.
func resumeErasing(ctx context.Context, t *Trail) {
	var stage sql.NullInt64
	if err := t.db.Row(ctx, `SELECT max(pending) FROM redaction`).Scan(&stage); err != nil || stage.Int64 <= stageDone || t.db.ReadOnly() != nil {
		return
	}
	ctx = context.WithoutCancel(ctx)
	if stage.Int64 >= stageStarted {
		t.resumeStores(ctx)
	}
	unlock, err := t.db.Acquire(ctx)
	if err != nil {
		return
	}
	defer unlock()
	_ = t.finishRedactions(ctx)
}

// resumeStores does the part of unfinished redactions that needs their stores: memories
// and the folder. If a store's folder is gone, its redaction stays unfinished.
func (t *Trail) resumeStores(ctx context.Context) {
	rows, err := t.redactions(ctx, `pending>=?`, stageStarted)
	if err != nil {
		return
	}
	for _, r := range rows {
		s, err := t.OpenStore(ctx, r.Store) // OpenStore finishes the store's changes
		if err != nil {
			continue
		}
		_ = s.clearHeads(ctx, r.ID)
		_ = s.Close()
	}
}

// redactions reads redactions from the trail.
func (t *Trail) redactions(ctx context.Context, which string, args ...any) (out []Receipt, err error) {
	var r recorded
	rows := db.On(ctx, t.db.W).Rows(receiptsWhere+which+` ORDER BY r.id`, args...)
	for range rows.Each(r.columns()...) {
		out = append(out, r.Receipt)
	}
	return out, rows.Err()
}

// eraseStarted erases what started redactions target, first from the files beside the
// trail, while the trail still holds what to search for, and then from the trail. A
// redaction waits while its store has open intents; the next opener of the store finishes
// those first. The caller holds the lock.
func (t *Trail) eraseStarted(ctx context.Context) error {
	// If a redaction's change was reverted, its work must be done again.
	if err := t.updateLocked(ctx, `UPDATE redaction SET pending=?, change=NULL WHERE pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`,
		stagePlanned, stageStarted); err != nil {
		return err
	}
	for {
		ready, err := t.redactions(ctx, `r.pending=? AND (json_extract(r.receipt,'$.todo.drop') OR NOT EXISTS(SELECT 1 FROM intent WHERE store=r.store))`, stageStarted)
		if err != nil || len(ready) == 0 {
			return err
		}
		for i := range ready {
			if ready[i].todo == nil { // from an older memend, with only the stages left
				ready[i].todo = &todo{}
			}
			if err := t.removeFolder(&ready[i]); err != nil {
				return err
			}
		}
		if err := t.sweepFor(ctx, ready); err != nil {
			return err
		}
		if err := t.inTx(ctx, func(x trailTxn) error {
			for i := range ready {
				if err := x.eraseRows(&ready[i]); err != nil {
					return err
				}
			}
			return t.step("before-erase-commit")
		}); err != nil {
			return err
		}
		t.notify()
		if err := t.step("after-erase-commit"); err != nil {
			return err
		}
	}
}

// sweepFor erases what redactions target from the files beside the trail, with one sweep
// for all redactions that search for the same.
func (t *Trail) sweepFor(ctx context.Context, ready []Receipt) error {
	for i := range ready {
		done := slices.ContainsFunc(ready[:i], func(r Receipt) bool { return sameSweep(r.todo, ready[i].todo) })
		if done {
			continue
		}
		var alike []Receipt
		for _, r := range ready[i:] {
			if sameSweep(r.todo, ready[i].todo) {
				alike = append(alike, r)
			}
		}
		s, err := t.sweepOf(ctx, alike)
		if err != nil {
			return err
		}
		if err := s.Run(ctx); err != nil {
			return err
		}
		held, err := t.heldWith(ctx, &s.Scanner)
		if err != nil {
			return err
		}
		r := &ready[i]
		r.todo.held = held
		r.Drafts, r.Copies, r.Masked, r.Unknown = r.Drafts+s.Drafts, r.Copies+s.Copies, r.Masked+s.Masked, append(r.Unknown, s.Unknown...)
	}
	return nil
}

func sameSweep(a, b *todo) bool {
	return bytes.Equal(a.Match, b.Match) && (a.Match == nil) == (b.Match == nil) && a.IgnoreCase == b.IgnoreCase && a.Regexp == b.Regexp && a.Memory == b.Memory
}

// sweepOf returns the sweep for redactions that search for the same.
func (t *Trail) sweepOf(ctx context.Context, alike []Receipt) (*sweep.Sweep, error) {
	p := RedactPlan{Target: alike[0].todo.target()}
	var err error
	if p.needle, err = p.Target.needle(); err != nil {
		return nil, err
	}
	var ids, blobs []int64
	var stores, dropped []StoreID
	for _, r := range alike {
		ids, stores = append(ids, r.todo.Versions...), append(stores, r.Store)
		if r.todo.Drop {
			dropped = append(dropped, r.Store)
			own, err := t.ownContents(ctx, r.Store)
			if err != nil {
				return nil, err
			}
			blobs = append(blobs, own...)
		}
	}
	err = t.view(ctx, func(q reader) error {
		if p.Erase, err = plannedVersions(q, `v.id IN (SELECT value FROM json_each(?))`, asJSON(ids)); err != nil {
			return err
		}
		gone, err := db.Values[int64](q.Rows(`SELECT DISTINCT blob FROM version v WHERE id IN (SELECT value FROM json_each(?1)) AND blob IS NOT NULL
			AND NOT EXISTS(SELECT 1 FROM version o WHERE o.blob=v.blob AND o.id NOT IN (SELECT value FROM json_each(?1)))`, asJSON(ids)))
		blobs = append(blobs, gone...)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p.needle != nil {
		s := t.newSweep(p.needle.Pieces(), p)
		folders, err := t.foldersOf(ctx, stores, p.Target.AllStores)
		for _, f := range folders {
			if f.Skip == nil { // the folders of named files belong to somebody else
				s.Folders = append(s.Folders, f.Name)
			}
		}
		return s, err
	}
	look, err := t.windowsOf(ctx, blobs, nil)
	if err != nil {
		return nil, err
	}
	s := t.newSweep(look, p)
	left, err := t.Stores(ctx)
	for _, info := range left {
		if !slices.Contains(dropped, info.ID) {
			s.Stores = append(s.Stores, info.ID)
		}
	}
	return s, err
}

// newSweep returns a sweep of the home for what a plan erases.
func (t *Trail) newSweep(look *scrub.Pieces, p RedactPlan) *sweep.Sweep {
	s := &sweep.Sweep{Home: t.home, Conversations: t.Conversations(), Scanner: scrub.Scanner{Pieces: look, Needle: p.needle}, Memory: p.Target.Memory, Step: func(name string) error { return t.step(name) }}
	for _, v := range p.Erase {
		s.Erased = append(s.Erased, v.SHA256)
	}
	return s
}

// placesBeside lists what a sweep found in the files beside the trail.
func placesBeside(s *sweep.Sweep) (out []TextPlace) {
	for _, p := range []TextPlace{
		{What: "unsaved text", Count: s.Drafts, file: true},
		{What: "text in a conversation with an agent", Count: s.Masked, file: true},
		{What: "copy for an editor", Count: s.Copies, file: true},
	} {
		if p.Count > 0 {
			out = append(out, p)
		}
	}
	return out
}
