package agent

import (
	"context"
	"strings"
	"testing"
	"time"
)

func compacting(c Compaction) func(*Settings) { return func(s *Settings) { s.Compact = c } }

func summary(text string) step {
	return step{reply: says("end_turn", Usage{Input: 7, Output: 3}, TextBlock(text))}
}

func clientAt(threshold int64) func(*Settings) {
	return compacting(Compaction{Mode: CompactClient, Threshold: threshold})
}

func callStep(id string, u Usage) step { return step{reply: says(StopToolUse, u, view(id))} }

func endStep(text string, u Usage) step { return step{reply: says("end_turn", u, TextBlock(text))} }

var over, under = Usage{Input: 900, CacheRead: 50, Output: 50}, Usage{Input: 900, CacheRead: 50, Output: 49}

// CC1, CC2: all that was read and written counts, and the threshold itself is over.
func TestCC1CC2_CompactsFromTheThreshold(t *testing.T) {
	for name, c := range map[string]struct {
		u        Usage
		compacts bool
	}{
		"999":                                   {under, false},
		"1000":                                  {over, true},
		"1000 with a cache written":             {Usage{Input: 1, CacheCreation: 998, Output: 1}, true},
		"CC16: a cache read by many inner ones": {Usage{Input: 100, CacheRead: 5000, Output: 9, Iterations: []Iteration{{Type: "message", Input: 50, CacheRead: 800}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(st *stage) {
				st.start("go", clientAt(1000))
				waitIdle()
				if got := strings.Contains(st.kinds(), "compacted"); got != c.compacts {
					t.Errorf("events %s", st.kinds())
				}
			}, callStep("a", c.u), endStep("done", Usage{}))
		})
	}
}

// CC6, CC8, CC9, CC13 and our first difference: the request is the history and the
// prompt alone; the summary stands for all as it came, of the user; the results are in
// it, so nothing is lost; it is no turn.
func TestClientCompactionAtASafePoint(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go", clientAt(1000), func(s *Settings) {
			s.Thinking, s.Edits, s.Budget.Turns = true, []Edit{{Type: ClearThinking}}, 2
			s.Compact.Model, s.Compact.Instructions = "small", "SUM IT"
		})
		waitIdle()
		if got := st.mem.done(); len(got) != 1 {
			t.Errorf("ran %v", got)
		}
		st.sent(2, "u[go] a[use a] u[a=saw /memories] u[SUM IT]")
		r := st.api.requests()[1]
		if r.Model != "small" || r.MaxTokens != 77 || r.System != "" || r.Memory || r.Thinking || len(r.Edits) > 0 || r.Compact != nil {
			t.Errorf("asked with %+v", r)
		}
		st.sent(3, "u[<summary>so far</summary>]")
		if got := st.kinds(); got != "session_started prompt request block reply result compacting compacted request block reply idle" {
			t.Errorf("events %s", got)
		}
		c := st.last(CompactedNow).Compacted
		if c.Mode != CompactClient || c.Model != "small" || c.Threshold != 1000 || c.Before != 1000 || c.After <= 0 || c.After > 1000 || c.Messages != 3 || c.Summary != "<summary>so far</summary>" {
			t.Errorf("compacted %+v", c)
		}
		if st.last(Idle).Reason != "end_turn" || s.State().Total.Input != 907 || s.State().Requests != 3 || s.State().Compactions != 1 {
			t.Errorf("state %+v", s.State())
		}
	}, callStep("a", over), summary("<summary>so far</summary>"), endStep("done", Usage{}))
}

func TestClientCompactionUsesItsOwnPrompt(t *testing.T) {
	onStage(t, func(st *stage) {
		st.start("go", clientAt(1000), func(s *Settings) { s.Compact.Instructions = " \n" })
		waitIdle()
		r := st.api.requests()[1]
		if got := r.Messages[len(r.Messages)-1].Content[0].Text; got != summaryPrompt || r.Model != "model-1" {
			t.Errorf("asked %q of %s", got, r.Model)
		}
	}, callStep("a", over), summary("plain words"))
}

// CC14, our second difference: not after a final answer, but before the next prompt.
func TestCC14_FinalAnswerCompactsBeforeTheNextPrompt(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go", clientAt(1000))
		waitIdle()
		if n := len(st.api.requests()); n != 1 {
			t.Fatalf("%d requests", n)
		}
		if err := s.Send("next"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(2, "u[go] a[final] u["+summaryPrompt+"]")
		st.sent(3, "u[SUM] u[next]")
	}, endStep("final", over), summary("SUM"), endStep("done", Usage{}))
}

// CC10, CC11, our third difference: without a summary the history stays, the run
// goes on, and it is not tried at every turn.
func TestCC11_FailedCompactionKeepsTheHistory(t *testing.T) {
	for name, bad := range map[string]step{
		"refused":  {err: &Failure{Type: "invalid_request_error", Status: 400}},
		"a call":   {reply: says(StopToolUse, Usage{}, view("x"))},
		"nothing":  {reply: says("end_turn", Usage{})},
		"no words": {reply: says("end_turn", Usage{}, TextBlock(" "))},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(st *stage) {
				s := st.start("go", clientAt(1000))
				waitIdle()
				st.sent(3, "u[go] a[use a] u[a=saw /memories]")
				st.sent(4, "u[go] a[use a] u[a=saw /memories] a[use b] u[b=saw /memories]")
				if e := st.last(CompactedNow); e.Failure == nil || e.Compacted.After != e.Compacted.Before || s.State().Compactions != 0 {
					t.Errorf("told %+v", e)
				}
				if got := st.kinds(Compacting); got != "compacting" || st.last(Idle).Reason != "end_turn" {
					t.Errorf("events %s", st.kinds())
				}
			}, callStep("a", over), bad, callStep("b", over), endStep("done", Usage{}))
		})
	}
}

// CC12: the summary's own usage is not looked at, the next answer's is.
func TestCC12_CanCompactTwiceInARow(t *testing.T) {
	onStage(t, func(st *stage) {
		st.start("go", clientAt(1000))
		waitIdle()
		st.sent(5, "u[second]")
		if got := st.kinds(CompactedNow); got != "compacted compacted" {
			t.Errorf("events %s", st.kinds())
		}
	}, callStep("a", over), step{reply: says("end_turn", Usage{Input: 5000}, TextBlock("first"))}, callStep("b", over), summary("second"), endStep("done", Usage{}))
}

func TestStopEndsACompaction(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go", clientAt(1000))
		time.Sleep(time.Second)
		if got := s.State().Phase; got != PhaseCompacting {
			t.Fatalf("phase %s", got)
		}
		s.Stop()
		waitIdle()
		if got := st.last(Idle).Reason; got != "stopped" || len(st.api.requests()) != 2 {
			t.Errorf("%q after %d requests", got, len(st.api.requests()))
		}
	}, callStep("a", over), step{reply: says("end_turn", Usage{}, TextBlock("x")), after: time.Minute})
}

// SC1 to SC3: on demand the API gets all messages and no edits; the answer stands
// for exactly these, first and unchanged, and later requests say so.
func TestSC1ToSC3_CompactionOnDemand(t *testing.T) {
	onStage(t, func(st *stage) {
		var s *Session
		raw := `{"type":"compaction","content":"so far","encrypted_content":null,"signature":"c2ln"}`
		st.api.script[1].reply.Content[0] = block(raw)
		s = st.start("go", compacting(Compaction{Mode: CompactServer, Instructions: " \n"}), func(s *Settings) { s.Edits = []Edit{{Type: ClearToolUses}} })
		waitIdle()
		if err := s.Compact(); err != nil {
			t.Fatal(err)
		}
		waitIdle()
		if got := s.State(); got.Phase != PhaseIdle || got.Compactions != 1 || got.Total.Input != 500 || got.Total.Output != 40 {
			t.Errorf("state %+v", got)
		}
		if err := s.Send("next"); err != nil {
			t.Error(err)
		}
		waitIdle()
		first, demand, after := st.api.requests()[0], st.api.requests()[1], st.api.requests()[2]
		if len(first.Edits) != 2 || first.Edits[1].Type != CompactEdit || first.Compact != nil {
			t.Errorf("SC6: the first is %+v", first.Edits)
		}
		if demand.Compact == nil || demand.Compact.Instructions != "" || len(demand.Edits) != 0 || !demand.Memory || demand.System == "" || shown(demand.Messages) != "u[go] a[done]" {
			t.Errorf("SC1, SC3, SC5: asked with %+v", demand)
		}
		st.sent(3, "a[compaction so far] u[next]")
		if !after.Compacted || string(after.Messages[0].Content[0].Raw()) != raw {
			t.Errorf("SC2, SC10: went on with %+v", after)
		}
		if len(after.Edits) != 1 || after.Edits[0].Type != ClearToolUses {
			t.Errorf("the API takes no compaction edit beside such a summary: %+v", after.Edits)
		}
		if c := st.last(CompactedNow).Compacted; c.Messages != 2 || c.Summary != "so far" || c.Mode != CompactServer {
			t.Errorf("compacted %+v", c)
		}
	}, endStep("done", Usage{}), step{reply: says(StopCompaction, Usage{Iterations: []Iteration{{Type: "compaction", Input: 500, Output: 40}}}, TextBlock("replaced above"))}, endStep("went on", Usage{}))
}

// SC4: null content, no block or another stop reason is no summary.
func TestSC4_NoSummaryKeepsTheHistory(t *testing.T) {
	for name, reply := range map[string]*Reply{
		"null":                says(StopCompaction, Usage{}, block(`{"type":"compaction","content":null}`)),
		"no block":            says(StopCompaction, Usage{}),
		"another stop":        says("end_turn", Usage{}, block(`{"type":"compaction","content":"x"}`)),
		"a text in its place": says(StopCompaction, Usage{}, TextBlock("x")),
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(st *stage) {
				s := st.start("go", compacting(Compaction{Mode: CompactServer}))
				waitIdle()
				if err := s.Compact(); err != nil {
					t.Fatal(err)
				}
				waitIdle()
				if f := st.last(CompactedNow).Failure; f == nil || f.Type != "no_summary" || shown(s.past().messages) != "u[go] a[done]" {
					t.Errorf("%+v, history %s", f, shown(s.past().messages))
				}
			}, endStep("done", Usage{}), step{reply: reply})
		})
	}
}

// SC6, SC7: at its threshold the API puts the summary before the answer; it is reported
// by its block, the history stays whole, and after a pause it is sent back unchanged.
func TestSC6SC7_CompactionAtTheThreshold(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go", compacting(Compaction{Mode: CompactServer, Threshold: 60_000}))
		waitIdle()
		if got := st.api.requests()[0].Edits[0]; got.Type != CompactEdit || got.Trigger != (Amount{InputTokens, 60_000}) {
			t.Errorf("asked for %+v", got)
		}
		c := st.last(CompactedNow).Compacted
		if !c.InReply || c.Before != 61_000 || c.After != 3_000 || c.Summary != "so far" {
			t.Errorf("compacted %+v", c)
		}
		if got := s.State(); got.Prompt != 3_000 || got.Total.Input != 64_000 || got.Requests != 1 {
			t.Errorf("state %+v", got)
		}
		if got := shown(s.past().messages); got != "u[go] a[compaction so far|done]" {
			t.Errorf("history %s", got)
		}
	}, step{reply: says("end_turn", Usage{Input: 3_000, Iterations: []Iteration{{Type: "compaction", Input: 61_000}, {Type: "message", Input: 3_000}}},
		block(`{"type":"compaction","content":"so far"}`), TextBlock("done"))})
}

// SC3: never while a turn is paused.
func TestSC3_NoCompactionWhileATurnIsPaused(t *testing.T) {
	onStage(t, func(st *stage) {
		st.api.script[0].hook = func(context.Context, int) { _ = st.manager.Sessions()[0].Compact() }
		st.start("go", clientAt(1000))
		waitIdle()
		st.sent(2, "u[go] a[wait]")
		st.sent(3, "u[go] a[wait] a[use a] u[a=saw /memories] u["+summaryPrompt+"]")
	}, step{reply: says(StopPauseTurn, over, TextBlock("wait"))}, callStep("a", Usage{}), summary("SUM"), endStep("done", Usage{}))
}

// SC8: what came while the summary was made stays behind it.
func TestSC8_CompactionDropsExactlyTheSummarizedMessages(t *testing.T) {
	var h history
	for _, e := range []Event{{Kind: Prompted, Text: "one"}, {Kind: Sent}, {Kind: BlockEnded, Block: ptr(TextBlock("1"))}, {Kind: Replied}, {Kind: Prompted, Text: "two"},
		{Kind: CompactedNow, Compacted: &Compacted{Mode: CompactServer, Messages: 2, Blocks: []Block{block(`{"type":"compaction","content":"S"}`)}}}} {
		h.take(e)
	}
	if got := shown(h.messages); got != "a[compaction S] u[two]" || !h.onDemand {
		t.Errorf("history %s", got)
	}
}

func ptr[T any](v T) *T { return &v }

// After a summary on demand the threshold is watched here, for the API refuses the
// edit that would.
func TestServerThresholdAppliesAfterASummaryOnDemand(t *testing.T) {
	big := Usage{Input: 60_000}
	demand := func(text string) step {
		return step{reply: says(StopCompaction, Usage{}, block(`{"type":"compaction","content":"`+text+`","signature":"s"}`))}
	}
	onStage(t, func(st *stage) {
		s := st.start("go", compacting(Compaction{Mode: CompactServer, Threshold: 60_000}))
		waitIdle()
		if err := s.Compact(); err != nil {
			t.Error(err)
		}
		waitIdle()
		if err := s.Send("next"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(4, "a[compaction S1] u[next] a[use a] u[a=saw /memories]")
		if st.api.requests()[3].Compact == nil {
			t.Error("the API was not asked")
		}
		st.sent(5, "a[compaction S2]")
	}, endStep("done", Usage{}), demand("S1"), callStep("a", big), demand("S2"), endStep("end", Usage{}))
}

// The client's way is for models that can't, also when the person asks.
func TestCompactOnDemandUsesTheAvailableMethod(t *testing.T) {
	for name, c := range map[string]struct {
		mode   CompactMode
		models []Model
		server bool
	}{
		"off, nothing known":  {CompactOff, nil, false},
		"off, the API can":    {CompactOff, []Model{{ID: "model-1", Summarizes: true, KnowsContext: true}}, true},
		"off, the API can't":  {CompactOff, []Model{{ID: "model-1", KnowsContext: true}}, false},
		"client, the API can": {CompactClient, []Model{{ID: "model-1", Summarizes: true, KnowsContext: true}}, false},
		"server":              {CompactServer, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			onStage(t, func(st *stage) {
				st.api.models = c.models
				s := st.start("", compacting(Compaction{Mode: c.mode}))
				waitIdle()
				if err := s.Compact(); err != ErrNoHistory {
					t.Errorf("compacts nothing: %v", err)
				}
				if err := s.Send("go"); err != nil {
					t.Error(err)
				}
				waitIdle()
				if err := s.Compact(); err != nil {
					t.Error(err)
				}
				waitIdle()
				if got := st.api.requests()[1].Compact != nil; got != c.server {
					t.Errorf("by the API: %v", got)
				}
			}, endStep("done", Usage{}))
		})
	}
}

func TestTheDefaultThresholdFitsTheWindow(t *testing.T) {
	for window, want := range map[int64]int64{0: 100_000, 1_000_000: 100_000, 40_000: 30_000} {
		onStage(t, func(st *stage) {
			st.api.models = []Model{{ID: "model-1", MaxInputTokens: window}}
			if _, err := st.manager.Models(st.t.Context()); err != nil {
				t.Error(err)
			}
			s := st.start("go", compacting(Compaction{Mode: CompactClient}))
			waitIdle()
			if got := s.State(); got.Threshold() != want || st.last(CompactedNow).Compacted.Threshold != want {
				t.Errorf("window %d: threshold %d", window, got.Threshold())
			}
			if got := st.kinds(CompactedNow); got != "compacted" {
				t.Errorf("window %d: %s", window, st.kinds())
			}
		}, callStep("a", Usage{Input: want - 1}), callStep("b", Usage{Input: want}), summary("SUM"))
	}
}
