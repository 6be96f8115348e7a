package agents

import (
	"strconv"
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	a := p.arrange()
	var diff []string // or a conversation
	if p.shows {
		diff = strings.Split(p.diff.View(), "\n")
	}
	if v := p.talk(); v != nil {
		diff = strings.Split(v.View(), "\n")
	}
	dst := make([]byte, 0, p.h*(p.w+64))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		switch {
		case a.names.H > 0 && y == a.names.Y:
			dst = p.appendNames(dst, a.names.W)
		case a.sessions.Holds(a.sessions.X, y):
			dst = p.appendSession(dst, p.sessions.Top+y-a.sessions.Y, a.sessions.W)
		}
		if a.beside {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		}
		switch {
		case a.head.H > 0 && y == a.head.Y:
			dst = p.appendHead(dst, a)
		case a.filter.Holds(a.filter.X, y):
			dst = p.typed.Append(dst, y-a.filter.Y, a.filter.W, p.query.problem, p.env.Theme)
		case !a.stream.Holds(a.stream.X, y):
		case diff != nil && y-a.stream.Y < len(diff):
			dst = append(dst, diff[y-a.stream.Y]...)
		default:
			dst = p.appendRow(dst, p.stream.Top+y-a.stream.Y, y-a.stream.Y, a.stream.W)
		}
	}
	return string(dst)
}

// appendHead draws the line above the stream: whose activity it shows, and whether it follows.
func (p *Pane) appendHead(dst []byte, a places) []byte {
	border, title := p.env.Theme.Border, p.env.Theme.Title
	if p.focused && p.part != inSessions {
		border, title = p.env.Theme.BorderFocused, p.env.Theme.TitleFocused
	}
	l := draw.NewRow(dst, a.head.W)
	switch {
	case p.shows:
		l.Put("‹ "+p.acts.Hint("pane.back")+" ", p.env.Theme.HintKey)
	case a.beside:
		l.Put(" ", border)
	default:
		l.Put(strings.Repeat(p.env.Theme.Lines.Across, 2)+" ", border)
	}
	what := "everybody"
	if x, ok := p.sessions.at(p.sessions.Cur); ok {
		what = actors.Signed(x.Actor) + " " + shortSession(x.ID)
	}
	v := p.talk()
	switch {
	case p.shows:
		what = p.diffed
	case v != nil:
		what += " · " + v.Title()
	}
	if n := l.Left() - 2; n > 0 && !p.shows {
		l.Column(what, min(n, text.Width(what)), title)
	} else {
		l.Put(what+" ", title)
	}
	if !p.shows && v == nil {
		p.putFollow(&l)
	}
	if !a.beside {
		l.Put(strings.Repeat(p.env.Theme.Lines.Across, l.Left()), border)
	}
	return l.End()
}

func (p *Pane) putFollow(l *draw.Row) {
	s := &p.stream
	switch {
	case s.unseen > 0:
		l.Put(" "+strconv.Itoa(s.unseen)+" new ↑ ", p.env.Theme.Toast)
		l.Put(" ", theme.Style{})
	}
	if s.err != nil {
		l.Put("· can't be read: "+s.err.Error()+" ", p.env.Theme.Error)
	}
}
