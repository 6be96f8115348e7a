package stores

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

func connectActions(bindings keys.Bindings) *keys.Map[*Connect] {
	return keys.New("connect", bindings, append([]keys.Action[*Connect]{
		{ID: "list.open", Name: "connect, or open", Short: "connect", Do: (*Connect).begin, Why: (*Connect).disabled},
		{ID: "list.new", Writes: true, Name: "make a store there", Short: "make one", Do: (*Connect).create, Why: (*Connect).makeDisabled},
		{ID: "list.choose", Do: func(c *Connect, _ int) tea.Cmd { c.choose(); c.step(1); return nil }, Why: (*Connect).choiceDisabled},
		{ID: "stores.again", Name: "look again", Keys: []string{"g r"}, Do: func(c *Connect, _ int) tea.Cmd { return c.Start() }, Why: (*Connect).busy},
		{ID: "service", Name: "another service", Keys: []string{"s"}, Do: (*Connect).another, Why: (*Connect).busy},
		{ID: "list.choose-all", Do: func(c *Connect, _ int) tea.Cmd { c.chooseAll(); return nil }, Why: (*Connect).allDisabled},
		{ID: "list.filter", Do: func(c *Connect, _ int) tea.Cmd { c.typing = true; c.step(0); return nil }},
		{ID: "screen.back", Do: (*Connect).back},
	}, moves[*Connect]()...))
}

func (c *Connect) busy() string {
	if len(c.queue) > 0 {
		if c.queue[0].ID == "" {
			return "a store is being made: " + c.keys.Hint("screen.back") + " stops it"
		}
		return "a store is being connected: " + c.keys.Hint("screen.back") + " stops it"
	}
	return ""
}

// choiceDisabled returns why the store under the cursor can't be chosen.
func (c *Connect) choiceDisabled() string {
	o := c.current()
	switch {
	case o == nil:
		return "no store is listed"
	case c.readOnly:
		return "read-only: nothing is written"
	case o.Here.ID != "" && !c.partly[o.ID]:
		return "it is connected already, as " + o.Here.Name
	}
	return c.busy()
}

func (c *Connect) disabled() string {
	switch o := c.current(); {
	case c.busy() != "":
		return c.busy()
	case c.readOnly && (o == nil || o.Here.ID == ""):
		return "read-only: nothing is written"
	case len(c.chosen) == 0 && o == nil:
		return "no store is listed"
	}
	return ""
}

func (c *Connect) allDisabled() string {
	if c.readOnly {
		return "read-only: nothing is written"
	}
	for i := range c.service.Stores {
		if worthConnecting(&c.service.Stores[i]) {
			return c.busy()
		}
	}
	return "there is no store that could be connected"
}

func worthConnecting(o *versions.Offer) bool { return o.Here.ID == "" && o.Archived.IsZero() }

// choose toggles the store under the cursor.
func (c *Connect) choose() {
	id := c.current().ID
	if c.chosen[id] {
		delete(c.chosen, id)
	} else {
		c.chosen[id] = true
	}
}

// chooseAll chooses all listed stores that are not archived, or none if all are chosen
// already.
func (c *Connect) chooseAll() {
	more := false
	for _, at := range c.listed {
		if o := &c.service.Stores[at]; worthConnecting(o) && !c.chosen[o.ID] {
			c.chosen[o.ID], more = true, true
		}
	}
	if !more {
		clear(c.chosen)
	}
}

// enter returns from the filter to the list.
func (c *Connect) enter() tea.Cmd { c.step(0); return nil }

// Entries returns the actions of the list, or of the filter while it is typed.
func (c *Connect) Entries() []keys.Entry {
	if c.typing {
		return c.words.keys.Entries(&c.words)
	}
	return c.Split.Entries(c.keys.Entries(c))
}

// back clears the filter, clears the choice, or leaves.
func (c *Connect) back(int) tea.Cmd {
	switch {
	case c.InDetail:
		c.Focus(false)
		return nil
	case c.input.Value != "":
		c.showAll()
		return nil
	case len(c.chosen) > 0 && len(c.queue) == 0:
		clear(c.chosen)
		return nil
	}
	return c.env.Do(screen.Back{})
}

// another asks for the base URL of a service. Credentials are never typed in. The SDK's URL is not
// offered for editing: an empty one means it.
func (c *Connect) another(int) tea.Cmd {
	typed := c.service.URL
	if c.service.Own {
		typed = ""
	}
	return c.env.Do(screen.Prompt{Label: "service URL", Value: typed, Example: "https://…; empty: the SDK's own", Then: func(url string) tea.Cmd {
		c.url = strings.TrimSpace(url)
		c.service, c.loaded, c.err = Service{URL: c.url}, false, nil
		clear(c.chosen)
		c.showAll()
		return c.Start()
	}})
}
