package versions

import (
	"context"

	"github.com/memend/memend/memfs"
)

// SyncPaths is Sync for the memories at some paths: it costs what they cost, however
// many others there are. It looks at the whole folder where one path does not tell
// enough: before the first Sync, and where a path is a folder, or a memory that came or
// went, since that may be one end of a rename.
func (s *Store) SyncPaths(ctx context.Context, paths ...memfs.Path) error {
	changed, whole, err := s.changedAt(ctx, paths)
	if err != nil {
		return err
	}
	if whole {
		_, err := s.Sync(ctx)
		return err
	}
	s.takeSpooled(ctx)
	if err := s.reportLate(ctx); err != nil || len(changed) == 0 {
		return err
	}
	sc := &scanned{dirty: changed}
	if _, err := s.recall(ctx, sc); err != nil {
		return err
	}
	_, err = s.adoptPaths(ctx, sc.dirty)
	return err
}

// changedAt are those of paths where both the trail and the folder have a memory, and
// not the same. Whole says that only a look at the whole folder can tell.
func (s *Store) changedAt(ctx context.Context, paths []memfs.Path) (changed []memfs.Path, whole bool, err error) {
	dir := s.folder()
	err = s.t.view(ctx, func(q reader) error {
		if err := q.Row(`SELECT began IS NULL FROM store WHERE id=?`, s.id).Scan(&whole); err != nil || whole {
			return err
		}
		for _, p := range paths {
			h, err := s.headAt(q, p)
			if err != nil {
				return err
			}
			info, err := dir.Lstat(p)
			there := err == nil && info.Kind == memfs.File
			switch {
			case unlessGone(err) != nil:
				return err
			case there && info.Sig.Size > s.t.maxBytes && !h.live(): // it can't be versioned
			case there != h.live(), err == nil && info.Kind == memfs.Folder, p.IsRoot():
				whole = true
				return nil
			case there && !h.fresh(info.Sig):
				changed = append(changed, p)
			}
		}
		return nil
	})
	return changed, whole, err
}

// headAt is txn.head for who only reads.
func (s *Store) headAt(q reader, p memfs.Path) (head, error) {
	return oneHead(q.Row(headAtPath, s.id, key(p)), p)
}

// headsAt are the heads at some paths.
func (s *Store) headsAt(ctx context.Context, paths []memfs.Path) (out map[memfs.Path]head, err error) {
	if len(paths) > maxHeadsOneByOne {
		return s.heads(ctx)
	}
	out = make(map[memfs.Path]head, len(paths))
	err = s.t.view(ctx, func(q reader) error {
		for _, p := range paths {
			h, err := s.headAt(q, p)
			if err != nil {
				return err
			}
			if h.live() {
				out[p] = h
			}
		}
		return nil
	})
	return out, err
}

// maxHeadsOneByOne is how many heads are asked for one by one: from more on, reading all
// of them is no slower.
const maxHeadsOneByOne = 300

// IsFolder reports whether a folder stands at a path now.
func (s *Store) IsFolder(p memfs.Path) bool {
	info, err := s.folder().Lstat(p)
	return err == nil && info.Kind == memfs.Folder
}
