package history

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/versions"
)

// The selection. A single chosen version is compared with the version under the cursor, and
// actions apply to the latter. Two chosen versions of a memory are compared with each other.
// From two on, actions apply to everything chosen.

// choice is one chosen thing: a version, or a change with several or unknown versions.
type choice struct {
	change  int64
	version versions.VersionID
}

// choicesOf returns the choices of a row: the row itself, or everything below a heading.
func (p *Pane) choicesOf(l *list, r row) iter.Seq2[choice, *versions.Version] {
	return func(yield func(choice, *versions.Version) bool) {
		switch r.kind {
		case versionRow:
			v := l.items[r.at].version
			yield(choice{v.Change, v.ID}, v)
			return
		case innerRow:
			yield(choice{r.version.Change, r.version.ID}, r.version)
			return
		}
		for i := r.at; i < r.to; i++ {
			n := l.items[i].change.Number
			c, v := choice{change: n}, (*versions.Version)(nil)
			if list := p.details[n]; len(list) == 1 {
				v = &list[0]
				c.version = v.ID
			}
			if !yield(c, v) {
				return
			}
		}
	}
}

// inRange returns the choices of the range that is being selected. A heading whose changes are
// listed below it counts only for those of them in the range.
func (p *Pane) inRange(l *list) iter.Seq2[choice, *versions.Version] {
	return func(yield func(choice, *versions.Version) bool) {
		if !l.ranging {
			return
		}
		for i := min(l.anchor, l.Cur); i <= max(l.anchor, l.Cur) && i < len(l.rows); i++ {
			if p.listsBelow(l, l.rows[i]) {
				continue
			}
			for c, v := range p.choicesOf(l, l.rows[i]) {
				if !yield(c, v) {
					return
				}
			}
		}
	}
}

// allChosen returns everything chosen, including the range that is being selected. It is an
// iterator because a range may be long and many callers need only the first choices.
func (p *Pane) allChosen() iter.Seq2[choice, *versions.Version] {
	return func(yield func(choice, *versions.Version) bool) {
		for c, v := range p.chosen {
			if !yield(c, v) {
				return
			}
		}
		for c, v := range p.inRange(p.list()) {
			if _, ok := p.chosen[c]; !ok && !yield(c, v) {
				return
			}
		}
	}
}

// firstChosen returns the chosen versions, nil for a change; at most one more than most.
func (p *Pane) firstChosen(most int) []*versions.Version {
	var out []*versions.Version
	for _, v := range p.allChosen() {
		if out = append(out, v); len(out) > most {
			break
		}
	}
	return out
}

// isChosen reports whether a row is chosen or in the range that is being selected.
func (p *Pane) isChosen(l *list, i int) bool {
	if l.ranging && i >= min(l.anchor, l.Cur) && i <= max(l.anchor, l.Cur) && !p.listsBelow(l, l.rows[i]) {
		return true
	}
	return len(p.chosen) > 0 && p.wholeChosen(l, l.rows[i])
}

// listsBelow reports whether a row is a heading with its changes listed below it.
func (p *Pane) listsBelow(l *list, r row) bool {
	switch r.kind {
	case headRow:
		return !p.folded[l.items[r.at].change.Session]
	case actRow:
		return p.listed[l.items[r.at].act.First()]
	}
	return false
}

func (p *Pane) wholeChosen(l *list, r row) bool {
	for c := range p.choicesOf(l, r) {
		if _, ok := p.chosen[c]; !ok {
			return false
		}
	}
	return true
}

// choose toggles the row and moves to the next one. A range ends.
func (p *Pane) choose() tea.Cmd {
	l := p.list()
	r, ok := l.current()
	switch {
	case !ok:
		return nil
	case l.ranging:
		p.endRange()
		return p.compare()
	case p.wholeChosen(l, r):
		for c := range p.choicesOf(l, r) {
			delete(p.chosen, c)
		}
	default:
		maps.Insert(p.chosen, p.choicesOf(l, r))
	}
	return p.moveBy(1)
}

// chooseRange begins or ends a range.
func (p *Pane) chooseRange() tea.Cmd {
	l := p.list()
	if l.ranging {
		p.endRange()
	} else {
		l.ranging, l.anchor = true, l.Cur
	}
	return p.compare()
}

// extend moves the cursor and extends the range.
func (p *Pane) extend(d int) tea.Cmd {
	if l := p.list(); !l.ranging {
		l.ranging, l.anchor = true, l.Cur
	}
	return p.moveBy(d)
}

// endRange ends a range; its rows stay chosen.
func (p *Pane) endRange() {
	l := p.list()
	maps.Insert(p.chosen, p.inRange(l))
	l.ranging = false
}

// clearSelection clears the selection and reports whether there was one.
func (p *Pane) clearSelection() bool {
	l := p.list()
	some := len(p.chosen) > 0 || l.ranging
	clear(p.chosen)
	l.ranging = false
	return some
}

// resolve replaces a chosen change by its version when that is known.
func (p *Pane) resolve(change int64, list []versions.Version) {
	if _, ok := p.chosen[choice{change: change}]; ok && len(list) == 1 {
		delete(p.chosen, choice{change: change})
		v := list[0]
		p.chosen[choice{change, v.ID}] = &v
	}
}

// base returns the version that the version under the cursor is compared with instead of its
// predecessor, or nil.
func (p *Pane) base() *versions.Version {
	if all := p.firstChosen(1); len(all) == 1 {
		return all[0]
	}
	return nil
}

// twoChosen returns the two versions of one memory that are compared with each other.
func (p *Pane) twoChosen() (older, newer versions.Version, ok bool) {
	both := p.firstChosen(2)
	if len(both) != 2 {
		return older, newer, false
	}
	a, b := both[0], both[1]
	if a == nil || b == nil || a.Memory != b.Memory {
		return older, newer, false
	}
	if a.Number > b.Number {
		a, b = b, a
	}
	return *a, *b, true
}

// several returns the choices that an action applies to, newest first, if that is not just the
// row under the cursor. A range ends.
func (p *Pane) several() []choice {
	p.endRange()
	if len(p.chosen) < 2 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(p.chosen), func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.change, a.change), cmp.Compare(a.version, b.version))
	})
}

// countChosen returns how many versions and changes are chosen, including the range that is
// being selected.
func (p *Pane) countChosen() (n int) {
	for range p.allChosen() {
		n++
	}
	return n
}

// severalChosen reports whether actions apply to more than the row under the cursor.
func (p *Pane) severalChosen() bool { return len(p.firstChosen(1)) > 1 }

// severalVersions returns the chosen versions, newest change first.
func (p *Pane) severalVersions() []versions.Version {
	var out []versions.Version
	for _, c := range p.several() {
		if v := p.chosen[c]; v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// severalChanges returns the numbers of the chosen changes and of the changes of the chosen
// versions, newest first.
func (p *Pane) severalChanges() []int64 {
	var out []int64
	for _, c := range p.several() {
		out = append(out, c.change)
	}
	return slices.Compact(out)
}

// singleDisabled is for actions on a single row.
func (p *Pane) singleDisabled() string {
	if p.severalChosen() {
		return "it takes one at a time, and several are chosen: " + p.keys.Hint("pane.back") + " chooses none"
	}
	return ""
}

// selectionDisabled is for actions that need a version of everything chosen.
func (p *Pane) selectionDisabled() string {
	for _, v := range p.allChosen() {
		if v == nil {
			return "a chosen change is of several memories, or is still being read: " + p.keys.Hint("list.open") + " lists its versions"
		}
	}
	return ""
}
