package core

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// permitted rejects a change that its store or its actor may not make. All such rules
// belong here: every mutation, of replicas too, passes permitted after planning and before
// anything is written.
func (d *Mutation) permitted(planErr error) error {
	if planErr != nil || d.Change == nil {
		return planErr
	}
	if err := d.refuseUnnamed(); err != nil {
		return err
	}
	if err := d.refuseControl(); err != nil {
		return err
	}
	if d.onlyDeletes() { // an archived store allows deletions, as in the memory-stores API
		return nil
	}
	return d.Txn.RefuseArchived()
}

// refuseUnnamed rejects files that a store of named files doesn't have.
func (d *Mutation) refuseUnnamed() error {
	names := d.Txn.Store.Dir.Names()
	for _, st := range d.Steps {
		for _, p := range []memfs.Path{st.Path, st.To} {
			if !p.IsRoot() && !names.Match(p) {
				return &memfs.OpError{Op: "write", Path: p, Err: &memfs.UnnamedError{Names: names}}
			}
		}
	}
	return nil
}

// refuseControl lets only a person change other tools' control files, and only through
// memend's own screens and commands. Of an import, whoever runs it, it rejects those that run when a tool opens the folder, because
// imported content was written elsewhere. What a folder holds counts as well: it moves and
// goes with its folder.
func (d *Mutation) refuseControl() error {
	refused := memfs.Path.Control
	switch {
	case d.Asked.Kind == versions.KindImport && d.By.Person():
		refused = memfs.Path.RunsWhenOpened
	case d.By.Person():
		return nil
	}
	for _, st := range d.Steps {
		for _, p := range []memfs.Path{st.Path, st.To} {
			if refused(p) {
				return &memfs.OpError{Op: "write", Path: p, Err: memfs.ErrControlFile}
			}
		}
		if st.Op != memfs.OpRename || st.Old != (versions.Hash{}) {
			continue
		}
		if err := d.refuseControlIn(st.Path); err != nil {
			return err
		}
	}
	return nil
}

// refuseControlIn rejects the move of a folder that holds control files, at any depth.
func (d *Mutation) refuseControlIn(p memfs.Path) error {
	info, err := d.Txn.Store.Dir.Lstat(p)
	if err != nil || info.Kind != memfs.Folder {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	entries, err := d.Txn.Store.Dir.ReadDir(p)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Path.Control() {
			return &memfs.OpError{Op: "write", Path: e.Path, Err: memfs.ErrControlFile}
		}
		if e.Kind != memfs.Folder {
			continue
		}
		if err := d.refuseControlIn(e.Path); err != nil {
			return err
		}
	}
	return nil
}
