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

// ground is what a Trail knows of the folder that it lives in.
type ground struct {
	dir      string
	driver   string        // of SQL; "" is SQLite's own
	readOnly error         // why nothing can be written there; nil when it can
	files    []os.FileInfo // the trail and its lock, as they were opened
}

const lockFile = "trail.lock"

// openLock opens the lock of the home. One that can't be written has no writer to
// wait for.
func (g *ground) openLock() (*disk.Lock, error) {
	lock, err := disk.OpenLock(filepath.Join(g.dir, lockFile))
	if g.readOnly = unwritable(err); g.readOnly == nil {
		return lock, err
	}
	return disk.OpenLockReadOnly(filepath.Join(g.dir, lockFile))
}

// unwritable is the word of memfs for an error that says that a place can be read
// at most; nil for any other.
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
		return memfs.ErrNoPermission // that of the file it writes beside the trail, say
	}
	return nil
}

// logged reports whether SQLite's log holds something, or somebody may be writing to it. The
// index of a log is there from its first page on; an attempt to make one on a full disk
// leaves less.
func (g *ground) logged() bool {
	const firstPage = 32 << 10
	return g.has(trailFile+"-wal") || g.size(trailFile+"-shm") >= firstPage
}

// openDB opens the trail of a home that can be written.
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

// check reports whether a write would be found again: by the names that the files
// had when they were opened, under the lock that others take. SQLite itself goes
// on writing to a file that has no name any more.
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

// mayChange refuses a change of memories or stores where only reading is allowed.
func (t *Trail) mayChange() error {
	if t.reading {
		return ErrReadingOnly
	}
	return nil
}

// acquire takes the lock of the home, for writing.
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
