package versions

import (
	"context"
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

// CopyTo copies a memory, or all memories in a folder, to a path in another store of the home, as one
// change there. The destination must be free. Each copy names the version that it was copied from
// (Version.Across). It counts as written after what the writer of that version had taken in. Links and
// special files are skipped.
func (s *Store) CopyTo(ctx context.Context, by By, from memfs.Path, other *Store, to memfs.Path) (Change, error) {
	_, there, err := s.across(ctx, by, from, other, to, false)
	return there, err
}

// MoveTo moves a memory, or a folder of memories, to a path in another store of the home: a copy there
// and a deletion here, as one act. Undoing or redoing one of the two changes does the same to the other. The
// earlier versions stay in this store; the deletion and the new memory name each other (Version.Across). A
// folder must hold nothing but memories. An act that either store's policy holds is denied.
func (s *Store) MoveTo(ctx context.Context, by By, from memfs.Path, other *Store, to memfs.Path) (here, there Change, err error) {
	return s.across(ctx, by, from, other, to, true)
}

func (s *Store) across(ctx context.Context, by By, from memfs.Path, other *Store, to memfs.Path, moves bool) (here, there Change, err error) {
	if s.id == other.id {
		return here, there, fmt.Errorf("%s: %w", s.info.Name, ErrSameStore)
	}
	var all crossing
	parts := []part{
		{s: s, reads: true, want: func(d *mutation) (err error) {
			all, err = d.crossing(from)
			return err
		}},
		{s: other, want: func(d *mutation) error { return d.arrive(&all, to) }},
	}
	if moves {
		parts = append(parts, part{s: s, want: func(d *mutation) error { return d.leave(&all, from) }})
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
	base     memfs.Path // the memory or folder, links resolved
	memories []crosser
	inputs   Inputs // of those who wrote the texts
}

type crosser struct {
	path    memfs.Path
	content []byte
	sha     Hash
	version int64 // that has the content
	mode    fs.FileMode
	made    int64 // the version in the other store
}

// crossing reads the memory at p, or all in the folder at p, after adopting their files.
func (d *mutation) crossing(p memfs.Path) (out crossing, err error) {
	base, paths, err := d.sources(p)
	if err != nil {
		return out, err
	}
	out.base = base
	for _, q := range paths {
		h, err := d.current(q)
		if err != nil {
			return out, err
		}
		if !h.live() {
			return out, errForeign
		}
		content, _, err := d.tree().Read(q, maxKeepBytes)
		if err != nil {
			return out, err
		}
		if sum(content) != h.sha {
			return out, errForeign
		}
		in, err := d.x.versionInputs(h.version)
		if err != nil {
			return out, err
		}
		out.inputs |= in.passedOn()
		out.memories = append(out.memories, crosser{path: q, content: content, sha: h.sha, version: h.version, mode: d.x.s.modeAt(q)})
	}
	return out, nil
}

// arrive creates the memories of another store here.
func (d *mutation) arrive(all *crossing, to memfs.Path) error {
	texts := make([][]byte, len(all.memories))
	paths := make([]memfs.Path, len(all.memories))
	for i, m := range all.memories {
		paths[i], texts[i] = m.path.Move(all.base, to), m.content
	}
	plan, err := d.planNew(all.base, to, paths, texts)
	if err != nil {
		return err
	}
	d.asked = request{kind: KindEdit, path: to}
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

// leave deletes the memories that were created in another store.
func (d *mutation) leave(all *crossing, from memfs.Path) error {
	plan, err := memfs.PlanDelete(d.tree(), from)
	if err != nil {
		return err
	}
	gone := map[memfs.Path]*crosser{}
	for i := range all.memories {
		gone[all.memories[i].path] = &all.memories[i]
	}
	d.asked = request{kind: KindDelete, path: from}
	for _, op := range plan.Ops {
		m := gone[op.Path]
		if m == nil {
			if op.Was.Kind != memfs.Folder {
				return fmt.Errorf("move %s: %s is not a memory, and only memories move to another store", from.Tool(), op.Path.Tool())
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
