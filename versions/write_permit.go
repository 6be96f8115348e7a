package versions

import (
	"github.com/memend/memend/memfs"
)

// permitted rejects a change that its store or its actor may not make. All such rules
// belong here: every mutation, of replicas too, passes permitted after planning and before
// anything is written.
func (d *mutation) permitted(planErr error) error {
	if planErr != nil || d.c == nil {
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
	return d.x.refuseArchived()
}

// refuseUnnamed rejects files that a store of named files doesn't have.
func (d *mutation) refuseUnnamed() error {
	names := d.x.s.dir.Names()
	for _, st := range d.steps {
		for _, p := range []memfs.Path{st.path, st.to} {
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
func (d *mutation) refuseControl() error {
	refused := memfs.Path.Control
	switch {
	case d.asked.kind == KindImport && d.by.Person():
		refused = memfs.Path.RunsWhenOpened
	case d.by.Person():
		return nil
	}
	for _, st := range d.steps {
		for _, p := range []memfs.Path{st.path, st.to} {
			if refused(p) {
				return &memfs.OpError{Op: "write", Path: p, Err: memfs.ErrControlFile}
			}
		}
		if st.op != memfs.OpRename || st.old != (Hash{}) {
			continue
		}
		if err := d.refuseControlIn(st.path); err != nil {
			return err
		}
	}
	return nil
}

// refuseControlIn rejects the move of a folder that holds control files, at any depth.
func (d *mutation) refuseControlIn(p memfs.Path) error {
	info, err := d.x.s.dir.Lstat(p)
	if err != nil || info.Kind != memfs.Folder {
		return memfs.Ignore(err, memfs.NoMemory)
	}
	entries, err := d.x.s.dir.ReadDir(p)
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
