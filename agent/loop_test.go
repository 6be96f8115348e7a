package agent

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/memend/memend/versions"
)

const plainRun = "session_started prompt request block block reply result result request block reply idle session_ended"

// L1: the reply goes back whole and byte for byte, then one message with a result per
// call, in order.
func TestL1_ReplyIsSentBackWholeWithOneMessageOfResults(t *testing.T) {
	onStage(t, func(st *stage) {
		st.start("go on")
		waitIdle()
		st.sent(2, "u[go on] a[thinking hm|use b|use a] u[b=saw /memories|a=did /memories/a.md]")
		raw := string(st.api.requests()[1].Messages[1].Content[0].Raw())
		if raw != `{"type":"thinking","thinking":"hm","signature":"c2ln","of_tomorrow":{"a": 1}}` {
			t.Errorf("the thinking went back as %s", raw)
		}
		if got := st.last(Idle).Reason; got != "end_turn" {
			t.Errorf("ended because of %q", got)
		}
	}, step{reply: says(StopToolUse, Usage{}, thinks("hm"), view("b"), creates("a", "/memories/a.md"))},
		step{reply: says("end_turn", Usage{}, TextBlock("done"))})
}

// L2: one after another, in block order, and each with who, session, turn and id.
func TestL2_CallsRunOneAfterAnotherInBlockOrder(t *testing.T) {
	onStage(t, func(st *stage) {
		running := 0
		st.mem.hook = func(context.Context, int) {
			if running++; running > 1 {
				t.Error("two calls at once")
			}
			time.Sleep(time.Second)
			running--
		}
		s := st.start("go on")
		waitIdle()
		if got := strings.Join(st.mem.done(), ", "); got != "create /memories/1, view /memories, create /memories/2" {
			t.Errorf("ran %s", got)
		}
		for i, id := range []string{"a", "b", "c"} {
			if got, want := st.mem.by[i], (versions.By{Door: versions.DoorAgent, Actor: versions.Actor{Kind: versions.Agent, Name: "tester"}, Session: s.ID(), ToolUse: id, Turn: 1}); got != want {
				t.Errorf("call %d by %+v, want %+v", i, got, want)
			}
		}
		e := st.last(Answered)
		if e.ToolUse != "c" || e.Command != "create" || e.Path != "/memories/2" || e.Change != 3 || e.Store != "memstore_1" || e.Turn != 1 {
			t.Errorf("the last result is %+v", e)
		}
		if s.State().Calls != 3 || s.State().Changes != 2 {
			t.Errorf("counts %+v", s.State())
		}
	}, step{reply: says(StopToolUse, Usage{}, creates("a", "/memories/1"), view("b"), creates("c", "/memories/2"))})
}

// L3: pause_turn and compaction resend unchanged; tool_use answers; everything else
// stops and runs no call.
func TestL3_StopReasonsDecide(t *testing.T) {
	for _, c := range []struct {
		stop     string
		content  []Block
		requests int
		then     string // the last request
		reason   string
	}{
		{StopPauseTurn, []Block{TextBlock("wait")}, 2, "u[go] a[wait]", "end_turn"},
		{StopCompaction, []Block{block(`{"type":"compaction","content":"so far"}`)}, 2, "u[go] a[compaction so far]", "end_turn"},
		{StopToolUse, []Block{view("a")}, 2, "u[go] a[use a] u[a=saw /memories]", "end_turn"},
		{StopToolUse, []Block{TextBlock("no call")}, 1, "u[go]", "tool_use"},
		{"end_turn", []Block{TextBlock("x")}, 1, "u[go]", "end_turn"},
		{"stop_sequence", []Block{TextBlock("x")}, 1, "u[go]", "stop_sequence"},
		{"max_tokens", []Block{view("a")}, 1, "u[go]", "max_tokens"},
		{"model_context_window_exceeded", []Block{view("a")}, 1, "u[go]", "model_context_window_exceeded"},
		{"refusal", nil, 1, "u[go]", "refusal"},
		{"of_tomorrow", []Block{view("a")}, 1, "u[go]", "of_tomorrow"},
	} {
		t.Run(c.stop, func(t *testing.T) {
			onStage(t, func(st *stage) {
				s := st.start("go")
				waitIdle()
				if n := len(st.api.requests()); n != c.requests {
					t.Errorf("%d requests, want %d", n, c.requests)
				}
				st.sent(c.requests, c.then)
				if got := st.last(Idle).Reason; got != c.reason {
					t.Errorf("ended because of %q", got)
				}
				if c.stop != StopToolUse && len(st.mem.done()) > 0 {
					t.Error("a call was run")
				}
				if err := s.Send("and now"); err != nil { // what follows is valid
					t.Error(err)
				}
				waitIdle()
				if f := st.last(Idle).Reason; f != "end_turn" {
					t.Errorf("then %q", f)
				}
			}, step{reply: says(c.stop, Usage{}, c.content...)}, step{reply: says("end_turn", Usage{}, TextBlock("done"))})
		})
	}
}

// L4: without message_stop it failed, and no call of it is run.
func TestL4_CutStreamIsAFailure(t *testing.T) {
	whole := says(StopToolUse, Usage{}, TextBlock("I look"), view("a"))
	onStage(t, func(st *stage) {
		st.start("go", func(s *Settings) { s.Retries = 0 })
		waitIdle()
		if got := st.mem.done(); len(got) > 0 {
			t.Errorf("ran %v", got)
		}
		if f := st.last(Broken).Failure; f == nil || f.Type != "cut" {
			t.Errorf("failed with %+v", f)
		}
		if st.kinds(Replied) != "" {
			t.Error("the turn counts")
		}
	}, step{reply: whole, err: ErrCut, cut: len(pieces(whole))})
}

// L5: finished blocks and unfinished text are kept, an unfinished call or thinking
// is not; a finished call is answered with "cancelled" before the next request.
func TestL5_CancelKeepsWhatIsFinishedAndUnfinishedText(t *testing.T) {
	reply := says(StopToolUse, Usage{}, thinks("hm"), TextBlock("Looking"), view("a"), TextBlock("I also"), view("b"), thinks("more"))
	want := map[int]string{ // pieces that came -> history of the next request
		0: "u[go|next]", 2: "u[go|next]", 4: "u[go|next]", // one message: nothing was said in between
		5:  "u[go|next]", // a thinking alone may not end an answer
		7:  "u[go] a[thinking hm|Loo] u[next]",
		9:  "u[go] a[thinking hm|Looking] u[next]",
		11: "u[go] a[thinking hm|Looking] u[next]", // half an input
		13: "u[go] a[thinking hm|Looking|use a] u[a=cancelled|next]",
		15: "u[go] a[thinking hm|Looking|use a|I a] u[a=cancelled|next]",
		19: "u[go] a[thinking hm|Looking|use a|I also] u[a=cancelled|next]",
		21: "u[go] a[thinking hm|Looking|use a|I also|use b] u[a=cancelled|b=cancelled|next]",
		23: "u[go] a[thinking hm|Looking|use a|I also|use b] u[a=cancelled|b=cancelled|next]",
	}
	for n := range len(pieces(reply)) {
		onStage(t, func(st *stage) {
			var s *Session
			st.api.script[0].hook = func(ctx context.Context, at int) {
				if at == n {
					s.Stop()
				}
			}
			s = st.start("")
			if err := s.Send("go"); err != nil {
				t.Error(err)
			}
			waitIdle()
			if f := st.last(Broken); f.Failure.Type != cancelled || st.last(Idle).Reason != "stopped" {
				t.Errorf("%d: %+v", n, f)
			}
			if err := s.Send("next"); err != nil {
				t.Error(err)
			}
			waitIdle()
			if len(st.mem.done()) > 0 {
				t.Errorf("%d: ran %v", n, st.mem.done())
			}
			if w, ok := want[n]; ok {
				st.sent(2, w)
			}
			if got := st.last(Idle).Reason; got != "end_turn" {
				t.Errorf("%d: the next run ended because of %q", n, got)
			}
		}, step{reply: reply, after: time.Millisecond}, step{reply: says("end_turn", Usage{}, TextBlock("done"))})
	}
}

// L5: a call that is being carried out finishes, and its result is kept.
func TestL5_RunningCallIsCompletedWhenStopped(t *testing.T) {
	onStage(t, func(st *stage) {
		var s *Session
		st.mem.hook = func(_ context.Context, n int) {
			if n == 1 {
				s.Stop()
				time.Sleep(time.Second)
			}
		}
		s = st.start("")
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if err := s.Send("next"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(2, "u[go] a[use a|use b|use c] u[a=saw /memories|b=did /memories/b|c=cancelled|next]")
		if got := st.last(Answered); !got.IsError || got.ToolUse != "c" {
			t.Errorf("the last result is %+v", got)
		}
	}, step{reply: says(StopToolUse, Usage{}, view("a"), creates("b", "/memories/b"), view("c"))})
}

// A call that waits for its turn to write when the person stops was not carried out.
func TestCallsThatNeverStartedAreCancelled(t *testing.T) {
	onStage(t, func(st *stage) {
		var s *Session
		st.mem.err = context.Canceled
		st.mem.hook = func(context.Context, int) { s.Stop() }
		s = st.start("")
		if err := s.Send("go"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if e := st.last(Answered); e.Text != cancelled || !e.IsError || e.Failure != nil || st.last(Idle).Reason != "stopped" {
			t.Errorf("answered %+v", e)
		}
	}, step{reply: says(StopToolUse, Usage{}, creates("a", "/memories/a"))})
}

// L6 is the client's; what reaches the loop is whole. An input that is no JSON all
// the same, of an answer that ran out of tokens, is never sent back.
func TestL6_InvalidJSONInputIsNotSentBack(t *testing.T) {
	half := Block{Type: TypeToolUse, ID: "a", Name: "memory", raw: []byte(`{"type":"tool_use","id":"a","name":"memory","input":{"comm`)}
	var h history
	h.take(Event{Kind: Prompted, Text: "go"})
	h.take(Event{Kind: Sent})
	for _, b := range []Block{TextBlock("x"), half} {
		h.take(Event{Kind: BlockEnded, Block: &b})
	}
	h.take(Event{Kind: Replied, Stop: "max_tokens"})
	if got := shown(h.messages); got != "u[go] a[x]" || len(h.unanswered()) > 0 {
		t.Errorf("history %s", got)
	}
}

// L7: the engine's text to the letter, with is_error set; an unknown tool too.
func TestL7_ErrorsAreSentAsTheExactText(t *testing.T) {
	onStage(t, func(st *stage) {
		st.start("go")
		waitIdle()
		rs := st.api.requests()[1].Messages[2].Content
		for i, want := range []string{"Error: unknown tool bash", "Error: missing or invalid `path`", "Error: unknown command fly"} {
			if rs[i].Text != want || !rs[i].IsError {
				t.Errorf("result %d is %+v, want %s", i, rs[i], want)
			}
		}
		if len(st.mem.done()) > 0 {
			t.Errorf("ran %v", st.mem.done())
		}
	}, step{reply: says(StopToolUse, Usage{}, uses("a", "bash", `{"command":"view","path":"/memories"}`), uses("b", "memory", `{"command":"view"}`), uses("c", "memory", `{"command":"fly"}`))})
}

// L8: turns are capped for each prompt; results that are in are not lost.
func TestL8_TurnBudgetStopsTheRun(t *testing.T) {
	loop := func(id string) step { return step{reply: says(StopToolUse, Usage{}, view(id))} }
	onStage(t, func(st *stage) {
		s := st.start("go", func(s *Settings) { s.Budget.Turns = 2 })
		waitIdle()
		if n := len(st.api.requests()); n != 2 {
			t.Errorf("%d requests", n)
		}
		if got := st.last(Idle).Reason; got != "turn budget: 2 per prompt" {
			t.Errorf("ended because of %q", got)
		}
		if err := s.Send("more"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(3, "u[go] a[use a] u[a=saw /memories] a[use b] u[b=saw /memories|more]")
		if n := len(st.api.requests()); n != 4 {
			t.Errorf("%d requests after the second prompt", n)
		}
	}, loop("a"), loop("b"), loop("c"), loop("d"), loop("e"))
}

// L8: and tokens for the session, all its requests together.
func TestL8_TokenBudgetStopsTheRun(t *testing.T) {
	u := Usage{Input: 10, CacheRead: 20, CacheCreation: 5, Output: 15}
	loop := func(id string) step { return step{reply: says(StopToolUse, u, view(id))} }
	onStage(t, func(st *stage) {
		s := st.start("go", func(s *Settings) { s.Budget.Tokens = 100 })
		waitIdle()
		if got := st.last(Idle).Reason; got != "token budget: 100 of 100 tokens used" || len(st.api.requests()) != 2 {
			t.Errorf("ended because of %q after %d requests", got, len(st.api.requests()))
		}
		if got := s.State().Total; got.Input != 20 || got.CacheRead != 40 || got.CacheCreation != 10 || got.Output != 30 {
			t.Errorf("total %+v", got)
		}
		if err := s.Send("more"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if len(st.api.requests()) != 2 {
			t.Error("went on without tokens")
		}
	}, loop("a"), loop("b"), loop("c"))
}

func TestPromptsQueueWhileTheAgentWorks(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("one")
		time.Sleep(time.Second)
		for _, p := range []string{"two", "three"} {
			if err := s.Send(p); err != nil {
				t.Error(err)
			}
		}
		if q := s.State().Queue; len(q) != 2 || q[0] != "two" {
			t.Errorf("queue %v", q)
		}
		waitIdle()
		st.sent(3, "u[one] a[1] u[two] a[2] u[three]")
		if q := s.State(); len(q.Queue) != 0 || q.Prompts != 3 || q.Title != "one" || q.Phase != PhaseIdle {
			t.Errorf("state %+v", q)
		}
		if err := s.Send(" \n"); !errors.Is(err, ErrNoPrompt) {
			t.Errorf("an empty prompt: %v", err)
		}
	}, step{reply: says("end_turn", Usage{}, TextBlock("1")), after: time.Minute},
		step{reply: says("end_turn", Usage{}, TextBlock("2"))}, step{reply: says("end_turn", Usage{}, TextBlock("3"))})
}

func TestStopContinuesWithTheNextPrompt(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("one")
		time.Sleep(time.Second)
		if err := s.Send("rather this"); err != nil {
			t.Error(err)
		}
		s.Stop()
		waitIdle()
		st.sent(2, "u[one|rather this]")
		if got := st.kinds(Prompted, Broken, Idle); got != "prompt failed idle prompt idle" {
			t.Errorf("events %s", got)
		}
		s.Stop() // nothing to stop
		if err := s.Send("again"); err != nil {
			t.Error(err)
		}
		waitIdle()
		if st.last(Idle).Reason != "end_turn" {
			t.Error("a stop while idle stopped the next run")
		}
	}, step{reply: says("end_turn", Usage{}, TextBlock("never")), after: time.Minute})
}

func TestAFailingStoreEndsTheRunAndIsReported(t *testing.T) {
	onStage(t, func(st *stage) {
		st.mem.err = errors.New("trail is damaged")
		s := st.start("go")
		waitIdle()
		if got := st.last(Idle).Reason; got != "memory: trail is damaged" {
			t.Errorf("ended because of %q", got)
		}
		if got := st.mem.done(); len(got) != 1 {
			t.Errorf("ran %v", got)
		}
		st.mem.err = nil
		if err := s.Send("again"); err != nil {
			t.Error(err)
		}
		waitIdle()
		got := st.api.requests()[1].Messages[2].Content
		if len(got) != 3 || !got[0].IsError || !strings.HasPrefix(got[0].Text, "Error: ") || strings.Contains(got[0].Text, "damaged") || got[1].Text != cancelled {
			t.Errorf("the model reads %+v", got)
		}
	}, step{reply: says(StopToolUse, Usage{}, creates("a", "/memories/a"), view("b"))})
}

// What the trail holds has its call in the journal, on disk; what was reported to the model
// is on disk before it is reported.
func TestTheJournalIsOnDiskBeforeCallsAndRequests(t *testing.T) {
	onStage(t, func(st *stage) {
		onDisk := func(kind Kind, n int) {
			t.Helper()
			st.journal.mu.Lock()
			defer st.journal.mu.Unlock()
			have := 0
			for _, l := range st.journal.lines[:st.journal.synced] {
				if strings.Contains(l, `"type":"`+string(kind)+`"`) {
					have++
				}
			}
			if have != n {
				t.Errorf("%d events %s on disk, want %d", have, kind, n)
			}
		}
		st.mem.hook = func(context.Context, int) { onDisk(Replied, 1); onDisk(BlockEnded, 2) }
		st.api.script[0].hook = func(context.Context, int) { onDisk(Prompted, 1) }
		st.api.script[1].hook = func(context.Context, int) { onDisk(Answered, 2) }
		st.start("go")
		waitIdle()
		if got := st.kinds(); got+" session_ended" != plainRun {
			t.Errorf("events %s", got)
		}
	}, step{reply: says(StopToolUse, Usage{}, view("a"), view("b"))}, step{reply: says("end_turn", Usage{}, TextBlock("done"))})
}

func TestNothingRunsThatCanNotBeRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := &fakeJournal{hook: func(int) {}}
		api := &fakeAPI{script: []step{{reply: says(StopToolUse, Usage{}, view("a"))}}}
		mem := &fakeStores{}
		api.script[0].hook = func(context.Context, int) { full.mu.Lock(); full.err = errors.New("no space"); full.mu.Unlock() }
		manager := NewManager(ManagerOptions{API: api, Settings: Settings{Model: "m", MaxTokens: 1},
			Journal: func(versions.SessionID) (Journal, error) { return full, nil }})
		manager.attach = func(context.Context, versions.By, []versions.Attachment) (stores, error) { return mem, nil }
		s, err := manager.Start(t.Context(), Start{Prompt: "go", Stores: []versions.Attachment{{}}})
		if err != nil {
			t.Fatal(err)
		}
		waitIdle()
		if len(mem.done()) > 0 || s.State().Reason != "store the conversation: no space" {
			t.Errorf("ran %v, ended because of %q", mem.done(), s.State().Reason)
		}
		if err := manager.Close(); err == nil {
			t.Error("closed without a word")
		}
	})
}

func TestAPanicInOneSessionDoesNotAffectOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reported []any
		api := &fakeAPI{script: []step{{reply: says("end_turn", Usage{}, TextBlock("x")), hook: func(context.Context, int) { panic("oh no") }}}}
		manager := NewManager(ManagerOptions{API: api, Settings: Settings{Model: "m", MaxTokens: 1},
			Report: func(_ versions.SessionID, what any, stack []byte) {
				if len(stack) == 0 {
					t.Error("no stack")
				}
				reported = append(reported, what)
			}})
		manager.attach = func(context.Context, versions.By, []versions.Attachment) (stores, error) { return &fakeStores{}, nil }
		var all []*Session
		for range 2 {
			s, err := manager.Start(t.Context(), Start{Prompt: "go", Stores: []versions.Attachment{{}}})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, s)
			waitIdle()
		}
		if a := all[0].State(); a.Phase != PhaseEnded || a.Failure == nil || a.Failure.Type != "internal" || a.Reason != "broken: oh no" {
			t.Errorf("the broken one: %+v", a)
		}
		if b := all[1].State(); b.Phase != PhaseIdle || b.Reason != "end_turn" {
			t.Errorf("the other: %+v", b)
		}
		if len(reported) != 1 || all[0].Send("x") != ErrEnded {
			t.Errorf("reported %v", reported)
		}
		if _, err := manager.Start(t.Context(), Start{Prompt: " \n", Stores: []versions.Attachment{{}}}); !errors.Is(err, ErrNoPrompt) {
			t.Errorf("begins with an empty prompt: %v", err)
		}
		if err := manager.Close(); err != nil {
			t.Error(err)
		}
		if _, err := manager.Start(t.Context(), Start{Stores: []versions.Attachment{{}}}); !errors.Is(err, ErrEnded) {
			t.Errorf("begins after the end: %v", err)
		}
	})
}
