package tree

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// openAtFirst is the number of entries up to which a tree is unfolded at first.
const openAtFirst = 400

// Pane is the tree: a flat slice of the visible rows, and a window over it. Create it with
// New.
type Pane struct {
	env    screen.Env
	store  Store
	info   versions.StoreInfo
	keys   *keys.Map[*Pane]
	w, h   int
	page   func() int // the visible rows, if the owner draws them; nil otherwise
	reopen bool       // reopen the memory that was open last

	focused bool
	data    *Data // nil before the first reading
	rows    []*node
	at      list.List // the row of the cursor, and the first visible one
	err     error
	problem error // with the folder

	// What is requested, and its result.
	requestID int // number of the latest request
	order     order
	filter    filter
	input     *typing.Line // the input line of the filter
	actors    []string     // names that it offers, loaded when it is opened
	shown     *shown       // the result of the filter; nil: everything
	waiting   *source      // read, and being arranged
	columns   int          // the set of columnSets that is shown
	sentTo    versions.StoreID

	scanned   bool                // the folder was scanned once
	undecided bool                // unfolded follows the number of entries
	unfolded  bool                // the state of folders that are not in toggled
	toggled   map[memfs.Path]bool // folders with the opposite state
	folded    map[memfs.Path]bool // while a filter is set: the folders folded in it

	chosen  map[memfs.Path]bool
	beyond  bool // a selecting drag is held above or below the rows
	ranging bool // the rows from anchor to the cursor are selected too
	anchor  int

	facts   facts
	counted time.Time
	unsaved map[versions.MemoryID]int64 // reviewed, and not saved yet
	saving  bool                        // a save is scheduled
	flash   map[memfs.Path]int          // recently changed paths, with the number of their Flash
	open    memfs.Path                  // what the memory pane shows

	unsavedIn map[memfs.Path]bool // folders above drafts
	trust     trust
}

// New returns an empty tree.
func New(env screen.Env, c Config) *Pane {
	t := &Pane{
		env: env, store: c.Store, info: c.Store.Info(), keys: actions(env.Keys), reopen: c.Reopen,
		facts:   newFacts(c.Me, c.Stale),
		toggled: map[memfs.Path]bool{}, folded: map[memfs.Path]bool{}, chosen: map[memfs.Path]bool{},
		unsaved: map[versions.MemoryID]int64{}, flash: map[memfs.Path]int{},
	}
	t.input = t.newFilter(env.Keys)
	return t
}

func (t *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return t.keys.Press(t, seq, n) }
func (t *Pane) SetTheme(th *theme.Theme)                         { t.env.Theme = th }
func (t *Pane) SetNow(now time.Time)                             { t.facts.now = now }

// SetFocused sets whether the pane has the focus.
func (t *Pane) SetFocused(on bool) { t.focused = on }

// SetSize sets the columns and rows of View.
func (t *Pane) SetSize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.move(0)
}

// Title returns the number of selected rows and matches, or the position if not all rows are
// shown, and the order if it is not the default.
func (t *Pane) Title() (name, info string) {
	var parts []string
	if n := t.choices(); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" chosen")
	}
	switch {
	case t.shown != nil:
		parts = append(parts, strconv.Itoa(t.shown.matches)+" of "+strconv.Itoa(len(t.data.Entries)))
	case len(t.rows) > t.listHeight():
		parts = append(parts, fmt.Sprintf("row %d of %d", t.at.Cur+1, len(t.rows)))
	}
	if t.order.by != byName {
		parts = append(parts, t.order.String())
	}
	return "tree", strings.Join(parts, " · ")
}

// AskFirst returns the first request of a tree with such a Config, before it exists.
func AskFirst(me versions.Actor, stale time.Duration) Request {
	return Request{facts: newFacts(me, stale), first: true}
}

// Ask returns what the next reading is to show.
func (t *Pane) Ask() Request {
	return Request{id: t.requestID, order: t.order, filter: t.filter, facts: t.facts.copy(), unsaved: maps.Clone(t.unsaved), first: t.data == nil && t.waiting == nil, old: t.data}
}

// Load shows a reading; the cursor and the folds are kept.
func (t *Pane) Load(r *Reading) tea.Cmd {
	t.err = nil
	maps.DeleteFunc(t.facts.seen, func(m versions.MemoryID, upTo int64) bool { return r.saved[m] == upTo })
	stale := r.asked.id != t.requestID // the request has changed since
	if stale && !r.asked.first {
		t.waiting = r.data.from
		return t.arrangeCmd()
	}
	wanted := t.order
	t.install(r)
	cmds := []tea.Cmd{t.count()}
	if r.asked.first {
		cmds = append(cmds, t.restore(r.view))
	}
	if stale {
		t.order = wanted
		cmds = append(cmds, t.arrangeCmd())
	}
	return tea.Batch(cmds...)
}

// install shows what was read or arranged.
func (t *Pane) install(r *Reading) {
	was := t.current()
	t.facts.reviewed, t.facts.ownChanges = r.data.from.reviewed, r.data.from.ownChanges
	fresh := r.data != t.data
	t.data, t.shown, t.waiting = r.data, r.shown, nil
	if fresh {
		t.countSince(&r.asked.facts)
		t.dropGone()
		t.findUnsaved()
		t.countHeld()
	}
	if t.undecided && len(t.toggled) == 0 {
		t.unfolded = len(t.data.Entries) <= openAtFirst
		t.undecided = !t.scanned
	}
	t.flatten()
	if was != nil {
		if _, unnamed := was.unnamed(); !unnamed {
			t.moveToPath(was.path())
		}
	}
}

// dropGone drops state of paths that no longer exist.
func (t *Pane) dropGone() {
	for p := range t.chosen {
		if !t.data.Has(p) {
			delete(t.chosen, p)
		}
	}
}

// Scanned records that the folder was scanned: an empty tree is an empty store from now on, not one that is being read.
func (t *Pane) Scanned() { t.scanned = true }

// Fail sets why the tree can't be read.
func (t *Pane) Fail(err error) { t.err = err }

// SetProblem sets the problem with the folder; nil for none.
func (t *Pane) SetProblem(err error) {
	t.problem = err
	t.move(0)
}

// Data returns the reading that is shown, or nil before the first one.
func (t *Pane) Data() *Data { return t.data }

// Here returns the path under the cursor, or the root in an empty tree.
func (t *Pane) Here() memfs.Path {
	if n := t.current(); n != nil {
		return n.path()
	}
	return memfs.Root
}

// Flash highlights changed entries for a moment. The caller numbers its flashes in order.
func (t *Pane) Flash(n int, entries []versions.Entry) {
	for _, e := range entries {
		t.flash[e.Path] = n
	}
}

// ClearFlash ends the flashes up to number n.
func (t *Pane) ClearFlash(n int) {
	maps.DeleteFunc(t.flash, func(_ memfs.Path, by int) bool { return by <= n })
}

// Moved updates the path of the open memory after a rename.
func (t *Pane) Moved(from, to memfs.Path) {
	if !t.open.IsRoot() && t.open.In(from) {
		t.open = t.open.Move(from, to)
	}
}

// Update handles the mouse and, while a filter is typed, keys.
func (t *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return t.typed(msg)
	case tea.MouseMsg:
		return t.mouse(msg)
	}
	return nil
}
