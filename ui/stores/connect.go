package stores

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/split"
	"github.com/memend/memend/versions"
)

// Connect is the list of the stores of a service. Chosen stores are connected one after the
// other. NewConnect returns one; Start requests the list.
type Connect struct {
	common
	home Hoster
	keys *keys.Map[*Connect]

	url     string // of the service; empty for the default of the SDK
	service Service
	ask     screen.Load[Service]
	loaded  bool
	err     error  // of the last request or of the last store
	failed  string // id of the store that err is about; empty for the service

	listed []int           // indexes of service.Stores
	chosen map[string]bool // by the service's ids
	partly map[string]bool // connected, but not completely mirrored

	wanted       versions.HostedStore // a store to create: its name and description
	createFailed bool                 // err is about wanted

	queue  []versions.Offer // stores to connect; the first is being connected
	closed bool             // the screen is closed
	// changed shows the outcome in the list of stores; it is nil if there is no list.
	changed func(versions.StoreInfo, error) tea.Cmd
	done    []versions.StoreInfo
	extra   string // further text about done
}

// NewConnect returns the screen that is opened from the list of stores; open is the current
// store. Its commands end with ctx.
func NewConnect(env screen.Env, home Hoster, open versions.StoreID, readOnly bool) *Connect {
	c := &Connect{common: common{env: env, open: open, readOnly: readOnly}, home: home, keys: connectActions(env.Keys),
		chosen: map[string]bool{}, partly: map[string]bool{}}
	c.stand(c)
	c.Back, c.words = c.keys.Hint("screen.back"), newWords(c.filterStores, "continue", c.enter, c.step)
	return c
}

func (c *Connect) Press(seq []string, n int) (tea.Cmd, keys.Result) {
	return split.Press(c.Split, c, c.keys, seq, n)
}

// Close cancels the pending request. A store that is being connected continues: Esc stops it,
// and the list of stores shows the outcome.
func (c *Connect) Close() { c.ask.Stop(); c.closed = true }

// Title returns how many stores the service has, and how many are chosen.
func (c *Connect) Title() (name, info string) {
	switch n := len(c.service.Stores); {
	case !c.loaded:
	case len(c.listed) < n:
		info = strconv.Itoa(len(c.listed)) + " of " + strconv.Itoa(n)
	default:
		info = strconv.Itoa(n)
	}
	if n := len(c.chosen); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
	}
	return "connect a hosted store", info
}

// Start requests the list from the service.
func (c *Connect) Start() tea.Cmd {
	home, url := c.home, c.url
	return c.ask.Begin(c.env.Ctx, func(ctx context.Context) (Service, error) { return home.Service(ctx, url) },
		c.served)
}

func (c *Connect) served(s Service, err error) tea.Cmd {
	c.err, c.failed, c.createFailed = err, "", false
	if err != nil {
		if !c.loaded || s.URL != c.service.URL { // otherwise keep the old list
			c.service, c.loaded = s, false
			clear(c.chosen)
			c.filterStores()
		}
		return nil
	}
	here := ""
	if o := c.current(); o != nil {
		here = o.ID
	}
	was := c.chosen
	c.service, c.loaded, c.chosen = s, true, map[string]bool{}
	for _, o := range c.service.Stores {
		if was[o.ID] && (o.Here.ID == "" || c.partly[o.ID]) {
			c.chosen[o.ID] = true
		}
	}
	c.filterStores()
	for i, at := range c.listed {
		if c.service.Stores[at].ID == here {
			c.step(i - c.Cur)
		}
	}
	return nil
}

// filterStores lists the stores whose name, id or description contains every word of the filter,
// archived ones last.
func (c *Connect) filterStores() {
	c.listed = c.words.list(c.listed, len(c.service.Stores), func(i int) (archived bool, text []string) {
		o := &c.service.Stores[i]
		return !o.Archived.IsZero(), []string{o.Name, o.ID, o.Description}
	})
	c.step(0)
}

// current returns the store under the cursor, or nil if the list is empty.
func (c *Connect) current() *versions.Offer {
	if c.Cur < len(c.listed) {
		return &c.service.Stores[c.listed[c.Cur]]
	}
	return nil
}

func (c *Connect) Rows() int { return len(c.listed) }

// again chooses the store under the cursor.
func (c *Connect) again() tea.Cmd {
	if c.choiceDisabled() == "" {
		c.choose()
	}
	return nil
}
