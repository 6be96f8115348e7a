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
	l := newLine(dst, w)
	name, id, began, undone := sessionColumns(w)
	st := p.theme.TableHeading
	l.put("  ", theme.Style{})
	l.column("sessions", name, st)
	if id {
		l.column("id", shortCols, st)
	}
	if began {
		l.number("began", seenCols, st)
	}
	l.number("seen", seenCols, st)
	l.number("reads", countCols, st)
	l.number("writes", countCols, st)
	if undone {
		l.number("undone", countCols, st)
	}
	return l.end()
}

// appendSession draws a row of the sessions.
func (p *Pane) appendSession(dst []byte, i, w int) []byte {
	s := &p.sessions
	l := newLine(dst, w)
	if i == s.cursor && i < s.rows() {
		st := p.theme.SelectedDim
		if p.focused && p.part == inSessions {
			st = p.theme.Selected
		}
		l = selected(dst, w, st)
	}
	if i == 0 {
		l.put("  everybody", p.theme.Text)
		if s.err != nil {
			l.put(" · can't be read: "+s.err.Error(), p.theme.Error)
		}
		return l.end()
	}
	x, ok := s.at(i)
	if !ok {
		return l.end()
	}
	live := "  "
	if p.live(x) {
		live = "• "
	}
	name, id, began, undone := sessionColumns(w)
	l.put(live, p.theme.Added)
	l.column(actorSign(x.Actor.Kind)+" "+draw.Actor(x.Actor), name, p.theme.Actor(string(x.Actor.Kind)))
	if id {
		l.column(shortSession(x.ID), shortCols, p.theme.Dim)
	}
	now := p.clock()
	if began {
		l.number(draw.Age(now, x.Started), seenCols, p.theme.Dim)
	}
	l.number(draw.Age(now, x.Seen), seenCols, p.theme.Text)
	l.number(some(x.Reads), countCols, p.theme.Text)
	l.number(some(x.Changes), countCols, p.theme.Text)
	if undone {
		l.number(some(x.Undone), countCols, p.theme.Warn)
	}
	return l.end()
}

// some is a count that says nothing where there is none.
func some(n int) string {
	if n == 0 {
		return "·"
	}
	return count(n)
}
