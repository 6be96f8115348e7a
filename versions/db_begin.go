package versions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions/conversations"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/drafts"
)

// The lock file of a home shows whether the trail was ever created: the file is empty until then.
// The first processes of a new home therefore create the trail one after another, and a trail that
// is missing later is lost: memend never starts a new one silently.

// madeMark is the content of the lock file once the trail exists.
const madeMark = "trail.db was made; where it is missing, it was lost\n"

// begin creates the trail of a new home.
func (t *Trail) begin(ctx context.Context) error {
	if t.ground.readOnly != nil {
		if t.ground.has(trailFile) {
			return nil
		}
		return t.ground.missing()
	}
	if t.ground.has(lockFile) && t.ground.has(trailFile) {
		return nil
	}
	unlock, err := t.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := finishRepair(t.home); err != nil {
		return err
	}
	if !t.ground.has(trailFile) {
		if err := t.ground.missing(); err != nil {
			return err
		}
		if err := makeTrail(ctx, t.home); err != nil {
			return err
		}
	}
	if !t.ground.has(lockFile) {
		_, _ = t.lock.WriteAt([]byte(madeMark), 0) // after a failed write on a full disk, a later open writes it
	}
	return nil
}

// makeTrail creates an empty trail. The caller holds the lock of the home.
func makeTrail(ctx context.Context, home string) error {
	if err := removeIfThere(filepath.Join(home, trailFile+"-wal")); err != nil { // the log of a trail that was lost
		return err
	}
	db := openDB(home, "&_txlock=immediate", 1)
	defer func() { _ = db.Close() }()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := errors.Join(migrateTo(ctx, tx, 0, len(migrations)), tx.Commit()); err != nil {
		return err
	}
	return disk.SyncFolder(home)
}

// has reports whether the home has a file of this name that is not empty.
func (g *ground) has(name string) bool { return g.size(name) > 0 }

func (g *ground) size(name string) int64 {
	fi, err := os.Stat(filepath.Join(g.dir, name))
	if err != nil {
		return 0
	}
	return fi.Size()
}

// missing returns the error for a home that had a trail and lost it, or nil for a new home. A home
// older than the mark is recognized by its remaining files.
func (g *ground) missing() error {
	lost := g.has(lockFile) || g.has(trailFile+"-wal")
	for _, name := range []string{"stores", conversations.FolderName, drafts.Folder} {
		some, err := os.ReadDir(filepath.Join(g.dir, name))
		lost = lost || err == nil && len(some) > 0
	}
	if !lost && g.readOnly == nil {
		return nil
	}
	what := "is missing"
	if _, err := os.Stat(filepath.Join(g.dir, trailFile)); !errors.Is(err, fs.ErrNotExist) {
		what = "is empty"
	}
	if !lost {
		return fmt.Errorf("%s %s, and the home can't be written: %w", trailFile, what, g.readOnly)
	}
	return fmt.Errorf("%s %s: %w", trailFile, what, ErrTrailLost)
}
