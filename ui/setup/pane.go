package setup

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/ui/text"
	"github.com/memend/memend/versions"
)

// Config is the configuration of a form.
type Config struct {
	Settings agent.Settings
	// Models lists the available models. It may be nil.
	Models func(context.Context) ([]agent.Model, error)

	// Session is the session whose settings are changed; nil for a new one.
	Session talk.Session

	// For a new session: the available stores, the store that it gets by default, and the
	// function that starts it.
	Stores func(context.Context) ([]versions.StoreInfo, error)
	Here   versions.StoreID
	Begin  func(agent.Start) tea.Cmd
}

// Pane is the form as a screen. New returns one, Start loads it.
type Pane struct {
	screen.Plain
	env   screen.Env
	c     Config
	f     form
	keys  *keys.Map[*formKeys]
	turns *keys.Map[*formKeys] // in a field with options
	acts  formKeys
	w, h  int
	wait  time.Duration
	asks  screen.Load[agent.Preview]
	reads screen.Load[[]versions.StoreInfo]
	lists screen.Load[[]agent.Model]
	sets  screen.Load[struct{}]

	stores  []versions.StoreInfo
	preview agent.Preview
	asked   bool
	unseen  error // why there is no preview
	notice  string
}

// New returns the form.
func New(env screen.Env, c Config) *Pane {
	done := "begin"
	if c.Session != nil {
		done = "set"
	}
	p := &Pane{c: c, env: env, wait: previewDelay, keys: keysOf(env.Keys, done), turns: optionKeys(env.Keys)}
	p.acts = formKeys{p.perform, &p.f}
	p.f.theme = env.Theme
	if c.Session == nil {
		p.f.fields = append(p.f.fields,
			&field{kind: heading, label: "what to do"},
			&field{id: "prompt", kind: typed, label: "prompt", example: "may come later", help: "What the agent should do. Longer ones are written in the conversation."},
			&field{id: "name", kind: typed, label: "its name", example: "agent", help: "Who its changes are by."},
			&field{kind: heading, label: "memories that it gets, up to 8 stores"},
		)
	}
	p.f.fields = append(p.f.fields, settingsFields(&p.f, c.Settings)...)
	if c.Session != nil {
		for _, x := range p.f.fields {
			x.changed = p.requestPreview
		}
	}
	p.f.step(1)
	return p
}

// Start loads the stores, the models, and what the current settings clear.
func (p *Pane) Start() tea.Cmd {
	models := p.c.Models
	list := p.lists.Begin(p.env.Ctx, func(ctx context.Context) ([]agent.Model, error) {
		if models == nil {
			return nil, nil
		}
		return models(ctx) // it may take long, so the stores don't wait for it
	}, p.takeModels)
	cmds := []tea.Cmd{list}
	if p.c.Session == nil {
		cmds = append(cmds, p.readStores())
	} else {
		cmds = append(cmds, p.requestPreview())
	}
	return tea.Batch(cmds...)
}

// readStores loads the stores.
func (p *Pane) readStores() tea.Cmd {
	stores := p.c.Stores
	if stores == nil {
		return nil
	}
	return p.reads.Begin(p.env.Ctx, stores, func(found []versions.StoreInfo, err error) tea.Cmd {
		if found != nil {
			p.takeStores(found)
		}
		if err != nil {
			p.notice = "the stores can't be listed: " + err.Error()
		}
		return nil
	})
}

// accesses are the levels of access to a store.
var accesses = []string{"no", "read and write", "read only"}

// takeStores adds a field for each store, and one for its description to the agent.
func (p *Pane) takeStores(list []versions.StoreInfo) {
	p.stores = p.stores[:0]
	var fields []*field
	for _, s := range list {
		if !s.Archived.IsZero() && s.ID != p.c.Here {
			continue
		}
		p.stores = append(p.stores, s)
		x := &field{id: "store." + string(s.ID), kind: choice, label: text.Field(s.Name), options: accesses, help: "Whether the agent gets this store, and may write to it. " + s.Description}
		if s.ID == p.c.Here {
			x.at = 1
			if !s.Archived.IsZero() {
				x.at = 2
			}
		}
		instructions := &field{id: "instructions." + string(s.ID), kind: typed, label: "  instructions", example: "none", help: "Instructions to the agent about this store, in addition to its description.",
			hidden: func() bool { return x.at == 0 }}
		fields = append(fields, x, instructions)
	}
	for i, x := range p.f.fields {
		if x.kind == heading && i > 2 { // the heading of the stores
			p.f.fields = append(p.f.fields[:i+1:i+1], append(fields, p.f.fields[i+1:]...)...)
			break
		}
	}
	p.f.clamp()
}

// Update handles the answers of the form's commands, keys, and mouse events.
func (p *Pane) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		p.notice = ""
		for _, name := range keys.Names(msg) {
			if cmd, r := p.keys.Press(&p.acts, []string{name}, 0); r != keys.None {
				p.f.clamp()
				return cmd
			}
		}
		if p.f.current().kind == choice {
			for _, name := range keys.Names(msg) {
				if cmd, r := p.turns.Press(&p.acts, []string{name}, 0); r != keys.None {
					return cmd
				}
			}
			return nil
		}
		return p.f.typeKey(msg)
	case tea.PasteMsg:
		return p.f.typeKey(msg)
	case tea.MouseClickMsg:
		return p.click(msg)
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelDown:
			p.f.step(2)
		case tea.MouseWheelUp:
			p.f.step(-2)
		}
	}
	return nil
}

// takeModels adds the available models as options; without a list the name is typed.
func (p *Pane) takeModels(models []agent.Model, _ error) tea.Cmd {
	for _, id := range []string{"model", "compaction.model"} {
		x := p.f.field(id)
		for _, m := range models {
			x.offers = append(x.offers, m.ID)
		}
	}
	return nil
}

// click moves to a field, or cycles through the options of the field under the cursor.
func (p *Pane) click(msg tea.MouseClickMsg) tea.Cmd {
	if msg.Button != tea.MouseLeft || msg.Y >= p.f.h {
		return nil
	}
	n := p.f.top + msg.Y
	for i, x := range p.f.shown() {
		if n < rowsOf(x) {
			if x.kind == heading {
				return nil
			}
			if i == p.f.cur {
				return p.f.turn(1)
			}
			p.f.cur = i
			p.f.clamp()
			return nil
		}
		n -= rowsOf(x)
	}
	return nil
}

func (p *Pane) perform(what string) tea.Cmd {
	switch what {
	case "next":
		p.f.step(1)
	case "previous":
		p.f.step(-1)
	case "page-down":
		p.f.step(max(p.f.h-1, 1))
	case "page-up":
		p.f.step(-max(p.f.h-1, 1))
	case "turn":
		return p.f.turn(1)
	case "turn-back":
		return p.f.turn(-1)
	case "offer":
		return p.f.offer(1)
	case "offer-before":
		return p.f.offer(-1)
	case "leave":
		p.asks.Stop()
		return p.env.Ask(screen.Back{})
	case "done":
		return p.done()
	}
	return nil
}

// done starts the session, or sets what was changed, if all fields are valid.
func (p *Pane) done() tea.Cmd {
	s := p.f.settingsOf(p.c.Settings)
	right := p.f.check(s)
	var stores []versions.Attachment
	if p.c.Session == nil {
		stores = p.attached()
		switch {
		case len(stores) == 0 && len(p.stores) > 0:
			p.f.field("store."+string(p.stores[0].ID)).problem, right = "an agent needs a store", false
		case len(stores) > maxStores:
			p.f.field("store."+string(stores[maxStores].Store)).problem, right = "a session has eight stores at most", false
		}
	}
	if !right {
		p.f.showProblems()
		return nil
	}
	if p.c.Session == nil {
		start := agent.Start{Prompt: p.f.field("prompt").text(), Name: p.f.field("name").text(), Stores: stores, Settings: s}
		return tea.Sequence(p.env.Ask(screen.Back{}), p.c.Begin(start))
	}
	session := p.c.Session
	return p.sets.Begin(p.env.Ctx, func(context.Context) (struct{}, error) { return struct{}{}, session.Set(s) }, p.set)
}

const maxStores = 8

// attached returns the selected stores.
func (p *Pane) attached() (out []versions.Attachment) {
	for _, s := range p.stores {
		a := versions.Attachment{Store: s.ID, Instructions: p.f.field("instructions." + string(s.ID)).text()}
		switch p.f.field("store." + string(s.ID)).at {
		case 1:
			a.Access = versions.ReadWrite
		case 2:
			a.Access = versions.ReadOnly
		default:
			continue
		}
		out = append(out, a)
	}
	return out
}

// set handles the result of new settings: the model may refuse settings that are valid in
// themselves.
func (p *Pane) set(_ struct{}, err error) tea.Cmd {
	if err == nil {
		return tea.Sequence(p.env.Ask(screen.Back{}), p.env.Ask(screen.Notice{Text: "set; it holds from the next turn on"}))
	}
	s := p.f.settingsOf(p.c.Settings)
	list := fieldErrors(err)
	for _, e := range list {
		p.f.at(e.Field, s).problem = e.Why
	}
	if len(list) == 0 {
		p.notice = err.Error()
	}
	p.f.showProblems()
	return nil
}

// previewDelay is how long the input must be idle before the preview is requested.
const previewDelay = 300 * time.Millisecond

// requestPreview requests a preview of the next request with these settings.
func (p *Pane) requestPreview() tea.Cmd {
	s := p.f.settingsOf(p.c.Settings)
	p.f.check(s)
	p.asks.Stop()
	if s.Check() != nil {
		p.asked = false
		return nil
	}
	session, wait := p.c.Session, p.wait
	return p.asks.Begin(p.env.Ctx, func(ctx context.Context) (agent.Preview, error) {
		select {
		case <-ctx.Done(): // the input changed
			return agent.Preview{}, ctx.Err()
		case <-time.After(wait):
		}
		return session.Preview(ctx, s)
	}, func(v agent.Preview, err error) tea.Cmd {
		p.asked, p.preview, p.unseen = true, v, err
		return nil
	})
}
