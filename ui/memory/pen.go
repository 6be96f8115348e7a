package memory

import (
	"github.com/memend/memend/ui/markdown"
	"github.com/memend/memend/ui/syntax"
	"github.com/memend/memend/ui/text"
)

// linePen draws lines with their layers of styles. It lives for one frame and reuses its
// buffers.
type linePen struct {
	m      *Pane
	width  int
	state  syntax.State
	at     int // the line that state belongs to
	base   string
	syntax []text.Span
	hits   []text.Span
	chosen []text.Span // the selected link
	marked []text.Span // the selection
	found  []int
	page   *markdown.Pen
}

func (m *Pane) pen() *linePen {
	p := &linePen{m: m, width: m.textWidth(), at: -1, page: markdown.NewPen(m.page)}
	if m.link.on {
		p.page.Chosen = m.link.link.index
	}
	return p
}

// lineStyles computes the styles of a line.
func (p *linePen) lineStyles(line int, s string) {
	m := p.m
	d := m.doc
	switch {
	case line < len(d.states):
		p.state = d.states[line]
	case p.at != line && line > 0:
		p.state = syntax.Body
	case line == 0:
		p.state = 0
	}
	p.syntax, p.state = m.styles.Spans(p.syntax[:0], d.lang, s, p.state)
	p.syntax = d.longHook(p.syntax, s, m.env.Theme.Warn)
	p.at = line + 1
	p.base = ""
	if d.cut >= 0 && line >= d.cut {
		p.base, p.syntax = m.env.Theme.Dim.On, p.syntax[:0]
	}
	if changed, _ := d.marks.in(line, line+1); changed && m.flash {
		p.base = m.env.Theme.Flash.On
	}
	p.chosen, p.marked = p.chosen[:0], p.marked[:0]
	if m.link.on && m.link.link.Line == line {
		p.chosen = append(p.chosen, text.Span{From: m.link.link.From, To: m.link.link.To, On: m.env.Theme.Selected.On})
	}
	if from, to, ok := m.sel.part(line, len(s)); ok {
		p.marked = append(p.marked, text.Span{From: from, To: to, On: m.env.Theme.Selection.On})
		if m.sel.lines {
			p.base = m.env.Theme.Selection.On
		}
	}
	p.hitStyles(line, s)
}

func (p *linePen) hitStyles(line int, s string) {
	p.hits = p.hits[:0]
	f := &p.m.find
	if f.match == nil {
		return
	}
	p.found = f.match.in(p.found[:0], s)
	for i := 0; i < len(p.found); i += 2 {
		on := p.m.env.Theme.Match.On
		if f.isNow(line, p.found[i]) {
			on = p.m.env.Theme.MatchNow.On
		}
		p.hits = append(p.hits, text.Span{From: p.found[i], To: p.found[i+1], On: on})
	}
}

// draw draws the bytes [from, to) of a line, padded to the width.
func (p *linePen) draw(dst []byte, s string, from, to, skip int) []byte {
	l := text.Line{Width: p.width, Skip: skip, Base: p.base, Mark: p.m.env.Theme.HiddenChar.On, Fill: true}
	dst, _ = l.AppendRange(dst, s, from, to, p.syntax, p.hits, p.chosen, p.marked)
	return dst
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
