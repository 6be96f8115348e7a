package core

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// Other is what a change did to something in the folder that has no versions: a link, a folder, a file
// over the limit, or a special file. A change records it, so that an undo restores it. The root as from
// means that it did not exist before, and as to that it does not exist afterwards; only links and
// folders have one.
type Other struct {
	Kind     memfs.Kind
	From, To memfs.Path
	Target   string      // of a link
	Mode     fs.FileMode // of a folder; 0: the usual one
}

// Inverse returns what undoes o.
func (o Other) Inverse() Other {
	o.From, o.To = o.To, o.From
	return o
}

// noteOthers records what the steps of a planned mutation do to entries without versions, and completes
// the steps with what reverts them. It fails if a step would destroy what no undo can create again.
func (d *Mutation) noteOthers() error {
	made, removed := map[memfs.Path]bool{}, map[memfs.Path]bool{}
	for i := range d.Steps {
		st := &d.Steps[i]
		var err error
		switch st.Op {
		case memfs.OpRemove:
			err = d.noteRemoved(st)
			removed[st.Path] = true
		case memfs.OpFolder:
			made[st.Path] = true
			if info, err := d.Txn.Store.Dir.Lstat(st.Path); err == nil && info.Kind == memfs.Folder { // it gets another mode
				st.was = info.Mode
				d.others = append(d.others, Other{Kind: memfs.Folder, From: st.Path, Mode: info.Mode})
			}
			d.others = append(d.others, Other{Kind: memfs.Folder, To: st.Path, Mode: st.Mode})
		case memfs.OpLink:
			d.others = append(d.others, Other{Kind: memfs.Link, To: st.Path, Target: st.Target})
		case memfs.OpRename:
			if st.Old == (versions.Hash{}) {
				err = d.noteMoved(st.Path, st.To)
			}
		}
		if err != nil {
			return err
		}
		at := st.Path
		if st.Op == memfs.OpRename {
			at = st.To
		}
		if st.Op != memfs.OpRemove && (st.Op != memfs.OpPut || st.Old == (versions.Hash{})) {
			d.noteMade(at, made, removed)
		}
	}
	return nil
}

// noteMade records the folders that a step creates above a path, after others were made or removed.
func (d *Mutation) noteMade(p memfs.Path, made, removed map[memfs.Path]bool) {
	var missing []Other
	for dir := p.Dir(); !dir.IsRoot() && !made[dir]; dir = dir.Dir() {
		if info, err := d.Txn.Store.Dir.Lstat(dir); err == nil && info.Kind != memfs.File && !removed[dir] {
			break
		}
		made[dir] = true
		missing = append(missing, Other{Kind: memfs.Folder, To: dir})
	}
	slices.Reverse(missing)
	d.others = append(d.others, missing...)
}

func (d *Mutation) noteRemoved(st *Step) error {
	info, err := d.Txn.Store.Dir.Lstat(st.Path)
	if err != nil {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	switch info.Kind {
	case memfs.Link:
		if strings.Contains(info.Target, OtherSeparator) {
			return &memfs.OpError{Op: "delete", Path: st.Path, Err: fmt.Errorf("the target of the link has a control character: %w", versions.ErrNotUndoable)}
		}
		st.Target = info.Target
		d.others = append(d.others, Other{Kind: memfs.Link, From: st.Path, Target: info.Target})
	case memfs.Folder:
		st.Mode = info.Mode
		d.others = append(d.others, Other{Kind: memfs.Folder, From: st.Path, Mode: info.Mode})
	case memfs.Special:
		return &memfs.OpError{Op: "delete", Path: st.Path, Err: fmt.Errorf("it is a pipe, a socket or a device: %w", versions.ErrNotUndoable)}
	}
	return nil
}

// noteMoved records the move of an entry that is no memory, and of those that it contains.
func (d *Mutation) noteMoved(from, to memfs.Path) error {
	info, err := d.Txn.Store.Dir.Lstat(from)
	if err != nil {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	if info.Kind == memfs.File && slices.ContainsFunc(d.Versions, func(v VersionRow) bool { return v.Origin == from }) {
		return nil // a memory that has outgrown the limit
	}
	d.others = append(d.others, Other{Kind: info.Kind, From: from, To: to, Target: info.Target, Mode: info.Mode})
	if info.Kind != memfs.Folder {
		return nil
	}
	memories := map[memfs.Path]bool{}
	for _, v := range d.Versions {
		memories[v.Origin] = true
	}
	return d.noteInside(from, from, to, memories)
}

func (d *Mutation) noteInside(dir, from, to memfs.Path, memories map[memfs.Path]bool) error {
	entries, err := d.Txn.Store.Dir.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Kind == memfs.File && memories[e.Path] {
			continue
		}
		d.others = append(d.others, Other{Kind: e.Kind, From: e.Path, To: e.Path.Move(from, to), Target: e.Target, Mode: e.Mode})
		if e.Kind == memfs.Folder {
			if err := d.noteInside(e.Path, from, to, memories); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOthers writes what a change did to entries without versions.
func (x *Txn) recordOthers(c *ChangeRow, others []Other) error {
	if len(others) == 0 {
		return nil
	}
	return x.Exec(`UPDATE change SET others=? WHERE id=?`, othersText(others), c.ID)
}

// The trail stores others as texts with a separator that no path contains: kind, mode, from, to, target.
const (
	otherFields    = 5
	OtherSeparator = "\x1f"
)

// othersSafe is the target of a link in the trail.
func othersSafe(target string) string { return strings.ReplaceAll(target, OtherSeparator, "") }

func othersText(others []Other) string {
	var out []string
	for _, o := range others {
		out = append(out, strconv.Itoa(int(o.Kind)), strconv.FormatUint(uint64(o.Mode), 8), versions.Key(o.From), versions.Key(o.To), othersSafe(o.Target))
	}
	return strings.Join(out, OtherSeparator)
}

// ParseOthers reads what a change did to links, folders and files without versions.
func ParseOthers(text string) (out []Other, err error) {
	if text == "" { // a redaction erased it
		return nil, nil
	}
	for f := range slices.Chunk(strings.Split(text, OtherSeparator), otherFields) {
		if len(f) < otherFields {
			return nil, fmt.Errorf("%w: a change lists others with %d fields", versions.ErrDamaged, len(f))
		}
		kind, err := strconv.Atoi(f[0])
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		mode, err := strconv.ParseUint(f[1], 8, 32)
		if err != nil {
			return nil, errors.Join(versions.ErrDamaged, err)
		}
		o := Other{Kind: memfs.Kind(kind), Mode: fs.FileMode(mode), Target: f[4]}
		if o.From, err = PathOf(f[2]); err != nil {
			return nil, err
		}
		if o.To, err = PathOf(f[3]); err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}
