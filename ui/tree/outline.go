package tree

import (
	"slices"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/list"
)

// outline is a reading of the store as rows: which folders are unfolded, the rows that are
// visible, the cursor, and where a range of rows begins.
type outline struct {
	page  func() int // how many rows are visible
	data  *Data      // nil before the first reading
	shown *shown     // the result of the filter; nil: everything
	rows  []*node
	at    list.List // the row of the cursor, and the first visible one

	ranging bool // the rows from anchor to the cursor are selected
	anchor  int

	undecided bool                // unfolded follows the number of entries
	unfolded  bool                // the state of folders that are not in toggled
	toggled   map[memfs.Path]bool // folders with the opposite state
	folded    map[memfs.Path]bool // while a filter is set: the folders folded in it
}

// Data returns the reading that is shown, or nil before the first one.
func (o *outline) Data() *Data { return o.data }

// List returns the position of the cursor, and Rows the number of rows.
func (o *outline) List() *list.List { return &o.at }
func (o *outline) Rows() int        { return len(o.rows) }

// Selected returns the position of the cursor's row.
func (o *outline) Selected() (x, y int, ok bool) { return o.at.Cell(0, len(o.rows), o.page()) }

// current returns the node under the cursor, or nil in an empty tree.
func (o *outline) current() *node {
	if o.at.Cur < len(o.rows) {
		return o.rows[o.at.Cur]
	}
	return nil
}

// Here returns the path under the cursor, or the root in an empty tree.
func (o *outline) Here() memfs.Path {
	if n := o.current(); n != nil {
		return n.path()
	}
	return memfs.Root
}

// folderHere returns the folder in which a new memory would be created.
func (o *outline) folderHere() memfs.Path {
	n := o.current()
	switch {
	case n == nil:
		return memfs.Root
	case n.folder():
		return n.path()
	}
	return n.path().Dir()
}

// isOpen reports whether a folder is unfolded. While a filter is set, folds are separate,
// because matches must be visible.
func (o *outline) isOpen(n *node) bool {
	if o.shown != nil {
		return !o.folded[n.path()]
	}
	return o.unfolded != o.toggled[n.path()]
}

func (o *outline) setOpen(n *node, open bool) {
	switch {
	case o.isOpen(n) == open:
	case o.shown != nil:
		o.folded[n.path()] = !open
	default:
		o.toggled[n.path()] = !o.toggled[n.path()]
	}
}

// ToggleFold folds or unfolds the folder under the cursor. It reports whether there is one.
func (o *outline) ToggleFold() bool {
	n := o.current()
	if n == nil || !n.folder() {
		return false
	}
	o.fold(n, !o.isOpen(n))
	return true
}

func (o *outline) fold(n *node, open bool) {
	o.setOpen(n, open)
	o.flatten()
}

func (o *outline) foldAll(open bool) {
	o.undecided = false
	if o.shown != nil {
		clear(o.folded)
		for _, n := range o.rows {
			if n.folder() && !open {
				o.folded[n.path()] = true
			}
		}
	} else {
		o.unfolded = open
		clear(o.toggled)
	}
	o.flatten()
}

// passes reports whether the filter shows n.
func (o *outline) passes(n *node) bool { return o.shown == nil || o.shown.visible[n.index] }

// flatten rebuilds the rows. The cursor stays at its entry or, if that is not visible any more,
// goes to the nearest folder above it. A range ends if an end of it is not visible any more: it
// would select what the person did not choose.
func (o *outline) flatten() {
	was := o.current()
	if o.ranging {
		first := o.rows[o.anchor]
		defer func() {
			o.anchor = slices.IndexFunc(o.rows, first.same)
			o.ranging = o.anchor >= 0 && was.same(o.current())
		}()
	}
	o.build()
	o.move(0)
	if was == nil {
		return
	}
	if _, unnamed := was.unnamed(); unnamed {
		o.moveTo(was)
		return
	}
	for p := was.path(); !p.IsRoot(); p = p.Dir() {
		if n := o.data.node(p); n != nil {
			o.moveTo(n)
			return
		}
	}
}

// build collects the rows.
func (o *outline) build() {
	o.rows = o.rows[:0]
	switch {
	case o.data == nil:
	case o.data.order.flat:
		for _, n := range o.data.flat {
			if o.passes(n) {
				o.rows = append(o.rows, n)
			}
		}
	default:
		o.rows = o.appendRows(slices.Grow(o.rows, len(o.data.root.kids)), o.data.root)
	}
}

func (o *outline) appendRows(rows []*node, n *node) []*node {
	for _, k := range n.kids {
		if !o.passes(k) {
			continue
		}
		rows = append(rows, k)
		if k.folder() && o.isOpen(k) {
			rows = o.appendRows(rows, k)
		}
	}
	return rows
}

func (o *outline) move(d int) { o.at.Go(o.at.Cur+d, len(o.rows), o.page()) }

// moveTo moves the cursor to n, or to its nearest visible parent folder.
func (o *outline) moveTo(n *node) {
	for ; n != nil && n.parent != nil; n = n.parent {
		if i := slices.Index(o.rows, n); i >= 0 {
			o.move(i - o.at.Cur)
			return
		}
	}
}

// inRange reports whether row i is in the range.
func (o *outline) inRange(i int) bool {
	return o.ranging && i >= min(o.anchor, o.at.Cur) && i <= max(o.anchor, o.at.Cur)
}

// ranged returns the rows of the range.
func (o *outline) ranged() []*node {
	if !o.ranging {
		return nil
	}
	from, to := min(o.anchor, o.at.Cur), max(o.anchor, o.at.Cur)+1
	return o.rows[from:to]
}

// extend moves the cursor and extends the range, which begins here if there is none.
func (o *outline) extend(d int) {
	if !o.ranging {
		o.ranging, o.anchor = true, o.at.Cur
	}
	o.move(d)
}

// toMatch moves from a folder to the first match in it, or the first match of all.
func (o *outline) toMatch() {
	if n := o.current(); n == nil || !n.folder() {
		return
	}
	for d := range len(o.rows) {
		if i := (o.at.Cur + d) % len(o.rows); !o.rows[i].folder() {
			o.move(i - o.at.Cur)
			return
		}
	}
}

// Reveal unfolds the folders above p and moves the cursor to it.
func (o *outline) Reveal(p memfs.Path) {
	if o.data == nil {
		return
	}
	n := o.data.node(p)
	if n == nil || n.parent == nil {
		return
	}
	for f := n.parent; f.parent != nil; f = f.parent {
		o.setOpen(f, true)
	}
	o.flatten()
	o.moveTo(n)
}
