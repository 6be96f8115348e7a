package history

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/theme"
	"github.com/memend/memend/ui/filter"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// Pane is the history. New returns one.
type Pane struct {
	env   screen.Env
	store Store
	by    versions.By
	keys  *keys.Map[*Pane]
	now   time.Time

	*split.Split

	memory   versions.MemoryID // whose versions are listed; empty for none
	path     memfs.Path
	none     string                          // why what is open has no versions; "" if it has some
	of       list                            // the versions of memory
	all      list                            // the changes of the store
	showsAll bool                            // all is shown instead of of
	inside   screen.Load[[]versions.Version] // of the selected change
	below    screen.Load[[]versions.Version] // of changes whose versions will be listed

	reviewed *versions.ReviewState // the review state; nil while it is unknown

	query query // the filter of both lists
	typed *filter.Line
	names names

	chosen selection
	shown  comparison
	pairs  screen.Load[comparison]
	asked  string // what the diff shows or will show
}

// New returns an empty pane for the person by. Its commands end with ctx.
func New(env screen.Env, store Store, by versions.By) *Pane {
	own := env.Keys
	p := &Pane{
		env: env, store: store, by: by,
		keys: historyKeys(own), all: list{folds: newFolds()}, chosen: selection{},
	}
	p.Split = split.New(env.Theme, own, p)
	p.Above, p.Marks, p.Back, p.List = p, p.counts, p.keys.Hint("pane.back"), &p.of.List
	p.Beside, p.Below = besideFrom, belowFrom
	p.typed = filter.NewLine(own, filter.Owner{
		Set: p.setFilter, Words: p.candidates, Move: p.moveBy,
		Hint: "letters of a path, actor or session",
	})
	return p
}

// SetTheme changes the theme.
func (p *Pane) SetTheme(th *theme.Theme) {
	p.env.Theme = th
	p.Split.SetTheme(th)
}

// SetNow sets the time that ages are relative to.
func (p *Pane) SetNow(now time.Time) { p.now = now }

// Title returns what the pane shows, its filter, and a count.
func (p *Pane) Title() (title, info string) {
	l := p.list()
	switch {
	case p.showsAll:
		title = "all changes"
	case p.memory != "" || p.none != "":
		title = "history of " + p.path.String()
	default:
		return "history", ""
	}
	if p.query.text != "" {
		title += " · " + p.query.text
	}
	info = l.count()
	if n := p.chosen.count(l); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
	}
	return title, info
}

// ShowMemory lists the versions of a memory, unless it is listed already. An empty id means no
// memory.
func (p *Pane) ShowMemory(m versions.MemoryID, path memfs.Path) tea.Cmd {
	defer p.Resize()
	p.path, p.none = path, ""
	if m == p.memory {
		return nil
	}
	p.memory = m
	if !p.showsAll {
		p.chosen.clear(&p.of)
	}
	p.of.begin(p.query, false)
	return tea.Batch(p.more(&p.of), p.compare())
}

// ShowUnversioned says why a file has no versions.
func (p *Pane) ShowUnversioned(path memfs.Path, why string) tea.Cmd {
	cmd := p.ShowMemory("", path)
	p.none = why
	return tea.Batch(cmd, p.more(&p.of), p.compare())
}

// ShowVersion lists the versions of a memory and moves to one of them.
func (p *Pane) ShowVersion(m versions.MemoryID, path memfs.Path, number int) tea.Cmd {
	cmd := p.ShowMemory(m, path)
	p.showAll(false)
	return tea.Batch(cmd, p.goTo(&p.of, int64(number)))
}

// ShowChange moves to a change in the list of all changes, or to the newest if n is 0.
func (p *Pane) ShowChange(n int64) tea.Cmd {
	p.showAll(true)
	return p.goTo(&p.all, n)
}

// goTo puts the cursor on an item as soon as it is loaded. It clears a filter that may hide
// it.
func (p *Pane) goTo(l *list, n int64) tea.Cmd {
	defer p.Resize()
	p.Focus(false)
	var cmd tea.Cmd
	if n != 0 {
		p.typed.End()
		cmd = p.setFilter("")
		l.want = n
		l.goToWanted(p.Page())
	}
	return tea.Batch(cmd, p.more(l), p.compare())
}

// showAll shows the changes of the store, or the versions of the memory.
func (p *Pane) showAll(on bool) {
	p.showsAll = on
	p.List = &p.list().List
}

// list returns the visible list.
func (p *Pane) list() *list {
	if p.showsAll {
		return &p.all
	}
	return &p.of
}
