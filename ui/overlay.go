package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
)

// overlay stands over the frame and takes all input until it is over.
type overlay interface {
	Update(tea.Msg) (cmd tea.Cmd, over bool)
	// place is where its border stands on a screen of w by h cells, at least three
	// of them each way if there are any.
	place(w, h int) rect
	// view gives exactly h rows of w columns, and where the cursor is, if any.
	view(th *theme.Theme, w, h int) ([]string, *point)
	title() string
	Entries() []keys.Entry
}

type point struct{ x, y int }

// narrow is the width below which dialogs take all of it: a strip of what is
// behind them would tell nothing.
const narrow = 60

// inside is the most that a dialog can have within its border. The hints below it
// always show.
func inside(w, h int) (int, int) {
	if w >= narrow {
		w -= 2
	}
	return max(w-2, 1), max(h-3, 1)
}

// centred is the place of a dialog of iw by ih cells inside its border, as high up
// as if it had room for full rows: one that shrinks stays where it is.
func centred(iw, ih, full, w, h int) rect {
	mw, mh := inside(w, h)
	iw, ih, full = min(max(iw, 1), mw), min(max(ih, 1), mh), min(max(full, 1), mh)
	return rect{max(w-iw-2, 0) / 2, max((h-full-2)/3, 0), iw + 2, ih + 2}
}

// drawOverlay lays the overlay over the rows of a frame.
func (a *App) drawOverlay(rows []string) *point {
	r := a.overlay.place(a.w, a.h)
	inner, cur := a.overlay.view(a.th, r.w-2, r.h-2)
	border, lines := a.th.DialogBorder, a.th.Lines
	for y := range r.h {
		if r.y+y >= len(rows) {
			break
		}
		dst := cut(nil, rows[r.y+y], 0, r.x, a.width())
		switch y {
		case 0:
			dst = append(dst, a.fit(string(a.rule(nil, lines.TopLeft, a.overlay.title(), r.w-1)), r.w-1)...)
			dst = border.Append(dst, lines.TopRight)
		case r.h - 1:
			dst = border.Append(a.rule(dst, lines.BottomLeft, "", r.w-1), lines.BottomRight)
		default:
			dst = border.Append(dst, lines.Down)
			dst = append(dst, a.fit(inner[y-1], r.w-2)...)
			dst = border.Append(dst, lines.Down)
		}
		rows[r.y+y] = string(cut(dst, rows[r.y+y], r.x+r.w, a.w, a.width()))
	}
	if cur == nil {
		return nil
	}
	return &point{r.x + 1 + cur.x, r.y + 1 + cur.y}
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
