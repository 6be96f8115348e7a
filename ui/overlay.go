package ui

import (
	"strings"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/geometry"
)

// drawOverlay lays the overlay over the rows of a frame.
func (a *App) drawOverlay(rows []string) *geometry.Point {
	r := a.overlay.Place(a.w, a.h)
	inner, cur := a.overlay.View(a.th, r.W-2, r.H-2)
	border, lines := a.th.DialogBorder, a.th.Lines
	for y := range r.H {
		if r.Y+y >= len(rows) {
			break
		}
		dst := cut(nil, rows[r.Y+y], 0, r.X, a.width())
		switch y {
		case 0:
			dst = append(dst, a.fit(string(a.rule(nil, lines.TopLeft, a.overlay.Title(), r.W-1)), r.W-1)...)
			dst = border.Append(dst, lines.TopRight)
		case r.H - 1:
			dst = border.Append(a.rule(dst, lines.BottomLeft, "", r.W-1), lines.BottomRight)
		default:
			dst = border.Append(dst, lines.Down)
			dst = append(dst, a.fit(inner[y-1], r.W-2)...)
			dst = border.Append(dst, lines.Down)
		}
		rows[r.Y+y] = string(cut(dst, rows[r.Y+y], r.X+r.W, a.w, a.width()))
	}
	if cur == nil {
		return nil
	}
	return &geometry.Point{X: r.X + 1 + cur.X, Y: r.Y + 1 + cur.Y}
}

// rule draws an edge of w columns from its left corner on, without the right one.
func (a *App) rule(dst []byte, left, title string, w int) []byte {
	dst = append(dst, a.th.DialogBorder.On...)
	dst = append(dst, left...)
	cols := 0
	if title != "" && w > 5 {
		dst = append(dst, a.th.Lines.Across+" "...)
		dst = append(dst, a.th.DialogBorder.Off...)
		dst = append(dst, a.th.TitleFocused.On...)
		dst, cols = draw.ClipMore(dst, title, w-5, a.th.TitleFocused)
		dst = append(dst, a.th.TitleFocused.Off...)
		dst = append(dst, a.th.DialogBorder.On...)
		dst = append(dst, ' ')
		cols += 3
	}
	dst = append(dst, strings.Repeat(a.th.Lines.Across, max(w-1-cols, 0))...)
	return append(dst, a.th.DialogBorder.Off...)
}
