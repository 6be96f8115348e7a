package timeline

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/memory"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// Store is the part of a store that the timeline uses.
type Store interface {
	memory.Store
	Changes(ctx context.Context, f versions.Filter, before int64, limit int) ([]versions.Change, error)
	// Acts lists the bulk edits of other programs among the changes from oldest to newest.
	Acts(ctx context.Context, oldest, newest versions.Change) ([]versions.Bulk, error)
	TreeAt(ctx context.Context, n int64) ([]versions.Entry, error)
	DiffTrees(ctx context.Context, from, to int64) ([]versions.TreeDiff, error)
	EntryAt(ctx context.Context, p memfs.Path, n int64) (versions.Entry, error)
	Content(ctx context.Context, v versions.VersionID) ([]byte, error)
	History(ctx context.Context, m versions.MemoryID, before, limit int) ([]versions.Version, error)
}

// Pane is the screen. New returns one.
type Pane struct {
	env     screen.Env
	cancel  context.CancelFunc
	store   Store
	keys    *keys.Map[*Pane]
	now     time.Time
	follows bool // each move selects what the change modified

	marks    marks
	loads    screen.Load[page]
	err      error
	reading  bool   // the newest changes are not loaded yet
	ahead    []move // moves typed before they are loaded
	want     int64  // the requested change; -1 before the newest is known
	at       int64  // the current change; -1 for none yet
	entries  []versions.Entry
	words    versions.Change
	act      *versions.Bulk      // the bulk edit that the current change completes and stands for; nil for none
	modified []versions.TreeDiff // what the current change modified
	visits   screen.Load[visit]

	*split.Split // the tree, and the diff or the text of the selected memory
	tree         *tree.Pane
	past         *pastStore
	text         pastText
	title        string // of the diff; empty while the text is shown
	plain        bool   // the text is shown even if the change modified it
	pairs        screen.Load[comparison]
	sel          memfs.Path

	strip strip
	drags bool // the mouse is dragged along the strip
}

// New returns the screen at a change; 0 is the newest. open is the memory that is selected at
// first.
func New(env screen.Env, store Store, change int64, open memfs.Path) *Pane {
	ctx, cancel := context.WithCancel(env.Ctx)
	past := &pastStore{Store: store}
	p := &Pane{
		env: env.During(ctx), cancel: cancel, store: store, keys: timelineKeys(env.Keys), follows: open.IsRoot(), sel: open,
		want: change, at: -1, past: past, text: pastText{memory.NewPast(env.During(ctx), past)},
	}
	if change == 0 {
		p.want = -1
	}
	p.tree = tree.NewPast(env, func() int { return p.Page() })
	p.Split = split.With(env.Theme, p.text, p)
	p.List, p.Diff, p.Above, p.Marks, p.Back = p.tree.List(), diffview.New(env.Theme, env.Keys), p, p.siblings, p.keys.Hint("screen.back")
	p.Beside, p.Below, p.Slim = besideFrom, bothFrom, true
	return p
}

// Start loads the changes, newest first.
func (p *Pane) Start() tea.Cmd {
	p.reading = true
	return p.load(0, firstPage)
}

// load loads the changes before one; 0 starts at the newest.
func (p *Pane) load(before int64, limit int) tea.Cmd {
	store := p.store
	return p.loads.Begin(p.env.Ctx, func(ctx context.Context) (page, error) { return loadMarks(ctx, store, before, limit) }, p.loaded)
}

// Close cancels pending requests.
func (p *Pane) Close() { p.cancel() }

func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.tree.SetTheme(th)
	p.Split.SetTheme(th)
}

// SetWrap sets whether long lines are wrapped.
func (p *Pane) SetWrap(on bool) {
	p.text.SetWrap(on)
	p.Diff.SetWrap(on)
}

func (p *Pane) SetNow(now time.Time) {
	p.now = now
	p.tree.SetNow(now)
}

// TakesText returns false: every key is an action.
func (p *Pane) TakesText() bool { return false }

// Cursor returns false: there is no text to type.
func (p *Pane) Cursor() (x, y int, ok bool) { return 0, 0, false }

// loaded adds a page of changes and requests the next.
func (p *Pane) loaded(found page, err error) tea.Cmd {
	p.reading = false
	if err != nil {
		p.err, p.ahead = err, nil
		return nil
	}
	p.marks.add(found.changes)
	for _, act := range found.acts {
		p.marks.join(act)
	}
	var cmds []tea.Cmd
	if !found.done {
		cmds = append(cmds, p.load(p.marks.first, laterPages))
	}
	if p.want < 0 {
		p.want = p.marks.last()
	}
	ahead := p.ahead
	p.ahead = nil
	for _, to := range ahead {
		cmds = append(cmds, p.move(to))
	}
	return tea.Batch(append(cmds, p.loadMoment())...)
}

// move returns the target of a key, from the current change.
type move func(*Pane) int64

// move moves to a change. Moves before the changes are loaded are queued.
func (p *Pane) move(to move) tea.Cmd {
	if p.reading {
		p.ahead = append(p.ahead, to)
		return nil
	}
	return p.goTo(to(p))
}

// goTo shows the store right after a change.
func (p *Pane) goTo(n int64) tea.Cmd {
	if p.reading {
		return p.move(func(*Pane) int64 { return n })
	}
	p.want = min(max(n, 0), p.marks.last())
	return p.loadMoment()
}

// loadMoment loads the requested moment, unless another one is loading.
func (p *Pane) loadMoment() tea.Cmd {
	if p.visits.Waiting() || p.want == p.at || p.want < 0 {
		return nil
	}
	store, from, to, entries := p.store, p.at, p.want, p.entries
	if p.err != nil { // what was before is not known
		from = -1
	}
	return p.visits.Begin(p.env.Ctx, func(ctx context.Context) (visit, error) { return lookUp(ctx, store, from, to, entries) }, p.visited)
}

// visited shows a moment, and loads the requested one if that has changed meanwhile.
func (p *Pane) visited(v visit, err error) tea.Cmd {
	if p.err = err; err != nil {
		if p.want != v.change { // the user moved on meanwhile
			return p.loadMoment()
		}
		v = visit{change: v.change, tree: tree.BuildPast(nil, v.change)}
	}
	p.at, p.words, p.act, p.entries, p.modified = v.change, v.words, v.act, v.entries, v.modified
	first := p.at
	if p.marks.part(p.at); v.act != nil {
		p.marks.join(*v.act)
		first = v.act.First()
	}
	p.past.at.Store(p.at)
	p.tree.ShowPast(v.tree, first, p.now)
	if p.follows && !p.touched(p.sel) {
		p.selectFirst()
	} else {
		p.tree.Reveal(p.sel)
	}
	p.Resize()
	return tea.Batch(p.show(), p.loadMoment())
}

// selectFirst selects the first memory that the change modified.
func (p *Pane) selectFirst() {
	if len(p.modified) > 0 {
		p.choose(p.modified[0])
	}
}

func (p *Pane) choose(d versions.TreeDiff) {
	p.sel = pathOf(d)
	p.tree.Reveal(p.sel)
}

func pathOf(d versions.TreeDiff) memfs.Path {
	if d.Kind == versions.TreeDeleted {
		return d.Before.Path
	}
	return d.After.Path
}

// touched reports whether the current change modified a memory.
func (p *Pane) touched(path memfs.Path) bool {
	_, ok := p.diffOf(path)
	return ok
}

func (p *Pane) diffOf(path memfs.Path) (versions.TreeDiff, bool) {
	for _, d := range p.modified {
		if pathOf(d) == path {
			return d, true
		}
	}
	return versions.TreeDiff{}, false
}

// show shows the diff of the selected memory, or its text.
func (p *Pane) show() tea.Cmd {
	p.pairs.Stop()
	if p.err != nil {
		return p.compared(comparison{p.sel.String(), diffview.Note(p.err.Error())}, nil)
	}
	d, ok := p.diffOf(p.sel)
	if ok && !p.plain {
		store := p.store
		return p.pairs.Begin(p.env.Ctx, func(ctx context.Context) (comparison, error) { return compare(ctx, store, d), nil }, p.compared)
	}
	data := p.tree.Data()
	isThere := data != nil && data.Has(p.sel)
	exists := isThere && data.Entry(p.sel) != nil
	if !exists && !p.sel.IsRoot() {
		if isThere {
			n, _ := data.Count(p.sel)
			return p.compared(comparison{p.sel.String(), diffview.Note("At that time this was a folder with " + draw.Plural(n, "memory", "memories") + ".")}, nil)
		}
		doc := diffview.Note("It did not exist then. " + p.keys.Hint("earlier-of-memory") + " and " + p.keys.Hint("later-of-memory") + " go to the changes that touched it.")
		return p.compared(comparison{p.sel.String(), doc}, nil)
	}
	p.title = ""
	p.SetDetail(p.shown())
	if !exists {
		return nil
	}
	return p.text.Show(p.sel, 0)
}

// compared shows the diff of the selected memory.
func (p *Pane) compared(c comparison, _ error) tea.Cmd {
	p.title = c.title
	p.Diff.Show(c.doc)
	p.SetDetail(p.Diff)
	return nil
}

// shown returns the diff or the text.
func (p *Pane) shown() split.Detail {
	if p.title != "" {
		return p.Diff
	}
	return p.text
}

// Event extends the timeline. A cursor at its end stays at the end.
func (p *Pane) Event(e versions.Event) tea.Cmd {
	if e.Reload || slices.ContainsFunc(e.Changes, p.marks.undoesMore) { // pending answers may contain redacted content
		p.visits.Stop()
		if p.want == p.marks.last() {
			p.want = -1 // a cursor at the end stays there
		}
		p.marks, p.at, p.entries = marks{}, -1, nil
		return p.Start()
	}
	if len(e.Changes) == 0 {
		return nil
	}
	atEnd := !p.reading && p.want == p.marks.last()
	p.marks.extend(e.Changes)
	if atEnd {
		return p.goTo(p.marks.last())
	}
	return nil
}
