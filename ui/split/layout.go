package split

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/text"
)

// boxes holds the boxes of the parts: the list, the facts about the row under the cursor, the
// line above its diff, and the diff.
type boxes struct {
	list, facts, head, diff draw.Box
	beside                  bool
}

const (
	besideFrom = 100 // as Beside, if the owner does not say; so are those below
	belowFrom  = 8
	wholeFrom  = 14
	minCols    = 24 // of a part beside the dragged border
	minRows    = 3
)

// above returns how many rows are above the list and the detail.
func (s *Split) above() int {
	if s.Above == nil {
		return 0
	}
	return max(min(s.Above.RowsAbove(), s.H), 0)
}

func (s *Split) boxes() boxes {
	y := s.above()
	w, h := s.W, s.H-y
	switch {
	case s.InDetail && h < s.Whole: // the detail gets all the room
		return s.divided(draw.At(0, y, 0, 0), draw.At(0, y, w, h), false)
	case w >= s.Beside && h >= minRows:
		left := min(s.owner.Cols(), w*11/20)
		if !s.Slim {
			left = max(left, min(max(w*9/20, 44), 72))
		}
		if s.border.cols > 0 {
			left = max(min(s.border.cols, w-minCols-1), minCols)
		}
		return s.divided(draw.At(0, y, left, h), draw.At(left+1, y, w-left-1, h), true)
	case h >= s.Below:
		top := h * 2 / 5
		if s.Share != nil {
			top = s.Share(h)
		}
		top = min(max(top, minRows), max(s.owner.Rows(), 1))
		if s.border.rows > 0 {
			top = max(min(s.border.rows, h-minRows-1), minRows)
		}
		return s.divided(draw.At(0, y, w, top), draw.At(0, y+top, w, h-top), false)
	}
	return boxes{list: draw.At(0, y, w, h)}
}

// divided divides the detail: below the list, a line separates it.
func (s *Split) divided(rows, detail draw.Box, beside bool) boxes {
	at := boxes{list: rows, beside: beside}
	if !beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.facts = detail.CutTop(min(len(s.factRows(detail.W, detail.H)), detail.H))
	if beside {
		at.head = detail.CutTop(min(1, detail.H))
	}
	at.diff = detail
	return at
}

// inDetail returns where the mouse is in the detail.
func (at boxes) inDetail(m tea.Mouse) tea.Mouse {
	m.X, m.Y = m.X-at.diff.X, m.Y-at.diff.Y
	return m
}

// factRows returns the facts in rows of w columns, for a detail of h rows: at least half of them
// are left for the diff.
func (s *Split) factRows(w, h int) (out []Fact) {
	most := h / 2
	facts := s.owner.Facts()
	for i, f := range facts {
		room := most - len(out) - (len(facts) - 1 - i) // a row for each of the rest
		switch {
		case f.Put != nil:
			if len(out) < most {
				out = append(out, f)
			}
			continue
		case f.OneRow:
			if len(out) < most {
				row, _ := text.ClipMore(nil, text.WholeParts(text.Field(f.Text), max(w-2, 1)), max(w-2, 1))
				out = append(out, Fact{Text: string(row), Style: f.Style})
			}
			continue
		}
		rows := f.wrapped(w, max(room, 1))
		out = append(out, rows[:min(len(rows), most-len(out))]...)
	}
	return out
}
