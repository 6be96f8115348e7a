package setup

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/memend/memend/agent"
)

// Conversion between agent.Settings and fields.

var (
	offOn   = []string{"off", "on"}
	units   = []string{agent.InputTokens, agent.ToolUses}
	inputs  = []string{"kept", "cleared too", "of some tools"}
	keeps   = []string{"some turns", "all"}
	modes   = []agent.CompactMode{agent.CompactOff, agent.CompactClient, agent.CompactServer}
	modesAs = []string{"off", "by memend", "by the API"}
)

// settingsFields returns the fields for settings, with their values.
func settingsFields(f *form, s agent.Settings) []*field {
	var out []*field
	add := func(x *field) *field { out = append(out, x); return x }
	head := func(s string) { add(&field{kind: heading, label: s}) }
	num := func(id, label, example, help string, n int64) *field {
		x := add(&field{id: id, kind: number, label: label, example: example, help: help})
		x.setNumber(n)
		return x
	}
	txt := func(id, label, example, help, value string) *field {
		x := add(&field{id: id, kind: typed, label: label, example: example, help: help})
		x.setText(value)
		return x
	}
	pick := func(id, label, help string, options []string, at int) *field {
		return add(&field{id: id, kind: choice, label: label, help: help, options: options, at: max(at, 0)})
	}
	when := func(id string, is func(*field) bool, fields ...*field) {
		for _, x := range fields {
			before := x.hidden
			x.hidden = func() bool { return before != nil && before() || !is(f.field(id)) }
		}
	}

	head("model")
	txt("model", "model", "the newest", "The model that answers.", s.Model)
	num("max_tokens", "most tokens of a reply", "", "A longer reply is cut.", int64(s.MaxTokens))
	pick("thinking", "thinking", "Whether the model thinks before it answers, as much as it finds right.", offOn, index(s.Thinking))
	txt("guidance", "what to remember", "as the model finds right", "In your words: it goes into its instructions.", s.Guidance)

	tools, hasTools := editOf(s, agent.ClearToolUses)
	head("clearing tool results")
	pick("tools", "clear old results", "Results of old calls are taken from what the model sees. The conversation keeps them.", offOn, index(hasTools))
	trigger := num("tools.trigger", "when the prompt exceeds", "100000", "How long the prompt is when clearing begins.", tools.Trigger.Value)
	unit := pick("tools.unit", "counted in", "What that number counts.", units, unitOf(tools.Trigger))
	keep := num("tools.keep", "keep the newest", "3", "So many calls keep their results.", tools.Keep.Value)
	if tools.Keep.Unit != "" && tools.Keep.Value == 0 {
		keep.setText("0") // zero is different from unset
	}
	least := num("tools.clear_at_least", "clear at least", "no matter how few", "Tokens: where fewer could be cleared, none are, so that the cache of the prompt lives.", tools.ClearAtLeast.Value)
	in := pick("tools.clear_tool_inputs", "what was asked of tools", "Whether the inputs of cleared calls go with their results.", inputs, inputsOf(tools))
	some := txt("tools.inputs", "of these tools", "memory", "Names of tools, with blanks between them.", strings.Join(tools.ClearInputs.Tools, " "))
	exclude := txt("tools.exclude_tools", "never of these tools", "none", "Names of tools whose results always stay, with blanks between them.", strings.Join(tools.Exclude, " "))
	when("tools", (*field).on, trigger, unit, keep, least, in, some, exclude)
	when("tools.clear_tool_inputs", func(x *field) bool { return x.at == 2 }, some)

	thinking, hasThinking := editOf(s, agent.ClearThinking)
	head("clearing thinking")
	pick("clearing", "clear old thinking", "What the model thought in older turns is taken from what it sees.", offOn, index(hasThinking))
	which := pick("clearing.which", "keep", "Whether all of it stays, or that of the newest turns.", keeps, index(thinking.KeepAll))
	turns := num("clearing.keep", "turns that keep it", "1", "So many turns keep what was thought in them.", thinking.Keep.Value)
	when("clearing", (*field).on, which, turns)
	when("clearing.which", func(x *field) bool { return x.at == 0 }, turns)

	head("compaction")
	pick("compaction.mode", "summaries", "A conversation that gets too long is replaced by a summary: memend asks the model for it, or the API does it by itself.", modesAs, modeOf(s.Compact.Mode))
	threshold := num("compaction.threshold", "when the prompt reaches", "as usual", "Tokens; by memend usually 100,000, by the API 150,000.", s.Compact.Threshold)
	instructions := txt("compaction.instructions", "instructions for it", "the usual ones", "In the place of the usual request for a summary.", s.Compact.Instructions)
	model := txt("compaction.model", "model for it", "the session's", "A model that makes the summary.", s.Compact.Model)
	when("compaction.mode", func(x *field) bool { return x.at > 0 }, threshold, instructions)
	when("compaction.mode", func(x *field) bool { return x.at == 1 }, model)

	head("limits")
	num("budget.turns", "turns for one prompt", "no limit", "Requests that one prompt may lead to.", int64(s.Budget.Turns))
	num("budget.tokens", "tokens of the session", "no limit", "What all requests together may read and write.", s.Budget.Tokens)
	num("idle", "seconds without a byte", "no limit", "After so long a silence of the API a turn has failed.", int64(time.Duration(s.Idle)/time.Second))
	num("retries", "retries of a turn", "none", "How often a request that failed is sent again.", int64(s.Retries))
	return out
}

func index(on bool) int {
	if on {
		return 1
	}
	return 0
}

func editOf(s agent.Settings, typ string) (agent.Edit, bool) {
	for _, e := range s.Edits {
		if e.Type == typ {
			return e, true
		}
	}
	return agent.Edit{Type: typ}, false
}

func unitOf(a agent.Amount) int { return index(a.Unit == agent.ToolUses) }

func inputsOf(e agent.Edit) int {
	switch {
	case len(e.ClearInputs.Tools) > 0:
		return 2
	case e.ClearInputs.All:
		return 1
	}
	return 0
}

func modeOf(m agent.CompactMode) int {
	for i, x := range modes {
		if x == m {
			return i
		}
	}
	return 0
}

// settingsOf reads the fields. Settings without a field keep their value.
func (f *form) settingsOf(was agent.Settings) agent.Settings {
	s := was
	s.Model = f.field("model").text()
	s.MaxTokens = int(f.field("max_tokens").number())
	s.Thinking = f.field("thinking").on()
	s.Guidance = f.field("guidance").text()
	s.Edits = nil
	if f.field("clearing").on() { // it must be the first edit
		e, _ := editOf(was, agent.ClearThinking)
		e.KeepAll, e.Keep = f.field("clearing.which").at == 1, agent.Amount{}
		if n := f.field("clearing.keep").number(); n > 0 && !e.KeepAll {
			e.Keep = agent.Amount{Unit: agent.ThinkingTurns, Value: n}
		}
		s.Edits = append(s.Edits, e)
	}
	if f.field("tools").on() {
		s.Edits = append(s.Edits, f.toolsEdit(was))
	}
	for _, e := range was.Edits {
		if e.Type != agent.ClearThinking && e.Type != agent.ClearToolUses {
			s.Edits = append(s.Edits, e)
		}
	}
	c := &s.Compact
	c.Mode = modes[f.field("compaction.mode").at]
	c.Threshold, c.Instructions, c.Model = 0, "", ""
	c.LikeSDK = c.LikeSDK && c.Mode == agent.CompactClient // the form does not show it
	if c.Mode != agent.CompactOff {
		c.Threshold, c.Instructions = f.field("compaction.threshold").number(), f.field("compaction.instructions").text()
	}
	if c.Mode == agent.CompactClient {
		c.Model = f.field("compaction.model").text()
	}
	s.Budget = agent.Budget{Turns: int(f.field("budget.turns").number()), Tokens: f.field("budget.tokens").number()}
	s.Idle = agent.Millis(time.Duration(f.field("idle").number()) * time.Second)
	s.Retries = int(f.field("retries").number())
	return s
}

func (f *form) toolsEdit(was agent.Settings) agent.Edit {
	e, _ := editOf(was, agent.ClearToolUses)
	e.Trigger, e.Keep, e.ClearAtLeast = agent.Amount{}, agent.Amount{}, agent.Amount{}
	if n := f.field("tools.trigger").number(); n > 0 {
		e.Trigger = agent.Amount{Unit: units[f.field("tools.unit").at], Value: n}
	}
	if x := f.field("tools.keep"); x.text() != "" { // zero is valid
		e.Keep = agent.Amount{Unit: agent.ToolUses, Value: x.number()}
	}
	if n := f.field("tools.clear_at_least").number(); n > 0 {
		e.ClearAtLeast = agent.Amount{Unit: agent.InputTokens, Value: n}
	}
	e.ClearInputs = agent.Inputs{}
	switch f.field("tools.clear_tool_inputs").at {
	case 1:
		e.ClearInputs.All = true
	case 2:
		e.ClearInputs.Tools = strings.Fields(f.field("tools.inputs").text())
	}
	e.Exclude = strings.Fields(f.field("tools.exclude_tools").text())
	return e
}

// check shows errors of settings at their fields and reports whether there are none. An error
// without a field of its own is shown at the nearest field.
func (f *form) check(s agent.Settings) bool {
	for _, x := range f.fields {
		x.problem = ""
		if x.kind == number && x.text() != "" && strings.Trim(plainDigits(x.text()), "0123456789") != "" {
			x.problem = "is not a number"
		}
	}
	for _, e := range fieldErrors(s.Check()) {
		x := f.at(e.Field, s)
		if x.problem == "" {
			x.problem = e.Why
		}
	}
	for _, x := range f.fields {
		if x.problem != "" {
			return false
		}
	}
	return true
}

// showProblems puts the cursor on the first invalid field.
func (f *form) showProblems() {
	for _, x := range f.shown() {
		if x.problem != "" {
			f.goTo(x)
			return
		}
	}
}

// fieldErrors returns the field errors in err.
func fieldErrors(err error) (out []*agent.FieldError) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			out = append(out, fieldErrors(e)...)
		}
		return out
	}
	var f *agent.FieldError
	if errors.As(err, &f) {
		out = append(out, f)
	}
	return out
}

// at returns the field of a setting: "edits[1].trigger.value".
func (f *form) at(name string, s agent.Settings) *field {
	rest, ok := strings.CutPrefix(name, "edits[")
	if !ok {
		if x := f.field(name); x.id != "" {
			return x
		}
		return f.field("model")
	}
	num, option, _ := strings.Cut(rest, "].")
	option, _, _ = strings.Cut(option, ".")
	group := "tools"
	if i, err := strconv.Atoi(num); err == nil && i < len(s.Edits) && s.Edits[i].Type == agent.ClearThinking {
		group = "clearing"
	}
	if x := f.field(group + "." + option); x.id != "" {
		return x
	}
	return f.field(group)
}
