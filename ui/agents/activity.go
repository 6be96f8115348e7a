package agents

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
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
			dst = a.appendRow(dst, s.Top+y-s.above, y-s.above)
		}
	}
	return string(dst)
}

// emptiness returns why the list is empty.
func (a activity) emptiness() []string {
	p, s := a.p, &a.p.stream
	switch {
	case s.err != nil:
		return []string{"Can't be read: " + s.err.Error()}
	case p.stream.page.Waiting() || !s.done:
		return []string{"…"}
	case p.stream.query.text != "":
		return text.Rows("Nothing gets through the filter. "+p.acts.Hint("pane.back")+" clears it.", p.stream.cols-2, 3)
	case s.session != "":
		return text.Rows("This session did nothing here that is still known.", p.stream.cols-2, 3)
	}
	if p.talks.Manager != nil {
		return a.askFirst()
	}
	return []string{
		"Nobody has read or written here yet.",
		"Agents come in by `memend tool`;",
		"what other programs write into the",
		"folder shows as well, as it happens.",
	}
}

// askFirst returns how to start an agent, or why that is impossible.
func (a activity) askFirst() []string {
	p := a.p
	if err := p.talks.notReady; err != nil {
		s := "No agent can be asked: " + err.Error()
		if !p.talks.lacksCredentials() {
			s = "The Messages API did not answer: " + err.Error() + ". Check the network and ANTHROPIC_BASE_URL; " + p.about.Hint("new") + " starts an agent anyway."
		}
		if hint := talk.Advice(err); hint != "" {
			s += ". " + strings.ToUpper(hint[:1]) + hint[1:] + "."
		}
		return text.Rows(text.Field(s), p.stream.cols-2, 8)
	}
	return []string{"Nobody has read or written here yet.", p.about.Hint("new") + " starts an agent."}
}

// appendRow draws a row of the stream; y is relative to the window.
func (a activity) appendRow(dst []byte, i, y int) []byte {
	p, s, w := a.p, &a.p.stream, a.p.stream.cols
	row, ok := s.at(i)
	if !ok {
		l := draw.NewRow(dst, w)
		if words := a.emptiness(); s.len() == 0 && y < len(words) {
			l.Put(" "+words[y], p.env.Theme.Dim)
		} else if i == s.len() && p.stream.page.Waiting() {
			l.Put(" …", p.env.Theme.Dim)
		}
		return l.End()
	}
	st := theme.Style{}
	switch {
	case i == s.Cur && s.focused:
		st = p.env.Theme.Selected
	case i == s.Cur:
		st = p.env.Theme.SelectedDim
	}
	table := ofEverybody
	if s.session != "" {
		table = ofSession
	}
	l := table.Put(draw.StyledRow(dst, w, st), p.pen(), row)
	return l.End()
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
