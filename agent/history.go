package agent

import (
	"encoding/json"
	"slices"
	"strings"
)

// history is the conversation as it is sent, derived from the session's events alone, so a
// stored conversation yields the same messages as a live one. Messages that were handed out
// are never modified.
type history struct {
	messages []Message
	front    int     // number of messages at the front that are a summary, which nothing is appended to
	onDemand bool    // the summary was made by the API on demand
	blocks   []Block // finished blocks of the current turn
	sent     bool    // a turn is in progress
	open     []Block // calls of the last answer, while one of them is unanswered
	results  map[string]Block
	size     int64 // tokens of the last prompt and its answer; 0 after a compaction
}

// take applies an event. Live events change nothing.
func (h *history) take(e Event) {
	switch e.Kind {
	case Prompted:
		h.push(TextBlock(e.Text))
	case Sent:
		h.blocks, h.sent = nil, true
	case BlockEnded:
		if e.Block != nil {
			h.blocks = append(h.blocks, *e.Block)
		}
	case Retrying:
		h.blocks = nil
	case Replied:
		h.answer(h.blocks)
		if e.Usage != nil {
			h.size = e.Usage.Prompt() + e.Usage.Output
		}
	case Broken:
		h.answer(partToKeep(h.blocks, e.Text))
	case Answered:
		h.result(e)
	case Compacting:
		if e.Compacted != nil && e.Compacted.Lost {
			h.dropAnswer()
		}
	case CompactedNow:
		if e.Compacted != nil && e.Failure == nil {
			h.compact(*e.Compacted)
		}
	}
}

// push appends to the last user message, or begins a new one.
func (h *history) push(bs ...Block) {
	n := len(h.messages)
	if n <= h.front || h.messages[n-1].Role != "user" {
		h.messages = append(h.messages, Message{Role: "user", Content: bs})
		return
	}
	m := Message{Role: "user", Content: slices.Concat(h.messages[n-1].Content, bs)}
	h.messages = append(slices.Clip(h.messages[:n-1]), m)
}

// answer appends the model's answer. The API would refuse a message without content.
func (h *history) answer(bs []Block) {
	h.blocks, h.sent = nil, false
	bs = slices.DeleteFunc(slices.Clone(bs), func(b Block) bool { return !sendable(b) })
	if len(bs) == 0 {
		return
	}
	h.messages = append(h.messages, Message{Role: "assistant", Content: bs})
	h.open, h.results = nil, map[string]Block{}
	for _, b := range bs {
		if b.Type == TypeToolUse {
			h.open = append(h.open, b)
		}
	}
}

// sendable reports whether the API accepts a block back: it refuses blank texts, and a
// truncated input is not valid JSON.
func sendable(b Block) bool {
	return json.Valid(b.raw) && (b.Type != TypeText || strings.TrimSpace(b.Text) != "")
}

// partToKeep returns the part of a truncated answer to keep: the finished blocks and an unfinished
// text. The answer must not end with thinking.
func partToKeep(bs []Block, unfinished string) []Block {
	if strings.TrimSpace(unfinished) != "" {
		return append(slices.Clone(bs), TextBlock(unfinished))
	}
	for len(bs) > 0 && isThinking(bs[len(bs)-1]) {
		bs = bs[:len(bs)-1]
	}
	return bs
}

// result records the result of a call. When all calls are answered, the results form one
// message, in the order of the calls.
func (h *history) result(e Event) {
	if !slices.ContainsFunc(h.open, func(b Block) bool { return b.ID == e.ToolUse }) {
		return
	}
	h.results[e.ToolUse] = ResultBlock(e.ToolUse, e.Text, e.IsError)
	var all []Block
	for _, b := range h.open {
		r, ok := h.results[b.ID]
		if !ok {
			return
		}
		all = append(all, r)
	}
	h.open, h.results = nil, nil
	h.push(all...)
}

// unanswered returns the calls without a result.
func (h *history) unanswered() (out []Block) {
	for _, b := range h.open {
		if _, ok := h.results[b.ID]; !ok {
			out = append(out, b)
		}
	}
	return out
}

func (h *history) dropAnswer() {
	if n := len(h.messages); n > 0 && h.messages[n-1].Role == "assistant" {
		h.messages = slices.Clip(h.messages[:n-1])
	}
	h.open, h.results = nil, nil
}

// compact replaces exactly the messages that a summary was made of.
func (h *history) compact(c Compacted) {
	if c.InReply {
		return
	}
	n := min(c.Messages, len(h.messages))
	m := Message{Role: "user", Content: c.Blocks}
	if h.onDemand = c.Mode == CompactServer; h.onDemand {
		m.Role = "assistant"
	}
	h.messages = slices.Concat([]Message{m}, h.messages[n:])
	h.front, h.size = 1, 0
}

// lastCompaction returns where the API begins to read: at the last summary.
func lastCompaction(ms []Message) Place {
	for i := len(ms) - 1; i >= 0; i-- {
		for j, b := range slices.Backward(ms[i].Content) {
			if b.Type == TypeCompaction && hasSummary(b) {
				return Place{i, j}
			}
		}
	}
	return Place{}
}

// hasSummary reports whether a compaction block contains a summary. Null content means that
// none could be made.
func hasSummary(b Block) bool { return b.Text != "" }
