package script_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
)

func TestRequestsAreValidatedLikeTheAPI(t *testing.T) {
	s := start(t, script.Options{})
	adaptive := object{"type": "adaptive"}
	clearTools, clearThinking := object{"type": agent.ClearToolUses}, object{"type": agent.ClearThinking}
	compact := func(n int) object {
		return object{"type": agent.CompactEdit, "trigger": object{"type": "input_tokens", "value": n}}
	}
	summary := object{"type": "compaction", "content": "s", "encrypted_content": "x"}
	signed := object{"type": "compaction", "content": "s", "encrypted_content": "x", "signature": "other"}
	on := object{"type": "summarize"}
	for _, c := range []struct {
		name   string
		fields object
		beta   string
		want   string // a part of the error; empty: accepted
	}{
		{"plain", nil, "", ""},
		{"no model", object{"model": nil}, "", "model: Field required"},
		{"no max_tokens", object{"max_tokens": nil}, "", "max_tokens: Field required"},
		{"max_tokens of nothing", object{"max_tokens": 0}, "", "max_tokens"},
		{"sampling", object{"temperature": 0.5}, "", "temperature"},
		{"a thread", object{"thread": object{"type": "create"}}, "", "thread"},
		{"no messages", object{"messages": []any{}}, "", "at least one message"},
		{"a strange role", object{"messages": []any{object{"role": "system", "content": "x"}}}, "", "role"},
		{"the assistant first", object{"messages": []any{assistant("x"), user("y")}}, "", "first message"},
		{"an empty text", object{"messages": []any{user([]any{text("")})}}, "", "non-empty"},
		{"an empty message", object{"messages": []any{user([]any{})}}, "", "non-empty content"},
		{"two of the person in a row", object{"messages": []any{user("a"), user("b")}}, "", ""},
		{"prefill", object{"messages": []any{user("a"), assistant("b")}}, "", "prefill"},
		{"answered", object{"messages": []any{user("a"), assistant([]any{use("t1"), use("t2")}), user([]any{result("t2", "x"), result("t1", "y"), text("and")})}}, "", ""},
		{"answered by two messages in a row", object{"messages": []any{user("a"), assistant([]any{use("t1"), use("t2")}), user([]any{result("t1", "x")}), user([]any{result("t2", "y")})}}, "", ""},
		{"unanswered", object{"messages": []any{user("a"), assistant([]any{use("t1"), use("t2")}), user([]any{result("t1", "x")})}}, "", "`tool_use` ids were found without `tool_result` blocks immediately after: t2"},
		{"unanswered at the end", object{"messages": []any{user("a"), assistant([]any{use("t1")})}}, "", "without `tool_result`"},
		{"answered behind a text", object{"messages": []any{user("a"), assistant([]any{use("t1")}), user([]any{text("b"), result("t1", "x")})}}, "", "without `tool_result`"},
		{"answered twice", object{"messages": []any{user("a"), assistant([]any{use("t1"), use("t2")}), user([]any{result("t1", "x"), result("t1", "y"), result("t2", "z")})}}, "", "single result"},
		{"not asked", object{"messages": []any{user([]any{result("t1", "x")})}}, "", "unexpected `tool_use_id`"},
		{"answered too late", object{"messages": []any{user("a"), assistant([]any{use("t1")}), user([]any{result("t1", "x")}), assistant("b"), user([]any{result("t1", "x")})}}, "", "unexpected `tool_use_id`"},
		{"the same id twice", object{"messages": []any{user("a"), assistant([]any{use("t1")}), user([]any{result("t1", "x")}), assistant([]any{use("t1")}), user([]any{result("t1", "x")})}}, "", "unique"},
		{"an input that is none", object{"messages": []any{user("a"), assistant([]any{object{"type": "tool_use", "id": "t", "name": "memory", "input": "x"}}), user([]any{result("t", "x")})}}, "", "dictionary"},
		{"a thinking without its signature", object{"messages": []any{user("a"), assistant([]any{object{"type": "thinking", "thinking": "x"}, text("b")}), user("c")}}, "", "Invalid `signature`"},
		{"a thinking of somebody else", object{"messages": []any{user("a"), assistant([]any{object{"type": "thinking", "thinking": "x", "signature": "c2ln"}, text("b")}), user("c")}}, "", ""},
		{"a thinking that was changed", object{"messages": []any{user("a"), assistant([]any{object{"type": "thinking", "thinking": "x", "signature": "scripted.AAAA"}, text("b")}), user("c")}}, "", "Invalid `signature`"},

		{"edits without their beta", object{"context_management": edits(clearTools)}, "", "Extra inputs"},
		{"edits with another's beta", object{"context_management": edits(clearTools)}, "compact-2026-01-12", "Extra inputs"},
		{"edits", object{"context_management": edits(clearTools)}, "a, context-management-2025-06-27", ""},
		{"thinking second", object{"thinking": adaptive, "context_management": edits(clearTools, clearThinking)}, betas, "must be the first"},
		{"thinking first", object{"thinking": adaptive, "context_management": edits(clearThinking, clearTools)}, betas, ""},
		{"thinking off", object{"context_management": edits(clearThinking)}, betas, "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive"},
		{"an unknown edit", object{"context_management": edits(object{"type": "clear_all_20300101"})}, betas, "does not match any of the expected tags"},
		{"a wrong unit", object{"context_management": edits(object{"type": agent.ClearToolUses, "keep": object{"type": "input_tokens", "value": 1}})}, betas, "edits.0.keep.type"},
		{"an unknown option", object{"context_management": edits(object{"type": agent.ClearToolUses, "colour": "red"})}, betas, "colour"},
		{"keep no thinking", object{"thinking": adaptive, "context_management": edits(object{"type": agent.ClearThinking, "keep": object{"type": "thinking_turns", "value": 0}})}, betas, "keep.value"},
		{"keep all thinking", object{"thinking": adaptive, "context_management": edits(object{"type": agent.ClearThinking, "keep": "all"})}, betas, ""},
		{"a threshold", object{"context_management": edits(compact(50000))}, betas, ""},
		{"a threshold that is too low", object{"context_management": edits(compact(49999))}, betas, "greater than or equal to 50000"},
		{"a threshold without its beta", object{"context_management": edits(compact(50000))}, "context-management-2025-06-27", "Extra inputs"},

		{"on demand", object{"compaction": on}, betas, ""},
		{"on demand after an answer", object{"compaction": on, "messages": []any{user("a"), assistant("b")}}, betas, ""},
		{"on demand without its beta", object{"compaction": on}, "compact-2026-01-12", "Extra inputs"},
		{"on demand of another type", object{"compaction": object{"type": "shred"}}, betas, "summarize"},
		{"on demand with edits", object{"compaction": on, "context_management": edits(clearTools)}, betas, "context_management"},
		{"on demand with stop sequences", object{"compaction": on, "stop_sequences": []any{"x"}}, betas, "stop_sequences"},
		{"on demand with a forced tool", object{"compaction": on, "tool_choice": object{"type": "any"}}, betas, "tool_choice"},
		{"on demand with a format", object{"compaction": on, "output_format": object{"type": "json_schema"}}, betas, "format"},
		{"on demand with a call open", object{"compaction": on, "messages": []any{user("a"), assistant([]any{use("t1")})}}, betas, "not finished"},
		{"a summary without a beta", object{"messages": []any{assistant([]any{summary}), user("a")}}, "", "Extra inputs"},
		{"a summary", object{"messages": []any{assistant([]any{summary}), user("a")}}, "compact-2026-01-12", ""},
		{"a signed summary needs its own beta", object{"messages": []any{assistant([]any{signed}), user("a")}}, "compact-2026-01-12", "signature"},
		{"a signed summary", object{"messages": []any{assistant([]any{signed}), user("a")}}, betas, ""},
		{"a signed summary that isn't first", object{"messages": []any{user("x"), assistant([]any{signed}), user("a")}}, betas, "first block"},
		{"a signed summary with a threshold", object{"messages": []any{assistant([]any{signed}), user("a")}, "context_management": edits(compact(50000))}, betas, "cannot be combined"},
	} {
		status, got := post(t, s, "/v1/messages", c.beta, ask(c.fields))
		switch {
		case c.want == "" && status != 200:
			t.Errorf("%s: %d %s", c.name, status, got)
		case c.want != "" && (status != 400 || !strings.Contains(got, c.want) || !strings.Contains(got, `"type":"invalid_request_error"`)):
			t.Errorf("%s: %d %s", c.name, status, got)
		}
	}
}

func TestVersionsKeysAndPaths(t *testing.T) {
	s := start(t, script.Options{})
	good, _ := json.Marshal(ask(nil))
	hot, _ := json.Marshal(ask(object{"temperature": 0.5}))
	for _, c := range []struct {
		path, key, value, version string
		body                      []byte
		want                      int
	}{
		{"/v1/messages", "x-api-key", "k", "2023-06-01", good, 200},
		{"/v1/messages?beta=true", "x-api-key", "k", "2023-06-01", hot, 200},
		{"/v1/messages", "authorization", "Bearer k", "2026-10-21", good, 200},
		{"/v1/messages", "authorization", "Bearer k", "2026-10-21", hot, 400},
		{"/v1/messages", "authorization", "Bearer k", "2019-01-01", good, 400},
		{"/v1/messages", "authorization", "Bearer k", "", good, 400},
		{"/v1/messages", "x-other", "k", "2026-10-21", good, 401},
		{"/v1/messages", "x-api-key", "k", "2026-10-21", []byte("{"), 400},
		{"/v1/poems", "x-api-key", "k", "2026-10-21", good, 404},
	} {
		req, _ := http.NewRequest("POST", s.URL()+c.path, bytes.NewReader(c.body))
		req.Header.Set(c.key, c.value)
		if c.version != "" {
			req.Header.Set("anthropic-version", c.version)
		}
		if status, got := do(t, req); status != c.want {
			t.Errorf("%+v: %d %s", c, status, got)
		}
	}
}

// talk is a conversation with the server, of which the test is the client.
