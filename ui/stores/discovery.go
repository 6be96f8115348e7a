package stores

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Finder finds the folders in which other tools keep memories, and makes stores of
// them. Every method may wait for the disk.
type Finder interface {
	Discover(ctx context.Context) (places.Found, error)
	AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error)
}

// Discovery is the list of those folders. Discover makes one; Load looks for them.
type Discovery struct {
	common
	finder Finder
	keys   *keys.Map[*Discovery]

	read   screen.Load[places.Found]
	loaded bool
	found  places.Found
	err    error
	chosen map[string]bool // by folder
	// changed shows in the list of stores what was made; nil without a list
	changed func(versions.StoreID) tea.Cmd
}

// NewDiscovery makes the screen, in front of the list of stores; open is the store
// that is shown now. The commands that it returns end with ctx.
func NewDiscovery(env screen.Env, finder Finder, open versions.StoreID, readOnly bool) *Discovery {
	return &Discovery{common: common{env: env, open: open, readOnly: readOnly}, finder: finder, keys: discoveryActions(env.Keys), chosen: map[string]bool{}}
}

func (d *Discovery) Press(seq []string, n int) (tea.Cmd, keys.Result) { return d.keys.Press(d, seq, n) }
func (d *Discovery) Entries() []keys.Entry                            { return d.keys.Entries(d) }

// Close ends what is under way.
func (d *Discovery) Close() { d.read.Stop() }

// SetSize says how many columns and rows View has.
func (d *Discovery) SetSize(w, h int) {
	d.w, d.h = max(w, 0), max(h, 0)
	d.step(0)
}

// Selected is where the row of the cursor begins.
func (d *Discovery) Selected() (x, y int, ok bool) {
	return d.Cell(headRows, len(d.found.Places), d.listHeight())
}

// Title says how many folders there are, and how many of them are chosen.
func (d *Discovery) Title() (name, info string) {
	if d.loaded {
		info = strconv.Itoa(len(d.found.Places))
	}
	if n := len(d.chosen); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
	}
	return "memories of other tools", info
}

// Start looks for folders.
func (d *Discovery) Start() tea.Cmd {
	return d.read.Begin(d.env.Ctx, d.finder.Discover, d.looked)
}

func (d *Discovery) looked(found places.Found, err error) tea.Cmd {
	if d.err = err; d.err != nil {
		return nil
	}
	here := ""
	if p := d.current(); p != nil {
		here = p.Folder
	}
	was := d.chosen
	d.loaded, d.found, d.chosen = true, found, map[string]bool{}
	for i, p := range d.found.Places {
		if was[p.Folder] && p.CanBeAdded() {
			d.chosen[p.Folder] = true
		}
		if p.Folder == here {
			d.Cur = i
		}
	}
	d.step(0)
	return nil
}

// current is the folder under the cursor; nil when none is listed.
func (d *Discovery) current() *places.Place {
	if d.Cur < len(d.found.Places) {
		return &d.found.Places[d.Cur]
	}
	return nil
}

func (d *Discovery) step(by int) { d.Step(by, len(d.found.Places), d.listHeight(), nil) }

// Update takes answers and the mouse.
func (d *Discovery) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.MouseWheelMsg:
		d.step(list.Wheel(msg))
	case tea.MouseClickMsg:
		d.click(msg)
	}
	return nil
}

// click goes to a row; on the row of the cursor it chooses.
func (d *Discovery) click(msg tea.MouseClickMsg) {
	i, ok := d.Clicked(msg, headRows, len(d.found.Places), d.listHeight())
	if !ok {
		return
	}
	if i == d.Cur && d.disabled() == "" {
		d.choose()
	}
	d.step(i - d.Cur)
}

// label is what the store of a folder is called, or would be.
func label(p *places.Place) string {
	if p.IsStore() {
		return p.Store.Name
	}
	return p.Name()
}

func count(p *places.Place) string {
	if p.More {
		return strconv.Itoa(p.Memories) + "+"
	}
	return strconv.Itoa(p.Memories)
}

// made says what was made, in few words.
func made(stores []versions.StoreInfo) string {
	if len(stores) == 1 {
		return "made the store " + stores[0].Name + " · Enter opens it"
	}
	return "made " + draw.Plural(len(stores), "store", "stores") + " · Enter opens one"
}
