package live

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// First is the first reading of a store, which runs while the TUI is set up and the
// terminal is queried.
type First struct {
	cancel context.CancelFunc
	done   chan struct{}
	read   func() (reading, error) // valid once done is closed, as is fault
	fault  any
}

// ReadFirst begins to read a store that is about to be shown. me and stale are those of the
// tree's Config.
func ReadFirst(ctx context.Context, store Store, me versions.Actor, stale time.Duration, now func() time.Time) *First {
	ctx, cancel := context.WithCancel(ctx)
	return ahead(cancel, func() (reading, error) { return read(ctx, store, tree.AskFirst(me, stale), false, now) })
}

// ahead begins to read at once.
func ahead(cancel context.CancelFunc, read func() (reading, error)) *First {
	f := &First{cancel: cancel, done: make(chan struct{})}
	terminal.Go(func() {
		defer close(f.done)
		defer func() { f.fault = recover() }() // it is raised again where the terminal can be restored
		r, err := read()
		f.read = func() (reading, error) { return r, err }
	})
	return f
}

// wait returns the reading. It can be used once: later readings replace it.
func (f *First) wait() (reading, error) {
	<-f.done
	if f.fault != nil {
		panic(f.fault)
	}
	read := f.read
	f.read = nil
	return read()
}

// End cancels the reading.
func (f *First) End() {
	f.cancel()
	<-f.done
}

// Await delivers the first reading as if it had been requested now.
func (r *Room) Await(f *First) tea.Cmd {
	return r.loads.Begin(r.env.Ctx, func(context.Context) (reading, error) { return f.wait() }, r.loaded)
}
