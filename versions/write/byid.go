package write

import (
	"context"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/blobs"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// The writes of the memory-stores API name memories by id and know no folders. Each checks
// its precondition and writes in one step, atomically across processes.

// CreateMemory makes a new memory at p. It never overwrites: a *TakenError says what
// occupies the path, even if the content is the same.
func CreateMemory(ctx context.Context, s *core.Store, by versions.By, p memfs.Path, content []byte) (m versions.Current, err error) {
	_, err = core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		if err := d.Txn.RefuseArchived(); err != nil {
			return err
		}
		d.Asked = core.Request{Kind: versions.KindCreate, Path: p}
		put := memfs.Op{Kind: memfs.OpPut, Path: p, Content: content}
		if err := d.WithinLimits(memfs.Plan{Ops: []memfs.Op{put}}); err != nil {
			return err
		}
		folders, err := d.FreePath(p, tables.Head{})
		if err != nil {
			return err
		}
		put.MustBeNew = true // a full store first reports what occupies the path
		if err := d.WithinLimits(memfs.Plan{Ops: []memfs.Op{put}}); err != nil {
			return err
		}
		drop(d, folders)
		if err := d.Put(p, content, 0, 0); err != nil {
			return err
		}
		m, err = history.CurrentAs(d.Txn, d.Versions[0].ID)
		return err
	})
	if err == nil && core.Hosted(s) {
		return currentAt(ctx, s, m.Path)
	}
	return m, err
}

// drop removes folders that are empty by then.
func drop(d *core.Mutation, folders []memfs.Path) {
	for _, f := range folders {
		d.Steps = append(d.Steps, core.Step{Op: memfs.OpRemove, Path: f})
	}
}

// UpdateMemory changes the content of a memory, its path, or both, as one version. It
// decides in this order: if the memory is already in the requested state, it returns the
// memory, whatever the precondition; if the content doesn't match the precondition, it
// returns a *ConflictError; if the path overlaps with another memory, it returns a
// *TakenError.
func UpdateMemory(ctx context.Context, s *core.Store, by versions.By, id versions.MemoryID, u versions.MemoryUpdate) (m versions.Current, err error) {
	_, err = core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		if err := d.Txn.RefuseArchived(); err != nil {
			return err
		}
		h, err := history.Text(d, id)
		if err != nil {
			return err
		}
		if err := refuseSize(d, h, u.Content); err != nil {
			return err
		}
		if asIs(u, h) {
			m, err = history.CurrentAs(d.Txn, h.Version)
			return err
		}
		if u.SHA256 != nil && *u.SHA256 != h.SHA {
			return &versions.ConflictError{Path: h.Path, Want: *u.SHA256, Now: h.SHA}
		}
		if err := remake(d, h, u); err != nil {
			return err
		}
		m, err = history.CurrentAs(d.Txn, d.Versions[0].ID)
		return err
	})
	if err == nil && core.Hosted(s) {
		return currentAt(ctx, s, m.Path)
	}
	return m, err
}

// currentAt returns the memory at a path. A hosted store needs it because the service
// assigns other ids than the planned ones.
func currentAt(ctx context.Context, s *core.Store, p memfs.Path) (versions.Current, error) {
	v, err := s.VersionAt(ctx, p, 0)
	if err != nil {
		return versions.Current{}, err
	}
	return history.Current(ctx, s, v.Memory, false)
}

// asIs reports whether a memory is already in the requested state.
func asIs(u versions.MemoryUpdate, h tables.Head) bool {
	return (u.Content == nil || versions.Sum(*u.Content) == h.SHA) && (u.Path == nil || *u.Path == h.Path)
}

// refuseSize rejects new content over the store's limit.
func refuseSize(d *core.Mutation, h tables.Head, content *[]byte) error {
	if content == nil {
		return nil
	}
	var was memfs.Info
	if err := d.Txn.Row(`SELECT bytes FROM head WHERE memory=?`, h.Memory).Scan(&was.Sig.Size); err != nil {
		return err
	}
	return d.WithinLimits(memfs.Plan{Ops: []memfs.Op{{Kind: memfs.OpPut, Path: h.Path, Content: *content, Was: was}}})
}

// remake adds the one version of an update.
func remake(d *core.Mutation, h tables.Head, u versions.MemoryUpdate) error {
	if u.Path == nil || *u.Path == h.Path {
		d.Asked = core.Request{Kind: versions.KindEdit, Path: h.Path}
		return d.Put(h.Path, *u.Content, 0, 0)
	}
	d.Asked = core.Request{Kind: versions.KindRename, Path: h.Path, To: *u.Path}
	folders, err := d.FreePath(*u.Path, h)
	if err != nil {
		return err
	}
	if err := d.Start(); err != nil {
		return err
	}
	return moveTo(d, h, *u.Path, u.Content, folders)
}

// moveTo moves a memory to a free path, and gives it new content if content isn't nil. It
// renames the file; if one of the two paths lies inside the other, it removes the file and
// creates it anew.
func moveTo(d *core.Mutation, h tables.Head, to memfs.Path, content *[]byte, folders []memfs.Path) error {
	around := h.Path.In(to) || to.In(h.Path)
	if content == nil && !around {
		drop(d, folders)
		d.Steps = append(d.Steps, core.Step{Op: memfs.OpRename, Path: h.Path, To: to, Old: h.SHA})
		return d.Moved(h, h.Path, to, false)
	}
	if content == nil {
		blob, err := d.Txn.BlobOf(h.Version)
		if err != nil {
			return err
		}
		same, err := blobs.Get(d.Txn, blob)
		if err != nil {
			return err
		}
		content = &same
	}
	put := core.Step{Op: memfs.OpPut, Path: to, Content: *content, Old: h.SHA, New: versions.Sum(*content)}
	if around {
		put.Old, put.Mode = versions.Hash{}, core.ModeAt(d.Txn.Store, h.Path)
		d.Steps = append(d.Steps, core.Step{Op: memfs.OpRemove, Path: h.Path, Old: h.SHA, Mode: put.Mode})
		drop(d, folders)
	} else {
		drop(d, folders)
		d.Steps = append(d.Steps, core.Step{Op: memfs.OpRename, Path: h.Path, To: to, Old: h.SHA})
	}
	if put.Old != put.New {
		d.Steps = append(d.Steps, put)
	}
	return d.AddContent(&core.VersionRow{Memory: h.Memory, Op: versions.Modified, Path: to, Origin: h.Path}, *content, put.New)
}

// DeleteMemory deletes a memory if it holds the expected content; nil accepts any. It
// works in an archived store too.
func DeleteMemory(ctx context.Context, s *core.Store, by versions.By, id versions.MemoryID, expected *versions.Hash) error {
	_, err := core.Mutate(ctx, s, by, func(d *core.Mutation) error {
		h, err := history.Text(d, id)
		if err != nil {
			return err
		}
		if expected != nil && *expected != h.SHA {
			return &versions.ConflictError{Path: h.Path, Want: *expected, Now: h.SHA}
		}
		d.Asked = core.Request{Kind: versions.KindDelete, Path: h.Path}
		return d.Remove(h.Path)
	})
	return err
}
