package tree

import (
	"slices"

	"github.com/memend/memend/memfs"
)

// isOpen reports whether a folder is unfolded. While a filter is set, folds are separate,
// because matches must be visible.
func (t *Pane) isOpen(n *node) bool {
	if t.shown != nil {
		return !t.folded[n.path()]
	}
	return t.unfolded != t.toggled[n.path()]
}

func (t *Pane) setOpen(n *node, open bool) {
	switch {
	case t.isOpen(n) == open:
	case t.shown != nil:
		t.folded[n.path()] = !open
	default:
		t.toggled[n.path()] = !t.toggled[n.path()]
	}
}

// flatten rebuilds the rows and keeps the cursor's row number.
func (t *Pane) flatten() {
	t.rows = t.rows[:0]
	switch {
	case t.data == nil:
	case t.data.order.flat:
		for _, n := range t.data.flat {
			if t.shown == nil || t.shown.visible[n.index] {
				t.rows = append(t.rows, n)
			}
		}
	default:
		t.rows = t.appendRows(slices.Grow(t.rows, len(t.data.root.kids)), t.data.root)
	}
	t.move(0)
}

func (t *Pane) appendRows(rows []*node, n *node) []*node {
	for _, k := range n.kids {
		if t.shown != nil && !t.shown.visible[k.index] {
			continue
		}
		rows = append(rows, k)
		if k.folder() && t.isOpen(k) {
			rows = t.appendRows(rows, k)
		}
	}
	return rows
}

// current returns the node under the cursor, or nil in an empty tree.
func (t *Pane) current() *node {
	if t.at.Cur < len(t.rows) {
		return t.rows[t.at.Cur]
	}
	return nil
}

func (t *Pane) move(d int) {
	t.at.Go(t.at.Cur+d, len(t.rows), t.listHeight())
}

// moveTo moves the cursor to n, or to its nearest visible parent folder.
func (t *Pane) moveTo(n *node) {
	for ; n != nil && n.parent != nil; n = n.parent {
		for i, row := range t.rows {
			if row == n {
				t.move(i - t.at.Cur)
				return
			}
		}
	}
}

// moveToPath is moveTo for a path that may no longer exist.
func (t *Pane) moveToPath(p memfs.Path) {
	for ; !p.IsRoot(); p = p.Dir() {
		if n := t.data.node(p); n != nil {
			t.moveTo(n)
			return
		}
	}
}

// Reveal unfolds the folders above p and moves the cursor to it.
func (t *Pane) Reveal(p memfs.Path) {
	if t.data == nil {
		return
	}
	n := t.data.node(p)
	if n == nil || n.parent == nil {
		return
	}
	for f := n.parent; f.parent != nil; f = f.parent {
		t.setOpen(f, true)
	}
	t.flatten()
	t.moveTo(n)
}

func (t *Pane) fold(n *node, open bool) {
	t.setOpen(n, open)
	t.flatten()
	t.moveTo(n)
}

func (t *Pane) foldAll(open bool) {
	t.undecided = false
	at := t.current()
	if t.shown != nil {
		clear(t.folded)
		for _, n := range t.rows {
			if n.folder() && !open {
				t.folded[n.path()] = true
			}
		}
	} else {
		t.unfolded = open
		clear(t.toggled)
	}
	t.flatten()
	if at != nil {
		t.moveTo(at)
	}
}
