package db

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/memend/memend/versions/disk"
)

// migrate creates or verifies the tables. It holds the lock, so that two processes don't create them
// at once. It copies a database of an earlier format before it changes it.
func (d *DB) migrate(ctx context.Context) error {
	q := d.Outside(ctx) // a connection of its own would read the schema once more
	have, err := d.Schema.Format(q)
	if err != nil || have == len(d.Schema) {
		return err
	}
	unlock, err := d.lock.Acquire(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if have, err = d.Schema.Format(q); err != nil || have == len(d.Schema) {
		return err
	}
	if have > 0 {
		if err := d.copyBeforeMigration(ctx, have); err != nil {
			return err
		}
	}
	x, err := d.writer.Begin(ctx, true)
	if err != nil {
		return err
	}
	defer x.Rollback()
	if err := d.Schema.Migrate(x, have, len(d.Schema)); err != nil {
		return err
	}
	if have > 0 && d.Upgrade != nil {
		if err := d.Upgrade(x, have); err != nil {
			return err
		}
	}
	return x.Commit()
}

// BeforeMigration returns the name of the copy of a database that a migration makes first.
func BeforeMigration(format int) string { return fmt.Sprintf("trail.format-%d.db", format) }

// copyBeforeMigration copies the database, in case the migration turns out to be wrong. It removes
// the copies of earlier migrations, because one is enough.
func (d *DB) copyBeforeMigration(ctx context.Context, format int) error {
	name := d.path(BeforeMigration(format))
	err := d.RemoveCopies()
	if err == nil {
		err = d.CopyTo(ctx, name)
	}
	if err != nil {
		return fmt.Errorf("copy the trail to %s before its format changes: %w", name, Error(err))
	}
	return nil
}

// RemoveCopies removes the copies that migrations made.
func (d *DB) RemoveCopies() error {
	names, err := filepath.Glob(filepath.Join(globText.Replace(d.Dir), "trail.format-*.db"))
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := disk.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// globText escapes a path for filepath.Glob.
var globText = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// CopyTo writes the database as it is now to a new file, while other processes may keep writing.
// When it returns without an error, the file is complete and flushed to disk; otherwise it does not
// exist.
func (d *DB) CopyTo(ctx context.Context, to string) (err error) {
	part := to + ".part"
	if err := disk.Remove(part); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(part)
		}
	}()
	f, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // SQLite would choose the mode
	if err != nil {
		return disk.Bare(err)
	}
	if err := f.Close(); err != nil {
		return err
	}
	if _, err := d.W.ExecContext(ctx, `VACUUM INTO ?`, part); err != nil {
		return err
	}
	if err := disk.SyncFile(part); err != nil {
		return err
	}
	if err := os.Rename(part, to); err != nil {
		return disk.Bare(err)
	}
	return disk.SyncFolder(filepath.Dir(to))
}
