package memory

import (
	"errors"
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// View returns exactly the rows and columns of SetSize.
func (m *Pane) View() string {
	dst := make([]byte, 0, m.rows*(m.w*2+64))
	if m.bar > 0 {
		dst = append(m.topLine(dst), '\n')
	}
	if m.doc != nil && m.doc.folder != nil {
		return string(m.folderView(dst))
	}
	if note, st := m.notice(); note != "" {
		return string(m.noticeView(dst, note, st))
	}
	if m.sheet != nil {
		return string(m.sheetView(dst))
	}
	p := m.pen()
	line, row := m.top.line, m.top.row
	for y := 0; y < m.h; line++ {
		dst, y = p.rows(dst, y, line, row)
		row = 0
	}
	return string(dst)
}

// notice returns why there is no text.
func (m *Pane) notice() (string, theme.Style) {
	switch d := m.doc; {
	case d == nil && m.gone != nil:
		return m.gone.notice(m.opening, m.keys.Hint("change.restore"), func(v versions.Version) string { return m.ago(v) }), m.env.Theme.Warn
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

func (m *Pane) noticeView(dst []byte, note string, st theme.Style) []byte {
	var buf [16]int
	width := max(m.w-4, 1)
	starts := text.Wrap(buf[:0], note, width, 0, m.h)
	for y := range m.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := y - 1
		if m.h < 4 {
			i = y
		}
		if i < 0 || i >= len(starts) {
			dst = text.Spaces(dst, m.w)
			continue
		}
		to := len(note)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		dst = text.Spaces(dst, min(2, m.w))
		cols := 0
		dst, cols = text.Line{Width: min(width, m.w-2), Base: st.On, Mark: m.env.Theme.HiddenChar.On}.AppendRange(dst, note, starts[i], to)
		dst = text.Spaces(dst, m.w-cols-2)
	}
	return dst
}

// rows draws the rows of a line from row on, in row y of the pane and those below it, and
// returns the row after them.
func (p *linePen) rows(dst []byte, y, line, row int) ([]byte, int) {
	m := p.m
	if line >= len(m.doc.lines) {
		return m.blank(dst, y), y + 1
	}
	if m.ruled(line) > 0 {
		if row == 0 {
			dst = m.cutRule(dst, y)
			y++
		}
		row = max(row-1, 0)
	}
	if y == m.h {
		return dst, y
	}
	s := m.doc.line(line)
	p.lineStyles(line, s)
	if !m.wrap {
		dst = p.start(dst, y, line, 0)
		return p.draw(dst, s, 0, len(s), m.col), y + 1
	}
	var buf [64]int
	starts := m.breaks(buf[:0], line)
	for ; row < len(starts) && y < m.h; row++ {
		to := len(s)
		if row+1 < len(starts) {
			to = starts[row+1]
		}
		dst = p.start(dst, y, line, row)
		dst = p.draw(dst, s, starts[row], to, 0)
		y++
	}
	return dst, y
}

// blank draws a row below the end.
func (m *Pane) blank(dst []byte, y int) []byte {
	if y > 0 {
		dst = append(dst, '\n')
	}
	return text.Spaces(dst, m.w)
}

// cutRule draws the rule where a MEMORY.md is cut.
func (m *Pane) cutRule(dst []byte, y int) []byte {
	if y > 0 {
		dst = append(dst, '\n')
	}
	p := draw.Pen{W: m.w}
	dst = p.Put(dst, strings.Repeat("┄", max(min(m.gutter()-1, m.w), 0)), m.env.Theme.Warn)
	legend := cutLegend
	if text.Width(legend+m.doc.cutBy)+1 > m.w-p.Used {
		legend = cutShort
	}
	dst = p.Clip(dst, legend+m.doc.cutBy+" ", m.w-p.Used, m.env.Theme.Warn)
	return p.Put(dst, strings.Repeat("┄", max(m.w-p.Used, 0)), m.env.Theme.Warn)
}

// start draws the beginning of a row: the blame, and the line number or a continuation
// mark.
func (p *linePen) start(dst []byte, y, line, row int) []byte {
	m := p.m
	if y > 0 {
		dst = append(dst, '\n')
	}
	if m.blame.on {
		dst = m.blameCell(dst, line, row, y == 0 || m.blame.blame.first(line))
	}
	n := m.numberWidth()
	if n == 0 {
		return dst
	}
	if row > 0 {
		dst = m.env.Theme.LineNumber.Append(text.Spaces(dst, n-2), "↪")
		if changed, _ := m.doc.changes().in(line, line+1); changed {
			return m.env.Theme.Changed.Append(dst, "▌")
		}
		return append(dst, ' ')
	}
	st := m.env.Theme.LineNumber
	if line == m.cur.line {
		st = m.env.Theme.LineNumberNow
	}
	return m.number(dst, line, line+1, st)
}

// number draws the number of a line: before it the cursor, and after it the mark of a finding in
// the lines from line on, before next, or of a change to them.
func (m *Pane) number(dst []byte, line, next int, st theme.Style) []byte {
	var buf [20]byte
	n := strconv.AppendInt(buf[:0], int64(line+1), 10)
	blank := m.numberWidth() - 1 - len(n)
	if line == m.cur.line && m.focused {
		dst = m.env.Theme.LineNumberNow.Append(dst, "▸")
		blank--
	}
	dst = text.Spaces(dst, blank)
	dst = append(dst, st.On...)
	dst = append(dst, n...)
	dst = append(dst, st.Off...)
	if m.doc.findingIn(line, next) != nil {
		return m.env.Theme.Warn.Append(dst, "!")
	}
	switch changed, gap := m.doc.changes().in(line, next); {
	case changed:
		return m.env.Theme.Changed.Append(dst, "▌")
	case gap:
		return m.env.Theme.Removed.Append(dst, "▔")
	}
	return append(dst, ' ')
}
