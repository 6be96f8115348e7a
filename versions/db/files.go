package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
)

// These are the files of a database in its folder. File+"-wal" and File+"-shm" are SQLite's log and
// the log's index.
const (
	File     = "trail.db"
	LockFile = "trail.lock"

	repairedFile = "trail.repaired" // complete, and ready to replace File
	rebuiltFile  = "trail.rebuilt"  // incomplete
)

// unwritable returns the memfs error for an error that means a place is read-only, and nil for any
// other error.
func unwritable(err error) error {
	var se *sqlite.Error
	switch {
	case errors.Is(err, syscall.EROFS):
		return memfs.ErrReadOnlyDisk
	case errors.Is(err, fs.ErrPermission):
		return memfs.ErrNoPermission
	case errors.Is(err, memfs.ErrNoSpace), errors.As(err, &se) && full(se):
		return memfs.ErrNoSpace
	case errors.As(err, &se) && (se.Code()&0xff == sqlite3.SQLITE_READONLY || se.Code()&0xff == sqlite3.SQLITE_CANTOPEN):
		return memfs.ErrNoPermission // for example the file that SQLite writes beside the database
	}
	return nil
}

// logged reports whether SQLite's log has content, or somebody may be writing to it. The index of a
// log exists from its first page on; a failed attempt to create it on a full disk leaves a smaller
// file.
func (c *Config) logged() bool {
	const firstPage = 32 << 10
	return c.has(File+"-wal") || c.size(File+"-shm") >= firstPage
}

// note remembers which files are open.
func (d *DB) note() error {
	for _, name := range []string{File, LockFile} {
		fi, err := os.Stat(d.path(name))
		if err != nil {
			return disk.Bare(err)
		}
		d.files = append(d.files, fi)
	}
	return nil
}

// check returns an error when a write would be lost: the files must still have the names they had
// when they were opened, and the lock must be the one that other processes take. SQLite itself
// keeps writing to a deleted file.
func (d *DB) check() error {
	if errors.Is(d.readOnly, memfs.ErrNoSpace) {
		return fmt.Errorf("home %s: %w when it was opened: free some space, then start memend again", d.Dir, d.readOnly)
	}
	if d.readOnly != nil {
		return fmt.Errorf("home %s: %w", d.Dir, d.readOnly)
	}
	for _, was := range d.files {
		now, err := os.Stat(d.path(was.Name()))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(was, now) {
			return fmt.Errorf("home %s: %w", d.Dir, versions.ErrHomeGone)
		}
		if err != nil {
			return fmt.Errorf("home %s: %w", d.Dir, disk.Bare(err))
		}
	}
	return nil
}

// Acquire takes the lock for writing. It fails if a write would be lost, or if a newer memend has
// migrated the database meanwhile.
func (d *DB) Acquire(ctx context.Context) (release func(), err error) {
	release, err = d.lock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if err = d.check(); err == nil {
		err = d.fence(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// fence returns an error when a newer memend migrated the database while this program was running.
func (d *DB) fence(ctx context.Context) error {
	var now int
	if err := d.writer.Row(ctx, `PRAGMA user_version`).Scan(&now); err != nil {
		return err
	}
	if now != len(d.Schema) {
		return fmt.Errorf("home %s: %w: a newer memend changed it to format %d while this one (format %d) was running; nothing was written", d.Dir, versions.ErrTrailFormat, now, len(d.Schema))
	}
	return nil
}
