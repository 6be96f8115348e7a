package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// scriptedAPI answers any client of the Messages API with the calls that follow "SCRIPT:"
// in its prompt, a list of turns. A subagent's prompt brings its own script.
type scriptedAPI struct{ url string }

type scriptedCall struct {
	Name  string         `json:"name"`
	Input map[string]any `json:"input"`
}

func newScriptedAPI(t *testing.T) scriptedAPI {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(answerScripted))
	t.Cleanup(s.Close)
	return scriptedAPI{s.URL}
}

// scripted returns a prompt that makes the agent make calls, one per turn.
func scripted(calls ...scriptedCall) string {
	var turns [][]scriptedCall
	for _, c := range calls {
		turns = append(turns, []scriptedCall{c})
	}
	b, err := json.Marshal(turns)
	if err != nil {
		panic(err)
	}
	return "SCRIPT:" + string(b)
}

func answerScripted(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/v1/messages") {
		http.NotFound(w, r)
		return
	}
	var asked struct {
		Model    string `json:"model"`
		Stream   bool   `json:"stream"`
		Tools    []any  `json:"tools"`
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var script [][]scriptedCall
	turn := 0
	for _, m := range asked.Messages {
		if m.Role == "assistant" {
			turn++
		}
		for _, text := range textsOf(m.Content) {
			if _, after, ok := strings.Cut(text, "SCRIPT:"); ok && script == nil {
				_ = json.NewDecoder(strings.NewReader(after)).Decode(&script)
			}
		}
	}
	content, stop := []map[string]any{{"type": "text", "text": "Done."}}, "end_turn"
	if turn < len(script) && len(asked.Tools) > 0 {
		content, stop = nil, "tool_use"
		for i, c := range script[turn] {
			content = append(content, map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%x_%d_%d", len(asked.Messages[0].Content), turn, i), "name": c.Name, "input": c.Input})
		}
	}
	message := map[string]any{"id": fmt.Sprintf("msg_%d", turn), "type": "message", "role": "assistant", "model": asked.Model, "content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]int{"input_tokens": 10, "output_tokens": 5}}
	if !asked.Stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(message)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	event := func(kind string, more map[string]any) {
		more["type"] = kind
		b, err := json.Marshal(more)
		if err == nil {
			_, _ = fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
		}
	}
	message["content"], message["stop_reason"] = []any{}, nil
	event("message_start", map[string]any{"message": message})
	for i, block := range content {
		whole := map[string]any{"type": "text_delta", "text": block["text"]}
		if block["type"] == "tool_use" {
			input, err := json.Marshal(block["input"])
			if err != nil {
				return
			}
			whole = map[string]any{"type": "input_json_delta", "partial_json": string(input)}
			block["input"] = map[string]any{}
		} else {
			block["text"] = ""
		}
		event("content_block_start", map[string]any{"index": i, "content_block": block})
		event("content_block_delta", map[string]any{"index": i, "delta": whole})
		event("content_block_stop", map[string]any{"index": i})
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]int{"output_tokens": 20}})
	event("message_stop", map[string]any{})
}

// textsOf returns the texts of a message, which is a string or a list of blocks.
func textsOf(content json.RawMessage) (out []string) {
	var one string
	if json.Unmarshal(content, &one) == nil {
		return []string{one}
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		out = append(out, b.Text)
	}
	return out
}
