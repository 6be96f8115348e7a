package agents

import (
	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

const (
	signCols     = 2 // of a session's phase
	shortCols    = 8 // of an abbreviated id
	minTitleCols = 8 // minimum of a conversation's title; less is unreadable
)

// sessionTable has the columns of the sessions. What a session was asked says more than all but a
// few columns: it keeps room for a few words.
var sessionTable = draw.Table[*Pane, *versions.Session]{
	{Title: "sessions", Share: 1, Put: (*Pane).putName},
	{Title: "id", W: shortCols, From: 48, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return shortSession(x.ID), p.env.Theme.Dim
	}},
	{Title: "began", W: 5, From: 78, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return draw.Age(p.clock(), x.Started), p.env.Theme.Dim
	}},
	{Title: "seen", W: 5, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return draw.Age(p.clock(), x.Seen), p.env.Theme.Text
	}},
	{Title: "reads", W: 6, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Reads), p.env.Theme.Text
	}},
	{Title: "changes", W: 7, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Changes), p.env.Theme.Text
	}},
	{Title: "versions", W: 8, From: 87, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Versions), p.env.Theme.Dim
	}},
	{Title: "undone", W: 6, From: 72, Right: true, Cell: func(p *Pane, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Undone), p.env.Theme.Warn
	}},
}

// AppendAbove draws the column titles of the sessions.
func (p *Pane) AppendAbove(dst []byte, _, w int) []byte {
	cols := w
	if at := p.DetailBox(); at.X > 0 { // the titles are as wide as the sessions
		cols = at.X
	}
	l := draw.NewRow(dst, cols)
	l.Space(signCols)
	l = sessionTable.Titles(l, p.env.Theme.TableHeading)
	return text.Spaces(l.End(), w-cols)
}

// putName draws who a session is and, if there is room, what it was asked.
func (p *Pane) putName(x *versions.Session, l draw.Row) draw.Row {
	who := actors.Fitting(actors.Signed(x.Actor), l.Left())
	l.Put(who, p.env.Theme.Actor(string(x.Actor.Kind)))
	if c, ok := p.talks.known[x.ID]; ok && l.Left() > minTitleCols {
		l.Space(1)
		l.Put(c.state.Title, p.env.Theme.Dim)
	}
	return l
}

// phaseSign returns the sign of a session's phase, two columns wide.
func (p *Pane) phaseSign(x *versions.Session) (string, theme.Style) {
	th := p.env.Theme
	c, ok := p.talks.known[x.ID]
	switch phase := c.phase(); {
	case !ok && p.talks.live(*x, p.clock()):
		return "• ", th.Added
	case !ok:
		return "  ", th.Dim
	case c.here && phase == agent.PhaseRetrying:
		return "~ ", th.Warn
	case c.here && c.state.Working() || phase == agent.PhaseCompacting:
		return "» ", th.Progress
	case c.here && talk.Failed(&c.state), phase == agent.PhaseInterrupted:
		return "! ", th.Warn
	case c.here:
		return "o ", th.Good
	case c.info.Running:
		return "» ", th.Added
	}
	return "- ", th.Dim
}

// AppendRow draws a row of the sessions.
func (p *Pane) AppendRow(dst []byte, i, w int) []byte {
	s := &p.sessions
	l, ok := p.Split.Row(dst, i, w)
	if !ok {
		return l.End()
	}
	if i == 0 {
		l.Put("  everybody", p.env.Theme.Text)
		if p.RowsAbove() == 0 && s.err == nil && s.rows() > 1 { // there is no row for the column titles
			l.To(signCols + sessionTable.Rest(w, signCols) + 1)
			l = sessionTable[1:].Titles(l, p.env.Theme.TableHeading)
		}
		if s.err != nil {
			l.Put(" · can't be read: "+s.err.Error(), p.env.Theme.Error)
		}
		return l.End()
	}
	x := &s.list[i-1]
	l.Put(p.phaseSign(x))
	l = sessionTable.Put(l, p, x)
	return l.End()
}

// some formats a count; a zero count is empty.
func some(n int) string {
	if n == 0 {
		return "·"
	}
	return draw.Count(n)
}
