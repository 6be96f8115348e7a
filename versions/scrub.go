package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// startRedaction journals a redaction with all that it has to do.
func (x *txn) startRedaction(by By, r *Receipt) (err error) {
	actor, session, err := x.who(by)
	if err != nil {
		return err
	}
	r.Time = fromMicros(x.ts)
	var change sql.NullInt64
	if r.Change != 0 {
		if err := x.row(`SELECT id FROM change WHERE store=? AND number=?`, x.s.id, r.Change).Scan(&change); err != nil {
			return diskError(err)
		}
	}
	r.ID, err = x.insert(`INSERT INTO redaction(store,change,actor,session,ts,versions,pending,receipt) VALUES(?,?,?,?,?,?,?,?)`,
		x.s.id, change, actor, session, x.ts, r.Versions, stageStarted, r.encode())
	return err
}

// eraseRows does what a started redaction has to do in the trail. Doing it again
// changes nothing. A version that a memory holds as it stands is passed over: it
// was put back since, by somebody who must be asked again.
func (x *txn) eraseRows(r *Receipt) error {
	n := 0
	for _, id := range r.todo.Versions {
		done, err := x.eraseVersion(id, r.ID)
		if err != nil {
			return err
		}
		if done {
			n++
		}
	}
	for _, id := range r.todo.Changes {
		if err := x.exec(`UPDATE change SET path='', dest='' WHERE id=?`, id); err != nil {
			return err
		}
	}
	if len(r.todo.Versions) > 0 {
		r.Versions = n
	}
	if err := x.exec(`DELETE FROM evidence`); err != nil { // paths and hashes, of whatever store
		return err
	}
	if err := x.exec(`UPDATE store SET view=x'' WHERE id=(SELECT store FROM redaction WHERE id=?)`, r.ID); err != nil {
		return err
	}
	r.todo, r.Outcome = todo{}, OutcomePending
	return x.exec(`UPDATE redaction SET versions=?, pending=?, receipt=? WHERE id=?`, r.Versions, stageErased, r.encode(), r.ID)
}

func (x *txn) eraseVersion(id, redaction int64) (done bool, err error) {
	var change, blob int64
	var path, origin sql.NullString
	err = x.row(`SELECT change,coalesce(blob,0),path,origin FROM version v WHERE id=? AND redacted IS NULL AND NOT EXISTS(SELECT 1 FROM head WHERE memory=v.memory AND version=v.id)`, id).
		Scan(&change, &blob, &path, &origin)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, diskError(err)
	}
	if err := x.exec(`UPDATE version SET path=NULL, origin=NULL, blob=NULL, mode=NULL,
		(redacted,redacted_by)=(SELECT ts,actor FROM redaction WHERE id=?) WHERE id=?`, redaction, id); err != nil {
		return false, err
	}
	if err := x.dropUnusedBlob(blob); err != nil {
		return false, err
	}
	// The change's row tells the path too: of one memory's change always, of a
	// folder's as long as a version that is left tells it anyway.
	if err := x.exec(`UPDATE change SET path='', dest='' WHERE id=?1 AND NOT EXISTS(SELECT 1 FROM version WHERE change=?1 AND redacted IS NULL)`, change); err != nil {
		return false, err
	}
	for _, told := range []sql.NullString{path, origin} {
		if !told.Valid {
			continue
		}
		if err := x.exec(`UPDATE change SET path=CASE path WHEN ?2 THEN '' ELSE path END, dest=CASE dest WHEN ?2 THEN '' ELSE dest END WHERE id=?1`, change, told.String); err != nil {
			return false, err
		}
	}
	return true, nil
}

// settleHeld is settle for one who holds the lock: the intents of changes that are
// carried out tell paths and hashes, and must be gone before a redaction ends.
func (s *Store) settleHeld(ctx context.Context) error {
	x, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	if err := x.settleFirst(); err != nil {
		return err
	}
	return x.commit()
}

// finishRedactions does what redactions have left to do, as far as it can be done
// now. The caller holds the lock. It costs one look when there is nothing.
func (s *Store) finishRedactions(ctx context.Context) error {
	var any, ours bool
	if err := s.reader(ctx).row(`SELECT count(*)>0, coalesce(max(store=? AND pending=?),0) FROM redaction WHERE pending>0`, s.id, stageStarted).Scan(&any, &ours); err != nil || !any {
		return diskError(err)
	}
	if ours { // the store's intents are in its way
		if err := s.settleHeld(ctx); err != nil {
			return err
		}
	}
	return s.t.finishRedactions(ctx)
}

// finishRedactions is the same for a trail, when it is no store's turn.
func (t *Trail) finishRedactions(ctx context.Context) error {
	if err := t.stage(ctx, stageStarted, stageErased, "resume", func() (bool, error) { return false, t.eraseStarted(ctx) }); err != nil {
		return err
	}
	if err := t.stage(ctx, stageErased, stageCleared, "clear", func() (bool, error) { return true, t.clearSlack(ctx) }); err != nil {
		return err
	}
	return t.stage(ctx, stageCleared, stageDone, "truncate", func() (bool, error) { return t.emptyLog(ctx) })
}

// stage does what brings all redactions of one stage to the next, if there are any.
func (t *Trail) stage(ctx context.Context, from, to int, name string, do func() (bool, error)) error {
	var any bool
	if err := t.w.QueryRowContext(ctx, `SELECT EXISTS(SELECT 1 FROM redaction WHERE pending=?)`, from).Scan(&any); err != nil || !any {
		return diskError(err)
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
	_, err := t.w.ExecContext(ctx, `UPDATE redaction SET pending=? WHERE pending=?`, to, from)
	return diskError(err)
}

// wakeRedactions finishes at open what a dead process, or one that somebody's
// reading kept waiting, left of its redactions. What can't be done now, on a disk
// that is full or read-only, must not keep anybody from reading: each mutation
// tries again, and fails when it can't.
func (t *Trail) wakeRedactions(ctx context.Context) {
	var any bool
	if err := t.get(ctx, `SELECT EXISTS(SELECT 1 FROM redaction WHERE pending>0)`, nil, &any); err != nil || !any {
		return
	}
	unlock, err := t.acquire(ctx)
	if err != nil {
		return
	}
	defer unlock()
	_ = t.finishRedactions(context.WithoutCancel(ctx))
}

// eraseStarted does the erasing of those whose process died before it. While the
// store has open intents they wait: its next opener finishes those first.
func (t *Trail) eraseStarted(ctx context.Context) error {
	x, err := (&Store{t: t}).begin(ctx)
	if err != nil {
		return err
	}
	defer x.rollback()
	// A change that was taken back takes its redaction along.
	if err := x.exec(`DELETE FROM redaction WHERE pending=? AND change IS NOT NULL AND NOT EXISTS(SELECT 1 FROM change WHERE id=redaction.change)`, stageStarted); err != nil {
		return err
	}
	ids, err := idsOf(x, `SELECT id FROM redaction WHERE pending=? AND NOT EXISTS(SELECT 1 FROM intent WHERE store=redaction.store)`, stageStarted)
	if err != nil {
		return err
	}
	for _, id := range ids {
		var text string
		if err := x.row(`SELECT receipt FROM redaction WHERE id=?`, id).Scan(&text); err != nil {
			return diskError(err)
		}
		r, err := decodeReceipt(text)
		if err != nil {
			return fmt.Errorf("%w: receipt %d: %v", ErrDamaged, id, err)
		}
		r.ID = id
		t.removeFolder(&r)
		if err := x.eraseRows(&r); err != nil {
			return err
		}
	}
	return x.commit()
}

// busyWait is how long one try to empty the log waits for a reader: those of
// memtrail read for milliseconds.
const busyWait = 100 * time.Millisecond

// emptyLog brings all of the log into the database and cuts it to nothing. Only
// then are erased bytes gone from both: false means that somebody reads.
func (t *Trail) emptyLog(ctx context.Context) (bool, error) {
	conn, err := t.w.Conn(ctx)
	if err != nil {
		return false, diskError(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.ExecContext(ctx, fmt.Sprintf(`PRAGMA busy_timeout=%d`, busyWait.Milliseconds())); err != nil {
		return false, diskError(err)
	}
	defer func() { _, _ = conn.ExecContext(ctx, `PRAGMA busy_timeout=10000`) }()
	var busy, log, moved int
	if err := conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &log, &moved); err != nil {
		return false, diskError(err)
	}
	if busy != 0 {
		return false, nil
	}
	// Believe the file, not the answer. Stat opens nothing.
	fi, err := os.Stat(filepath.Join(t.home, trailFile+"-wal"))
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return err == nil && fi.Size() == 0, err
}
