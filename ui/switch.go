package ui

import (
	"cmp"
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
)

// From one store to another while the program runs.

// Stores are the stores of a home. Every method may block on disk.
type Stores interface {
	stores.Home
	// Open opens a store. It stays open until the program ends: what was asked of it
	// may be answered after another one is shown. Drafts may be nil.
	Open(ctx context.Context, id versions.StoreID) (Store, Drafts, error)
	// UseStore notes that a person uses a store.
	UseStore(ctx context.Context, id versions.StoreID) error
}

// showStores lists the stores.
func (a *App) showStores() tea.Cmd {
	_, cmd := a.pushStores()
	return cmd
}

func (a *App) pushStores() (*stores.Pane, tea.Cmd) {
	p := stores.New(a.env(), a.cfg.Stores, a.info.ID, a.cfg.ReadOnly)
	a.push(p)
	return p, p.Load()
}

// discover lists what other tools keep; behind it are the stores.
func (a *App) discover() tea.Cmd {
	p, cmd := a.pushStores()
	d := p.Discovery()
	a.push(d)
	return tea.Batch(cmd, d.Load())
}

// connect lists what a service keeps; behind it are the stores.
func (a *App) connect() tea.Cmd {
	p, cmd := a.pushStores()
	c := p.Connecting()
	a.push(c)
	return tea.Batch(cmd, c.Load())
}

func (a *App) whyNoStores() string {
	if a.cfg.Stores == nil {
		return "there is only this store"
	}
	return ""
}

// storeOpenedMsg brings another store, or says why it can't be opened.
type storeOpenedMsg struct {
	name   string
	store  Store
	drafts Drafts
	err    error
}

// openStore opens another store once nothing is left behind unsaved.
func (a *App) openStore(req screen.OpenStore) tea.Cmd {
	if a.cfg.Stores == nil || req.ID == a.info.ID {
		return nil
	}
	all := a.cfg.Stores
	return a.leaving("open "+req.Name, func() tea.Cmd {
		return a.work("open "+req.Name, func(ctx context.Context) (tea.Msg, error) {
			msg := storeOpenedMsg{name: req.Name}
			msg.store, msg.drafts, msg.err = all.Open(ctx, req.ID)
			return msg, cmp.Or(msg.err, ctx.Err()) // it stays open, but nobody wants to go there any more
		})
	})
}

func (a *App) storeOpened(msg storeOpenedMsg) tea.Cmd {
	if msg.err != nil {
		return a.say("open "+msg.name+": "+why(msg.err), true)
	}
	return a.leaving("open "+msg.name, func() tea.Cmd { // something may have been typed meanwhile
		next := a.cfg
		next.Store, next.Drafts, next.Open = msg.store, msg.drafts, memfs.Root
		a.next = &next
		return nil
	})
}
