// Package dialog has what stands over the frame and takes all input until it is over:
// questions with a few answers, menus of actions, and pages of text.
package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/keys"
)

// Overlay stands over the frame and takes all input until it is over.
type Overlay interface {
	Update(tea.Msg) (cmd tea.Cmd, over bool)
	// Place is where its border stands on a screen of w by h cells, at least three
	// of them each way if there are any.
	Place(w, h int) geometry.Rect
	// View gives exactly h rows of w columns, and where the cursor is, if any.
	View(th *theme.Theme, w, h int) ([]string, *geometry.Point)
	Title() string
	Entries() []keys.Entry
}

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
func centred(iw, ih, full, w, h int) geometry.Rect {
	mw, mh := inside(w, h)
	iw, ih, full = min(max(iw, 1), mw), min(max(ih, 1), mh), min(max(full, 1), mh)
	return geometry.Rect{X: max(w-iw-2, 0) / 2, Y: max((h-full-2)/3, 0), W: iw + 2, H: ih + 2}
}
