package history

import (
	"context"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/theme"
	"github.com/memtrail/memtrail/ui/diffview"
	"github.com/memtrail/memtrail/ui/keys"
	"github.com/memtrail/memtrail/versions"
)

// Pane is the history. New makes one.
type Pane struct {
	ctx   context.Context
	store Store
	theme *theme.Theme
	acts  *keys.Map[*Pane]
	moves *keys.Map[*Pane]
	now   time.Time

	w, h    int
	focused bool

	memory   versions.MemoryID // whose versions are listed; empty for none
	path     memfs.Path
	of       list                         // its versions
	all      list                         // changes of the store
	everyone bool                         // all is shown, not of
	details  map[int64][]versions.Version // of changes that were looked into
	open     map[int64]bool               // changes whose versions are listed
	base     *versions.Version            // to compare with, instead of the version before

	diff   *diffview.View
	inDiff bool // the diff has the keys
	title  string
	counts [2]int
	pairID int // of the comparison that is wanted
	asked  string
	cancel context.CancelFunc
}

// New makes an empty pane. The commands that it returns end with ctx.
func New(ctx context.Context, th *theme.Theme, store Store, own keys.Bindings) *Pane {
	return &Pane{
		ctx: ctx, store: store, theme: th, acts: actKeys(own), moves: listKeys(own),
		details: map[int64][]versions.Version{}, open: map[int64]bool{},
		diff: diffview.New(th, own),
	}
}

// SetTheme changes the looks.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.theme = th
	p.diff.SetTheme(th)
}

// SetNow says what time it is, for the ages.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// SetFocused says whether the pane has the keys.
func (p *Pane) SetFocused(on bool) { p.focused = on }

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	if p.w == w && p.h == h {
		return
	}
	p.w, p.h = w, h
	p.resize()
}

// Title is what the pane shows, and what is worth knowing about it.
func (p *Pane) Title() (title, info string) {
	l := p.list()
	n := len(l.rows)
	if p.everyone {
		title = "all changes"
		n = p.changes()
	} else if p.memory != "" {
		title = "history of " + p.path.String()
	} else {
		return "history", ""
	}
	info = strconv.Itoa(n)
	if !l.done {
		info += "+"
	}
	return title, info
}

// ShowMemory lists the versions of a memory, unless it is listed already. The
// memory of an empty id is none.
func (p *Pane) ShowMemory(m versions.MemoryID, path memfs.Path) tea.Cmd {
	defer p.fit()
	p.path = path
	if m == p.memory {
		return nil
	}
	p.memory, p.base = m, nil
	p.of.reset()
	if m == "" {
		p.of.done = true
		return p.compare()
	}
	return tea.Batch(p.more(&p.of), p.compare())
}

// ShowChange goes to a change in the list of all, as far as it is loaded.
func (p *Pane) ShowChange(n int64) tea.Cmd {
	defer p.fit()
	p.everyone, p.inDiff = true, false
	for i, r := range p.all.rows {
		if r.change.Number == n {
			p.all.move(i, p.listHeight())
			break
		}
	}
	return tea.Batch(p.more(&p.all), p.compare())
}

// Event takes what is new in the store.
func (p *Pane) Event(ev versions.Event) tea.Cmd {
	if len(ev.Changes) == 0 && !ev.Reload {
		return nil
	}
	defer p.fit()
	var cmds []tea.Cmd
	if p.memory != "" {
		cmds = append(cmds, p.freshen(&p.of))
	}
	if len(p.all.rows) > 0 || p.all.done || p.all.loading {
		cmds = append(cmds, p.newChanges(ev))
	}
	return tea.Batch(cmds...)
}

// newChanges puts the changes of an event on top, or asks for them when the
// event left some out.
func (p *Pane) newChanges(ev versions.Event) tea.Cmd {
	newest := p.newest()
	if ev.Reload || p.all.loading && newest == 0 || ev.Changes[0].Number > newest+1 {
		return p.freshen(&p.all)
	}
	if slices.ContainsFunc(ev.Changes, ofSeveral) {
		p.all.reset()
		clear(p.open)
		return tea.Batch(p.more(&p.all), p.compare())
	}
	p.takeChanges(ev.Changes, newest)
	return p.compare()
}

// ofSeveral reports whether a change took several back, or brought them back: of a
// session, say. Which ones, only the store knows.
func ofSeveral(c versions.Change) bool {
	return (c.Kind == versions.KindUndo || c.Kind == versions.KindRedo) && c.Undoes == 0
}

// newest is the number of the newest change listed.
func (p *Pane) newest() int64 {
	if len(p.all.rows) == 0 {
		return 0
	}
	return p.all.rows[0].change.Number
}

// takeChanges puts those of the changes, oldest first, that are newer than
// newest on top of the list.
func (p *Pane) takeChanges(oldestFirst []versions.Change, newest int64) {
	var rows []row
	for i := len(oldestFirst) - 1; i >= 0; i-- {
		c := oldestFirst[i]
		if c.Number > newest {
			rows = append(rows, row{change: &c})
		}
	}
	p.all.prepend(rows, p.listHeight())
	for i := len(rows) - 1; i >= 0; i-- {
		p.markUndone(*rows[i].change)
	}
}

// markUndone keeps what an older change says of itself true.
func (p *Pane) markUndone(by versions.Change) {
	if by.Undoes == 0 {
		return
	}
	for _, r := range p.all.rows {
		if r.change.Number != by.Undoes || r.inner {
			continue
		}
		switch by.Kind {
		case versions.KindUndo:
			r.change.UndoneBy = by.Number
		case versions.KindRedo:
			r.change.UndoneBy = 0
		}
		return
	}
}

// freshen asks for what is new at the top of a list; once at a time.
func (p *Pane) freshen(l *list) tea.Cmd {
	if l.fresh {
		l.again = true
		return nil
	}
	l.fresh = true
	if l == &p.all {
		return loadNewChanges(p.ctx, p.store, l.id)
	}
	return loadNewVersions(p.ctx, p.store, l.id, p.memory)
}

// list is the one that is shown.
func (p *Pane) list() *list {
	if p.everyone {
		return &p.all
	}
	return &p.of
}

// changes is how many changes are loaded.
func (p *Pane) changes() int {
	n := 0
	for _, r := range p.all.rows {
		if !r.inner {
			n++
		}
	}
	return n
}

// more loads the next page of a list, if the window comes near its end.
func (p *Pane) more(l *list) tea.Cmd {
	if l == &p.of && p.memory == "" {
		l.done = true // of none there is nothing to read
	}
	if !l.wants(p.listHeight()) {
		return nil
	}
	l.loading = true
	last := row{}
	if n := len(l.rows); n > 0 {
		last = l.rows[n-1]
	}
	if l == &p.all {
		before := int64(0)
		if last.change != nil {
			before = last.change.Number
		}
		return loadChanges(p.ctx, p.store, l.id, before)
	}
	before := 0
	if last.version != nil {
		before = last.version.Number
	}
	return loadVersions(p.ctx, p.store, l.id, p.memory, before)
}
