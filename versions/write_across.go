package versions

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions/ids"
)

// ErrSameStore means that a copy or move between stores names one store twice.
var ErrSameStore = errors.New("both are the same store")

// Transfer is a memory, or a folder of memories, and its path in another store.
type Transfer struct{ From, To memfs.Path }

// CopyTo copies memories, or all memories in folders, to another store of the home, as one change
// there. The destinations must be free. Each copy names the version that it was copied from
// (Version.Across). It counts as written after what the writer of that version had taken in. Links and
// special files are skipped.
//
// From a hosted store, what its replica has is copied, with what other programs wrote to its folder. To a
// hosted store, the memories are sent one by one, like any mutation of several memories there: a failure may
// be a *PartlyError, and what was sent stays.
func (s *Store) CopyTo(ctx context.Context, by By, other *Store, what ...Transfer) (Change, error) {
	_, there, err := s.across(ctx, by, other, what, false)
	return there, err
}

// MoveTo moves memories, or folders of memories, to another store of the home: copies there and deletions
// here, as one act. Undoing or redoing one of the two changes does the same to the other. The
// earlier versions stay in this store; the deletion and the new memory name each other (Version.Across). A
// folder must hold nothing but memories. An act that either store's policy holds is denied, and one with a
// hosted store is ErrServed.
func (s *Store) MoveTo(ctx context.Context, by By, other *Store, what ...Transfer) (here, there Change, err error) {
	return s.across(ctx, by, other, what, true)
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
	return stores[0].across(ctx, by, stores[1], what, moves)
}

func (s *Store) across(ctx context.Context, by By, other *Store, what []Transfer, moves bool) (here, there Change, err error) {
	if s.id == other.id {
		return here, there, fmt.Errorf("%s: %w", s.info.Name, ErrSameStore)
	}
	var all crossing
	read := part{s: s, reads: true, want: func(d *mutation) error {
		all = crossing{}
		for _, t := range what {
			if err := d.readFor(&all, t); err != nil {
				return err
			}
		}
		return nil
	}}
	if other.hosted() && !moves { // its service can't be part of one commit
		if _, err = s.t.mutateTogether(ctx, by, read); err == nil {
			there, err = other.mutate(ctx, by, func(d *mutation) error { return d.arriveLater(&all) })
		}
		return here, there, err
	}
	parts := []part{read, {s: other, want: func(d *mutation) error { return d.arrive(&all) }}}
	if moves {
		parts = append(parts, part{s: s, want: func(d *mutation) error { return d.leave(&all) }})
	}
	cs, err := s.t.mutateTogether(ctx, by, parts...)
	if err != nil {
		return here, there, err
	}
	if moves {
		here = cs[2]
	}
	return here, cs[1], nil
}

// crossing is what goes from one store to another.
type crossing struct {
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
	made    int64 // the version in the other store
}

// readFor reads what is transferred, after adopting its files.
func (d *mutation) readFor(out *crossing, t Transfer) error {
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
		content, _, err := d.tree().Read(q, maxKeepBytes)
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

// arrive creates the memories of another store here.
func (d *mutation) arrive(all *crossing) error {
	var plan memfs.Plan
	tree := d.tree()
	for i, to := range all.to {
		if err := free(tree, all.from[i], to); err != nil {
			return err
		}
	}
	for _, m := range all.memories {
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
		m.made = d.versions[len(d.versions)-1].id
		d.steps[len(d.steps)-1].mode = m.mode
	}
	return nil
}

// arriveLater is arrive for memories that were read in an earlier transaction. It refuses a text that was
// redacted since.
func (d *mutation) arriveLater(all *crossing) error {
	for _, m := range all.memories {
		blob, err := d.x.blobOf(m.version)
		if errors.Is(err, sql.ErrNoRows) || err == nil && blob == 0 {
			err = fmt.Errorf("copy %s: %w", m.path.Tool(), ErrRedacted)
		}
		if err != nil {
			return err
		}
	}
	return d.arrive(all)
}

// leave deletes the memories that were created in another store.
func (d *mutation) leave(all *crossing) error {
	plan, err := memfs.PlanDelete(d.tree(), all.from...)
	if err != nil {
		return err
	}
	gone := map[memfs.Path]*crosser{}
	for i := range all.memories {
		gone[all.memories[i].path] = &all.memories[i]
	}
	d.asked = request{kind: KindDelete, path: common(all.from)}
	for _, op := range plan.Ops {
		m := gone[op.Path]
		if m == nil {
			if op.Was.Kind != memfs.Folder {
				return fmt.Errorf("move %s: %s is not a memory, and only memories move to another store", d.asked.path.Tool(), op.Path.Tool())
			}
			m = &crosser{}
		} else if h, err := d.current(op.Path); err != nil {
			return err
		} else if h.sha != m.sha {
			return errForeign
		}
		if err := d.moveAway(op.Path, m.made); err != nil {
			return err
		}
	}
	return nil
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
