package messages_test

import (
	"errors"
	"testing"

	"github.com/memend/memend/agent"
)

const begins = `{"type":"message_start","message":{"id":"m","usage":{}}}`

// JSON writes an emoji as two escapes; a stream may be split between them.
func TestSplitCharactersAreJoined(t *testing.T) {
	t.Parallel()
	for kind, delta := range map[string]string{"text": "text_delta", "thinking": "thinking_delta", "tool_use": "input_json_delta"} {
		field := map[string]string{"text": "text", "thinking": "thinking", "tool_use": "partial_json"}[kind]
		add := func(text string) string {
			return `{"type":"content_block_delta","index":0,"delta":{"type":"` + delta + `","` + field + `":"` + text + `"}}`
		}
		quote := ""
		if kind == "tool_use" {
			quote = `\"`
		}
		received := ""
		r, err := raw(t, stream, events(begins,
			`{"type":"content_block_start","index":0,"content_block":{"type":"`+kind+`","id":"toolu_1","name":"memory","input":{},"text":"","thinking":"","signature":""}}`,
			add(quote+`a\\ud83d \ud83d`), add(`\ude00b \uD83D`), add(`\uDE00`+quote),
			`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)).
			Stream(t.Context(), request(), func(d agent.Delta) { received += d.Text })
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		got, want := r.Content[0].Text, "a\\ud83d \U0001F600b \U0001F600"
		if kind == "tool_use" {
			got, want = string(r.Content[0].Input), `"`+want+`"`
		}
		if received != want {
			t.Errorf("%s: told %q", kind, received)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	// Half a character with no other half.
	r, err := raw(t, stream, events(begins, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a\ud83d"}}`,
		`{"type":"content_block_stop","index":0}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`, `{"type":"message_stop"}`)).Stream(t.Context(), request(), nil)
	if err != nil || r.Content[0].Text != "a\ufffd" {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestARefusalHasTheAPIsExplanation(t *testing.T) {
	t.Parallel()
	const why = "This asks for something that is not allowed."
	r, err := raw(t, stream, events(begins, `{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"type":"refusal","category":"cyber","explanation":"`+why+`"}}}`, `{"type":"message_stop"}`)).Stream(t.Context(), request(), nil)
	if err != nil || r.Stop != "refusal" || r.Explanation != why {
		t.Errorf("%+v, %v", r, err)
	}
}

// A broken frame is like a stream that was cut: the request is sent again.
func TestBrokenStreamsAreRetryable(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"a broken frame":      events(begins) + "event: content_block_start\ndata: {\"type\":\"content_blo\n\n",
		"no block to add to":  events(begins, `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`),
		"a null stop reason":  events(begins, `{"type":"message_delta","delta":{"stop_reason":null}}`, `{"type":"message_stop"}`),
		"without a reason":    events(begins, `{"type":"message_stop"}`),
		"a delta of a number": events(begins, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}`),
	} {
		if r, err := raw(t, stream, body).Stream(t.Context(), request(), nil); !errors.Is(err, agent.ErrCut) {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	var failed *agent.Failure
	_, err := raw(t, stream, events(begins, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)).Stream(t.Context(), request(), nil)
	if errors.Is(err, agent.ErrCut) || !errors.As(err, &failed) {
		t.Errorf("the API's own error: %v", err)
	}
}
