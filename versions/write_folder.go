package versions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// fileHash returns the hash of the regular file at p; zero if there is none.
func (s *Store) fileHash(p memfs.Path) (Hash, error) {
	h, _, err := s.folder().Hash(p, 0)
	switch {
	case err == nil:
		return h, nil
	case memfs.Is(err, memfs.NoMemory):
		return Hash{}, nil
	}
	return Hash{}, err
}

// applyStep does one step in the folder, or detects that it is done. If it doesn't find
// what the step expects, it touches nothing and returns errForeign.
func (s *Store) applyStep(ctx context.Context, st *step) (touched bool, err error) {
	switch st.op {
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
	return false, fmt.Errorf("%w: intent of unknown kind %d", ErrDamaged, st.op)
}

func (s *Store) applyPut(ctx context.Context, st *step) (touched bool, err error) {
	content := st.content
	if content == nil {
		if content, err = s.contentByHash(ctx, st.new); err != nil {
			return false, err
		}
	}
	if _, err := s.dir.MkdirAll(st.path.Dir()); err != nil {
		return false, err
	}
	var like *memfs.Info
	if st.old != (Hash{}) {
		info, err := s.dir.Lstat(st.path)
		if errors.Is(err, memfs.ErrNotExist) {
			return false, errForeign
		}
		if err != nil {
			return false, err
		}
		like, st.was = &info, info.Mode
	}
	staged, err := s.dir.Stage(content, st.mode, like, !s.t.lazy() || !ownerReads(st.mode, like))
	if err != nil {
		return false, err
	}
	defer staged.Discard()
	// Check once more: staging took time, and another program may have written.
	if now, err := s.fileHash(st.path); err != nil || now == st.new {
		return false, err
	} else if now != st.old {
		return false, errForeign
	}
	if like != nil {
		err = staged.Replace(st.path)
	} else if err = staged.Create(st.path); errors.Is(err, memfs.ErrExist) {
		return false, errForeign
	}
	if err != nil {
		return false, err
	}
	st.left = staged.PlacedSig(st.path)
	return true, nil
}

// ownerReads reports whether a file can be opened again to be synced.
func ownerReads(mode fs.FileMode, like *memfs.Info) bool {
	if mode == 0 && like != nil {
		mode = like.Mode
	}
	return mode == 0 || mode&0o400 != 0
}

func (s *Store) applyRemove(st *step) (touched bool, err error) {
	info, err := s.dir.Lstat(st.path)
	if memfs.Is(err, memfs.Absent) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if st.ifEmpty && info.Kind == memfs.File {
		return false, nil
	}
	if info.Kind == memfs.File {
		if now, err := s.fileHash(st.path); err != nil {
			return false, err
		} else if now != st.old {
			return false, errForeign
		}
	} else if st.old != (Hash{}) || info.Kind == memfs.Link && info.Target != st.target {
		return false, errForeign // the step removes a file or a link, but something else is there
	}
	err = s.dir.Remove(st.path)
	if errors.Is(err, memfs.ErrNotEmpty) {
		if st.ifEmpty {
			return false, nil
		}
		return false, errForeign // another program put something into the folder
	}
	return err == nil, err
}

func (s *Store) applyFolder(st *step) (touched bool, err error) {
	info, err := s.dir.Lstat(st.path)
	switch {
	case err == nil && info.Kind == memfs.Folder:
		if st.mode == 0 || st.mode == info.Mode {
			return false, nil
		}
		err = s.dir.Chmod(st.path, st.mode)
		return err == nil, err
	case err == nil:
		return false, errForeign
	case !memfs.Is(err, memfs.NoMemory):
		return false, err
	}
	mode := st.mode
	if mode == 0 {
		_, err = s.dir.MkdirAll(st.path)
	} else {
		err = s.dir.Mkdir(st.path, mode)
	}
	return err == nil, err
}

func (s *Store) applyLink(st *step) (touched bool, err error) {
	info, err := s.dir.Lstat(st.path)
	switch {
	case err == nil && info.Kind == memfs.Link && info.Target == st.target:
		return false, nil
	case err == nil:
		return false, errForeign
	case !memfs.Is(err, memfs.NoMemory):
		return false, err
	}
	err = s.dir.Symlink(st.path, st.target)
	if errors.Is(err, memfs.ErrExist) {
		return false, errForeign
	}
	return err == nil, err
}

func (s *Store) applyRename(st *step) (touched bool, err error) {
	_, err = s.dir.Lstat(st.path)
	if memfs.Is(err, memfs.Absent) {
		if _, err := s.dir.Lstat(st.to); err == nil {
			return false, nil
		}
		return false, errForeign // missing at both paths
	}
	if err != nil {
		return false, err
	}
	if st.old != (Hash{}) {
		if now, err := s.fileHash(st.path); err != nil {
			return false, err
		} else if now != st.old {
			return false, errForeign
		}
	}
	if _, err := s.dir.MkdirAll(st.to.Dir()); err != nil {
		return false, err
	}
	err = s.dir.Rename(st.path, st.to)
	if errors.Is(err, memfs.ErrExist) {
		return false, errForeign
	}
	return err == nil, err
}

// revertStep reverts an applied step with the contents in the trail.
func (s *Store) revertStep(ctx context.Context, st step) error {
	switch st.op {
	case memfs.OpRename:
		_, err := s.applyStep(ctx, &step{op: memfs.OpRename, path: st.to, to: st.path, old: st.old})
		return err
	case memfs.OpPut:
		if st.old == (Hash{}) {
			_, err := s.applyStep(ctx, &step{op: memfs.OpRemove, path: st.path, old: st.new})
			return err
		}
	case memfs.OpRemove:
		if st.old == (Hash{}) {
			back := step{op: memfs.OpFolder, path: st.path, mode: st.mode}
			if st.target != "" {
				back = step{op: memfs.OpLink, path: st.path, target: st.target}
			}
			_, err := s.applyStep(ctx, &back)
			return err
		}
	case memfs.OpFolder, memfs.OpLink:
		if st.was != 0 {
			_, err := s.applyStep(ctx, &step{op: memfs.OpFolder, path: st.path, mode: st.was})
			return err
		}
		_, err := s.applyStep(ctx, &step{op: memfs.OpRemove, path: st.path, target: st.target, ifEmpty: true})
		return err
	}
	_, err := s.applyStep(ctx, &step{op: memfs.OpPut, path: st.path, old: st.new, new: st.old, mode: cmp.Or(st.was, st.mode)})
	return err
}

// contentByHash reads a content from the trail.
func (s *Store) contentByHash(ctx context.Context, h Hash) (b []byte, err error) {
	err = s.t.view(ctx, func(q reader) error {
		var id int64
		if err := q.Row(`SELECT id FROM blob WHERE sha=?`, h[:]).Scan(&id); err != nil {
			return err
		}
		b, err = blobs.Get(q, id)
		return err
	})
	return b, err
}
