package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/versions"
	vcheck "github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/stores"
)

// Sessions as they are: the loop, this client, the scripted API on a socket, which
// refuses what the API would, and the memory engine on a disk.

// scene is one session.
type scene struct {
	t       *testing.T
	server  *script.Server
	store   *engine.Store
	session *agent.Session

	mu     sync.Mutex
	events []agent.Event
	idle   chan agent.Event
}

// Append, Sync and Close make a scene the session's journal.
func (s *scene) Append(e agent.Event) error {
	s.mu.Lock()
	s.events = append(s.events, e)
	s.mu.Unlock()
	if e.Kind == agent.Idle {
		s.idle <- e
	}
	return nil
}
func (s *scene) Sync() error  { return nil }
func (s *scene) Close() error { return nil }

func perform(t *testing.T, set agent.Settings, o script.Options) *scene {
	t.Helper()
	s := &scene{t: t, idle: make(chan agent.Event, 100)}
	server, api := serveWith(t, o)
	s.server = server
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "own", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if s.store, err = trail.OpenStore(t.Context(), info.ID); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.store.Close() })
	manager := agent.NewManager(agent.ManagerOptions{API: api, Trail: trail, Journal: func(versions.SessionID) (agent.Journal, error) { return s, nil }})
	t.Cleanup(func() {
		if err := manager.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := manager.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s.session, err = manager.Start(t.Context(), agent.Start{Stores: []versions.Attachment{{Store: info.ID}}, Settings: set}); err != nil {
		t.Fatal(err)
	}
	return s
}

// send prompts and waits until the run has ended, and says why it did.
func (s *scene) send(prompt string) string {
	s.t.Helper()
	if err := s.session.Send(prompt); err != nil {
		s.t.Fatal(err)
	}
	return s.wait()
}

func (s *scene) wait() string {
	s.t.Helper()
	select {
	case e := <-s.idle:
		return e.Reason
	case <-time.After(20 * time.Second):
		s.t.Fatalf("it never ends: %+v", s.session.State())
		return ""
	}
}

func (s *scene) kept() []agent.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.events)
}

func (s *scene) kinds(k agent.Kind) (out []agent.Event) {
	for _, e := range s.kept() {
		if e.Kind == k {
			out = append(out, e)
		}
	}
	return out
}

// said are the texts of the model.
func (s *scene) said() (out []string) {
	for _, e := range s.kinds(agent.BlockEnded) {
		if e.Block.Type == agent.TypeText {
			out = append(out, e.Block.Text)
		}
	}
	return out
}

func settings() agent.Settings {
	set := agent.DefaultSettings()
	set.Edits, set.Compact, set.Idle = nil, agent.Compaction{}, agent.Millis(10*time.Second)
	return set
}

// long is a memory whose view is about a thousand tokens.
var long = strings.Repeat("a line of forty characters, more or less\n", 100)

// work is a prompt with turns that write and view, each saying its number.
func work(turns int) script.Conversation {
	c := script.Conversation{Name: "work", Prompts: []script.Prompt{{Text: "work"}, {Text: "go on", Turns: []script.Turn{{Blocks: []script.Block{script.Say("went on")}}}}}}
	for i := range turns {
		blocks := []script.Block{script.Think(fmt.Sprint("think ", i)), script.Say(fmt.Sprint("turn ", i))}
		if i < turns-1 {
			path := fmt.Sprintf("/memories/%02d.md", i)
			blocks = append(blocks, script.Create(path, long), script.View(path))
		}
		c.Prompts[0].Turns = append(c.Prompts[0].Turns, script.Turn{Blocks: blocks})
	}
	return c
}

func played(turns int) script.Options {
	return script.Options{Conversations: []script.Conversation{work(turns)}}
}

// whole checks that all turns were played once, in order, and their memories written.
func (s *scene) whole(turns int) {
	s.t.Helper()
	for i, text := range s.said() {
		if text != fmt.Sprint("turn ", i) {
			s.t.Errorf("turn %d says %q", i, text)
		}
	}
	if n := len(s.said()); n != turns {
		s.t.Errorf("%d turns of %d", n, turns)
	}
	if wrong, err := vcheck.Store(s.t.Context(), s.store); err != nil || len(wrong) > 0 {
		s.t.Errorf("the trail is not whole: %v, %v", wrong, err)
	}
	cs, err := history.Changes(s.t.Context(), s.store, versions.Filter{Session: s.session.ID()}, 0, 1000)
	if err != nil || len(cs) != turns-1 {
		s.t.Errorf("%d changes, %v", len(cs), err)
	}
	for _, e := range s.kinds(agent.Answered) {
		if e.IsError {
			s.t.Errorf("%s: %s", e.Path, e.Text)
		}
	}
}

func TestASessionWritesMemoryOverHTTP(t *testing.T) {
	t.Parallel()
	s := perform(t, settings(), played(4))
	if reason := s.send("work"); reason != "end_turn" {
		t.Fatalf("%s: %+v", reason, s.session.State().Failure)
	}
	s.whole(4)
	if st := s.session.State(); st.Total.Input+st.Total.CacheRead+st.Total.CacheCreation == 0 || st.Total.CacheRead == 0 || st.Window != 200_000 {
		t.Errorf("%+v, window %d", st.Total, st.Window)
	}
	if reason := s.send("go on"); reason != "end_turn" || s.said()[4] != "went on" {
		t.Errorf("%s: %v", reason, s.said())
	}
}

func TestClearingIsReportedByTheLastReplyOnly(t *testing.T) {
	t.Parallel()
	set := settings()
	set.Edits = []agent.Edit{
		{Type: agent.ClearThinking, Keep: agent.Amount{Unit: agent.ThinkingTurns, Value: 1}},
		{Type: agent.ClearToolUses, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 3000}, Keep: agent.Amount{Unit: agent.ToolUses, Value: 2}, ClearInputs: agent.Inputs{All: true}},
	}
	s := perform(t, set, played(6))
	if reason := s.send("work"); reason != "end_turn" {
		t.Fatalf("%s: %+v", reason, s.session.State().Failure)
	}
	s.whole(6)
	st := s.session.State()
	if len(st.Applied) != 1 || st.Applied[0].ToolUses != 8 || len(st.Cleared) != 8 {
		t.Errorf("%+v, %v", st.Applied, st.Cleared)
	}
	if st.Prompt > 5000 {
		t.Errorf("the prompt has %d tokens", st.Prompt)
	}
}

func TestSessionsContinueAfterEveryKindOfCompaction(t *testing.T) {
	t.Parallel()
	big := func(turns int) script.Options {
		o := played(turns)
		o.TokensPerByte = 4 // the API compacts from 50,000 tokens on
		return o
	}
	for name, c := range map[string]struct {
		compact agent.Compaction
		o       script.Options
		pause   bool
	}{
		"client": {agent.Compaction{Mode: agent.CompactClient, Threshold: 5000}, played(7), false},
		"server": {agent.Compaction{Mode: agent.CompactServer, Threshold: 50_000}, big(7), false},
		"paused": {agent.Compaction{Mode: agent.CompactServer}, big(7), true},
	} {
		t.Run(name, func(t *testing.T) {
			set := settings()
			set.Compact, set.MaxTokens = c.compact, 64_000
			if c.pause {
				set.Edits = []agent.Edit{{Type: agent.CompactEdit, Trigger: agent.Amount{Unit: agent.InputTokens, Value: 50_000}, PauseAfter: true}}
				set.Compact.Mode = agent.CompactOff
			}
			s := perform(t, set, c.o)
			if reason := s.send("work"); reason != "end_turn" {
				t.Fatalf("%s: %+v", reason, s.session.State().Failure)
			}
			s.whole(7)
			if st := s.session.State(); st.Compactions == 0 || st.Compacted == nil || st.Compacted.Summary == "" {
				t.Errorf("%+v", st.Compacted)
			}
			if reason := s.send("go on"); reason != "end_turn" || s.said()[7] != "went on" {
				t.Errorf("%s: %v", reason, s.said())
			}
		})
	}
}

func TestASummaryOnDemandReplacesTheHistory(t *testing.T) {
	t.Parallel()
	set := settings()
	set.Compact.Mode = agent.CompactServer
	s := perform(t, set, played(3))
	s.send("work")
	if err := s.session.Compact(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if st := s.session.State(); st.Compactions > 0 && st.Phase == agent.PhaseIdle {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if st := s.session.State(); st.Compactions != 1 || !strings.Contains(st.Compacted.Summary, "create /memories/01.md") {
		t.Fatalf("%+v, %+v", st.Compacted, s.kept()[len(s.kept())-1].Failure)
	}
	if reason := s.send("go on"); reason != "end_turn" || s.said()[3] != "went on" {
		t.Errorf("%s: %v", reason, s.said())
	}
}

func TestFailuresAreRetriedWithoutLosingOrRepeatingATurn(t *testing.T) {
	t.Parallel()
	o := played(5)
	turns := o.Conversations[0].Prompts[0].Turns
	turns[0].Faults = []script.Fault{script.RateLimited(20 * time.Millisecond), script.Overloaded()}
	turns[1].Faults = []script.Fault{script.OverloadedAfter(9)}
	turns[2].Faults = []script.Fault{{Kind: script.Cut, After: 60}, {Kind: script.Reset, After: 3}}
	turns[3].Faults = []script.Fault{{Kind: script.Stall, After: 4}}
	set := settings()
	set.Idle = agent.Millis(300 * time.Millisecond)
	s := perform(t, set, o)
	if reason := s.send("work"); reason != "end_turn" {
		t.Fatalf("%s: %+v", reason, s.session.State().Failure)
	}
	if n := len(s.kinds(agent.Retrying)); n != 6 {
		t.Errorf("%d retries", n)
	}
	cs, err := history.Changes(t.Context(), s.store, versions.Filter{Session: s.session.ID()}, 0, 1000)
	if err != nil || len(cs) != 4 {
		t.Errorf("%d changes, %v", len(cs), err)
	}
	if st := s.session.State(); st.Requests != 5 {
		t.Errorf("%d answers", st.Requests)
	}
}

// A person stops the agent at each event of its answers; what it goes on with is a
// conversation that the API takes.
func TestStoppedConversationsCanContinue(t *testing.T) {
	t.Parallel()
	for n := 1; n < 40; n += 3 {
		o := played(2)
		o.Conversations[0].Prompts[0].Turns[0].Faults = []script.Fault{{Kind: script.Stall, After: n}}
		s := perform(t, settings(), o)
		if err := s.session.Send("work"); err != nil {
			t.Fatal(err)
		}
		for len(s.server.Requests()) < 2 || s.session.State().Phase == agent.PhaseIdle {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(20 * time.Millisecond)
		s.session.Stop()
		s.wait()
		if reason := s.send("go on"); reason != "end_turn" || s.session.State().Failure != nil {
			t.Errorf("after a stop behind event %d: %s, %+v", n, reason, s.session.State().Failure)
		}
		if said := s.said(); said[len(said)-1] != "went on" {
			t.Errorf("after a stop behind event %d: %q", n, said)
		}
		if wrong, err := vcheck.Store(t.Context(), s.store); err != nil || len(wrong) > 0 {
			t.Errorf("the trail is not whole: %v, %v", wrong, err)
		}
	}
}
