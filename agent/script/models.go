package script

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/memend/memend/agent"
)

// DefaultModels are the models of a server that is configured without models.
var DefaultModels = []agent.Model{{
	ID: "scripted", Name: "Scripted agent", MaxInputTokens: 200_000,
	ClearToolUses: true, ClearThinking: true, ServerCompact: true, Summarizes: true, KnowsContext: true,
}}

func (s *Server) list() []agent.Model {
	if len(s.o.Models) > 0 {
		return s.o.Models
	}
	return DefaultModels
}

func (s *Server) find(id string) *agent.Model {
	list := s.list()
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

// asked returns the model that a request names, which may not be in the list.
func (s *Server) asked(id string) *agent.Model {
	if m := s.find(id); m != nil || s.o.Any == (agent.Model{}) {
		return m
	}
	m := s.o.Any
	m.ID, m.Name = id, id
	return &m
}

// window returns the maximum number of tokens of a prompt; 0: no limit.
func (s *Server) window(id string) int64 {
	if m := s.asked(id); m != nil {
		return m.MaxInputTokens
	}
	return 0
}

// models handles GET /v1/models: pages of limit models after the one that after_id names.
func (s *Server) models(w http.ResponseWriter, r *http.Request, _ []byte) {
	list := s.list()
	if after := r.URL.Query().Get("after_id"); after != "" {
		at := slices.IndexFunc(list, func(m agent.Model) bool { return m.ID == after })
		if at < 0 {
			invalid("after_id: unknown model %q", after).write(w)
			return
		}
		list = list[at+1:]
	}
	limit := 20
	if n, err := strconv.Atoi(r.URL.Query().Get("limit")); err == nil && n > 0 {
		limit = n
	}
	more := len(list) > limit
	list = list[:min(limit, len(list))]
	data := make([]any, len(list))
	for i, m := range list {
		data[i] = wire(m)
	}
	out := map[string]any{"data": data, "has_more": more, "first_id": nil, "last_id": nil}
	if len(list) > 0 {
		out["first_id"], out["last_id"] = list[0].ID, list[len(list)-1].ID
	}
	writeJSON(w, http.StatusOK, out)
}

// model handles GET /v1/models/ID.
func (s *Server) model(w http.ResponseWriter, r *http.Request, _ []byte) {
	m := s.asked(r.PathValue("id"))
	if m == nil {
		refusal{http.StatusNotFound, "not_found_error", "model: " + r.PathValue("id")}.write(w)
		return
	}
	writeJSON(w, http.StatusOK, wire(*m))
}

// wire returns a model in the API's form.
func wire(m agent.Model) map[string]any {
	can := func(b bool) map[string]any { return map[string]any{"supported": b} }
	out := map[string]any{
		"type": "model", "id": m.ID, "display_name": m.Name, "created_at": "2026-10-01T00:00:00Z", "lifecycle": "active",
		"max_input_tokens": m.MaxInputTokens, "max_tokens": 64_000, "allowed_fallback_models": []string{},
		"deprecated_at": nil, "retires_at": nil, "line": nil,
	}
	if m.KnowsContext {
		out["capabilities"] = map[string]any{
			"compaction": can(m.Summarizes),
			"context_management": map[string]any{
				"supported":                m.ClearToolUses || m.ClearThinking || m.ServerCompact,
				"clear_tool_uses_20250919": can(m.ClearToolUses), "clear_thinking_20251015": can(m.ClearThinking), "compact_20260112": can(m.ServerCompact),
			},
		}
	}
	return out
}
