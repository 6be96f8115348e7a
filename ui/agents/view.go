package agents

import (
	"strconv"

	"github.com/memend/memend/ui/actors"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/text"
)

const (
	besideFrom   = 130 // columns from which the sessions are beside the stream
	sessionsCols = 56  // their least width there
	bothFrom     = 8   // rows below the column titles from which both are visible
	talkFrom     = 16  // the same for a conversation with the focus: it needs most of the room
	namesFrom    = 4   // rows from which the sessions have column titles
)

// Rows, Cols, Heading, Facts, Moved, DetailTitle and AppendRow implement split.Owner.
func (p *Pane) Rows() int           { return p.sessions.rows() }
func (p *Pane) Cols() int           { return sessionsCols }
func (p *Pane) Heading(int) bool    { return false }
func (p *Pane) Facts() []split.Fact { return nil }

// DetailTitle names whose activity is shown, and a conversation, or what a diff is of.
func (p *Pane) DetailTitle() string {
	if p.stream.inDiff {
		return p.diffed
	}
	who := "everybody"
	if x := p.chosen(); x.ID != "" {
		who = actors.Signed(x.Actor) + " " + shortSession(x.ID)
	}
	if v := p.talk(); v != nil {
		who += " · " + v.Title()
	}
	return who
}

// news returns how much is new in the stream, and why it can't be read.
func (p *Pane) news() (out []split.Fact) {
	if p.stream.inDiff || p.talk() != nil {
		return nil
	}
	if n := p.stream.unseen; n > 0 {
		out = append(out, split.Fact{Text: " " + strconv.Itoa(n) + " new ↑ ", Style: p.env.Theme.Toast})
	}
	if err := p.stream.err; err != nil {
		out = append(out, split.Fact{Text: "· can't be read: " + text.Field(err.Error()), Style: p.env.Theme.Error})
	}
	return out
}

// RowsAbove returns the rows of the column titles of the sessions.
func (p *Pane) RowsAbove() int {
	if p.InDetail && (p.talk() != nil || p.H <= p.Whole) || p.H < namesFrom || p.Rows() == 1 {
		return 0
	}
	return 1
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
	pen := p.pen()
	l.Put(pen.phaseSign(x))
	l = sessionTable.Put(l, pen, x)
	return l.End()
}

func (p *Pane) pen() pen { return pen{p.env.Theme, p.clock(), &p.talks} }

// share returns how many of h rows the sessions take at most above the stream: the part with the
// focus needs most of the room.
func (p *Pane) share(h int) int {
	n := h / 3
	switch {
	case !p.InDetail:
		n = max(n, h*3/5)
	case p.talk() != nil:
		n = h / 6
	}
	if p.talk() == nil && p.stream.done { // what the stream leaves free
		n = max(n, h-1-max(p.stream.len(), 1))
	}
	return n
}

// fit shows what is beside the sessions now, and gives it the rows that it needs.
func (p *Pane) fit() {
	var d split.Detail
	switch v := p.talk(); {
	case p.stream.inDiff: // the diff needs all the room
		d, p.Whole, p.Back = p.diff, 1<<30, p.acts.Hint("pane.back")
	case v != nil:
		d, p.Whole, p.Back = v, talkFrom, p.aside.Hint("pane.back")
	default:
		d, p.Whole, p.Back = activity{p}, bothFrom, p.moves.Hint("list.out")
	}
	p.SetDetail(d)
	p.Resize()
}

// focus moves the focus to what is beside the sessions, or back to them.
func (p *Pane) focus(beside bool) {
	p.InDetail = beside
	p.fit()
	p.Fit()
}
