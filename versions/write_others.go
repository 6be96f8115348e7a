package versions

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
)

// ErrNotUndoable means that an undo could not bring back what a mutation would destroy. Nothing was
// written.
var ErrNotUndoable = errors.New("an undo could not bring it back")

// other is what a change did to something in the folder that has no versions: a link, a folder, a file
// over the limit, or a special file. A change records it, so that an undo restores it. The root as from
// means that it did not exist before, and as to that it does not exist afterwards; only links and
// folders have one.
type other struct {
	kind     memfs.Kind
	from, to memfs.Path
	target   string      // of a link
	mode     fs.FileMode // of a folder; 0: the usual one
}

// inverse returns what undoes o.
func (o other) inverse() other {
	o.from, o.to = o.to, o.from
	return o
}

// noteOthers records what the steps of a planned mutation do to entries without versions, and completes
// the steps with what reverts them. It fails if a step would destroy what no undo can create again.
func (d *mutation) noteOthers() error {
	made, removed := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	for i := range d.steps {
		st := &d.steps[i]
		var err error
		switch st.op {
		case memfs.OpRemove:
			err = d.noteRemoved(st)
			removed[st.path] = true
		case memfs.OpFolder:
			made[st.path] = true
			if info, err := d.x.s.dir.Lstat(st.path); err == nil && info.Kind == memfs.Folder { // it gets another mode
				st.was = info.Mode
				d.others = append(d.others, other{kind: memfs.Folder, from: st.path, mode: info.Mode})
			}
			d.others = append(d.others, other{kind: memfs.Folder, to: st.path, mode: st.mode})
		case memfs.OpLink:
			d.others = append(d.others, other{kind: memfs.Link, to: st.path, target: st.target})
		case memfs.OpRename:
			if st.old == (Hash{}) {
				err = d.noteMoved(st.path, st.to)
			}
		}
		if err != nil {
			return err
		}
		at := st.path
		if st.op == memfs.OpRename {
			at = st.to
		}
		if st.op != memfs.OpRemove && (st.op != memfs.OpPut || st.old == (Hash{})) {
			d.noteMade(at, made, removed)
		}
	}
	return nil
}

// noteMade records the folders that a step creates above a path, after others were made or removed.
func (d *mutation) noteMade(p memfs.Path, made, removed map[memfs.Path]bool) {
	var missing []other
	for dir := p.Dir(); !dir.IsRoot() && !made[dir]; dir = dir.Dir() {
		if info, err := d.x.s.dir.Lstat(dir); err == nil && info.Kind != memfs.File && !removed[dir] {
			break
		}
		made[dir] = true
		missing = append(missing, other{kind: memfs.Folder, to: dir})
	}
	slices.Reverse(missing)
	d.others = append(d.others, missing...)
}

func (d *mutation) noteRemoved(st *step) error {
	info, err := d.x.s.dir.Lstat(st.path)
	if err != nil {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	switch info.Kind {
	case memfs.Link:
		if strings.Contains(info.Target, otherSeparator) {
			return &memfs.OpError{Op: "delete", Path: st.path, Err: fmt.Errorf("the target of the link has a control character: %w", ErrNotUndoable)}
		}
		st.target = info.Target
		d.others = append(d.others, other{kind: memfs.Link, from: st.path, target: info.Target})
	case memfs.Folder:
		st.mode = info.Mode
		d.others = append(d.others, other{kind: memfs.Folder, from: st.path, mode: info.Mode})
	case memfs.Special:
		return &memfs.OpError{Op: "delete", Path: st.path, Err: fmt.Errorf("it is a pipe, a socket or a device: %w", ErrNotUndoable)}
	}
	return nil
}

// noteMoved records the move of an entry that is no memory, and of those that it contains.
func (d *mutation) noteMoved(from, to memfs.Path) error {
	info, err := d.x.s.dir.Lstat(from)
	if err != nil {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	if info.Kind == memfs.File && slices.ContainsFunc(d.versions, func(v versionRow) bool { return v.origin == from }) {
		return nil // a memory that has outgrown the limit
	}
	d.others = append(d.others, other{kind: info.Kind, from: from, to: to, target: info.Target, mode: info.Mode})
	if info.Kind != memfs.Folder {
		return nil
	}
	memories := map[memfs.Path]bool{}
	for _, v := range d.versions {
		memories[v.origin] = true
	}
	return d.noteInside(from, from, to, memories)
}

func (d *mutation) noteInside(dir, from, to memfs.Path, memories map[memfs.Path]bool) error {
	entries, err := d.x.s.dir.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Kind == memfs.File && memories[e.Path] {
			continue
		}
		d.others = append(d.others, other{kind: e.Kind, from: e.Path, to: e.Path.Move(from, to), target: e.Target, mode: e.Mode})
		if e.Kind == memfs.Folder {
			if err := d.noteInside(e.Path, from, to, memories); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOthers writes what a change did to entries without versions.
func (x *txn) recordOthers(c *changeRow, others []other) error {
	if len(others) == 0 {
		return nil
	}
	return x.Exec(`UPDATE change SET others=? WHERE id=?`, othersText(others), c.id)
}

// The trail stores others as texts with a separator that no path contains: kind, mode, from, to, target.
const (
	otherFields    = 5
	otherSeparator = "\x1f"
)

// othersSafe is the target of a link in the trail.
func othersSafe(target string) string { return strings.ReplaceAll(target, otherSeparator, "") }

func othersText(others []other) string {
	var out []string
	for _, o := range others {
		out = append(out, strconv.Itoa(int(o.kind)), strconv.FormatUint(uint64(o.mode), 8), key(o.from), key(o.to), othersSafe(o.target))
	}
	return strings.Join(out, otherSeparator)
}

func parseOthers(text string) (out []other, err error) {
	if text == "" { // a redaction erased it
		return nil, nil
	}
	for f := range slices.Chunk(strings.Split(text, otherSeparator), otherFields) {
		if len(f) < otherFields {
			return nil, fmt.Errorf("%w: a change lists others with %d fields", ErrDamaged, len(f))
		}
		kind, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, errors.Join(ErrDamaged, err)
		}
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return nil, errors.Join(ErrDamaged, err)
		}
		o := other{kind: memfs.Kind(kind), mode: fs.FileMode(mode), target: f[4]}
		if o.from, err = pathOf(f[2]); err != nil {
			return nil, err
		}
		if o.to, err = pathOf(f[3]); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
