package core

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/internal/tables"
)

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
				d.others = append(d.others, tables.Other{Kind: memfs.Folder, From: st.Path, Mode: info.Mode})
			}
			d.others = append(d.others, tables.Other{Kind: memfs.Folder, To: st.Path, Mode: st.Mode})
		case memfs.OpLink:
			d.others = append(d.others, tables.Other{Kind: memfs.Link, To: st.Path, Target: st.Target})
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
	var missing []tables.Other
	for dir := p.Dir(); !dir.IsRoot() && !made[dir]; dir = dir.Dir() {
		if info, err := d.Txn.Store.Dir.Lstat(dir); err == nil && info.Kind != memfs.File && !removed[dir] {
			break
		}
		made[dir] = true
		missing = append(missing, tables.Other{Kind: memfs.Folder, To: dir})
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
		if strings.Contains(info.Target, tables.OtherSeparator) {
			return &memfs.OpError{Op: "delete", Path: st.Path, Err: fmt.Errorf("the target of the link has a control character: %w", versions.ErrNotUndoable)}
		}
		st.Target = info.Target
		d.others = append(d.others, tables.Other{Kind: memfs.Link, From: st.Path, Target: info.Target})
	case memfs.Folder:
		st.Mode = info.Mode
		d.others = append(d.others, tables.Other{Kind: memfs.Folder, From: st.Path, Mode: info.Mode})
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
	d.others = append(d.others, tables.Other{Kind: info.Kind, From: from, To: to, Target: info.Target, Mode: info.Mode})
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
		d.others = append(d.others, tables.Other{Kind: e.Kind, From: e.Path, To: e.Path.Move(from, to), Target: e.Target, Mode: e.Mode})
		if e.Kind == memfs.Folder {
			if err := d.noteInside(e.Path, from, to, memories); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordOthers writes what a change did to entries without versions.
func (x *Txn) recordOthers(c *ChangeRow, others []tables.Other) {
	if len(others) == 0 {
		return
	}
	x.Exec(`UPDATE change SET others=? WHERE id=?`, tables.OthersText(others), c.ID)
}
