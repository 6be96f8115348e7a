package messages

import (
	"context"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"github.com/memend/memend/agent"
)

// maxModels is the maximum number of models that are read.
const maxModels = 1000

// Models lists the available models, the newest first. The list ends where it repeats itself: a gateway may
// ignore which page is requested.
func (c *Client) Models(ctx context.Context) ([]agent.Model, error) {
	var out []agent.Model
	pages := c.sdk.Beta.Models.ListAutoPaging(ctx, anthropic.BetaModelListParams{})
	seen := map[string]bool{}
	for len(seen) < maxModels && pages.Next() {
		m := pages.Current()
		if seen[m.ID] {
			break
		}
		seen[m.ID] = true
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
