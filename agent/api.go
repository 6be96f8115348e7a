package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// API is the Messages API as the loop needs it. Package messages satisfies it.
// It does not retry: the loop does, where a person sees it.
type API interface {
	// Stream sends a request and tells what comes as it comes, in order, from the
	// goroutine that called it. With a nil error the reply is whole: message_stop came.
	// With an error the reply is what had come till then, or nil.
	Stream(ctx context.Context, r Request, tell func(Delta)) (*Reply, error)
	// Ask sends a request and waits for the whole reply.
	Ask(ctx context.Context, r Request) (*Reply, error)
	// Count asks how many tokens the prompt of a request has.
	Count(ctx context.Context, r Request) (Count, error)
	// Models lists the models that there are, the newest first.
	Models(ctx context.Context) ([]Model, error)
}

// Request is one request. What is zero is not sent.
type Request struct {
	Model     string
	MaxTokens int
	System    string
	Memory    bool // the memory tool is offered
	Thinking  bool // adaptive
	Messages  []Message
	Edits     []Edit     // of the context, in the order in which they are sent
	Compact   *Summarize // on demand: the reply is the summary of all messages
	Compacted bool       // the messages begin with the summary of a compaction on demand
	Cache     bool       // the API keeps the prompt, so that the next that begins like it costs less

	Idle time.Duration // how long Stream waits for a byte before it gives up with ErrStalled; 0: for ever. It is not sent
}

// Summarize asks for a compaction on demand (beta compact-2026-09-04).
type Summarize struct {
	Instructions string // in the place of the API's own; blank: the API's own
}

// Reply is one answer of the model.
type Reply struct {
	ID      string
	Model   string
	Content []Block // those that are finished
	Partial *Block  // what had come of a block that is not: only of a text, in a reply that failed
	Stop    string  // the API's stop_reason; empty when the reply is not whole
	Usage   Usage
	Applied []AppliedEdit // context edits, of this request alone: the next says all of them again

	Explanation string // of the stop reason, where the API gives one: of a refusal
}

// The stop reasons after which the loop goes on.
const (
	StopToolUse    = "tool_use"
	StopPauseTurn  = "pause_turn"
	StopCompaction = "compaction"
)

// Message is the reply as it is sent back.
func (r *Reply) Message() Message { return Message{Role: "assistant", Content: r.Content} }

// Usage is what a request cost, in tokens. The input side has three parts, which
// add up.
type Usage struct {
	Input         int64       `json:"input_tokens"`
	CacheCreation int64       `json:"cache_creation_input_tokens,omitempty"`
	CacheRead     int64       `json:"cache_read_input_tokens,omitempty"`
	Output        int64       `json:"output_tokens"`
	Iterations    []Iteration `json:"iterations,omitempty"`
}

// Iteration is one sampling of the model within a request.
type Iteration struct {
	Type          string `json:"type"` // message, compaction, …
	Input         int64  `json:"input_tokens"`
	CacheCreation int64  `json:"cache_creation_input_tokens,omitempty"`
	CacheRead     int64  `json:"cache_read_input_tokens,omitempty"`
	Output        int64  `json:"output_tokens"`
}

// Prompt is the size of the prompt that the model saw last. Where the API says what
// its inner calls cost, that is the last message's: a cache that is read by each of
// them counts once.
func (u Usage) Prompt() int64 {
	for i := len(u.Iterations) - 1; i >= 0; i-- {
		if it := u.Iterations[i]; it.Type == "message" {
			return it.Input + it.CacheCreation + it.CacheRead
		}
	}
	return u.Input + u.CacheCreation + u.CacheRead
}

// Add adds what another request cost.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheCreation += o.CacheCreation
	u.CacheRead += o.CacheRead
	u.Output += o.Output
	for _, it := range o.Iterations {
		if it.Type == TypeCompaction { // the figures above leave it out
			u.Input += it.Input
			u.CacheCreation += it.CacheCreation
			u.CacheRead += it.CacheRead
			u.Output += it.Output
		}
	}
}

// Total is all of it: what was read and what was written.
func (u Usage) Total() int64 { return u.Input + u.CacheCreation + u.CacheRead + u.Output }

// AppliedEdit is what one context edit cleared for one request.
type AppliedEdit struct {
	Type          string          `json:"type"`
	ToolUses      int64           `json:"cleared_tool_uses,omitempty"`
	ThinkingTurns int64           `json:"cleared_thinking_turns,omitempty"`
	InputTokens   int64           `json:"cleared_input_tokens,omitempty"`
	Raw           json.RawMessage `json:"-"` // as it came, of an edit that this package doesn't know
}

// Count is the size of a prompt in tokens.
type Count struct {
	Tokens   int64
	Original int64 // before the context edits; Tokens when there were none
}

// Model is a model and what it can do. What the API didn't say is zero.
type Model struct {
	ID             string
	Name           string
	MaxInputTokens int64
	ClearToolUses  bool
	ClearThinking  bool
	ServerCompact  bool // at a threshold
	Summarizes     bool // on demand
	KnowsContext   bool // the first three of these four were said
}

// DeltaKind says what a Delta brings.
type DeltaKind int

const (
	MessageStarted DeltaKind = iota + 1 // Usage: of the input side
	BlockStarted                        // Type, and of a tool_use ID and Name
	TextAdded                           // Text, of a text or a thinking
	InputAdded                          // Text: a piece of a tool_use's input, cut anywhere
	BlockFinished                       // Block
)

// Delta is a piece of a reply that is on its way.
type Delta struct {
	Kind  DeltaKind
	Index int    // of the block in the reply
	Type  string // of the block
	ID    string
	Name  string
	Text  string
	Block Block
	Usage Usage
}

// Failures that are not the API's answer.
var (
	ErrCut           = errors.New("the reply ended before it was whole")
	ErrStalled       = errors.New("nothing came for too long")
	ErrNoCredentials = errors.New("no credentials for the Messages API")
)

var errUnknownOption = errors.New("no such option")

// Failure is an error that the API answered with, before the stream or within it.
type Failure struct {
	Type       string        `json:"type"`             // the API's error.type: rate_limit_error, …
	Status     int           `json:"status,omitempty"` // of HTTP; 0 within the stream
	Message    string        `json:"message"`
	RequestID  string        `json:"request_id,omitempty"`
	RetryAfter time.Duration `json:"-"` // what the API asked for
}

// Error says what the API said.
func (f *Failure) Error() string {
	s := f.Type
	if f.Status != 0 {
		s = fmt.Sprintf("%d %s", f.Status, f.Type)
	}
	if f.Message != "" {
		s += ": " + f.Message
	}
	return s
}
