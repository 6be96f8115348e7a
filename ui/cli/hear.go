package cli

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
)

// hearing tells stores of what agents elsewhere did, as far as somebody says so.
type hearing struct {
	p      *program
	t      *versions.Trail
	open   func(versions.StoreID) *versions.Store // nil for a store that is nobody's concern here
	memory versions.StoreID                       // the store that paths of the memory tool are of; "" for none

	mu   sync.Mutex
	told map[heardCall]bool // of which an event was made
}

// tell tells of calls and gives them as events. What can't be told is dropped: it is
// evidence, and nobody waits for it.
func (h *hearing) tell(ctx context.Context, calls []outside.Call) (out []agent.Event) {
	stores, err := h.t.Stores(ctx)
	if err != nil {
		return nil
	}
	home, _ := os.UserHomeDir()
	in := outside.Stores{All: stores, Memory: h.memory, Home: home}
	for _, c := range calls {
		for _, x := range in.Place(c) {
			s := h.open(x.Store)
			if s == nil || s.Report(ctx, x.Evidence) != nil {
				continue
			}
			if e := x.Evidence; !e.Ended.IsZero() && h.first(x) {
				out = append(out, callEvent(x.Store, c, e))
			}
		}
	}
	return out
}

// maxTold is how many calls are remembered that were told of.
const maxTold = 10_000

// first reports whether a call is heard of for the first time: standard input and a
// transcript may both tell of it.
func (h *hearing) first(x outside.Placed) bool {
	e := x.Evidence
	if e.By.ToolUse == "" {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told == nil || len(h.told) >= maxTold {
		h.told = map[heardCall]bool{}
	}
	key := heardCall{x.Store, e.By.Session, e.By.ToolUse, e.Path}
	first := !h.told[key]
	h.told[key] = true
	return first
}

// heardCall is what makes a call the same one.
type heardCall struct {
	store   versions.StoreID
	session versions.SessionID
	toolUse string
	path    memfs.Path
}

// callEvent is a call that was told of, as an event of its session.
func callEvent(store versions.StoreID, c outside.Call, e versions.Evidence) agent.Event {
	out := agent.Event{Kind: agent.Answered, Time: e.Ended, Store: store, Session: e.By.Session, Actor: agent.Actor{Type: e.By.Actor.Kind, Name: e.By.Actor.Name},
		ToolUse: e.By.ToolUse, Tool: c.Tool, Command: c.Command, Path: e.Path.Tool(), IsError: e.Failed, Text: c.Text}
	if out.Command == "" {
		out.Command = c.Tool
	}
	if !e.From.IsRoot() {
		out.From = e.From.Tool()
	}
	return out
}

// followTranscripts tells stores of what sessions of Claude Code write down, until ctx
// ends or stop is called, which waits for it.
func (h *hearing) followTranscripts(ctx context.Context, heard func([]agent.Event)) (stop func()) {
	config, err := outside.Config()
	if err != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var over sync.WaitGroup
	over.Add(1)
	h.t.Go(func() {
		defer over.Done()
		outside.Follow(ctx, outside.Following{Config: config, Folders: func() []string { return h.folders(ctx) }, Now: h.p.now}, func(calls []outside.Call) {
			if events := h.tell(ctx, calls); len(events) > 0 {
				heard(events)
			}
		})
	})
	return func() { cancel(); over.Wait() }
}

// folders are those of the stores that are open here.
func (h *hearing) folders(ctx context.Context) (out []string) {
	stores, err := h.t.Stores(ctx)
	if err != nil {
		return nil
	}
	for _, s := range stores {
		if h.open(s.ID) != nil {
			out = append(out, s.Folder)
		}
	}
	return out
}

// maxHeard is how many calls may wait to be told: who writes to us is never held up.
const maxHeard = 10_000

// listen takes in the JSON lines of standard input until they end, and tells of each
// call that they bring. It reads on while stores are locked; calls that then are too
// many are dropped. It gives what was not understood.
func (h *hearing) listen(ctx context.Context, r *outside.Reader, heard func([]agent.Event)) (dropped int, err error) {
	var mu sync.Mutex
	var waiting []outside.Call
	more, over := make(chan struct{}, 1), make(chan struct{})
	h.t.Go(func() {
		defer close(over)
		for range more {
			mu.Lock()
			calls := waiting
			waiting = nil
			mu.Unlock()
			if events := h.tell(ctx, calls); len(events) > 0 {
				heard(events)
			}
		}
	})
	err = r.Lines(h.p.in, func(calls []outside.Call) {
		mu.Lock()
		if n := len(waiting) + len(calls) - maxHeard; n > 0 {
			dropped += len(calls)
		} else {
			waiting = append(waiting, calls...)
		}
		mu.Unlock()
		select {
		case more <- struct{}{}:
		default: // it will be seen
		}
	})
	close(more)
	select {
	case <-over:
	case <-ctx.Done():
	}
	return dropped, err
}

// notUnderstood says what of standard input was passed over.
func (p *program) notUnderstood(s outside.Skipped, dropped int) {
	calls := 0
	for _, n := range s.Tools {
		calls += n
	}
	if s.Torn+s.Unknown+calls+dropped == 0 {
		return
	}
	fmt.Fprintf(p.err, "memend: passed over: %s of another kind, %d that are no JSON, %s of other tools", plural(s.Unknown, "line"), s.Torn, plural(calls, "call"))
	if dropped > 0 {
		fmt.Fprintf(p.err, "; %s came too fast", plural(dropped, "call"))
	}
	fmt.Fprintln(p.err)
}
