package ui

import (
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/versions"
)

// treeKeys is what the tree obeys, the most needed first.
type treeKeys struct {
	Open, New, Rename, Delete, Find, Select             key.Binding
	Down, Up, Parent, PageDown, PageUp, Top, Bottom     key.Binding
	FoldAll, UnfoldAll, Clear, NextChanged, PrevChanged key.Binding
}

func defaultTreeKeys() treeKeys {
	return treeKeys{
		Open:        bind("open", "enter", "l", "right"),
		New:         bind("new", "n"),
		Rename:      bind("rename", "r", "f2"),
		Delete:      bind("delete", "d", "delete"),
		Find:        bind("find", "/"),
		Select:      bind("choose", "space"),
		Down:        bind("down", "j", "down"),
		Up:          bind("up", "k", "up"),
		Parent:      bind("fold, or up", "h", "left"),
		PageDown:    bind("page down", "pgdown", "ctrl+f"),
		PageUp:      bind("page up", "pgup", "ctrl+b"),
		Top:         bind("to the top", "g", "home"),
		Bottom:      bind("to the bottom", "G", "end"),
		NextChanged: bind("next changed", "]"),
		PrevChanged: bind("last changed", "["),
		FoldAll:     bind("fold all", "-"),
		UnfoldAll:   bind("unfold all", "="),
		Clear:       bind("choose none", "esc"),
	}
}

// openAtFirst is up to how many entries a tree is shown unfolded at first.
const openAtFirst = 400

// treePane shows the store's entries as a tree: a flat slice of the rows that
// are not folded away, and a window over it.
type treePane struct {
	th   *theme.Theme
	keys treeKeys
	w, h int

	focused bool
	data    *treeData
	rows    []*node
	cur     int // row of the cursor
	top     int // first row shown
	now     time.Time
	err     error

	unfolded bool                // what a folder is unless it is in turned
	turned   map[memfs.Path]bool // folders that are the other way
	chosen   map[memfs.Path]bool
	changed  map[memfs.Path]bool // by others, and not opened since
	above    map[memfs.Path]int  // for a folder, how many changed ones are below
	flash    map[memfs.Path]bool // changed a moment ago
	open     memfs.Path          // what the memory pane shows
}

func newTreePane(th *theme.Theme) *treePane {
	return &treePane{
		th: th, keys: defaultTreeKeys(),
		turned: map[memfs.Path]bool{}, chosen: map[memfs.Path]bool{}, changed: map[memfs.Path]bool{},
		above: map[memfs.Path]int{}, flash: map[memfs.Path]bool{},
	}
}

func (t *treePane) Keys() []key.Binding {
	k := t.keys
	return []key.Binding{k.Open, k.New, k.Rename, k.Delete, k.Find, k.Select, k.Down, k.Up, k.Parent, k.PageDown, k.PageUp, k.Top, k.Bottom,
		k.NextChanged, k.PrevChanged, k.FoldAll, k.UnfoldAll, k.Clear}
}

func (t *treePane) SetSize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.scrollToCursor()
}

// load shows another reading of the tree; the cursor and the folds stay where
// they were.
func (t *treePane) load(d *treeData, now time.Time) {
	if t.data == nil {
		t.unfolded = len(d.entries) <= openAtFirst
	}
	was := t.current()
	t.data, t.now, t.err = d, now, nil
	for p := range t.chosen {
		if d.byPath[p] == nil {
			delete(t.chosen, p)
		}
	}
	for p := range t.changed {
		if d.byPath[p] == nil {
			delete(t.changed, p)
		}
	}
	t.flatten()
	if was != nil {
		t.moveTo(was.path)
	}
	t.countChanged()
}

// mark notes that others changed entries.
func (t *treePane) mark(entries []versions.Entry) {
	for _, e := range entries {
		t.changed[e.Path] = true
		t.flash[e.Path] = true
	}
	t.countChanged()
}

// seen notes that a memory was opened.
func (t *treePane) seen(p memfs.Path) {
	t.open = p
	if t.changed[p] {
		delete(t.changed, p)
		t.countChanged()
	}
}

func (t *treePane) countChanged() {
	clear(t.above)
	for p := range t.changed {
		for !p.IsRoot() {
			p = p.Dir()
			t.above[p]++
		}
	}
}

func (t *treePane) isOpen(n *node) bool { return t.unfolded != t.turned[n.path] }

// flatten makes the rows anew and keeps the cursor on its row number.
func (t *treePane) flatten() {
	t.rows = t.rows[:0]
	if t.data != nil {
		t.rows = t.appendRows(t.rows, t.data.root)
	}
	t.move(0)
}

func (t *treePane) appendRows(rows []*node, n *node) []*node {
	for _, k := range n.kids {
		rows = append(rows, k)
		if k.folder() && t.isOpen(k) {
			rows = t.appendRows(rows, k)
		}
	}
	return rows
}

// current is the node under the cursor; nil in an empty tree.
func (t *treePane) current() *node {
	if t.cur < len(t.rows) {
		return t.rows[t.cur]
	}
	return nil
}

func (t *treePane) move(d int) {
	t.cur = min(max(t.cur+d, 0), max(len(t.rows)-1, 0))
	t.scrollToCursor()
}

func (t *treePane) scrollToCursor() {
	t.top = min(t.top, t.cur)
	t.top = max(t.top, t.cur-t.h+1)
	t.top = min(max(t.top, 0), max(len(t.rows)-t.h, 0))
}

// moveTo puts the cursor on p, or on the nearest folder above it that is shown.
func (t *treePane) moveTo(p memfs.Path) {
	for ; !p.IsRoot(); p = p.Dir() {
		for i, n := range t.rows {
			if n.path == p {
				t.move(i - t.cur)
				return
			}
		}
	}
}

// reveal unfolds the folders above p and puts the cursor on it.
func (t *treePane) reveal(p memfs.Path) {
	if t.data == nil || t.data.byPath[p] == nil {
		return
	}
	for f := t.data.byPath[p].parent; f != nil && f.parent != nil; f = f.parent {
		t.setOpen(f, true)
	}
	t.flatten()
	t.moveTo(p)
}

func (t *treePane) setOpen(n *node, open bool) {
	if t.isOpen(n) != open {
		t.turned[n.path] = !t.turned[n.path]
	}
}

func (t *treePane) fold(n *node, open bool) {
	t.setOpen(n, open)
	t.flatten()
	t.moveTo(n.path)
}

func (t *treePane) foldAll(open bool) {
	at := t.current()
	t.unfolded = open
	clear(t.turned)
	t.flatten()
	if at != nil {
		t.moveTo(at.path)
	}
}

// folderHere is the folder in which something new would be made.
func (t *treePane) folderHere() memfs.Path {
	n := t.current()
	switch {
	case n == nil:
		return memfs.Root
	case n.folder():
		return n.path
	}
	return n.path.Dir()
}

// targets are the paths that an act is for: those chosen, else the cursor's.
func (t *treePane) targets() []memfs.Path {
	var out []memfs.Path
	if t.data != nil && len(t.chosen) > 0 {
		out = t.chosenBelow(out, t.data.root)
	} else if n := t.current(); n != nil {
		out = append(out, n.path)
	}
	return out
}

// chosenBelow lists what is chosen in the order of the tree; what lies in a
// chosen folder goes with it.
func (t *treePane) chosenBelow(out []memfs.Path, n *node) []memfs.Path {
	for _, k := range n.kids {
		if t.chosen[k.path] {
			out = append(out, k.path)
		} else if k.folder() {
			out = t.chosenBelow(out, k)
		}
	}
	return out
}

func (t *treePane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		return t.key(msg)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelDown:
			t.move(3)
		case tea.MouseWheelUp:
			t.move(-3)
		}
	case tea.MouseClickMsg:
		return t.click(msg)
	}
	return nil
}

func (t *treePane) click(msg tea.MouseClickMsg) tea.Cmd {
	i := t.top + msg.Y
	if msg.Button != tea.MouseLeft || i >= len(t.rows) {
		return nil
	}
	t.move(i - t.cur)
	n := t.rows[i]
	if n.folder() {
		t.fold(n, !t.isOpen(n))
		return nil
	}
	return ask(openMsg{path: n.path, stay: true})
}

func (t *treePane) key(msg tea.KeyPressMsg) tea.Cmd {
	n := t.current()
	k := &t.keys
	switch {
	case key.Matches(msg, k.Down):
		t.move(1)
	case key.Matches(msg, k.Up):
		t.move(-1)
	case key.Matches(msg, k.PageDown):
		t.move(max(t.h-1, 1))
	case key.Matches(msg, k.PageUp):
		t.move(-max(t.h-1, 1))
	case key.Matches(msg, k.Top):
		t.move(-len(t.rows))
	case key.Matches(msg, k.Bottom):
		t.move(len(t.rows))
	case key.Matches(msg, k.FoldAll):
		t.foldAll(false)
	case key.Matches(msg, k.UnfoldAll):
		t.foldAll(true)
	case key.Matches(msg, k.NextChanged):
		t.stepChanged(1)
	case key.Matches(msg, k.PrevChanged):
		t.stepChanged(-1)
	case key.Matches(msg, k.Clear):
		clear(t.chosen)
	case key.Matches(msg, k.New):
		return ask(newMemoryMsg{folder: t.folderHere()})
	case key.Matches(msg, k.Find):
		return ask(findMemoryMsg{})
	case n == nil: // the keys below need a row
	case key.Matches(msg, k.Open):
		if n.folder() {
			if msg.String() == "enter" {
				t.fold(n, !t.isOpen(n))
			} else if !t.isOpen(n) {
				t.fold(n, true)
			} else if len(n.kids) > 0 {
				t.move(1)
			}
			return nil
		}
		return ask(openMsg{path: n.path})
	case key.Matches(msg, k.Parent):
		if n.folder() && t.isOpen(n) {
			t.fold(n, false)
		} else if !n.parent.path.IsRoot() {
			t.moveTo(n.parent.path)
		}
	case key.Matches(msg, k.Select):
		if t.chosen[n.path] {
			delete(t.chosen, n.path)
		} else {
			t.chosen[n.path] = true
		}
		t.move(1)
	case key.Matches(msg, k.Rename):
		return ask(renameMsg{path: n.path})
	case key.Matches(msg, k.Delete):
		return ask(deleteMsg{paths: t.targets()})
	}
	return nil
}

// stepChanged moves to the next changed memory, unfolding what hides it.
func (t *treePane) stepChanged(d int) {
	if len(t.changed) == 0 || t.data == nil {
		return
	}
	all := t.leaves(nil, t.data.root)
	at := 0
	if n := t.current(); n != nil {
		for i, l := range all {
			if l == n || n.folder() && l.path.In(n.path) {
				at = i
				break
			}
		}
		if n.folder() && d > 0 {
			at--
		}
	}
	for range all {
		at = (at + d + len(all)) % len(all)
		if t.changed[all[at].path] {
			t.reveal(all[at].path)
			return
		}
	}
}

// leaves lists the entries in the order of the tree, folded away or not.
func (t *treePane) leaves(out []*node, n *node) []*node {
	for _, k := range n.kids {
		if k.folder() {
			out = t.leaves(out, k)
		} else {
			out = append(out, k)
		}
	}
	return out
}
