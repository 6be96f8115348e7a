package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// API is the part of the Messages API that a session needs. Package messages implements it.
// It does not retry: the session does, so that a person sees it.
type API interface {
	// Stream sends a request and passes the parts of the reply to report as they arrive, in
	// order, on the calling goroutine. With a nil error the reply is complete: message_stop
	// arrived. With an error the reply is what arrived before it, or nil.
	Stream(ctx context.Context, r Request, report func(Delta)) (*Reply, error)
	// Ask sends a request and waits for the whole reply.
	Ask(ctx context.Context, r Request) (*Reply, error)
	// Models lists the available models, the newest first.
	Models(ctx context.Context) ([]Model, error)
}

// Request is one request to the Messages API. Zero fields are not sent.
type Request struct {
	Model     string
	MaxTokens int
	System    string
	Memory    bool // offer the memory tool
	Thinking  bool // adaptive thinking
	Messages  []Message
	Edits     []Edit     // context edits, in the order in which they are sent
	Compact   *Summarize // on demand: the reply is the summary of all messages
	Compacted bool       // the messages begin with the summary of a compaction on demand
	Cache     bool       // let the API cache the prompt, so that the next one with the same beginning costs less

	Idle time.Duration // how long Stream waits for a byte before it fails with ErrStalled; 0: no limit. Not sent
}

// Summarize requests a compaction on demand (beta compact-2026-09-04).
type Summarize struct {
	Instructions string // instead of the API's own; blank: the API's own
}

// Reply is one reply of the model.
type Reply struct {
	ID      string
	Model   string
	Content []Block // the finished blocks
	Partial *Block  // an unfinished text block of a failed reply
	Stop    string  // the API's stop_reason; empty when the reply is incomplete
	Usage   Usage
	Applied []AppliedEdit // context edits of this request alone: the next reply lists all of them again

	Explanation string // of the stop reason, if the API gives one, for example of a refusal
}

// The stop reasons after which the session continues.
const (
	StopToolUse    = "tool_use"
	StopPauseTurn  = "pause_turn"
	StopCompaction = "compaction"
)

// Message returns the reply in the form in which it is sent back.
func (r *Reply) Message() Message { return Message{Role: "assistant", Content: r.Content} }

// Usage is the cost of a request in tokens. The three parts of the input add up.
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

// Prompt returns the size of the prompt that the model saw last. If the API reports its inner
// iterations, that is the last message's prompt: otherwise a cache read by every iteration
// would count several times.
func (u Usage) Prompt() int64 {
	for i := len(u.Iterations) - 1; i >= 0; i-- {
		if it := u.Iterations[i]; it.Type == "message" {
			return it.Input + it.CacheCreation + it.CacheRead
		}
	}
	return u.Input + u.CacheCreation + u.CacheRead
}

// Add adds the cost of another request.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.CacheCreation += o.CacheCreation
	u.CacheRead += o.CacheRead
	u.Output += o.Output
	for _, it := range o.Iterations {
		if it.Type == TypeCompaction { // not included in the figures above
			u.Input += it.Input
			u.CacheCreation += it.CacheCreation
			u.CacheRead += it.CacheRead
			u.Output += it.Output
		}
	}
}

// Total returns the sum of all input and output tokens.
func (u Usage) Total() int64 { return u.Input + u.CacheCreation + u.CacheRead + u.Output }

// AppliedEdit is what one context edit cleared in one request.
type AppliedEdit struct {
	Type          string          `json:"type"`
	ToolUses      int64           `json:"cleared_tool_uses,omitempty"`
	ThinkingTurns int64           `json:"cleared_thinking_turns,omitempty"`
	InputTokens   int64           `json:"cleared_input_tokens,omitempty"`
	Raw           json.RawMessage `json:"-"` // as received, for an edit that this package doesn't know
}

// Model is a model and its capabilities. What the API did not report is zero.
type Model struct {
	ID             string
	Name           string
	MaxInputTokens int64
	ClearToolUses  bool
	ClearThinking  bool
	ServerCompact  bool // at a threshold
	Summarizes     bool // on demand
	KnowsContext   bool // the API reported the first three of these four
}

// DeltaKind is the kind of a Delta.
type DeltaKind int

const (
	MessageStarted DeltaKind = iota + 1 // Usage: of the input
	BlockStarted                        // Type; for a tool_use also ID and Name
	TextAdded                           // Text of a text or thinking block
	InputAdded                          // Text: a fragment of a tool_use's input
	BlockFinished                       // Block
)

// Delta is a piece of a streamed reply.
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

// Errors that are not a response of the API.
var (
	ErrCut           = errors.New("the stream ended before the reply was complete")
	ErrStalled       = errors.New("the API sent nothing for too long")
	ErrNoCredentials = errors.New("no credentials for the Messages API")
)

var errUnknownOption = errors.New("no such option")

// Failure is an error that the API returned, before the stream or within it.
type Failure struct {
	Type       string        `json:"type"`             // the API's error.type: rate_limit_error, …
	Status     int           `json:"status,omitempty"` // of HTTP; 0 within the stream
	Message    string        `json:"message"`
	RequestID  string        `json:"request_id,omitempty"`
	RetryAfter time.Duration `json:"-"` // the delay that the API asked for
}

// Error returns what the API reported.
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
