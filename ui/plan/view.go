package plan

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// places holds the boxes of the parts; head is the line above the diff.
type places struct {
	list, head, diff draw.Box
	beside           bool
}

const (
	besideFrom  = 100 // columns from which the diff is beside the list
	minToDivide = 10  // rows from which the list and the diff below it are both visible
)

// places computes the layout.
func (p *Pane) places() places {
	w, h := p.w, p.h
	switch {
	case w >= besideFrom && h >= 3:
		left := min(max(w*2/5, 44), 64)
		return places{draw.At(0, 0, left, h), draw.At(left+1, 0, w-left-1, 1), draw.At(left+1, 1, w-left-1, h-1), true}
	case h >= minToDivide:
		top := min(max(h*2/5, 3), max(len(p.rows), 3))
		return places{list: draw.At(0, 0, w, top), head: draw.At(0, top, w, 1), diff: draw.At(0, top+1, w, h-top-1)}
	case p.inDiff:
		return places{head: draw.At(0, 0, w, min(1, h)), diff: draw.At(0, 1, w, max(0, h-1))}
	}
	return places{list: draw.At(0, 0, w, h)}
}

// fit resizes the parts and scrolls to the cursor.
func (p *Pane) fit() {
	at := p.places()
	p.diff.SetSize(at.diff.W, at.diff.H)
	p.Fit(len(p.rows), at.list.H, p.heading)
}

// View returns exactly the rows and columns of SetSize.
func (p *Pane) View() string {
	if p.w <= 0 || p.h <= 0 {
		return ""
	}
	if p.plan == nil || p.plan.Empty() && len(p.rows) == 0 {
		return p.notice()
	}
	at := p.places()
	diff := strings.Split(p.diff.View(), "\n")
	dst := make([]byte, 0, p.h*(p.w+48))
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if at.list.Holds(0, y) {
			dst = p.appendRow(dst, p.Top+y, at.list.W)
		}
		if at.beside {
			dst = p.env.Theme.Border.Append(dst, p.env.Theme.Lines.Down)
		}
		switch {
		case at.head.H > 0 && y == at.head.Y:
			dst = p.appendHead(dst, at)
		case y >= at.diff.Y && y-at.diff.Y < min(at.diff.H, len(diff)):
			dst = append(dst, diff[y-at.diff.Y]...)
		}
	}
	return string(dst)
}

// appendHead draws the line above the diff.
func (p *Pane) appendHead(dst []byte, at places) []byte {
	border, title := p.env.Theme.Border, p.env.Theme.Title
	if p.inDiff {
		border, title = p.env.Theme.BorderFocused, p.env.Theme.TitleFocused
	}
	pen := draw.Pen{W: at.head.W}
	lead := strings.Repeat(p.env.Theme.Lines.Across, 2) + " "
	if at.beside {
		lead = " "
	}
	dst = pen.Put(dst, lead, border)
	if r := p.current(); at.list.H == 0 && r != nil { // no list shows whose diff it is
		dst = pen.ClipStart(dst, where(r.item), at.head.W-4-text.Width(p.title)-3, title)
		dst = pen.Put(dst, " · ", title)
	}
	dst = pen.Clip(dst, p.title, at.head.W-4, title)
	dst = pen.Space(dst, 1)
	if at.beside {
		return pen.Space(dst, at.head.W)
	}
	return pen.Put(dst, strings.Repeat(p.env.Theme.Lines.Across, max(at.head.W-pen.Used, 0)), border)
}

// notice returns why there is no list.
func (p *Pane) notice() string {
	s, st := "planning…", p.env.Theme.Dim
	switch {
	case p.err != nil:
		s, st = p.err.Error(), p.env.Theme.Error
	case p.plan != nil:
		s = "Nothing to do: all of it is so already."
	}
	starts := text.Wrap(nil, s, max(p.w-4, 1), 0, p.h)
	dst := []byte{}
	for y := range p.h {
		if y > 0 {
			dst = append(dst, '\n')
		}
		pen := draw.Pen{W: p.w}
		if i := y - min(1, p.h-1); i >= 0 && i < len(starts) {
			to := len(s)
			if i+1 < len(starts) {
				to = starts[i+1]
			}
			dst = pen.Put(pen.Space(dst, 2), s[starts[i]:to], st)
		}
		dst = pen.Space(dst, p.w)
	}
	return string(dst)
}

func (p *Pane) click(m tea.Mouse) tea.Cmd {
	at := p.places()
	switch {
	case m.Button != tea.MouseLeft:
	case at.list.Holds(m.X, m.Y):
		p.inDiff = false
		if i := p.Top + m.Y - at.list.Y; i < len(p.rows) && p.rows[i].item != nil {
			p.step(i - p.Cur)
			return p.compare()
		}
	case at.diff.Holds(m.X, m.Y):
		return p.toDiff(0)
	}
	return nil
}

func (p *Pane) wheel(msg tea.MouseWheelMsg) tea.Cmd {
	if p.places().diff.Holds(msg.X, msg.Y) {
		return p.diff.Update(msg)
	}
	switch msg.Button {
	case tea.MouseWheelUp:
		p.step(-1)
	case tea.MouseWheelDown:
		p.step(1)
	}
	return p.compare()
}
