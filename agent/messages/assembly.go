package messages

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/memend/memend/agent"
)

// assembly builds a reply from the events of its stream.
type assembly struct {
	emit      func(agent.Delta)
	requestID string

	reply agent.Reply
	open  []*partialBlock // unfinished blocks; the API has at most one at a time
	whole bool            // message_stop arrived
}

// read reads the stream to the end of the message. The end of the stream itself proves nothing: a broken connection
// looks the same.
func (a *assembly) read(ctx context.Context, body io.Reader) (*agent.Reply, error) {
	f := newFrames(body)
	for !a.whole {
		name, data, err := f.next()
		// Events that were buffered when ctx ended are dropped.
		if ctx.Err() != nil {
			return a.broken(stopped(ctx))
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return a.broken(agent.ErrCut)
		}
		if err != nil {
			return a.broken(fmt.Errorf("%w: %w", agent.ErrCut, err))
		}
		err = a.take(name, data)
		if failed := (*agent.Failure)(nil); err != nil && !errors.As(err, &failed) { // a frame is invalid: the rest can't be trusted
			err = fmt.Errorf("%w: %w", agent.ErrCut, err)
		}
		if err != nil {
			return a.broken(err)
		}
	}
	if len(a.open) > 0 || a.reply.Stop == "" {
		return a.broken(agent.ErrCut)
	}
	return &a.reply, nil
}

// broken returns the received part of a reply that failed. It drops the stop reason: the reply did not end that way,
// whatever message_delta said.
func (a *assembly) broken(err error) (*agent.Reply, error) {
	a.reply.Stop = ""
	for _, b := range a.open {
		if b.kind != agent.TypeText || len(b.text) == 0 {
			continue
		}
		if block, err := b.block(); err == nil {
			a.reply.Partial = &block
		}
	}
	return &a.reply, err
}

// take handles one event. It ignores pings and unknown events.
func (a *assembly) take(name string, data []byte) error {
	switch name {
	case "message_start", "content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop", "error":
	default:
		return nil
	}
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("event %s: %w", name, err)
	}
	switch name {
	case "message_start":
		a.start(e)
	case "content_block_start":
		return a.begin(e)
	case "content_block_delta":
		return a.add(e, data)
	case "content_block_stop":
		return a.finish(e)
	case "message_delta":
		return a.close(e)
	case "message_stop":
		a.whole = true
	case "error":
		id := e.Request
		if id == "" {
			id = a.requestID
		}
		return &agent.Failure{Type: e.Error.Type, Message: e.Error.Message, RequestID: id}
	}
	return nil
}

func (a *assembly) start(e event) {
	if e.Message != nil {
		a.reply.ID, a.reply.Model = e.Message.ID, e.Message.Model
		e.Message.Usage.over(&a.reply.Usage)
	}
	a.send(agent.Delta{Kind: agent.MessageStarted, Usage: a.reply.Usage})
}

func (a *assembly) begin(e event) error {
	b, err := newBuilding(e.Index, e.Block)
	if err != nil {
		return err
	}
	a.open = append(a.open, b)
	a.send(agent.Delta{Kind: agent.BlockStarted, Index: b.index, Type: b.kind, ID: b.id, Name: b.name})
	return nil
}

func (a *assembly) add(e event, data []byte) error {
	b, err := a.at(e.Index)
	if err != nil {
		return err
	}
	kind, text := agent.TextAdded, ""
	switch e.Delta.Type {
	case "text_delta":
		text, err = b.join(e.Delta.Text)
		b.text = append(b.text, text...)
	case "thinking_delta":
		text, err = b.join(e.Delta.Thinking)
		b.text = append(b.text, text...)
	case "input_json_delta":
		kind = agent.InputAdded
		text, err = b.join(e.Delta.Input)
		b.input = append(b.input, text...)
	case "signature_delta":
		b.set("signature", e.Delta.Signature)
	case "citations_delta":
		b.citations = append(b.citations, e.Delta.Citation)
	case "compaction_delta":
		return b.setAll(data)
	}
	if err != nil {
		return err
	}
	if text != "" {
		a.send(agent.Delta{Kind: kind, Index: b.index, Type: b.kind, ID: b.id, Name: b.name, Text: text})
	}
	return nil
}

func (a *assembly) finish(e event) error {
	b, err := a.at(e.Index)
	if err != nil {
		return err
	}
	b.closed()
	block, err := b.block()
	if err != nil {
		return err
	}
	a.open = slices.DeleteFunc(a.open, func(o *partialBlock) bool { return o == b })
	a.reply.Content = append(a.reply.Content, block)
	a.send(agent.Delta{Kind: agent.BlockFinished, Index: b.index, Type: b.kind, ID: b.id, Name: b.name, Block: block})
	return nil
}

func (a *assembly) close(e event) (err error) {
	a.reply.Stop = cmp.Or(e.Delta.Stop, a.reply.Stop)
	a.reply.Explanation = cmp.Or(e.Delta.Details.explanation(), a.reply.Explanation)
	e.Usage.over(&a.reply.Usage)
	if e.Context != nil {
		a.reply.Applied, err = e.Context.applied()
	}
	return err
}

func (a *assembly) at(index int) (*partialBlock, error) {
	for _, b := range a.open {
		if b.index == index {
			return b, nil
		}
	}
	return nil, fmt.Errorf("the stream refers to block %d, which is not open", index)
}

func (a *assembly) send(d agent.Delta) {
	if a.emit != nil {
		a.emit(d)
	}
}
