package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/disk"
	"github.com/memend/memend/versions/internal/tables"
)

// If the engine took another folder for the store's, it would record the deletion of every
// memory, or write memories where they don't belong. So it neither reads nor writes a
// folder behind a symbolic link, nor one that was replaced and holds none of the memories,
// such as an empty mount point.

// openDir opens the store's folder by its name. It fails if the name leads through a
// symbolic link, or if the folder belongs to another home.
func (s *Store) openDir(names memfs.Names) (*memfs.Dir, error) {
	if err := OthersFolder(s.Trail, s.Opened); err != nil {
		return nil, err
	}
	d, err := memfs.OpenNamed(s.Opened.Folder, names)
	if err == nil {
		if err = d.InPlace(); err != nil {
			_ = d.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		return nil, &versions.FolderError{Store: s.Opened, Err: versions.ErrFolderGone}
	case errors.Is(err, memfs.ErrMovedAway):
		return nil, &versions.FolderError{Store: s.Opened, Err: versions.ErrFolderLink}
	case err != nil:
		return nil, &versions.FolderError{Store: s.Opened, Err: err}
	}
	if s.Trail.Hook != nil {
		d.Hook = func(step string, _ memfs.Path) error { return s.Trail.Hook(step) }
	}
	return d, nil
}

// followFolder verifies that dir is still the folder of that name, not moved away or
// replaced, and that it belongs to the store. It follows a change of the store's files.
// The caller holds the lock.
func (s *Store) followFolder(ctx context.Context) error {
	if err := s.followFiles(ctx); err != nil {
		return err
	}
	d, err := s.openDir(s.Dir.Names())
	if err != nil {
		return err
	}
	same, err := s.Dir.Same(d)
	if same && s.recognized {
		return d.Close()
	}
	if err = errors.Join(err, s.recognize(ctx, d)); err != nil {
		_ = d.Close()
		return err
	}
	s.recognized = true
	if same {
		return d.Close()
	}
	s.Mu.Lock()
	old := s.Dir
	s.Dir = d
	s.Mu.Unlock()
	return old.Close()
}

// recognize verifies that d is the store's folder: the same folder as before, or one that
// holds some of the memories. It records the folder's identity. The caller holds the lock.
func (s *Store) recognize(ctx context.Context, d *memfs.Dir) error {
	now, err := d.Identity()
	if err != nil {
		return &versions.FolderError{Store: s.Opened, Err: err}
	}
	var was string
	if err := s.Trail.DB.Row(ctx, `SELECT folder_identity FROM store WHERE id=?`, s.Row).Scan(&was); err != nil {
		return err
	}
	if now == was && now != "" {
		return nil
	}
	ok, err := s.Trail.mayHold(ctx, s.Row, d)
	if err != nil {
		return err
	}
	if !ok {
		return &versions.FolderError{Store: s.Opened, Err: versions.ErrFolderOther}
	}
	// If the disk is full, the next process records it.
	if x, err := s.beginNonDurable(ctx); err == nil {
		defer x.Rollback()
		x.Exec(`UPDATE store SET folder_identity=? WHERE id=?`, now, s.Row)
		_ = x.Commit()
	}
	return nil
}

// mayHold reports whether d holds one of the store's memories, or the store has none.
func (t *Trail) mayHold(ctx context.Context, store int64, d *memfs.Dir) (bool, error) {
	some := false
	var p memfs.Path
	rows := t.DB.Rows(ctx, `SELECT path FROM head WHERE store=?`, store)
	for range rows.Each(tables.PathTo(&p)) {
		some = true
		if info, err := d.Lstat(p); err == nil && info.Kind == memfs.File {
			return true, nil
		}
	}
	return !some, rows.Err()
}

// MayMoveStore reports whether a folder holds one of the store's memories, or the store
// has none. In any other folder MoveStore would record every memory as deleted.
func (t *Trail) MayMoveStore(ctx context.Context, id versions.StoreID, folder string) (bool, error) {
	info, row, err := StoreByID(ctx, t, id)
	if err != nil {
		return false, err
	}
	real, err := disk.RealFolder(folder)
	if err != nil {
		return false, fmt.Errorf("move store: %w", err)
	}
	d, err := memfs.OpenNamed(real, info.Files)
	if err != nil {
		return false, fmt.Errorf("move store to %s: %w", real, err)
	}
	defer func() { _ = d.Close() }()
	return t.mayHold(ctx, row, d)
}

// IdentityOf returns a string that identifies a folder; empty if that is unknown.
func IdentityOf(folder string) string {
	d, err := memfs.OpenDir(folder)
	if err != nil {
		return ""
	}
	defer func() { _ = d.Close() }()
	id, err := d.Identity()
	if err != nil {
		return ""
	}
	return id
}

// behindLink returns the store whose folder is or contains the folder of this name, if
// that store's folder name is now a symbolic link. Such a store can't be opened, and the
// link's target doesn't count as a folder without a store.
func behindLink(all []versions.StoreInfo, name string) (versions.StoreInfo, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return versions.StoreInfo{}, false
	}
	s, ok := versions.HoldingFolder(all, abs)
	if !ok {
		return s, false
	}
	real, err := filepath.EvalSymlinks(s.Folder)
	return s, err == nil && real != s.Folder
}
