package messages

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/agent"
)

// Models lists the available models, the newest first.
func (c *Client) Models(ctx context.Context) ([]agent.Model, error) {
	var out []agent.Model
	pages := c.sdk.Beta.Models.ListAutoPaging(ctx, anthropic.BetaModelListParams{})
	for pages.Next() {
		m := pages.Current()
		if m.Lifecycle == anthropic.BetaModelInfoLifecycleRetired {
			continue
		}
		edits := m.Capabilities.ContextManagement
		out = append(out, agent.Model{
			ID: m.ID, Name: m.DisplayName, MaxInputTokens: m.MaxInputTokens,
			ClearToolUses: edits.ClearToolUses20250919.Supported,
			ClearThinking: edits.ClearThinking20251015.Supported,
			ServerCompact: edits.Compact20260112.Supported,
			Summarizes:    m.Capabilities.Compaction.Supported,
			KnowsContext:  m.Capabilities.JSON.ContextManagement.Valid(),
		})
	}
	if err := pages.Err(); err != nil {
		return nil, failure(ctx, err)
	}
	return out, nil
}
