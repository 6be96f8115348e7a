package history

import (
	"slices"

	"github.com/memtrail/memtrail/versions"
)

// row is one line of a list: a version, or a change.
type row struct {
	version *versions.Version
	change  *versions.Change // of the version too, in the list of changes
	inner   bool             // a version listed below its change
}

// list is a window on something that is longer than what is loaded of it.
type list struct {
	id      int // grows when the list becomes another one; older answers are dropped
	rows    []row
	cursor  int
	top     int
	loading bool
	done    bool // the oldest is loaded
	fresh   bool // what is new is being asked for
	again   bool // and has to be asked for once more
	err     error
}

// reset makes the list empty, for another thing to be listed.
func (l *list) reset() { *l = list{id: l.id + 1} }

// move puts the cursor on a row.
func (l *list) move(to, height int) {
	l.cursor = max(0, min(to, len(l.rows)-1))
	l.reveal(height)
}

// reveal scrolls as little as it takes to show the cursor.
func (l *list) reveal(height int) {
	l.top = max(min(l.top, l.cursor), l.cursor-max(height, 1)+1)
	l.clamp(height)
}

func (l *list) clamp(height int) { l.top = max(0, min(l.top, len(l.rows)-max(height, 1))) }

// scroll moves the window and leaves the cursor where it is.
func (l *list) scroll(n, height int) {
	l.top += n
	l.clamp(height)
}

// wants reports whether the window is near the end of what is loaded.
func (l *list) wants(height int) bool {
	return !l.done && !l.loading && l.err == nil && max(l.top+height, l.cursor) >= len(l.rows)-height
}

// prepend puts new rows on top. The selection stays on its row, and that row
// stays in its place unless the window is at the top, where what is new shows.
func (l *list) prepend(rows []row, height int) {
	atTop := l.top == 0
	seen := l.cursor >= l.top && l.cursor < l.top+height
	l.rows = append(slices.Clip(rows), l.rows...)
	if len(l.rows) > len(rows) {
		l.cursor += len(rows)
	}
	if !atTop {
		l.top += len(rows)
	}
	if seen {
		l.reveal(height)
	}
}

func (l *list) current() (row, bool) {
	if l.cursor >= len(l.rows) {
		return row{}, false
	}
	return l.rows[l.cursor], true
}
