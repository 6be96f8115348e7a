package ui

import (
	"context"
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/jobs"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/gitsync"
)

// withBranch are stores of which the open one has a branch.
func withBranch() (fakeStores, versions.StoreID) {
	id := sample().Info().ID
	return fakeStores{git: map[versions.StoreID]branches.State{id: {Store: "notes", BranchState: versions.BranchState{
		Branch: versions.Branch{URL: "/srv/notes.git", Name: "main"}, ToSend: 2, Comes: 1, Seen: clock.Add(-2 * time.Hour)}}}}, id
}

func TestStatus_SaysWhatASyncWouldDo(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{40, 12}, {80, 24}, {120, 36}} {
		home, id := withBranch()
		s := newSim(t, sample(), size[0], size[1], func(c *Config) { c.Stores = home })
		s.hides("to send")
		state := home.git[id]
		known := func(change func(*branches.State)) {
			st := state
			change(&st)
			home.git[id] = st
			s.happens(versions.Event{Trust: true}) // another program looked at it
		}
		known(func(*branches.State) {})
		switch size[0] {
		case 80:
			s.shows("2 to send, 1 to take in")
		case 120:
			s.shows("2 to send, 1 to take in · last look 2h ago")
		}
		known(func(st *branches.State) { st.Failed = errors.New("no route") })
		s.shows("sync failed")
		known(func(st *branches.State) { st.Erased = true })
		s.shows("git has what was erased")
		known(func(st *branches.State) { st.ToSend, st.Comes = 0, 0 })
		s.hides("to send", "to take in", "sync", "last look")
	}
}

func TestSync_RunsBesideTheKeys(t *testing.T) {
	t.Parallel()
	home, id := withBranch()
	gate, begun := make(chan struct{}, 1), make(chan screen.Sync, 1)
	home.sync = func(ctx context.Context, order screen.Sync) (gitsync.Result, error) {
		versions.ReportProgress(ctx, versions.Progress{Done: 1, Total: 3, Of: versions.CommitsRead})
		begun <- order
		select {
		case <-gate:
			return gitsync.Result{Taken: make([]versions.Change, 3), Sent: 2, Pushed: true}, nil
		case <-ctx.Done():
			return gitsync.Result{}, ctx.Err()
		}
	}
	f := sample()
	cfg := Config{Store: f, By: me, Now: func() time.Time { return clock }, Background: Dark, Stores: home}
	p := &program{t: t, m: newModel(t.Context(), cfg), msgs: make(chan tea.Msg, 1000)}
	p.m.app.later = func(d time.Duration, msg tea.Msg) tea.Cmd {
		switch msg.(type) {
		case jobs.StepMsg:
			return func() tea.Msg { time.Sleep(time.Millisecond); return msg }
		case jobs.SlowMsg: // at once
			return func() tea.Msg { return msg }
		}
		if d == 300*time.Millisecond { // the branches are read
			return func() tea.Msg { return msg }
		}
		return nil
	}
	p.start(p.m.Init())
	p.send(tea.WindowSizeMsg{Width: 120, Height: 24})
	p.until("the branch is known", shows("2 to send, 1 to take in"))
	p.keys("f5")
	p.until("it shows", shows("1 of 3 commits read · sync "+f.Info().Name+"…"))
	if order := <-begun; order.Store != id || order.Name != f.Info().Name || order.Rewrite {
		t.Errorf("%+v", order)
	}
	p.keys("?")
	p.until("keys work", func(a *App) bool { return a.overlay != nil })
	p.keys("esc")
	gate <- struct{}{}
	p.until("it says what it did", shows("took in 3 changes, sent 2 changes"))
	p.keys("f5")
	p.until("how to stop it shows", shows("Esc stops"))
	p.keys("esc")
	p.until("it is stopped", shows("stopped: sync "+f.Info().Name+" · what was done is kept"))
}

// Where nothing is written, and in a store without a branch, F5 only scans the folder.
func TestSync_ScansAStoreWithoutABranch(t *testing.T) {
	t.Parallel()
	home, _ := withBranch()
	for _, change := range []func(*Config){
		func(c *Config) { c.Stores, c.ReadOnly = home, true },
		func(c *Config) { c.Stores = fakeStores{} },
		func(*Config) {},
	} {
		f := sample()
		s := newSim(t, f, 100, 24, change)
		s.run(s.app.branches.Load())
		s.keys("f5")
		s.shows("no outside changes: ")
	}
}

func TestPalette_HasSync(t *testing.T) {
	t.Parallel()
	home, _ := withBranch()
	var orders []screen.Sync
	home.sync = func(_ context.Context, order screen.Sync) (gitsync.Result, error) {
		orders = append(orders, order)
		return gitsync.Result{}, nil
	}
	s := newSim(t, sample(), 100, 24, func(c *Config) { c.Stores = home })
	s.run(s.app.branches.Load())
	s.keys(":")
	s.typed("sync")
	s.keys("enter")
	s.shows("nothing new")
	if len(orders) != 1 {
		t.Errorf("%+v", orders)
	}
}
