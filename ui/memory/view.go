package memory

import (
	"errors"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/versions"
)

// View returns exactly the rows and columns of SetSize.
func (m *Pane) View() string {
	v := &m.text
	dst := make([]byte, 0, v.h*(v.w*2+64))
	if v.bar > 0 {
		dst = append(m.topLine(dst), '\n')
	}
	p := m.pen()
	row := p.row
	if m.ShowsFolder() {
		row = p.folder
	} else if note, st := m.notice(); note != "" {
		row = p.notice(note, st)
	}
	for y := range v.win.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = row(dst, v.win.Top+y)
	}
	return string(dst)
}

// notice returns why there is no text.
func (m *Pane) notice() (string, theme.Style) {
	switch d := m.text.doc; {
	case d == nil && m.gone != nil:
		return m.gone.notice(m.opening, m.keys.Hint("change.restore"), m.now), m.env.Theme.Warn
	case d == nil && errors.Is(m.err, versions.ErrFolderGone):
		return m.err.Error() + ": " + m.env.Hint("global.history") + " shows its versions", m.env.Theme.Warn
	case d == nil && errors.Is(m.err, memfs.ErrNotExist):
		return "no such memory: " + m.opening.String(), m.env.Theme.Error
	case d == nil && m.err != nil:
		return m.err.Error(), m.env.Theme.Error
	case d == nil && !m.opening.IsRoot():
		return "reading…", m.env.Theme.Dim
	case d == nil:
		return m.env.Hint("list.open") + " opens the memory under the cursor", m.env.Theme.Dim
	case d.why != "":
		return d.why, m.env.Theme.Warn
	case m.err != nil:
		return m.err.Error(), m.env.Theme.Error
	case d.size == 0:
		return "empty", m.env.Theme.Dim
	}
	return "", theme.Style{}
}
