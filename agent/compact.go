package agent

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

const (
	clientThreshold = 100_000
	serverThreshold = 150_000
)

var errNoSummary = errors.New("the answer contains no summary")

// compactIfDue compacts the conversation if that was requested or it is too long. It is called
// only at safe points, where every call is answered and no turn is paused, so nothing is lost.
// If compaction fails, the history stays and the run continues, unless a reason to end it is
// returned.
func (s *Session) compactIfDue(ctx context.Context) string {
	s.mu.Lock()
	onDemand := s.pending.compact
	s.pending.compact = false
	set, size := s.state.Settings, s.history.size
	byAPI := s.history.onDemand
	empty := len(s.history.messages) == 0
	s.mu.Unlock()
	c := set.Compact
	due := !s.refused && size > 0 && size >= c.at(s.manager.model(set.Model).MaxInputTokens)
	switch {
	case empty || !onDemand && !due:
		return ""
	case onDemand && s.summarizes(set),
		// After a summary on demand the API refuses the edit that compacts at a threshold, so
		// the threshold is checked here.
		c.Mode == CompactServer && byAPI:
		s.compactByAPI(ctx, set, size)
	case onDemand, c.Mode == CompactClient && !c.LikeSDK:
		if err := s.compactHere(ctx, set, Compacted{Before: size}); err != nil {
			s.refused = true
		}
	}
	if err := context.Cause(ctx); err != nil {
		return err.Error()
	}
	return ""
}

// summarizes reports whether to request summaries on demand from the API. If the settings
// leave it open, the model must be known to support them.
func (s *Session) summarizes(set Settings) bool {
	mode := set.Compact.Mode
	return mode == CompactServer || mode != CompactClient && s.manager.model(set.Model).Summarizes
}

func (c Compaction) threshold() int64 {
	switch {
	case c.Threshold > 0:
		return c.Threshold
	case c.Mode == CompactServer:
		return serverThreshold
	}
	return clientThreshold
}

// at returns the threshold for a model's context window. The client's default leaves room in a
// window smaller than it.
func (c Compaction) at(window int64) int64 {
	if c.Threshold == 0 && c.Mode == CompactClient && window > 0 {
		return min(clientThreshold, window/4*3)
	}
	return c.threshold()
}

// edits returns the context edits to send.
func (s Settings) edits(summarized bool) []Edit {
	es := slices.Clone(s.Edits)
	if s.Compact.Mode == CompactServer {
		e := Edit{Type: CompactEdit, Instructions: strings.TrimSpace(s.Compact.Instructions)}
		if s.Compact.Threshold > 0 {
			e.Trigger = Amount{InputTokens, s.Compact.Threshold}
		}
		es = append(es, e)
	}
	if summarized { // the API refuses such an edit beside a summary on demand
		es = slices.DeleteFunc(es, func(e Edit) bool { return e.Type == CompactEdit })
	}
	return es
}

// compactHere asks the model for a summary and replaces all messages with it.
func (s *Session) compactHere(ctx context.Context, set Settings, c Compacted) error {
	h := s.past()
	c.Mode, c.Threshold, c.Messages = CompactClient, set.Compact.at(s.manager.model(set.Model).MaxInputTokens), len(h.messages)
	if c.Model = set.Compact.Model; c.Model == "" {
		c.Model = set.Model
	}
	s.emit(Event{Kind: Compacting, Compacted: &c})
	h = s.past() // without the dropped answer
	c.Messages = len(h.messages)
	prompt := set.Compact.Instructions
	if strings.TrimSpace(prompt) == "" {
		prompt = summaryPrompt
	}
	r := Request{Model: c.Model, MaxTokens: set.MaxTokens, Messages: append(h.messages, UserText(prompt)), Compacted: h.onDemand, Idle: time.Duration(set.Idle)}
	reply, err := s.try(ctx, func(ctx context.Context) (*Reply, error) {
		if set.Compact.LikeSDK {
			return s.manager.o.API.Ask(ctx, r)
		}
		return s.manager.o.API.Stream(ctx, r, func(Delta) {})
	})
	if err == nil {
		c.Blocks, c.Summary, err = summaryIn(reply.Content, set.Compact.LikeSDK)
	}
	s.compacted(c, reply, err)
	return err
}

// summaryIn returns the answer that replaces the conversation, without the blocks that only an
// assistant message may contain.
func summaryIn(bs []Block, likeSDK bool) ([]Block, string, error) {
	if likeSDK && (len(bs) == 0 || bs[0].Type != TypeText) {
		return nil, "", errNoSummary
	}
	var texts []string
	var kept []Block
	for _, b := range bs {
		if b.Type == TypeText && strings.TrimSpace(b.Text) != "" {
			texts, kept = append(texts, b.Text), append(kept, b)
		}
	}
	if len(kept) == 0 {
		return nil, "", errNoSummary
	}
	if likeSDK {
		kept = bs
	}
	return kept, strings.Join(texts, "\n"), nil
}

// compactByAPI requests a summary of all messages from the API. Messages that arrive meanwhile
// follow the summary.
func (s *Session) compactByAPI(ctx context.Context, set Settings, size int64) {
	r := s.request(set)
	r.Edits, r.Compact = nil, &Summarize{Instructions: strings.TrimSpace(set.Compact.Instructions)}
	c := Compacted{Mode: CompactServer, Model: set.Model, Before: size, Messages: len(r.Messages)}
	if set.Compact.Mode == CompactServer {
		c.Threshold = set.Compact.threshold()
	}
	s.emit(Event{Kind: Compacting, Compacted: &c})
	reply, err := s.try(ctx, func(ctx context.Context) (*Reply, error) {
		return s.manager.o.API.Stream(ctx, r, func(Delta) {})
	})
	if err == nil {
		i := slices.IndexFunc(reply.Content, func(b Block) bool { return b.Type == TypeCompaction && hasSummary(b) })
		if i < 0 || reply.Stop != StopCompaction {
			err = errNoSummary
		} else {
			c.Blocks, c.Summary = reply.Content, reply.Content[i].Text
		}
	}
	s.refused = err != nil
	s.compacted(c, reply, err)
}

// compacted emits the outcome of a compaction.
func (s *Session) compacted(c Compacted, reply *Reply, err error) {
	e := Event{Kind: CompactedNow, Compacted: &c}
	if reply != nil {
		e.Usage = &reply.Usage
	}
	if err != nil {
		e.Failure = failureOf(err)
		if errors.Is(err, errNoSummary) {
			e.Failure.Type = "no_summary"
		}
		c.Blocks, c.After = nil, c.Before
		s.emit(e)
		return
	}
	h := s.past()
	h.compact(c)
	r := s.request(s.settings())
	r.Messages = h.messages
	c.After = Clear(r, s.rate).Tokens
	s.emit(e)
}

// compactedInReply emits the event of a summary that the API made at its threshold. It is part
// of the reply; the API ignores everything before it.
func (s *Session) compactedInReply(reply *Reply) {
	i := slices.IndexFunc(reply.Content, func(b Block) bool { return b.Type == TypeCompaction })
	if i < 0 {
		return
	}
	set := s.settings()
	c := Compacted{Mode: CompactServer, Model: set.Model, Threshold: set.Compact.threshold(), InReply: true, Messages: len(s.past().messages) - 1}
	for _, it := range reply.Usage.Iterations {
		if it.Type == TypeCompaction {
			c.Before = it.Input + it.CacheCreation + it.CacheRead
		}
	}
	e := Event{Kind: CompactedNow, Compacted: &c}
	if hasSummary(reply.Content[i]) {
		c.Summary, c.After = reply.Content[i].Text, reply.Usage.Prompt()
	} else {
		e.Failure, c.After = &Failure{Type: "no_summary", Message: errNoSummary.Error()}, c.Before
	}
	s.emit(e)
}

// compactLikeSDK does the client-side compaction of the TypeScript SDK before 0.128.0: after
// each answer, before its calls are run and before it enters the history. So the answer is
// lost, and a failure ends the run.
func (s *Session) compactLikeSDK(ctx context.Context, reply *Reply) (lost bool, reason string) {
	set := s.settings()
	c := set.Compact
	u := reply.Usage
	total := u.Input + u.CacheCreation + u.CacheRead + u.Output
	if c.Mode != CompactClient || !c.LikeSDK || total < c.threshold() {
		return false, ""
	}
	if err := s.compactHere(ctx, set, Compacted{Before: total, Lost: true}); err != nil {
		return true, err.Error()
	}
	return true, ""
}
