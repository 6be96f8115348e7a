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
	p := m.pen()
	for y := range m.win.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		dst = p.row(dst, m.win.Top+y)
	}
	return string(dst)
}

// row draws a row of the text.
func (p *linePen) row(dst []byte, i int) []byte {
	t := &p.m.text
	row, rule := t.row(i)
	switch {
	case i >= t.len():
		return text.Spaces(dst, p.m.w)
	case rule:
		return p.m.cutRule(dst)
	case t.md != nil:
		return p.rendered(dst, i, row)
	}
	return p.raw(dst, i)
}

// raw draws a row of the text as it is.
func (p *linePen) raw(dst []byte, i int) []byte {
	m := p.m
	at := m.text.source(i)
	s := m.doc.line(at.line)
	if p.at != at.line+1 {
		p.lineStyles(at.line, s)
	}
	to := m.text.end(i, s)
	dst = p.start(dst, at.line, at.at > 0, i == m.win.Top)
	return p.draw(dst, s, at.at, to, m.col)
}

// rendered draws a row of the rendered text.
func (p *linePen) rendered(dst []byte, i, row int) []byte {
	m := p.m
	line := m.text.lineOf(i)
	before := -1
	if i > 0 {
		before = m.text.lineOf(i - 1)
	}
	if i > 0 && i-1 == m.text.cut {
		before--
	}
	goesOn := before == line
	if m.blame.on {
		dst = m.blameCell(dst, line, !goesOn, i == m.win.Top || m.blame.blame.run(line) != m.blame.blame.run(before))
	}
	if n := m.numberWidth(); n == 0 || goesOn {
		dst = text.Spaces(dst, n)
	} else {
		next := len(m.doc.lines)
		if i+1 < m.text.len() {
			next = m.text.lineOf(i + 1)
		}
		dst = m.number(dst, line, max(next, line+1))
	}
	f := &m.find
	p.page.Base = m.renderedBase(i, line)
	p.page.Find = p.finder(f.now >= 0 && f.now < len(f.hits) && m.text.of(spot(f.hits[f.now])) == i)
	return m.text.md.Append(dst, row, p.page)
}

// renderedBase returns the base style of a rendered row.
func (m *Pane) renderedBase(i, line int) string {
	if _, _, ok := m.sel.part(line, 0); ok {
		return m.env.Theme.Selection.On
	}
	if changed, _ := m.doc.marks.in(line, line+1); changed && m.flash {
		return m.env.Theme.Flash.On
	}
	if m.text.cut >= 0 && i > m.text.cut {
		return m.env.Theme.Dim.On
	}
	return ""
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
	starts := text.Wrap(buf[:0], note, width, 0, m.win.H)
	for y := range m.win.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		i := y - 1
		if m.win.H < 4 {
			i = y
		}
		if i < 0 || i >= len(starts) {
			dst = text.Spaces(dst, m.w)
			continue
		}
		dst = text.Spaces(dst, min(2, m.w))
		cols := 0
		dst, cols = text.Line{Width: min(width, m.w-2), Base: st.On, Mark: m.env.Theme.HiddenChar.On}.AppendRange(dst, note, starts[i], text.End(note, starts, i))
		dst = text.Spaces(dst, m.w-cols-2)
	}
	return dst
}

// cutRule draws the rule where a MEMORY.md is cut.
func (m *Pane) cutRule(dst []byte) []byte {
	p := draw.NewRow(dst, m.w)
	p.Put(strings.Repeat("┄", max(min(m.gutter()-1, m.w), 0)), m.env.Theme.Warn)
	legend := cutLegend
	if text.Width(legend+m.doc.cutBy)+1 > m.w-p.Used {
		legend = cutShort
	}
	p.Clip(legend+m.doc.cutBy+" ", m.w-p.Used, m.env.Theme.Warn)
	p.Put(strings.Repeat("┄", max(m.w-p.Used, 0)), m.env.Theme.Warn)
	return p.End()
}

// start draws the beginning of a row: the blame, and the line number or a continuation
// mark.
func (p *linePen) start(dst []byte, line int, goesOn, top bool) []byte {
	m := p.m
	if m.blame.on {
		dst = m.blameCell(dst, line, !goesOn, top || m.blame.blame.first(line))
	}
	n := m.numberWidth()
	switch {
	case n == 0:
		return dst
	case !goesOn:
		return m.number(dst, line, line+1)
	}
	dst = m.env.Theme.LineNumber.Append(text.Spaces(dst, n-2), "↪")
	if changed, _ := m.doc.changes().in(line, line+1); changed {
		return m.env.Theme.Changed.Append(dst, "▌")
	}
	return append(dst, ' ')
}

// number draws the number of a line: before it the cursor, and after it the mark of a finding in
// the lines from line on, before next, or of a change to them.
func (m *Pane) number(dst []byte, line, next int) []byte {
	st := m.env.Theme.LineNumber
	if line == m.cur.line {
		st = m.env.Theme.LineNumberNow
	}
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
