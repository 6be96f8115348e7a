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

// choices returns the choices of a row: the row itself, or everything below a heading.
func (l *list) choices(r row) iter.Seq2[choice, *versions.Version] {
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
			if list := l.details[n]; len(list) == 1 {
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
func (l *list) inRange() iter.Seq2[choice, *versions.Version] {
	return func(yield func(choice, *versions.Version) bool) {
		if !l.ranging {
			return
		}
		for i := min(l.anchor, l.Cur); i <= max(l.anchor, l.Cur) && i < len(l.rows); i++ {
			if l.listsBelow(l.rows[i]) {
				continue
			}
			for c, v := range l.choices(l.rows[i]) {
				if !yield(c, v) {
					return
				}
			}
		}
	}
}

// selection is the chosen versions, and the chosen changes, with nil. Of a list the range that is being selected counts too.
type selection map[choice]*versions.Version

// all returns everything chosen. It is an iterator because a range may be long and many callers need only the first choices.
func (s selection) all(l *list) iter.Seq2[choice, *versions.Version] {
	return func(yield func(choice, *versions.Version) bool) {
		for c, v := range s {
			if !yield(c, v) {
				return
			}
		}
		for c, v := range l.inRange() {
			if _, ok := s[c]; !ok && !yield(c, v) {
				return
			}
		}
	}
}

// first returns the chosen versions, nil for a change; at most one more than most.
func (s selection) first(l *list, most int) []*versions.Version {
	var out []*versions.Version
	for _, v := range s.all(l) {
		if out = append(out, v); len(out) > most {
			break
		}
	}
	return out
}

// has reports whether row i is chosen or in the range that is being selected.
func (s selection) has(l *list, i int) bool {
	if l.ranging && i >= min(l.anchor, l.Cur) && i <= max(l.anchor, l.Cur) && !l.listsBelow(l.rows[i]) {
		return true
	}
	return len(s) > 0 && s.hasWhole(l, l.rows[i])
}

func (s selection) hasWhole(l *list, r row) bool {
	for c := range l.choices(r) {
		if _, ok := s[c]; !ok {
			return false
		}
	}
	return true
}

// toggle chooses a row, or everything below a heading, or no longer.
func (s selection) toggle(l *list, r row) {
	if !s.hasWhole(l, r) {
		maps.Insert(s, l.choices(r))
		return
	}
	for c := range l.choices(r) {
		delete(s, c)
	}
}

// endRange ends a range; its rows stay chosen.
func (s selection) endRange(l *list) {
	maps.Insert(s, l.inRange())
	l.ranging = false
}

// clear clears the selection and reports whether there was one.
func (s selection) clear(l *list) bool {
	some := len(s) > 0 || l.ranging
	clear(s)
	l.ranging = false
	return some
}

// resolve replaces a chosen change by its version when that is known.
func (s selection) resolve(change int64, list []versions.Version) {
	if _, ok := s[choice{change: change}]; ok && len(list) == 1 {
		delete(s, choice{change: change})
		v := list[0]
		s[choice{change, v.ID}] = &v
	}
}

// base returns the version that the version under the cursor is compared with instead of its
// predecessor, or nil.
func (s selection) base(l *list) *versions.Version {
	if all := s.first(l, 1); len(all) == 1 {
		return all[0]
	}
	return nil
}

// two returns the two versions of one memory that are compared with each other.
func (s selection) two(l *list) (older, newer versions.Version, ok bool) {
	both := s.first(l, 2)
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

// count returns how many versions and changes are chosen.
func (s selection) count(l *list) (n int) {
	for range s.all(l) {
		n++
	}
	return n
}

// several reports whether actions apply to more than the row under the cursor.
func (s selection) several(l *list) bool { return len(s.first(l, 1)) > 1 }

// choices returns what an action applies to, newest first, if that is not just the
// row under the cursor. A range ends.
func (s selection) choices(l *list) []choice {
	s.endRange(l)
	if len(s) < 2 {
		return nil
	}
	return slices.SortedFunc(maps.Keys(s), func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.change, a.change), cmp.Compare(a.version, b.version))
	})
}

// versions returns the versions among those choices.
func (s selection) versions(l *list) (out []versions.Version) {
	for _, c := range s.choices(l) {
		if v := s[c]; v != nil {
			out = append(out, *v)
		}
	}
	return out
}

// changes returns the numbers of the changes of those choices.
func (s selection) changes(l *list) (out []int64) {
	for _, c := range s.choices(l) {
		out = append(out, c.change)
	}
	return slices.Compact(out)
}

// choose toggles the row and moves to the next one. A range ends.
func (p *Pane) choose() tea.Cmd {
	l := p.list()
	r, ok := l.current()
	switch {
	case !ok:
		return nil
	case l.ranging:
		p.chosen.endRange(l)
		return p.compare()
	}
	p.chosen.toggle(l, r)
	return p.moveBy(1)
}

// chooseRange begins or ends a range.
func (p *Pane) chooseRange() tea.Cmd {
	l := p.list()
	if l.ranging {
		p.chosen.endRange(l)
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

// singleDisabled is for actions on a single row.
func (p *Pane) singleDisabled() string {
	if p.chosen.several(p.list()) {
		return "it takes one at a time, and several are chosen: " + p.keys.Hint("pane.back") + " chooses none"
	}
	return ""
}

// selectionDisabled is for actions that need a version of everything chosen.
func (p *Pane) selectionDisabled() string {
	for _, v := range p.chosen.all(p.list()) {
		if v == nil {
			return "a chosen change is of several memories, or is still being read: " + p.keys.Hint("list.open") + " lists its versions"
		}
	}
	return ""
}
