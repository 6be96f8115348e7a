package messages

import (
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/memend/memend/agent"
)

// newParams is a request in the SDK's form. Messages and edits go as the JSON that
// they have: the SDK's own types drop what they don't know.
func newParams(r agent.Request) anthropic.BetaMessageNewParams {
	p := anthropic.BetaMessageNewParams{
		Model:     anthropic.Model(r.Model),
		MaxTokens: int64(r.MaxTokens),
		Messages:  raws[anthropic.BetaMessageParam](r.Messages),
		Thinking:  thinking(r),
		Betas:     betas(r),
	}
	if r.System != "" {
		p.System = []anthropic.BetaTextBlockParam{{Text: r.System}}
	}
	if r.Memory {
		p.Tools = []anthropic.BetaToolUnionParam{{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}}}
	}
	if len(r.Edits) > 0 {
		p.ContextManagement.Edits = raws[anthropic.BetaContextManagementConfigEditUnionParam](r.Edits)
	}
	if r.Compact != nil {
		p.Compaction.OfSummarize = summarize(*r.Compact)
	}
	if r.Cache {
		p.CacheControl = anthropic.NewBetaCacheControlEphemeralParam()
	}
	return p
}

// countParams is the same prompt as the API counts it: with what shapes the prompt
// and nothing of what shapes the reply.
func countParams(r agent.Request) anthropic.BetaMessageCountTokensParams {
	p := anthropic.BetaMessageCountTokensParams{
		Model:    anthropic.Model(r.Model),
		Messages: raws[anthropic.BetaMessageParam](r.Messages),
		Thinking: thinking(r),
		Betas:    betas(r),
	}
	if r.System != "" {
		p.System.OfString = anthropic.String(r.System)
	}
	if r.Memory {
		p.Tools = []anthropic.BetaMessageCountTokensParamsToolUnion{{OfMemoryTool20250818: &anthropic.BetaMemoryTool20250818Param{}}}
	}
	if len(r.Edits) > 0 {
		p.ContextManagement.Edits = raws[anthropic.BetaContextManagementConfigEditUnionParam](r.Edits)
	}
	return p
}

// thinking is adaptive, and shown: newer models leave its text out unless they are asked.
func thinking(r agent.Request) (t anthropic.BetaThinkingConfigParamUnion) {
	if r.Thinking {
		t.OfAdaptive = &anthropic.BetaThinkingConfigAdaptiveParam{Display: anthropic.BetaThinkingConfigAdaptiveDisplaySummarized}
	}
	return t
}

func summarize(s agent.Summarize) *anthropic.BetaSummarizeCompactionParam {
	p := &anthropic.BetaSummarizeCompactionParam{}
	if strings.TrimSpace(s.Instructions) != "" {
		p.Instructions = anthropic.String(s.Instructions)
	}
	return p
}

// betas are the beta features that the API must know for a request, and no others:
// a gateway may refuse those that it doesn't know.
func betas(r agent.Request) (out []anthropic.AnthropicBeta) {
	isCompact := func(e agent.Edit) bool { return e.Type == agent.CompactEdit }
	if slices.ContainsFunc(r.Edits, func(e agent.Edit) bool { return !isCompact(e) }) {
		out = append(out, anthropic.AnthropicBetaContextManagement2025_06_27)
	}
	onDemand := r.Compact != nil || r.Compacted
	// Summaries that a threshold made stay in the history after the threshold is gone.
	if slices.ContainsFunc(r.Edits, isCompact) || !onDemand && hasSummary(r.Messages) {
		out = append(out, anthropic.AnthropicBetaCompact2026_01_12)
	}
	if onDemand {
		out = append(out, anthropic.AnthropicBetaCompact2026_09_04)
	}
	return out
}

func hasSummary(messages []agent.Message) bool {
	return slices.ContainsFunc(messages, func(m agent.Message) bool {
		return slices.ContainsFunc(m.Content, func(b agent.Block) bool { return b.Type == agent.TypeCompaction })
	})
}

// raws are values that the SDK sends as the JSON that ours have.
func raws[P param.ParamStruct, PtrP param.InferPtr[P], V any](vs []V) []P {
	out := make([]P, len(vs))
	for i, v := range vs {
		out[i] = param.Override[P, PtrP](v)
	}
	return out
}
