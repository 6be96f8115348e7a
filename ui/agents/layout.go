package agents

import (
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
)

// places holds the boxes of the parts. A part without room has an empty box.
type places struct {
	names    draw.Box // column titles of the sessions
	sessions draw.Box
	head     draw.Box // the line above the stream
	filter   draw.Box // the input line, and its completions below it
	stream   draw.Box // or the diff
	beside   bool
}

const (
	besideFrom   = 130 // columns from which the sessions are beside the stream
	sessionsCols = 56  // their least width there
	bothFrom     = 9   // rows from which both are shown
	namesFrom    = 3   // rows of the sessions from which they have column titles
)

// arrange computes the layout of the pane.
func (p *Pane) arrange() places {
	var a places
	w, h := p.w, p.h
	switch {
	case p.shows: // the diff needs the room
		a = places{head: draw.At(0, 0, w, min(1, h)), stream: draw.At(0, 1, w, max(0, h-1))}
	case w >= besideFrom && h >= 3:
		left := max(sessionsCols, w*2/5)
		a = places{
			sessions: draw.At(0, 0, left, h), beside: true,
			head: draw.At(left+1, 0, w-left-1, 1), stream: draw.At(left+1, 1, w-left-1, h-1),
		}
	case h >= bothFrom:
		n := p.sessionRows()
		a = places{sessions: draw.At(0, 0, w, n), head: draw.At(0, n, w, 1), stream: draw.At(0, n+1, w, h-n-1)}
	case p.part == inSessions:
		a = places{sessions: draw.At(0, 0, w, h)}
	default:
		a = places{head: draw.At(0, 0, w, min(1, h)), stream: draw.At(0, 1, w, max(0, h-1))}
	}
	if a.sessions.H >= namesFrom {
		a.names = a.sessions.CutTop(1)
	}
	if p.typed.On() && a.stream.H > 1 {
		a.filter = a.stream.CutTop(min(filter.Rows, a.stream.H-1))
	}
	return a
}

// sessionRows returns how many rows the sessions take above the stream: as many as there are, but
// the part with the focus needs most of the room.
func (p *Pane) sessionRows() int {
	all, h := p.sessions.rows()+1, p.h
	n := max(namesFrom+1, h/3)
	switch {
	case p.part == inSessions:
		n = max(n, h*3/5)
	case p.talk() != nil && p.part == inTalk && h < 16:
		return 0
	case p.talk() != nil && p.part == inTalk:
		n = max(namesFrom, h/6)
	case p.talk() == nil && p.stream.done: // what the stream leaves free
		n = max(n, h-1-p.stream.len())
	}
	if n = min(n, all); n < namesFrom { // no row for the column titles
		n = min(n, p.sessions.rows())
	}
	return n
}

// fit resizes the parts to their boxes.
func (p *Pane) fit() {
	a := p.arrange()
	p.diff.SetSize(a.stream.W, a.stream.H)
	shown := p.talk()
	for _, v := range p.talks.views {
		v.SetFocused(v == shown && p.focused && p.part == inTalk)
	}
	if shown != nil {
		shown.SetSize(a.stream.W, a.stream.H)
	}
	p.stream.Clamp(p.stream.len(), a.stream.H)
	if c := p.stream.Cur; c >= p.stream.Top+a.stream.H && c > 0 { // the window became smaller
		p.stream.move(c, a.stream.H)
	}
	p.sessions.move(p.sessions.Cur, a.sessions.H)
}
