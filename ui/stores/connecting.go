package stores

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// outcome is the outcome of connecting a store, or of continuing to mirror it.
type outcome struct {
	creating bool               // the store was to be created first
	offer    versions.Offer     // its id is empty if it was not created
	info     versions.StoreInfo // its id is empty if it is not connected
	got      versions.Pulled
	err      error
}

// begin connects the chosen stores, or the store under the cursor. A connected store is
// opened; if it is not completely mirrored, mirroring continues.
func (c *Connect) begin(int) tea.Cmd {
	c.queue, c.done, c.extra, c.createFailed = nil, nil, "", false
	for _, o := range c.service.Stores {
		if c.chosen[o.ID] {
			c.queue = append(c.queue, o)
		}
	}
	if len(c.queue) == 0 {
		o := *c.current()
		switch {
		case o.Here.ID == "" || c.partly[o.ID]:
			c.queue = []versions.Offer{o}
		case o.Here.ID == c.open: // it is the screen behind the list of stores
			return tea.Sequence(c.env.Do(screen.Back{}), c.env.Do(screen.Back{}))
		default:
			return c.env.Do(screen.OpenStore{ID: o.Here.ID, Name: o.Here.Name})
		}
	}
	return c.next()
}

// next connects the first store of the queue.
func (c *Connect) next() tea.Cmd {
	o, url, home := c.queue[0], c.service.URL, c.home
	doing := "connect " + o.Name
	if all := len(c.done) + len(c.queue); all > 1 {
		doing += " (" + strconv.Itoa(len(c.done)+1) + " of " + strconv.Itoa(all) + ")"
	}
	return c.env.Do(screen.Work{Doing: doing, Keeps: true, Do: func(ctx context.Context) (tea.Msg, error) {
		out := outcome{offer: o, info: o.Here}
		if o.Here.ID != "" {
			out.got, out.err = home.MirrorStore(ctx, o.Here.ID)
		} else {
			out.info, out.got, out.err = home.ConnectStore(ctx, url, o.HostedStore)
		}
		return screen.Then(func() tea.Cmd { return c.showOutcome(out) }), out.err
	}})
}

// showOutcome shows the outcome here and in the list. After the screen is closed, it only shows
// errors.
func (c *Connect) showOutcome(out outcome) tea.Cmd {
	var cmd tea.Cmd
	if c.changed != nil {
		cmd = c.changed(out.info, out.err)
	}
	if c.closed && out.err == nil {
		return cmd
	}
	return tea.Batch(cmd, c.connected(out))
}

// connected continues with the next store, and leaves after the last one if there was no
// error.
func (c *Connect) connected(msg outcome) tea.Cmd {
	if msg.creating && !c.created(msg) {
		return c.showError()
	}
	for i := range c.service.Stores {
		if o := &c.service.Stores[i]; o.ID == msg.offer.ID && msg.info.ID != "" {
			o.Here = msg.info
		}
	}
	c.partly[msg.offer.ID] = msg.err != nil && msg.info.ID != ""
	if msg.err == nil {
		delete(c.chosen, msg.offer.ID)
	}
	if msg.err != nil {
		c.queue, c.err, c.failed, c.createFailed = nil, msg.err, msg.offer.ID, false
		return c.showError()
	}
	c.err = nil
	c.done, c.extra = append(c.done, msg.info), c.extra+skippedSummary(msg.got)
	if c.queue = c.queue[1:]; len(c.queue) > 0 {
		return c.next()
	}
	return c.finished(msg)
}

// finished leaves and shows the outcome.
func (c *Connect) finished(msg outcome) tea.Cmd {
	opens := actions(c.env.Keys).Hint("list.open") + " opens"
	text := "connected " + msg.offer.Name + " as " + msg.info.Name + ": " + draw.Plural(msg.got.Versions, "version", "versions") + " · " + opens + " it"
	switch {
	case len(c.done) > 1:
		text = "connected " + draw.Plural(len(c.done), "store", "stores") + " · " + opens + " one"
	case msg.creating:
		text = "made " + msg.offer.Name + " at the service, connected as " + msg.info.Name
		if len(c.chosen) > 0 { // these are not connected yet
			return c.env.Do(screen.Notice{Text: text})
		}
		text += " · " + opens + " it"
	}
	return tea.Sequence(c.env.Do(screen.Drop{Pane: c}), c.env.Do(screen.Notice{Text: text + c.extra, Bad: c.extra != ""}))
}

// showError shows an error, or that the user stopped it.
func (c *Connect) showError() tea.Cmd {
	f := c.fault()
	if errors.Is(c.err, context.Canceled) { // not an error
		c.err = nil
		return c.env.Do(screen.Notice{Text: join(f.what, f.do)})
	}
	return c.env.Do(screen.Notice{Text: f.what, Bad: true})
}

// fault describes the current error.
func (c *Connect) fault() fault {
	if c.createFailed {
		return c.createFault()
	}
	f := faultOf(c.err, c.service)
	if c.failed == "" {
		if !isUnauthorized(c.err) { // the environment can't change while the program runs
			f.do = join(f.do, c.keys.Hint("stores.again")+" asks again")
		}
		f.do = join(f.do, c.keys.Hint("service")+" names another service")
		return f
	}
	name := c.failed
	if i := slices.IndexFunc(c.service.Stores, func(o versions.Offer) bool { return o.ID == c.failed }); i >= 0 {
		name = c.service.Stores[i].Name
	}
	again := c.keys.Hint("list.open")
	switch stopped := errors.Is(c.err, context.Canceled); {
	case stopped && c.partly[c.failed]:
		return fault{"stopped: what was fetched of " + name + " is kept", again + " continues"}
	case stopped:
		return fault{"stopped: " + name + " is not connected", again + " tries again"}
	}
	return fault{"connect " + name + ": " + f.what, join(f.do, again+" tries again")}
}

func join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return strings.Join(some, " · ")
}
