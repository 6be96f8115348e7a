package messages_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/agent/script"
)

// serve plays turns and gives a client of them.
func serve(t testing.TB, turns ...script.Turn) (*script.Server, *messages.Client) {
	t.Helper()
	return serveWith(t, script.Options{Conversations: []script.Conversation{script.Play(turns...)}})
}

func serveWith(t testing.TB, o script.Options) (*script.Server, *messages.Client) {
	t.Helper()
	s, err := script.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, client(t, s.URL())
}

func client(t testing.TB, url string) *messages.Client {
	t.Helper()
	c, err := messages.New(messages.Options{BaseURL: url, APIKey: "key"})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// raw serves one answer to all requests.
func raw(t testing.TB, contentType, body string) *messages.Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", contentType)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(srv.Close)
	return client(t, srv.URL)
}

const stream = "text/event-stream; charset=utf-8"

func request(ms ...agent.Message) agent.Request {
	if len(ms) == 0 {
		ms = []agent.Message{agent.UserText("go")}
	}
	return agent.Request{Model: "scripted", MaxTokens: 4096, System: "S", Memory: true, Thinking: true, Messages: ms, Idle: 10 * time.Second}
}

// rich is a turn with every kind of block, and texts that are cut at odd places.
func rich() script.Turn {
	return script.Turn{Noise: true, Blocks: []script.Block{
		script.Think("look first — 見る 🧠 then <act> & \u2028 go"),
		script.Say("Checking ☃ “memory” — naïve 👩‍👩‍👧 \\ end."),
		script.Create("/memories/ü 🗒.md", "# Ünï\n\t\"q\" \\u0041 </script> 🦀🦀\n"),
		script.View("/memories"),
		script.Use("memory", map[string]any{}),
		script.Raw(`{"type":"redacted_thinking","data":"b3BhcXVl"}`),
		script.Raw(`{"type":"hologram_20270101","beams":[1,2.50,"<x>"],"n":1e3}`),
	}}
}

func answer(r *agent.Reply) agent.Message {
	m := agent.Message{Role: "user"}
	for _, b := range r.Content {
		if b.Type == agent.TypeToolUse {
			m.Content = append(m.Content, agent.ResultBlock(b.ID, "ok", false))
		}
	}
	return m
}

func TestRepliesAreSentBackUnchanged(t *testing.T) {
	t.Parallel()
	s, c := serve(t, rich(), script.Turn{Blocks: []script.Block{script.Say("done")}})
	r, err := c.Stream(t.Context(), request(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := c.Ask(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Content) != 7 || r.Stop != agent.StopToolUse || r.ID == "" || r.Model != "scripted" || r.Partial != nil {
		t.Fatalf("%+v", r)
	}
	for i := range whole.Content {
		sameJSON(t, "streamed and whole", r.Content[i].Raw(), whole.Content[i].Raw())
	}
	if got := r.Content[0].Text; got != "look first — 見る 🧠 then <act> & \u2028 go" {
		t.Errorf("thinking %q", got)
	}
	var in struct {
		Text string `json:"file_text"`
		Path string
	}
	if err := json.Unmarshal(r.Content[2].Input, &in); err != nil || in.Text != "# Ünï\n\t\"q\" \\u0041 </script> 🦀🦀\n" || in.Path != "/memories/ü 🗒.md" {
		t.Errorf("input %s: %v", r.Content[2].Input, err)
	}
	if got := string(r.Content[4].Input); got != "{}" {
		t.Errorf("input of a call without deltas: %s", got)
	}
	if got := string(r.Content[6].Raw()); got != `{"beams":[1,2.50,"<x>"],"n":1e3,"type":"hologram_20270101"}` {
		t.Errorf("a block that nobody knows: %s", got)
	}
	// The script checks the signature of the thinking, that all calls are answered, and so on.
	next, err := c.Stream(t.Context(), request(agent.UserText("go"), r.Message(), answer(r)), nil)
	if err != nil || next.Content[0].Text != "done" || next.Stop != "end_turn" {
		t.Fatalf("%+v, %v", next, err)
	}
	all := s.Requests()
	var sent struct {
		Messages []struct{ Content []json.RawMessage }
	}
	if err := json.Unmarshal(all[len(all)-1].Body, &sent); err != nil {
		t.Fatal(err)
	}
	for i, b := range r.Content {
		sameJSON(t, "sent back", sent.Messages[1].Content[i], b.Raw())
	}
}

func sameJSON(t *testing.T, what string, a, b []byte) {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil || !reflect.DeepEqual(x, y) {
		t.Errorf("%s: %s is not %s", what, a, b)
	}
}

func TestDeltasAddUpToTheBlocks(t *testing.T) {
	t.Parallel()
	_, c := serve(t, rich())
	got := map[int]string{}
	finished := 0
	var kinds []agent.DeltaKind
	r, err := c.Stream(t.Context(), request(), func(d agent.Delta) {
		kinds = append(kinds, d.Kind)
		switch d.Kind {
		case agent.TextAdded, agent.InputAdded:
			got[d.Index] += d.Text
		case agent.BlockFinished:
			finished++
			if d.Block.Type != d.Type || d.Block.Raw() == nil {
				t.Errorf("finished %+v", d)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if kinds[0] != agent.MessageStarted || kinds[1] != agent.BlockStarted || finished != len(r.Content) {
		t.Errorf("%v; %d finished", kinds, finished)
	}
	for i, b := range r.Content {
		switch b.Type {
		case agent.TypeText, agent.TypeThinking:
			if got[i] != b.Text {
				t.Errorf("block %d: told %q of %q", i, got[i], b.Text)
			}
		case agent.TypeToolUse:
			if got[i] != "" {
				sameJSON(t, "told", []byte(got[i]), b.Input)
			}
		}
	}
}

func events(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		var e struct{ Type string }
		_ = json.Unmarshal([]byte(l), &e)
		fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", e.Type, strings.ReplaceAll(l, "\n", " "))
	}
	return b.String()
}

func TestUsageIsReplacedAndEditsBelongToTheReply(t *testing.T) {
	t.Parallel()
	c := raw(t, stream, events(
		`{"type":"message_start","message":{"id":"m","model":"M","usage":{"input_tokens":31200,"cache_creation_input_tokens":7,"cache_read_input_tokens":1800,"output_tokens":3}}}`,
		`{"type":"message_delta","delta":{},"usage":{"output_tokens":50}}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":23000,"output_tokens":74,"iterations":[{"type":"compaction","input_tokens":180000,"output_tokens":3500},{"type":"message","input_tokens":23000,"cache_read_input_tokens":5,"output_tokens":74}]},
		  "context_management":{"applied_edits":[{"type":"clear_tool_uses_20250919","cleared_tool_uses":8,"cleared_input_tokens":50000},{"type":"future_edit","cleared_widgets":1}]}}`,
		`{"type":"message_stop"}`))
	r, err := c.Stream(t.Context(), request(), nil)
	if err != nil {
		t.Fatal(err)
	}
	u := r.Usage
	if u.Input != 23000 || u.CacheCreation != 7 || u.CacheRead != 1800 || u.Output != 74 || len(u.Iterations) != 2 || u.Prompt() != 23005 {
		t.Errorf("%+v", u)
	}
	if len(r.Applied) != 2 || r.Applied[0].ToolUses != 8 || r.Applied[0].InputTokens != 50000 || r.Applied[0].Raw != nil ||
		r.Applied[1].Type != "future_edit" || !strings.Contains(string(r.Applied[1].Raw), "cleared_widgets") {
		t.Errorf("%+v", r.Applied)
	}
}

func TestTruncatedInputIsKeptAsText(t *testing.T) {
	t.Parallel()
	c := raw(t, stream, events(
		`{"type":"message_start","message":{"id":"m","usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"memory","input":{}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\": \"cre"}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}`,
		`{"type":"message_stop"}`))
	r, err := c.Stream(t.Context(), request(), nil)
	if err != nil || string(r.Content[0].Input) != `{"INVALID_JSON":"{\"command\": \"cre"}` {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestInvalidStreamsFail(t *testing.T) {
	t.Parallel()
	start := `{"type":"message_start","message":{"id":"m","usage":{}}}`
	for name, body := range map[string]string{
		"a delta of no block":      events(start, `{"type":"content_block_delta","index":3,"delta":{"type":"text_delta","text":"x"}}`, `{"type":"message_stop"}`),
		"an end of no block":       events(start, `{"type":"content_block_stop","index":0}`, `{"type":"message_stop"}`),
		"a block that never ended": events(start, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`, `{"type":"message_stop"}`),
		"an event that isn't JSON": "event: message_start\ndata: {\n\n",
		"a block that isn't one":   events(start, `{"type":"content_block_start","index":0,"content_block":7}`, `{"type":"message_stop"}`),
	} {
		if r, err := raw(t, stream, body).Stream(t.Context(), request(), nil); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestTextBlocksMayHaveCitationsAndInitialText(t *testing.T) {
	t.Parallel()
	c := raw(t, stream, events(
		`{"type":"message_start","message":{"id":"m","usage":{}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a","citations":[]}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"page","n":1.0}}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"page","n":2}}}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
		`{"type":"message_stop"}`))
	r, err := c.Stream(t.Context(), request(), nil)
	if want := `{"citations":[{"type":"page","n":1.0},{"type":"page","n":2}],"text":"ab","type":"text"}`; err != nil || string(r.Content[0].Raw()) != want {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestSummariesAreStreamed(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`"content":"So far.","encrypted_content":"b3A=","signature":"s"`, `"content":null,"encrypted_content":null`} {
		c := raw(t, stream, events(
			`{"type":"message_start","message":{"id":"m","usage":{}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"compaction","content":null,"encrypted_content":null}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"compaction_delta",`+body+`}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"late"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"compaction"},"usage":{"input_tokens":0,"output_tokens":0}}`,
			`{"type":"message_stop"}`))
		r, err := c.Stream(t.Context(), request(), nil)
		if err != nil || r.Stop != agent.StopCompaction {
			t.Fatalf("%+v, %v", r, err)
		}
		want := strings.Replace(`{"type":"compaction",`+body+`}`, `,"signature":"s"`, "", 1)
		sameJSON(t, "summary", r.Content[0].Raw(), []byte(strings.TrimSuffix(want, "}")+`,"signature":"late"}`))
	}
}

func TestRequestsHaveTheirFieldsAndBetas(t *testing.T) {
	t.Parallel()
	summary, err := agent.ParseBlock([]byte(`{"type":"compaction","content":"s","encrypted_content":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	summarized := agent.Message{Role: "assistant", Content: []agent.Block{summary}}
	const edits, threshold, demand = "context-management-2025-06-27", "compact-2026-01-12", "compact-2026-09-04"
	for _, c := range []struct {
		name  string
		with  func(*agent.Request)
		beta  string
		parts []string
		not   []string
	}{
		{"nothing", func(r *agent.Request) { r.Memory, r.Thinking, r.System = false, false, "" }, "", nil, []string{"tools", "thinking", "system", "context_management", "compaction", "cache_control"}},
		{"memory", func(r *agent.Request) {}, "", []string{`"tools":[{"name":"memory","type":"memory_20250818"}]`, `"type":"adaptive"`, `"stream":true`, `"max_tokens":4096`, `"text":"S"`}, []string{"budget"}},
		{"cache", func(r *agent.Request) { r.Cache = true }, "", []string{`"cache_control":{"type":"ephemeral"}`}, nil},
		{"edits in order", func(r *agent.Request) {
			r.Edits = []agent.Edit{{Type: agent.ClearThinking, KeepAll: true}, {Type: agent.ClearToolUses, Exclude: []string{"memory"}}}
		}, edits, []string{`"edits":[{"keep":"all","type":"clear_thinking_20251015"},{"exclude_tools":["memory"],"type":"clear_tool_uses_20250919"}]`}, nil},
		{"a threshold", func(r *agent.Request) {
			r.Edits = []agent.Edit{{Type: agent.CompactEdit, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 60000}}}
		}, threshold, []string{`"value":60000`}, nil},
		{"both", func(r *agent.Request) { r.Edits = []agent.Edit{{Type: agent.ClearToolUses}, {Type: agent.CompactEdit}} }, edits + "," + threshold, nil, nil},
		{"an edit of tomorrow", func(r *agent.Request) { r.Edits = []agent.Edit{{Type: "future_20280101"}} }, edits, []string{`{"type":"future_20280101"}`}, nil},
		{"on demand", func(r *agent.Request) { r.Compact = &agent.Summarize{Instructions: "short"} }, demand, []string{`"compaction":{"instructions":"short","type":"summarize"}`}, nil},
		{"on demand as the API likes", func(r *agent.Request) { r.Compact = &agent.Summarize{Instructions: " \n"} }, demand, []string{`"compaction":{"type":"summarize"}`}, []string{"instructions"}},
		{"after one on demand", func(r *agent.Request) {
			r.Compacted = true
			r.Messages = []agent.Message{summarized, agent.UserText("x")}
		}, demand, []string{`"encrypted_content":"x"`}, nil},
		{"after one at a threshold", func(r *agent.Request) {
			r.Messages = []agent.Message{agent.UserText("x"), summarized, agent.UserText("y")}
		}, threshold, nil, nil},
	} {
		s, cl := serve(t)
		r := request()
		c.with(&r)
		_, _ = cl.Stream(t.Context(), r, nil) // some are refused: what was sent counts
		sent := s.Requests()[0]
		body := string(sent.Body)
		if got := sent.Header.Get("anthropic-beta"); got != c.beta {
			t.Errorf("%s: betas %q", c.name, got)
		}
		for _, p := range c.parts {
			if !strings.Contains(strings.ReplaceAll(body, `"display":"summarized",`, ""), p) {
				t.Errorf("%s: no %s in %s", c.name, p, body)
			}
		}
		for _, p := range c.not {
			if strings.Contains(body, p) {
				t.Errorf("%s: %s in %s", c.name, p, body)
			}
		}
		if sent.Path != "/v1/messages" || sent.Header.Get("anthropic-version") != "2026-10-21" || sent.Header.Get("authorization") != "Bearer key" || sent.Header.Get("x-api-key") != "" {
			t.Errorf("%s: %s %v", c.name, sent.Path, sent.Header)
		}
	}
}

func TestAskSendsOnceAndDoesNotStream(t *testing.T) {
	t.Parallel()
	s, c := serve(t, script.Turn{Blocks: []script.Block{script.Say("hi")}, Faults: []script.Fault{script.Overloaded()}})
	r := request()
	r.MaxTokens = 100_000 // the SDK alone refuses so many
	_, err := c.Ask(t.Context(), r)
	var f *agent.Failure
	if !errors.As(err, &f) || f.Status != 529 || len(s.Requests()) != 1 {
		t.Fatalf("%v", err)
	}
	got, err := c.Ask(t.Context(), r)
	if err != nil || got.Content[0].Text != "hi" || got.Stop != "end_turn" || got.Usage.Output == 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if strings.Contains(string(s.Requests()[1].Body), "stream") {
		t.Error("it streams")
	}
	if _, err := raw(t, "application/json", `{"id":"m","content":[]}`).Ask(t.Context(), r); !errors.Is(err, agent.ErrCut) {
		t.Errorf("a reply without a stop reason: %v", err)
	}
}

func TestModelsArePagedWithTheirCapabilities(t *testing.T) {
	t.Parallel()
	var want []agent.Model
	for i := range 45 {
		want = append(want, agent.Model{ID: fmt.Sprintf("m%d", i), Name: "M", MaxInputTokens: int64(1000 * i), KnowsContext: i%2 == 0, ClearToolUses: i%4 == 0, ServerCompact: i == 6, Summarizes: i == 8, ClearThinking: i == 2})
	}
	s, c := serveWith(t, script.Options{Models: want})
	got, err := c.Models(t.Context())
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if n := len(s.Requests()); n != 3 {
		t.Errorf("%d pages", n)
	}
}

// A gateway may ignore which page it is asked for.
func TestAListOfModelsEndsWhereItRepeats(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithTimeout(t.Context(), 5*time.Second)
	defer stop()
	c := raw(t, "application/json", `{"data":[{"type":"model","id":"m","display_name":"M"}],"has_more":true,"first_id":"m","last_id":"m"}`)
	if got, err := c.Models(ctx); err != nil || len(got) != 1 {
		t.Errorf("%d models, %v", len(got), err)
	}
}
