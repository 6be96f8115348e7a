package versions

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// ground is what a Trail knows about the folder that contains it.
type ground struct {
	dir      string
	driver   string        // the SQL driver; "" is SQLite's own
	readOnly error         // why the folder can't be written; nil when it can
	files    []os.FileInfo // the trail and its lock when they were opened
}

const lockFile = "trail.lock"

// openLock opens the lock of the home. A home that can't be written has no writer to wait for.
func (g *ground) openLock() (*disk.Lock, error) {
	lock, err := disk.OpenLock(filepath.Join(g.dir, lockFile))
	if g.readOnly = unwritable(err); g.readOnly == nil {
		return lock, err
	}
	return disk.OpenLockReadOnly(filepath.Join(g.dir, lockFile))
}

// unwritable returns the memfs error for an error that means a place is read-only, and nil for any
// other error.
func unwritable(err error) error {
	var se *sqlite.Error
	switch {
	case errors.Is(err, syscall.EROFS):
		return memfs.ErrReadOnlyDisk
	case errors.Is(err, fs.ErrPermission):
		return memfs.ErrNoPermission
	case errors.Is(err, memfs.ErrNoSpace), errors.As(err, &se) && db.Full(se):
		return memfs.ErrNoSpace
	case errors.As(err, &se) && (se.Code()&0xff == sqlite3.SQLITE_READONLY || se.Code()&0xff == sqlite3.SQLITE_CANTOPEN):
		return memfs.ErrNoPermission // for example the file that SQLite writes beside the trail
	}
	return nil
}

// logged reports whether SQLite's log has content, or somebody may be writing to it. The index of a
// log exists from its first page on; a failed attempt to create it on a full disk leaves a smaller
// file.
func (g *ground) logged() bool {
	const firstPage = 32 << 10
	return g.has(trailFile+"-wal") || g.size(trailFile+"-shm") >= firstPage
}

// openDB opens the trail of a writable home.
func openDB(home, extra string, conns int) *sql.DB { return (&ground{dir: home}).openDB(extra, conns) }

// note remembers which files are open.
func (g *ground) note() error {
	for _, name := range []string{trailFile, lockFile} {
		fi, err := os.Stat(filepath.Join(g.dir, name))
		if err != nil {
			return bare(err)
		}
		g.files = append(g.files, fi)
	}
	return nil
}

// check returns an error when a write would be lost: the files must still have the names they had
// when they were opened, and the lock must be the one that other processes take. SQLite itself
// keeps writing to a deleted file.
func (g *ground) check() error {
	if errors.Is(g.readOnly, memfs.ErrNoSpace) {
		return fmt.Errorf("home %s: %w when it was opened: free some space, then start memend again", g.dir, g.readOnly)
	}
	if g.readOnly != nil {
		return fmt.Errorf("home %s: %w", g.dir, g.readOnly)
	}
	for _, was := range g.files {
		now, err := os.Stat(filepath.Join(g.dir, was.Name()))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(was, now) {
			return fmt.Errorf("home %s: %w", g.dir, ErrHomeGone)
		}
		if err != nil {
			return fmt.Errorf("home %s: %w", g.dir, bare(err))
		}
	}
	return nil
}

// mayChange returns an error when memories and stores are read-only.
func (t *Trail) mayChange() error {
	if t.reading {
		return ErrReadingOnly
	}
	return nil
}

// acquire takes the lock of the home for writing.
func (t *Trail) acquire(ctx context.Context) (release func(), err error) {
	release, err = t.lock.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if err = t.ground.check(); err == nil {
		err = t.fence(ctx)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}
