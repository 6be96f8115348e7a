package mcp

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// inOrder wraps a transport and runs a client's tool calls one after another, in their order: a
// model's turn may contain several that build on each other, and the SDK runs them
// concurrently. All other messages overtake waiting calls. The end of the input is reported
// only when everything is answered, because the SDK drops running calls at that point.
type inOrder struct {
	mcp.Transport
	start func(func()) // runs a function in a new goroutine
}

// Connect connects the wrapped transport.
func (t inOrder) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	o := &ordered{Connection: c, in: make(chan incoming), asked: map[any]int{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}
	t.start(func() { o.receive(context.WithoutCancel(ctx)) })
	return o, nil
}

// ordered is one such connection. Read is called by one goroutine.
type ordered struct {
	mcp.Connection
	in     chan incoming
	queue  []*jsonrpc.Request // tool calls waiting for earlier ones
	queued int                // bytes in queue
	call   any                // id of the running tool call
	end    error              // the error at the end of the input

	mu       sync.Mutex
	asked    map[any]int // bytes of the unanswered requests that were passed on, by id
	asking   int         // bytes in asked
	answered chan struct{}

	once   sync.Once
	closed chan struct{}
}

// maxUnanswered is how many bytes of unanswered requests are held. At more, nothing is read until one is answered: the client may not
// read the answers.
const maxUnanswered = 16 << 20

// sizeOf returns what a request takes in memory.
func sizeOf(req *jsonrpc.Request) int { return len(req.Params) + 512 }

type incoming struct {
	msg jsonrpc.Message
	err error
}

// receive reads until the input ends.
func (o *ordered) receive(ctx context.Context) {
	for {
		msg, err := o.Connection.Read(ctx)
		select {
		case o.in <- incoming{msg, err}:
		case <-o.closed:
			return
		}
		if err != nil {
			return
		}
	}
}

// Read returns the next message that may be processed.
func (o *ordered) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		o.mu.Lock()
		_, running := o.asked[o.call]
		idle, full := len(o.asked) == 0, o.asking+o.queued >= maxUnanswered
		o.mu.Unlock()
		if len(o.queue) > 0 && !running {
			next := o.queue[0]
			o.remove(0)
			o.call = next.ID.Raw()
			o.pass(next)
			return next, nil
		}
		if o.end != nil && idle {
			return nil, o.end
		}
		in := o.in
		if full {
			in = nil
		}
		select {
		case got := <-in:
			if got.err != nil {
				o.end = got.err
			} else if !o.keep(got.msg) {
				return got.msg, nil
			}
		case <-o.answered:
		case <-o.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// keep registers a message, and reports whether it has to wait or is obsolete.
func (o *ordered) keep(msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
		return false
	case req.Method == "notifications/cancelled":
		return o.cancel(req)
	case !req.IsCall() || req.Method == "subscriptions/listen": // has no answer
		return false
	case req.Method == "tools/call":
		o.queue, o.queued = append(o.queue, req), o.queued+sizeOf(req)
		return true
	}
	o.pass(req)
	return false
}

// pass registers a request that the SDK will answer.
func (o *ordered) pass(req *jsonrpc.Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asked[req.ID.Raw()] += sizeOf(req)
	o.asking += sizeOf(req)
}

// remove removes a call from the queue.
func (o *ordered) remove(i int) {
	o.queued -= sizeOf(o.queue[i])
	o.queue = slices.Delete(o.queue, i, i+1)
}

// cancel removes a waiting call from the queue and reports whether it was there.
func (o *ordered) cancel(req *jsonrpc.Request) bool {
	var p struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(req.Params, &p) != nil {
		return false
	}
	id, err := jsonrpc.MakeID(p.ID)
	if err != nil {
		return false
	}
	i := slices.IndexFunc(o.queue, func(r *jsonrpc.Request) bool { return r.ID == id })
	if i < 0 {
		return false
	}
	o.remove(i)
	return true
}

// Write sends a message. An answer counts as given even if it can't be written.
func (o *ordered) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := o.Connection.Write(ctx, msg)
	if res, ok := msg.(*jsonrpc.Response); ok {
		o.mu.Lock()
		o.asking -= o.asked[res.ID.Raw()]
		delete(o.asked, res.ID.Raw())
		o.mu.Unlock()
		select {
		case o.answered <- struct{}{}:
		default:
		}
	}
	return err
}

// Close closes the connection, even with unanswered requests.
func (o *ordered) Close() error {
	o.once.Do(func() { close(o.closed) })
	return o.Connection.Close()
}
