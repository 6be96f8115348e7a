// Package list is a list of rows with a cursor: what moves it, which of its rows show, and
// what the mouse means there. Its owner has the rows and draws them.
package list

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
)

// List is where one is in a list, and which row is the first that shows.
type List struct{ Cur, Top int }

// Step goes so many rows down in a list of n of which h show. The cursor never stands on
// a heading; heading may be nil.
func (l *List) Step(by, n, h int, heading func(int) bool) {
	if heading == nil {
		heading = func(int) bool { return false }
	}
	l.Cur = draw.Step(n, l.Cur, by, heading)
	l.Fit(n, h, heading)
}

// Fit scrolls so that the row of the cursor shows, with the heading above it.
func (l *List) Fit(n, h int, heading func(int) bool) {
	l.Top = max(min(l.Top, l.Cur), l.Cur-h+1)
	if l.Cur > 0 && l.Top == l.Cur && h > 1 && heading != nil && heading(l.Cur-1) {
		l.Top--
	}
	l.Top = min(max(l.Top, 0), max(n-h, 0))
}

// Cell is where the row of the cursor begins, below so many rows.
func (l *List) Cell(above, n, h int) (x, y int, ok bool) {
	y = l.Cur - l.Top
	return 0, above + y, l.Cur < n && y >= 0 && y < h
}

// Clicked is the row that was clicked, below so many rows.
func (l *List) Clicked(msg tea.MouseClickMsg, above, n, h int) (i int, ok bool) {
	i = l.Top + msg.Y - above
	return i, msg.Button == tea.MouseLeft && msg.Y >= above && msg.Y < above+h && i < n
}

// WheelRows is how many rows a step of the wheel goes.
const WheelRows = 3

// Wheel is how many rows down a step of the wheel goes.
func Wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelDown:
		return WheelRows
	case tea.MouseWheelUp:
		return -WheelRows
	}
	return 0
}

// Moves are the actions that move the cursor of a list, or scroll a text: step goes so
// many rows down, and page is how many a page has. More keys than the usual ones may
// turn a page.
func Moves[P any](step func(P, int) tea.Cmd, page func(P) int, more ...string) []keys.Action[P] {
	const all = 1 << 30
	by := func(id, name string, rows func(P, int) int, seqs ...string) keys.Action[P] {
		return keys.Action[P]{ID: id, Name: name, Keys: seqs, Hide: true, Do: func(p P, n int) tea.Cmd {
			return step(p, rows(p, max(n, 1)))
		}}
	}
	return []keys.Action[P]{
		by("down", "down", func(_ P, n int) int { return n }, "j", "down"),
		by("up", "up", func(_ P, n int) int { return -n }, "k", "up"),
		by("page-down", "page down", func(p P, n int) int { return n * max(page(p)-1, 1) }, append([]string{"pgdown", "ctrl+f"}, more...)...),
		by("page-up", "page up", func(p P, n int) int { return -n * max(page(p)-1, 1) }, "pgup", "ctrl+b"),
		by("top", "to the top", func(P, int) int { return -all }, "g g", "home"),
		by("bottom", "to the bottom", func(P, int) int { return all }, "G", "end"),
	}
}
