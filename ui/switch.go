package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/wording"
)

func (a *App) storesDisabled() string {
	if a.cfg.Stores == nil {
		return "there is only this store"
	}
	return ""
}

// sync scans the folder of the store, and syncs it with its branch if it has one.
func (a *App) sync() tea.Cmd {
	if _, ok := a.branches.State(a.info.ID); !ok || a.cfg.ReadOnly {
		return a.live.Sync()
	}
	return a.out.Do(screen.Sync{Store: a.info.ID, Name: a.info.Name})
}

// openStore switches to another store after unsaved texts are saved or discarded.
func (a *App) openStore(req screen.OpenStore) tea.Cmd {
	if a.cfg.Stores == nil || req.ID == a.info.ID {
		return nil
	}
	all := a.cfg.Stores
	return a.editing.Leaving("open "+req.Name, func() tea.Cmd {
		return a.out.Do(screen.Work{Doing: "open " + req.Name, Do: func(ctx context.Context) (tea.Msg, error) {
			store, drafts, err := all.Open(ctx, req.ID)
			if err != nil {
				return screen.Notice{Text: "open " + req.Name + ": " + wording.Why(err), Bad: true}, err
			}
			return screen.Then(func() tea.Cmd { return a.storeOpened(req, store, drafts) }), ctx.Err() // the store stays open, but the request is outdated
		}})
	})
}

func (a *App) storeOpened(req screen.OpenStore, store Store, drafts editing.Drafts) tea.Cmd {
	return a.editing.Leaving("open "+req.Name, func() tea.Cmd { // the user may have typed something meanwhile
		next := a.cfg
		next.Store, next.Drafts, next.Open = store, drafts, req.At
		a.next = &next
		return nil
	})
}
