package versions

import (
	"context"
	"errors"
	"fmt"

	"github.com/memend/memend/memfs"
)

// ErrSameMemory means that a merge names one memory twice.
var ErrSameMemory = errors.New("both are the same memory")

// Merging is one of two memories that are merged: where it is, and the content that was merged.
type Merging struct {
	Store  StoreID
	Path   memfs.Path
	SHA256 Hash // the precondition: the memory still has this content
}

// MergeInto merges two memories of the home, of one store or two: keep gets the text and stays, and other is
// deleted. In one store that is one change, which is returned twice. In two stores it is two changes, each with its own
// undo; kept is the zero Change if keep has the text already. The histories of both stay, and the new version of keep names the version of another store that
// was merged into it (Version.Across). It counts as written after what the writer of that version had taken in.
//
// A *ConflictError says which of the two has another content now; nothing is written then. In two stores, other is
// deleted last: if the change of keep fails or is held, nothing is deleted, and if the deletion fails or is held, the
// error is an *OriginalError, and the merged text stays.
func (t *Trail) MergeInto(ctx context.Context, by By, keep, other Merging, text []byte) (kept, deleted Change, err error) {
	var stores [2]*Store
	for i, id := range []StoreID{keep.Store, other.Store} {
		if stores[i], err = t.OpenStore(ctx, id); err != nil {
			return kept, deleted, err
		}
		defer stores[i].Close()
	}
	m := &merger{keep: keep, other: other, text: text}
	if keep.Store == other.Store {
		c, err := stores[0].mutate(ctx, by, m.inOneStore)
		return c, c, err
	}
	if err := stores[1].reading(ctx, m.readOther); err != nil {
		return kept, deleted, inStore(stores[1], err)
	}
	if kept, err = stores[0].mutate(ctx, by, m.change); err != nil {
		return kept, deleted, inStore(stores[0], err)
	}
	if deleted, err = stores[1].mutate(ctx, by, func(d *mutation) error { return m.deleteOther(d, stores[0]) }); err != nil {
		err = &OriginalError{What: "merged text", Store: stores[0].info.Name, Path: m.at, Change: kept.Number, From: stores[1].info.Name, Left: m.gone, Err: err}
	}
	return kept, deleted, err
}

// merger is the work of a MergeInto.
type merger struct {
	keep, other Merging
	text        []byte

	gone   memfs.Path // where other is, and its current version
	source int64
	inputs Inputs     // of those who wrote it
	at     memfs.Path // where keep is
}

func (m *merger) inOneStore(d *mutation) error {
	if err := m.readOther(d); err != nil {
		return err
	}
	at, err := d.holding(m.keep)
	if err != nil {
		return err
	}
	if at == m.gone {
		return fmt.Errorf("merge %s: %w", at.Tool(), ErrSameMemory)
	}
	if err := m.change(d); err != nil {
		return err
	}
	if d.c == nil {
		d.asked = request{kind: KindDelete, path: m.gone}
	}
	return d.remove(m.gone)
}

// readOther reads what the new version of keep is based on, after adopting the file.
func (m *merger) readOther(d *mutation) (err error) {
	if m.gone, err = d.holding(m.other); err != nil {
		return err
	}
	h, err := d.current(m.gone)
	if err != nil {
		return err
	}
	in, err := d.x.versionInputs(h.version)
	m.source, m.inputs = h.version, in.passedOn()
	return err
}

// change gives keep its text.
func (m *merger) change(d *mutation) error {
	at, err := d.holding(m.keep)
	if err != nil {
		return err
	}
	m.at = at
	if err := d.x.hasText(m.source, m.gone); err != nil {
		return err
	}
	plan, err := memfs.PlanWrite(d.tree(), at, m.text)
	if err != nil {
		return err
	}
	d.asked = request{kind: KindEdit, path: at}
	d.by.took |= m.inputs
	if err := d.withinLimits(plan); err != nil {
		return err
	}
	for _, op := range plan.Ops {
		if err := d.put(op.Path, op.Content, 0, m.source); err != nil {
			return err
		}
	}
	return nil
}

// deleteOther deletes the memory that was merged into one of another store.
func (m *merger) deleteOther(d *mutation, keeper *Store) error {
	at, err := d.holding(m.other)
	if err != nil {
		return err
	}
	made, err := d.x.madeOf(m.source, keeper, m.at)
	if err != nil {
		return err
	}
	d.asked = request{kind: KindDelete, path: at}
	return d.removeAt(at, made)
}

// holding returns where a memory is that is to be merged, if it still has the expected content.
func (d *mutation) holding(m Merging) (memfs.Path, error) {
	at, info, err := d.tree().Resolve(m.Path)
	switch {
	case memfs.Is(err, memfs.Absent):
		return at, &ConflictError{Path: m.Path, Want: m.SHA256}
	case err != nil:
		return at, err
	case info.Kind == memfs.Folder:
		return at, &memfs.OpError{Op: "merge", Path: m.Path, Err: memfs.ErrIsFolder}
	case info.Kind != memfs.File:
		return at, &memfs.OpError{Op: "merge", Path: m.Path, Err: memfs.ErrNotRegular}
	}
	h, err := d.current(at)
	if err != nil {
		return at, err
	}
	if h.sha != m.SHA256 {
		return at, &ConflictError{Path: m.Path, Want: m.SHA256, Now: h.sha}
	}
	return at, nil
}
