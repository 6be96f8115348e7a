package frame

import (
	"strings"

	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/draw"
)

// Overlay draws a dialog over the rows of a frame of w by h cells.
func (c Canvas) Overlay(rows []string, o dialog.Overlay, w, h int) {
	r := o.Place(w, h)
	inner, _ := o.View(c.Theme, r.W-2, r.H-2)
	border, lines := c.DialogBorder, c.Lines
	for y := range r.H {
		if r.Y+y >= len(rows) {
			break
		}
		dst := cut(nil, rows[r.Y+y], 0, r.X)
		switch y {
		case 0:
			dst = append(dst, c.rule(nil, lines.TopLeft, o.Title(), r.W-1)...)
			dst = border.Append(dst, lines.TopRight)
		case r.H - 1:
			dst = border.Append(c.rule(dst, lines.BottomLeft, "", r.W-1), lines.BottomRight)
		default:
			dst = border.Append(dst, lines.Down)
			dst = append(dst, inner[y-1]...)
			dst = border.Append(dst, lines.Down)
		}
		rows[r.Y+y] = string(cut(dst, rows[r.Y+y], r.X+r.W, w))
	}
}

// rule draws an edge of w columns from its left corner on, without the right corner.
func (c Canvas) rule(dst []byte, left, title string, w int) []byte {
	dst = append(dst, c.DialogBorder.On...)
	dst = append(dst, left...)
	cols := 0
	if title != "" && w > 5 {
		dst = append(dst, c.Lines.Across+" "...)
		dst = append(dst, c.DialogBorder.Off...)
		dst = append(dst, c.TitleFocused.On...)
		dst, cols = draw.ClipMore(dst, title, w-5, c.TitleFocused)
		dst = append(dst, c.TitleFocused.Off...)
		dst = append(dst, c.DialogBorder.On...)
		dst = append(dst, ' ')
		cols += 3
	}
	dst = append(dst, strings.Repeat(c.Lines.Across, max(w-1-cols, 0))...)
	return append(dst, c.DialogBorder.Off...)
}
