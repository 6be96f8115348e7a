package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memend/memend/versions"
)

// run works on one prompt until the model has answered it, or something stops it.
func (s *Session) run(ctx context.Context, prompt string) {
	s.emit(Event{Kind: Prompted, Text: prompt})
	reason := s.turns(ctx)
	s.emit(Event{Kind: Idle, Reason: reason})
	_ = s.sync() // the next run says what is wrong
}

// turns sends and answers until nothing is left to answer, and says why it ended.
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
		case paused, reply.Stop == StopCompaction: // it goes on where it stopped
		case reply.Stop == StopToolUse && len(h.open) > 0:
			if err := s.calls(ctx, h.open); err != nil {
				return err.Error()
			}
		default: // a call of an answer that was cut short is never run
			s.cancelCalls(cancelled)
			return reply.Stop
		}
	}
}

// safePoint is between two turns, when every call is answered: budgets are looked
// at, what was asked is done, and a conversation that is too long is compacted.
func (s *Session) safePoint(ctx context.Context, n int, paused bool) string {
	if err := context.Cause(ctx); err != nil {
		return err.Error()
	}
	s.applyPending()
	if reason := s.spent(n); reason != "" {
		return reason
	}
	if n > 0 && !paused { // before the first turn it was done
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

// spent says which budget is used up after n turns of this prompt.
func (s *Session) spent(n int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, used := s.state.Settings.Budget, s.state.Total.Total()
	switch {
	case b.Turns > 0 && n >= b.Turns:
		return fmt.Sprintf("turn budget: %d turns for one prompt", b.Turns)
	case b.Tokens > 0 && used >= b.Tokens:
		return fmt.Sprintf("token budget: %d of %d tokens used", used, b.Tokens)
	}
	return ""
}

// request is the next one with some settings.
func (s *Session) request(set Settings) Request {
	h := s.past()
	return Request{
		Model: set.Model, MaxTokens: set.MaxTokens, System: systemPrompt(s.memory.Prompt(), set.Guidance),
		Memory: true, Thinking: set.Thinking, Messages: h.messages, Edits: set.edits(h.onDemand), Compacted: h.onDemand,
		Cache: set.Cache, Idle: set.Idle,
	}
}

// turn sends a request. Without a reply it says why: what had come is kept as far
// as it can be sent back, and its calls are answered.
func (s *Session) turn(ctx context.Context) (*Reply, string) {
	r := s.request(s.settings())
	seen := Clear(r, s.rate)
	s.emit(Event{Kind: Sent, Model: r.Model, Tokens: seen.Tokens, Window: s.crew.model(r.Model).MaxInputTokens})
	var told progress
	reply, err := s.try(ctx, func(ctx context.Context) (*Reply, error) {
		told = progress{s: s}
		reply, err := s.crew.o.API.Stream(ctx, r, told.take)
		told.rest(reply)
		return reply, err
	})
	if err != nil {
		s.emit(Event{Kind: Broken, Failure: failureOf(err), Text: told.unfinished(reply)})
		s.cancelCalls(cancelled)
		return nil, err.Error()
	}
	s.emit(Event{Kind: Replied, Model: reply.Model, Stop: reply.Stop, Explained: reply.Explanation, Usage: &reply.Usage, Applied: reply.Applied})
	s.calibrate(r, seen, reply.Usage)
	s.compactedInReply(reply)
	return reply, ""
}

// calibrate learns how many tokens a byte makes. A short prompt says little: most
// of it is what the API adds.
func (s *Session) calibrate(r Request, seen Cleared, u Usage) {
	const enough = 2048
	r.Messages = seen.Messages
	if n := promptBytes(r); n >= enough && u.Prompt() > 0 {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.rate = min(max(float64(u.Prompt())/float64(n), 0.05), 1)
	}
}

// progress tells a reply as it comes.
type progress struct {
	s    *Session
	told int // blocks that are finished
	text strings.Builder
	kind string // of the block that is on its way
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
	p.told++
	p.kind = ""
	p.text.Reset()
	e := Event{Kind: BlockEnded, Index: index, Type: b.Type, Block: &b}
	if b.Type == TypeToolUse {
		e.ToolUse, e.Tool = b.ID, b.Name
	}
	p.s.emit(e)
}

// rest tells the blocks of a reply that came without pieces.
func (p *progress) rest(r *Reply) {
	for r != nil && p.told < len(r.Content) {
		p.end(p.told, r.Content[p.told])
	}
}

// unfinished is what there is of a text that was cut.
func (p *progress) unfinished(r *Reply) string {
	if p.text.Len() == 0 && r != nil && r.Partial != nil && r.Partial.Type == TypeText {
		return r.Partial.Text
	}
	return p.text.String()
}

// calls carries out the calls of an answer, one after another. The answer is on
// disk before the first, so that each change in a trail has its call in the journal.
// What was begun when the person stops is carried out; the others are cancelled.
// When a store fails the model is told, and the run ends for the person to see why.
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
	by := versions.By{Actor: versions.Actor{Kind: s.actor.Type, Name: s.actor.Name}, Session: s.id, Turn: s.State().Turn}
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

// cancelCalls answers the calls that nobody will run.
func (s *Session) cancelCalls(text string) {
	h := s.past()
	for _, use := range h.unanswered() {
		e := callEvent(Answered, use)
		e.Text, e.IsError = text, true
		s.emit(e)
	}
}

// storeAt is the store that holds a path of the tool; empty when none does.
func (s *Session) storeAt(path string) versions.StoreID {
	for _, a := range s.attached {
		if path == a.Mount || strings.HasPrefix(path, a.Mount+"/") {
			return a.Store
		}
	}
	return ""
}
