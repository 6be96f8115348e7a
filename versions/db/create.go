package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
)

// The lock file shows whether the database was ever created: the file is empty until then. The first
// processes of a new folder therefore create the database one after another, and a database that is
// missing later is lost: memend never starts a new one silently.

// createdMark is the content of the lock file once the database exists.
const createdMark = "trail.db was made; where it is missing, it was lost\n"

// create creates the database of a new folder.
func (d *DB) create(ctx context.Context) error {
	if d.readOnly != nil {
		if d.has(File) {
			return nil
		}
		return d.missing(d.readOnly)
	}
	if d.has(LockFile) && d.has(File) {
		return nil
	}
	unlock, err := d.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := d.finishRepair(); err != nil {
		return err
	}
	if !d.has(File) {
		if err := d.missing(nil); err != nil {
			return err
		}
		if err := d.createEmpty(ctx); err != nil {
			return err
		}
	}
	if !d.has(LockFile) {
		_, _ = d.lock.WriteAt([]byte(createdMark), 0) // after a failed write on a full disk, a later open writes it
	}
	return nil
}

// createEmpty creates a database without rows. The caller holds the lock.
func (c *Config) createEmpty(ctx context.Context) error {
	if err := disk.Remove(c.path(File + "-wal")); err != nil { // the log of a database that was lost
		return err
	}
	pool := c.pool(false, false, "", 1)
	defer func() { _ = pool.Close() }()
	if err := inTx(ctx, pool, func(x *Tx) error { return c.Schema.Migrate(x, 0, len(c.Schema)) }); err != nil {
		return err
	}
	return disk.SyncFolder(c.Dir)
}

// inTx runs a transaction of its own.
func inTx(ctx context.Context, pool *sql.DB, do func(x *Tx) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	w := newWriter(conn)
	defer func() { _ = w.Close() }()
	x, err := w.Begin(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	if err := do(x); err != nil {
		return err
	}
	return x.Commit()
}

// IsNew reports whether the folder never had a database. A folder that can't be looked at is not
// known to be new.
func (c *Config) IsNew() bool {
	if _, err := os.Stat(c.path(File)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	return !c.has(File) && c.missing(nil) == nil
}

// path returns the path of a file of the folder.
func (c *Config) path(name string) string { return filepath.Join(c.Dir, name) }

// has reports whether the folder has a file of this name that is not empty.
func (c *Config) has(name string) bool { return c.size(name) > 0 }

func (c *Config) size(name string) int64 {
	fi, err := os.Stat(c.path(name))
	if err != nil {
		return 0
	}
	return fi.Size()
}

// missing returns the error for a folder that had a database and lost it, or nil for a new folder
// that can be written. A folder older than the mark is recognized by its remaining files.
func (c *Config) missing(readOnly error) error {
	lost := c.has(LockFile) || c.has(File+"-wal")
	for _, name := range c.Traces {
		some, err := os.ReadDir(c.path(name))
		lost = lost || err == nil && len(some) > 0
	}
	if !lost && readOnly == nil {
		return nil
	}
	what := "is missing"
	if _, err := os.Stat(c.path(File)); !errors.Is(err, fs.ErrNotExist) {
		what = "is empty"
	}
	if !lost {
		return fmt.Errorf("%s %s, and the home can't be written: %w", File, what, readOnly)
	}
	return fmt.Errorf("%s %s: %w", File, what, versions.ErrTrailLost)
}
