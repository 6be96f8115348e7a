package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db/pages"
	"github.com/memend/memend/versions/disk"
)

// Repair is how a damaged database is made whole.
type Repair struct {
	Config
	// Invariants are queries that have no answer in a valid database. Their answer is a text that
	// says what is wrong.
	Invariants []string
	// Rebuild fills an empty database with what can be read from the damaged one.
	Rebuild func(x *Tx, old *Salvage) error
}

// Repaired is what a repair did.
type Repaired struct {
	Empty bool   // the database was missing or had no tables: it was created again, without rows
	Aside string // the file that keeps the damaged database; empty when the database was not replaced
}

// Run makes sure that the whole database can be read. No other process may use the folder meanwhile.
// A damaged database is kept as a copy and replaced by a rebuilt one.
func (r *Repair) Run(ctx context.Context) (done Repaired, err error) {
	if _, err := os.Stat(r.Dir); err != nil {
		return done, disk.Bare(err)
	}
	lock, err := disk.OpenLock(r.path(LockFile))
	if err != nil {
		return done, disk.Bare(err)
	}
	defer func() { _ = lock.Close() }()
	unlock, err := lock.Acquire(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()
	if err := r.finishRepair(); err != nil {
		return done, err
	}
	_, err = os.Stat(r.path(File))
	have := 0
	if !errors.Is(err, os.ErrNotExist) {
		have, err = r.check(ctx)
		if errors.Is(err, versions.ErrTrailFormat) || err == nil && have > 0 {
			return done, err
		}
		if err != nil {
			return r.replace(ctx)
		}
	}
	return Repaired{Empty: true}, r.createEmpty(ctx)
}

// replace puts a rebuilt database in the place of the damaged one.
func (r *Repair) replace(ctx context.Context) (done Repaired, err error) {
	if err := r.rebuild(ctx); err != nil {
		return done, err
	}
	if done.Aside, err = r.putAside(); err != nil {
		return done, err
	}
	if err := os.Rename(r.path(rebuiltFile), r.path(repairedFile)); err != nil {
		return done, disk.Bare(err)
	}
	return done, r.finishRepair()
}

// check returns the format of the database, or an error when the database is damaged.
func (r *Repair) check(ctx context.Context) (int, error) {
	pool := r.pool(false, false, "", 1)
	q := On(ctx, pool)
	have, err := r.Schema.Format(q)
	if err == nil && have > 0 {
		err = r.integrity(q)
	}
	size := pages.DefaultSize
	if err == nil {
		err = q.Row(`PRAGMA page_size`).Scan(&size)
	}
	if err = errors.Join(err, pool.Close()); err != nil {
		return 0, err
	}
	// SQLite reads the missing part of a truncated last page as zeros, if it reads the page at all.
	info, err := os.Stat(r.path(File))
	if err == nil && info.Size()%int64(size) != 0 {
		err = fmt.Errorf("%w: its file ends within a page", versions.ErrDamaged)
	}
	return have, err
}

// integrity returns an error when a database of the current format is damaged.
func (r *Repair) integrity(q Queryer) error {
	var problem string
	if err := q.Row(`PRAGMA integrity_check(1)`).Scan(&problem); err != nil {
		return err
	}
	if problem != "ok" {
		return fmt.Errorf("%w: %s", versions.ErrDamaged, Problem(problem))
	}
	what, err := Mistyped(q)
	if err == nil && len(what) > 0 {
		return fmt.Errorf("%w: %s", versions.ErrDamaged, what[0])
	}
	if err != nil {
		return err
	}
	for _, query := range append([]string{`SELECT 'table '||"table"||' refers to a row of '||parent||' that is lost' FROM pragma_foreign_key_check LIMIT 1`}, r.Invariants...) {
		err := q.Row(query).Scan(&problem)
		if err == nil {
			return fmt.Errorf("%w: %s", versions.ErrDamaged, problem)
		}
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return nil
}

// Problem returns what SQLite's integrity check says, in one line and without its heading.
func Problem(said string) string {
	return strings.ReplaceAll(strings.TrimPrefix(said, "*** in database main ***\n"), "\n", "; ")
}

// rebuild copies everything that can be read to a new database.
func (r *Repair) rebuild(ctx context.Context) error {
	old, err := openSalvage(ctx, r.path(File), r.Schema)
	if err != nil {
		return err
	}
	defer old.pages.Close()
	to := r.path(rebuiltFile)
	if err := disk.Remove(to); err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would choose the mode
	if err != nil {
		return disk.Bare(err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	pool := OpenFile(to, withPageSize+tempInMemory+"&_pragma=secure_delete(on)&_journal_mode=delete")
	defer func() { _ = pool.Close() }()
	if err := inTx(ctx, pool, func(x *Tx) error { return r.Rebuild(x, old) }); err != nil {
		return err
	}
	if err := r.integrity(On(ctx, pool)); err != nil {
		return fmt.Errorf("write the trail anew: %w", err)
	}
	return errors.Join(pool.Close(), disk.SyncFile(to))
}

// putAside gives the damaged database a second name. It does the same for the log, because SQLite
// finds the log by the name of the database.
func (c *Config) putAside() (string, error) {
	for n := 1; ; n++ {
		name := c.path(fmt.Sprintf("trail.damaged-%d.db", n))
		err := os.Link(c.path(File), name)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", disk.Bare(err)
		}
		if err := os.Link(c.path(File+"-wal"), name+"-wal"); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", disk.Bare(err)
		}
		return name, nil
	}
}

// finishRepair replaces the database with the repaired one. It removes the old log first, because
// SQLite would apply it to the new database. When the process dies in between, the next process
// that opens the home finishes the work.
func (c *Config) finishRepair() error {
	repaired := c.path(repairedFile)
	if _, err := os.Lstat(repaired); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, end := range []string{"-wal", "-shm"} {
		if err := disk.Remove(c.path(File + end)); err != nil {
			return err
		}
	}
	if err := os.Rename(repaired, c.path(File)); err != nil {
		return disk.Bare(err)
	}
	return disk.SyncFolder(c.Dir)
}

// takeRepaired finishes a repair that was interrupted.
func (d *DB) takeRepaired(ctx context.Context) error {
	if _, err := os.Lstat(d.path(repairedFile)); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	unlock, err := d.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return d.finishRepair()
}
