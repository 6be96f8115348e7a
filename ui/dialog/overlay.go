// Package dialog has the overlays, which are drawn over the frame and take all input until
// they close: questions with a few answers, menus of actions, and pages of text.
package dialog

import (
	tea "charm.land/bubbletea/v2"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/geometry"
	"github.com/memend/memend/ui/keys"
)

// Overlay is drawn over the frame and takes all input until it closes.
type Overlay interface {
	Update(tea.Msg) (cmd tea.Cmd, over bool)
	// Place returns the box of its border on a screen of w by h cells. The box has at least
	// three cells each way if the screen has.
	Place(w, h int) geometry.Rect
	// View returns exactly h rows of w columns, and the place of the cursor, if any.
	View(th *theme.Theme, w, h int) ([]string, *geometry.Point)
	Title() string
	Entries() []keys.Entry
}

// narrow is the width below which dialogs take the full width: a strip of the background would
// not be readable.
const narrow = 60

// inside returns the maximum size of a dialog inside its border. The hints below it stay
// visible.
func inside(w, h int) (int, int) {
	if w >= narrow {
		w -= 2
	}
	return max(w-2, 1), max(h-3, 1)
}

// centred returns the box of a dialog of iw by ih cells inside its border. Its top is that of
// a dialog with full rows, so that a dialog that shrinks does not move.
func centred(iw, ih, full, w, h int) geometry.Rect {
	mw, mh := inside(w, h)
	iw, ih, full = min(max(iw, 1), mw), min(max(ih, 1), mh), min(max(full, 1), mh)
	return geometry.Rect{X: max(w-iw-2, 0) / 2, Y: max((h-full-2)/3, 0), W: iw + 2, H: ih + 2}
}
