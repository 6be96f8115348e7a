package script

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memend/memend/agent"
)

// The threshold of compact_20260112.
const (
	compactDefault = 150_000
	compactMin     = 50_000
)

// compactOnDemand replies with a summary alone. Its cost is reported in the iterations.
func (s *Server) compactOnDemand(out *reply, r agent.Request, at place, c Conversation) {
	block := s.summary(r.Messages, at, c, true)
	out.blocks, out.stop, out.edits = []agent.Block{block}, agent.StopCompaction, false
	prompt := agent.Clear(agent.Request{System: r.System, Messages: afterSummary(r.Messages)}, s.o.TokensPerByte)
	out.usage.Iterations = []agent.Iteration{{Type: "compaction", Input: prompt.Tokens, Output: s.tokensOf(out.blocks)}}
}

// compactAtThreshold puts a summary at the start of a reply if the prompt exceeds the threshold, and reports whether the reply
// ends with it. The model then sees the summary instead of everything before it.
func (s *Server) compactAtThreshold(out *reply, r *agent.Request, seen *agent.Cleared, at place, c Conversation) (paused bool) {
	for _, e := range r.Edits {
		trigger := int64(compactDefault)
		if e.Trigger.Value > 0 {
			trigger = e.Trigger.Value
		}
		if e.Type != agent.CompactEdit || seen.Tokens <= trigger {
			continue
		}
		block := s.summary(r.Messages, at, c, false)
		out.blocks = []agent.Block{block}
		out.usage.Iterations = []agent.Iteration{{Type: "compaction", Input: seen.Tokens, Output: s.tokensOf(out.blocks)}}
		if e.PauseAfter {
			out.stop = agent.StopCompaction
			return true
		}
		short := *r
		short.Edits, short.Messages = nil, []agent.Message{{Role: "assistant", Content: out.blocks}}
		*seen = agent.Clear(short, s.o.TokensPerByte)
	}
	return false
}

// summary returns a compaction block that encodes its position in the script.
func (s *Server) summary(ms []agent.Message, at place, c Conversation, signed bool) agent.Block {
	text := c.Summary
	if text == "" {
		text = summarise(ms)
	}
	m := map[string]any{"type": agent.TypeCompaction, "content": text, "encrypted_content": at.seal()}
	if signed {
		m["signature"] = sign(text)
	}
	b, _ := agent.ParseBlock(marshal(m)) // never fails: strings
	return b
}

// isSummary reports whether a client requests a summary by an ordinary prompt: without tools, not streamed, and either in
// known words or at the end of a conversation.
func (b *body) isSummary() bool {
	if len(b.Tools) > 0 || b.Compaction != nil || len(b.Messages) == 0 {
		return false
	}
	last := b.Messages[len(b.Messages)-1]
	n := len(last.Content)
	if last.Role != "user" || n == 0 || last.Content[n-1].Type != agent.TypeText {
		return false
	}
	return len(b.Messages) > 1 || strings.Contains(strings.ToLower(last.Content[n-1].Text), "summar")
}

// summarizeForClient replies to such a request, whose prompt does not count as one of the person.
func (s *Server) summarizeForClient(r agent.Request) *reply {
	ms := r.Messages
	last := ms[len(ms)-1]
	before := append([]agent.Message{}, ms[:len(ms)-1]...)
	if n := len(last.Content); n > 1 {
		before = append(before, agent.Message{Role: last.Role, Content: last.Content[:n-1]})
	}
	at, c := s.locate(r.Model, before)
	text := c.Summary
	if text == "" {
		text = summarise(before)
	}
	text = fmt.Sprintf("<summary>\n%s\n\n(Scripted; place in the script: %s)\n</summary>", text, at)
	out := &reply{model: r.Model, id: "msg_" + mark(at, len(ms), -2), stop: "end_turn", blocks: []agent.Block{agent.TextBlock(text)}}
	out.try = s.tried(place{name: "summary of " + at.name, prompt: at.prompt, turn: at.turn}, len(ms))
	if out.try < len(s.o.SummaryFaults) {
		out.turn.Faults = append(make([]Fault, out.try), s.o.SummaryFaults[out.try])
	}
	s.charge(out, r, agent.Clear(r, s.o.TokensPerByte))
	return out
}

// summarise returns a summary of what was asked and done, for scripts without one of their own.
func summarise(ms []agent.Message) string {
	var b strings.Builder
	b.WriteString("What was asked and done so far.\n")
	failed := map[string]bool{}
	for _, m := range ms {
		for _, block := range m.Content {
			if block.Type == agent.TypeToolResult && block.IsError {
				failed[block.ID] = true
			}
		}
	}
	for _, m := range ms {
		for _, block := range m.Content {
			switch {
			case block.Type == agent.TypeCompaction:
				fmt.Fprintf(&b, "- Before: %s\n", block.Text)
			case block.Type == agent.TypeText && m.Role == "user":
				fmt.Fprintf(&b, "- Asked: %s\n", placeForm().ReplaceAllString(block.Text, ""))
			case block.Type == agent.TypeToolUse:
				fmt.Fprintf(&b, "- %s%s\n", did(block), map[bool]string{true: " (refused)"}[failed[block.ID]])
			}
		}
	}
	return strings.TrimSpace(b.String())
}

// did describes a call: "create /memories/a.md".
func did(b agent.Block) string {
	var in struct{ Command, Path, Old string }
	var from struct {
		Old string `json:"old_path"`
		New string `json:"new_path"`
	}
	_ = json.Unmarshal(b.Input, &in)
	_ = json.Unmarshal(b.Input, &from)
	if from.Old != "" {
		return in.Command + " " + from.Old + " to " + from.New
	}
	if in.Command == "" {
		return b.Name
	}
	return in.Command + " " + in.Path
}
