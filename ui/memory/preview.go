package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
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
	if m.doc == nil || m.Path() != p {
		m.leave()
	}
	m.opens.Stop()
	m.doc, m.err, m.gone, m.head, m.opening = &document{path: p, folder: about, cut: -1}, nil, nil, nil, memfs.Root
	m.reset()
	m.divide()
	m.arrange()
	return nil
}

func (m *Pane) beginPreview() {
	if !m.previewing {
		m.previewing, m.before = true, m.visit()
	}
}

// ShowsFolder reports whether a folder is shown.
func (m *Pane) ShowsFolder() bool { return m.doc != nil && m.doc.folder != nil }

// Previewing reports whether a preview is shown.
func (m *Pane) Previewing() bool { return m.previewing }

// LoadsPreview reports whether a preview is not shown yet.
func (m *Pane) LoadsPreview() bool {
	return m.previewing && !m.opening.IsRoot() && m.err == nil && m.gone == nil
}

// EndPreview makes what is shown the open memory.
func (m *Pane) EndPreview() {
	m.previewing = false
	m.visits.arrive(m.before, m.Path())
}

// folderView draws the content of a folder.
func (m *Pane) folderView(dst []byte) []byte {
	for y := range m.win.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		p := draw.NewRow(dst, m.w)
		if i := y - 1; i >= 0 && i < len(m.doc.folder) {
			st := m.env.Theme.Dim
			if i == 0 {
				st = theme.Style{}
			}
			p.Space(2)
			p.Put(m.doc.folder[i], st)
		}
		dst = p.End()
	}
	return dst
}
