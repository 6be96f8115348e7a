package talk

import (
	"slices"
	"strings"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/draw"
)

// clearing is what the context edits cleared for one request. A request clears again what the
// requests before it cleared, so the numbers grow.
type clearing struct {
	tools    int64 // tool results
	thinking int64 // turns whose thinking was cleared
	tokens   int64
	others   string // types of edits that report neither
}

func clearingOf(edits []agent.AppliedEdit) (c clearing) {
	var others []string
	for _, e := range edits {
		c.tools += e.ToolUses
		c.thinking += e.ThinkingTurns
		c.tokens += e.InputTokens
		if e.ToolUses == 0 && e.ThinkingTurns == 0 {
			others = append(others, e.Type)
		}
	}
	slices.Sort(others)
	c.others = strings.Join(slices.Compact(others), " and ")
	return c
}

// note describes what was cleared since was. It is empty if that is not worth a row: the
// thinking of each turn is cleared when the next turn starts.
func (c clearing) note(was clearing) string {
	switch {
	case c == was:
		return ""
	case c == clearing{}:
		return "nothing is cleared any more"
	case c.tools+c.thinking == 0 && c.others != was.others:
		was = clearing{}
	case c.tools < was.tools || c.thinking < was.thinking || was.others != "" && c.others != was.others:
		return "cleared now: " + strings.TrimPrefix(c.note(clearing{}), "cleared ")
	}
	more := func(n, before int64, one, many string) string {
		if before > 0 {
			one, many = "more "+one, "more "+many
		}
		return draw.Plural(int(n-before), one, many)
	}
	var what []string
	if c.tools > was.tools {
		what = append(what, more(c.tools, was.tools, "tool result", "tool results"))
	}
	if c.thinking > was.thinking && (len(what) > 0 || was.thinking == 0) {
		what = append(what, more(c.thinking, was.thinking, "thinking turn", "thinking turns"))
	}
	if c.others != was.others {
		what = append(what, "by "+c.others)
	}
	if len(what) == 0 {
		return ""
	}
	s := "cleared " + strings.Join(what, " and ")
	if n := c.tokens - was.tokens; n > 0 {
		s += ", " + number(-n) + " tokens"
	}
	return s
}

// visibility is how much of a block the model sees.
type visibility uint8

const (
	visible visibility = iota
	cleared            // by a context edit
	summary            // it is before a summary
)

// visibilityOf returns how much of a block the model sees.
func (t *transcript) visibilityOf(i int) visibility {
	it := t.items[i]
	switch it.kind {
	case noteItem, compactItem:
		return visible
	case callItem:
		if t.cleared[it.call.id] {
			return cleared
		}
	case thinkingItem:
		if t.clearedThinking[it.turn] {
			return cleared
		}
	}
	if i < t.summed {
		return summary
	}
	return visible
}

// setCleared sets what the model no longer sees.
func (t *transcript) setCleared(s *agent.State) {
	t.cleared, t.clearedThinking = setOf(s.Cleared), setOf(s.ClearedThinking)
}

func setOf[T comparable](list []T) map[T]bool {
	m := make(map[T]bool, len(list))
	for _, x := range list {
		m[x] = true
	}
	return m
}
