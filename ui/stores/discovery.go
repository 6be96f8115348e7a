package stores

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// Finder finds the folders in which other tools keep memories, and makes stores of them. Every
// method may block on the disk.
type Finder interface {
	Discover(ctx context.Context) (places.Found, error)
	AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error)
}

// Discovery is the list of those folders. NewDiscovery returns one; Start searches for them.
type Discovery struct {
	common
	finder Finder
	keys   *keys.Map[*Discovery]

	read   screen.Load[places.Found]
	loaded bool
	found  places.Found
	err    error
	chosen map[string]bool // by folder
	// changed shows the new store in the list of stores; it is nil if there is no list.
	changed func(versions.StoreID) tea.Cmd
}

// NewDiscovery returns the screen that is opened from the list of stores; open is the current
// store. Its commands end with ctx.
func NewDiscovery(env screen.Env, finder Finder, open versions.StoreID, readOnly bool) *Discovery {
	d := &Discovery{common: common{env: env, open: open, readOnly: readOnly}, finder: finder, keys: discoveryActions(env.Keys), chosen: map[string]bool{}}
	d.stand(d)
	d.Back = d.keys.Hint("screen.back")
	return d
}

func (d *Discovery) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(d.Split, d, d.keys, seq, n)
}
func (d *Discovery) Entries() []keys.Entry { return d.Split.Entries(d.keys.Entries(d)) }

// Close cancels the pending request.
func (d *Discovery) Close() { d.read.Stop() }

// Title returns how many folders there are, and how many of them are chosen.
func (d *Discovery) Title() (name, info string) {
	if d.loaded {
		info = strconv.Itoa(len(d.found.Places))
	}
	if n := len(d.chosen); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
	}
	return "memories of other tools", info
}

// Start searches for folders.
func (d *Discovery) Start() tea.Cmd {
	return d.read.Begin(d.env.Ctx, d.finder.Discover, d.searched)
}

func (d *Discovery) searched(found places.Found, err error) tea.Cmd {
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

// current returns the folder under the cursor, or nil if the list is empty.
func (d *Discovery) current() *places.Place {
	if d.Cur < len(d.found.Places) {
		return &d.found.Places[d.Cur]
	}
	return nil
}

func (d *Discovery) Rows() int { return len(d.found.Places) }

// again chooses the folder under the cursor.
func (d *Discovery) again() tea.Cmd {
	if d.disabled() == "" {
		d.choose()
	}
	return nil
}

// label returns the name of a folder's store, or the one it would have.
func label(p *places.Place) string {
	if p.IsStore() {
		return p.Store.Name
	}
	return p.Name()
}

func memories(p *places.Place) string {
	if p.More {
		return strconv.Itoa(p.Memories) + "+"
	}
	return strconv.Itoa(p.Memories)
}

// createdText describes briefly which stores were made, and the key that opens them.
func createdText(stores []versions.StoreInfo, open string) string {
	if len(stores) == 1 {
		return "made the store " + stores[0].Name + " · " + open + " opens it"
	}
	return "made " + draw.Plural(len(stores), "store", "stores") + " · " + open + " opens one"
}
