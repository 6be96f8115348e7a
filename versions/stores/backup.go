package stores

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/backup"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/core"
)

// Backup writes a copy of the home to a folder, which must not exist or be empty. Others
// may write meanwhile: the copy shows the home at one moment, as after a loss of power.
// Files of stores inside the home are written from the trail, so that they match it;
// hidden files and files too large for memories are copied as found. The folder gets its
// final name when it is complete. each is called for each file.
func Backup(ctx context.Context, t *core.Trail, to string, each func()) (b versions.Backup, err error) {
	if to, err = filepath.Abs(to); err != nil {
		return b, err
	}
	fail := func(err error) (versions.Backup, error) {
		return b, fmt.Errorf("back up to %s: %w", to, disk.Bare(db.Error(err)))
	}
	if err := emptyOrMissing(to); err != nil {
		return fail(err)
	}
	if above, err := disk.RealFolder(filepath.Dir(to)); err != nil {
		return fail(err)
	} else if versions.InFolder(above, t.Real) {
		return fail(fmt.Errorf("%w: %s", versions.ErrInsideHome, t.Real))
	}
	part, err := os.MkdirTemp(filepath.Dir(to), ".memend-backup-*") // created with mode 0700
	if err != nil {
		return fail(err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	if b, err = backUp(ctx, t, part, each); err != nil {
		return fail(err)
	}
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fail(err)
	}
	if err := os.Rename(part, to); err != nil {
		return fail(err)
	}
	return b, disk.SyncFolder(filepath.Dir(to))
}

// emptyOrMissing rejects a folder that isn't empty.
func emptyOrMissing(folder string) error {
	there, err := os.ReadDir(folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(there) > 0:
		return fs.ErrExist
	}
	return err
}

func backUp(ctx context.Context, t *core.Trail, part string, each func()) (b versions.Backup, err error) {
	if t.DB.ReadOnly() == nil {
		if err := errors.Join(t.FlushReads(ctx), syncAll(ctx, t)); err != nil {
			return b, err
		}
	}
	if err := t.DB.CopyTo(ctx, filepath.Join(part, db.File)); err != nil {
		return b, err
	}
	return backup.Files(ctx, t.Real, part, backup.Options{StoresFolder: core.StoresFolder, MaxBytes: t.MaxBytes, Each: each})
}

// syncAll adopts what other programs wrote to the stores. If a store's folder can't be
// used, the backup still has its history.
func syncAll(ctx context.Context, t *core.Trail) error {
	all, err := t.Stores(ctx)
	if err != nil {
		return err
	}
	for _, info := range all {
		s, err := t.OpenStore(ctx, info.ID)
		if errors.As(err, new(*versions.FolderError)) {
			continue
		}
		if err != nil {
			return err
		}
		if _, err := s.Sync(ctx); err != nil && !errors.As(err, new(*versions.FolderError)) {
			return errors.Join(err, s.Close())
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}
