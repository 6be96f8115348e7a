package stores

import (
	"context"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/list"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Connect is the list of the stores that a service keeps: those that are chosen are
// connected, one after the other. NewConnect makes one; Load asks the service.
type Connect struct {
	common
	home Hoster
	keys *keys.Map[*Connect]

	url     string // of the service that is asked; empty: where the SDK goes
	service Service
	ask     screen.Load[Service]
	loaded  bool
	err     error  // of the last question, or of what was connected last
	failed  string // the id of the store that the error is about; empty: the service

	rows   []int           // of service.Stores
	chosen map[string]bool // by the ids that the service gives
	partly map[string]bool // connected, but not all of it is here

	wanted versions.HostedStore // that is to be made there: its name and description, until it is
	unmade bool                 // the error is about that

	queue []versions.Offer // that are yet to be connected, the first is being so
	gone  bool             // the screen was left
	// changed shows in the list of stores what came of connecting; nil without a list
	changed func(versions.StoreInfo, error) tea.Cmd
	done    []versions.StoreInfo
	extra   string // what is to be said of those
}

// NewConnect makes the screen, in front of the list of stores; open is the store that
// is shown now. The commands that it returns end with ctx.
func NewConnect(env screen.Env, home Hoster, open versions.StoreID, readOnly bool) *Connect {
	return &Connect{common: common{env: env, open: open, readOnly: readOnly}, home: home, keys: connectActions(env.Keys),
		chosen: map[string]bool{}, partly: map[string]bool{}}
}

func (c *Connect) Press(seq []string, n int) (tea.Cmd, keys.Result) { return c.keys.Press(c, seq, n) }

// Close ends the question that is under way. What is being connected goes on: Esc
// stops it, and the list of stores tells what came of it.
func (c *Connect) Close() { c.ask.Stop(); c.gone = true }

// SetSize says how many columns and rows View has.
func (c *Connect) SetSize(w, h int) {
	c.w, c.h = max(w, 0), max(h, 0)
	c.step(0)
}

// Selected is where the row of the cursor begins.
func (c *Connect) Selected() (x, y int, ok bool) {
	return c.Cell(c.headRows(), len(c.rows), c.listHeight())
}

// Title says how many stores the service has, and how many are chosen.
func (c *Connect) Title() (name, info string) {
	switch n := len(c.service.Stores); {
	case !c.loaded:
	case len(c.rows) < n:
		info = strconv.Itoa(len(c.rows)) + " of " + strconv.Itoa(n)
	default:
		info = strconv.Itoa(n)
	}
	if n := len(c.chosen); n > 0 {
		info += " · " + strconv.Itoa(n) + " chosen"
	}
	return "connect a hosted store", info
}

// Start asks the service.
func (c *Connect) Start() tea.Cmd {
	home, url := c.home, c.url
	return c.ask.Begin(c.env.Ctx, func(ctx context.Context) (Service, error) { return home.Service(ctx, url) },
		func(s Service, err error) tea.Cmd { c.served(s, err); return nil })
}

func (c *Connect) served(s Service, err error) {
	c.err, c.failed, c.unmade = err, "", false
	if err != nil {
		if !c.loaded || s.URL != c.service.URL { // else what was listed is better than nothing
			c.service, c.loaded = s, false
			c.filter()
		}
		return
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
	c.filter()
	for i, at := range c.rows {
		if c.service.Stores[at].ID == here {
			c.step(i - c.Cur)
		}
	}
}

// filter lists the stores that hold every word that is typed, in their name, id or
// description; archived ones last.
func (c *Connect) filter() {
	c.rows = c.rows[:0]
	var archived []int
	for i := range c.service.Stores {
		o := &c.service.Stores[i]
		switch {
		case !c.words.in(o.Name, o.ID, o.Description):
		case o.Archived.IsZero():
			c.rows = append(c.rows, i)
		default:
			archived = append(archived, i)
		}
	}
	c.rows = append(c.rows, archived...)
	c.step(0)
}

// current is the store under the cursor; nil when none is listed.
func (c *Connect) current() *versions.Offer {
	if c.Cur < len(c.rows) {
		return &c.service.Stores[c.rows[c.Cur]]
	}
	return nil
}

func (c *Connect) step(by int) { c.Step(by, len(c.rows), c.listHeight(), nil) }

// Update takes the mouse and, while words are typed, keys.
func (c *Connect) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg:
		return typed(c, connectFilterKeys, msg)
	case tea.MouseWheelMsg:
		c.step(list.Wheel(msg))
	case tea.MouseClickMsg:
		c.click(msg)
	}
	return nil
}

// click goes to a row; on the row of the cursor it chooses.
func (c *Connect) click(msg tea.MouseClickMsg) {
	i, ok := c.Clicked(msg, c.headRows(), len(c.rows), c.listHeight())
	if !ok {
		return
	}
	if i == c.Cur && c.choiceDisabled() == "" {
		c.choose()
		return
	}
	c.step(i - c.Cur)
}
