package write

import (
	"context"
	"fmt"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// MergeInto merges two memories of the home, of one store or two: keep gets the text and stays, and other is
// deleted. In one store that is one change, which is returned twice. In two stores it is two changes, each with its own
// undo; kept is the zero Change if keep has the text already. The histories of both stay, and the new version of keep names the version of another store that
// was merged into it (Version.Across). It counts as written after what the writer of that version had taken in.
//
// A *ConflictError says which of the two has another content now; nothing is written then. In two stores, other is
// deleted last: if the change of keep fails or is held, nothing is deleted, and if the deletion fails or is held, the
// error is an *OriginalError, and the merged text stays.
func MergeInto(ctx context.Context, t *core.Trail, by versions.By, keep, other versions.Merging, text []byte) (kept, deleted versions.Change, err error) {
	var stores [2]*core.Store
	for i, id := range []versions.StoreID{keep.Store, other.Store} {
		if stores[i], err = t.OpenStore(ctx, id); err != nil {
			return kept, deleted, err
		}
		defer stores[i].Close()
	}
	m := &merger{keep: keep, other: other, text: text}
	if keep.Store == other.Store {
		c, err := core.Mutate(ctx, stores[0], by, m.inOneStore)
		return c, c, err
	}
	if err := reading(ctx, stores[1], m.readOther); err != nil {
		return kept, deleted, inStore(stores[1], err)
	}
	if kept, err = core.Mutate(ctx, stores[0], by, m.change); err != nil {
		return kept, deleted, inStore(stores[0], err)
	}
	if deleted, err = core.Mutate(ctx, stores[1], by, func(d *core.Mutation) error { return m.deleteOther(d, stores[0]) }); err != nil {
		err = &versions.OriginalError{What: "merged text", Store: stores[0].Opened.Name, Path: m.at, Change: kept.Number, From: stores[1].Opened.Name, Left: m.gone, Err: err}
	}
	return kept, deleted, err
}

// merger is the work of a MergeInto.
type merger struct {
	keep, other versions.Merging
	text        []byte

	gone   memfs.Path // where other is, and its current version
	source int64
	inputs versions.Inputs // of those who wrote it
	at     memfs.Path      // where keep is
}

func (m *merger) inOneStore(d *core.Mutation) error {
	if err := m.readOther(d); err != nil {
		return err
	}
	at, err := holding(d, m.keep)
	if err != nil {
		return err
	}
	if at == m.gone {
		return fmt.Errorf("merge %s: %w", at.Tool(), versions.ErrSameMemory)
	}
	if err := m.change(d); err != nil {
		return err
	}
	if d.Change == nil {
		d.Asked = core.Request{Kind: versions.KindDelete, Path: m.gone}
	}
	return d.Remove(m.gone)
}

// readOther reads what the new version of keep is based on, after adopting the file.
func (m *merger) readOther(d *core.Mutation) (err error) {
	if m.gone, err = holding(d, m.other); err != nil {
		return err
	}
	h, err := d.Current(m.gone)
	if err != nil {
		return err
	}
	in, err := d.Txn.VersionInputs(h.Version)
	m.source, m.inputs = h.Version, tables.PassedOn(in)
	return err
}

// change gives keep its text.
func (m *merger) change(d *core.Mutation) error {
	at, err := holding(d, m.keep)
	if err != nil {
		return err
	}
	m.at = at
	if err := hasText(d.Txn, m.source, m.gone); err != nil {
		return err
	}
	plan, err := memfs.PlanWrite(d.Tree(), at, m.text)
	if err != nil {
		return err
	}
	d.Asked = core.Request{Kind: versions.KindEdit, Path: at}
	d.By.Took |= m.inputs
	if err := d.WithinLimits(plan); err != nil {
		return err
	}
	for _, op := range plan.Ops {
		if err := d.Put(op.Path, op.Content, 0, m.source); err != nil {
			return err
		}
	}
	return nil
}

// deleteOther deletes the memory that was merged into one of another store.
func (m *merger) deleteOther(d *core.Mutation, keeper *core.Store) error {
	at, err := holding(d, m.other)
	if err != nil {
		return err
	}
	made, err := madeOf(d.Txn, m.source, keeper, m.at)
	if err != nil {
		return err
	}
	d.Asked = core.Request{Kind: versions.KindDelete, Path: at}
	return d.RemoveAt(at, made)
}

// holding returns where a memory is that is to be merged, if it still has the expected content.
func holding(d *core.Mutation, m versions.Merging) (memfs.Path, error) {
	at, info, err := d.Tree().Resolve(m.Path)
	switch {
	case memfs.Is(err, memfs.Absent):
		return at, &versions.ConflictError{Path: m.Path, Want: m.SHA256}
	case err != nil:
		return at, err
	case info.Kind == memfs.Folder:
		return at, &memfs.OpError{Op: "merge", Path: m.Path, Err: memfs.ErrIsFolder}
	case info.Kind != memfs.File:
		return at, &memfs.OpError{Op: "merge", Path: m.Path, Err: memfs.ErrNotRegular}
	}
	h, err := d.Current(at)
	if err != nil {
		return at, err
	}
	if h.SHA != m.SHA256 {
		return at, &versions.ConflictError{Path: m.Path, Want: m.SHA256, Now: h.SHA}
	}
	return at, nil
}
