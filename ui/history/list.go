package history

import (
	lists "github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// item is what a list has of the store: a change, or a version.
type item struct {
	change  *versions.Change
	version *versions.Version
	of      []versions.MemoryID // of a change that may be new; nil while that is not known
	act     *versions.Bulk      // that a change is a part of; nil for none
}

// number is what items are ordered by, the greatest first.
func (it item) number() int64 {
	if it.change != nil {
		return it.change.Number
	}
	return int64(it.version.Number)
}

// row is one line of a list.
type row struct {
	kind    rowKind
	at, to  int               // its item; of a heading, those from at to before to
	version *versions.Version // of a version below its change
	grouped bool              // a heading above says who made it
}

type rowKind uint8

const (
	versionRow rowKind = iota
	changeRow
	innerRow // a version of the change above
	headRow  // of changes that one session made one after the other
	actRow   // of changes that are one act of another program
)

// heads reports whether the row stands for the changes from at to before to.
func (r row) heads() bool { return r.kind == headRow || r.kind == actRow }

// list is a window on something that is longer than what is loaded of it.
type list struct {
	lists.List
	query query
	items []item // newest first
	rows  []row

	ranging bool // all from anchor to the cursor is being chosen
	anchor  int

	before     int64 // what is older than this is not loaded
	known      int64 // what is newer than this has not been asked for
	want       int64 // the number of the item to go to as soon as it is loaded; 0 for none
	done       bool  // the oldest is loaded
	stale      bool  // the items are those of the query before
	everything bool  // all that is loaded is to be asked for again, not only what is new
	err        error
	pages      screen.Load[answer] // of what is older
	fresh      screen.Load[answer] // what is new
}

// begin makes the list that of another query. What it shows stays until there is
// an answer, if keep says so.
func (l *list) begin(q query, keep bool) {
	l.pages.Stop()
	l.fresh.Stop()
	old := *l
	*l = list{query: q, pages: old.pages, fresh: old.fresh}
	if keep {
		l.List, l.items, l.rows, l.stale = old.List, old.items, old.rows, len(old.items) > 0
	}
}

// begun reports whether anything was asked for.
func (l *list) begun() bool { return len(l.items) > 0 || l.done || l.pages.Waiting() }

// oldest is the number of the last item that is loaded.
func (l *list) oldest() int64 {
	if len(l.items) == 0 {
		return l.known + 1
	}
	return l.items[len(l.items)-1].number()
}

// move puts the cursor on a row.
func (l *list) move(to, height int) { l.Go(to, len(l.rows), height) }

// reveal scrolls as little as it takes to show the cursor.
func (l *list) reveal(height int) { l.Fit(len(l.rows), height, nil) }

func (l *list) clamp(height int) { l.Clamp(len(l.rows), height) }

// wants reports whether the window is near the end of what is loaded, or what is
// to be gone to is not.
func (l *list) wants(height int) bool {
	if l.done || l.pages.Waiting() || l.err != nil {
		return false
	}
	return l.stale || l.want != 0 || max(l.Top+height, l.Cur) >= len(l.rows)-height
}

func (l *list) current() (row, bool) {
	if l.Cur >= len(l.rows) {
		return row{}, false
	}
	return l.rows[l.Cur], true
}

// key says which row it is, whatever stands above it.
type key struct {
	number  int64
	version versions.VersionID // of one below its change
	kind    rowKind            // of a heading; else of a version or a change
}

func (l *list) keyAt(i int) key {
	if i < 0 || i >= len(l.rows) {
		return key{}
	}
	r := l.rows[i]
	k := key{number: l.items[r.at].number()}
	switch r.kind {
	case innerRow:
		k.version = r.version.ID
	case headRow, actRow:
		k.kind = r.kind
	}
	return k
}

// find is the row of a key, or the one that stands where it would: what is folded
// is in its heading, or in its change.
func (l *list) find(k key) int {
	near := -1
	for i, r := range l.rows {
		newest, oldest := l.items[r.at].number(), l.items[r.to-1].number()
		switch {
		case newest < k.number:
			if near >= 0 {
				return near
			}
			return i
		case oldest > k.number:
		case r.heads() && k.kind == r.kind:
			return i
		case r.kind == innerRow && r.version.ID == k.version, r.kind != innerRow && !r.heads() && k.version == "":
			return i
		case r.kind != innerRow:
			near = i
		}
	}
	if near >= 0 {
		return near
	}
	return max(0, len(l.rows)-1)
}

// keep changes the rows and leaves the cursor on its row. That row stays in its
// place unless the window is at the top, where what is new shows.
func (l *list) keep(height int, change func()) {
	at, top, anchor := l.keyAt(l.Cur), l.keyAt(l.Top), l.keyAt(l.anchor)
	atTop := l.Top == 0
	seen := l.Cur >= l.Top && l.Cur < l.Top+height
	some := len(l.rows) > 0
	change()
	if !some {
		l.clamp(height)
		return
	}
	l.Cur = l.find(at)
	if l.ranging {
		l.anchor = l.find(anchor)
	}
	if !atTop {
		l.Top = l.find(top)
	}
	if seen {
		l.reveal(height)
	}
	l.clamp(height)
}
