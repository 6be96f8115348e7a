package messages

import (
	"encoding/json"
	"fmt"

	"github.com/memend/memend/agent"
)

// event is a stream event, with the fields that are used.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message *message        `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   delta           `json:"delta"`
	Usage   *usage          `json:"usage"`
	Context *contextEdits   `json:"context_management"`
	Error   apiError        `json:"error"`
	Request string          `json:"request_id"`
}

// delta is what an event adds to a block, or reports about the message at its end.
type delta struct {
	Type      string          `json:"type"`
	Text      json.RawMessage `json:"text"` // a string, as are the next two: see partialBlock.join
	Thinking  json.RawMessage `json:"thinking"`
	Signature json.RawMessage `json:"signature"` // a string; null is possible in a compaction
	Input     json.RawMessage `json:"partial_json"`
	Citation  json.RawMessage `json:"citation"`
	Stop      string          `json:"stop_reason"`
	Details   *stopDetails    `json:"stop_details"`
}

// stopDetails explains why a reply ended: for a refusal, what was refused.
type stopDetails struct {
	Explanation string `json:"explanation"`
}

func (d *stopDetails) explanation() string {
	if d == nil {
		return ""
	}
	return d.Explanation
}

// message is a message of the API; it contains its content only in a reply that isn't streamed.
type message struct {
	ID      string            `json:"id"`
	Model   string            `json:"model"`
	Content []json.RawMessage `json:"content"`
	Stop    string            `json:"stop_reason"`
	Details *stopDetails      `json:"stop_details"`
	Usage   *usage            `json:"usage"`
	Context *contextEdits     `json:"context_management"`
}

type contextEdits struct {
	Applied []json.RawMessage `json:"applied_edits"`
}

// usage has pointers because an absent value keeps the previous one.
type usage struct {
	Input         *int64            `json:"input_tokens"`
	CacheCreation *int64            `json:"cache_creation_input_tokens"`
	CacheRead     *int64            `json:"cache_read_input_tokens"`
	Output        *int64            `json:"output_tokens"`
	Iterations    []agent.Iteration `json:"iterations"`
}

// over replaces earlier counts. The counts of a stream are totals of the message so far and are never summed.
func (u *usage) over(out *agent.Usage) {
	if u == nil {
		return
	}
	set := func(to *int64, from *int64) {
		if from != nil {
			*to = *from
		}
	}
	set(&out.Input, u.Input)
	set(&out.CacheCreation, u.CacheCreation)
	set(&out.CacheRead, u.CacheRead)
	set(&out.Output, u.Output)
	if u.Iterations != nil {
		out.Iterations = u.Iterations
	}
}

// applied returns the context edits that the API reports, with the raw form of unknown ones.
func (c *contextEdits) applied() ([]agent.AppliedEdit, error) {
	if c == nil || len(c.Applied) == 0 {
		return nil, nil
	}
	out := make([]agent.AppliedEdit, len(c.Applied))
	for i, raw := range c.Applied {
		if err := json.Unmarshal(raw, &out[i]); err != nil {
			return nil, fmt.Errorf("applied edit: %w", err)
		}
		if t := out[i].Type; t != agent.ClearToolUses && t != agent.ClearThinking {
			out[i].Raw = raw
		}
	}
	return out, nil
}

// parseReply decodes a reply that isn't streamed.
func parseReply(raw []byte) (*agent.Reply, error) {
	var m message
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("reply: %w", err)
	}
	if m.Stop == "" {
		return nil, agent.ErrCut
	}
	r := &agent.Reply{ID: m.ID, Model: m.Model, Stop: m.Stop, Explanation: m.Details.explanation()}
	m.Usage.over(&r.Usage)
	for _, raw := range m.Content {
		b, err := agent.ParseBlock(raw)
		if err != nil {
			return nil, err
		}
		r.Content = append(r.Content, b)
	}
	var err error
	r.Applied, err = m.Context.applied()
	return r, err
}
