package core

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

// SyncPaths is Sync for the memories at some paths. Its cost depends only on those paths,
// not on the size of the store. It scans the whole folder if the paths don't suffice:
// before the first Sync, and if a path is a folder, or a memory that was created or
// removed, because that may be one end of a rename.
func (s *Store) SyncPaths(ctx context.Context, paths ...memfs.Path) (report versions.SyncReport, err error) {
	changed, whole, err := s.changedAt(ctx, paths)
	if err != nil {
		return report, err
	}
	if whole {
		return s.Sync(ctx)
	}
	_ = s.takeSpooled(ctx) // what can't be stored now waits
	if err := s.reportLate(ctx); err != nil || len(changed) == 0 {
		return report, err
	}
	sc := &scanned{dirty: changed}
	if _, err := s.recall(ctx, sc); err != nil {
		return report, err
	}
	report.Adopted, report.Denied, err = s.adoptReadable(ctx, sc.dirty)
	return report, err
}

// changedAt returns those of paths whose memory is in the trail and in the folder, but
// differs. whole reports that only a scan of the whole folder can tell what changed.
func (s *Store) changedAt(ctx context.Context, paths []memfs.Path) (changed []memfs.Path, whole bool, err error) {
	dir := Folder(s)
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		if err := q.Row(`SELECT began IS NULL FROM store WHERE id=?`, s.Row).Scan(&whole); err != nil || whole {
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
			case err != nil && !memfs.Is(err, memfs.NoMemory):
				return err
			case there && !Versionable(s, info.Sig.Size) && !h.Fresh(info.Sig):
			case there != h.Live(), err == nil && info.Kind == memfs.Folder, p.IsRoot():
				whole = true
				return nil
			case there && !h.Fresh(info.Sig):
				changed = append(changed, p)
			}
		}
		return nil
	})
	return changed, whole, err
}

// headAt is txn.head for readers.
func (s *Store) headAt(q tables.Reader, p memfs.Path) (tables.Head, error) {
	return tables.ScanHead(q.Row(tables.HeadAtPath, s.Row, versions.Key(p)), p)
}

// headsAt returns the heads at some paths.
func (s *Store) headsAt(ctx context.Context, paths []memfs.Path) (out map[memfs.Path]tables.Head, err error) {
	if len(paths) > maxHeadsOneByOne {
		return Heads(ctx, s)
	}
	out = make(map[memfs.Path]tables.Head, len(paths))
	err = View(ctx, s.Trail, func(q tables.Reader) error {
		for _, p := range paths {
			h, err := s.headAt(q, p)
			if err != nil {
				return err
			}
			if h.Live() {
				out[p] = h
			}
		}
		return nil
	})
	return out, err
}

// maxHeadsOneByOne is how many heads are queried one by one. For more, reading all heads
// is no slower.
const maxHeadsOneByOne = 300

// IsFolder reports whether a folder is at a path now.
func (s *Store) IsFolder(p memfs.Path) bool {
	info, err := Folder(s).Lstat(p)
	return err == nil && info.Kind == memfs.Folder
}

// IsAbsent reports whether nothing is at a path now.
func (s *Store) IsAbsent(p memfs.Path) bool {
	_, err := Folder(s).Lstat(p)
	return memfs.Is(err, memfs.Absent)
}
