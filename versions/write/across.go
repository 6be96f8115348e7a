package write

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/core"
	"github.com/memend/memend/versions/internal/tables"
)

// inStore adds the name of a store to an error of one of two stores.
func inStore(s *core.Store, err error) error { return fmt.Errorf("store %s: %w", s.Opened.Name, err) }

// CopyTo copies memories, or all memories in folders, to another store of the home, as one change
// there. The destinations must be free. Each copy names the version that it was copied from
// (Version.Across). It counts as written after what the writer of that version had taken in. Links and
// special files are skipped.
//
// From a hosted store, what its replica has is copied, with what other programs wrote to its folder. To a
// hosted store, the memories are sent one by one, like any mutation of several memories there: a failure may
// be a *PartlyError, and what was sent stays.
func CopyTo(ctx context.Context, s *core.Store, by versions.By, other *core.Store, what ...versions.Transfer) (versions.Change, error) {
	all, err := readFor(ctx, s, other, what, func(d *core.Mutation, out *crossing, what []versions.Transfer) error {
		return readForCopy(d, out, what)
	})
	if err != nil {
		return versions.Change{}, err
	}
	return core.Mutate(ctx, other, by, func(d *core.Mutation) error { return createCopies(d, all) })
}

// MoveTo copies memories, or folders of memories, to another store of the home, and then deletes them here: two
// changes, each with its own undo. The earlier versions stay in this store; the deletion and the new memory
// name each other (Version.Across). A folder must hold nothing but memories. If the copy fails or is held, nothing is
// deleted. If the deletion fails or is held, the error is an *OriginalError, and the copy stays.
func MoveTo(ctx context.Context, s *core.Store, by versions.By, other *core.Store, what ...versions.Transfer) (here, there versions.Change, err error) {
	all, err := readFor(ctx, s, other, what, func(d *core.Mutation, out *crossing, what []versions.Transfer) error {
		return readForMove(d, out, what)
	})
	if err != nil {
		return here, there, err
	}
	remove := func(d *core.Mutation) error { return deleteOriginals(d, all, other) }
	if err = core.Rehearse(ctx, s, by, remove); err != nil && !errors.As(err, new(*versions.HeldError)) { // else each try would leave a copy
		return here, there, err
	}
	if there, err = core.Mutate(ctx, other, by, func(d *core.Mutation) error { return createCopies(d, all) }); err != nil {
		return here, there, err
	}
	if here, err = core.Mutate(ctx, s, by, remove); err != nil {
		err = &versions.OriginalError{What: "copy", Store: other.Opened.Name, Path: versions.Common(all.to), Change: there.Number, From: s.Opened.Name, Left: versions.Common(all.from), Err: err}
	}
	return here, there, err
}

// Transfer is MoveTo or CopyTo for two stores that it opens. The change here is the zero Change for copies.
func Transfer(ctx context.Context, t *core.Trail, by versions.By, from, to versions.StoreID, moves bool, what ...versions.Transfer) (here, there versions.Change, err error) {
	var stores [2]*core.Store
	for i, id := range []versions.StoreID{from, to} {
		if stores[i], err = t.OpenStore(ctx, id); err != nil {
			return here, there, err
		}
		defer stores[i].Close()
	}
	if moves {
		return MoveTo(ctx, stores[0], by, stores[1], what...)
	}
	there, err = CopyTo(ctx, stores[0], by, stores[1], what...)
	return here, there, err
}

// readFor reads what is transferred to another store.
func readFor(ctx context.Context, s *core.Store, other *core.Store, what []versions.Transfer, read func(*core.Mutation, *crossing, []versions.Transfer) error) (all *crossing, err error) {
	if s.Row == other.Row {
		return nil, fmt.Errorf("%s: %w", s.Opened.Name, versions.ErrSameStore)
	}
	err = reading(ctx, s, func(d *core.Mutation) error {
		all = &crossing{}
		return read(d, all, what)
	})
	return all, err
}

// reading reads memories under the lock, after adopting their files.
func reading(ctx context.Context, s *core.Store, read core.Mutator) error {
	if err := core.MayChange(s.Trail); err != nil {
		return err
	}
	return core.Exclusively(ctx, s, func(ctx context.Context) error {
		return core.Act(ctx, s, func(x *core.Txn) (*core.Mutation, error) {
			d := &core.Mutation{Txn: x}
			return d, read(d)
		}, core.CommitAndApply)
	})
}

// crossing is what goes from one store to another.
type crossing struct {
	act      string       // copy or move
	from, to []memfs.Path // as they were named
	memories []crosser
	inputs   versions.Inputs // of those who wrote the texts
}

type crosser struct {
	path    memfs.Path
	to      memfs.Path
	content []byte
	sha     versions.Hash
	version int64 // that has the content
	mode    fs.FileMode
}

func readForCopy(d *core.Mutation, out *crossing, what []versions.Transfer) error {
	out.act = "copy"
	for _, t := range what {
		if err := readOne(d, out, t); err != nil {
			return err
		}
	}
	return nil
}

// readForMove refuses what is no memory, because it would be lost.
func readForMove(d *core.Mutation, out *crossing, what []versions.Transfer) error {
	if err := readForCopy(d, out, what); err != nil {
		return err
	}
	out.act = "move"
	plan, err := memfs.PlanDelete(d.Tree(), out.from...)
	if err != nil {
		return err
	}
	for _, op := range plan.Ops {
		if op.Was.Kind != memfs.Folder && out.at(op.Path) == nil {
			return fmt.Errorf("move %s: %s is not a memory, and only memories move to another store", versions.Common(out.from).Tool(), op.Path.Tool())
		}
	}
	return nil
}

// at returns the memory that was read at a path, or nil.
func (c *crossing) at(p memfs.Path) *crosser {
	if i := slices.IndexFunc(c.memories, func(m crosser) bool { return m.path == p }); i >= 0 {
		return &c.memories[i]
	}
	return nil
}

func readOne(d *core.Mutation, out *crossing, t versions.Transfer) error {
	base, paths, err := sources(d, t.From)
	if err != nil {
		return err
	}
	out.from, out.to = append(out.from, t.From), append(out.to, t.To)
	for _, q := range paths {
		h, err := d.Current(q)
		if err != nil {
			return err
		}
		if !h.Live() {
			return core.ErrForeign
		}
		content, _, err := d.Tree().Read(q, d.Txn.Store.Trail.MaxBytes)
		if err != nil {
			return err
		}
		if versions.Sum(content) != h.SHA {
			return core.ErrForeign
		}
		in, err := d.Txn.VersionInputs(h.Version)
		if err != nil {
			return err
		}
		out.inputs |= tables.PassedOn(in)
		out.memories = append(out.memories, crosser{path: q, to: q.Move(base, t.To), content: content, sha: h.SHA, version: h.Version, mode: core.ModeAt(d.Txn.Store, q)})
	}
	return nil
}

// createCopies creates the memories of another store here. It refuses a text that was redacted since it was read.
func createCopies(d *core.Mutation, all *crossing) error {
	var plan memfs.Plan
	tree := d.Tree()
	for _, to := range all.to {
		if err := free(tree, all.act, to); err != nil {
			return inStore(d.Txn.Store, err)
		}
	}
	for _, m := range all.memories {
		if err := hasText(d.Txn, m.version, m.path); err != nil {
			return err
		}
		one, err := memfs.PlanCreate(tree, m.to, m.content)
		if err != nil {
			return err
		}
		plan.Ops = append(plan.Ops, one.Ops...)
	}
	d.Asked = core.Request{Kind: versions.KindEdit, Path: versions.Common(all.to)}
	d.By.Took |= all.inputs
	if err := d.WithinLimits(plan); err != nil {
		return err
	}
	for i, op := range plan.Ops {
		m := &all.memories[i]
		if err := d.Put(op.Path, op.Content, 0, m.version); err != nil {
			return err
		}
		d.Steps[len(d.Steps)-1].Mode = m.mode
	}
	return nil
}

// hasText returns ErrRedacted if the text of a version of another store is gone.
func hasText(x *core.Txn, version int64, p memfs.Path) error {
	blob, err := x.BlobOf(version)
	if errors.Is(err, sql.ErrNoRows) || err == nil && blob == 0 {
		return fmt.Errorf("copy %s: %w", p.Tool(), versions.ErrRedacted)
	}
	return err
}

// deleteOriginals deletes the memories that were copied to another store, if they still are what was copied.
func deleteOriginals(d *core.Mutation, all *crossing, other *core.Store) error {
	plan, err := memfs.PlanDelete(d.Tree(), all.from...)
	if err != nil {
		return err
	}
	d.Asked = core.Request{Kind: versions.KindDelete, Path: versions.Common(all.from)}
	for _, op := range plan.Ops {
		copied := int64(0)
		switch m := all.at(op.Path); {
		case m != nil:
			h, err := d.Current(op.Path)
			if err != nil {
				return err
			}
			if h.SHA != m.sha {
				return &versions.ConflictError{Path: op.Path, Want: m.sha, Now: h.SHA}
			}
			if copied, err = madeOf(d.Txn, m.version, other, m.to); err != nil {
				return err
			}
		case op.Was.Kind != memfs.Folder:
			return fmt.Errorf("%s: %w", op.Path.Tool(), errNotCopied)
		}
		if err := d.RemoveAt(op.Path, copied); err != nil {
			return err
		}
	}
	return nil
}

var errNotCopied = errors.New("it was created meanwhile and is not copied")

// madeOf returns the version in another store that was made of one here; 0 if it is not the current one any more.
func madeOf(x *core.Txn, version int64, other *core.Store, at memfs.Path) (made int64, err error) {
	err = x.Row(`SELECT v.id FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND h.path=? AND v.source=?`, other.Row, versions.Key(at), version).Scan(&made)
	return made, tables.IgnoreNoRows(err)
}
