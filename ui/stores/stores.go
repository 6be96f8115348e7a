package stores

import (
	"context"
	"maps"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// Home is the part of a home that the screen uses. Every method may block on the disk.
type Home interface {
	Finder
	Hoster
	Brancher
	Stores(ctx context.Context) ([]versions.StoreInfo, error)
	Sizes(ctx context.Context) (map[versions.StoreID]versions.StoreSize, error)
	CreateStore(ctx context.Context, name, description, folder string) (versions.StoreInfo, error)
	UpdateStore(ctx context.Context, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error)
	ArchiveStore(ctx context.Context, id versions.StoreID) (versions.StoreInfo, error)
}

// Pane is the list of stores. New returns one; Start loads it.
type Pane struct {
	common
	home Home
	keys *keys.Map[*Pane]

	all   []versions.StoreInfo
	sizes map[versions.StoreID]versions.StoreSize
	err   error
	read  screen.Load[listing]

	branches   map[versions.StoreID]branches.State
	syncStates map[versions.StoreID]SyncState
	tried      map[versions.StoreID]versions.Trouble // outcome of the last requests from this screen, until a service answers again

	listed []int // indexes of all

	more func() string // about the current store; nil for none
}

// SetNote sets what else is shown of the current store: note is called when it is drawn.
func (p *Pane) SetNote(note func() string) { p.more = note }

// New returns the screen; open is the current store. Its commands end with ctx.
func New(env screen.Env, home Home, open versions.StoreID, readOnly bool) *Pane {
	p := &Pane{common: common{env: env, open: open, readOnly: readOnly}, home: home, keys: actions(env.Keys), tried: map[versions.StoreID]versions.Trouble{}}
	p.stand(p)
	p.Back, p.words = p.keys.Hint("screen.back"), newWords(p.filterStores, "open", p.enter, p.step)
	return p
}

func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(p.Split, p, p.keys, seq, n)
}

// Close cancels the pending request.
func (p *Pane) Close() { p.read.Stop() }

// Title returns how many stores there are.
func (p *Pane) Title() (name, info string) {
	switch {
	case p.all == nil:
	case len(p.listed) < len(p.all):
		info = strconv.Itoa(len(p.listed)) + " of " + strconv.Itoa(len(p.all))
	default:
		info = strconv.Itoa(len(p.all))
	}
	return "stores", info
}

// listing is the stores of the home.
type listing struct {
	all        []versions.StoreInfo
	sizes      map[versions.StoreID]versions.StoreSize
	branches   map[versions.StoreID]branches.State
	syncStates map[versions.StoreID]SyncState
}

// Start loads the stores.
func (p *Pane) Start() tea.Cmd { return p.load("") }

// load loads the stores and puts the cursor on one.
func (p *Pane) load(to versions.StoreID) tea.Cmd {
	home := p.home
	return p.read.Begin(p.env.Ctx, func(ctx context.Context) (l listing, err error) {
		if l.all, err = home.Stores(ctx); err == nil {
			l.sizes, err = home.Sizes(ctx)
		}
		if err == nil {
			l.branches, err = home.BranchStates(ctx)
		}
		if err == nil && slices.ContainsFunc(l.all, versions.StoreInfo.Hosted) {
			l.syncStates, err = home.SyncStates(ctx)
		}
		return l, err
	}, func(l listing, err error) tea.Cmd {
		p.loaded(l, err, to)
		return nil
	})
}

func (p *Pane) loaded(l listing, err error, to versions.StoreID) {
	if p.err = err; p.err != nil {
		return
	}
	if s := p.current(); to == "" && s != nil {
		to = s.ID
	}
	if to == "" {
		to = p.open
	}
	maps.DeleteFunc(p.tried, func(id versions.StoreID, found versions.Trouble) bool {
		return found != versions.NoTrouble && l.syncStates[id].Seen.After(p.syncStates[id].Seen)
	})
	p.all, p.sizes, p.branches, p.syncStates = l.all, l.sizes, l.branches, l.syncStates
	p.filterStores()
	for i, at := range p.listed {
		if p.all[at].ID == to {
			p.step(i - p.Cur)
		}
	}
}

// filterStores lists the stores whose name, place or description contains every word of the filter,
// archived ones last.
func (p *Pane) filterStores() {
	p.listed = p.words.list(p.listed, len(p.all), func(i int) (archived bool, text []string) {
		s := &p.all[i]
		return !s.Archived.IsZero(), []string{s.Name, s.Folder, location(s), s.Description}
	})
	p.step(0)
}

// current returns the store under the cursor, or nil if the list is empty.
func (p *Pane) current() *versions.StoreInfo {
	if p.Cur < len(p.listed) {
		return &p.all[p.listed[p.Cur]]
	}
	return nil
}

func (p *Pane) Rows() int { return len(p.listed) }

// again opens the store under the cursor.
func (p *Pane) again() tea.Cmd { return p.choose(0) }
