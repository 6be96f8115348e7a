package talk

import (
	"testing"

	"github.com/memend/memend/agent"
)

func TestClearing_ReportsOnlyChanges(t *testing.T) {
	t.Parallel()
	tools := func(n, tokens int64) agent.AppliedEdit {
		return agent.AppliedEdit{Type: agent.ClearToolUses, ToolUses: n, InputTokens: tokens}
	}
	thinking := func(n, tokens int64) agent.AppliedEdit {
		return agent.AppliedEdit{Type: agent.ClearThinking, ThinkingTurns: n, InputTokens: tokens}
	}
	s := newSim(t, 100, 30)
	s.setState(started(), prompt("Go."))
	for _, c := range []struct {
		edits []agent.AppliedEdit
		want  string // the note expected for it
	}{
		{nil, ""},
		{[]agent.AppliedEdit{thinking(1, 50)}, "cleared 1 thinking turn, −50 tokens"},
		{[]agent.AppliedEdit{thinking(2, 90)}, ""}, // expected in each turn
		{[]agent.AppliedEdit{thinking(3, 120), tools(2, 1400)}, "cleared 2 tool results and 2 more thinking turns, −1,470 tokens"},
		{[]agent.AppliedEdit{thinking(3, 120), tools(2, 1400)}, ""},
		{[]agent.AppliedEdit{tools(3, 1500), thinking(4, 160)}, "cleared 1 more tool result and 1 more thinking turn, −140 tokens"},
		{[]agent.AppliedEdit{tools(2, 900)}, "cleared now: 2 tool results, −900 tokens"},
		{[]agent.AppliedEdit{tools(2, 900), {Type: "clear_dreams_20270101", InputTokens: 7}}, "cleared by clear_dreams_20270101, −7 tokens"},
		{[]agent.AppliedEdit{tools(2, 900), {Type: "clear_dreams_20270101", InputTokens: 9}}, ""},
		{nil, "nothing is cleared any more"},
		{nil, ""},
	} {
		n := len(s.v.blocks.items)
		s.setState(sent(), replied(500, c.edits...))
		got := ""
		for _, it := range s.v.blocks.items[n:] {
			got += it.note
		}
		if got != c.want {
			t.Errorf("%+v brings %q, want %q", c.edits, got, c.want)
		}
	}
}
