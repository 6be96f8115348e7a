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

// Columns of the sessions.
const (
	shortCols = 8
	seenCols  = 5
	countCols = 6

	changesCols  = 7
	versionsCols = 8
	nameCols     = 15 // minimum of the name before other columns are shown

	minTitleCols = 8  // minimum of a conversation's title; less is unreadable
	titledCols   = 32 // minimum of the name with a title, before the columns that say least are shown
)

// sessionColumns returns which columns fit, each with a blank after it, including the last
// one. The name has the rest of the width.
func sessionColumns(w int) (name int, id, began, made, undone bool) {
	name = w - 3 - (seenCols + 1) - (countCols + 1) - (changesCols + 1)
	for _, c := range []struct {
		on   *bool
		cols int
		min  int
	}{{&id, shortCols, nameCols}, {&undone, countCols, titledCols}, {&began, seenCols, titledCols}, {&made, versionsCols, titledCols}} {
		if name-c.cols-1 >= c.min {
			*c.on, name = true, name-c.cols-1
		}
	}
	return max(0, name), id, began, made, undone
}

func (p *Pane) appendNames(dst []byte, w int) []byte {
	l := draw.NewRow(dst, w)
	l.Space(2)
	l.Put("sessions", p.env.Theme.TableHeading)
	p.putNames(&l, w)
	return l.End()
}

// putNames puts the titles of the columns after the name.
func (p *Pane) putNames(l *draw.Row, w int) {
	name, id, began, made, undone := sessionColumns(w)
	l.Space(2 + name + 1 - (l.W - l.Left()))
	st := p.env.Theme.TableHeading
	if id {
		l.Column("id", shortCols, st)
	}
	if began {
		l.Number("began", seenCols, st)
	}
	l.Number("seen", seenCols, st)
	l.Number("reads", countCols, st)
	l.Number("changes", changesCols, st)
	if made {
		l.Number("versions", versionsCols, st)
	}
	if undone {
		l.Number("undone", countCols, st)
	}
}

// phaseSign returns the sign of a session's phase, two columns wide.
func (p *Pane) phaseSign(x versions.Session) (string, theme.Style) {
	th := p.env.Theme
	c, ok := p.talks.known[x.ID]
	switch phase := c.phase(); {
	case !ok && p.live(x):
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

func (p *Pane) appendSession(dst []byte, i, w int) []byte {
	s := &p.sessions
	l := draw.NewRow(dst, w)
	if i == s.Cur && i < s.rows() {
		st := p.env.Theme.SelectedDim
		if p.focused && p.part == inSessions {
			st = p.env.Theme.Selected
		}
		l = draw.StyledRow(dst, w, st)
	}
	if i == 0 {
		l.Put("  everybody", p.env.Theme.Text)
		if a := p.arrange(); a.names.H == 0 && s.err == nil && s.rows() > 1 { // there is no row for the column titles
			p.putNames(&l, w)
		}
		if s.err != nil {
			l.Put(" · can't be read: "+s.err.Error(), p.env.Theme.Error)
		}
		return l.End()
	}
	x, ok := s.at(i)
	if !ok {
		return l.End()
	}
	name, id, began, made, undone := sessionColumns(w)
	live, st := p.phaseSign(x)
	l.Put(live, st)
	who := actors.Fitting(actors.Signed(x.Actor), name)
	if c, ok := p.talks.known[x.ID]; ok && c.state.Title != "" && name-text.Width(who) > minTitleCols {
		l.Column(who, text.Width(who), p.env.Theme.Actor(string(x.Actor.Kind)))
		l.Column(c.state.Title, name-text.Width(who)-1, p.env.Theme.Dim)
	} else {
		l.Column(who, name, p.env.Theme.Actor(string(x.Actor.Kind)))
	}
	if id {
		l.Column(shortSession(x.ID), shortCols, p.env.Theme.Dim)
	}
	now := p.clock()
	if began {
		l.Number(draw.Age(now, x.Started), seenCols, p.env.Theme.Dim)
	}
	l.Number(draw.Age(now, x.Seen), seenCols, p.env.Theme.Text)
	l.Number(some(x.Reads), countCols, p.env.Theme.Text)
	l.Number(some(x.Changes), changesCols, p.env.Theme.Text)
	if made {
		l.Number(some(x.Versions), versionsCols, p.env.Theme.Dim)
	}
	if undone {
		l.Number(some(x.Undone), countCols, p.env.Theme.Warn)
	}
	return l.End()
}

// some formats a count; a zero count is empty.
func some(n int) string {
	if n == 0 {
		return "·"
	}
	return draw.Count(n)
}
