package versions

import (
	"slices"

	"github.com/memend/memend/memfs"
)

// permitted rejects a change that its store or its actor may not make. All such rules
// belong here: every mutation, of replicas too, passes permitted after planning and before
// anything is written.
func (d *mutation) permitted(planned error) error {
	if planned != nil || d.c == nil {
		return planned
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
// memend's own screens and commands. It rejects every import, whoever runs it, because
// imported content was written elsewhere. A folder may be deleted with the control files
// in it, because no tool obeys them then.
func (d *mutation) refuseControl() error {
	if d.by.Actor.Kind == Person && d.asked.kind != KindImport {
		return nil
	}
	for _, st := range d.steps {
		for _, p := range []memfs.Path{st.path, st.to} {
			if p.Control() && !(st.op == memfs.OpRemove && d.removes(holderOf(p))) {
				return &memfs.OpError{Op: "write", Path: p, Err: memfs.ErrControlFile}
			}
		}
	}
	return nil
}

// holderOf returns the folder that contains a control file, or the folder of such files.
func holderOf(p memfs.Path) memfs.Path {
	for p.Control() {
		p = p.Dir()
	}
	return p
}

func (d *mutation) removes(p memfs.Path) bool {
	return slices.ContainsFunc(d.steps, func(st step) bool { return st.op == memfs.OpRemove && st.path == p })
}
