package stores

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Home is what the screen needs of a home. Every method may wait for the disk.
type Home interface {
	Finder
	Hoster
	Stores(ctx context.Context) ([]versions.StoreInfo, error)
	Sizes(ctx context.Context) (map[versions.StoreID]versions.StoreSize, error)
	CreateStore(ctx context.Context, name, description, folder string) (versions.StoreInfo, error)
	UpdateStore(ctx context.Context, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error)
	ArchiveStore(ctx context.Context, id versions.StoreID) (versions.StoreInfo, error)
}

// Pane is the list of stores. New makes one; Load reads it.
type Pane struct {
	common
	home Home
	keys *keys.Map[*Pane]

	all   []versions.StoreInfo
	sizes map[versions.StoreID]versions.StoreSize
	err   error
	read  screen.Load[listing]

	standings map[versions.StoreID]Standing
	tried     map[versions.StoreID]versions.Trouble // when something was asked of them from here

	rows []int // of all
}

// New makes the screen; open is the store that is shown now. The commands that it
// returns end with ctx.
func New(env screen.Env, home Home, open versions.StoreID, readOnly bool) *Pane {
	return &Pane{common: common{env: env, open: open, readOnly: readOnly}, home: home, keys: actions(env.Keys)}
}

func (p *Pane) Press(seq []string, n int) (tea.Cmd, keys.Result) { return p.keys.Press(p, seq, n) }

// Close ends what is under way.
func (p *Pane) Close() { p.read.Stop() }

// SetSize says how many columns and rows View has.
func (p *Pane) SetSize(w, h int) {
	p.w, p.h = max(w, 0), max(h, 0)
	p.step(0)
}

// Selected is where the row of the cursor begins.
func (p *Pane) Selected() (x, y int, ok bool) {
	return p.Cell(headRows, len(p.rows), p.listHeight())
}

// Title says how many stores there are.
func (p *Pane) Title() (name, info string) {
	switch {
	case p.all == nil:
	case len(p.rows) < len(p.all):
		info = strconv.Itoa(len(p.rows)) + " of " + strconv.Itoa(len(p.all))
	default:
		info = strconv.Itoa(len(p.all))
	}
	return "stores", info
}

// listing is the stores of the home.
type listing struct {
	all       []versions.StoreInfo
	sizes     map[versions.StoreID]versions.StoreSize
	standings map[versions.StoreID]Standing
}

// Start reads the stores.
func (p *Pane) Start() tea.Cmd { return p.load("") }

// load reads the stores and puts the cursor on one.
func (p *Pane) load(to versions.StoreID) tea.Cmd {
	home := p.home
	return p.read.Begin(p.env.Ctx, func(ctx context.Context) (l listing, err error) {
		if l.all, err = home.Stores(ctx); err == nil {
			l.sizes, err = home.Sizes(ctx)
		}
		if err == nil && slices.ContainsFunc(l.all, versions.StoreInfo.Hosted) {
			l.standings, err = home.Standings(ctx)
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
	p.all, p.sizes, p.standings = l.all, l.sizes, l.standings
	p.filter()
	for i, at := range p.rows {
		if p.all[at].ID == to {
			p.step(i - p.Cur)
		}
	}
}

// filter lists the stores that hold every word that is typed, in their name, in where
// they are kept or in their description; archived ones last.
func (p *Pane) filter() {
	p.rows = p.rows[:0]
	for i := range p.all {
		s := &p.all[i]
		if p.words.in(s.Name, s.Folder, kept(s), s.Description) {
			p.rows = append(p.rows, i)
		}
	}
	slices.SortStableFunc(p.rows, func(a, b int) int {
		switch x, y := p.all[a].Archived.IsZero(), p.all[b].Archived.IsZero(); {
		case x && !y:
			return -1
		case y && !x:
			return 1
		}
		return 0
	})
	p.step(0)
}

// current is the store under the cursor; nil when none is listed.
func (p *Pane) current() *versions.StoreInfo {
	if p.Cur < len(p.rows) {
		return &p.all[p.rows[p.Cur]]
	}
	return nil
}

func (p *Pane) step(by int) { p.Step(by, len(p.rows), p.listHeight(), nil) }

// Update takes the mouse and, while words are typed, keys.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return typed(p, paneFilterKeys, msg)
	case tea.MouseWheelMsg:
		p.step(list.Wheel(msg))
	case tea.MouseClickMsg:
		return p.click(msg)
	}
	return nil
}

// click goes to a row, and with another click opens it.
func (p *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
	i, ok := p.Clicked(msg, headRows, len(p.rows), p.listHeight())
	if !ok {
		return nil
	}
	if i == p.Cur {
		return p.choose(0)
	}
	p.step(i - p.Cur)
	return nil
}
