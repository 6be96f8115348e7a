package tree

import (
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/drafts"
)

// unsaved are the memories with a text that is kept and not saved, by their ids and,
// where none had one yet, by their paths. It does not change.
type unsaved struct {
	memories map[versions.MemoryID]memfs.Path // where each was then
	paths    map[memfs.Path]bool
}

// SetDrafts says which texts are kept and not saved.
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

// Editing says where a text is being changed that is not saved; the root is nowhere.
func (t *Pane) Editing(p memfs.Path) { t.facts.editing = p }

// unsaved reports whether a text of an entry is not saved.
func (f *facts) unsaved(e *versions.Entry) bool {
	_, kept := f.drafts.memories[e.Memory]
	return kept && e.Memory != "" || e.Path == f.editing || f.drafts.paths[e.Path]
}

// findUnsaved notes the folders above what is not saved, once for each reading: a
// memory may have been moved, and what is not there yet counts too.
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

// memory is where a memory stands; nil when it doesn't, or before the first reading.
func (t *Pane) memory(m versions.MemoryID) *node {
	if t.data == nil {
		return nil
	}
	return t.data.memory(m)
}

// isUnsaved reports whether a text of a memory is not saved, or of one that a folded
// folder hides.
func (t *Pane) isUnsaved(n *node) bool {
	if n.entry != nil {
		return t.facts.unsaved(n.entry)
	}
	return !t.isOpen(n) && (t.unsavedIn[n.path()] || !t.facts.editing.IsRoot() && t.facts.editing.In(n.path()))
}
