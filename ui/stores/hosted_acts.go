package stores

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
)

// Actions of the list on hosted stores.

// Connecting returns the screen that connects hosted stores. The list shows the connected
// ones.
func (p *Pane) Connecting() *Connect {
	c := NewConnect(p.env, p.home, p.open, p.readOnly)
	c.changed = p.connected
	return c
}

// connected adds a connected store to the list.
func (p *Pane) connected(info versions.StoreInfo, err error) tea.Cmd {
	if info.ID == "" {
		return nil
	}
	p.asked(info.ID, err)
	return p.load(info.ID)
}

func hostedRow(p *Pane) string {
	switch s := p.current(); {
	case s == nil:
		return "no store is listed"
	case !s.Hosted():
		return "the store is kept here, by no service"
	}
	return writable(p)
}

func disconnectable(p *Pane) string {
	if s := p.current(); s != nil && s.Hosted() && s.ID == p.open {
		return "it is the store that is shown: open another one first"
	}
	return hostedRow(p)
}

// mirror fetches everything the service has. If Esc stops it, what was fetched so far is kept.
func (p *Pane) mirror(int) tea.Cmd {
	s, home := *p.current(), p.home
	return p.env.Do(screen.Work{Doing: "mirror " + s.Name, Keeps: true, Do: func(ctx context.Context) (tea.Msg, error) {
		got, err := home.MirrorStore(ctx, s.ID)
		return screen.Then(func() tea.Cmd { return p.mirrored(s, got, err) }), err
	}})
}

func (p *Pane) mirrored(s versions.StoreInfo, got versions.Pulled, err error) tea.Cmd {
	p.asked(s.ID, err)
	switch {
	case errors.Is(err, context.Canceled):
		return tea.Batch(p.load(""), p.env.Do(screen.Notice{Text: "stopped: what was fetched of " + s.Name + " is kept · " + p.keys.Hint("mirror") + " continues"}))
	case err != nil:
		f := faultOf(err, p.syncStates[s.ID].Service)
		if f.do != "" {
			f.what += " · " + f.do
		}
		return tea.Batch(p.load(""), p.env.Do(screen.Notice{Text: "mirror " + s.Name + ": " + f.what, Bad: true}))
	}
	return tea.Batch(p.load(""), p.env.Do(screen.Notice{Text: s.Name + ": " + pullSummary(got), Bad: len(got.Skipped) > 0}))
}

// asked records what a request to the service of a store found. A cancelled one found nothing.
func (p *Pane) asked(id versions.StoreID, err error) {
	var trouble *versions.UpstreamError
	switch {
	case errors.As(err, &trouble):
		p.tried[id] = trouble.Trouble
	case errors.Is(err, versions.ErrNoStore), errors.Is(err, versions.ErrGoneUpstream):
		p.tried[id] = versions.Gone
	case err == nil:
		p.tried[id] = versions.NoTrouble
	}
}

// disconnect asks for confirmation first: what only this home has is lost for good.
func (p *Pane) disconnect(int) tea.Cmd {
	s, home := *p.current(), p.home
	return p.env.Do(screen.Choose{
		Title: "disconnect " + s.Name,
		Text: "The service keeps the store. Deleted here: its folder and its trail of " + draw.Plural(int(p.sizes[s.ID].Changes), "change", "changes") +
			", with versions that the service has dropped, who read what, and what was written here and not sent. This can't be undone; `memend export` keeps a copy.",
		Options: []screen.Option{
			{Key: "y", Label: "delete what is here", Then: func() tea.Cmd {
				return p.env.Do(screen.Work{Doing: "disconnect " + s.Name, Keeps: true, Do: func(ctx context.Context) (tea.Msg, error) {
					r, err := home.DisconnectStore(ctx, s.ID)
					return screen.Then(func() tea.Cmd { return p.disconnected(s.Name, r, err) }), err
				}})
			}},
			{Key: "n", Label: "leave it connected"},
		},
	})
}

func (p *Pane) disconnected(name string, receipt versions.Receipt, err error) tea.Cmd {
	switch {
	case receipt.ID == 0 && errors.Is(err, context.Canceled):
		return p.env.Do(screen.Notice{Text: "cancelled: disconnect " + name + " · nothing was changed"})
	case receipt.ID == 0 && err != nil:
		return p.env.Do(screen.Notice{Text: "disconnect " + name + ": " + err.Error(), Bad: true})
	}
	text := "disconnected " + name + ": " + draw.Plural(receipt.Versions, "version is", "versions are") + " deleted here, the service keeps the store"
	switch receipt.Outcome {
	case versions.OutcomeStillIn:
		text += " · some of their bytes are still in other places"
	case versions.OutcomePending:
		text += " · the redaction finishes once no other program reads the trail"
	}
	return tea.Batch(p.load(""), p.env.Do(screen.Notice{Text: text}))
}
