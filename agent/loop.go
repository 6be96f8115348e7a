package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/memend/memend/versions"
)

// run works on one prompt until the model has answered it or something stops it.
func (s *Session) run(ctx context.Context, prompt string) {
	s.emit(Event{Kind: Prompted, Text: prompt})
	reason := s.turns(ctx)
	s.emit(Event{Kind: Idle, Reason: reason})
	_ = s.sync() // the next run reports the error
}

// turns sends requests and runs calls until the model is done, and returns why it ended.
func (s *Session) turns(ctx context.Context) string {
	paused := false
	for n := 0; ; n++ {
		if reason := s.safePoint(ctx, n, paused); reason != "" {
			return reason
		}
		reply, reason := s.turn(ctx)
		if reply == nil {
			return reason
		}
		if lost, reason := s.compactLikeSDK(ctx, reply); reason != "" {
			return reason
		} else if lost {
			paused = false
			continue
		}
		paused = reply.Stop == StopPauseTurn
		switch h := s.past(); {
		case paused, reply.Stop == StopCompaction: // it continues where it stopped
		case reply.Stop == StopToolUse && len(h.open) > 0:
			if err := s.calls(ctx, h.open); err != nil {
				return err.Error()
			}
		default: // calls of a truncated answer are never run
			s.cancelCalls(cancelled)
			return reply.Stop
		}
	}
}

// safePoint is called between two turns, when every call is answered. It checks budgets
// and compacts a conversation that is too long.
func (s *Session) safePoint(ctx context.Context, n int, paused bool) string {
	if err := context.Cause(ctx); err != nil {
		return err.Error()
	}
	if reason := s.spent(n); reason != "" {
		return reason
	}
	if n > 0 && !paused { // already done before the first turn
		if reason := s.compactIfDue(ctx); reason != "" {
			return reason
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err.Error()
	}
	if err := s.sync(); err != nil {
		return err.Error()
	}
	return ""
}

// spent returns which budget is used up after n turns of this prompt, or "".
func (s *Session) spent(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, used := s.state.Settings.Budget, s.state.Total.Total()
	switch {
	case b.Turns > 0 && n >= b.Turns:
		return fmt.Sprintf("turn budget: %d per prompt", b.Turns)
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("token budget: %d of %d tokens used", used, b.Tokens)
	}
	return ""
}

// request returns the next request with the given settings.
func (s *Session) request(set Settings) Request {
	h := s.past()
	return Request{
		Model: set.Model, MaxTokens: set.MaxTokens, System: systemPrompt(s.memory.Prompt(), set.Guidance),
		Memory: true, Thinking: set.Thinking, Messages: h.messages, Edits: set.edits(h.onDemand), Compacted: h.onDemand,
		Cache: set.Cache, Idle: time.Duration(set.Idle),
	}
}

// turn sends a request. Without a reply it returns the reason: it keeps the part of the answer
// that can be sent back and answers its calls.
func (s *Session) turn(ctx context.Context) (*Reply, string) {
	r := s.request(s.settings())
	seen := Clear(r, s.rate)
	s.emit(Event{Kind: Sent, Model: r.Model, Tokens: seen.Tokens, Window: s.manager.model(r.Model).MaxInputTokens})
	var parts progress
	reply, err := s.try(ctx, func(ctx context.Context) (*Reply, error) {
		parts = progress{s: s}
		reply, err := s.manager.o.API.Stream(ctx, r, parts.take)
		parts.rest(reply)
		return reply, err
	})
	if err != nil {
		s.emit(Event{Kind: Broken, Failure: failureOf(err), Text: parts.unfinished(reply)})
		s.cancelCalls(cancelled)
		return nil, err.Error()
	}
	s.emit(Event{Kind: Replied, Model: reply.Model, Stop: reply.Stop, Explained: reply.Explanation, Usage: &reply.Usage, Applied: reply.Applied})
	s.calibrate(r, seen, reply.Usage)
	s.compactedInReply(reply)
	return reply, ""
}

// calibrate updates the ratio of tokens to bytes. It ignores short prompts: most of their
// tokens are what the API adds.
func (s *Session) calibrate(r Request, seen Cleared, u Usage) {
	const enough = 2048
	r.Messages = seen.Messages
	if n := promptBytes(r); n >= enough && u.Prompt() > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rate = min(max(float64(u.Prompt())/float64(n), 0.05), 1)
	}
}

// progress emits the parts of a reply as they arrive.
type progress struct {
	s        *Session
	reported int // number of finished blocks
	text     strings.Builder
	kind     string // of the current block
}

func (p *progress) take(d Delta) {
	switch d.Kind {
	case BlockStarted:
		p.text.Reset()
		p.kind = d.Type
		p.s.emit(Event{Kind: BlockBegan, Index: d.Index, Type: d.Type, ToolUse: d.ID, Tool: d.Name})
	case TextAdded, InputAdded:
		if p.kind == TypeText {
			p.text.WriteString(d.Text)
		}
		p.s.emit(Event{Kind: Added, Index: d.Index, Type: p.kind, Text: d.Text})
	case BlockFinished:
		p.end(d.Index, d.Block)
	}
}

func (p *progress) end(index int, b Block) {
	p.reported++
	p.kind = ""
	p.text.Reset()
	e := Event{Kind: BlockEnded, Index: index, Type: b.Type, Block: &b}
	if b.Type == TypeToolUse {
		e.ToolUse, e.Tool = b.ID, b.Name
	}
	p.s.emit(e)
}

// rest emits the blocks of a reply that arrived without deltas.
func (p *progress) rest(r *Reply) {
	for r != nil && p.reported < len(r.Content) {
		p.end(p.reported, r.Content[p.reported])
	}
}

// unfinished returns the received part of a truncated text.
func (p *progress) unfinished(r *Reply) string {
	if p.text.Len() == 0 && r != nil && r.Partial != nil && r.Partial.Type == TypeText {
		return r.Partial.Text
	}
	return p.text.String()
}

// calls runs the calls of an answer, one after another. The answer is on disk before the first
// one, so every change in a trail has its call in the journal. A call that is running when the
// person stops is completed; the others are cancelled. If a store fails, the model is notified and
// the run ends, so that the person sees why.
func (s *Session) calls(ctx context.Context, uses []Block) error {
	if err := s.sync(); err != nil {
		s.cancelCalls(cancelled)
		return err
	}
	for _, use := range uses {
		if err := context.Cause(ctx); err != nil {
			s.cancelCalls(cancelled)
			return err
		}
		if err := s.call(ctx, use); err != nil {
			s.cancelCalls(cancelled)
			return err
		}
	}
	return nil
}

func (s *Session) call(ctx context.Context, use Block) error {
	s.emit(callEvent(Calling, use))
	by := s.By()
	by.Turn = s.State().Turn
	called, err := Call(ctx, s.memory, by, use.Raw())
	e := callEvent(Answered, use)
	e.Text, e.IsError, e.Change = called.Result.Text, called.Result.IsError, called.Change.Number
	if called.Change.Number > 0 || called.Command != nil && called.Command.Name() == "view" {
		e.Store = s.storeAt(e.Path)
	}
	if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
		err = cause
	} else if err != nil {
		err = fmt.Errorf("memory: %w", err)
		e.Failure = &Failure{Type: "store", Message: err.Error()}
	}
	s.emit(e)
	return err
}

// cancelCalls answers the calls that will not be run.
func (s *Session) cancelCalls(text string) {
	h := s.past()
	for _, use := range h.unanswered() {
		e := callEvent(Answered, use)
		e.Text, e.IsError = text, true
		s.emit(e)
	}
}

// storeAt returns the store that contains a path of the tool, or "".
func (s *Session) storeAt(path string) versions.StoreID {
	for _, a := range s.attached {
		if path == a.Mount || strings.HasPrefix(path, a.Mount+"/") {
			return a.Store
		}
	}
	return ""
}
