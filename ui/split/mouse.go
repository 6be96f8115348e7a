package split

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
)

// Update handles mouse events.
func (s *Split) Update(msg tea.Msg) tea.Cmd {
	at := s.boxes()
	switch msg := msg.(type) {
	case tea.MouseClickMsg:
		if msg.Button == tea.MouseLeft {
			return s.click(msg, at)
		}
	case tea.MouseMotionMsg:
		switch {
		case s.border.held && at.beside:
			s.border.cols = max(msg.X, 1)
			s.Fit()
		case s.border.held:
			s.border.rows = max(msg.Y-at.list.Y, 1)
			s.Fit()
		case s.InDetail:
			return s.detail.Update(tea.MouseMotionMsg(at.inDetail(msg.Mouse())))
		}
	case tea.MouseReleaseMsg:
		s.border.held = false
		return s.detail.Update(tea.MouseReleaseMsg(at.inDetail(msg.Mouse())))
	case tea.MouseWheelMsg:
		if at.diff.Holds(msg.X, msg.Y) {
			return s.detail.Update(tea.MouseWheelMsg(at.inDetail(msg.Mouse())))
		}
		s.Scroll(list.Wheel(msg), s.owner.Rows(), at.list.H)
	}
	return nil
}

// click selects a row, clicks in the detail, or begins to drag the border. Where no list is
// visible, a click above the detail returns to it.
func (s *Split) click(msg tea.MouseClickMsg, at boxes) tea.Cmd {
	switch {
	case at.list.Holds(msg.X, msg.Y):
		i, ok := s.RowAt(msg)
		s.Focus(false) // this may scroll
		if ok && !s.heading(i) {
			return s.MoveBy(i - s.Cur)
		}
	case at.diff.Holds(msg.X, msg.Y):
		cmd := s.detail.Update(tea.MouseClickMsg(at.inDetail(msg.Mouse())))
		s.Focus(true)
		return cmd
	case at.beside && msg.X == at.list.W && msg.Y >= at.list.Y, !at.beside && at.list.H > 0 && at.head.Holds(msg.X, msg.Y):
		s.border.held = true
	case at.head.Holds(msg.X, msg.Y) && at.list.H == 0:
		s.Focus(false)
	}
	return nil
}

// DetailBox returns the cells of the detail. The line above it has its title.
func (s *Split) DetailBox() draw.Box { return s.boxes().diff }

// Beyond reports whether the mouse is dragged above or below the detail.
func (s *Split) Beyond() bool {
	d, ok := s.detail.(screen.Dragger)
	return ok && s.InDetail && !s.border.held && d.Beyond()
}

// RowAt returns the row of the list that was clicked.
func (s *Split) RowAt(msg tea.MouseClickMsg) (i int, ok bool) {
	at := s.boxes().list
	if !at.Holds(msg.X, msg.Y) {
		return 0, false
	}
	return s.Clicked(msg, at.Y, s.owner.Rows(), at.H)
}
