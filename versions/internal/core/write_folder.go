package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/internal/tables"
)

// FileHash returns the hash of the regular file at p; zero if there is none.
func FileHash(s *Store, p memfs.Path) (versions.Hash, error) {
	h, _, err := Folder(s).Hash(p, 0)
	switch {
	case err == nil:
		return h, nil
	case memfs.Is(err, memfs.NoMemory):
		return versions.Hash{}, nil
	}
	return versions.Hash{}, err
}

// applyStep does one step in the folder, or detects that it is done. If it doesn't find
// what the step expects, it touches nothing and returns ErrForeign.
func (s *Store) applyStep(ctx context.Context, st *Step) (touched bool, err error) {
	switch st.Op {
	case memfs.OpPut:
		return s.applyPut(ctx, st)
	case memfs.OpRemove:
		return s.applyRemove(st)
	case memfs.OpRename:
		return s.applyRename(st)
	case memfs.OpFolder:
		return s.applyFolder(st)
	case memfs.OpLink:
		return s.applyLink(st)
	}
	return false, fmt.Errorf("%w: intent of unknown kind %d", versions.ErrDamaged, st.Op)
}

func (s *Store) applyPut(ctx context.Context, st *Step) (touched bool, err error) {
	content := st.Content
	if content == nil {
		if content, err = s.contentByHash(ctx, st.New); err != nil {
			return false, err
		}
	}
	if _, err := s.Dir.MkdirAll(st.Path.Dir()); err != nil {
		return false, err
	}
	var like *memfs.Info
	if st.Old != (versions.Hash{}) {
		info, err := s.Dir.Lstat(st.Path)
		if errors.Is(err, memfs.ErrNotExist) {
			return false, ErrForeign
		}
		if err != nil {
			return false, err
		}
		like, st.was = &info, info.Mode
	}
	staged, err := s.Dir.Stage(content, st.Mode, like, !s.Trail.lazy() || !ownerReads(st.Mode, like))
	if oe := (*memfs.OpError)(nil); errors.As(err, &oe) {
		return false, &memfs.OpError{Op: oe.Op, Path: st.Path, Err: oe.Err} // not of the folder of the staging file
	} else if err != nil {
		return false, err
	}
	defer staged.Discard()
	// Check once more: staging took time, and another program may have written.
	if now, err := FileHash(s, st.Path); err != nil || now == st.New {
		return false, err
	} else if now != st.Old {
		return false, ErrForeign
	}
	if like != nil {
		err = staged.Replace(st.Path)
	} else if err = staged.Create(st.Path); errors.Is(err, memfs.ErrExist) {
		return false, ErrForeign
	}
	if err != nil {
		return false, err
	}
	st.left = staged.PlacedSig(st.Path)
	return true, nil
}

// ownerReads reports whether a file can be opened again to be synced.
func ownerReads(mode fs.FileMode, like *memfs.Info) bool {
	if mode == 0 && like != nil {
		mode = like.Mode
	}
	return mode == 0 || mode&0o400 != 0
}

func (s *Store) applyRemove(st *Step) (touched bool, err error) {
	info, err := s.Dir.Lstat(st.Path)
	if memfs.Is(err, memfs.Absent) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if st.IfEmpty && info.Kind == memfs.File {
		return false, nil
	}
	if info.Kind == memfs.File {
		if now, err := FileHash(s, st.Path); err != nil {
			return false, err
		} else if now != st.Old {
			return false, ErrForeign
		}
	} else if st.Old != (versions.Hash{}) || info.Kind == memfs.Link && info.Target != st.Target {
		return false, ErrForeign // the step removes a file or a link, but something else is there
	}
	err = s.Dir.Remove(st.Path)
	if errors.Is(err, memfs.ErrNotEmpty) {
		if st.IfEmpty {
			return false, nil
		}
		return false, ErrForeign // another program put something into the folder
	}
	return err == nil, err
}

func (s *Store) applyFolder(st *Step) (touched bool, err error) {
	info, err := s.Dir.Lstat(st.Path)
	switch {
	case err == nil && info.Kind == memfs.Folder:
		if st.Mode == 0 || st.Mode == info.Mode {
			return false, nil
		}
		err = s.Dir.Chmod(st.Path, st.Mode)
		return err == nil, err
	case err == nil:
		return false, ErrForeign
	case !memfs.Is(err, memfs.NoMemory):
		return false, err
	}
	mode := st.Mode
	if mode == 0 {
		_, err = s.Dir.MkdirAll(st.Path)
	} else {
		err = s.Dir.Mkdir(st.Path, mode)
	}
	return err == nil, err
}

func (s *Store) applyLink(st *Step) (touched bool, err error) {
	info, err := s.Dir.Lstat(st.Path)
	switch {
	case err == nil && info.Kind == memfs.Link && info.Target == st.Target:
		return false, nil
	case err == nil:
		return false, ErrForeign
	case !memfs.Is(err, memfs.NoMemory):
		return false, err
	}
	err = s.Dir.Symlink(st.Path, st.Target)
	if errors.Is(err, memfs.ErrExist) {
		return false, ErrForeign
	}
	return err == nil, err
}

func (s *Store) applyRename(st *Step) (touched bool, err error) {
	_, err = s.Dir.Lstat(st.Path)
	if memfs.Is(err, memfs.Absent) {
		if _, err := s.Dir.Lstat(st.To); err == nil {
			return false, nil
		}
		return false, ErrForeign // missing at both paths
	}
	if err != nil {
		return false, err
	}
	if st.Old != (versions.Hash{}) {
		if now, err := FileHash(s, st.Path); err != nil {
			return false, err
		} else if now != st.Old {
			return false, ErrForeign
		}
	}
	if _, err := s.Dir.MkdirAll(st.To.Dir()); err != nil {
		return false, err
	}
	err = s.Dir.Rename(st.Path, st.To)
	if errors.Is(err, memfs.ErrExist) {
		return false, ErrForeign
	}
	return err == nil, err
}

// revertStep reverts an applied step with the contents in the trail.
func (s *Store) revertStep(ctx context.Context, st Step) error {
	switch st.Op {
	case memfs.OpRename:
		_, err := s.applyStep(ctx, &Step{Op: memfs.OpRename, Path: st.To, To: st.Path, Old: st.Old})
		return err
	case memfs.OpPut:
		if st.Old == (versions.Hash{}) {
			_, err := s.applyStep(ctx, &Step{Op: memfs.OpRemove, Path: st.Path, Old: st.New})
			return err
		}
	case memfs.OpRemove:
		if st.Old == (versions.Hash{}) {
			back := Step{Op: memfs.OpFolder, Path: st.Path, Mode: st.Mode}
			if st.Target != "" {
				back = Step{Op: memfs.OpLink, Path: st.Path, Target: st.Target}
			}
			_, err := s.applyStep(ctx, &back)
			return err
		}
	case memfs.OpFolder, memfs.OpLink:
		if st.was != 0 {
			_, err := s.applyStep(ctx, &Step{Op: memfs.OpFolder, Path: st.Path, Mode: st.was})
			return err
		}
		_, err := s.applyStep(ctx, &Step{Op: memfs.OpRemove, Path: st.Path, Target: st.Target, IfEmpty: true})
		return err
	}
	_, err := s.applyStep(ctx, &Step{Op: memfs.OpPut, Path: st.Path, Old: st.New, New: st.Old, Mode: cmp.Or(st.was, st.Mode)})
	return err
}

// contentByHash reads a content from the trail.
func (s *Store) contentByHash(ctx context.Context, h versions.Hash) (b []byte, err error) {
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		var id int64
		if err := q.Row(`SELECT id FROM blob WHERE sha=?`, h[:]).Scan(&id); err != nil {
			return err
		}
		b, err = blobs.Get(q, id)
		return err
	})
	return b, err
}
