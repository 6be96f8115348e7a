package script

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/memend/memend/agent"
)

// Request is what a turn may react to.
type Request struct {
	agent.Request
	Prompt  string   // the person's last prompt, if it is in the request
	Prompts int      // number of prompts before it
	Turn    int      // index of the turn that answers it
	Try     int      // number of earlier requests for this turn
	Tools   []string // names of the tools that the client offers
}

// Results returns the results of the last turn's calls.
func (r Request) Results() (out []agent.Block) {
	if len(r.Messages) == 0 {
		return nil
	}
	for _, b := range r.Messages[len(r.Messages)-1].Content {
		if b.Type == agent.TypeToolResult {
			out = append(out, b)
		}
	}
	return out
}

// Failed returns the text of the last turn's first failed memory tool call, or "".
func (r Request) Failed() string {
	for _, b := range r.Results() {
		if b.IsError {
			return b.Text
		}
	}
	return ""
}

// body is a decoded request.
type body struct {
	Model      string                     `json:"model"`
	MaxTokens  *int                       `json:"max_tokens"`
	Stream     bool                       `json:"stream"`
	System     json.RawMessage            `json:"system"`
	Messages   []message                  `json:"messages"`
	Tools      []json.RawMessage          `json:"tools"`
	ToolChoice struct{ Type string }      `json:"tool_choice"`
	Thinking   struct{ Type string }      `json:"thinking"`
	Context    *contextEdits              `json:"context_management"`
	Compaction *compaction                `json:"compaction"`
	Cache      json.RawMessage            `json:"cache_control"`
	Stops      []string                   `json:"stop_sequences"`
	Format     json.RawMessage            `json:"output_format"`
	Output     map[string]json.RawMessage `json:"output_config"`
	Thread     json.RawMessage            `json:"thread"`

	Temperature json.RawMessage `json:"temperature"`
	TopP        json.RawMessage `json:"top_p"`
	TopK        json.RawMessage `json:"top_k"`

	version string
	betas   []string
	edits   []agent.Edit
	paused  func(agent.Block) bool // reports whether a turn that ended with this block was paused
}

type contextEdits struct {
	Edits []json.RawMessage `json:"edits"`
}

type compaction struct {
	Type         string `json:"type"`
	Instructions string `json:"instructions"`
}

// message is a message whose content may be a string.
type message agent.Message

// UnmarshalJSON decodes both forms.
func (m *message) UnmarshalJSON(raw []byte) error {
	var f struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(raw, &f); err != nil {
		return err
	}
	m.Role = f.Role
	var text string
	if json.Unmarshal(f.Content, &text) == nil {
		m.Content = []agent.Block{agent.TextBlock(text)}
		return nil
	}
	return json.Unmarshal(f.Content, &m.Content)
}

// parse decodes a request without validating it.
func parse(h http.Header, raw []byte) (*body, error) {
	b := &body{version: h.Get("anthropic-version")}
	if err := json.Unmarshal(raw, b); err != nil {
		return nil, fmt.Errorf("the request body is not valid: %w", err)
	}
	for _, v := range h.Values("anthropic-beta") {
		for name := range strings.SplitSeq(v, ",") {
			b.betas = append(b.betas, strings.TrimSpace(name))
		}
	}
	b.Messages = combine(b.Messages)
	return b, nil
}

// combine joins consecutive messages of the same role, as the API does.
func combine(in []message) (out []message) {
	for _, m := range in {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Content = slices.Concat(out[n-1].Content, m.Content)
			continue
		}
		out = append(out, m)
	}
	return out
}

// toolNames returns the names of the tools.
func (b *body) toolNames() (out []string) {
	for _, raw := range b.Tools {
		var tool struct{ Name string }
		if json.Unmarshal(raw, &tool) == nil && tool.Name != "" {
			out = append(out, tool.Name)
		}
	}
	return out
}

func (b *body) has(beta string) bool { return slices.Contains(b.betas, beta) }

// request returns the request for the rest of the package: the tools' own prompt counts as part of the system prompt.
func (b *body) request() agent.Request {
	r := agent.Request{Model: b.Model, System: b.system(), Edits: b.edits, Thinking: b.thinks(), Cache: b.caches()}
	if b.MaxTokens != nil {
		r.MaxTokens = *b.MaxTokens
	}
	for _, m := range b.Messages {
		r.Messages = append(r.Messages, agent.Message(m))
	}
	for _, t := range b.Tools {
		r.System += string(t)
		r.Memory = r.Memory || strings.Contains(string(t), `memory_20250818`)
	}
	if b.Compaction != nil {
		r.Compact = &agent.Summarize{Instructions: b.Compaction.Instructions}
	}
	return r
}

func (b *body) thinks() bool { return b.Thinking.Type == "adaptive" || b.Thinking.Type == "enabled" }

func (b *body) caches() bool { return len(b.Cache) > 0 && string(b.Cache) != "null" }

func (b *body) system() string {
	var text string
	if len(b.System) == 0 || json.Unmarshal(b.System, &text) == nil {
		return text
	}
	var blocks []struct{ Text string }
	_ = json.Unmarshal(b.System, &blocks)
	for _, t := range blocks {
		text += t.Text
	}
	return text
}
