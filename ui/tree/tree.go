package tree

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

func actions(own keys.Bindings) *keys.Map[*Pane] {
	row := func(t *Pane) string {
		if t.current() == nil {
			return "there is nothing here yet"
		}
		return ""
	}
	return keys.New("tree", own, []keys.Action[*Pane]{
		{ID: "open", Name: "open", Keys: []string{"enter"}, Do: (*Pane).enter, Why: row},
		{ID: "new", Name: "new", Keys: []string{"n"}, Do: func(t *Pane, _ int) tea.Cmd { return screen.Ask(screen.NewMemory{Folder: t.folderHere()}) }},
		{ID: "rename", Name: "rename", Keys: []string{"r", "f2"}, Do: func(t *Pane, _ int) tea.Cmd { return screen.Ask(screen.Rename{Path: t.current().path}) }, Why: row},
		{ID: "delete", Name: "delete", Keys: []string{"d", "delete"}, Do: func(t *Pane, _ int) tea.Cmd { return screen.Ask(screen.Delete{Paths: t.targets()}) }, Why: row},
		{ID: "find", Name: "find", Keys: []string{"/"}, Do: func(*Pane, int) tea.Cmd { return screen.Ask(screen.FindMemory{}) }},
		{ID: "choose", Name: "choose", Keys: []string{"space"}, Do: (*Pane).choose, Why: row},
		{ID: "down", Name: "down", Keys: []string{"j", "down"}, Do: func(t *Pane, n int) tea.Cmd { t.move(max(n, 1)); return nil }, Hide: true},
		{ID: "up", Name: "up", Keys: []string{"k", "up"}, Do: func(t *Pane, n int) tea.Cmd { t.move(-max(n, 1)); return nil }, Hide: true},
		{ID: "in", Name: "unfold, or open", Keys: []string{"l", "right"}, Do: (*Pane).in, Why: row, Hide: true},
		{ID: "out", Name: "fold, or up", Keys: []string{"h", "left"}, Do: (*Pane).out, Why: row, Hide: true},
		{ID: "page-down", Name: "page down", Keys: []string{"pgdown", "ctrl+f"}, Do: func(t *Pane, n int) tea.Cmd { t.move(max(n, 1) * max(t.h-1, 1)); return nil }, Hide: true},
		{ID: "page-up", Name: "page up", Keys: []string{"pgup", "ctrl+b"}, Do: func(t *Pane, n int) tea.Cmd { t.move(-max(n, 1) * max(t.h-1, 1)); return nil }, Hide: true},
		{ID: "top", Name: "to the top", Keys: []string{"g g", "home"}, Do: func(t *Pane, _ int) tea.Cmd { t.move(-len(t.rows)); return nil }, Hide: true},
		{ID: "bottom", Name: "to the bottom", Keys: []string{"G", "end"}, Do: func(t *Pane, _ int) tea.Cmd { t.move(len(t.rows)); return nil }, Hide: true},
		{ID: "next-changed", Name: "next changed", Keys: []string{"]"}, Do: func(t *Pane, _ int) tea.Cmd { t.stepChanged(1); return nil }},
		{ID: "previous-changed", Name: "previous changed", Keys: []string{"["}, Do: func(t *Pane, _ int) tea.Cmd { t.stepChanged(-1); return nil }},
		{ID: "fold-all", Name: "fold all", Keys: []string{"-"}, Do: func(t *Pane, _ int) tea.Cmd { t.foldAll(false); return nil }},
		{ID: "unfold-all", Name: "unfold all", Keys: []string{"="}, Do: func(t *Pane, _ int) tea.Cmd { t.foldAll(true); return nil }},
		{ID: "choose-none", Name: "choose none", Keys: []string{"esc"}, Do: func(t *Pane, _ int) tea.Cmd { clear(t.chosen); return nil }},
	})
}

// Keys lists the actions of the tree with their keys.
func Keys(own keys.Bindings) []keys.Entry { return actions(own).All() }

// openAtFirst is up to how many entries a tree is shown unfolded at first.
const openAtFirst = 400

// Pane is the tree: a flat slice of the rows that are not folded away, and a
// window over it. New makes one.
type Pane struct {
	th   *theme.Theme
	keys *keys.Map[*Pane]
	w, h int

	focused bool
	data    *Data
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

// New makes an empty tree. What own says of its actions replaces their keys.
func New(th *theme.Theme, own keys.Bindings) *Pane {
	return &Pane{
		th: th, keys: actions(own),
		turned: map[memfs.Path]bool{}, chosen: map[memfs.Path]bool{}, changed: map[memfs.Path]bool{},
		above: map[memfs.Path]int{}, flash: map[memfs.Path]bool{},
	}
}

func (t *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return t.keys.Press(t, seq, n) }
func (t *Pane) Entries() []keys.Entry                            { return t.keys.Entries(t) }
func (t *Pane) TakesText() bool                                  { return false }
func (t *Pane) Cursor() (x, y int, ok bool)                      { return 0, 0, false }
func (t *Pane) SetTheme(th *theme.Theme)                         { t.th = th }
func (t *Pane) SetNow(now time.Time)                             { t.now = now }

// SetFocused says whether the pane has the keys.
func (t *Pane) SetFocused(on bool) { t.focused = on }

// Fail says why the tree can't be read.
func (t *Pane) Fail(err error) { t.err = err }

// Data is the reading that is shown; nil before the first.
func (t *Pane) Data() *Data { return t.data }

// Here is the path under the cursor; the root in an empty tree.
func (t *Pane) Here() memfs.Path {
	if n := t.current(); n != nil {
		return n.path
	}
	return memfs.Root
}

// Changed is how many memories others changed that were not opened since.
func (t *Pane) Changed() int { return len(t.changed) }

// Calm ends the flash of what changed a moment ago.
func (t *Pane) Calm() { clear(t.flash) }

// Unchoose chooses nothing any more.
func (t *Pane) Unchoose() { clear(t.chosen) }

// Title says how many are chosen.
func (t *Pane) Title() (name, info string) {
	if n := len(t.chosen); n > 0 {
		info = strconv.Itoa(n) + " chosen"
	}
	return "tree", info
}

func (t *Pane) SetSize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.scrollToCursor()
}

// Load shows another reading of the tree; the cursor and the folds stay where
// they were.
func (t *Pane) Load(d *Data, now time.Time) {
	if t.data == nil {
		t.unfolded = len(d.Entries) <= openAtFirst
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

// Mark notes that others changed entries.
func (t *Pane) Mark(entries []versions.Entry) {
	for _, e := range entries {
		t.changed[e.Path] = true
		t.flash[e.Path] = true
	}
	t.countChanged()
}

// Seen notes that a memory was opened.
func (t *Pane) Seen(p memfs.Path) {
	t.open = p
	if t.changed[p] {
		delete(t.changed, p)
		t.countChanged()
	}
}

// Own notes that a change is the person's: nobody needs to be told of it.
func (t *Pane) Own(change int64) {
	if t.data == nil {
		return
	}
	for p := range t.changed {
		if e := t.data.Entry(p); e != nil && e.Change == change {
			t.Seen(p)
			delete(t.flash, p)
		}
	}
}

// Moved goes with the open memory where it was moved to.
func (t *Pane) Moved(from, to memfs.Path) {
	if !t.open.IsRoot() && t.open.In(from) {
		t.open = t.open.Move(from, to)
	}
}

func (t *Pane) countChanged() {
	clear(t.above)
	for p := range t.changed {
		for !p.IsRoot() {
			p = p.Dir()
			t.above[p]++
		}
	}
}

func (t *Pane) isOpen(n *node) bool { return t.unfolded != t.turned[n.path] }

// flatten makes the rows anew and keeps the cursor on its row number.
func (t *Pane) flatten() {
	t.rows = t.rows[:0]
	if t.data != nil {
		t.rows = t.appendRows(t.rows, t.data.root)
	}
	t.move(0)
}

func (t *Pane) appendRows(rows []*node, n *node) []*node {
	for _, k := range n.kids {
		rows = append(rows, k)
		if k.folder() && t.isOpen(k) {
			rows = t.appendRows(rows, k)
		}
	}
	return rows
}

// current is the node under the cursor; nil in an empty tree.
func (t *Pane) current() *node {
	if t.cur < len(t.rows) {
		return t.rows[t.cur]
	}
	return nil
}

func (t *Pane) move(d int) {
	t.cur = min(max(t.cur+d, 0), max(len(t.rows)-1, 0))
	t.scrollToCursor()
}

func (t *Pane) scrollToCursor() {
	t.top = min(t.top, t.cur)
	t.top = max(t.top, t.cur-t.h+1)
	t.top = min(max(t.top, 0), max(len(t.rows)-t.h, 0))
}

// moveTo puts the cursor on p, or on the nearest folder above it that is shown.
func (t *Pane) moveTo(p memfs.Path) {
	for ; !p.IsRoot(); p = p.Dir() {
		for i, n := range t.rows {
			if n.path == p {
				t.move(i - t.cur)
				return
			}
		}
	}
}

// Reveal unfolds the folders above p and puts the cursor on it.
func (t *Pane) Reveal(p memfs.Path) {
	if t.data == nil || t.data.byPath[p] == nil {
		return
	}
	for f := t.data.byPath[p].parent; f != nil && f.parent != nil; f = f.parent {
		t.setOpen(f, true)
	}
	t.flatten()
	t.moveTo(p)
}

func (t *Pane) setOpen(n *node, open bool) {
	if t.isOpen(n) != open {
		t.turned[n.path] = !t.turned[n.path]
	}
}

func (t *Pane) fold(n *node, open bool) {
	t.setOpen(n, open)
	t.flatten()
	t.moveTo(n.path)
}

func (t *Pane) foldAll(open bool) {
	at := t.current()
	t.unfolded = open
	clear(t.turned)
	t.flatten()
	if at != nil {
		t.moveTo(at.path)
	}
}

// folderHere is the folder in which something new would be made.
func (t *Pane) folderHere() memfs.Path {
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
func (t *Pane) targets() []memfs.Path {
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
func (t *Pane) chosenBelow(out []memfs.Path, n *node) []memfs.Path {
	for _, k := range n.kids {
		if t.chosen[k.path] {
			out = append(out, k.path)
		} else if k.folder() {
			out = t.chosenBelow(out, k)
		}
	}
	return out
}

func (t *Pane) Update(msg tea.Msg) tea.Cmd {
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

func (t *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
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
func (t *Pane) enter(int) tea.Cmd {
	n := t.current()
	if !n.folder() {
		return screen.Ask(screen.Open{Path: n.path})
	}
	t.fold(n, !t.isOpen(n))
	return nil
}

// in goes one level deeper: it unfolds a folder, goes into an open one, opens a memory.
func (t *Pane) in(int) tea.Cmd {
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
func (t *Pane) out(int) tea.Cmd {
	n := t.current()
	if n.folder() && t.isOpen(n) {
		t.fold(n, false)
	} else if !n.parent.path.IsRoot() {
		t.moveTo(n.parent.path)
	}
	return nil
}

// choose chooses the row, or no longer, and goes on to the next.
func (t *Pane) choose(int) tea.Cmd {
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
func (t *Pane) stepChanged(d int) {
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
			t.Reveal(all[at].path)
			return
		}
	}
}

// leaves lists the entries in the order of the tree, folded away or not.
func (t *Pane) leaves(out []*node, n *node) []*node {
	for _, k := range n.kids {
		if k.folder() {
			out = t.leaves(out, k)
		} else {
			out = append(out, k)
		}
	}
	return out
}
