package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
)

func start(t *testing.T, o script.Options) *script.Server {
	t.Helper()
	s, err := script.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

type object = map[string]any

// betas are all beta features that are played.
const betas = "context-management-2025-06-27,compact-2026-01-12,compact-2026-09-04"

// post sends a body and gives the status and the answer.
func post(t *testing.T, s *script.Server, path, beta string, body any) (int, string) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest("POST", s.URL()+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("x-api-key", "k")
	req.Header.Set("anthropic-version", "2026-10-21")
	if beta != "" {
		req.Header.Set("anthropic-beta", beta)
	}
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, string) {
	t.Helper()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	out, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(out)
}

func user(content any) object      { return object{"role": "user", "content": content} }
func assistant(content any) object { return object{"role": "assistant", "content": content} }
func text(s string) object         { return object{"type": "text", "text": s} }
func use(id string) object {
	return object{"type": "tool_use", "id": id, "name": "memory", "input": object{"command": "view", "path": "/memories"}}
}
func result(id, s string) object {
	return object{"type": "tool_result", "tool_use_id": id, "content": s}
}

// ask is a request that is right, with some fields set otherwise.
func ask(fields object) object {
	b := object{"model": "scripted", "max_tokens": 1000, "messages": []any{user("go")}, "tools": []any{object{"type": "memory_20250818", "name": "memory"}}}
	for k, v := range fields {
		if b[k] = v; v == nil {
			delete(b, k)
		}
	}
	return b
}

func edits(es ...object) object { return object{"edits": es} }

type talk struct {
	t        *testing.T
	s        *script.Server
	fields   object
	messages []any
	reply    reply
}

type reply struct {
	Content []object
	Stop    string `json:"stop_reason"`
	Usage   agent.Usage
	Context struct {
		Applied []agent.AppliedEdit `json:"applied_edits"`
	} `json:"context_management"`
}

func (k *talk) say(content any) reply {
	k.messages = append(k.messages, user(content))
	return k.send()
}

func (k *talk) send() reply {
	k.t.Helper()
	fields := object{"messages": k.messages}
	for n, v := range k.fields {
		fields[n] = v
	}
	status, got := post(k.t, k.s, "/v1/messages", betas, ask(fields))
	if status != 200 {
		k.t.Fatalf("%d %s", status, got)
	}
	k.reply = reply{}
	if err := json.Unmarshal([]byte(got), &k.reply); err != nil {
		k.t.Fatal(err)
	}
	k.messages = append(k.messages, assistant(k.reply.Content))
	return k.reply
}

// answer answers all calls of the last reply.
func (k *talk) answer(s string, isError bool) reply {
	k.t.Helper()
	var out []any
	for _, b := range k.reply.Content {
		if b["type"] == "tool_use" {
			r := result(b["id"].(string), s)
			r["is_error"] = isError
			out = append(out, r)
		}
	}
	return k.say(out)
}

func (r reply) says() string {
	for _, b := range r.Content {
		if s, ok := b["text"].(string); ok {
			return s
		}
	}
	return ""
}

func say(s string) script.Turn { return script.Turn{Blocks: []script.Block{script.Say(s)}} }

func call(path string) script.Turn { return script.Turn{Blocks: []script.Block{script.View(path)}} }

func shop() script.Options {
	return script.Options{Conversations: []script.Conversation{
		{Name: "notes", Prompts: []script.Prompt{
			{Text: "sort my notes", Turns: []script.Turn{call("/memories"), {React: func(r script.Request) script.Turn {
				if r.Failed() != "" {
					return script.Turn{Blocks: []script.Block{script.Say("then otherwise: " + r.Failed()), script.Create("/memories/b.md", "x")}}
				}
				return say("no trouble")
			}}, say("sorted")}},
			{Text: "thanks", Turns: []script.Turn{say("welcome")}},
			{Turns: []script.Turn{say("the third, whatever it is")}},
		}},
		{Name: "by-model", Model: "small", Prompts: []script.Prompt{{Turns: []script.Turn{say("small talk")}}}},
	}}
}

func TestScriptsContinueFromTheRequest(t *testing.T) {
	k := &talk{t: t, s: start(t, shop())}
	if r := k.say("Please SORT MY NOTES now"); r.Stop != "tool_use" {
		t.Fatalf("%+v", r)
	}
	if r := k.answer("Error: no such file", true); !strings.Contains(r.says(), "then otherwise: Error: no such file") || r.Stop != "tool_use" {
		t.Errorf("%+v", r)
	}
	if r := k.answer("ok", false); r.says() != "sorted" || r.Stop != "end_turn" {
		t.Errorf("%+v", r)
	}
	if r := k.say("many thanks"); r.says() != "welcome" {
		t.Errorf("%+v", r)
	}
	if r := k.say("what else?"); r.says() != "the third, whatever it is" {
		t.Errorf("%+v", r)
	}
	// By its words a prompt is known in any place; what nobody wrote is said to be scripted.
	if r := k.say("sort my notes again"); r.Stop != "tool_use" {
		t.Errorf("%+v", r)
	}
	if r := k.answer("listing", false); r.says() != "no trouble" {
		t.Errorf("%+v", r)
	}
	if r := k.say("tell me a joke"); !strings.Contains(r.says(), "scripted") || !strings.Contains(r.says(), "sort my notes") {
		t.Errorf("%+v", r)
	}

	other := &talk{t: t, s: k.s, fields: object{"model": "small"}}
	if r := other.say("hello"); r.says() != "small talk" {
		t.Errorf("%+v", r)
	}
	nobody := &talk{t: t, s: k.s}
	if r := nobody.say("hello"); !strings.Contains(r.says(), "scripted") {
		t.Errorf("%+v", r)
	}
}

func TestSessionsWithTheSamePromptsAreIndependent(t *testing.T) {
	s := start(t, shop())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			k := &talk{t: t, s: s}
			k.say("sort my notes")
			k.answer("Error: x", true)
			if r := k.answer("ok", false); r.says() != "sorted" {
				t.Errorf("%+v", r)
			}
		})
	}
	wg.Wait()
}

func TestEditsAreAppliedAndReportedAgainForEachRequest(t *testing.T) {
	turns := make([]script.Turn, 12)
	for i := range turns {
		turns[i] = call(fmt.Sprintf("/memories/%d.md", i))
	}
	s := start(t, script.Options{Conversations: []script.Conversation{script.Play(turns...)}})
	k := &talk{t: t, s: s, fields: object{"context_management": edits(object{"type": agent.ClearToolUses, "trigger": object{"type": "input_tokens", "value": 2000}})}}
	k.say("go")
	long := strings.Repeat("words and words ", 100)
	var last int64
	cleared := 0
	for i := range 10 {
		r := k.answer(long, false)
		if r.Context.Applied == nil {
			t.Fatalf("turn %d says nothing of edits", i)
		}
		if len(r.Context.Applied) == 0 {
			last = r.Usage.Prompt()
			continue
		}
		a := r.Context.Applied[0]
		if cleared++; int(a.ToolUses) != i-2 || a.InputTokens < 300*a.ToolUses || r.Usage.Prompt() > last+100 {
			t.Errorf("turn %d: %+v, prompt %d (at most %d)", i, a, r.Usage.Prompt(), last)
		}
	}
	if cleared < 4 {
		t.Errorf("cleared %d times", cleared)
	}
}

func TestScriptsContinueAfterThresholdCompaction(t *testing.T) {
	for _, pause := range []bool{false, true} {
		turns := make([]script.Turn, 8)
		for i := range turns {
			turns[i] = script.Turn{Blocks: []script.Block{script.Say(fmt.Sprintf("turn %d", i)), script.View("/memories")}}
		}
		k := &talk{t: t, s: start(t, script.Options{Conversations: []script.Conversation{script.Play(turns...)}}), fields: object{"context_management": edits(
			object{"type": agent.CompactEdit, "trigger": object{"type": "input_tokens", "value": 50000}, "pause_after_compaction": pause})}}
		k.say("go")
		for i := 1; i < 8; i++ {
			r := k.answer(strings.Repeat("0123456789abcdef", 4000), false) // 16,000 tokens
			if r.Content[0]["type"] == "compaction" {
				if n := r.Usage.Iterations; len(n) == 0 || n[0].Type != "compaction" || n[0].Input <= 50000 {
					t.Errorf("%+v", r.Usage)
				}
				if pause {
					if r.Stop != "compaction" || len(r.Content) != 1 || r.Usage.Input != 0 {
						t.Errorf("%+v", r)
					}
					r = k.send() // as it came
				} else if n := r.Usage.Iterations; len(n) != 2 || n[1].Type != "message" {
					t.Errorf("%+v", n)
				}
				if r.Usage.Prompt() > 5000 {
					t.Errorf("after the summary the prompt has %d tokens", r.Usage.Prompt())
				}
				if i != 4 && i != 8 {
					t.Errorf("compacted at turn %d", i)
				}
				// The API ignores what is before; the client may drop it.
				n := map[bool]int{false: 1, true: 2}[pause]
				k.messages = k.messages[len(k.messages)-n:]
			}
			if want := fmt.Sprintf("turn %d", i); k.reply.says() != want {
				t.Fatalf("pause %v: %q for %q", pause, k.reply.says(), want)
			}
		}
	}
}

func TestSummariesKeepTheScriptsPosition(t *testing.T) {
	for _, how := range []string{"on demand", "client", "client with words of its own"} {
		k := &talk{t: t, s: start(t, script.Options{Conversations: []script.Conversation{{Name: "long", Prompts: []script.Prompt{
			{Text: "begin", Turns: []script.Turn{call("/memories/a"), call("/memories/b"), say("third turn")}},
			{Text: "more", Turns: []script.Turn{say("fourth turn")}},
		}}}})}
		k.say("begin")
		k.answer("one", false)
		var out []any
		for _, b := range k.reply.Content {
			out = append(out, result(b["id"].(string), "two"))
		}
		k.messages = append(k.messages, user(out))
		if how != "on demand" {
			prompt := map[string]string{"client": "Write a summary in <summary></summary> tags."}[how]
			if prompt == "" {
				prompt = "SUM IT"
			}
			// No tools, no stream, and the last words ask for it.
			status, got := post(t, k.s, "/v1/messages", "", object{"model": "scripted", "max_tokens": 1000, "messages": append(k.messages[:len(k.messages):len(k.messages)], user(prompt))})
			var r reply
			if err := json.Unmarshal([]byte(got), &r); err != nil || status != 200 || !strings.HasPrefix(r.says(), "<summary>") || !strings.Contains(r.says(), "view /memories/b") || r.Usage.Output == 0 {
				t.Fatalf("%d %s", status, got)
			}
			k.messages = []any{user(r.Content)}
		} else {
			k.fields = object{"compaction": object{"type": "summarize"}}
			r := k.send()
			if r.Stop != "compaction" || len(r.Content) != 1 || r.Content[0]["signature"] == "" || r.Usage.Input+r.Usage.Output != 0 || len(r.Usage.Iterations) != 1 {
				t.Fatalf("%+v", r)
			}
			k.messages, k.fields = []any{assistant(r.Content)}, nil
		}
		if r := k.send(); r.says() != "third turn" {
			t.Errorf("%s: %+v", how, r)
		}
		if r := k.say("more"); r.says() != "fourth turn" {
			t.Errorf("%s: %+v", how, r)
		}
	}
}

func TestTheCacheMatchesPrefixes(t *testing.T) {
	s := start(t, script.Options{Conversations: []script.Conversation{script.Play(call("/a"), call("/b"), call("/c"), call("/d"))}})
	k := &talk{t: t, s: s, fields: object{"cache_control": object{"type": "ephemeral"}, "system": strings.Repeat("rule ", 2000)}}
	first := k.say("go").Usage
	if first.CacheRead != 0 || first.CacheCreation < 2000 || first.Input > 10 {
		t.Errorf("%+v", first)
	}
	second := k.answer("x", false).Usage
	if second.CacheRead < first.CacheCreation-20 || second.CacheCreation > 200 {
		t.Errorf("%+v after %+v", second, first)
	}
	k.fields["system"] = "other " + k.fields["system"].(string)
	if third := k.answer("x", false).Usage; third.CacheRead != 0 {
		t.Errorf("another prompt: %+v", third)
	}
	delete(k.fields, "cache_control")
	if plain := k.answer("x", false).Usage; plain.CacheRead+plain.CacheCreation != 0 || plain.Input < 2000 {
		t.Errorf("nothing was to be kept: %+v", plain)
	}
}

func TestMaxTokensTruncatesAndLongPromptsAreRefused(t *testing.T) {
	s := start(t, script.Options{Models: []agent.Model{{ID: "scripted", MaxInputTokens: 3000}},
		Conversations: []script.Conversation{script.Play(script.Turn{Blocks: []script.Block{script.Say(strings.Repeat("ü", 400)), script.View("/x")}})}})
	k := &talk{t: t, s: s, fields: object{"max_tokens": 50}}
	if r := k.say("go"); r.Stop != "max_tokens" || len(r.Content) != 1 || len(r.says()) < 100 || len(r.says()) > 200 {
		t.Errorf("%+v", r)
	}
	status, got := post(t, s, "/v1/messages", "", ask(object{"system": strings.Repeat("x", 13000)}))
	if status != 400 || !strings.Contains(got, "prompt is too long: 32") {
		t.Errorf("%d %s", status, got)
	}
	if status, got := post(t, s, "/v1/messages", "", ask(object{"model": "big"})); status != 404 || !strings.Contains(got, "model: big") {
		t.Errorf("%d %s", status, got)
	}
}

func TestInvalidScriptsAreReported(t *testing.T) {
	s := start(t, script.Options{Conversations: []script.Conversation{script.Play(script.Turn{Blocks: []script.Block{script.Raw("{")}})}})
	if status, got := post(t, s, "/v1/messages", "", ask(nil)); status != 500 || !strings.Contains(got, "the script is invalid at script/0/0/0") {
		t.Errorf("%d %s", status, got)
	}
}

func TestAPausedTurnContinues(t *testing.T) {
	k := &talk{t: t, s: start(t, script.Options{Conversations: []script.Conversation{script.Play(
		script.Turn{Stop: "pause_turn", Blocks: []script.Block{script.Say("wait")}}, say("there"))}})}
	if r := k.say("go"); r.Stop != "pause_turn" {
		t.Fatalf("%+v", r)
	}
	if status, got := post(t, k.s, "/v1/messages", betas, ask(object{"messages": k.messages, "compaction": object{"type": "summarize"}})); status != 400 || !strings.Contains(got, "not finished") {
		t.Errorf("%d %s", status, got)
	}
	if r := k.send(); r.says() != "there" {
		t.Errorf("%+v", r)
	}
}

func TestDelaysUseTheGivenClock(t *testing.T) {
	var mu sync.Mutex
	slept := map[time.Duration]int{}
	s := start(t, script.Options{Delay: time.Second, Ping: time.Minute,
		Sleep: func(ctx context.Context, d time.Duration) error {
			mu.Lock()
			defer mu.Unlock()
			slept[d]++
			return ctx.Err()
		},
		Conversations: []script.Conversation{script.Play(script.Turn{Wait: 150 * time.Second, Blocks: []script.Block{script.Say("hi")}})}})
	status, got := post(t, s, "/v1/messages", "", ask(object{"stream": true}))
	if status != 200 || strings.Count(got, "event: ping") != 3 || !strings.HasSuffix(strings.TrimSpace(got), `data: {"type":"message_stop"}`) {
		t.Errorf("%d %s", status, got)
	}
	mu.Lock()
	defer mu.Unlock()
	if slept[time.Minute] != 2 || slept[30*time.Second] != 1 || slept[time.Second] < 6 {
		t.Errorf("%v", slept)
	}
}

func TestOnlyTheLastRequestsAreKept(t *testing.T) {
	s := start(t, script.Options{Keep: 3})
	for i := range 10 {
		post(t, s, "/v1/messages", "", ask(object{"system": fmt.Sprint("n", i)}))
	}
	got := s.Requests()
	if len(got) != 3 || !strings.Contains(string(got[2].Body), "n9") || !strings.Contains(string(got[0].Body), "n7") || got[0].Path != "/v1/messages" {
		t.Errorf("%d: %s", len(got), got[0].Body)
	}
}

func TestNamesOfConversationsAreChecked(t *testing.T) {
	for _, name := range []string{"", "a b", "a/b", "twice"} {
		if _, err := script.New(script.Options{Conversations: []script.Conversation{{Name: "twice"}, {Name: name}}}); err == nil {
			t.Errorf("%q is taken", name)
		}
	}
}

func TestCloseEndsHangingRequests(t *testing.T) {
	s, err := script.New(script.Options{Conversations: []script.Conversation{script.Play(script.Turn{Faults: []script.Fault{{Kind: script.Stall}}})}})
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := json.Marshal(ask(object{"stream": true}))
	req, _ := http.NewRequest("POST", s.URL()+"/v1/messages", bytes.NewReader(raw))
	req.Header.Set("x-api-key", "k")
	req.Header.Set("anthropic-version", "2026-10-21")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := io.ReadAll(res.Body); err == nil {
		t.Error("the stream ended as if it were whole")
	}
	if _, err := http.Get(s.URL()); err == nil {
		t.Error("it still listens")
	}
}
