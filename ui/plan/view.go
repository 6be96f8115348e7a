package plan

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// places holds the boxes of the parts: facts are the rows about the whole plan, head is the line
// above the diff.
type places struct {
	facts, list, head, diff draw.Box
	beside                  bool
}

const (
	besideFrom  = 100 // columns from which the diff is beside the list
	minToDivide = 10  // rows from which the list and the diff below it are both visible
	factsFrom   = 7   // rows from which the plan is described above the list
)

// places computes the layout.
func (p *Pane) places() places {
	w, y, h := p.w, 0, p.h
	if p.h >= factsFrom && !(p.inDiff && p.h < minToDivide) {
		y = len(p.facts())
		h -= y
	}
	facts := draw.At(0, 0, w, y)
	switch {
	case w >= besideFrom && h >= 3:
		left := min(max(w*2/5, 44), 64)
		return places{facts, draw.At(0, y, left, h), draw.At(left+1, y, w-left-1, 1), draw.At(left+1, y+1, w-left-1, h-1), true}
	case p.h >= minToDivide:
		top := min(max(h*2/5, 3), max(len(p.rows), 3))
		return places{facts: facts, list: draw.At(0, y, w, top), head: draw.At(0, y+top, w, 1), diff: draw.At(0, y+top+1, w, h-top-1)}
	case p.inDiff:
		return places{facts: facts, head: draw.At(0, y, w, min(1, h)), diff: draw.At(0, y+1, w, max(0, h-1))}
	}
	return places{facts: facts, list: draw.At(0, y, w, h)}
}

// facts returns the rows about the whole plan: when and why it was done, and what the plan does.
func (p *Pane) facts() []string {
	var parts []string
	if t := p.about.When; !t.IsZero() {
		when := t.In(p.now.Location()).Format("2006-01-02 15:04")
		if age := draw.Age(p.now, t); age != "" && !p.now.IsZero() {
			when += " (" + age + ")"
		}
		parts = append(parts, when)
	}
	if p.about.Why != "" {
		parts = append(parts, p.about.Why)
	}
	if len(parts) == 0 {
		return []string{p.totals()}
	}
	return []string{strings.Join(parts, " · "), p.totals()}
}

func (p *Pane) appendFact(dst []byte, i int) []byte {
	c := draw.NewRow(dst, p.w)
	st := p.env.Theme.Text
	if i == 0 && len(p.facts()) > 1 {
		st = p.env.Theme.Title
	}
	c.Space(1)
	c.Column(text.Field(p.facts()[i]), c.Left()-1, st)
	return c.End()
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
		if y < at.facts.H {
			dst = p.appendFact(dst, y)
			continue
		}
		if at.list.Holds(0, y) {
			dst = p.appendRow(dst, p.Top+y-at.list.Y, at.list.W)
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
		dst = pen.Put(dst, shortened(where(r.item), at.head.W-4-text.Width(p.title)-3), title)
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
		s = "Nothing to do: it is already like that."
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
