package agents

// box is a part of the pane in cells.
type box struct{ x, y, w, h int }

func (b box) holds(x, y int) bool { return x >= b.x && x < b.x+b.w && y >= b.y && y < b.y+b.h }

// places is where the parts stand. A part without room is empty.
type places struct {
	names    box // what the columns of the sessions mean
	sessions box
	head     box // the line above the stream that says what it is
	filter   box // what is typed, and below it what that may become
	stream   box // or the diff
	beside   bool
}

const (
	besideFrom   = 130 // columns from which the sessions stand beside the stream
	sessionsCols = 56  // that they take then
	bothFrom     = 9   // rows from which both show
	namesFrom    = 5   // rows of the sessions from which their columns are named
)

// arrange divides the pane.
func (p *Pane) arrange() places {
	var a places
	w, h := p.w, p.h
	switch {
	case p.shows: // the diff needs the room
		a = places{head: box{0, 0, w, min(1, h)}, stream: box{0, 1, w, max(0, h-1)}}
	case w >= besideFrom && h >= 3:
		a = places{
			sessions: box{0, 0, sessionsCols, h}, beside: true,
			head: box{sessionsCols + 1, 0, w - sessionsCols - 1, 1}, stream: box{sessionsCols + 1, 1, w - sessionsCols - 1, h - 1},
		}
	case h >= bothFrom:
		n := min(p.sessions.rows()+1, max(3, h/3))
		a = places{sessions: box{0, 0, w, n}, head: box{0, n, w, 1}, stream: box{0, n + 1, w, h - n - 1}}
	case p.part == inSessions:
		a = places{sessions: box{0, 0, w, h}}
	default:
		a = places{head: box{0, 0, w, min(1, h)}, stream: box{0, 1, w, max(0, h-1)}}
	}
	if a.sessions.h >= namesFrom {
		a.names = box{a.sessions.x, a.sessions.y, a.sessions.w, 1}
		a.sessions.y++
		a.sessions.h--
	}
	if p.typing && a.stream.h > 1 {
		n := min(2, a.stream.h-1)
		a.filter = box{a.stream.x, a.stream.y, a.stream.w, n}
		a.stream.y += n
		a.stream.h -= n
	}
	return a
}

// fit gives the parts their room.
func (p *Pane) fit() {
	a := p.arrange()
	p.diff.SetSize(a.stream.w, a.stream.h)
	p.stream.clamp(a.stream.h)
	p.sessions.clamp(a.sessions.h)
	if c := p.stream.cursor; c >= p.stream.top+a.stream.h && c > 0 { // the window became smaller
		p.stream.move(c, a.stream.h)
	}
	p.sessions.move(p.sessions.cursor, a.sessions.h)
}
