// Package list is a list of rows with a cursor: the keys that move it, which rows are visible,
// and its mouse events. Its owner has the rows and draws them.
package list

import (
	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
)

// List is the position of the cursor, and the first row that is visible.
type List struct{ Cur, Top int }

// Step moves the cursor down by rows in a list of n rows of which h are visible. The cursor
// skips headings; heading may be nil.
func (l *List) Step(by, n, h int, heading func(int) bool) {
	if heading == nil {
		heading = func(int) bool { return false }
	}
	l.Cur = draw.Step(n, l.Cur, by, heading)
	l.Fit(n, h, heading)
}

// Go puts the cursor on a row of n, or on the nearest one, and h rows are visible.
func (l *List) Go(to, n, h int) {
	l.Cur = max(min(to, n-1), 0)
	l.Fit(n, h, nil)
}

// Scroll moves the window by rows and leaves the cursor where it is.
func (l *List) Scroll(by, n, h int) {
	l.Top += by
	l.Clamp(n, h)
}

// Clamp keeps the window within the n rows.
func (l *List) Clamp(n, h int) { l.Top = max(min(l.Top, n-max(h, 1)), 0) }

// Fit scrolls so that the row of the cursor is visible, with the heading above it.
func (l *List) Fit(n, h int, heading func(int) bool) {
	l.Top = max(min(l.Top, l.Cur), l.Cur-max(h, 1)+1)
	if l.Cur > 0 && l.Top == l.Cur && h > 1 && heading != nil && heading(l.Cur-1) {
		l.Top--
	}
	l.Clamp(n, h)
}

// Cell returns where the row of the cursor begins, in a list with above rows before it.
func (l *List) Cell(above, n, h int) (x, y int, ok bool) {
	y = l.Cur - l.Top
	return 0, above + y, l.Cur < n && y >= 0 && y < h
}

// Clicked returns the row that was clicked, in a list with above rows before it.
func (l *List) Clicked(msg tea.MouseClickMsg, above, n, h int) (i int, ok bool) {
	i = l.Top + msg.Y - above
	return i, msg.Button == tea.MouseLeft && msg.Y >= above && msg.Y < above+h && i < n
}

// WheelRows is how many rows a step of the wheel scrolls.
const WheelRows = 3

// Wheel returns how many rows down a wheel event scrolls.
func Wheel(msg tea.MouseWheelMsg) int {
	switch msg.Button {
	case tea.MouseWheelDown:
		return WheelRows
	case tea.MouseWheelUp:
		return -WheelRows
	}
	return 0
}

// Move returns one of the moves that all panes share: each has one name and the same keys in
// all panes, and is bound once. A pane may add keys.
func Move[P any](id string, do func(P, int) tea.Cmd, more ...string) keys.Action[P] {
	return keys.Action[P]{ID: "move." + id, Keys: more, Hide: true, Do: do}
}

// Moves returns the moves of a list or a text: step moves down by rows, and page returns how
// many rows a page has. A pane may add keys for the next page.
func Moves[P any](step func(P, int) tea.Cmd, page func(P) int, more ...string) []keys.Action[P] {
	const all = 1 << 30
	by := func(id string, rows func(P, int) int, more ...string) keys.Action[P] {
		return Move(id, func(p P, n int) tea.Cmd { return step(p, rows(p, times(n))) }, more...)
	}
	return []keys.Action[P]{
		by("down", func(_ P, n int) int { return n }),
		by("up", func(_ P, n int) int { return -n }),
		by("page-down", func(p P, n int) int { return n * max(page(p)-1, 1) }, more...),
		by("page-up", func(p P, n int) int { return -n * max(page(p)-1, 1) }),
		by("top", func(P, int) int { return -all }),
		by("bottom", func(P, int) int { return all }),
	}
}

// TextMoves returns the moves of a text: those of a list, half pages, and moves to the side by
// columns.
func TextMoves[P any](step func(P, int) tea.Cmd, page func(P) int, aside func(P, int) tea.Cmd, more ...string) []keys.Action[P] {
	const columns = 8
	return append(Moves(step, page, more...),
		Move("half-down", func(p P, n int) tea.Cmd { return step(p, times(n)*max(page(p)/2, 1)) }),
		Move("half-up", func(p P, n int) tea.Cmd { return step(p, -times(n)*max(page(p)/2, 1)) }),
		Move("right", func(p P, n int) tea.Cmd { return aside(p, times(n)*columns) }),
		Move("left", func(p P, n int) tea.Cmd { return aside(p, -times(n)*columns) }),
	)
}

// times returns how often a count repeats a move.
func times(n int) int { return min(max(n, 1), 10_000) }
