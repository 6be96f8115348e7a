package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
)

// These are the names of a trail's files.
const (
	trailFile    = "trail.db"
	repairedFile = "trail.repaired" // complete, and ready to replace trail.db
	rebuiltFile  = "trail.rebuilt"  // incomplete
)

// database makes sure that the whole database can be read.
func (r *Repaired) database(ctx context.Context, home string) error {
	if _, err := os.Stat(home); err != nil {
		return bare(err)
	}
	lock, err := disk.OpenLock(filepath.Join(home, "trail.lock"))
	if err != nil {
		return bare(err)
	}
	defer func() { _ = lock.Close() }()
	unlock, err := lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := finishRepair(home); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(home, trailFile)); errors.Is(err, os.ErrNotExist) {
		r.Lost = true
		return makeTrail(ctx, home)
	}
	have, err := sound(ctx, home)
	if errors.Is(err, ErrTrailFormat) {
		return err
	}
	if err == nil && have == 0 { // it has no tables
		r.Lost = true
		return makeTrail(ctx, home)
	}
	if err == nil {
		return nil
	}
	if err := r.rebuild(ctx, home); err != nil {
		return err
	}
	if r.Aside, err = putAside(home); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(home, rebuiltFile), filepath.Join(home, repairedFile)); err != nil {
		return bare(err)
	}
	return finishRepair(home)
}

// sound returns the format of the database, or an error when the database is damaged.
func sound(ctx context.Context, home string) (int, error) {
	handle := openDB(home, "", 1)
	have, err := format(ctx, handle)
	if err == nil && have > 0 {
		err = integrity(ctx, handle)
	}
	size := trailPageSize
	if err == nil {
		err = handle.QueryRowContext(ctx, `PRAGMA page_size`).Scan(&size)
	}
	if err = errors.Join(err, handle.Close()); err != nil {
		return 0, err
	}
	// SQLite reads the missing part of a truncated last page as zeros, if it reads the page at all.
	info, err := os.Stat(filepath.Join(home, trailFile))
	if err == nil && info.Size()%int64(size) != 0 {
		err = fmt.Errorf("%w: its file ends within a page", ErrDamaged)
	}
	return have, err
}

// integrity returns an error when a database of the right format is damaged.
func integrity(ctx context.Context, q querier) error {
	var said string
	if err := q.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&said); err != nil {
		return db.Error(err)
	}
	if said != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, said)
	}
	what, err := strangeValues(ctx, q)
	if err == nil && len(what) > 0 {
		return fmt.Errorf("%w: %s", ErrDamaged, what[0])
	}
	if err != nil {
		return err
	}
	for _, lost := range []string{
		`SELECT 'table '||"table"||' refers to a row of '||parent||' that is lost' FROM pragma_foreign_key_check LIMIT 1`,
		`SELECT 'a change lacks versions' FROM change c WHERE versions<>(SELECT count(*) FROM version WHERE change=c.id) LIMIT 1`,
		`SELECT 'a memory has no version' FROM memory m WHERE NOT EXISTS(SELECT 1 FROM version WHERE memory=m.id) LIMIT 1`,
		`SELECT 'a version has no path' FROM version WHERE path IS NULL AND redacted IS NULL LIMIT 1`,
		`SELECT 'a redacted version still tells something' FROM version WHERE redacted IS NOT NULL AND (path IS NOT NULL OR origin IS NOT NULL OR blob IS NOT NULL) LIMIT 1`,
		`SELECT 'a version has no content' FROM version WHERE redacted IS NULL AND (blob IS NULL)<>(op='deleted') LIMIT 1`,
	} {
		err := q.QueryRowContext(ctx, lost).Scan(&said)
		if err == nil {
			return fmt.Errorf("%w: %s", ErrDamaged, said)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return db.Error(err)
		}
	}
	return nil
}

// rebuild copies everything that can be read to a new database and marks there what is lost.
func (r *Repaired) rebuild(ctx context.Context, home string) error {
	old, err := openSalvage(ctx, home)
	if err != nil {
		return err
	}
	defer old.pages.close()
	to := filepath.Join(home, rebuiltFile)
	if err := removeIfThere(to); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would choose the mode
	if err != nil {
		return bare(err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	handle := openFile(to, "&_pragma=page_size(8192)&_pragma=secure_delete(on)&_journal_mode=delete", 1)
	defer func() { _ = handle.Close() }()
	tx, err := handle.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	m := &mending{ctx: ctx, tx: tx, home: home, now: time.Now().UnixMicro(), stmts: map[string]*sql.Stmt{}, sequence: map[string]int64{}, done: r}
	if err := m.write(old); err != nil {
		return err
	}
	var stores int
	if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM store`).Scan(&stores); err != nil {
		return db.Error(err)
	}
	r.Rebuilt, r.Lost = stores > 0, stores == 0
	if err := tx.Commit(); err != nil {
		return db.Error(err)
	}
	if err := integrity(ctx, handle); err != nil {
		return fmt.Errorf("write the trail anew: %w", err)
	}
	return errors.Join(handle.Close(), disk.SyncFile(to))
}

// putAside gives the damaged database a second name. It does the same for the log, because SQLite
// finds the log by the name of the database.
func putAside(home string) (string, error) {
	for n := 1; ; n++ {
		name := filepath.Join(home, fmt.Sprintf("trail.damaged-%d.db", n))
		err := os.Link(filepath.Join(home, trailFile), name)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", bare(err)
		}
		if err := os.Link(filepath.Join(home, trailFile+"-wal"), name+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", bare(err)
		}
		return name, nil
	}
}

// finishRepair replaces the database with the repaired one. It removes the old log first, because
// SQLite would apply it to the new database. When the process dies in between, the next process
// that opens the home finishes the work.
func finishRepair(home string) error {
	repaired := filepath.Join(home, repairedFile)
	if _, err := os.Lstat(repaired); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := removeIfThere(filepath.Join(home, trailFile+end)); err != nil {
			return err
		}
	}
	if err := os.Rename(repaired, filepath.Join(home, trailFile)); err != nil {
		return bare(err)
	}
	return disk.SyncFolder(home)
}

// takeRepaired finishes a repair that was interrupted.
func (t *Trail) takeRepaired(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(t.home, repairedFile)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := t.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return finishRepair(t.home)
}

func removeIfThere(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return bare(err)
	}
	return nil
}

// openFile opens a database that is not in use as a trail.
func openFile(name, extra string, conns int) *sql.DB {
	handle, err := sql.Open("sqlite", "file:"+inURI.Replace(filepath.ToSlash(name))+"?_pragma=busy_timeout(10000)"+extra)
	if err != nil {
		panic(err) // only for an unknown driver or an invalid DSN
	}
	handle.SetMaxOpenConns(conns)
	return handle
}
