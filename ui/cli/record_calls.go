package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/outside"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
)

// callRecorder records in stores what agents that run elsewhere did, from the calls that they
// report.
type callRecorder struct {
	in     io.Reader // standard input
	now    func() time.Time
	t      *engine.Trail
	open   func(versions.StoreID) *engine.Store // returns nil for a store that is of no interest here
	memory versions.StoreID                     // the store that paths of the memory tool refer to, or ""

	mu       sync.Mutex
	recorded map[callKey]bool // calls that were reported as events
}

// record records calls and returns them as events. Calls that can't be recorded are dropped:
// they are only evidence, and no one waits for them.
func (h *callRecorder) record(ctx context.Context, calls []outside.Call) (out []agent.Event) {
	in, err := storesOf(ctx, h.t)
	if err != nil {
		return nil
	}
	in.Memory = h.memory
	for _, x := range takenIn(in, calls) { // before what the session wrote after them
		_ = h.t.NoteInputs(ctx, x.by, x.kinds, x.at)
	}
	for _, c := range calls {
		for _, x := range in.Place(c) {
			s := h.open(x.Store)
			if s == nil || s.Report(ctx, x.Evidence) != nil {
				continue
			}
			if e := x.Evidence; !e.Ended.IsZero() && h.isNew(x) {
				out = append(out, callEvent(x.Store, c, e))
			}
		}
	}
	return out
}

// maxRemembered is how many recorded calls are remembered.
const maxRemembered = 10_000

// isNew reports whether a call is new: standard input and a transcript may both report it.
func (h *callRecorder) isNew(x outside.Placed) bool {
	e := x.Evidence
	if e.By.ToolUse == "" {
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.recorded == nil || len(h.recorded) >= maxRemembered {
		h.recorded = map[callKey]bool{}
	}
	key := callKey{x.Store, e.By.Session, e.By.ToolUse, e.Path}
	first := !h.recorded[key]
	h.recorded[key] = true
	return first
}

// callKey identifies a call.
type callKey struct {
	store   versions.StoreID
	session versions.SessionID
	toolUse string
	path    memfs.Path
}

// callEvent returns a recorded call as an event of its session.
func callEvent(store versions.StoreID, c outside.Call, e versions.Evidence) agent.Event {
	out := agent.Event{Kind: agent.Answered, Time: e.Ended, Store: store, Session: e.By.Session, Actor: versions.Actor{Kind: e.By.Actor.Kind, Name: e.By.Actor.Name},
		ToolUse: e.By.ToolUse, Tool: c.Tool, Command: cmp.Or(c.Command, c.Tool), Path: e.Path.Tool(), IsError: e.Failed, Text: c.Text}
	if !e.From.IsRoot() {
		out.From = e.From.Tool()
	}
	return out
}

// followTranscripts records what sessions of Claude Code write to their transcripts, until
// ctx ends or stop is called, which waits for it.
func (h *callRecorder) followTranscripts(ctx context.Context, report func([]agent.Event)) (stop func()) {
	config, err := outside.Config()
	if err != nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var over sync.WaitGroup
	over.Add(1)
	h.t.Go(func() {
		defer over.Done()
		outside.Follow(ctx, outside.Following{Config: config, Folders: func() []string { return h.folders(ctx) }, Now: h.now}, func(calls []outside.Call) {
			if events := h.record(ctx, calls); len(events) > 0 {
				report(events)
			}
		})
	})
	return func() { cancel(); over.Wait() }
}

// folders returns the folders of the open stores.
func (h *callRecorder) folders(ctx context.Context) (out []string) {
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

// maxWaiting is how many calls may wait to be recorded, so that the writer of standard input
// is never blocked.
const maxWaiting = 10_000

// listen reads JSON lines from standard input until they end, and records each call in
// them. It keeps reading while stores are locked; calls over the limit are dropped. It
// returns how many.
func (h *callRecorder) listen(ctx context.Context, r *outside.Reader, report func([]agent.Event)) (dropped int, err error) {
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
			if events := h.record(ctx, calls); len(events) > 0 {
				report(events)
			}
		}
	})
	err = r.Lines(h.in, func(calls []outside.Call) {
		mu.Lock()
		if n := len(waiting) + len(calls) - maxWaiting; n > 0 {
			dropped += len(calls)
		} else {
			waiting = append(waiting, calls...)
		}
		mu.Unlock()
		select {
		case more <- struct{}{}:
		default: // the reader was signalled already
		}
	})
	close(more)
	select {
	case <-over:
	case <-ctx.Done():
	}
	return dropped, err
}

// reportSkipped reports what was skipped on standard input.
func reportSkipped(p *console, s outside.Skipped, dropped int) {
	calls := 0
	for _, n := range s.Tools {
		calls += n
	}
	if s.Torn+s.Unknown+calls+dropped == 0 {
		return
	}
	fmt.Fprintf(p.err, "memend: skipped %s of another kind, %d that are not JSON, %s of other tools", plural(s.Unknown, "line"), s.Torn, plural(calls, "call"))
	if dropped > 0 {
		fmt.Fprintf(p.err, "; dropped %s that came too fast", plural(dropped, "call"))
	}
	fmt.Fprintln(p.err)
}
