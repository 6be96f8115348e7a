package messages

import (
	"slices"
	"strings"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"github.com/memend/memend/agent"
)

// newParams converts a request into the SDK's form. Messages and edits are passed as raw JSON: the SDK's own types drop
// unknown fields.
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

// thinking requests adaptive thinking with its text, which newer models omit by default.
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

// betas returns the beta features that a request needs, and no others: a gateway may refuse unknown ones.
func betas(r agent.Request) (out []anthropic.AnthropicBeta) {
	isCompact := func(e agent.Edit) bool { return e.Type == agent.CompactEdit }
	if slices.ContainsFunc(r.Edits, func(e agent.Edit) bool { return !isCompact(e) }) {
		out = append(out, anthropic.AnthropicBetaContextManagement2025_06_27)
	}
	onDemand := r.Compact != nil || r.Compacted
	// Summaries made at a threshold stay in the history after the threshold is removed.
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

// raws converts values into SDK parameters with the same JSON.
func raws[P param.ParamStruct, PtrP param.InferPtr[P], V any](vs []V) []P {
	out := make([]P, len(vs))
	for i, v := range vs {
		out[i] = param.Override[P, PtrP](v)
	}
	return out
}
