package agent

import (
	"encoding/json"
	"slices"
)

// Placeholder replaces a tool result that was cleared. The API's own text is not documented.
const Placeholder = "[tool result cleared]"

// defaultTokensPerByte is used for estimates until a reply shows the real ratio.
const defaultTokensPerByte = 0.25

// Cleared is a request after its context edits, as simulated here: by the documented rules,
// and by the choices noted in this file where those are silent. The scripted API and previews
// use it; its figures are estimates.
type Cleared struct {
	Messages []Message // as the model sees them; the request's own messages are unchanged
	Applied  []AppliedEdit
	ToolUses []string // calls whose results are cleared, the oldest first
	Inputs   []string // those of them whose inputs are cleared too
	Thinking []Place  // cleared thinking blocks
	Tokens   int64    // of the prompt after clearing
	Original int64    // of the prompt before clearing
}

// Place is the position of a block in a request.
type Place struct{ Message, Block int }

// Clear simulates what the context edits of a request clear. With tokensPerByte 0 it counts
// four bytes as a token. Unknown edits and compaction change nothing.
func Clear(r Request, tokensPerByte float64) Cleared {
	if tokensPerByte <= 0 {
		tokensPerByte = defaultTokensPerByte
	}
	c := clearing{r: r, rate: tokensPerByte, gone: map[Place]Block{}}
	c.out.Original = c.tokens(promptBytes(r))
	for _, e := range r.Edits { // in order: the API requires thinking first
		var a *AppliedEdit
		switch e.Type {
		case ClearThinking:
			a = c.thinking(e)
		case ClearToolUses:
			a = c.toolUses(e)
		}
		if a != nil {
			c.out.Applied = append(c.out.Applied, *a)
		}
	}
	c.out.Messages = c.messages()
	c.out.Tokens = c.out.Original - c.saved
	return c.out
}

type clearing struct {
	r     Request
	rate  float64
	out   Cleared
	gone  map[Place]Block // replacements of cleared blocks; the zero Block removes one
	saved int64           // tokens
}

func (c *clearing) tokens(n int) int64 { return int64(float64(n) * c.rate) }

// promptBytes returns the size of what the model reads as the prompt: the API ignores
// everything before a summary.
func promptBytes(r Request) int {
	n := len(r.System)
	from := lastCompaction(r.Messages)
	for i, m := range r.Messages[min(from.Message, len(r.Messages)):] {
		n += messageOverhead
		for j, b := range m.Content {
			if i > 0 || j >= from.Block {
				n += len(b.raw) + 1
			}
		}
	}
	return n
}

const messageOverhead = len(`{"role":"assistant","content":[]},`)

// thinking clears the thinking of all turns but the newest.
func (c *clearing) thinking(e Edit) *AppliedEdit {
	if e.KeepAll {
		return nil
	}
	keep := int(e.Keep.Value)
	if e.Keep == (Amount{}) {
		keep = 1
	}
	with := slices.DeleteFunc(assistantTurns(c.r.Messages), func(turn []Place) bool { return len(turn) == 0 })
	if len(with) <= keep {
		return nil
	}
	n := 0
	for _, turn := range with[:len(with)-keep] {
		for _, at := range turn {
			n += len(c.block(at).raw)
			c.gone[at] = Block{}
			c.out.Thinking = append(c.out.Thinking, at)
		}
	}
	tokens := c.tokens(n)
	c.saved += tokens
	return &AppliedEdit{Type: e.Type, ThinkingTurns: int64(len(with) - keep), InputTokens: tokens}
}

func (c *clearing) block(at Place) Block { return c.r.Messages[at.Message].Content[at.Block] }

// assistantTurns returns the thinking blocks of each turn of the assistant. A turn extends
// over tool loops, until a user message that contains more than tool results.
func assistantTurns(ms []Message) (turns [][]Place) {
	open := false
	for i, m := range ms {
		if m.Role != "assistant" {
			open = open && onlyResults(m)
			continue
		}
		if !open {
			turns, open = append(turns, nil), true
		}
		last := &turns[len(turns)-1]
		for j, b := range m.Content {
			if isThinking(b) {
				*last = append(*last, Place{i, j})
			}
		}
	}
	return turns
}

func isThinking(b Block) bool { return b.Type == TypeThinking || b.Type == TypeRedactedThinking }

func onlyResults(m Message) bool {
	return len(m.Content) > 0 && !slices.ContainsFunc(m.Content, func(b Block) bool { return b.Type != TypeToolResult })
}

// use is a call in a request and the position of its result.
type use struct {
	at       Place
	result   Place
	answered bool
}

// toolUses clears the results of all calls but the newest, or of none if that would save too
// little.
func (c *clearing) toolUses(e Edit) *AppliedEdit {
	uses, all := c.uses(e.Exclude)
	if !c.triggered(e.Trigger, all) {
		return nil
	}
	keep := int(e.Keep.Value)
	if e.Keep == (Amount{}) {
		keep = 3
	}
	if len(uses) <= keep {
		return nil
	}
	// A call without a result has nothing to clear.
	old := slices.DeleteFunc(uses[:len(uses)-keep], func(u use) bool { return !u.answered })
	gone := map[Place]Block{}
	n := 0
	for _, u := range old {
		result, call := c.block(u.result), c.block(u.at)
		short := ResultBlock(call.ID, Placeholder, result.IsError)
		gone[u.result] = short
		n += max(len(result.raw)-len(short.raw), 0) // a result may be shorter than the placeholder
		if e.ClearInputs.Has(call.Name) {
			short := call.withoutInput()
			gone[u.at] = short
			n += max(len(call.raw)-len(short.raw), 0)
		}
	}
	tokens := c.tokens(n)
	if len(old) == 0 || tokens < e.ClearAtLeast.Value {
		return nil
	}
	for at, b := range gone {
		c.gone[at] = b
	}
	for _, u := range old {
		id := c.block(u.at).ID
		c.out.ToolUses = append(c.out.ToolUses, id)
		if e.ClearInputs.Has(c.block(u.at).Name) {
			c.out.Inputs = append(c.out.Inputs, id)
		}
	}
	c.saved += tokens
	return &AppliedEdit{Type: e.Type, ToolUses: int64(len(old)), InputTokens: tokens}
}

// uses returns the calls of a request except those of excluded tools, and the number of all
// calls. The rules don't say whether an excluded call counts among those that are kept; here
// it doesn't.
func (c *clearing) uses(exclude []string) (uses []use, all int) {
	index := map[string]int{}
	for i, m := range c.r.Messages {
		for j, b := range m.Content {
			switch b.Type {
			case TypeToolUse:
				all++
				if !slices.Contains(exclude, b.Name) {
					index[b.ID] = len(uses)
					uses = append(uses, use{at: Place{i, j}})
				}
			case TypeToolResult:
				if n, ok := index[b.ID]; ok {
					uses[n].result, uses[n].answered = Place{i, j}, true
				}
			}
		}
	}
	return uses, all
}

// triggered reports whether the prompt exceeds the trigger. Thinking that was cleared before
// no longer counts.
func (c *clearing) triggered(t Amount, uses int) bool {
	if t == (Amount{}) {
		t = Amount{InputTokens, defaultTrigger}
	}
	if t.Unit == ToolUses {
		return int64(uses) > t.Value
	}
	return c.out.Original-c.saved > t.Value
}

const defaultTrigger = 100_000

// messages returns the request's messages with the cleared blocks replaced or removed.
func (c *clearing) messages() []Message {
	if len(c.gone) == 0 {
		return c.r.Messages
	}
	out := make([]Message, 0, len(c.r.Messages))
	for i, m := range c.r.Messages {
		blocks := make([]Block, 0, len(m.Content))
		for j, b := range m.Content {
			if instead, ok := c.gone[Place{i, j}]; !ok {
				blocks = append(blocks, b)
			} else if instead.raw != nil {
				blocks = append(blocks, instead)
			}
		}
		out = append(out, Message{Role: m.Role, Content: blocks})
	}
	return out
}

// withoutInput returns a copy of a call with an empty input.
func (b Block) withoutInput() Block {
	var fields map[string]json.RawMessage
	if json.Unmarshal(b.raw, &fields) != nil {
		return b
	}
	fields["input"] = json.RawMessage("{}")
	raw, err := json.Marshal(fields)
	if err != nil {
		return b
	}
	b.raw, b.Input = raw, fields["input"]
	return b
}
