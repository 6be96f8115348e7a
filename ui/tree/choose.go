package tree

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// The selection is the paths in chosen, with everything in selected folders, and while a
// range is being selected the rows from its anchor to the cursor.

// chosenRow reports whether row i is selected, and whether a parent folder is.
func (t *Pane) chosenRow(i int) (chosen, above bool) {
	n := t.rows[i]
	if t.chosen[n.path()] || t.inRange(i) {
		return true, false
	}
	if len(t.chosen) > 0 {
		for f := n.parent; f != nil; f = f.parent {
			if t.chosen[f.path()] {
				return true, true
			}
		}
	}
	return false, false
}

func (t *Pane) inRange(i int) bool {
	return t.ranging && i >= min(t.anchor, t.at.Cur) && i <= max(t.anchor, t.at.Cur)
}

// choices returns how many rows are selected.
func (t *Pane) choices() int {
	n := len(t.chosen)
	if t.ranging {
		for i := min(t.anchor, t.at.Cur); i <= max(t.anchor, t.at.Cur) && i < len(t.rows); i++ {
			if !t.chosen[t.rows[i].path()] {
				n++
			}
		}
	}
	return n
}

// choose toggles the selection of the row and moves to the next one; it ends a range.
func (t *Pane) choose(int) tea.Cmd {
	if t.ranging {
		t.endRange()
		return nil
	}
	n := t.current()
	if anyPath(t) != "" {
		return nil
	}
	if t.chosen[n.path()] {
		delete(t.chosen, n.path())
	} else {
		t.chosen[n.path()] = true
	}
	t.move(1)
	return nil
}

// chooseRange begins a range, or ends it.
func (t *Pane) chooseRange(int) tea.Cmd {
	if t.ranging {
		t.endRange()
	} else {
		t.ranging, t.anchor = true, t.at.Cur
	}
	return nil
}

// extend moves the cursor and extends the range.
func (t *Pane) extend(d int) tea.Cmd {
	if !t.ranging {
		t.ranging, t.anchor = true, t.at.Cur
	}
	t.move(d)
	return nil
}

// endRange ends a range: its rows stay selected.
func (t *Pane) endRange() {
	for i := min(t.anchor, t.at.Cur); i <= max(t.anchor, t.at.Cur) && i < len(t.rows); i++ {
		if _, unnamed := t.rows[i].unnamed(); !unnamed && !t.rows[i].deleted() {
			t.chosen[t.rows[i].path()] = true
		}
	}
	t.ranging = false
}

// chooseAll selects every entry that passes the filter, folded or not.
func (t *Pane) chooseAll(int) tea.Cmd {
	t.ranging = false
	t.eachShown(func(n *node) {
		if !n.deleted() {
			t.chosen[n.path()] = true
		}
	})
	return nil
}

// eachShown calls do for every entry that passes the filter.
func (t *Pane) eachShown(do func(*node)) {
	for i := range t.data.Entries {
		n := &t.data.nodes[i]
		if _, unnamed := n.unnamed(); unnamed {
			continue
		}
		if t.shown == nil || t.shown.visible[n.index] {
			do(n)
		}
	}
}

// escape ends the latest of a range, a filter and the selection.
func (t *Pane) escape(int) tea.Cmd {
	switch {
	case t.ranging:
		t.ranging = false
	case !t.filter.none():
		return t.setFilter("")
	default:
		clear(t.chosen)
	}
	return nil
}

// ClearSelection clears the selection.
func (t *Pane) ClearSelection() {
	clear(t.chosen)
	t.ranging = false
}

// choseAct clears the selection after an action on it.
func (t *Pane) choseAct() { t.ClearSelection() }

// targets returns the nodes that an action applies to, in the order of the tree: the
// selected ones, or else the cursor's. What is in a selected folder is not listed itself.
func (t *Pane) targets() []*node {
	if t.data == nil {
		return nil
	}
	if t.ranging {
		t.endRange()
	}
	if len(t.chosen) > 0 {
		return t.chosenBelow(nil, t.data.root)
	}
	if n := t.current(); n != nil {
		return []*node{n}
	}
	return nil
}

// pair returns the two selected memories, or the selected one and the one under the cursor;
// the one written first comes first.
func (t *Pane) pair() (pair [2]versions.Entry, ok bool) {
	here := t.current()
	if n := t.choices(); here == nil || n == 0 || n > 2 {
		return pair, false
	}
	two := []*node{}
	take := func(n *node) {
		if n != nil && !slices.Contains(two, n) {
			two = append(two, n)
		}
	}
	for p := range t.chosen {
		take(t.data.node(p))
	}
	if t.ranging && t.anchor < len(t.rows) { // at most two rows
		take(t.rows[t.anchor])
		take(here)
	}
	if len(two) == 1 {
		take(here)
	}
	if len(two) != 2 || !two[0].memory() || !two[1].memory() {
		return pair, false
	}
	pair = [2]versions.Entry{*two[0].entry, *two[1].entry}
	slices.SortFunc(pair[:], func(a, b versions.Entry) int {
		return cmp.Or(cmp.Compare(a.Change, b.Change), strings.Compare(a.Path.String(), b.Path.String()))
	})
	return pair, true
}

// compare shows the difference between two memories.
func (t *Pane) compare(int) tea.Cmd {
	pair, _ := t.pair()
	return t.env.Do(screen.Compare{From: pair[0], To: pair[1]})
}

func (t *Pane) chosenBelow(out []*node, n *node) []*node {
	for _, k := range n.kids {
		if t.chosen[k.path()] {
			out = append(out, k)
		} else if k.folder() {
			out = t.chosenBelow(out, k)
		}
	}
	return out
}

func (t *Pane) targetPaths() []memfs.Path {
	var out []memfs.Path
	for _, n := range t.targets() {
		out = append(out, n.path())
	}
	return out
}

// targetMemories returns the memories that a review applies to, including those in
// folders.
func (t *Pane) targetMemories() (out []*node) {
	for _, n := range t.targets() {
		if n.folder() {
			for _, l := range n.leaves(nil) {
				if l.memory() || l.deleted() {
					out = append(out, l)
				}
			}
		} else if n.memory() || n.deleted() {
			out = append(out, n)
		}
	}
	return out
}
