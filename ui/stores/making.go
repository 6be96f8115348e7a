package stores

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Creating a store at a service and connecting it, as `memend stores connect --create` does.

func (c *Connect) makeDisabled() string {
	switch {
	case c.readOnly:
		return "read-only: nothing is written"
	case c.busy() != "":
		return c.busy()
	case c.ask.Waiting():
		return "the service is being asked"
	case !c.loaded:
		return "the service has not answered: " + c.keys.Hint("stores.again") + " asks again"
	}
	return ""
}

// create asks for a name and a description. If creating a store failed, the prompts contain
// what was typed for it.
func (c *Connect) create(int) tea.Cmd {
	return c.env.Do(screen.Prompt{Label: "name of the store there", Value: c.wanted.Name, Then: func(name string) tea.Cmd {
		c.wanted.Name = strings.TrimSpace(name)
		if c.wanted.Name == "" {
			return nil
		}
		return c.env.Do(screen.Prompt{Label: "what it is for", Example: "may stay empty", Value: c.wanted.Description, Then: func(about string) tea.Cmd {
			c.wanted.Description = strings.TrimSpace(about)
			return c.make()
		}})
	}})
}

// make creates the store at the service and connects it.
func (c *Connect) make() tea.Cmd {
	if c.makeDisabled() != "" { // another request was sent meanwhile
		return nil
	}
	want, url, home := c.wanted, c.service.URL, c.home
	c.queue, c.done, c.extra = []versions.Offer{{HostedStore: want}}, nil, ""
	return c.env.Do(screen.Work{Doing: "make " + want.Name + " at the service", Keeps: true, Do: func(ctx context.Context) (tea.Msg, error) {
		out := outcome{creating: true}
		if out.offer.HostedStore, out.err = home.MakeHosted(ctx, url, want.Name, want.Description); out.err == nil {
			out.info, out.got, out.err = home.ConnectStore(ctx, url, out.offer.HostedStore)
		}
		return screen.Then(func() tea.Cmd { return c.showOutcome(out) }), out.err
	}})
}

// created handles the outcome of creating a store, before that of connecting it. It returns false
// if there is no store to connect.
func (c *Connect) created(msg outcome) bool {
	if msg.offer.ID == "" {
		c.queue, c.err, c.failed, c.createFailed = nil, msg.err, "", true
		return false
	}
	c.wanted = versions.HostedStore{}
	c.service.Stores = slices.Insert(c.service.Stores, 0, msg.offer) // newest first
	c.filterStores()
	if i := slices.Index(c.listed, 0); i >= 0 {
		c.step(i - c.Cur)
	}
	return true
}

// createFault describes why the store was not created.
func (c *Connect) createFault() fault {
	f := faultOf(c.err, c.service)
	makes := c.keys.Hint("list.new")
	reloads := c.keys.Hint("stores.again") + " reloads · " + makes + " creates it again"
	var trouble *versions.UpstreamError
	switch unsure := errors.As(c.err, &trouble) && trouble.Unsure; {
	case unsure && errors.Is(c.err, context.Canceled):
		return fault{"stopped: " + c.wanted.Name + " may have been created anyway", reloads}
	case unsure:
		return fault{"make " + c.wanted.Name + ": " + f.what + "; it may have been created anyway", reloads}
	case errors.Is(c.err, context.Canceled):
		return fault{"stopped: " + c.wanted.Name + " was not created", makes + " tries again"}
	}
	return fault{"make " + c.wanted.Name + ": " + f.what, join(f.do, makes+" tries again")}
}
