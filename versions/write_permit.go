package versions

import (
	"slices"

	"github.com/memend/memend/memfs"
)

// permitted refuses a change that its store or its actor may not make. It is the one
// place for such rules: every mutation passes it, of replicas too, after it was planned
// and before anything is written.
func (d *mutation) permitted(planned error) error {
	if planned != nil || d.c == nil {
		return planned
	}
	if err := d.refuseControl(); err != nil {
		return err
	}
	if d.onlyDeletes() { // which an archived store allows, as in the memory-stores API
		return nil
	}
	return d.x.refuseArchived()
}

// refuseControl keeps everybody but a person at memend's own screens and commands
// from other tools' control files. An import is refused whoever runs it: what it
// brings was written elsewhere. A folder may be deleted with those that lie in it, for
// nothing obeys them then.
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

// holderOf is the folder in which a control file lies, or the folder of such files.
func holderOf(p memfs.Path) memfs.Path {
	for p.Control() {
		p = p.Dir()
	}
	return p
}

func (d *mutation) removes(p memfs.Path) bool {
	return slices.ContainsFunc(d.steps, func(st step) bool { return st.op == memfs.OpRemove && st.path == p })
}
