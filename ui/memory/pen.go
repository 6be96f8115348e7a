package memory

import (
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// pen draws the rows of a viewport with their layers of styles. It lives for one frame and reuses its
// buffers.
type pen struct {
	v       *viewport
	find    *find
	link    *link // the chosen one, or nil
	th      *theme.Theme
	styles  *syntax.Styles
	page    *markdown.Pen
	now     time.Time
	flash   bool // changes are highlighted
	focused bool

	state  syntax.State
	at     int // the line that state belongs to
	base   string
	syntax []text.Span
	hits   []text.Span
	chosen []text.Span // the chosen link
	marked []text.Span // the selection
	found  []int
}

func (m *Pane) pen() *pen {
	p := &pen{
		v: &m.text, find: &m.find, link: m.link, th: m.env.Theme, styles: m.styles, page: markdown.NewPen(m.page),
		now: m.now, flash: m.flash, focused: m.focused, at: -1,
	}
	if m.link != nil {
		p.page.Chosen = m.link.index
	}
	return p
}

// row draws row i of the text.
func (p *pen) row(dst []byte, i int) []byte {
	r := &p.v.rows
	row, rule := r.row(i)
	switch {
	case i >= r.len():
		return text.Spaces(dst, p.v.w)
	case rule:
		return p.cutRule(dst)
	case r.md != nil:
		return p.rendered(dst, i, row)
	}
	return p.raw(dst, i)
}

// raw draws a row of the text as it is.
func (p *pen) raw(dst []byte, i int) []byte {
	v := p.v
	at := v.rows.source(i)
	s := v.doc.line(at.line)
	if p.at != at.line+1 {
		p.lineStyles(at.line, s)
	}
	dst = p.blame(dst, at.line, at.at == 0, i == v.win.Top || v.blame.lines.first(at.line))
	dst = p.lineNumber(dst, at.line, at.at > 0)
	l := text.Line{Width: v.textWidth(), Skip: v.col, Base: p.base, Mark: p.th.HiddenChar.On, Fill: true}
	dst, _ = l.AppendRange(dst, s, at.at, v.rows.end(i, s), p.syntax, p.hits, p.chosen, p.marked)
	return dst
}

// lineStyles computes the styles of a line.
func (p *pen) lineStyles(line int, s string) {
	d := p.v.doc
	switch {
	case line < len(d.states):
		p.state = d.states[line]
	case p.at != line && line > 0:
		p.state = syntax.Body
	case line == 0:
		p.state = 0
	}
	p.syntax, p.state = p.styles.Spans(p.syntax[:0], d.lang, s, p.state)
	p.syntax = d.longHook(p.syntax, s, p.th.Warn)
	p.at = line + 1
	p.base = ""
	if d.cut >= 0 && line >= d.cut {
		p.base, p.syntax = p.th.Dim.On, p.syntax[:0]
	}
	if changed, _ := d.marks.in(line, line+1); changed && p.flash {
		p.base = p.th.Flash.On
	}
	p.chosen, p.marked = p.chosen[:0], p.marked[:0]
	if l := p.link; l != nil && l.Line == line {
		p.chosen = append(p.chosen, text.Span{From: l.From, To: l.To, On: p.th.Selected.On})
	}
	if from, to, ok := p.v.sel.part(line, len(s)); ok {
		p.marked = append(p.marked, text.Span{From: from, To: to, On: p.th.Selection.On})
		if p.v.sel.lines {
			p.base = p.th.Selection.On
		}
	}
	p.hits = p.hits[:0]
	if p.find.match == nil {
		return
	}
	p.hits = p.matches(p.hits, s, p.th.Match.On)
	for i := range p.hits {
		if p.find.isNow(spot{line, p.hits[i].From}) {
			p.hits[i].On = p.th.MatchNow.On
		}
	}
}

// matches appends the hits in a text.
func (p *pen) matches(dst []text.Span, s string, on string) []text.Span {
	p.found = p.find.match.in(p.found[:0], s)
	for i := 0; i < len(p.found); i += 2 {
		dst = append(dst, text.Span{From: p.found[i], To: p.found[i+1], On: on})
	}
	return dst
}

// rendered draws a row of the rendered text.
func (p *pen) rendered(dst []byte, i, row int) []byte {
	r, g := &p.v.rows, p.v.blame.lines
	line := r.lineOf(i)
	before := -1
	if i > 0 {
		before = r.lineOf(i - 1)
	}
	if i > 0 && i-1 == r.cut {
		before--
	}
	goesOn := before == line
	dst = p.blame(dst, line, !goesOn, i == p.v.win.Top || g.run(line) != g.run(before))
	if n := p.v.numberWidth(); n == 0 || goesOn {
		dst = text.Spaces(dst, n)
	} else {
		next := len(p.v.doc.lines)
		if i+1 < r.len() {
			next = r.lineOf(i + 1)
		}
		dst = p.number(dst, line, max(next, line+1))
	}
	p.page.Base, p.page.Find = p.renderedBase(i, line), nil
	if f := p.find; f.match != nil {
		on := p.th.Match.On
		if f.now >= 0 && r.of(f.hits[f.now]) == i {
			on = p.th.MatchNow.On
		}
		p.page.Find = func(dst []text.Span, s string) []text.Span { return p.matches(dst, s, on) }
	}
	return r.md.Append(dst, row, p.page)
}

// renderedBase returns the base style of a rendered row.
func (p *pen) renderedBase(i, line int) string {
	if _, _, ok := p.v.sel.part(line, 0); ok {
		return p.th.Selection.On
	}
	if changed, _ := p.v.doc.marks.in(line, line+1); changed && p.flash {
		return p.th.Flash.On
	}
	if cut := p.v.rows.cut; cut >= 0 && i > cut {
		return p.th.Dim.On
	}
	return ""
}

// cutRule draws the rule where a MEMORY.md is cut.
func (p *pen) cutRule(dst []byte) []byte {
	out, by := draw.NewRow(dst, p.v.w), p.v.doc.cutBy
	out.Put(strings.Repeat("┄", max(min(p.v.gutter()-1, p.v.w), 0)), p.th.Warn)
	legend := cutLegend
	if text.Width(legend+by)+1 > out.Left() {
		legend = cutShort
	}
	out.Put(legend+by+" ", p.th.Warn)
	out.Put(strings.Repeat("┄", max(out.Left(), 0)), p.th.Warn)
	return out.End()
}

// lineNumber draws the number of a line, or a mark where the line goes on.
func (p *pen) lineNumber(dst []byte, line int, goesOn bool) []byte {
	n := p.v.numberWidth()
	switch {
	case n == 0:
		return dst
	case !goesOn:
		return p.number(dst, line, line+1)
	}
	dst = p.th.LineNumber.Append(text.Spaces(dst, n-2), "↪")
	if changed, _ := p.v.doc.changes().in(line, line+1); changed {
		return p.th.Changed.Append(dst, "▌")
	}
	return append(dst, ' ')
}

// number draws the number of a line: before it the cursor, and after it the mark of a finding in
// the lines from line on, before next, or of a change to them.
func (p *pen) number(dst []byte, line, next int) []byte {
	st, now := p.th.LineNumber, line == p.v.cur.line
	if now {
		st = p.th.LineNumberNow
	}
	var buf [20]byte
	n := strconv.AppendInt(buf[:0], int64(line+1), 10)
	blank := p.v.numberWidth() - 1 - len(n)
	if now && p.focused {
		dst = st.Append(dst, "▸")
		blank--
	}
	dst = text.Spaces(dst, blank)
	dst = append(dst, st.On...)
	dst = append(dst, n...)
	dst = append(dst, st.Off...)
	if p.v.doc.findingIn(line, next) != nil {
		return p.th.Warn.Append(dst, "!")
	}
	switch changed, gap := p.v.doc.changes().in(line, next); {
	case changed:
		return p.th.Changed.Append(dst, "▌")
	case gap:
		return p.th.Removed.Append(dst, "▔")
	}
	return append(dst, ' ')
}

// notice returns what draws the rows of a notice, which is wrapped.
func (p *pen) notice(note string, st theme.Style) func(dst []byte, y int) []byte {
	v, width := p.v, max(p.v.w-4, 1)
	starts := text.Wrap(nil, note, width, 0, v.win.H)
	return func(dst []byte, y int) []byte {
		if v.win.H >= 4 {
			y--
		}
		if y < 0 || y >= len(starts) {
			return text.Spaces(dst, v.w)
		}
		dst = text.Spaces(dst, min(2, v.w))
		line := text.Line{Width: min(width, v.w-2), Base: st.On, Mark: p.th.HiddenChar.On}
		dst, cols := line.AppendRange(dst, note, starts[y], text.End(note, starts, y))
		return text.Spaces(dst, v.w-cols-2)
	}
}

// folder draws row y of what is in a folder.
func (p *pen) folder(dst []byte, y int) []byte {
	out := draw.NewRow(dst, p.v.w)
	if about := p.v.doc.folder; y >= 1 && y <= len(about) {
		st := p.th.Dim
		if y == 1 {
			st = theme.Style{}
		}
		out.Space(2)
		out.Put(about[y-1], st)
	}
	return out.End()
}
