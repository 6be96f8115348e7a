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
	"github.com/memend/memend/ui/draw"
	typing "github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// openAtFirst is the number of entries up to which a tree is unfolded at first.
const openAtFirst = 400

// Pane is the tree. It makes the requests, and applies the keys to its parts. Create it with New.
type Pane struct {
	outline
	Chosen Selection
	Review Review
	Trust  Trust
	Draw   drawing

	env    screen.Env
	store  Store
	info   versions.StoreInfo
	keys   *keys.Map[*Pane]
	w, h   int
	reopen bool // reopen the memory that was open last

	err     error
	problem error // with the folder

	// What is requested; the outline has its result.
	requestID int // number of the latest request
	order     order
	filter    filtering
	waiting   *source // read, and being arranged
	facts     facts

	scanned bool // the folder was scanned once
	beyond  bool // a selecting drag is held above or below the rows
	counted time.Time
	saving  bool // a save is scheduled
	sentTo  versions.StoreID
}

// New returns an empty tree.
func New(env screen.Env, c Config) *Pane {
	t := &Pane{store: c.Store, info: c.Store.Info(), reopen: c.Reopen, facts: newFacts(c.Me, c.Stale)}
	t.init(env, t.listHeight)
	return t
}

// init connects the parts. page returns how many rows are visible.
func (t *Pane) init(env screen.Env, page func() int) {
	t.env, t.keys, t.outline = env, actions(env.Keys), outline{page: page, toggled: map[memfs.Path]bool{}, folded: map[memfs.Path]bool{}}
	t.Chosen = Selection{in: &t.outline, paths: map[memfs.Path]bool{}}
	t.Review = Review{in: &t.outline, known: &t.facts, unsaved: map[versions.MemoryID]int64{}, decided: func() { env.Do(screen.ReviewChanged{}) }}
	t.Trust = Trust{in: &t.outline}
	t.filter.input = typing.NewLine(env.Keys, typing.Owner{
		Set: t.setFilter, Words: t.filter.candidates, Move: func(rows int) tea.Cmd { t.move(rows); return nil },
		Hint: "letters of a path",
	})
	t.Draw = drawing{theme: env.Theme, in: &t.outline, known: &t.facts, chosen: &t.Chosen, trust: &t.Trust, filter: &t.filter, flash: map[memfs.Path]int{}}
}

func (t *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return t.keys.Press(t, seq, n) }
func (t *Pane) SetTheme(th *theme.Theme)                         { t.env.Theme, t.Draw.theme = th, th }
func (t *Pane) SetNow(now time.Time)                             { t.facts.now = now }

// SetFocused sets whether the pane has the focus.
func (t *Pane) SetFocused(on bool) { t.Draw.focused = on }

// SetSize sets the columns and rows of View.
func (t *Pane) SetSize(w, h int) {
	t.w, t.h = max(w, 0), max(h, 0)
	t.move(0)
}

// Title returns the number of selected rows and matches, or the position if not all rows are
// shown, and the order if it is not the default.
func (t *Pane) Title() (name, info string) {
	var parts []string
	if n := t.Chosen.count(); n > 0 {
		parts = append(parts, strconv.Itoa(n)+" chosen")
	}
	switch {
	case t.shown != nil:
		parts = append(parts, strconv.Itoa(t.shown.matches)+" of "+strconv.Itoa(len(t.data.Entries)))
	case len(t.rows) > t.page():
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
	known := t.facts
	known.seen = maps.Clone(known.seen)
	return Request{id: t.requestID, order: t.order, filter: t.filter.filter, facts: known, unsaved: maps.Clone(t.Review.unsaved), first: t.source() == nil, old: t.data}
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
	cmds := []tea.Cmd{t.Tick()}
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
	t.facts.reviewed, t.facts.ownChanges = r.data.from.reviewed, r.data.from.ownChanges
	fresh := r.data != t.data
	t.data, t.shown, t.waiting = r.data, r.shown, nil
	if fresh {
		t.Review.correct(&r.asked.facts)
		t.Chosen.dropGone()
		t.facts.unsaved.find(t.data)
		t.Trust.count()
	}
	if t.undecided && len(t.toggled) == 0 {
		t.unfolded = len(t.data.Entries) <= openAtFirst
		t.undecided = !t.scanned
	}
	t.flatten()
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

// Showing records which memory is open.
func (t *Pane) Showing(p memfs.Path) { t.Draw.open = p }

// Moved updates the path of the open memory and of folds after a rename.
func (t *Pane) Moved(from, to memfs.Path) {
	t.toggled, t.folded = moved(t.toggled, from, to), moved(t.folded, from, to)
	if !t.Draw.open.IsRoot() && t.Draw.open.In(from) {
		t.Draw.open = t.Draw.open.Move(from, to)
	}
}

func moved(paths map[memfs.Path]bool, from, to memfs.Path) map[memfs.Path]bool {
	out := make(map[memfs.Path]bool, len(paths))
	for p, on := range paths {
		if p.In(from) {
			p = p.Move(from, to)
		}
		out[p] = on
	}
	return out
}

// Update handles the mouse and, while a filter is typed, keys.
func (t *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		if t.TakesText() {
			return t.filter.input.Update(msg)
		}
	case tea.MouseMsg:
		return t.mouse(msg)
	}
	return nil
}

// TakesText reports whether the filter is being typed.
func (t *Pane) TakesText() bool { return t.filter.input.On() }

// Cursor returns the position of the text cursor in the filter.
func (t *Pane) Cursor() (x, y int, ok bool) {
	return t.filter.input.Cursor(draw.Box{X: 1, Y: t.h - 1, W: t.w - 1, H: t.h}, t.env.Theme)
}
