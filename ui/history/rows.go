package history

import (
	"github.com/memend/memend/ui/window"
	"github.com/memend/memend/versions"
)

// folds is what is listed below changes and their headings.
type folds struct {
	details map[int64][]versions.Version // versions of changes, as far as loaded
	open    map[int64]bool               // changes whose versions are listed
	folded  map[versions.SessionID]bool  // sessions whose changes are not listed
	listed  map[int64]bool               // bulk edits whose changes are listed, by their first change
}

func newFolds() folds {
	return folds{map[int64][]versions.Version{}, map[int64]bool{}, map[versions.SessionID]bool{}, map[int64]bool{}}
}

// toggle folds something, or unfolds it.
func toggle[K comparable](list map[K]bool, x K) {
	if list[x] {
		delete(list, x)
	} else {
		list[x] = true
	}
}

// layOut computes the rows from the items. The rows of the items before from are up to date.
func (l *list) layOut(from int) {
	if len(l.items) > 0 && l.items[0].version != nil {
		l.rows = l.rows[:from]
		for i := from; i < len(l.items); i++ {
			l.rows = append(l.rows, row{kind: versionRow, at: i, to: i + 1})
		}
		return
	}
	if from > 0 { // the last run may continue
		from--
		for from > 0 && together(l.items[from-1], l.items[from]) {
			from--
		}
	}
	n := len(l.rows)
	for n > 0 && l.rows[n-1].at >= from {
		n--
	}
	l.rows = l.rows[:n]
	for i := from; i < len(l.items); {
		j := i + 1
		for j < len(l.items) && together(l.items[j-1], l.items[j]) {
			j++
		}
		l.layOutRun(i, j)
		i = j
	}
}

// together reports whether two consecutive changes belong below one heading.
func together(a, b item) bool {
	return sameAct(a, b) || a.change.Session != "" && a.change.Session == b.change.Session && a.change.Actor == b.change.Actor
}

// sameAct reports whether two changes belong to the same bulk edit and have the same state:
// both in effect, or undone together.
func sameAct(a, b item) bool {
	return a.act != nil && b.act != nil && a.act.First() == b.act.First() && a.change.UndoneBy == b.change.UndoneBy
}

// join assigns changes to their bulk edits and computes the rows again if that changes them.
func (l *list) join(height int, acts map[int64]*versions.Bulk) {
	more := false
	for i := range l.items {
		if act := acts[l.items[i].number()]; act != nil {
			more = more || l.items[i].act == nil
			l.items[i].act = act
		}
	}
	if more {
		l.layOutAgain(height)
	}
}

// layOutRun computes the rows of consecutive items of one session, or of one bulk edit.
func (l *list) layOutRun(from, to int) {
	acts := 0 // bulk edits that begin in the run
	for i := from; i < to; i++ {
		if i == from || !sameAct(l.items[i-1], l.items[i]) {
			acts++
		}
	}
	grouped := acts > 1
	if grouped {
		l.rows = append(l.rows, row{kind: headRow, at: from, to: to})
		if l.folded[l.items[from].change.Session] {
			return
		}
	}
	for i := from; i < to; {
		j := i + 1
		for j < to && sameAct(l.items[j-1], l.items[j]) {
			j++
		}
		l.layOutAct(i, j, grouped)
		i = j
	}
}

// layOutAct computes the rows of one change, or of the changes of a bulk edit, which are listed
// only if the user has unfolded it.
func (l *list) layOutAct(from, to int, grouped bool) {
	if to-from > 1 {
		l.rows = append(l.rows, row{kind: actRow, at: from, to: to, grouped: grouped})
		if !l.listed[l.items[from].act.First()] {
			return
		}
		grouped = true
	}
	for i := from; i < to; i++ {
		c := l.items[i].change
		l.rows = append(l.rows, row{kind: changeRow, at: i, to: i + 1, grouped: grouped})
		if !l.open[c.Number] {
			continue
		}
		list := l.details[c.Number]
		for k := range list {
			l.rows = append(l.rows, row{kind: innerRow, at: i, to: i + 1, version: &list[k], grouped: grouped})
		}
	}
}

// layOutAgain computes all rows again and keeps the cursor in its place.
func (l *list) layOutAgain(height int) { l.keep(height, func() { l.layOut(0) }) }

// revealBelow shows what is listed below the row of the cursor, or the first of it.
func (l *list) revealBelow(height int) {
	last := l.Cur
	for last+1 < len(l.rows) && l.rows[last+1].at < l.rows[l.Cur].to {
		last++
	}
	w := window.Window{Top: l.Top, H: height}
	w.Reveal(l.Cur, last, len(l.rows))
	l.Top = w.Top
}

// foldAll folds or unfolds every loaded session. Folding includes bulk edits, unfolding does
// not: each stays one row until the user unfolds it.
func (l *list) foldAll(fold bool, height int) {
	clear(l.folded)
	if fold {
		clear(l.listed)
	}
	for _, r := range l.rows {
		if fold && r.kind == headRow {
			l.folded[l.items[r.at].change.Session] = true
		}
	}
	l.layOutAgain(height)
}

// listsBelow reports whether a row is a heading with its changes listed below it.
func (l *list) listsBelow(r row) bool {
	switch r.kind {
	case headRow:
		return !l.folded[l.items[r.at].change.Session]
	case actRow:
		return l.listed[l.items[r.at].act.First()]
	}
	return false
}

// hasBelow reports whether other rows are below row i, or can be.
func (l *list) hasBelow(i int) bool {
	r := l.rows[i]
	return r.heads() || r.kind == changeRow && l.items[r.at].change.Versions > 1
}
