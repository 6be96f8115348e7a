package history

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/diffview"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Pane is the history. New makes one.
type Pane struct {
	env   screen.Env
	store Store
	by    versions.By
	acts  *keys.Map[*Pane]
	moves *keys.Map[*Pane]
	hunks *keys.Map[*Pane]
	now   time.Time

	w, h    int
	focused bool
	split   divide
	drag    bool // the mouse moves the line between list and diff

	memory   versions.MemoryID // whose versions are listed; empty for none
	path     memfs.Path
	of       list                            // its versions
	all      list                            // changes of the store
	everyone bool                            // all is shown, not of
	details  map[int64][]versions.Version    // of changes that were looked into
	inside   screen.Load[[]versions.Version] // of the selected change
	below    screen.Load[[]versions.Version] // of changes whose versions are to be listed
	open     map[int64]bool                  // changes whose versions are listed
	folded   map[versions.SessionID]bool     // sessions whose changes are not listed
	listed   map[int64]bool                  // acts whose changes are listed, by their first change

	looks *versions.Looks // nil while it is not known

	query    query // both lists are filtered by it
	typed    *filter.Line
	actors   []versions.Actor     // that were seen, to filter by
	sessions []versions.SessionID // the newest first

	chosen map[choice]*versions.Version
	diff   *diffview.View
	inDiff bool // the diff has the keys
	shown  comparison
	pairs  screen.Load[comparison]
	asked  string // what is shown, or on its way
}

// New makes an empty pane for the person by. The commands that it returns end
// with ctx.
func New(env screen.Env, store Store, by versions.By) *Pane {
	own := env.Keys
	p := &Pane{
		env: env, store: store, by: by,
		acts: actKeys(own), moves: listKeys(own), hunks: hunkKeys(own),
		details: map[int64][]versions.Version{}, open: map[int64]bool{}, folded: map[versions.SessionID]bool{}, listed: map[int64]bool{},
		chosen: map[choice]*versions.Version{},
		diff:   diffview.New(env.Theme, own),
	}
	p.typed = p.newFilter(own)
	return p
}

// SetTheme changes the looks.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.diff.SetTheme(th)
}

// SetWrap says whether long lines of diffs are broken into rows.
func (p *Pane) SetWrap(on bool) { p.diff.SetWrap(on) }

// SetNow says what time it is, for the ages.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// SetFocused says whether the pane has the keys.
func (p *Pane) SetFocused(on bool) {
	p.focused = on
	p.diff.SetFocused(on && p.inDiff)
}

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	if p.w == w && p.h == h {
		return
	}
	p.w, p.h = w, h
	p.resize()
}

// Title is what the pane shows, by what it is filtered, and how much that is.
func (p *Pane) Title() (title, info string) {
	l := p.list()
	switch {
	case p.everyone:
		title = "all changes"
	case p.memory != "":
		title = "history of " + p.path.String()
	default:
		return "history", ""
	}
	if p.query.text != "" {
		title += " · " + p.query.text
	}
	info = strconv.Itoa(len(l.items))
	if !l.done {
		info += "+"
	}
	if n := p.countChosen(); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
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
	p.memory = m
	if !p.everyone {
		p.unchoose()
	}
	p.of.begin(p.query, false)
	return tea.Batch(p.more(&p.of), p.compare())
}

// ShowVersion lists the versions of a memory and goes to one of them.
func (p *Pane) ShowVersion(m versions.MemoryID, path memfs.Path, number int) tea.Cmd {
	cmd := p.ShowMemory(m, path)
	p.everyone = false
	return tea.Batch(cmd, p.goTo(&p.of, int64(number)))
}

// ShowChange goes to a change in the list of all; to the newest when n is 0.
func (p *Pane) ShowChange(n int64) tea.Cmd {
	p.everyone = true
	return p.goTo(&p.all, n)
}

// goTo puts the cursor on an item, as soon as it is loaded. A filter that may hide
// it is taken away.
func (p *Pane) goTo(l *list, n int64) tea.Cmd {
	defer p.fit()
	p.leaveDiff()
	var cmd tea.Cmd
	if n != 0 {
		p.typed.End()
		cmd = p.setFilter("")
		l.want = n
		p.goToWanted(l)
	}
	return tea.Batch(cmd, p.more(l), p.compare())
}

// list is the one that is shown.
func (p *Pane) list() *list {
	if p.everyone {
		return &p.all
	}
	return &p.of
}
