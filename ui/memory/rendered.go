package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/syntax"
)

func (m *Pane) toggleRendered(int) tea.Cmd {
	m.rendered = !m.rendered
	m.sel = selection{}
	m.scroll(0)
	m.cur = spot{line: m.text.lineOf(m.text.begins(m.cur.line))}
	m.reveal()
	return nil
}

func (m *Pane) renderDisabled() string {
	switch {
	case !m.shown():
		return "no memory is open"
	case m.rendered:
		return ""
	case m.doc.md == nil && m.doc.lang == syntax.Markdown && m.doc.size > maxMarkdown:
		return "too large to render: over " + draw.Bytes(maxMarkdown)
	case m.doc.md == nil:
		return "it is no Markdown"
	}
	return ""
}
