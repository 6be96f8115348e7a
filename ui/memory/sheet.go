package memory

import (
	"sort"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// sheet is the rendered Markdown of the open memory, in rows of one width. Each row has the
// line of the memory that it comes from, so that positions, numbers, hits and links are the
// same in both views.
type sheet struct {
	*markdown.Layout
	cut int // the row before which the rule of a MEMORY.md is drawn; -1 for none
}

// render lays out the open memory, if it is shown rendered. It must be called whenever the
// inputs of the layout may have changed.
func (m *Pane) render() {
	if !m.rendered || m.doc == nil || m.doc.md == nil {
		m.sheet = nil
		return
	}
	w, fold := m.textWidth(), m.folds()
	if s := m.sheet; s != nil && m.sheetDoc == m.doc && s.Width() == w && m.sheetFold == fold {
		return
	}
	m.sheetDoc, m.sheetFold = m.doc, fold
	s := &sheet{Layout: m.doc.md.Layout(w, fold), cut: -1}
	if c := m.doc.cut; c >= 0 {
		s.cut = sort.Search(s.Layout.Len(), func(i int) bool { return s.Layout.LineOf(i) >= c })
	}
	m.sheet = s
}

// len returns the number of rows, including the rule.
func (s *sheet) len() int {
	if s.cut >= 0 {
		return s.Layout.Len() + 1
	}
	return s.Layout.Len()
}

// row returns the row of the layout at i, or that it is the rule.
func (s *sheet) row(i int) (row int, rule bool) {
	if s.cut < 0 || i < s.cut {
		return i, false
	}
	return max(i-1, 0), i == s.cut
}

// lineOf returns the line that row i comes from.
func (s *sheet) lineOf(i int) int {
	row, rule := s.row(i)
	if rule {
		row++
	}
	return s.Layout.LineOf(row)
}

// first returns the first row of a line, or of the next line that has one.
func (s *sheet) first(line int) int {
	return sort.Search(s.len(), func(i int) bool { return s.lineOf(i) >= line })
}

// index returns the row of a place.
func (s *sheet) index(p place) int {
	i := s.first(p.line)
	if p.row > 0 {
		i = min(i+p.row, max(s.first(p.line+1)-1, i))
	}
	return min(i, max(s.len()-1, 0))
}

// place returns the place of row i.
func (s *sheet) place(i int) place {
	line := s.lineOf(i)
	return place{line, i - s.first(line)}
}

// begins returns the first row that begins with text of a line or, if the line only
// continues a row, that row.
func (s *sheet) begins(line int) int {
	if i := s.first(line); i < s.len() && s.lineOf(i) == line {
		if i == s.cut { // the rule is drawn before it
			i++
		}
		return i
	}
	return s.of(line, 0)
}

// of returns the row that shows a byte of a line.
func (s *sheet) of(line, at int) int {
	i := s.Layout.RowOf(line, at)
	if s.cut >= 0 && i >= s.cut {
		i++
	}
	return i
}

// scroll returns a place d rows from another, such that the screen stays full.
func (s *sheet) scroll(p place, d, h int) place {
	i := min(max(s.index(p)+d, 0), max(s.len()-h, 0))
	return s.place(i)
}

func (m *Pane) toggleRendered(int) tea.Cmd {
	m.rendered = !m.rendered
	m.top.row = 0
	m.sel = selection{}
	m.scroll(0)
	if s := m.sheet; s != nil {
		m.cur = spot{line: s.lineOf(s.begins(m.cur.line))}
	}
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

// sheetView appends the visible rows.
func (m *Pane) sheetView(dst []byte) []byte {
	s := m.sheet
	pen := markdown.NewPen(m.page)
	from := s.index(m.top)
	now := -1
	if f := &m.find; f.now >= 0 && f.now < len(f.hits) {
		now = s.of(f.hits[f.now].line, f.hits[f.now].at)
	}
	p := m.pen()
	for y := range m.h {
		i := from + y
		if i >= s.len() {
			if y > 0 {
				dst = append(dst, '\n')
			}
			dst = text.Spaces(dst, m.w)
			continue
		}
		row, rule := s.row(i)
		if rule {
			dst = m.cutRule(dst, y)
			continue
		}
		line := s.lineOf(i)
		dst = p.sheetStart(dst, y, i, line)
		pen.Base = m.sheetBase(i, line)
		pen.Chosen = -1
		if m.link.on {
			pen.Chosen = m.link.link.index
		}
		pen.Find = p.finder(i == now)
		dst = s.Layout.Append(dst, row, pen)
	}
	return dst
}

// sheetStart draws the beginning of a row: the line number, if the line begins there.
func (p *linePen) sheetStart(dst []byte, y, i, line int) []byte {
	m := p.m
	if y > 0 {
		dst = append(dst, '\n')
	}
	before := -1
	if i > 0 && i-1 == m.sheet.cut {
		before = m.sheet.lineOf(i-1) - 1
	} else if i > 0 {
		before = m.sheet.lineOf(i - 1)
	}
	row := 0
	if before == line {
		row = 1
	}
	if m.blame.on {
		dst = m.blameCell(dst, line, row, y == 0 || i == 0 || m.blame.blame.run(line) != m.blame.blame.run(before))
	}
	n := m.numberWidth()
	if n == 0 || row > 0 {
		return text.Spaces(dst, n)
	}
	st := m.env.Theme.LineNumber
	if line == m.cur.line {
		st = m.env.Theme.LineNumberNow
	}
	next := len(m.doc.lines)
	if i+1 < m.sheet.len() {
		next = m.sheet.lineOf(i + 1)
	}
	return m.number(dst, line, max(next, line+1), st)
}

// sheetBase returns the base style of a row.
func (m *Pane) sheetBase(i, line int) string {
	if _, _, ok := m.sel.part(line, 0); ok {
		return m.env.Theme.Selection.On
	}
	if changed, _ := m.doc.marks.in(line, line+1); changed && m.flash {
		return m.env.Theme.Flash.On
	}
	if m.sheet.cut >= 0 && i > m.sheet.cut {
		return m.env.Theme.Dim.On
	}
	return ""
}

// finder finds hits in the text of a row.
func (p *linePen) finder(now bool) func([]text.Span, string) []text.Span {
	match := p.m.find.match
	if match == nil {
		return nil
	}
	on := p.m.env.Theme.Match.On
	if now {
		on = p.m.env.Theme.MatchNow.On
	}
	return func(dst []text.Span, s string) []text.Span {
		p.found = match.in(p.found[:0], s)
		for i := 0; i < len(p.found); i += 2 {
			dst = append(dst, text.Span{From: p.found[i], To: p.found[i+1], On: on})
		}
		return dst
	}
}
