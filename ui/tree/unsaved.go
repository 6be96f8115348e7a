package tree

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// unsaved is where text is not saved: the memories with drafts, by id and, for new ones, by path,
// and what is being edited. Its maps do not change.
type unsaved struct {
	memories map[versions.MemoryID]memfs.Path // where each one was then
	paths    map[memfs.Path]bool
	folders  map[memfs.Path]bool // above drafts, in the reading that is shown
	editing  memfs.Path          // the root for nowhere
}

// SetDrafts sets the drafts.
func (t *Pane) SetDrafts(drafts []drafts.Draft) {
	u := unsaved{memories: map[versions.MemoryID]memfs.Path{}, paths: map[memfs.Path]bool{}, editing: t.facts.unsaved.editing}
	for _, d := range drafts {
		if d.Memory != "" {
			u.memories[d.Memory] = d.Path
		} else {
			u.paths[d.Path] = true
		}
	}
	u.find(t.data)
	t.facts.unsaved = u
}

// Editing sets where unsaved text is being edited; the root means nowhere.
func (t *Pane) Editing(p memfs.Path) { t.facts.unsaved.editing = p }

// of reports whether an entry has unsaved text.
func (u *unsaved) of(e *versions.Entry) bool {
	_, kept := u.memories[e.Memory]
	return kept && e.Memory != "" || e.Path == u.editing && !e.Path.IsRoot() || u.paths[e.Path]
}

// below reports whether there is unsaved text in a folder.
func (u *unsaved) below(dir memfs.Path) bool {
	return u.folders[dir] || !u.editing.IsRoot() && u.editing.In(dir)
}

// find collects the folders above drafts, once for each reading: a memory may have been moved,
// and new memories count too.
func (u *unsaved) find(d *Data) {
	u.folders = map[memfs.Path]bool{}
	above := func(p memfs.Path) {
		for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
			u.folders[dir] = true
		}
	}
	for p := range u.paths {
		above(p)
	}
	for m, p := range u.memories {
		if d != nil {
			if n := d.memory(m); n != nil {
				p = n.path()
			}
		}
		above(p)
	}
}
