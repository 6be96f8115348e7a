package history

import (
	"sort"
	"strconv"
	"time"

	lists "github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// item is an element of a list: a change, or a version.
type item struct {
	change  *versions.Change
	version *versions.Version
	of      []versions.MemoryID // memories of a change that may be new; nil while unknown
	act     *versions.Bulk      // the bulk edit that the change belongs to, or nil
}

// inChange returns the number of the change, or of that of the version.
func (it item) inChange() int64 {
	if it.change != nil {
		return it.change.Number
	}
	return it.version.Change
}

func (it item) time() time.Time {
	if it.change != nil {
		return it.change.Time
	}
	return it.version.Time
}

// by returns who made it, and in which session.
func (it item) by() (versions.Actor, versions.SessionID) {
	if it.change != nil {
		return it.change.Actor, it.change.Session
	}
	return it.version.Actor, it.version.Session
}

// number orders the items, greatest first.
func (it item) number() int64 {
	if it.change != nil {
		return it.change.Number
	}
	return int64(it.version.Number)
}

// row is one line of a list.
type row struct {
	kind    rowKind
	at, to  int               // its item; for a heading, the items from at up to but not including to
	version *versions.Version // set for a version below its change
	grouped bool              // a heading above shows who made it
}

type rowKind uint8

const (
	versionRow rowKind = iota
	changeRow
	innerRow // a version of the change above
	headRow  // heading of consecutive changes of one session
	actRow   // a bulk edit
)

// heads reports whether the row represents the items from at up to to.
func (r row) heads() bool { return r.kind == headRow || r.kind == actRow }

// list is a window on the store's changes or versions, which are more than the loaded ones. It has the rows, and knows what
// is below which; it loads nothing.
type list struct {
	lists.List
	folds
	query query
	items []item // newest first
	rows  []row

	ranging bool // the rows from anchor to the cursor are being selected
	anchor  int

	before     int64 // items older than this are not loaded
	known      int64 // items newer than this have not been requested
	want       int64 // number of the item to move to as soon as it is loaded; 0 for none
	done       bool  // the oldest is loaded
	stale      bool  // the items belong to the previous query
	everything bool  // reload all items, not only new ones
	err        error
	pages      screen.Load[answer] // pages of older items
	newer      screen.Load[answer] // new items
}

// begin resets the list for another query. If keep is set, the old items stay visible until
// there is an answer.
func (l *list) begin(q query, keep bool) {
	l.pages.Stop()
	l.newer.Stop()
	old := *l
	*l = list{folds: old.folds, query: q, pages: old.pages, newer: old.newer}
	if keep {
		l.List, l.items, l.rows, l.stale = old.List, old.items, old.rows, len(old.items) > 0
	}
}

// count returns how many items the list has. Without a filter that is the number of the newest one;
// with one, only those that are loaded are known.
func (l *list) count() string {
	if l.query.any() && len(l.items) > 0 && !l.stale {
		return strconv.FormatInt(l.items[0].number(), 10)
	}
	n := strconv.Itoa(len(l.items))
	if !l.done {
		n += "+"
	}
	return n
}

// progress returns the progress of a search through a long history.
func (l *list) progress(sign string) string {
	if l.query.any() || l.before == 0 {
		return "…"
	}
	return "… looked back to " + sign + strconv.FormatInt(l.before, 10)
}

// begun reports whether anything was requested.
func (l *list) begun() bool { return len(l.items) > 0 || l.done || l.pages.Waiting() }

// oldest returns the number of the last item that is loaded.
func (l *list) oldest() int64 {
	if len(l.items) == 0 {
		return l.known + 1
	}
	return l.items[len(l.items)-1].number()
}

// wants reports whether another page is needed: the window is near the end of what is loaded,
// or the item to move to is not loaded.
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

// item returns the item of the selected row; of several, the newest.
func (l *list) item() (item, bool) {
	r, ok := l.current()
	if !ok {
		return item{}, false
	}
	return l.items[r.at], true
}

// version returns the version of the selected row, which may be that of a change with one
// version.
func (l *list) version() (versions.Version, bool) {
	r, ok := l.current()
	switch {
	case !ok || r.heads():
		return versions.Version{}, false
	case r.kind == innerRow:
		return *r.version, true
	case r.kind == versionRow:
		return *l.items[r.at].version, true
	}
	if list := l.details[l.items[r.at].change.Number]; len(list) == 1 {
		return list[0], true
	}
	return versions.Version{}, false
}

// numbered returns the loaded item with a number, or nil.
func (l *list) numbered(n int64) *item {
	i := sort.Search(len(l.items), func(i int) bool { return l.items[i].number() <= n })
	if i == len(l.items) || l.items[i].number() != n {
		return nil
	}
	return &l.items[i]
}

// key identifies a row, independent of the rows above it.
type key struct {
	number  int64
	version versions.VersionID // of a version below its change
	kind    rowKind            // of a heading; otherwise of a version or a change
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

// find returns the row of a key, or the row at its place: for a hidden row, that of its
// heading or its change.
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

// keep runs change and then puts the cursor on the same row. That row keeps its place on the
// screen unless the window is at the top, where new rows appear.
func (l *list) keep(height int, change func()) {
	at, top, anchor := l.keyAt(l.Cur), l.keyAt(l.Top), l.keyAt(l.anchor)
	atTop := l.Top == 0
	seen := l.Cur >= l.Top && l.Cur < l.Top+height
	some := len(l.rows) > 0
	change()
	if !some {
		l.Clamp(len(l.rows), height)
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
		l.Fit(len(l.rows), height, nil)
	}
	l.Clamp(len(l.rows), height)
}

// goToWanted puts the cursor on the requested item if it is loaded now.
func (l *list) goToWanted(height int) {
	if l.want == 0 || l.stale || !l.done && (len(l.items) == 0 || l.want < l.oldest()) {
		return
	}
	if len(l.rows) > 0 {
		l.Go(l.find(key{number: l.want}), len(l.rows), height)
	}
	l.want = 0
}

// replace replaces the items newer than after.
func (l *list) replace(height int, items []item, after int64) {
	l.keep(height, func() {
		n := 0
		for n < len(l.items) && l.items[n].number() > after {
			n++
		}
		l.items = append(items[:len(items):len(items)], l.items[n:]...)
		l.layOut(0)
	})
}
