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

// inOrder is a transport whose client has its tool calls carried out one after the
// other, as they came: a turn of a model may bring several that build on each other,
// and the SDK runs what comes at once side by side. All else goes ahead of calls that
// wait. The end of the input comes when everything is answered: the SDK drops what is
// under way then.
type inOrder struct {
	mcp.Transport
	start func(func()) // in a goroutine of its own
}

// Connect is the transport's.
func (t inOrder) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	o := &ordered{Connection: c, in: make(chan incoming), asked: map[any]bool{}, answered: make(chan struct{}, 1), closed: make(chan struct{})}
	t.start(func() { o.receive(context.WithoutCancel(ctx)) })
	return o, nil
}

// ordered is one connection. Read is called by one goroutine.
type ordered struct {
	mcp.Connection
	in    chan incoming
	queue []*jsonrpc.Request // tool calls that wait for those before them
	call  any                // id of the tool call that was let through last
	end   error              // of the input

	mu       sync.Mutex
	asked    map[any]bool // ids of requests that have no answer
	answered chan struct{}

	once   sync.Once
	closed chan struct{}
}

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

// Read gives the next message that may be worked on.
func (o *ordered) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		waits := o.waits()
		if len(o.queue) > 0 && !waits[o.call] {
			next := o.queue[0]
			o.queue, o.call = o.queue[1:], next.ID.Raw()
			return next, nil
		}
		if o.end != nil && len(waits) == 0 {
			return nil, o.end
		}
		select {
		case got := <-o.in:
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

// waits are the requests without an answer.
func (o *ordered) waits() map[any]bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	out := make(map[any]bool, len(o.asked))
	for id := range o.asked {
		out[id] = true
	}
	return out
}

// keep notes what is asked, and reports whether it has to wait, or is of no use any
// more.
func (o *ordered) keep(msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	switch {
	case !ok:
		return false
	case req.Method == "notifications/cancelled":
		return o.cancel(req)
	case !req.IsCall() || req.Method == "subscriptions/listen": // nobody waits for an answer
		return false
	}
	o.mu.Lock()
	o.asked[req.ID.Raw()] = true
	o.mu.Unlock()
	if req.Method == "tools/call" {
		o.queue = append(o.queue, req)
		return true
	}
	return false
}

// cancel takes a call out of the queue, if it is there: it never began.
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
	o.queue = slices.Delete(o.queue, i, i+1)
	o.done(id)
	return true
}

// Write is the connection's. An answer that can't be written is given all the same.
func (o *ordered) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := o.Connection.Write(ctx, msg)
	if res, ok := msg.(*jsonrpc.Response); ok {
		o.done(res.ID)
	}
	return err
}

func (o *ordered) done(id jsonrpc.ID) {
	o.mu.Lock()
	delete(o.asked, id.Raw())
	o.mu.Unlock()
	select {
	case o.answered <- struct{}{}:
	default:
	}
}

// Close closes the connection, whatever is not answered.
func (o *ordered) Close() error {
	o.once.Do(func() { close(o.closed) })
	return o.Connection.Close()
}
