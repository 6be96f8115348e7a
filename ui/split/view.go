package split

import (
	"strings"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// View returns exactly the rows and columns of SetSize.
func (s *Split) View() string {
	at := s.boxes()
	diff, facts := strings.Split(s.detail.View(), "\n"), s.factRows(at.facts.W, s.detailHeight(at))
	return s.frame(func(dst []byte, y int) []byte {
		if at.list.Holds(0, y) {
			dst = s.owner.AppendRow(dst, s.Top+y-at.list.Y, at.list.W)
		}
		if at.beside {
			dst = s.th.Border.Append(dst, s.th.Lines.Down)
		}
		switch {
		case at.facts.H > 0 && y >= at.facts.Y && y < at.facts.Y+at.facts.H:
			return facts[y-at.facts.Y].append(dst, at.facts.W)
		case at.head.H > 0 && y == at.head.Y:
			return s.appendHead(dst, at)
		case s.heading(s.Cur): // there is nothing to show
			return text.Spaces(dst, at.diff.W)
		case y >= at.diff.Y && y-at.diff.Y < min(at.diff.H, len(diff)):
			return append(dst, diff[y-at.diff.Y]...)
		}
		return dst
	})
}

// frame draws the rows above, and below them those that row draws.
func (s *Split) frame(row func(dst []byte, y int) []byte) string {
	if s.W <= 0 || s.H <= 0 {
		return ""
	}
	above := s.above()
	dst := make([]byte, 0, s.H*(s.W+48))
	for y := range s.H {
		if y > 0 {
			dst = append(dst, '\n')
		}
		if y < above {
			dst = s.Above.AppendAbove(dst, y, s.W)
		} else {
			dst = row(dst, y)
		}
	}
	return string(dst)
}

// detailHeight returns the rows of the detail, as divided gave them to factRows.
func (s *Split) detailHeight(at boxes) int {
	h := at.facts.H + at.diff.H
	if at.beside {
		h += at.head.H
	}
	return h
}

// appendHead draws the line above the diff.
func (s *Split) appendHead(dst []byte, at boxes) []byte {
	border, title := s.th.Border, s.th.Dim
	if s.InDetail && !s.blurred {
		border, title = s.th.BorderFocused, s.th.TitleFocused
	}
	pen := draw.NewRow(dst, at.head.W)
	if at.list.H > 0 {
		pen.Put(strings.Repeat(s.th.Lines.Across, 2)+" ", border)
	} else { // a click returns to the list
		pen.Put("‹ "+s.Back+" ", s.th.HintKey)
	}
	var marks []Fact
	room := pen.Left() - 1
	if s.Marks != nil {
		marks = s.Marks()
	}
	for _, f := range marks {
		room -= text.Width(f.Text) + 1
	}
	if what := text.Field(s.owner.DetailTitle()); strings.Contains(what, "/") { // a path: its end matters more
		pen.Path(what, max(room, minTitle), title)
	} else {
		pen.Clip(what, max(room, minTitle), title)
	}
	pen.Space(1)
	for _, f := range marks {
		pen.Put(f.Text+" ", f.Style)
	}
	pen.Put(strings.Repeat(s.th.Lines.Across, max(pen.Left(), 0)), border)
	return pen.End()
}

const minTitle = 12 // columns, whatever the marks need

// Row begins a row of the list, in the style of the cursor if it is there. Past the end it
// returns an empty row and false.
func (s *Split) Row(dst []byte, i, w int) (draw.Row, bool) {
	switch {
	case i >= s.owner.Rows():
		return draw.NewRow(dst, w), false
	case i == s.Cur && (s.InDetail || s.blurred):
		return draw.StyledRow(dst, w, s.th.SelectedDim), true
	case i == s.Cur:
		return draw.StyledRow(dst, w, s.th.Selected), true
	}
	return draw.NewRow(dst, w), true
}

// Notice returns a text that is shown instead of the list and the detail.
func (s *Split) Notice(notice string, st theme.Style) string {
	return s.Notices(Fact{Text: notice, Style: st})
}

// Notices returns several texts that are shown instead of the list and the detail.
func (s *Split) Notices(notices ...Fact) string {
	above := s.above()
	var rows []Fact
	for _, f := range notices {
		rows = append(rows, f.wrapped(s.W-2, max(s.H-above, 1))...)
	}
	return s.frame(func(dst []byte, y int) []byte {
		if i := y - above - min(1, s.H-above-1); i >= 0 && i < len(rows) {
			return rows[i].append(text.Spaces(dst, min(s.W, 1)), s.W-1)
		}
		return text.Spaces(dst, s.W)
	})
}
