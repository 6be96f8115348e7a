package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
)

// A preview shows a memory without opening it: going back leads to the memory that was open.

// Preview shows the memory at p.
func (m *Pane) Preview(p memfs.Path) tea.Cmd {
	m.beginPreview()
	return m.show(p, 0, nil)
}

// PreviewFolder shows what is in a folder: a summary, and lines about its content.
func (m *Pane) PreviewFolder(p memfs.Path, about []string) tea.Cmd {
	m.beginPreview()
	if m.Path() != p {
		m.leave()
	}
	m.opens.Stop()
	m.err, m.gone, m.head, m.opening = nil, nil, nil, memfs.Root
	m.setDocument(&document{path: p, folder: about, cut: -1})
	return nil
}

func (m *Pane) beginPreview() {
	if m.visits.before == nil {
		at := m.visit()
		m.visits.before = &at
	}
}

// ShowsFolder reports whether a folder is shown.
func (m *Pane) ShowsFolder() bool { return m.text.doc != nil && m.text.doc.folder != nil }

// Previewing reports whether a preview is shown.
func (m *Pane) Previewing() bool { return m.visits.before != nil }

// LoadsPreview reports whether a preview is not shown yet.
func (m *Pane) LoadsPreview() bool {
	return m.Previewing() && !m.opening.IsRoot() && m.err == nil && m.gone == nil
}

// EndPreview makes what is shown the open memory.
func (m *Pane) EndPreview() {
	from := *m.visits.before
	m.visits.before = nil
	m.visits.arrive(from, m.Path())
}
