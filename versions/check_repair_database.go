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

// The names of a trail's files.
const (
	trailFile    = "trail.db"
	repairedFile = "trail.repaired" // whole, and about to take the place of trail.db
	rebuiltFile  = "trail.rebuilt"  // being written
)

// database sees to it that the database can be read as a whole.
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
	if err == nil && have == 0 { // no table stands in it
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

// sound is the format of the database, when nothing is wrong with it.
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
	// SQLite reads the rest of a page that ends with the file as zeros, if it reads it.
	info, err := os.Stat(filepath.Join(home, trailFile))
	if err == nil && info.Size()%int64(size) != 0 {
		err = fmt.Errorf("%w: its file ends within a page", ErrDamaged)
	}
	return have, err
}

// integrity is what is wrong with a database of the right format.
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

// rebuild writes all that can be read of the database to another one, and marks in it
// what is lost.
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

// putAside gives the damaged database another name as well. Its log goes along:
// SQLite knows it by the database's name.
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

// finishRepair puts a repaired database in its place. The log of the one before
// goes first: SQLite would take it for the new one's. A process that dies between
// leaves the repaired one to the next that opens the home.
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

// takeRepaired finishes what a repair that died left.
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

// openFile opens a database that is nobody's trail, yet or any more.
func openFile(name, extra string, conns int) *sql.DB {
	handle, err := sql.Open("sqlite", "file:"+inURI.Replace(filepath.ToSlash(name))+"?_pragma=busy_timeout(10000)"+extra)
	if err != nil {
		panic(err) // only for an unknown driver or a malformed DSN of ours
	}
	handle.SetMaxOpenConns(conns)
	return handle
}
