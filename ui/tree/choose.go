package tree

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/request"
	"github.com/memend/memend/versions"
)

// What is chosen is the paths of chosen, with all that lies in chosen folders, and
// while a range is drawn the rows from its anchor to the cursor.

// chosenRow reports whether row i is chosen, and whether a folder above it is.
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
	return t.ranging && i >= min(t.anchor, t.cur) && i <= max(t.anchor, t.cur)
}

// choices is how many rows are chosen.
func (t *Pane) choices() int {
	n := len(t.chosen)
	if t.ranging {
		for i := min(t.anchor, t.cur); i <= max(t.anchor, t.cur) && i < len(t.rows); i++ {
			if !t.chosen[t.rows[i].path()] {
				n++
			}
		}
	}
	return n
}

// choose chooses the row, or no longer, and goes on to the next; a range it ends.
func (t *Pane) choose(int) tea.Cmd {
	if t.ranging {
		t.takeRange()
		return nil
	}
	n := t.current()
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
		t.takeRange()
	} else {
		t.ranging, t.anchor = true, t.cur
	}
	return nil
}

// extend moves the cursor with a range behind it.
func (t *Pane) extend(d int) tea.Cmd {
	if !t.ranging {
		t.ranging, t.anchor = true, t.cur
	}
	t.move(d)
	return nil
}

// takeRange ends a range: its rows stay chosen.
func (t *Pane) takeRange() {
	for i := min(t.anchor, t.cur); i <= max(t.anchor, t.cur) && i < len(t.rows); i++ {
		t.chosen[t.rows[i].path()] = true
	}
	t.ranging = false
}

// chooseAll chooses every entry that is shown, folded away or not.
func (t *Pane) chooseAll(int) tea.Cmd {
	t.ranging = false
	t.eachShown(func(n *node) { t.chosen[n.path()] = true })
	return nil
}

// invert chooses the entries that are not chosen, of those that are shown.
func (t *Pane) invert(int) tea.Cmd {
	if t.ranging {
		t.takeRange()
	}
	was := t.chosen
	t.chosen = map[memfs.Path]bool{}
	t.eachShown(func(n *node) {
		for f := n; f != nil; f = f.parent {
			if was[f.path()] {
				return
			}
		}
		t.chosen[n.path()] = true
	})
	return nil
}

// eachShown gives every entry that the filter leaves.
func (t *Pane) eachShown(do func(*node)) {
	for i := range t.data.Entries {
		n := &t.data.nodes[i]
		if t.shown == nil || t.shown.keep[n.index] {
			do(n)
		}
	}
}

// escape goes back one step: a range, a filter, what is chosen.
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

// Unchoose chooses nothing any more.
func (t *Pane) Unchoose() {
	clear(t.chosen)
	t.ranging = false
}

// choseAct notes that an act on what is chosen was done: it is not chosen any more.
func (t *Pane) choseAct() { t.Unchoose() }

// targets are the nodes that an act is for, in the order of the tree: those chosen,
// else the cursor's. What lies in a chosen folder goes with it.
func (t *Pane) targets() []*node {
	if t.data == nil {
		return nil
	}
	if t.ranging {
		t.takeRange()
	}
	if len(t.chosen) > 0 {
		return t.chosenBelow(nil, t.data.root)
	}
	if n := t.current(); n != nil {
		return []*node{n}
	}
	return nil
}

// pair are the two memories that are chosen, or the one that is and the one under the
// cursor; the one written first comes first.
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
	if t.ranging && t.anchor < len(t.rows) { // of two rows at most
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

// compare shows what differs between two memories.
func (t *Pane) compare(int) tea.Cmd {
	pair, _ := t.pair()
	return t.env.Ask(request.Compare{From: pair[0], To: pair[1]})
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

// targetMemories are the memories that an act is for, those of folders with them.
func (t *Pane) targetMemories() (out []*node) {
	for _, n := range t.targets() {
		if n.folder() {
			for _, l := range n.leaves(nil) {
				if l.memory() {
					out = append(out, l)
				}
			}
		} else if n.memory() {
			out = append(out, n)
		}
	}
	return out
}
