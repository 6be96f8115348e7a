package live

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/terminal"
	"github.com/memend/memend/ui/tree"
	"github.com/memend/memend/versions"
)

// First is the first reading of a store, which goes on while the screens are made and
// the terminal is asked this and that.
type First struct {
	cancel context.CancelFunc
	done   chan struct{}
	read   func() (reading, error) // once done is closed, as is fault
	fault  any
}

// ReadFirst begins to read a store that is about to be shown: what a person needs to
// know of it who counts as stale what nobody read or wrote for so long.
func ReadFirst(ctx context.Context, store Store, me versions.Actor, stale time.Duration, now func() time.Time) *First {
	hurry()
	ctx, cancel := context.WithCancel(ctx)
	return ahead(cancel, func() (reading, error) { return read(ctx, store, tree.AskFirst(me, stale), false, now) })
}

// ahead begins to read at once.
func ahead(cancel context.CancelFunc, read func() (reading, error)) *First {
	f := &First{cancel: cancel, done: make(chan struct{})}
	terminal.Go(func() {
		defer close(f.done)
		defer func() { f.fault = recover() }() // to be met where the terminal can be given back
		r, err := read()
		f.read = func() (reading, error) { return r, err }
	})
	return f
}

// wait is what was read. It is given once: what is read later takes its place.
func (f *First) wait() (reading, error) {
	<-f.done
	if f.fault != nil {
		panic(f.fault)
	}
	read := f.read
	f.read = nil
	return read()
}

// End gives up what is not read yet.
func (f *First) End() {
	f.cancel()
	<-f.done
	calm()
}

// Await brings the first reading as if it had been asked for now.
func (r *Room) Await(f *First) tea.Cmd {
	return r.loads.Begin(r.env.Ctx, func(context.Context) (reading, error) { return f.wait() }, r.loaded)
}
