package core

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/db"
	"github.com/memend/memend/versions/internal/tables"
)

// Unnamed lists the current memories that match no pattern.
func (x *Txn) Unnamed(names memfs.Names) ([]memfs.Path, error) {
	all, err := x.HeadsIn(memfs.Root)
	return slices.DeleteFunc(all, names.Match), err
}

// Unfollow ends memories in the trail only. What their files contain now is recorded before.
func (x *Txn) Unfollow(by versions.By, paths []memfs.Path) (versions.Change, error) {
	var live []tables.Head
	for _, p := range paths {
		if _, err := x.Adopt(p); err != nil && !memfs.Is(err, memfs.OnlyPath|memfs.Busy) {
			return versions.Change{}, err
		}
		h, err := x.Head(p)
		if err != nil {
			return versions.Change{}, err
		}
		if h.Live() {
			live = append(live, h)
		}
	}
	if len(live) == 0 {
		return versions.Change{}, nil
	}
	paths = paths[:0]
	for _, h := range live {
		paths = append(paths, h.Path)
	}
	d := &Mutation{Txn: x, By: by, Asked: Request{Kind: versions.KindForget, Path: versions.Common(paths)}}
	if err := d.Start(); err != nil {
		return versions.Change{}, err
	}
	for _, h := range live {
		if err := d.Add(&VersionRow{Memory: h.Memory, Op: versions.Deleted, Path: h.Path, Mode: ModeAt(x.Store, h.Path)}); err != nil {
			return versions.Change{}, err
		}
	}
	x.MoveHeads(d.Change, d.Versions)
	return d.change(), x.Err()
}

// MayHaveFiles returns why the store can't have other files; nil if it can.
func MayHaveFiles(ctx context.Context, s *Store, names memfs.Names) error {
	info, _, err := StoreByID(ctx, s.Trail, s.Opened.ID)
	switch {
	case err != nil:
		return err
	case info.Files.All():
		return fmt.Errorf("%w: all files of its folder are its memories; create another store of named files", versions.ErrInvalid)
	case names.All():
		return fmt.Errorf("%w: it needs a pattern", versions.ErrInvalid)
	case !info.Archived.IsZero():
		return &versions.ArchivedError{Store: info.Name}
	}
	all, err := s.Trail.Stores(ctx)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(all, func(o versions.StoreInfo) bool { return o.ID == info.ID })
	return CheckFolder(s.Trail, others, versions.FilesIn{Folder: info.Folder, Names: names})
}

// followFiles uses the current patterns of a store of named files. The caller holds the lock.
func (s *Store) followFiles(ctx context.Context) error {
	if s.Dir.Names().All() { // it stays a whole folder
		return nil
	}
	var text string
	err := s.Trail.DB.Row(ctx, `SELECT files FROM store WHERE id=?`, s.Row).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) { // deleted: the caller notices
		return nil
	}
	if err != nil {
		return db.Error(err)
	}
	names, err := tables.FilesOf(text)
	if err == nil && names.All() {
		err = errors.New("there are none")
	}
	if err != nil {
		return fmt.Errorf("%w: files of store %s: %v", versions.ErrDamaged, s.Opened.Name, err)
	}
	if !names.Same(s.Dir.Names()) {
		s.Mu.Lock()
		s.Dir = s.Dir.WithNames(names)
		s.Mu.Unlock()
	}
	return nil
}
