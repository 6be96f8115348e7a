package tree

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// unsaved holds the memories with drafts, by id and, for new ones, by path. It does not
// change.
type unsaved struct {
	memories map[versions.MemoryID]memfs.Path // where each one was then
	paths    map[memfs.Path]bool
}

// SetDrafts sets the drafts.
func (t *Pane) SetDrafts(drafts []drafts.Draft) {
	u := unsaved{map[versions.MemoryID]memfs.Path{}, map[memfs.Path]bool{}}
	for _, d := range drafts {
		if d.Memory != "" {
			u.memories[d.Memory] = d.Path
		} else {
			u.paths[d.Path] = true
		}
	}
	t.facts.drafts = u
	t.findUnsaved()
}

// Editing sets where unsaved text is being edited; the root means nowhere.
func (t *Pane) Editing(p memfs.Path) { t.facts.editing = p }

// unsaved reports whether an entry has unsaved text.
func (f *facts) unsaved(e *versions.Entry) bool {
	_, kept := f.drafts.memories[e.Memory]
	return kept && e.Memory != "" || e.Path == f.editing && !e.Path.IsRoot() || f.drafts.paths[e.Path]
}

// findUnsaved collects the folders above drafts, once for each reading: a memory may have
// been moved, and new memories count too.
func (t *Pane) findUnsaved() {
	t.unsavedIn = map[memfs.Path]bool{}
	above := func(p memfs.Path) {
		for dir := p.Dir(); !dir.IsRoot(); dir = dir.Dir() {
			t.unsavedIn[dir] = true
		}
	}
	for p := range t.facts.drafts.paths {
		above(p)
	}
	for m, p := range t.facts.drafts.memories {
		if n := t.memory(m); n != nil {
			p = n.path()
		}
		above(p)
	}
}

// memory returns the node of a memory, or nil if it does not exist or before the first
// reading.
func (t *Pane) memory(m versions.MemoryID) *node {
	if t.data == nil {
		return nil
	}
	return t.data.memory(m)
}

// isUnsaved reports whether a memory, or a memory in a folded folder, has unsaved text.
func (t *Pane) isUnsaved(n *node) bool {
	if n.entry != nil {
		return t.facts.unsaved(n.entry)
	}
	return !t.isOpen(n) && (t.unsavedIn[n.path()] || !t.facts.editing.IsRoot() && t.facts.editing.In(n.path()))
}
