package versions

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// ErrSameStore means that a copy or move between stores names one store twice.
var ErrSameStore = errors.New("both are the same store")

// Transfer is a memory, or a folder of memories, and its path in another store.
type Transfer struct{ From, To memfs.Path }

// OriginalError means that a move or merge between stores wrote the text to one store, and then could not delete the
// original in the other.
type OriginalError struct {
	What   string // what was written: "copy" or "merged text"
	Store  string // where it stands
	Path   memfs.Path
	Change int64 // that wrote it; 0 if it was there already
	From   string
	Left   memfs.Path // the original, in From
	Err    error
}

func (e *OriginalError) Error() string {
	by := ""
	if e.Change > 0 {
		by = fmt.Sprintf(" (change %d)", e.Change)
	}
	return fmt.Sprintf("store %s has the %s %s%s, but the original %s is still in store %s: %v", e.Store, e.What, e.Path.Tool(), by, e.Left.Tool(), e.From, e.Err)
}

func (e *OriginalError) Unwrap() error { return e.Err }

// inStore adds the name of a store to an error of one of two stores.
func inStore(s *Store, err error) error { return fmt.Errorf("store %s: %w", s.info.Name, err) }

// CopyTo copies memories, or all memories in folders, to another store of the home, as one change
// there. The destinations must be free. Each copy names the version that it was copied from
// (Version.Across). It counts as written after what the writer of that version had taken in. Links and
// special files are skipped.
//
// From a hosted store, what its replica has is copied, with what other programs wrote to its folder. To a
// hosted store, the memories are sent one by one, like any mutation of several memories there: a failure may
// be a *PartlyError, and what was sent stays.
func (s *Store) CopyTo(ctx context.Context, by By, other *Store, what ...Transfer) (Change, error) {
	all, err := s.readFor(ctx, other, what, func(d *mutation, out *crossing, what []Transfer) error { return d.readForCopy(out, what) })
	if err != nil {
		return Change{}, err
	}
	return other.mutate(ctx, by, func(d *mutation) error { return d.arrive(all) })
}

// MoveTo copies memories, or folders of memories, to another store of the home, and then deletes them here: two
// changes, each with its own undo. The earlier versions stay in this store; the deletion and the new memory
// name each other (Version.Across). A folder must hold nothing but memories. If the copy fails or is held, nothing is
// deleted. If the deletion fails or is held, the error is an *OriginalError, and the copy stays.
func (s *Store) MoveTo(ctx context.Context, by By, other *Store, what ...Transfer) (here, there Change, err error) {
	all, err := s.readFor(ctx, other, what, func(d *mutation, out *crossing, what []Transfer) error { return d.readForMove(out, what) })
	if err != nil {
		return here, there, err
	}
	leave := func(d *mutation) error { return d.leave(all, other) }
	if err = s.rehearse(ctx, by, leave); err != nil && !errors.As(err, new(*HeldError)) { // else each try would leave a copy
		return here, there, err
	}
	if there, err = other.mutate(ctx, by, func(d *mutation) error { return d.arrive(all) }); err != nil {
		return here, there, err
	}
	if here, err = s.mutate(ctx, by, leave); err != nil {
		err = &OriginalError{What: "copy", Store: other.info.Name, Path: common(all.to), Change: there.Number, From: s.info.Name, Left: common(all.from), Err: err}
	}
	return here, there, err
}

// Transfer is MoveTo or CopyTo for two stores that it opens. The change here is the zero Change for copies.
func (t *Trail) Transfer(ctx context.Context, by By, from, to StoreID, moves bool, what ...Transfer) (here, there Change, err error) {
	var stores [2]*Store
	for i, id := range []StoreID{from, to} {
		if stores[i], err = t.OpenStore(ctx, id); err != nil {
			return here, there, err
		}
		defer stores[i].Close()
	}
	if moves {
		return stores[0].MoveTo(ctx, by, stores[1], what...)
	}
	there, err = stores[0].CopyTo(ctx, by, stores[1], what...)
	return here, there, err
}

// readFor reads what is transferred to another store.
func (s *Store) readFor(ctx context.Context, other *Store, what []Transfer, read func(*mutation, *crossing, []Transfer) error) (all *crossing, err error) {
	if s.id == other.id {
		return nil, fmt.Errorf("%s: %w", s.info.Name, ErrSameStore)
	}
	err = s.reading(ctx, func(d *mutation) error {
		all = &crossing{}
		return read(d, all, what)
	})
	return all, err
}

// reading reads memories under the lock, after adopting their files.
func (s *Store) reading(ctx context.Context, read mutator) error {
	if err := s.t.mayChange(); err != nil {
		return err
	}
	return s.exclusively(ctx, func(ctx context.Context) error {
		return s.act(ctx, func(x *txn) (*mutation, error) {
			d := &mutation{x: x}
			return d, read(d)
		}, commitAndApply)
	})
}

// crossing is what goes from one store to another.
type crossing struct {
	act      string       // copy or move
	from, to []memfs.Path // as they were named
	memories []crosser
	inputs   Inputs // of those who wrote the texts
}

type crosser struct {
	path    memfs.Path
	to      memfs.Path
	content []byte
	sha     Hash
	version int64 // that has the content
	mode    fs.FileMode
}

func (d *mutation) readForCopy(out *crossing, what []Transfer) error {
	out.act = "copy"
	for _, t := range what {
		if err := d.readOne(out, t); err != nil {
			return err
		}
	}
	return nil
}

// readForMove refuses what is no memory, because it would be lost.
func (d *mutation) readForMove(out *crossing, what []Transfer) error {
	if err := d.readForCopy(out, what); err != nil {
		return err
	}
	out.act = "move"
	plan, err := memfs.PlanDelete(d.tree(), out.from...)
	if err != nil {
		return err
	}
	for _, op := range plan.Ops {
		if op.Was.Kind != memfs.Folder && out.at(op.Path) == nil {
			return fmt.Errorf("move %s: %s is not a memory, and only memories move to another store", common(out.from).Tool(), op.Path.Tool())
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

func (d *mutation) readOne(out *crossing, t Transfer) error {
	base, paths, err := d.sources(t.From)
	if err != nil {
		return err
	}
	out.from, out.to = append(out.from, t.From), append(out.to, t.To)
	for _, q := range paths {
		h, err := d.current(q)
		if err != nil {
			return err
		}
		if !h.live() {
			return errForeign
		}
		content, _, err := d.tree().Read(q, d.x.s.t.maxBytes)
		if err != nil {
			return err
		}
		if sum(content) != h.sha {
			return errForeign
		}
		in, err := d.x.versionInputs(h.version)
		if err != nil {
			return err
		}
		out.inputs |= in.passedOn()
		out.memories = append(out.memories, crosser{path: q, to: q.Move(base, t.To), content: content, sha: h.sha, version: h.version, mode: d.x.s.modeAt(q)})
	}
	return nil
}

// arrive creates the memories of another store here. It refuses a text that was redacted since it was read.
func (d *mutation) arrive(all *crossing) error {
	var plan memfs.Plan
	tree := d.tree()
	for _, to := range all.to {
		if err := free(tree, all.act, to); err != nil {
			return inStore(d.x.s, err)
		}
	}
	for _, m := range all.memories {
		if err := d.x.hasText(m.version, m.path); err != nil {
			return err
		}
		one, err := memfs.PlanCreate(tree, m.to, m.content)
		if err != nil {
			return err
		}
		plan.Ops = append(plan.Ops, one.Ops...)
	}
	d.asked = request{kind: KindEdit, path: common(all.to)}
	d.by.took |= all.inputs
	if err := d.withinLimits(plan); err != nil {
		return err
	}
	for i, op := range plan.Ops {
		m := &all.memories[i]
		if err := d.put(op.Path, op.Content, 0, m.version); err != nil {
			return err
		}
		d.steps[len(d.steps)-1].mode = m.mode
	}
	return nil
}

// hasText returns ErrRedacted if the text of a version of another store is gone.
func (x *txn) hasText(version int64, p memfs.Path) error {
	blob, err := x.blobOf(version)
	if errors.Is(err, sql.ErrNoRows) || err == nil && blob == 0 {
		return fmt.Errorf("copy %s: %w", p.Tool(), ErrRedacted)
	}
	return err
}

// leave deletes the memories that were copied to another store, if they still are what was copied.
func (d *mutation) leave(all *crossing, other *Store) error {
	plan, err := memfs.PlanDelete(d.tree(), all.from...)
	if err != nil {
		return err
	}
	d.asked = request{kind: KindDelete, path: common(all.from)}
	for _, op := range plan.Ops {
		copied := int64(0)
		switch m := all.at(op.Path); {
		case m != nil:
			h, err := d.current(op.Path)
			if err != nil {
				return err
			}
			if h.sha != m.sha {
				return &ConflictError{Path: op.Path, Want: m.sha, Now: h.sha}
			}
			if copied, err = d.x.madeOf(m.version, other, m.to); err != nil {
				return err
			}
		case op.Was.Kind != memfs.Folder:
			return fmt.Errorf("%s: %w", op.Path.Tool(), errNotCopied)
		}
		if err := d.removeAt(op.Path, copied); err != nil {
			return err
		}
	}
	return nil
}

var errNotCopied = errors.New("it was created meanwhile and is not copied")

// madeOf returns the version in another store that was made of one here; 0 if it is not the current one any more.
func (x *txn) madeOf(version int64, other *Store, at memfs.Path) (made int64, err error) {
	err = x.Row(`SELECT v.id FROM head h JOIN version v ON v.id=h.version WHERE h.store=? AND h.path=? AND v.source=?`, other.id, key(at), version).Scan(&made)
	return made, ignoreNoRows(err)
}

// acrossOf decodes the acrossColumn.
func acrossOf(text string) (*Across, error) {
	var a Across
	var store, version, path string
	if err := json.Unmarshal([]byte(text), &[]any{&store, &a.Name, &version, &a.Number, &path}); err != nil {
		return nil, errors.Join(ErrDamaged, err)
	}
	for _, id := range []struct {
		hex, prefix string
		set         func(string)
	}{
		{store, ids.StorePrefix, func(id string) { a.Store = StoreID(id) }},
		{version, ids.VersionPrefix, func(id string) { a.Version = VersionID(id) }},
	} {
		uid, err := hex.DecodeString(id.hex)
		if err != nil {
			return nil, errors.Join(ErrDamaged, err)
		}
		id.set(ids.Format(id.prefix, uid))
	}
	var err error
	a.Path, err = pathOf(path)
	return &a, err
}
