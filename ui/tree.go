package ui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/ui/screen"
	"github.com/memtrail/memtrail/versions"
)

func treeKeys(own keys.Bindings) *keys.Map[*treePane] {
	row := func(t *treePane) string {
		if t.current() == nil {
			return "there is nothing here yet"
		}
		return ""
	}
	return keys.New("tree", own, []keys.Action[*treePane]{
		{ID: "open", Name: "open", Keys: []string{"enter"}, Do: (*treePane).enter, Why: row},
		{ID: "new", Name: "new", Keys: []string{"n"}, Do: func(t *treePane, _ int) tea.Cmd { return screen.Ask(newMemoryMsg{folder: t.folderHere()}) }},
		{ID: "rename", Name: "rename", Keys: []string{"r", "f2"}, Do: func(t *treePane, _ int) tea.Cmd { return screen.Ask(renameMsg{path: t.current().path}) }, Why: row},
		{ID: "delete", Name: "delete", Keys: []string{"d", "delete"}, Do: func(t *treePane, _ int) tea.Cmd { return screen.Ask(deleteMsg{paths: t.targets()}) }, Why: row},
		{ID: "find", Name: "find", Keys: []string{"/"}, Do: func(*treePane, int) tea.Cmd { return screen.Ask(findMemoryMsg{}) }},
		{ID: "choose", Name: "choose", Keys: []string{"space"}, Do: (*treePane).choose, Why: row},
		{ID: "down", Name: "down", Keys: []string{"j", "down"}, Do: func(t *treePane, n int) tea.Cmd { t.move(max(n, 1)); return nil }, Hide: true},
		{ID: "up", Name: "up", Keys: []string{"k", "up"}, Do: func(t *treePane, n int) tea.Cmd { t.move(-max(n, 1)); return nil }, Hide: true},
		{ID: "in", Name: "unfold, or open", Keys: []string{"l", "right"}, Do: (*treePane).in, Why: row, Hide: true},
		{ID: "out", Name: "fold, or up", Keys: []string{"h", "left"}, Do: (*treePane).out, Why: row, Hide: true},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown", "ctrl+f"}, Do: func(t *treePane, n int) tea.Cmd { t.move(max(n, 1) * max(t.h-1, 1)); return nil }, Hide: true},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup", "ctrl+b"}, Do: func(t *treePane, n int) tea.Cmd { t.move(-max(n, 1) * max(t.h-1, 1)); return nil }, Hide: true},
		{ID: "top", Name: "to the top", Keys: []string{"g g", "home"}, Do: func(t *treePane, _ int) tea.Cmd { t.move(-len(t.rows)); return nil }, Hide: true},
		{ID: "bottom", Name: "to the bottom", Keys: []string{"G", "end"}, Do: func(t *treePane, _ int) tea.Cmd { t.move(len(t.rows)); return nil }, Hide: true},
		{ID: "next-changed", Name: "next changed", Keys: []string{"]"}, Do: func(t *treePane, _ int) tea.Cmd { t.stepChanged(1); return nil }},
		{ID: "previous-changed", Name: "previous changed", Keys: []string{"["}, Do: func(t *treePane, _ int) tea.Cmd { t.stepChanged(-1); return nil }},
		{ID: "fold-all", Name: "fold all", Keys: []string{"-"}, Do: func(t *treePane, _ int) tea.Cmd { t.foldAll(false); return nil }},
		{ID: "unfold-all", Name: "unfold all", Keys: []string{"="}, Do: func(t *treePane, _ int) tea.Cmd { t.foldAll(true); return nil }},
		{ID: "choose-none", Name: "choose none", Keys: []string{"esc"}, Do: func(t *treePane, _ int) tea.Cmd { clear(t.chosen); return nil }},
	})
}

// openAtFirst is up to how many entries a tree is shown unfolded at first.
const openAtFirst = 400

// treePane shows the store's entries as a tree: a flat slice of the rows that
// are not folded away, and a window over it.
type treePane struct {
	th   *theme.Theme
	keys *keys.Map[*treePane]
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

func newTreePane(th *theme.Theme, own keys.Bindings) *treePane {
	return &treePane{
		th: th, keys: treeKeys(own),
		turned: map[memfs.Path]bool{}, chosen: map[memfs.Path]bool{}, changed: map[memfs.Path]bool{},
		above: map[memfs.Path]int{}, flash: map[memfs.Path]bool{},
	}
}

func (t *treePane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return t.keys.Press(t, seq, n) }
func (t *treePane) Entries() []keys.Entry                            { return t.keys.Entries(t) }
func (t *treePane) TakesText() bool                                  { return false }
func (t *treePane) Cursor() (x, y int, ok bool)                      { return 0, 0, false }
func (t *treePane) SetTheme(th *theme.Theme)                         { t.th = th }
func (t *treePane) SetNow(now time.Time)                             { t.now = now }

// Title says how many are chosen.
func (t *treePane) Title() (name, info string) {
	if n := len(t.chosen); n > 0 {
		info = strconv.Itoa(n) + " chosen"
	}
	return "tree", info
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
	return screen.Ask(screen.Open{Path: n.path, Stay: true})
}

// enter opens a memory, and folds or unfolds a folder.
func (t *treePane) enter(int) tea.Cmd {
	n := t.current()
	if !n.folder() {
		return screen.Ask(screen.Open{Path: n.path})
	}
	t.fold(n, !t.isOpen(n))
	return nil
}

// in goes one level deeper: it unfolds a folder, goes into an open one, opens a memory.
func (t *treePane) in(int) tea.Cmd {
	n := t.current()
	switch {
	case !n.folder():
		return screen.Ask(screen.Open{Path: n.path})
	case !t.isOpen(n):
		t.fold(n, true)
	case len(n.kids) > 0:
		t.move(1)
	}
	return nil
}

// out goes one level up: it folds an open folder, else goes to the folder above.
func (t *treePane) out(int) tea.Cmd {
	n := t.current()
	if n.folder() && t.isOpen(n) {
		t.fold(n, false)
	} else if !n.parent.path.IsRoot() {
		t.moveTo(n.parent.path)
	}
	return nil
}

// choose chooses the row, or no longer, and goes on to the next.
func (t *treePane) choose(int) tea.Cmd {
	n := t.current()
	if t.chosen[n.path] {
		delete(t.chosen, n.path)
	} else {
		t.chosen[n.path] = true
	}
	t.move(1)
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
