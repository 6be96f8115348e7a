package agents

import (
	"strconv"
	"strings"

	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/draw"
	"github.com/memtrail/memtrail/ui/text"
)

// line is a row that is drawn part by part. A row in one style gives its parts none.
type line struct {
	draw.Pen
	dst []byte
	all theme.Style
}

func newLine(dst []byte, w int) line { return line{Pen: draw.Pen{W: w}, dst: dst} }

// selected is a row in one style.
func selected(dst []byte, w int, st theme.Style) line {
	return line{Pen: draw.Pen{W: w, Plain: true}, dst: append(dst, st.On...), all: st}
}

func (l *line) put(s string, st theme.Style) { l.dst = l.Put(l.dst, s, st) }

// column puts s into exactly cols columns and a blank after them.
func (l *line) column(s string, cols int, st theme.Style) {
	end := l.Used + cols + 1
	l.dst = l.Clip(l.dst, s, cols, st)
	l.dst = l.Space(l.dst, end-l.Used)
}

// number is column with s at its right.
func (l *line) number(s string, cols int, st theme.Style) {
	l.dst = l.Right(l.dst, s, cols, st)
	l.dst = l.Space(l.dst, 1)
}

// path puts a path into exactly cols columns and a blank after them; its end tells
// more than its beginning.
func (l *line) path(s string, cols int, st theme.Style) {
	if cols = min(cols, l.W-l.Used); cols <= 0 {
		return
	}
	if l.Plain {
		st = theme.Style{}
	}
	n := 0
	l.dst = append(l.dst, st.On...)
	l.dst, n = text.ClipStart(l.dst, s, cols)
	l.dst = append(l.dst, st.Off...)
	l.Used += n
	l.dst = l.Space(l.dst, cols-n+1)
}

// end fills the row.
func (l *line) end() []byte {
	l.dst = l.Space(l.dst, l.W-l.Used)
	return append(l.dst, l.all.Off...)
}

// View is exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	a := p.arrange()
	var diff []string
	if p.shows {
		diff = strings.Split(p.diff.View(), "\n")
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
			dst = p.appendSession(dst, p.sessions.top+y-a.sessions.Y, a.sessions.W)
		}
		if a.beside {
			dst = p.theme.Border.Append(dst, p.theme.Lines.Down)
		}
		switch {
		case a.head.H > 0 && y == a.head.Y:
			dst = p.appendHead(dst, a)
		case a.filter.Holds(a.filter.X, y):
			l := p.appendFilter(newLine(dst, a.filter.W), y-a.filter.Y)
			dst = l.end()
		case !a.stream.Holds(a.stream.X, y):
		case p.shows && y-a.stream.Y < len(diff):
			dst = append(dst, diff[y-a.stream.Y]...)
		default:
			dst = p.appendRow(dst, p.stream.top+y-a.stream.Y, y-a.stream.Y, a.stream.W)
		}
	}
	return string(dst)
}

// appendHead draws the line above the stream: whose it is, and whether it follows.
func (p *Pane) appendHead(dst []byte, a places) []byte {
	border, title := p.theme.Border, p.theme.Title
	if p.focused && p.part != inSessions {
		border, title = p.theme.BorderFocused, p.theme.TitleFocused
	}
	l := newLine(dst, a.head.W)
	switch {
	case p.shows:
		l.put("‹ Esc ", p.theme.HintKey)
	case a.beside:
		l.put(" ", border)
	default:
		l.put(strings.Repeat(p.theme.Lines.Across, 2)+" ", border)
	}
	what := "everybody"
	if x, ok := p.sessions.at(p.sessions.cursor); ok {
		what = actorSign(x.Actor.Kind) + " " + draw.Actor(x.Actor) + " " + shortSession(x.ID)
	}
	if p.shows {
		what = p.diffed
	}
	l.put(what+" ", title)
	if !p.shows {
		p.putFollow(&l)
	}
	if !a.beside {
		l.put(strings.Repeat(p.theme.Lines.Across, max(0, l.W-l.Used)), border)
	}
	return l.end()
}

func (p *Pane) putFollow(l *line) {
	s := &p.stream
	switch {
	case s.unseen > 0:
		l.put(" "+strconv.Itoa(s.unseen)+" new ↑ ", p.theme.Toast)
		l.put(" ", theme.Style{})
	case s.follow && s.height() > 0:
		l.put("· following ", p.theme.Dim)
	}
	if s.err != nil {
		l.put("· can't be read: "+s.err.Error()+" ", p.theme.Error)
	}
}
