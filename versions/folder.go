package versions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/memend/memend/memfs"
)

// A folder that is not the store's would look like the deletion of every memory, or would
// take writes that belong elsewhere. So nothing is read or written in one that a symbolic
// link leads to, and nothing in one that is another folder than before and holds none of
// the memories: a place where nothing is mounted, for example.

// openDir opens the store's folder under its name, if that leads to it without a link.
func (s *Store) openDir() (*memfs.Dir, error) {
	d, err := memfs.OpenDir(s.info.Folder)
	if err == nil {
		if err = d.InPlace(); err != nil {
			_ = d.Close()
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, memfs.ErrNotExist), errors.Is(err, memfs.ErrNotFolder):
		return nil, &FolderError{s.info, ErrFolderGone}
	case errors.Is(err, memfs.ErrMovedAway):
		return nil, &FolderError{s.info, ErrFolderLink}
	case err != nil:
		return nil, &FolderError{s.info, err}
	}
	if s.t.hook != nil {
		d.Hook = func(step string, _ memfs.Path) error { return s.t.hook(step) }
	}
	return d, nil
}

// followFolder makes sure that dir is the folder of that name, not one that was
// moved away or replaced by another, and that it is the store's. The caller holds the
// lock.
func (s *Store) followFolder(ctx context.Context) error {
	d, err := s.openDir()
	if err != nil {
		return err
	}
	same, err := s.dir.Same(d)
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
	s.mu.Lock()
	old := s.dir
	s.dir = d
	s.mu.Unlock()
	return old.Close()
}

// recognize makes sure that d is the store's folder: the one that it was, or one that
// holds some of the memories. Which one it was is noted. The caller holds the lock.
func (s *Store) recognize(ctx context.Context, d *memfs.Dir) error {
	now, err := d.Identity()
	if err != nil {
		return &FolderError{s.info, err}
	}
	var was string
	if err := s.t.get(ctx, `SELECT folder_identity FROM store WHERE id=?`, []any{s.id}, &was); err != nil {
		return err
	}
	if now == was && now != "" {
		return nil
	}
	ok, err := s.t.mayHold(ctx, s.id, d)
	if err != nil {
		return err
	}
	if !ok {
		return &FolderError{s.info, ErrFolderOther}
	}
	// What can't be noted on a full disk is noted by the next process.
	if x, err := s.beginNonDurable(ctx); err == nil {
		defer x.Rollback()
		if x.Exec(`UPDATE store SET folder_identity=? WHERE id=?`, now, s.id) == nil {
			_ = x.Commit()
		}
	}
	return nil
}

// mayHold reports whether d holds one of the store's memories, or the store has none.
func (t *Trail) mayHold(ctx context.Context, store int64, d *memfs.Dir) (bool, error) {
	some := false
	for row, err := range t.each(ctx, `SELECT path FROM head WHERE store=?`, store) {
		if err != nil {
			return false, err
		}
		var k string
		if err := row.Scan(&k); err != nil {
			return false, err
		}
		p, err := pathOf(k)
		if err != nil {
			return false, err
		}
		some = true
		if info, err := d.Lstat(p); err == nil && info.Kind == memfs.File {
			return true, nil
		}
	}
	return !some, nil
}

// MayMoveStore reports whether a folder holds one of the store's memories, or the store
// has none: only then does MoveStore delete no memory.
func (t *Trail) MayMoveStore(ctx context.Context, id StoreID, folder string) (bool, error) {
	_, row, err := t.storeByID(ctx, id)
	if err != nil {
		return false, err
	}
	real, err := realFolder(folder)
	if err != nil {
		return false, fmt.Errorf("move store: %w", err)
	}
	d, err := memfs.OpenDir(real)
	if err != nil {
		return false, fmt.Errorf("move store to %s: %w", real, err)
	}
	defer func() { _ = d.Close() }()
	return t.mayHold(ctx, row, d)
}

// identityOf is what tells a folder from others; empty where that can't be known.
func identityOf(folder string) string {
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

// behindLink is the store whose folder is or holds the one of this name, when a link leads
// elsewhere under the name of that folder now. It can't be opened, and what it leads to is
// not a folder without a store either.
func behindLink(all []StoreInfo, name string) (StoreInfo, bool) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return StoreInfo{}, false
	}
	s, ok := holding(all, abs)
	if !ok {
		return s, false
	}
	real, err := filepath.EvalSymlinks(s.Folder)
	return s, err == nil && real != s.Folder
}

// folderGone is an error of a store whose folder is not to be had; it is ErrFolderGone,
// too: the store can be used again when the folder is back.
type folderGone string

func (e folderGone) Error() string        { return string(e) }
func (e folderGone) Is(target error) bool { return target == ErrFolderGone }

// A folder that is there and can't be the store's.
var (
	ErrFolderLink  error = folderGone("leads to another folder through a symbolic link")
	ErrFolderOther error = folderGone("is another folder than before and holds none of the store's memories")
)
