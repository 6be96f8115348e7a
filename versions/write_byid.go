package versions

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/blobs"
)

// The writes of the memory-stores API name memories by id and know no folders. Each checks
// its precondition and writes in one step, atomically across processes.

// CreateMemory makes a new memory at p. It never overwrites: a *TakenError says what
// occupies the path, even if the content is the same.
func (s *Store) CreateMemory(ctx context.Context, by By, p memfs.Path, content []byte) (m Current, err error) {
	_, err = s.mutate(ctx, by, func(d *mutation) error {
		if err := d.x.refuseArchived(); err != nil {
			return err
		}
		d.asked = request{kind: KindCreate, path: p}
		put := memfs.Op{Kind: memfs.OpPut, Path: p, Content: content}
		if err := d.withinLimits(memfs.Plan{Ops: []memfs.Op{put}}); err != nil {
			return err
		}
		folders, err := d.freePath(p, head{})
		if err != nil {
			return err
		}
		put.MustBeNew = true // a full store first reports what occupies the path
		if err := d.withinLimits(memfs.Plan{Ops: []memfs.Op{put}}); err != nil {
			return err
		}
		d.drop(folders)
		if err := d.put(p, content, 0, 0); err != nil {
			return err
		}
		m, err = d.x.currentAs(d.versions[0].id)
		return err
	})
	if err == nil && s.hosted() {
		return s.currentAt(ctx, m.Path)
	}
	return m, err
}

// drop removes folders that are empty by then.
func (d *mutation) drop(folders []memfs.Path) {
	for _, f := range folders {
		d.steps = append(d.steps, step{op: memfs.OpRemove, path: f})
	}
}

// MemoryUpdate is an update of a memory. A nil field leaves its value unchanged.
type MemoryUpdate struct {
	Content *[]byte
	Path    *memfs.Path
	SHA256  *Hash // the precondition: the hash of the current content
}

// UpdateMemory changes the content of a memory, its path, or both, as one version. It
// decides in this order: if the memory is already in the requested state, it returns the
// memory, whatever the precondition; if the content doesn't match the precondition, it
// returns a *ConflictError; if the path overlaps with another memory, it returns a
// *TakenError.
func (s *Store) UpdateMemory(ctx context.Context, by By, id MemoryID, u MemoryUpdate) (m Current, err error) {
	_, err = s.mutate(ctx, by, func(d *mutation) error {
		if err := d.x.refuseArchived(); err != nil {
			return err
		}
		h, err := d.text(id)
		if err != nil {
			return err
		}
		if err := d.refuseSize(h, u.Content); err != nil {
			return err
		}
		if u.asIs(h) {
			m, err = d.x.currentAs(h.version)
			return err
		}
		if u.SHA256 != nil && *u.SHA256 != h.sha {
			return &ConflictError{Path: h.path, Want: *u.SHA256, Now: h.sha}
		}
		if err := d.remake(h, u); err != nil {
			return err
		}
		m, err = d.x.currentAs(d.versions[0].id)
		return err
	})
	if err == nil && s.hosted() {
		return s.currentAt(ctx, m.Path)
	}
	return m, err
}

// currentAt returns the memory at a path. A hosted store needs it because the service
// assigns other ids than the planned ones.
func (s *Store) currentAt(ctx context.Context, p memfs.Path) (Current, error) {
	v, err := s.VersionAt(ctx, p, 0)
	if err != nil {
		return Current{}, err
	}
	return s.Current(ctx, v.Memory, false)
}

// asIs reports whether a memory is already in the requested state.
func (u MemoryUpdate) asIs(h head) bool {
	return (u.Content == nil || sum(*u.Content) == h.sha) && (u.Path == nil || *u.Path == h.path)
}

// refuseSize rejects new content over the store's limit.
func (d *mutation) refuseSize(h head, content *[]byte) error {
	if content == nil {
		return nil
	}
	var was memfs.Info
	if err := d.x.Row(`SELECT bytes FROM head WHERE memory=?`, h.memory).Scan(&was.Sig.Size); err != nil {
		return err
	}
	return d.withinLimits(memfs.Plan{Ops: []memfs.Op{{Kind: memfs.OpPut, Path: h.path, Content: *content, Was: was}}})
}

// remake adds the one version of an update.
func (d *mutation) remake(h head, u MemoryUpdate) error {
	if u.Path == nil || *u.Path == h.path {
		d.asked = request{kind: KindEdit, path: h.path}
		return d.put(h.path, *u.Content, 0, 0)
	}
	d.asked = request{kind: KindRename, path: h.path, to: *u.Path}
	folders, err := d.freePath(*u.Path, h)
	if err != nil {
		return err
	}
	if err := d.start(); err != nil {
		return err
	}
	return d.moveTo(h, *u.Path, u.Content, folders)
}

// moveTo moves a memory to a free path, and gives it new content if content isn't nil. It
// renames the file; if one of the two paths lies inside the other, it removes the file and
// creates it anew.
func (d *mutation) moveTo(h head, to memfs.Path, content *[]byte, folders []memfs.Path) error {
	around := h.path.In(to) || to.In(h.path)
	if content == nil && !around {
		d.drop(folders)
		d.steps = append(d.steps, step{op: memfs.OpRename, path: h.path, to: to, old: h.sha})
		return d.moved(h, h.path, to, false)
	}
	if content == nil {
		blob, err := d.x.blobOf(h.version)
		if err != nil {
			return err
		}
		same, err := blobs.Get(d.x, blob)
		if err != nil {
			return err
		}
		content = &same
	}
	put := step{op: memfs.OpPut, path: to, content: *content, old: h.sha, new: sum(*content)}
	if around {
		put.old, put.mode = Hash{}, d.x.s.modeAt(h.path)
		d.steps = append(d.steps, step{op: memfs.OpRemove, path: h.path, old: h.sha, mode: put.mode})
		d.drop(folders)
	} else {
		d.drop(folders)
		d.steps = append(d.steps, step{op: memfs.OpRename, path: h.path, to: to, old: h.sha})
	}
	if put.old != put.new {
		d.steps = append(d.steps, put)
	}
	return d.addContent(&versionRow{memory: h.memory, op: Modified, path: to, origin: h.path}, *content, put.new)
}

// DeleteMemory deletes a memory if it holds the expected content; nil accepts any. It
// works in an archived store too.
func (s *Store) DeleteMemory(ctx context.Context, by By, id MemoryID, expected *Hash) error {
	_, err := s.mutate(ctx, by, func(d *mutation) error {
		h, err := d.text(id)
		if err != nil {
			return err
		}
		if expected != nil && *expected != h.sha {
			return &ConflictError{Path: h.path, Want: *expected, Now: h.sha}
		}
		d.asked = request{kind: KindDelete, path: h.path}
		return d.remove(h.path)
	})
	return err
}
