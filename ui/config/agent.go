package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memend/memend/agent"
)

// agentSettings are the settings of sessions of the built-in agent; in the file they are in
// the table agent and its subtables.
var agentSettings = []setting{
	{name: "agent.model", about: `The model that the agent runs on; else what $ANTHROPIC_MODEL says, else
the first that the API lists.`, field: func(s *Settings) any { return &s.Agent.Model }},
	{name: "agent.max_tokens", about: `How many tokens one reply may have.`, field: func(s *Settings) any { return &s.Agent.MaxTokens }, min: 1, max: 1_000_000},
	{name: "agent.thinking", about: `Whether the model may think before it answers; it decides how much.`, field: func(s *Settings) any { return &s.Agent.Thinking }},
	{name: "agent.guidance", about: `What the agent should remember, and what not, in your words.`, field: func(s *Settings) any { return &s.Agent.Guidance }},
	{name: "agent.idle", about: `How long nothing may come from the API before a turn counts as failed.`, field: func(s *Settings) any { return (*time.Duration)(&s.Agent.Idle) }},
	{name: "agent.retries", about: `How often a turn that failed is tried again: 0 to 20.`, field: func(s *Settings) any { return &s.Agent.Retries }, max: 20},
	{name: "agent.cache", about: `Whether the API is asked to cache the beginning of the prompt, which is
cheaper; some gateways refuse that.`, field: func(s *Settings) any { return &s.Agent.Cache }},
	{name: "agent.budget.turns", about: `How many requests one prompt may take; 0 is no limit.`, field: func(s *Settings) any { return &s.Agent.Budget.Turns }, max: 1_000_000},
	{name: "agent.budget.tokens", about: `How many tokens a session may take, input and output together; 0 is no limit.`,
		field: func(s *Settings) any { return &s.Agent.Budget.Tokens }},
	{name: "agent.edits", about: `What the API clears from the context when it gets long, in the API's own form:
clear_thinking_20251015 (keep) and clear_tool_uses_20250919 (trigger, keep,
clear_at_least, clear_tool_inputs, exclude_tools), in this order.`, field: func(s *Settings) any { return &s.Agent.Edits }},
	{name: "agent.compaction.mode", about: `Who summarizes a conversation that gets too long: "server" is the API,
"client" is memend, "off" disables it.`, field: func(s *Settings) any { return (*string)(&s.Agent.Compact.Mode) },
		allowed: []string{string(agent.CompactOff), string(agent.CompactServer), string(agent.CompactClient)}},
	{name: "agent.compaction.threshold", about: `The conversation is summarized from this many tokens on; 0 is 150000 on the
server and 100000 on the client.`,
		field: func(s *Settings) any { return &s.Agent.Compact.Threshold }},
	{name: "agent.compaction.instructions", about: `How to summarize, instead of the default instructions.`,
		field: func(s *Settings) any { return &s.Agent.Compact.Instructions }},
	{name: "agent.compaction.model", about: `The model that summarizes, on the client; default: that of the session.`,
		field: func(s *Settings) any { return &s.Agent.Compact.Model }},
}

// isTable reports whether there are settings in a table of that name.
func isTable(name string) bool {
	return slices.ContainsFunc(settings, func(s setting) bool { return strings.HasPrefix(s.name, name+".") })
}

// takeModel uses $ANTHROPIC_MODEL if no model is set.
func (c *Config) takeModel(o Options) {
	const env = "ANTHROPIC_MODEL"
	if c.Agent.Model = o.getenv(env); c.Agent.Model != "" {
		c.sources["agent.model"] = Source{Env: env}
	}
}

// checkAgent checks the combination of the agent's settings.
func (c *Config) checkAgent() (ps Problems) {
	for _, wrong := range fieldErrors(c.Agent.Check()) {
		field, _, _ := strings.Cut(wrong.Field, "[")
		ps = append(ps, &Problem{Source: c.sources["agent."+field], What: "agent." + wrong.Error()})
	}
	return ps
}

// fieldErrors splits joined errors.
func fieldErrors(err error) (out []*agent.FieldError) {
	var one *agent.FieldError
	if list, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range list.Unwrap() {
			out = append(out, fieldErrors(e)...)
		}
	} else if errors.As(err, &one) {
		out = append(out, one)
	}
	return out
}

func (set setting) putDuration(f *time.Duration, v any) (what, hint string) {
	text, _ := v.(string)
	d, err := time.ParseDuration(text)
	if err == nil && set.least > 0 && d != 0 && d < set.least {
		return fmt.Sprintf("%s is %s, less than %s", set.name, kind(v), set.least), `"0s" is never`
	}
	if err != nil || d < 0 || d == 0 && set.least == 0 {
		return fmt.Sprintf("%s is %s, not a time", set.name, kind(v)), fmt.Sprintf(`write it with its unit: %s = "90s"`, set.name)
	}
	*f = d
	return "", ""
}

// putEdits sets context edits from a TOML value, or from JSON.
func (set setting) putEdits(f *[]agent.Edit, v any) (what, hint string) {
	raw, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprintf("%s: %v", set.name, err), ""
		}
		raw = string(b)
	}
	edits := []agent.Edit{}
	if err := json.Unmarshal([]byte(raw), &edits); err != nil {
		return fmt.Sprintf("%s: %v", set.name, err), fmt.Sprintf(`as in %s = [{type = "%s", trigger = {type = "input_tokens", value = 30000}}]`, set.name, agent.ClearToolUses)
	}
	*f = edits
	return "", ""
}

// plain converts a value to maps and lists through JSON.
func plain(v any) (out any) {
	b, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(b, &out)
	}
	if err != nil {
		panic(err) // only defaults are converted
	}
	return out
}

// inline formats a value in one line of TOML.
func inline(v any) string {
	switch v := v.(type) {
	case []any:
		var parts []string
		for _, x := range v {
			parts = append(parts, inline(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		var parts []string
		for _, k := range slices.Sorted(maps.Keys(v)) {
			parts = append(parts, k+" = "+inline(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return literal(v)
}
