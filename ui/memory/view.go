package memory

import (
	"errors"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// View returns exactly the rows and columns of SetSize.
func (m *Pane) View() string {
	v := &m.text
	dst := make([]byte, 0, v.h*(v.w*2+64))
	if v.bar > 0 {
		dst = append(m.topLine(dst), '\n')
	}
	row := m.pen().row
	if v.doc != nil && v.doc.folder != nil {
		row = m.folderRow
	} else if note, st := m.notice(); note != "" {
		row = m.noticeRow(note, st)
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

// noticeRow returns what draws a row of a notice, which is wrapped.
func (m *Pane) noticeRow(note string, st theme.Style) func(dst []byte, y int) []byte {
	v := &m.text
	width := max(v.w-4, 1)
	starts := text.Wrap(nil, note, width, 0, v.win.H)
	return func(dst []byte, y int) []byte {
		if v.win.H >= 4 {
			y--
		}
		if y < 0 || y >= len(starts) {
			return text.Spaces(dst, v.w)
		}
		dst = text.Spaces(dst, min(2, v.w))
		line := text.Line{Width: min(width, v.w-2), Base: st.On, Mark: m.env.Theme.HiddenChar.On}
		dst, cols := line.AppendRange(dst, note, starts[y], text.End(note, starts, y))
		return text.Spaces(dst, v.w-cols-2)
	}
}

// folderRow draws a row about a folder.
func (m *Pane) folderRow(dst []byte, y int) []byte {
	out := draw.NewRow(dst, m.text.w)
	if about := m.text.doc.folder; y >= 1 && y <= len(about) {
		st := m.env.Theme.Dim
		if y == 1 {
			st = theme.Style{}
		}
		out.Space(2)
		out.Put(about[y-1], st)
	}
	return out.End()
}
