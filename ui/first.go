package ui

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/tree"
)

// First is the first reading of a store, which goes on while the screens are made and
// the terminal is asked this and that.
type First struct {
	cancel context.CancelFunc
	done   chan struct{}
	msg    tea.Msg // once done is closed, as is fault
	fault  any
}

// ReadFirst begins to read the store that is about to be shown with cfg, of which
// Store, By, Stale and Now must be known. Run ends it.
func ReadFirst(ctx context.Context, cfg Config) *First {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	hurry()
	ctx, cancel := context.WithCancel(ctx)
	return ahead(cancel, loadTree(ctx, 0, cfg.Store, tree.AskFirst(cfg.By.Actor, cfg.Stale), false, cfg.Now))
}

// ahead begins a command at once.
func ahead(cancel context.CancelFunc, cmd tea.Cmd) *First {
	f := &First{cancel: cancel, done: make(chan struct{})}
	terminal.Go(func() {
		defer close(f.done)
		defer func() { f.fault = recover() }() // to be met where the terminal can be given back
		f.msg = cmd()
	})
	return f
}

// wait is what was read. It is given once: what is read later takes its place.
func (f *First) wait() (msg tea.Msg) {
	<-f.done
	if f.fault != nil {
		panic(f.fault)
	}
	msg, f.msg = f.msg, nil
	return msg
}

// end gives up what is not read yet.
func (f *First) end() {
	f.cancel()
	<-f.done
	calm()
}

// await brings the first reading as if it had been asked for now.
func (a *App) await(f *First) tea.Cmd {
	a.loading = true
	_, id := a.loads.Begin(a.ctx)
	return func() tea.Msg {
		msg := f.wait()
		if loaded, ok := msg.(treeLoadedMsg); ok {
			loaded.id = id
			msg = loaded
		}
		return msg
	}
}
