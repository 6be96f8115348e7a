package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// DefaultSettings returns the settings of a session for which nothing is configured. Results
// of the memory tool stay in the context, as Anthropic advises; a conversation that gets too
// long is summarised in a way that works with any model and gateway.
func DefaultSettings() Settings {
	return Settings{
		MaxTokens: 16_000,
		Thinking:  true,
		Edits:     []Edit{{Type: ClearToolUses, Exclude: []string{MemoryTool}}},
		Compact:   Compaction{Mode: CompactClient},
		Budget:    Budget{Turns: 100},
		Idle:      Millis(2 * time.Minute),
		Retries:   5,
		Cache:     true,
	}
}

// minServerThreshold is the lowest threshold that the API accepts for compaction.
const minServerThreshold = 50_000

// FieldError is an invalid setting, by its name in the configuration.
type FieldError struct {
	Field string // compaction.threshold, edits[1].type
	Why   string
}

func (e *FieldError) Error() string { return e.Field + ": " + e.Why }

// Check reports every setting that the API or the session would refuse, joined; each is a
// *FieldError.
func (s Settings) Check() error { return s.CheckFor(Model{}) }

// CheckFor is like Check and also reports what the model m is known not to support.
func (s Settings) CheckFor(m Model) error {
	var c checker
	c.unless(s.MaxTokens >= 1, "max_tokens", "must be at least 1")
	c.unless(s.Idle >= 0, "idle", "can't be negative")
	c.unless(s.Retries >= 0, "retries", "can't be negative")
	c.unless(s.Budget.Turns >= 0, "budget.turns", "can't be negative")
	c.unless(s.Budget.Tokens >= 0, "budget.tokens", "can't be negative")
	for i, e := range s.Edits {
		c.edit(s, m, i, e)
	}
	c.compaction(s, m)
	return errors.Join(c.wrong...)
}

type checker struct{ wrong []error }

func (c *checker) unless(ok bool, field, why string, args ...any) {
	if !ok {
		c.wrong = append(c.wrong, &FieldError{field, fmt.Sprintf(why, args...)})
	}
}

// edit checks one context edit: its position and the options of its strategy.
func (c *checker) edit(s Settings, m Model, i int, e Edit) {
	at := func(option string) string { return fmt.Sprintf("edits[%d].%s", i, option) }
	same := func(o Edit) bool { return o.Type == e.Type }
	c.unless(e.Type != "", at("type"), "is missing")
	c.unless(!slices.ContainsFunc(s.Edits[:i], same), at("type"), "%s is listed twice", e.Type)
	known := []string{ClearToolUses, ClearThinking, CompactEdit}
	if !slices.Contains(known, e.Type) {
		return // only the API knows its options
	}
	only := func(strategy, option string, set bool) {
		c.unless(e.Type == strategy || !set, at(option), "is not an option of %s", e.Type)
	}
	only(ClearThinking, "keep", e.KeepAll)
	only(ClearToolUses, "clear_at_least", e.ClearAtLeast != (Amount{}))
	only(ClearToolUses, "clear_tool_inputs", e.ClearInputs.All || len(e.ClearInputs.Tools) > 0)
	only(ClearToolUses, "exclude_tools", len(e.Exclude) > 0)
	only(CompactEdit, "pause_after_compaction", e.PauseAfter)
	only(CompactEdit, "instructions", e.Instructions != "")
	switch e.Type {
	case ClearThinking:
		c.unless(i == 0, at("type"), "%s must be the first edit", ClearThinking)
		c.unless(s.Thinking, at("type"), "%s needs thinking to be on", ClearThinking)
		c.unless(m.ClearThinking || !m.KnowsContext, at("type"), "%s does not support %s", m.ID, e.Type)
		c.unless(e.Trigger == (Amount{}), at("trigger"), "is not an option of %s", e.Type)
		c.unless(!e.KeepAll || e.Keep == (Amount{}), at("keep"), "is all or a number of turns, not both")
		c.amount(at("keep"), e.Keep, 1, ThinkingTurns)
	case ClearToolUses:
		c.unless(m.ClearToolUses || !m.KnowsContext, at("type"), "%s does not support %s", m.ID, e.Type)
		c.amount(at("trigger"), e.Trigger, 1, InputTokens, ToolUses)
		c.fits(at("trigger"), e.Trigger, m)
		c.amount(at("keep"), e.Keep, 0, ToolUses)
		c.amount(at("clear_at_least"), e.ClearAtLeast, 1, InputTokens)
		c.unless(!e.ClearInputs.All || len(e.ClearInputs.Tools) == 0, at("clear_tool_inputs"), "is true or a list of tools, not both")
		c.unless(!slices.Contains(e.ClearInputs.Tools, ""), at("clear_tool_inputs"), "contains a tool without a name")
		c.unless(!slices.Contains(e.Exclude, ""), at("exclude_tools"), "contains a tool without a name")
	case CompactEdit:
		c.unless(s.Compact.Mode != CompactServer, at("type"), "%s is already sent because compaction.mode is server", e.Type)
		c.unless(m.ServerCompact || !m.KnowsContext, at("type"), "%s does not support %s", m.ID, e.Type)
		c.unless(e.Keep == (Amount{}), at("keep"), "is not an option of %s", e.Type)
		c.amount(at("trigger"), e.Trigger, minServerThreshold, InputTokens)
		c.fits(at("trigger"), e.Trigger, m)
	}
}

// amount checks an amount, if one is set.
func (c *checker) amount(field string, a Amount, least int64, units ...string) {
	if a == (Amount{}) {
		return
	}
	c.unless(slices.Contains(units, a.Unit), field+".type", "must be %s", strings.Join(units, " or "))
	c.unless(a.Value >= least, field+".value", "must be at least %d", least)
}

// fits checks that the prompt can reach a trigger.
func (c *checker) fits(field string, a Amount, m Model) {
	c.unless(a.Unit != InputTokens || m.MaxInputTokens == 0 || a.Value < m.MaxInputTokens, field+".value", "must be below the %d tokens that %s accepts", m.MaxInputTokens, m.ID)
}

func (c *checker) compaction(s Settings, m Model) {
	k := s.Compact
	switch k.Mode {
	case "", CompactOff, CompactClient:
		c.unless(k.Threshold >= 0, "compaction.threshold", "can't be negative")
	case CompactServer:
		c.unless(m.ServerCompact || !m.KnowsContext, "compaction.mode", "%s does not support compaction on the server; choose client", m.ID)
		c.unless(k.Threshold == 0 || k.Threshold >= minServerThreshold, "compaction.threshold", "must be at least %d on the server", minServerThreshold)
	default:
		c.unless(false, "compaction.mode", "must be %s, %s or %s", CompactOff, CompactServer, CompactClient)
	}
	c.unless(k.Mode == CompactClient || k.Model == "", "compaction.model", "is only for compaction.mode client")
	c.unless(k.Mode == CompactClient || !k.LikeSDK, "compaction.like_sdk", "is only for compaction.mode client")
	if k.Mode == CompactServer || k.Mode == CompactClient {
		c.unless(m.MaxInputTokens == 0 || k.Threshold < m.MaxInputTokens, "compaction.threshold", "must be below the %d tokens that %s accepts", m.MaxInputTokens, m.ID)
	}
}
