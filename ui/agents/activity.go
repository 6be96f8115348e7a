package agents

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
)

// activity is the stream as what is beside the sessions, below the filter while that is typed.
type activity struct{ p *Pane }

func (activity) SetTheme(*theme.Theme) {} // the pane has the theme

func (a activity) SetFocused(on bool) { a.p.stream.focused = on }

// SetSize sets the columns and rows of View.
func (a activity) SetSize(w, h int) {
	s := &a.p.stream
	s.cols, s.above = w, 0
	if a.p.typed.On() && h > 1 {
		s.above = min(filter.Rows, h-1)
	}
	was := s.height
	s.height = h - s.above
	if s.height < was && s.Cur >= s.Top+s.height { // the window became smaller
		s.move(s.Cur)
	}
	s.Clamp(s.len(), s.height)
}

// View returns exactly the rows and columns of SetSize.
func (a activity) View() string {
	p, s := a.p, &a.p.stream
	dst := make([]byte, 0, (s.above+s.height)*(s.cols+64))
	for y := range s.above + s.height {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if y < s.above {
			dst = p.typed.Append(dst, y, s.cols, p.stream.query.problem, p.env.Theme)
		} else {
			dst = p.appendActivity(dst, s.Top+y-s.above, y-s.above, s.cols)
		}
	}
	return string(dst)
}

// Update handles mouse events: a click selects a row, a second one opens it.
func (a activity) Update(msg tea.Msg) tea.Cmd {
	p, s := a.p, &a.p.stream
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		s.scroll(list.Wheel(msg))
		return p.moveTo(s.Cur)
	case tea.MouseClickMsg:
		row, ok := s.Clicked(msg, s.above, s.len(), s.height)
		if !ok {
			return nil
		}
		again := p.InDetail && row == s.Cur
		cmd := p.moveTo(row)
		p.InDetail = true
		if again && p.openDisabled() == "" {
			return tea.Batch(cmd, p.enter())
		}
		return cmd
	}
	return nil
}

func (a activity) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return a.p.moves.Press(a.p, seq, n)
}
func (a activity) Entries() []keys.Entry { return a.p.moves.Entries(a.p) }

// Selected returns where the row of the cursor begins.
func (a activity) Selected() (x, y int, ok bool) {
	s := &a.p.stream
	return s.Cell(s.above, s.len(), s.height)
}

// filterBox returns where the filter is typed.
func (p *Pane) filterBox() draw.Box {
	at := p.DetailBox()
	return draw.At(at.X, at.Y, at.W, p.stream.above)
}
