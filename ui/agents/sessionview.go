package agents

import (
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
)

// Columns of the sessions.
const (
	shortCols = 8
	seenCols  = 5
	countCols = 6
)

// sessionColumns says which columns there is room for; the name has the rest.
func sessionColumns(w int) (name int, id, began, undone bool) {
	name = w - 2 - (seenCols + 1) - 2*(countCols+1)
	for _, c := range []struct {
		on   *bool
		cols int
	}{{&id, shortCols}, {&undone, countCols}, {&began, seenCols}} {
		if name-c.cols-1 >= 10 {
			*c.on, name = true, name-c.cols-1
		}
	}
	return max(0, min(name, 30)), id, began, undone
}

func (p *Pane) appendNames(dst []byte, w int) []byte {
	l := draw.NewRow(dst, w)
	name, id, began, undone := sessionColumns(w)
	st := p.theme.TableHeading
	l.Put("  ", theme.Style{})
	l.Column("sessions", name, st)
	if id {
		l.Column("id", shortCols, st)
	}
	if began {
		l.Number("began", seenCols, st)
	}
	l.Number("seen", seenCols, st)
	l.Number("reads", countCols, st)
	l.Number("writes", countCols, st)
	if undone {
		l.Number("undone", countCols, st)
	}
	return l.End()
}

// appendSession draws a row of the sessions.
func (p *Pane) appendSession(dst []byte, i, w int) []byte {
	s := &p.sessions
	l := draw.NewRow(dst, w)
	if i == s.cursor && i < s.rows() {
		st := p.theme.SelectedDim
		if p.focused && p.part == inSessions {
			st = p.theme.Selected
		}
		l = draw.StyledRow(dst, w, st)
	}
	if i == 0 {
		l.Put("  everybody", p.theme.Text)
		if s.err != nil {
			l.Put(" · can't be read: "+s.err.Error(), p.theme.Error)
		}
		return l.End()
	}
	x, ok := s.at(i)
	if !ok {
		return l.End()
	}
	live := "  "
	if p.live(x) {
		live = "• "
	}
	name, id, began, undone := sessionColumns(w)
	l.Put(live, p.theme.Added)
	l.Column(draw.Signed(x.Actor), name, p.theme.Actor(string(x.Actor.Kind)))
	if id {
		l.Column(shortSession(x.ID), shortCols, p.theme.Dim)
	}
	now := p.clock()
	if began {
		l.Number(draw.Age(now, x.Started), seenCols, p.theme.Dim)
	}
	l.Number(draw.Age(now, x.Seen), seenCols, p.theme.Text)
	l.Number(some(x.Reads), countCols, p.theme.Text)
	l.Number(some(x.Changes), countCols, p.theme.Text)
	if undone {
		l.Number(some(x.Undone), countCols, p.theme.Warn)
	}
	return l.End()
}

// some is a count that says nothing where there is none.
func some(n int) string {
	if n == 0 {
		return "·"
	}
	return draw.Count(n)
}
