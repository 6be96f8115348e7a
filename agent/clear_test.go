package agent

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// talk is n turns: a prompt, a thinking with a call (every fourth of the memory tool),
// its result, a text.
func talk(n int) (ms []Message) {
	for i := range n {
		tool := "read"
		if i%4 == 3 {
			tool = "memory"
		}
		id := fmt.Sprintf("t%d", i)
		ms = append(ms, UserText(fmt.Sprintf("q%d", i)),
			Message{"assistant", []Block{thinks(strings.Repeat("x", 40)), uses(id, tool, `{"p":"`+strings.Repeat("i", 40)+`"}`)}},
			Message{"user", []Block{ResultBlock(id, strings.Repeat("r", 400), false)}},
			Message{"assistant", []Block{TextBlock(fmt.Sprintf("a%d", i))}})
	}
	return ms
}

func ids(from, to int, without ...int) (out []string) {
	for i := from; i < to; i++ {
		if len(without) == 0 || i%without[0] != without[1] {
			out = append(out, fmt.Sprintf("t%d", i))
		}
	}
	return out
}

func TestClearingToolUses(t *testing.T) {
	five := Amount{ToolUses, 5}
	for _, c := range []struct {
		rule string
		edit Edit
		n    int
		want []string
	}{
		{"CE4: as many as the trigger is not above it", Edit{Trigger: five}, 5, nil},
		{"CE4: one more is", Edit{Trigger: five}, 6, ids(0, 3)},
		{"CE4: the default is 100,000 tokens", Edit{}, 10, nil},
		{"CE4: above 100,000 tokens", Edit{}, 600, ids(0, 597)},
		{"CE4: by tokens", Edit{Trigger: Amount{InputTokens, 100}}, 10, ids(0, 7)},
		{"CE5: keeps three", Edit{Trigger: five}, 10, ids(0, 7)},
		{"CE5: keeps what it says", Edit{Trigger: five, Keep: Amount{ToolUses, 8}}, 10, ids(0, 2)},
		{"CE5: keeps none", Edit{Trigger: five, Keep: Amount{ToolUses, 0}}, 10, ids(0, 10)},
		{"CE7: excluded tools stay and don't count", Edit{Trigger: five, Exclude: []string{"memory"}}, 10, ids(0, 6, 4, 3)},
		{"CE8: not worth it", Edit{Trigger: five, ClearAtLeast: Amount{InputTokens, 99_999}}, 10, nil},
		{"CE8: worth it", Edit{Trigger: five, ClearAtLeast: Amount{InputTokens, 600}}, 10, ids(0, 7)},
	} {
		t.Run(c.rule, func(t *testing.T) {
			c.edit.Type = ClearToolUses
			r := Request{Messages: talk(c.n), Edits: []Edit{c.edit}}
			before := asJSON(r.Messages)
			got := Clear(r, 0)
			if asJSON(r.Messages) != before {
				t.Error("CE10: the history was changed")
			}
			if !reflect.DeepEqual(got.ToolUses, c.want) {
				t.Errorf("cleared %v, want %v", got.ToolUses, c.want)
			}
			if len(c.want) == 0 {
				if len(got.Applied) > 0 || got.Tokens != got.Original {
					t.Errorf("applied %+v, %d of %d", got.Applied, got.Tokens, got.Original)
				}
				return
			}
			a := got.Applied[0]
			if len(got.Applied) != 1 || a.Type != ClearToolUses || a.ToolUses != int64(len(c.want)) || a.InputTokens <= 0 || got.Original-got.Tokens != a.InputTokens {
				t.Errorf("applied %+v, %d of %d", got.Applied, got.Tokens, got.Original)
			}
			if err := validRequest(Request{Messages: got.Messages}); err != nil {
				t.Errorf("CE6: %v", err)
			}
			if n := strings.Count(asJSON(got.Messages), Placeholder); n != len(c.want) {
				t.Errorf("CE6: %d placeholders", n)
			}
		})
	}
}

// CE6: inputs go only when asked for, of all tools or of some.
func TestClearingInputs(t *testing.T) {
	for name, c := range map[string]struct {
		in   Inputs
		want int
	}{"none": {Inputs{}, 0}, "all": {Inputs{All: true}, 7}, "some": {Inputs{Tools: []string{"memory"}}, 1}} {
		got := Clear(Request{Messages: talk(10), Edits: []Edit{{Type: ClearToolUses, Trigger: Amount{ToolUses, 5}, ClearInputs: c.in}}}, 0)
		if n := strings.Count(asJSON(got.Messages), `"input":{}`); n != c.want || len(got.Inputs) != c.want {
			t.Errorf("%s: %d empty inputs, told %v", name, n, got.Inputs)
		}
	}
}

// A call that is not answered yet has nothing to clear, and its input stays.
func TestClearingLeavesOpenCalls(t *testing.T) {
	ms := append(talk(1), Message{"assistant", []Block{uses("open", "read", `{"p":1}`)}})
	got := Clear(Request{Messages: ms, Edits: []Edit{{Type: ClearToolUses, Trigger: Amount{ToolUses, 1}, Keep: Amount{ToolUses, 0}, ClearInputs: Inputs{All: true}}}}, 0)
	if !reflect.DeepEqual(got.ToolUses, []string{"t0"}) || !strings.Contains(asJSON(got.Messages), `{"p":1}`) {
		t.Errorf("cleared %v: %s", got.ToolUses, asJSON(got.Messages))
	}
}

// CE9: whole turns, the newest are kept; a turn lasts over its tool loops.
func TestClearingThinking(t *testing.T) {
	long := append(talk(3), UserText("q"), Message{"assistant", []Block{thinks("1"), view("a")}}, Message{"user", []Block{ResultBlock("a", "r", false)}},
		Message{"assistant", []Block{thinks("2"), view("b")}}, Message{"user", []Block{ResultBlock("b", "r", false)}}, Message{"assistant", []Block{TextBlock("x")}})
	turns := func(n int64) Amount { return Amount{ThinkingTurns, n} }
	for name, c := range map[string]struct {
		ms    []Message
		edit  Edit
		turns int64
		left  int
	}{
		"keeps one turn":                 {talk(10), Edit{}, 9, 1},
		"keeps four":                     {talk(10), Edit{Keep: turns(4)}, 6, 4},
		"keeps all":                      {talk(10), Edit{KeepAll: true}, 0, 10},
		"has no more":                    {talk(3), Edit{Keep: turns(3)}, 0, 3},
		"a turn over two calls is one":   {long, Edit{}, 3, 2},
		"results with a prompt end it":   {append(talk(1), Message{"user", []Block{TextBlock("q")}}, Message{"assistant", []Block{thinks("z"), TextBlock("y")}}), Edit{}, 1, 1},
		"turns without thinking are not": {append(talk(2), UserText("q"), Message{"assistant", []Block{TextBlock("y")}}), Edit{}, 1, 1},
	} {
		c.edit.Type = ClearThinking
		got := Clear(Request{Messages: c.ms, Edits: []Edit{c.edit}}, 0)
		if n := strings.Count(asJSON(got.Messages), `"signature"`); n != c.left {
			t.Errorf("%s: %d left, want %d", name, n, c.left)
		}
		if c.turns == 0 != (len(got.Applied) == 0) || c.turns > 0 && got.Applied[0].ThinkingTurns != c.turns {
			t.Errorf("%s: applied %+v", name, got.Applied)
		}
		for _, at := range got.Thinking {
			if !isThinking(c.ms[at.Message].Content[at.Block]) {
				t.Errorf("%s: cleared %+v", name, at)
			}
		}
	}
}

// Thinking is cleared first, and what it freed does not count for the trigger.
func TestThinkingIsClearedBeforeTheTriggerIsChecked(t *testing.T) {
	r := Request{Messages: talk(10)}
	full := Clear(r, 0).Original
	think := Edit{Type: ClearThinking}
	without := Clear(Request{Messages: r.Messages, Edits: []Edit{think}}, 0)
	for trigger, want := range map[int64]int{without.Tokens: 1, without.Tokens - 1: 2} {
		r.Edits = []Edit{think, {Type: ClearToolUses, Trigger: Amount{InputTokens, trigger}}}
		if got := Clear(r, 0); len(got.Applied) != want {
			t.Errorf("trigger %d of %d: applied %+v", trigger, full, got.Applied)
		}
	}
}

// CE10: with the same edits a longer history says all of it again.
func TestClearingIsComputedForEachRequest(t *testing.T) {
	e := []Edit{{Type: ClearToolUses, Trigger: Amount{ToolUses, 5}}}
	a, b := Clear(Request{Messages: talk(10), Edits: e}, 0), Clear(Request{Messages: talk(11), Edits: e}, 0)
	if a.Applied[0].ToolUses != 7 || b.Applied[0].ToolUses != 8 {
		t.Errorf("%+v, then %+v", a.Applied, b.Applied)
	}
}

func TestTheRateScalesEstimates(t *testing.T) {
	r := Request{Messages: talk(10), System: strings.Repeat("s", 1000)}
	if a, b := Clear(r, 0.25), Clear(r, 0.5); a.Tokens != Clear(r, 0).Tokens || b.Tokens < 2*a.Tokens-1 || b.Tokens > 2*a.Tokens+1 {
		t.Errorf("%d and %d tokens", a.Tokens, b.Tokens)
	}
}

// What a summary stands for is not read again.
func TestMessagesBeforeASummaryDoNotCount(t *testing.T) {
	ms := append(talk(10), Message{"assistant", []Block{block(`{"type":"compaction","content":"short"}`), TextBlock("x")}})
	if got := Clear(Request{Messages: ms}, 0).Tokens; got > 50 {
		t.Errorf("%d tokens", got)
	}
	ms[len(ms)-1].Content[0] = block(`{"type":"compaction","content":null}`) // none was made
	if got := Clear(Request{Messages: ms}, 0).Tokens; got < 1000 {
		t.Errorf("%d tokens", got)
	}
}
