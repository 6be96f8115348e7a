package agent

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// CE15: the default keeps what the memory tool said in view, and can be sent.
func TestCE15_DefaultSettingsAreSound(t *testing.T) {
	s := DefaultSettings()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(s.Edits[0].Exclude, []string{"memory"}) {
		t.Errorf("edits %+v", s.Edits)
	}
}

func TestInvalidSettingsAreReportedByField(t *testing.T) {
	tools, think, compact := Edit{Type: ClearToolUses}, Edit{Type: ClearThinking}, Edit{Type: CompactEdit}
	with := func(base Edit, change func(*Edit)) func(*Settings) {
		change(&base)
		return func(s *Settings) { s.Edits = []Edit{base} }
	}
	small := Model{ID: "small", MaxInputTokens: 60_000, KnowsContext: true}
	for _, c := range []struct {
		name   string
		change func(*Settings)
		model  Model
		want   string
	}{
		{"all is well", func(s *Settings) { s.Edits = []Edit{think, tools, compact} }, Model{}, ""},
		{"CE2: the order", func(s *Settings) { s.Edits = []Edit{tools, think} }, Model{}, "edits[1].type: clear_thinking_20251015 must be the first edit"},
		{"CE3: thinking is off", func(s *Settings) { s.Edits, s.Thinking = []Edit{think}, false }, Model{}, "edits[0].type: clear_thinking_20251015 needs thinking to be on"},
		{"twice", func(s *Settings) { s.Edits = []Edit{tools, tools} }, Model{}, "edits[1].type: clear_tool_uses_20250919 is listed twice"},
		{"no type", func(s *Settings) { s.Edits = []Edit{{}} }, Model{}, "edits[0].type: is missing"},
		{"of tomorrow", func(s *Settings) { s.Edits = []Edit{{Type: "clear_all_20270101", Keep: Amount{"moons", 3}}} }, Model{}, ""},
		{"trigger's unit", with(tools, func(e *Edit) { e.Trigger = Amount{ThinkingTurns, 3} }), Model{}, "edits[0].trigger.type: must be input_tokens or tool_uses"},
		{"trigger's value", with(tools, func(e *Edit) { e.Trigger = Amount{ToolUses, 0} }), Model{}, "edits[0].trigger.value: must be at least 1"},
		{"keep's unit", with(tools, func(e *Edit) { e.Keep = Amount{InputTokens, 3} }), Model{}, "edits[0].keep.type: must be tool_uses"},
		{"keeps none", with(tools, func(e *Edit) { e.Keep = Amount{ToolUses, 0} }), Model{}, ""},
		{"keeps less", with(tools, func(e *Edit) { e.Keep = Amount{ToolUses, -1} }), Model{}, "edits[0].keep.value: must be at least 0"},
		{"all of tools", with(tools, func(e *Edit) { e.KeepAll = true }), Model{}, "edits[0].keep: is not an option of clear_tool_uses_20250919"},
		{"at least what", with(tools, func(e *Edit) { e.ClearAtLeast = Amount{ToolUses, 3} }), Model{}, "edits[0].clear_at_least.type: must be input_tokens"},
		{"both inputs", with(tools, func(e *Edit) { e.ClearInputs = Inputs{true, []string{"a"}} }), Model{}, "edits[0].clear_tool_inputs: is true or a list of tools, not both"},
		{"a nameless input", with(tools, func(e *Edit) { e.ClearInputs.Tools = []string{""} }), Model{}, "edits[0].clear_tool_inputs: contains a tool without a name"},
		{"a nameless tool", with(tools, func(e *Edit) { e.Exclude = []string{"a", ""} }), Model{}, "edits[0].exclude_tools: contains a tool without a name"},
		{"pause of tools", with(tools, func(e *Edit) { e.PauseAfter = true }), Model{}, "edits[0].pause_after_compaction: is not an option of clear_tool_uses_20250919"},
		{"instructions of tools", with(tools, func(e *Edit) { e.Instructions = "x" }), Model{}, "edits[0].instructions: is not an option of clear_tool_uses_20250919"},
		{"CE9: turns of thinking", with(think, func(e *Edit) { e.Keep = Amount{ThinkingTurns, 4} }), Model{}, ""},
		{"CE9: no turns", with(think, func(e *Edit) { e.Keep = Amount{ThinkingTurns, 0} }), Model{}, "edits[0].keep.value: must be at least 1"},
		{"all and some", with(think, func(e *Edit) { e.Keep, e.KeepAll = Amount{ThinkingTurns, 2}, true }), Model{}, "edits[0].keep: is all or a number of turns, not both"},
		{"trigger of thinking", with(think, func(e *Edit) { e.Trigger = Amount{InputTokens, 9} }), Model{}, "edits[0].trigger: is not an option of clear_thinking_20251015"},
		{"exclude of thinking", with(think, func(e *Edit) { e.Exclude = []string{"a"} }), Model{}, "edits[0].exclude_tools: is not an option of clear_thinking_20251015"},
		{"SC6: too low an edit", with(compact, func(e *Edit) { e.Trigger = Amount{InputTokens, 49_999} }), Model{}, "edits[0].trigger.value: must be at least 50000"},
		{"SC6: low enough", with(compact, func(e *Edit) { e.Trigger = Amount{InputTokens, 50_000} }), Model{}, ""},
		{"keep of compaction", with(compact, func(e *Edit) { e.Keep = Amount{ToolUses, 1} }), Model{}, "edits[0].keep: is not an option of compact_20260112"},
		{"compaction twice", func(s *Settings) { s.Edits, s.Compact.Mode = []Edit{compact}, CompactServer }, Model{}, "edits[0].type: compact_20260112 is already sent because compaction.mode is server"},
		{"SC6: too low a threshold", func(s *Settings) { s.Compact = Compaction{Mode: CompactServer, Threshold: 49_999} }, Model{}, "compaction.threshold: must be at least 50000 on the server"},
		{"client's is free", func(s *Settings) {
			s.Compact = Compaction{Mode: CompactClient, Threshold: 1, Model: "m", LikeSDK: true}
		}, Model{}, ""},
		{"negative", func(s *Settings) { s.Compact.Threshold = -1 }, Model{}, "compaction.threshold: can't be negative"},
		{"unknown mode", func(s *Settings) { s.Compact.Mode = "moon" }, Model{}, "compaction.mode: must be off, server or client"},
		{"model of server", func(s *Settings) { s.Compact = Compaction{Mode: CompactServer, Model: "m"} }, Model{}, "compaction.model: is only for compaction.mode client"},
		{"like the SDK", func(s *Settings) { s.Compact = Compaction{LikeSDK: true} }, Model{}, "compaction.like_sdk: is only for compaction.mode client"},
		{"no tokens", func(s *Settings) { s.MaxTokens = 0 }, Model{}, "max_tokens: must be at least 1"},
		{"idle", func(s *Settings) { s.Idle = Millis(-time.Second) }, Model{}, "idle: can't be negative"},
		{"retries", func(s *Settings) { s.Retries = -1 }, Model{}, "retries: can't be negative"},
		{"turns", func(s *Settings) { s.Budget.Turns = -1 }, Model{}, "budget.turns: can't be negative"},
		{"tokens", func(s *Settings) { s.Budget.Tokens = -1 }, Model{}, "budget.tokens: can't be negative"},
		{"SC9: model can't clear", func(s *Settings) { s.Edits = []Edit{tools} }, small, "edits[0].type: small does not support clear_tool_uses_20250919"},
		{"SC9: model can't think less", func(s *Settings) { s.Edits = []Edit{think} }, small, "edits[0].type: small does not support clear_thinking_20251015"},
		{"SC9: model can't compact", func(s *Settings) { s.Compact.Mode = CompactServer }, small, "compaction.mode: small does not support compaction on the server; choose client"},
		{"window", func(s *Settings) { s.Compact = Compaction{Mode: CompactClient, Threshold: 60_000} }, small, "compaction.threshold: must be below the 60000 tokens that small accepts"},
	} {
		s := Settings{MaxTokens: 1, Thinking: true}
		c.change(&s)
		err := s.CheckFor(c.model)
		got := ""
		if err != nil {
			got = err.Error()
			if f := (*FieldError)(nil); !errors.As(err, &f) || !strings.HasPrefix(got, f.Field+": ") {
				t.Errorf("%s: the field of %v is not told", c.name, err)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	bad := Settings{Edits: []Edit{tools, think}}
	if got := strings.Count(bad.Check().Error(), "\n"); got != 2 {
		t.Errorf("not all is told: %v", bad.Check())
	}
}

func TestSettingsSurviveTheirJSON(t *testing.T) {
	s := Settings{
		Model: "m", MaxTokens: 5, Thinking: true, Guidance: "g", Idle: Millis(time.Second), Retries: 2, Budget: Budget{3, 4},
		Compact: Compaction{CompactClient, 7, "i", "small", true},
		Edits: []Edit{
			{Type: ClearThinking, KeepAll: true},
			{Type: ClearToolUses, Trigger: Amount{ToolUses, 5}, Keep: Amount{ToolUses, 0}, ClearAtLeast: Amount{InputTokens, 9}, ClearInputs: Inputs{Tools: []string{"a"}}, Exclude: []string{"memory"}},
			{Type: "other", ClearInputs: Inputs{All: true}},
			{Type: CompactEdit, Trigger: Amount{InputTokens, 50_000}, PauseAfter: true, Instructions: "short"},
		},
	}
	var got Settings
	if err := json.Unmarshal([]byte(asJSON(s)), &got); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("%+v, %v\nfrom %s", got, err, asJSON(s))
	}
	for raw, want := range map[string]Edit{
		`{"type":"x","keep":{"type":"all"}}`:         {Type: "x", KeepAll: true},
		`{"type":"x","clear_tool_inputs":false}`:     {Type: "x"},
		`{"type":"x","keep":{"type":"a","value":1}}`: {Type: "x", Keep: Amount{"a", 1}},
	} {
		var e Edit
		if err := json.Unmarshal([]byte(raw), &e); err != nil || !reflect.DeepEqual(e, want) {
			t.Errorf("%s: %+v, %v", raw, e, err)
		}
	}
	for _, raw := range []string{`{"type":"x","of_tomorrow":1}`, `{"keep":"some"}`, `{"trigger":3}`, `[]`} {
		var e Edit
		if err := json.Unmarshal([]byte(raw), &e); err == nil {
			t.Errorf("%s is taken for %+v", raw, e)
		}
	}
}
