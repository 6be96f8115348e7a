package agent

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/memend/memend/agent/testdata/npmtest"
)

// oracleCase is a script that both the TypeScript SDK and our way of being like it
// play. What is compared is the sequence of requests.
type oracleCase struct {
	name    string
	script  []step
	compact Compaction
	turns   int
}

func oracleCases() []oracleCase {
	at := Compaction{Threshold: 1000}
	big := Usage{Input: 2000}
	return []oracleCase{
		{"CC2: just below", []step{callStep("a", under), endStep("ok", Usage{})}, at, 8},
		{"CC2, CC4: equal", []step{{reply: says(StopToolUse, over, TextBlock("aloud"), view("a"))}, summary("<summary>so far</summary>"), endStep("ok", Usage{})}, at, 8},
		{"CC6: own model and prompt", []step{callStep("a", big), summary("S"), endStep("ok", Usage{})}, Compaction{Threshold: 1000, Model: "small", Instructions: "SUM IT"}, 8},
		{"CC3: the second turn", []step{callStep("a", Usage{Input: 10}), callStep("b", big), summary("S"), endStep("ok", Usage{})}, at, 8},
		{"CC14: a final answer", []step{endStep("FINAL", big), summary("S"), endStep("again", Usage{})}, at, 8},
		{"CC9: no tags", []step{callStep("a", big), summary("plain words"), endStep("ok", Usage{})}, at, 8},
		{"CC10: no text", []step{callStep("a", big), callStep("z", Usage{})}, at, 8},
		{"CC11: the summary fails", []step{callStep("a", big), {err: &Failure{Type: "overloaded_error", Status: 529}}}, at, 8},
		{"CC12: twice in a row", []step{callStep("a", big), {reply: says("end_turn", Usage{Input: 5000}, TextBlock("S"))}, callStep("b", big), summary("S2"), endStep("ok", Usage{})}, at, 8},
		{"CC13: summaries are no turns", []step{callStep("a", big), summary("S"), callStep("b", Usage{}), endStep("never", Usage{})}, at, 2},
		{"CC16: a cache counts each time", []step{callStep("a", Usage{Input: 100, CacheRead: 900, Iterations: []Iteration{{Type: "message", Input: 50, CacheRead: 100}}}), summary("S"), endStep("ok", Usage{})}, at, 8},
	}
}

// CC1 to CC16, as the last TypeScript SDK that compacted on the client does it.
func TestLikeSDKSendsWhatTheTypeScriptSDKSends(t *testing.T) {
	sdk := npmtest.CompactingSDK.Folder(t)
	for _, c := range oracleCases() {
		t.Run(c.name, func(t *testing.T) {
			theirs := askOracle(t, sdk, c)
			var ours []string
			onStage(t, func(st *stage) {
				st.start("go", func(s *Settings) {
					s.Compact, s.Retries, s.Budget.Turns = c.compact, 0, c.turns
					s.Compact.Mode, s.Compact.LikeSDK = CompactClient, true
				})
				waitIdle()
				for _, r := range st.api.requests() {
					ours = append(ours, requestLine(r.Model, r.MaxTokens, r.System != "", r.Memory, r.Messages))
				}
			}, c.script...)
			if a, b := strings.Join(ours, "\n"), strings.Join(theirs, "\n"); a != b {
				t.Errorf("we send\n%s\nthe SDK sends\n%s", a, b)
			}
		})
	}
}

// What is known of the SDK's requests holds where it can't be had, too.
func TestLikeSDKDropsTheReplyThatCrossedTheThreshold(t *testing.T) {
	like := compacting(Compaction{Mode: CompactClient, LikeSDK: true, Threshold: 1000})
	onStage(t, func(st *stage) {
		st.start("go", like)
		waitIdle()
		st.sent(2, "u[go] u["+summaryPrompt+"]")
		st.sent(3, "u[<summary>S</summary>]")
		if got := st.mem.done(); len(got) > 0 || !st.api.asked[1] {
			t.Errorf("ran %v", got)
		}
		if c := st.last(CompactedNow).Compacted; !c.Lost || c.Messages != 1 {
			t.Errorf("compacted %+v", c)
		}
	}, callStep("a", over), summary("<summary>S</summary>"), endStep("ok", Usage{}))
	onStage(t, func(st *stage) { // CC11: a failure ends the run
		s := st.start("go", like)
		waitIdle()
		if len(st.api.requests()) != 2 || !strings.Contains(s.State().Reason, "invalid") {
			t.Errorf("%d requests, %q", len(st.api.requests()), s.State().Reason)
		}
	}, callStep("a", over), step{err: &Failure{Type: "invalid_request_error", Status: 400}})
}

// askOracle lets the SDK play a script and gives the requests that it sent.
func askOracle(t *testing.T, sdk string, c oracleCase) (lines []string) {
	t.Helper()
	var mu sync.Mutex
	script := c.script
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		raw, _ := io.ReadAll(r.Body)
		lines = append(lines, sdkLine(t, raw))
		st := step{reply: says("end_turn", Usage{}, TextBlock("out of script"))}
		if len(script) > 0 {
			st, script = script[0], script[1:]
		}
		w.Header().Set("Content-Type", "application/json")
		if st.err != nil {
			w.WriteHeader(st.err.(*Failure).Status)
			fmt.Fprintf(w, `{"type":"error","error":%s}`, asJSON(st.err))
			return
		}
		fmt.Fprintf(w, `{"id":"msg_1","type":"message","role":"assistant","model":"model-1","content":%s,"stop_reason":%q,"stop_sequence":null,"usage":%s}`,
			asJSON(st.reply.Content), st.reply.Stop, asJSON(st.reply.Usage))
	}))
	defer srv.Close()
	control := map[string]any{"contextTokenThreshold": c.compact.Threshold}
	if c.compact.Model != "" {
		control["model"] = c.compact.Model
	}
	if c.compact.Instructions != "" {
		control["summaryPrompt"] = c.compact.Instructions
	}
	cmd := exec.CommandContext(t.Context(), "node", "testdata/runner.mjs", sdk, srv.URL, asJSON(map[string]any{"compaction": control, "max": c.turns}))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mu.Lock()
	defer mu.Unlock()
	return lines
}

// sdkLine is a request of the SDK as requestLine says ours.
func sdkLine(t *testing.T, raw []byte) string {
	t.Helper()
	var body struct {
		Model     string          `json:"model"`
		MaxTokens int             `json:"max_tokens"`
		System    json.RawMessage `json:"system"`
		Tools     json.RawMessage `json:"tools"`
		Messages  []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(raw, &body); err != nil {
		t.Errorf("%s: %v", raw, err)
	}
	var ms []Message
	for _, m := range body.Messages {
		var text string
		var blocks []Block
		if json.Unmarshal(m.Content, &text) == nil {
			blocks = []Block{TextBlock(text)}
		} else if err := json.Unmarshal(m.Content, &blocks); err != nil {
			t.Errorf("%s: %v", m.Content, err)
		}
		ms = append(ms, Message{m.Role, blocks})
	}
	return requestLine(body.Model, body.MaxTokens, body.System != nil, body.Tools != nil, ms)
}

// requestLine says a request in short. The default prompts differ in their words.
func requestLine(model string, maxTokens int, system, tools bool, ms []Message) string {
	text := shown(ms)
	for _, start := range []string{"You have been working", "This conversation has grown"} {
		if i := strings.Index(text, start); i >= 0 {
			text = text[:i] + "DEFAULT PROMPT]"
		}
	}
	return fmt.Sprintf("%s %d system=%v tools=%v %s", model, maxTokens, system, tools, text)
}
