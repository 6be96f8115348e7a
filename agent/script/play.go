package script

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"

	"github.com/memend/memend/agent"
)

// reply is a reply before it is written.
type reply struct {
	id      string
	model   string
	blocks  []agent.Block
	stop    string
	usage   agent.Usage
	applied []agent.AppliedEdit
	edits   bool // the request had edits: the reply lists the applied ones, even if there are none

	turn Turn
	try  int
}

// play computes the reply to a validated request.
func (s *Server) play(b *body) (*reply, *refusal) {
	r := b.request()
	if b.isSummary() {
		return s.summarizeForClient(r), nil
	}
	at, c := s.locate(r.Model, r.Messages)
	out := &reply{model: r.Model, edits: len(r.Edits) > 0, id: "msg_" + mark(at, len(r.Messages), -1)}
	if r.Compact != nil {
		s.compactOnDemand(out, r, at, c)
		return out, nil
	}
	r.Messages = afterSummary(r.Messages)
	seen := agent.Clear(r, s.o.TokensPerByte)
	out.applied = seen.Applied
	if size := s.window(r.Model); size > 0 && seen.Tokens > size {
		return nil, invalid("prompt is too long: %d tokens > %d maximum", seen.Tokens, size)
	}
	if !s.compactAtThreshold(out, &r, &seen, at, c) {
		out.try = s.tried(at, len(r.Messages))
		out.turn = s.turn(Request{Request: r, Prompt: at.text, Prompts: at.prompt, Turn: at.turn, Try: out.try, Tools: b.toolNames()}, at, c)
		if bad := s.say(out, r, at); bad != nil {
			return nil, bad
		}
	}
	s.pauses(out)
	s.charge(out, r, seen)
	return out, nil
}

// afterSummary returns the messages that the model sees: from the last summary on.
func afterSummary(ms []agent.Message) []agent.Message {
	for i, m := range slices.Backward(ms) {
		for j, b := range slices.Backward(m.Content) {
			if b.Type == agent.TypeCompaction && b.Text != "" {
				return append([]agent.Message{{Role: m.Role, Content: m.Content[j:]}}, ms[i+1:]...)
			}
		}
	}
	return ms
}

// turn returns the next turn of the script, after all reactions.
func (s *Server) turn(r Request, at place, c Conversation) Turn {
	t := s.otherwise(r, c)
	if at.entry >= 0 && at.entry < len(c.Prompts) {
		turns := c.Prompts[at.entry].Turns
		if at.turn < len(turns) {
			t = turns[at.turn]
		} else {
			t = Turn{Blocks: []Block{Say("That is all that is written in this script.")}}
		}
	}
	for t.React != nil {
		t = t.React(r)
	}
	return t
}

// otherwise returns the reply to a prompt that no script answers, which says so.
func (s *Server) otherwise(r Request, c Conversation) Turn {
	if s.o.Otherwise != nil {
		return s.o.Otherwise(r)
	}
	text := "I am a scripted agent: I play what was written for me and can't answer anything else. Nothing was sent to a model."
	if known := c.known(); len(known) > 0 {
		text += " Ask me this: “" + strings.Join(known, "”, “") + "”."
	}
	return Turn{Blocks: []Block{Say(text)}}
}

// say puts the turn's blocks into a reply, cut off at max_tokens.
func (s *Server) say(out *reply, r agent.Request, at place) *refusal {
	room := int(float64(r.MaxTokens) / s.o.TokensPerByte)
	stop := "end_turn"
	for i, b := range out.turn.Blocks {
		raw := b.whole("toolu_" + mark(at, len(r.Messages), i))
		if room -= len(raw); room < 0 {
			stop = "max_tokens"
			if b.kind != agent.TypeText || len(b.text)+room <= 0 {
				break
			}
			raw = Say(strings.ToValidUTF8(b.text[:len(b.text)+room], "")).whole("")
		}
		block, err := agent.ParseBlock(raw)
		if err != nil {
			return &refusal{http.StatusInternalServerError, "api_error", fmt.Sprintf("the script is invalid at %s: %v", at, err)}
		}
		if block.Type == agent.TypeToolUse && stop == "end_turn" {
			stop = agent.StopToolUse
		}
		out.blocks = append(out.blocks, block)
		if room < 0 {
			break
		}
	}
	if out.turn.Stop != "" && stop != "max_tokens" {
		stop = out.turn.Stop
	}
	out.stop = stop
	return nil
}

// mark returns an id that is the same whenever the same turn is played, and unique within a conversation.
func mark(at place, messages, block int) string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %d", at, messages, block)
	return fmt.Sprintf("scripted%016x", h.Sum64())
}
