package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/draw"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// Every effect is in this file and in external.go. A command copies what it
// needs before it starts: the model may change while it runs.

// loadTree reads the tree. Until the first look at the folder is over (settled)
// nothing in it is a change that somebody should be shown.
func loadTree(ctx context.Context, id int, store Store, asked tree.Request, settled bool, now func() time.Time) tea.Cmd {
	return func() tea.Msg {
		msg := treeLoadedMsg{id: id, now: now()}
		// The tree is never older than the change that is told with it.
		if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
			msg.last = last[0]
		}
		if msg.reading, msg.err = tree.Read(ctx, store, asked); msg.err != nil {
			return msg
		}
		if settled {
			msg.changed = msg.reading.Changed
		}
		return msg
	}
}

// settle takes in what other programs did while nobody looked, and begins to watch.
func settle(ctx context.Context, store Store) settledMsg {
	calm()
	events, r, err := store.SyncAndWatch(ctx)
	msg := settledMsg{events: events, changed: r.Changed, err: err}
	if last, err := store.Changes(ctx, versions.Filter{}, 0, 1); err == nil && len(last) > 0 {
		msg.newest = last[0].Number
	}
	return msg
}

// after runs a command when something has come to be.
func after(done <-chan struct{}, cmd tea.Cmd) tea.Cmd {
	if done == nil {
		return cmd
	}
	return func() tea.Msg {
		<-done
		return cmd()
	}
}

// use notes that a store is used. Where that can't be kept the store can be looked
// at all the same.
func use(ctx context.Context, all Stores, id versions.StoreID) tea.Cmd {
	if all == nil {
		return nil
	}
	return func() tea.Msg {
		_ = all.UseStore(ctx, id)
		return nil
	}
}

// waitEvent waits for one event; the root asks again after each. No event may be
// dropped: each may be the only word of a change.
func waitEvent(events <-chan versions.Event) tea.Cmd {
	if events == nil {
		return nil
	}
	return func() tea.Msg {
		e, ok := <-events
		return eventMsg{event: e, closed: !ok}
	}
}

// look takes in what others did, now.
func (a *App) look() tea.Cmd {
	store := a.cfg.Store
	return a.work("look for outside changes", func(ctx context.Context) (tea.Msg, error) {
		r, err := store.Sync(ctx)
		switch {
		case err != nil:
			return screen.Notice{Text: "look for outside changes: " + err.Error(), Bad: true}, err
		case r.Adopted == 0:
			return screen.Notice{Text: "nothing changed outside: " + draw.Plural(r.Files, "file", "files") + " looked at"}, nil
		}
		return screen.Notice{Text: draw.Plural(r.Adopted, "outside change", "outside changes") + " taken in"}, nil
	})
}

func tick(d time.Duration, now func() time.Time) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return tickMsg{now()} })
}
