package agent

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// CE10: what is cleared is the last answer's figure, never a sum; which results that
// are is derived: the oldest of tools that are not excluded.
func TestCE10_ClearedComesFromTheLastReply(t *testing.T) {
	applied := func(n, turns int64, id string) step {
		r := says(StopToolUse, Usage{Input: 10}, thinks("hm"), view(id))
		r.Applied = []AppliedEdit{{Type: ClearThinking, ThinkingTurns: turns}, {Type: ClearToolUses, ToolUses: n, InputTokens: n * 100}, {Type: "of_tomorrow"}}
		return step{reply: r}
	}
	onStage(t, func(st *stage) {
		s := st.start("go", func(s *Settings) {
			s.Thinking = true
			s.Edits = []Edit{{Type: ClearThinking}, {Type: ClearToolUses, Trigger: Amount{InputTokens, 5000}, Exclude: []string{"bash"}}}
		})
		waitIdle()
		for _, p := range []string{"more", "and more"} {
			if err := s.Send(p); err != nil {
				t.Error(err)
			}
			waitIdle()
		}
		got := s.State()
		if !slices.Equal(got.Cleared, []string{"a", "c"}) || !slices.Equal(got.ClearedThinking, []int{1, 3}) || len(got.Applied) != 3 {
			t.Errorf("cleared %v, turns %v, applied %+v", got.Cleared, got.ClearedThinking, got.Applied)
		}
		if got.Trigger() != 5000 || got.Threshold() != 0 {
			t.Errorf("trigger %d, threshold %d", got.Trigger(), got.Threshold())
		}
	}, applied(0, 0, "a"), step{reply: says(StopToolUse, Usage{}, uses("b", "bash", "{}"))}, applied(1, 0, "c"), endStep("x", Usage{}),
		applied(1, 0, "d"), endStep("x", Usage{}),
		step{reply: func() *Reply {
			r := says("end_turn", Usage{}, TextBlock("end"))
			r.Applied = []AppliedEdit{{Type: ClearThinking, ThinkingTurns: 1}, {Type: ClearToolUses, ToolUses: 2}, {Type: "of_tomorrow"}}
			return r
		}()})
}

// What a summary stands for is not cleared beside it, until that is undone.
func TestClearedBlocksFollowCompactions(t *testing.T) {
	var s State
	answer := func(id string) {
		s.Take(Event{Kind: BlockEnded, Type: TypeToolUse, ToolUse: id, Tool: "memory"})
		s.Take(Event{Kind: Answered, ToolUse: id, Tool: "memory"})
	}
	cleared := func(n int64) string {
		s.Take(Event{Kind: Replied, Applied: []AppliedEdit{{Type: ClearToolUses, ToolUses: n}}})
		return strings.Join(s.Cleared, " ")
	}
	s.Take(Event{Kind: Prompted, Text: "go"})
	answer("a")
	answer("b")
	if got := cleared(1); got != "a" {
		t.Errorf("cleared %s", got)
	}
	s.Take(Event{Kind: CompactedNow, Compacted: &Compacted{After: 5}})
	if len(s.Cleared) > 0 || s.Prompt != 5 {
		t.Errorf("after a compaction %+v", s)
	}
	answer("c")
	if got := cleared(2); got != "c" {
		t.Errorf("cleared %s", got)
	}
	s.Take(Event{Kind: CompactedNow, Compacted: &Compacted{}, Failure: &Failure{}})
	if got := cleared(3); got != "c" {
		t.Errorf("after a failed one, cleared %s", got)
	}
}

func TestPhasesFollowEvents(t *testing.T) {
	var got []Phase
	onStage(t, func(st *stage) {
		s := st.start("")
		sub, seen := s.Watch(st.t.Context()), s.State()
		if err := s.Send("\n  Remember the birds \nplease"); err != nil {
			t.Error(err)
		}
		waitIdle()
		live := s.State()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, b := range drain(t, sub, 0) {
			for _, e := range b {
				seen.Take(e)
				if n := len(got); n == 0 || got[n-1] != seen.Phase {
					got = append(got, seen.Phase)
				}
			}
		}
		want := []Phase{PhaseIdle, PhaseWaiting, PhaseThinking, PhaseWriting, PhaseCalling, PhaseWaiting, PhaseRetrying, PhaseWriting, PhaseWaiting, PhaseIdle, PhaseEnded}
		if !slices.Equal(got, want) {
			t.Errorf("phases %v, want %v", got, want)
		}
		if live.Title != "Remember the birds" || live.Model != "model-1" || live.Prompt != 12 || live.Reply != 3 || live.Turn != 2 || live.Estimated != 0 || live.Prompts != 1 {
			t.Errorf("state %+v", live)
		}
	}, step{reply: says(StopToolUse, Usage{}, thinks("hm"), TextBlock("text"), view("a"))}, step{err: ErrStalled},
		step{reply: says("end_turn", Usage{Input: 2, CacheRead: 10, Output: 3}, TextBlock("done"))})
}

func TestARecordedConversationThatDoesNotRunIsInterrupted(t *testing.T) {
	var s State
	s.Take(Event{Kind: Started, Session: "sesn_1", Settings: &Settings{Model: "m"}, Time: time.Unix(1, 0)})
	s.Take(Event{Kind: Prompted, Text: "go", Time: time.Unix(2, 0)})
	s.Take(Event{Kind: Sent, Turn: 1, Time: time.Unix(3, 0)})
	ended := s
	s.Abandon()
	if s.Phase != PhaseInterrupted || s.Working() || s.Began != time.Unix(1, 0) || s.Seen != time.Unix(3, 0) {
		t.Errorf("state %+v", s)
	}
	ended.Take(Event{Kind: Ended})
	if ended.Abandon(); ended.Phase != PhaseEnded {
		t.Errorf("phase %s", ended.Phase)
	}
}

// No request runs while a conversation is resumed, whatever its program did when it ended.
func TestAResumedConversationIsIdle(t *testing.T) {
	var s State
	s.Take(Event{Kind: Started, Session: "sesn_1"})
	s.Take(Event{Kind: Prompted, Text: "go"})
	s.Take(Event{Kind: Idle})
	s.Take(Event{Kind: Compacting, Compacted: &Compacted{}}) // on demand
	if s.Take(Event{Kind: Resumed}); s.Phase != PhaseIdle {
		t.Errorf("phase %s", s.Phase)
	}
}

func TestACopyOfAStateDoesNotChange(t *testing.T) {
	var s State
	s.Take(Event{Kind: Queued, Text: "one"})
	for _, id := range []string{"a", "b"} {
		s.Take(Event{Kind: BlockEnded, Type: TypeToolUse, ToolUse: id})
	}
	s.Take(Event{Kind: BlockEnded, Type: TypeThinking, Turn: 1})
	c := s.clone()
	was := asJSON(c) + asJSON(len(c.sent.thinking[0]))
	for _, e := range []Event{{Kind: Queued, Text: "two"}, {Kind: Prompted, Text: "one"}, {Kind: Calling, ToolUse: "b"}, {Kind: Answered, ToolUse: "a"},
		{Kind: BlockEnded, Type: TypeThinking, Turn: 2}, {Kind: Replied, Applied: []AppliedEdit{{Type: ClearToolUses, ToolUses: 1}}}} {
		s.Take(e)
	}
	if got := asJSON(c) + asJSON(len(c.sent.thinking[0])); got != was {
		t.Errorf("was %s\nis %s", was, got)
	}
	var one State // and a copy goes on by itself
	for i := range 5 {
		one.Take(Event{Kind: Queued, Text: fmt.Sprint(i)})
		one.Take(Event{Kind: Answered, ToolUse: fmt.Sprint(i)})
		other := one.clone()
		other.Take(Event{Kind: Queued, Text: "other"})
		other.Take(Event{Kind: Answered, ToolUse: "other"})
		ours := one.clone()
		ours.Take(Event{Kind: Queued, Text: "ours"})
		ours.Take(Event{Kind: Answered, ToolUse: "ours"})
		if n := len(other.Queue); other.Queue[n-1] != "other" || other.sent.results[n-1].id != "other" {
			t.Errorf("a copy has what another was told: %v, %v", other.Queue, other.sent.results)
		}
	}
}

func TestEventsSurviveTheirJSON(t *testing.T) {
	onStage(t, func(st *stage) {
		st.start("go", clientAt(1000))
		waitIdle()
		for _, e := range st.journal.events(t) {
			var again []Event
			j := &fakeJournal{}
			if err := j.Append(e); err != nil {
				t.Error(err)
			}
			if again = j.events(t); !reflect.DeepEqual(again[0], e) {
				t.Errorf("%+v\nbecomes %+v", e, again[0])
			}
		}
	}, callStep("a", over), summary("S"))
}

func TestAppliedEventsAreSkipped(t *testing.T) {
	onStage(t, func(st *stage) {
		s := st.start("go")
		waitIdle()
		want := s.State()
		got := s.State()
		for _, e := range st.journal.events(t) {
			got.Take(e)
		}
		got.Take(Event{Kind: Missed, Seq: 99}) // it is of what is still to be read
		if got.Calls != want.Calls || got.Total.Total() != want.Total.Total() || got.Prompts != 1 || got.last != want.last || got.last == 0 {
			t.Errorf("state %+v, want %+v", got, want)
		}
	}, callStep("a", over), endStep("done", Usage{Input: 3}))
}

// Conversations of earlier versions say when the settings changed in the middle.
func TestAStateHasTheSettingsThatAnOldConversationChanged(t *testing.T) {
	var s State
	s.Take(Event{Kind: Started, Settings: &Settings{Model: "m1"}})
	s.Take(Event{Kind: Ended})
	s.Take(Event{Kind: Configured, Settings: &Settings{Model: "m2", Guidance: "Birds."}})
	if s.Model != "m2" || s.Settings.Guidance != "Birds." || s.Phase != PhaseEnded {
		t.Errorf("%+v", s)
	}
}
