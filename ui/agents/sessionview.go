package agents

import (
	"github.com/memend/memend/agent"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
)

const (
	signCols     = 2 // of a session's phase
	shortCols    = 8 // of an abbreviated id
	minTitleCols = 8 // minimum of a conversation's title; less is unreadable
)

// sessionTable has the columns of the sessions. What a session was asked says more than all but a
// few columns: it keeps room for a few words.
var sessionTable = draw.Table[pen, *versions.Session]{
	{Title: "sessions", Share: 1, Put: pen.putName},
	{Title: "id", W: shortCols, From: 48, Path: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return shortSession(x.ID), p.th.Dim
	}},
	{Title: "began", W: 5, From: 78, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return draw.Age(p.now, x.Started), p.th.Dim
	}},
	{Title: "seen", W: 5, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return draw.Age(p.now, x.Seen), p.th.Text
	}},
	{Title: "reads", W: 6, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Reads), p.th.Text
	}},
	{Title: "changes", W: 7, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Changes), p.th.Text
	}},
	{Title: "versions", W: 8, From: 87, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Versions), p.th.Dim
	}},
	{Title: "undone", W: 6, From: 72, Right: true, Cell: func(p pen, x *versions.Session, _ int) (string, theme.Style) {
		return some(x.Undone), p.th.Warn
	}},
}

// putName draws who a session is and, if there is room, what it was asked.
func (p pen) putName(x *versions.Session, l draw.Row) draw.Row {
	who := actors.Fitting(actors.Signed(x.Actor), l.Left())
	l.Put(who, p.th.Actor(string(x.Actor.Kind)))
	if c, ok := p.talks.known[x.ID]; ok && l.Left() > minTitleCols {
		l.Space(1)
		l.Put(c.state.Title, p.th.Dim)
	}
	return l
}

// phaseSign returns the sign of a session's phase, two columns wide.
func (p pen) phaseSign(x *versions.Session) (string, theme.Style) {
	th := p.th
	c, ok := p.talks.known[x.ID]
	switch phase := c.phase(); {
	case !ok && p.talks.live(*x, p.now):
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

// some formats a count; a zero count is empty.
func some(n int) string {
	if n == 0 {
		return "·"
	}
	return draw.Count(n)
}
