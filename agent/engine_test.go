package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/check"
	"github.com/memend/memend/versions/engine"
	vhistory "github.com/memend/memend/versions/history"
	vstores "github.com/memend/memend/versions/stores"
)

// home is a trail with two stores.
type home struct {
	t     *testing.T
	trail *engine.Trail
	as    []versions.Attachment
}

func newHome(t *testing.T) *home {
	t.Helper()
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := trail.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &home{t: t, trail: trail}
	for _, name := range []string{"own", "team"} {
		info, err := vstores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, name, "", "")
		if err != nil {
			t.Fatal(err)
		}
		h.as = append(h.as, versions.Attachment{Store: info.ID})
	}
	h.as[1].Access = versions.ReadOnly
	return h
}

func (h *home) manager(api API, j *fakeJournal) *Manager {
	return NewManager(ManagerOptions{
		API: api, Trail: h.trail, Settings: Settings{Model: "model-1", MaxTokens: 9},
		Journal: func(versions.SessionID) (Journal, error) { return j, nil },
	})
}

// changes of a session, in all stores.
func (h *home) changes(id versions.SessionID) (out []versions.Change) {
	h.t.Helper()
	for _, a := range h.as {
		s, err := h.trail.OpenStore(h.t.Context(), a.Store)
		if err != nil {
			h.t.Fatal(err)
		}
		cs, err := vhistory.Changes(h.t.Context(), s, versions.Filter{Session: id}, 0, 100)
		if err != nil {
			h.t.Fatal(err)
		}
		out = append(out, cs...)
		if wrong, err := check.Store(h.t.Context(), s); err != nil || len(wrong) > 0 {
			h.t.Errorf("the trail is not whole: %v, %v", wrong, err)
		}
		if err := s.Close(); err != nil {
			h.t.Error(err)
		}
	}
	return out
}

func edit(id, path, old, new string) Block {
	return uses(id, "memory", fmt.Sprintf(`{"command":"str_replace","path":%q,"old_str":%q,"new_str":%q}`, path, old, new))
}

// twoTurns writes in both turns, and where it may not.
func twoTurns() []step {
	return []step{
		{reply: says(StopToolUse, Usage{Input: 5}, thinks("hm"), TextBlock("I look."), view("v1"), creates("c1", "/memories/own/a.md"), creates("c2", "/memories/team/b.md"))},
		{reply: says(StopToolUse, Usage{Input: 5}, edit("e1", "/memories/own/a.md", "x", "y"), creates("c3", "/memories/own/c.md"))},
		endStep("done", Usage{Input: 5}),
	}
}

// idles waits until nothing is under way, in real time: the engine's own waits are.
func idles(t *testing.T, s *Session, runs int) State {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if st := s.State(); !st.Working() && st.Prompts >= runs && len(st.Queue) == 0 {
			return st
		}
	}
	t.Fatalf("it never rests: %+v", s.State())
	return State{}
}

func TestASessionWritesThroughTheEngine(t *testing.T) {
	h := newHome(t)
	api, j := &fakeAPI{script: twoTurns()}, &fakeJournal{}
	manager := h.manager(api, j)
	s, err := manager.Start(t.Context(), Start{Prompt: "go", Name: "tester", Stores: h.as})
	if err != nil {
		t.Fatal(err)
	}
	st := idles(t, s, 1)
	if st.Calls != 5 || st.Errors != 1 || st.Changes != 3 {
		t.Errorf("state %+v", st)
	}
	var got []string
	for _, c := range h.changes(s.ID()) {
		got = append(got, fmt.Sprintf("%s %s turn %d by %s:%s", c.ToolUse, c.Path.Tool(), c.Turn, c.Actor.Kind, c.Actor.Name))
	}
	slices.Sort(got)
	if want := "c1 /memories/a.md turn 1 by agent:tester, c3 /memories/c.md turn 2 by agent:tester, e1 /memories/a.md turn 2 by agent:tester"; strings.Join(got, ", ") != want {
		t.Errorf("changes %s", strings.Join(got, ", "))
	}
	result := api.requests()[1].Messages[2].Content[2]
	if result.Text != "Error: Could not create /memories/team/b.md: the store is attached read-only" || !result.IsError {
		t.Errorf("the model reads %+v", result)
	}
	if sys := api.requests()[0].System; !strings.Contains(sys, `/memories/team (store "team"; you may read it, writing is refused)`) {
		t.Errorf("the prompt says %s", sys)
	}
	for _, e := range j.events(t) {
		if e.Kind == Answered && (e.Store != "") != (e.Change > 0) || e.Change > 0 && e.Store != h.as[0].Store {
			t.Errorf("told %+v", e)
		}
	}
	if err := manager.Close(); err != nil {
		t.Error(err)
	}
}

// consistent holds the engine against the journal: each change has its call there,
// and the call its result; and what is sent next is what the API takes.
func (h *home) consistent(when string, api *fakeAPI, s *Session, j *fakeJournal) {
	h.t.Helper()
	reported := map[string]Event{}
	for _, e := range j.events(h.t) {
		if e.Kind == Answered {
			if _, twice := reported[e.ToolUse]; twice {
				h.t.Errorf("%s: call %s is answered twice", when, e.ToolUse)
			}
			reported[e.ToolUse] = e
		}
	}
	made := map[string]bool{}
	for _, c := range h.changes(s.ID()) {
		made[c.ToolUse] = true
		if e, ok := reported[c.ToolUse]; !ok || e.Change != c.Number || e.IsError {
			h.t.Errorf("%s: change %d by call %s, of which the journal says %+v", when, c.Number, c.ToolUse, e)
		}
	}
	for id, e := range reported {
		if e.Change > 0 && !made[id] {
			h.t.Errorf("%s: the journal tells of change %d, the trail doesn't", when, e.Change)
		}
	}
	api.mu.Lock()
	api.script = nil
	api.mu.Unlock()
	runs := s.State().Prompts + 1
	if err := s.Send("next"); err != nil {
		h.t.Fatal(when, err)
	}
	if st := idles(h.t, s, runs); st.Reason != "end_turn" {
		h.t.Errorf("%s: then %s", when, st.Reason)
	}
	rs := api.requests()
	if last := rs[len(rs)-1].Messages; !strings.HasSuffix(shown(last), "next]") {
		h.t.Errorf("%s: sent %s", when, shown(last))
	}
}

// Stopped at every event of a script, live or kept: history, journal and engine agree.
func TestStopAtEveryEventLeavesConsistentState(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	for n, done := 1, false; !done; n++ {
		api, j := &fakeAPI{script: twoTurns()}, &fakeJournal{}
		manager := h.manager(api, j)
		s, err := manager.Start(t.Context(), Start{Name: "tester", Stores: h.as})
		if err != nil {
			t.Fatal(err)
		}
		j.hook = func(at int) {
			if at == n+1 { // after the first, that it began
				s.Stop()
			}
		}
		if err := s.Send("go"); err != nil {
			t.Fatal(err)
		}
		done = idles(t, s, 1).Reason == "end_turn"
		h.consistent(fmt.Sprint("stopped at ", n), api, s, j)
		if err := manager.Close(); err != nil {
			t.Error(err)
		}
		h.empty()
		if n > 100 {
			t.Fatal("it never gets through")
		}
	}
}

// empty empties the store for the next round.
func (h *home) empty() {
	h.t.Helper()
	a, err := vstores.Attach(h.t.Context(), h.trail, versions.By{Actor: versions.Actor{Kind: versions.Person}, Session: versions.NewSession()}, h.as[:1])
	if err != nil {
		h.t.Fatal(err)
	}
	for _, path := range []string{"/memories/a.md", "/memories/c.md"} {
		if _, _, err := a.Tool(h.t.Context(), versions.By{}, memfs.Delete{Path: path}, memfs.Options{}); err != nil {
			h.t.Error(err)
		}
	}
	if err := a.Close(); err != nil {
		h.t.Error(err)
	}
}

// Killed before every event that is kept: the session goes on from what the journal
// has, and no change that the engine has is unknown to it, though its result never
// reached the journal.
func TestKilledAtEveryEventResumes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	total := 0
	for n := 2; total == 0 || n <= total; n++ {
		api, j := &fakeAPI{script: twoTurns()}, &fakeJournal{}
		dead := make(chan struct{})
		killed := make(chan struct{})
		j.hook = func(at int) {
			if at == n { // the process is no more: it does nothing after this
				close(killed)
				j.mu.Unlock()
				<-dead
				j.mu.Lock()
				j.err = context.Canceled
			}
		}
		first := h.manager(api, j)
		through := make(chan struct{})
		go func() {
			defer close(through)
			s, err := first.Start(context.Background(), Start{Name: "tester", Stores: h.as})
			if err != nil {
				t.Error(err)
				return
			}
			_ = s.Send("go")
			for st := s.State(); st.Prompts == 0 || st.Working(); st = s.State() {
				if st.Phase == PhaseEnded {
					return
				}
				time.Sleep(time.Millisecond)
			}
		}()
		select {
		case <-killed:
		case <-through:
			total = len(j.events(t))
		}
		left := &fakeJournal{lines: slices.Clone(j.lines[:n-1])}
		events := left.events(t)
		second := h.manager(&fakeAPI{}, left)
		s, err := second.Resume(t.Context(), kept(events))
		if err != nil {
			t.Fatal(n, err)
		}
		runs := 0
		if slices.ContainsFunc(events, func(e Event) bool { return e.Kind == Prompted }) {
			runs = 1
		}
		if st := idles(t, s, runs); runs > 0 && st.Reason != "interrupted" && st.Reason != "end_turn" {
			t.Errorf("killed at %d: %q", n, st.Reason)
		}
		h.consistent(fmt.Sprint("killed at ", n), second.o.API.(*fakeAPI), s, left)
		close(dead)
		<-through
		_ = first.Close()
		if err := second.Close(); err != nil {
			t.Error(err)
		}
		h.empty()
	}
	if total < 15 {
		t.Errorf("only %d events", total)
	}
}

// What was finished of a turn when the program ended is kept as after a stop.
func TestResumeKeepsTheFinishedPartsOfATurn(t *testing.T) {
	onStage(t, func(st *stage) {
		begun := []Event{{Kind: Started, Settings: &Settings{Model: "model-1", MaxTokens: 1}, Stores: []Attachment{{Store: "memstore_1"}}},
			{Kind: Prompted, Text: "go"}, {Kind: Sent, Turn: 1}}
		for _, b := range []Block{thinks("hm"), TextBlock("I look."), creates("c1", "/memories/a")} {
			begun = append(begun, Event{Kind: BlockEnded, Type: b.Type, Block: &b, ToolUse: b.ID, Turn: 1})
		}
		for i := range begun {
			begun[i].Seq, begun[i].Session, begun[i].Actor, begun[i].Time = int64(i+1), "sesn_1", versions.Actor{Kind: versions.Agent, Name: "tester"}, time.Now()
			if err := st.journal.Append(begun[i]); err != nil {
				t.Error(err)
			}
		}
		s, err := st.manager.Resume(st.t.Context(), kept(begun))
		if err != nil {
			t.Fatal(err)
		}
		waitIdle()
		if got := s.State(); got.Reason != "interrupted" || got.Failure.Type != "interrupted" || got.Phase != PhaseIdle {
			t.Errorf("state %+v", got)
		}
		if err := s.Send("next"); err != nil {
			t.Error(err)
		}
		waitIdle()
		st.sent(1, "u[go] a[thinking hm|I look.|use c1] u[c1=cancelled|next]")
		if got := st.last(Sent).Turn; got != 2 {
			t.Errorf("turn %d", got)
		}
	})
}

func TestResumeKeepsTheModelsContext(t *testing.T) {
	h := newHome(t)
	api, j := &fakeAPI{script: []step{
		{reply: says(StopToolUse, over, thinks("hm"), creates("c1", "/memories/own/a.md"))}, summary("SUM"), endStep("done", Usage{Input: 5}),
	}}, &fakeJournal{}
	manager := h.manager(api, j)
	set := manager.o.Settings
	set.Compact, set.Guidance = Compaction{Mode: CompactClient, Threshold: 1000}, "Birds."
	h.as[0].Instructions = "be careful"
	s, err := manager.Start(t.Context(), Start{Prompt: "go", Name: "tester", Stores: h.as, Settings: set})
	if err != nil {
		t.Fatal(err)
	}
	before := idles(t, s, 1)
	if err := manager.Close(); err != nil {
		t.Error(err)
	}
	again := h.manager(&fakeAPI{}, &fakeJournal{})
	r, err := again.Resume(t.Context(), kept(j.events(t)))
	if err != nil {
		t.Fatal(err)
	}
	if same, err := again.Resume(t.Context(), kept(j.events(t))); err != nil || same != r {
		t.Errorf("one that runs is begun again: %v", err)
	}
	st := r.State()
	if st.Session != before.Session || st.Title != "go" || st.Turn != 2 || st.Settings.Guidance != "Birds." || st.Phase != PhaseIdle || st.Actor != before.Actor {
		t.Errorf("state %+v", st)
	}
	if err := r.Send("next"); err != nil {
		t.Error(err)
	}
	idles(t, r, 2)
	if got, want := shown(again.o.API.(*fakeAPI).requests()[0].Messages), "u[SUM] a[done] u[next]"; got != want {
		t.Errorf("sent %s, want %s", got, want)
	}
	if r.State().Turn != 3 {
		t.Errorf("turn %d", r.State().Turn)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
	for name, events := range map[string][]Event{"nothing": nil, "no beginning": {{Kind: Prompted, Session: "sesn_x", Text: "x"}}} {
		if _, err := again.Resume(t.Context(), kept(events)); err == nil {
			t.Errorf("%s is resumed", name)
		}
	}
}

// Sessions at once share the manager, the trail and nothing else.
func TestConcurrentSessionsAreIndependent(t *testing.T) {
	h := newHome(t)
	const many = 6
	journals := map[versions.SessionID]*fakeJournal{}
	var mu sync.Mutex
	manager := NewManager(ManagerOptions{API: &paths{}, Trail: h.trail, Settings: Settings{Model: "m", MaxTokens: 9}, Journal: func(id versions.SessionID) (Journal, error) {
		mu.Lock()
		defer mu.Unlock()
		journals[id] = &fakeJournal{}
		return journals[id], nil
	}})
	for i := range many {
		s, err := manager.Start(t.Context(), Start{Prompt: fmt.Sprint(i), Name: "tester", Stores: h.as[:1]})
		if err != nil {
			t.Fatal(err)
		}
		sub := s.Watch(t.Context())
		go drain(t, sub, 0)
	}
	all := manager.Sessions()
	for i, s := range all {
		if st := idles(t, s, 1); st.Changes != 3 || st.Title != fmt.Sprint(i) || manager.Session(s.ID()) != s {
			t.Errorf("session %d: %+v", i, st)
		}
		cs := h.changes(s.ID())
		if len(cs) != 3 {
			t.Errorf("session %d made %d changes", i, len(cs))
		}
		for _, c := range cs {
			if !strings.HasPrefix(c.Path.Tool(), fmt.Sprintf("/memories/%d-", i)) {
				t.Errorf("session %d wrote %s", i, c.Path.Tool())
			}
		}
	}
	if err := manager.Close(); err != nil || len(all) != many {
		t.Errorf("%d sessions, %v", len(all), err)
	}
	for id, j := range journals {
		for _, e := range j.events(t) {
			if e.Session != id {
				t.Errorf("the journal of %s holds %+v", id, e)
			}
		}
	}
}

// paths writes three memories, called after the prompt.
type paths struct{ fakeAPI }

func (p *paths) Stream(_ context.Context, r Request, report func(Delta)) (*Reply, error) {
	prompt, n := r.Messages[0].Content[0].Text, len(r.Messages)/2
	reply := says("end_turn", Usage{Input: 1}, TextBlock("done"))
	if n < 3 {
		reply = says(StopToolUse, Usage{Input: 1}, creates(fmt.Sprintf("t%s-%d", prompt, n), fmt.Sprintf("/memories/%s-%d.md", prompt, n)))
	}
	for _, d := range pieces(reply) {
		report(d)
	}
	return reply, nil
}

func TestAnUnreadableConversationLeavesNothingOpen(t *testing.T) {
	onStage(t, func(st *stage) {
		_, err := st.manager.Resume(st.t.Context(), func(yield func(Event, error) bool) {
			if yield(Event{Kind: Started, Session: "sesn_1", Stores: []Attachment{{}}}, nil) {
				yield(Event{}, errors.New("torn"))
			}
		})
		if err == nil || err.Error() != "resume: torn" || !st.journal.closed || !st.mem.closed || len(st.manager.Sessions()) > 0 {
			t.Errorf("%v, closed %v and %v", err, st.journal.closed, st.mem.closed)
		}
	})
}

// A call is answered as `memend tool` answers it, whole block or bare input.
func TestCallAcceptsWholeBlocksAndBareInputs(t *testing.T) {
	h := newHome(t)
	by := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "x"}, Session: versions.NewSession()}
	a, err := vstores.Attach(t.Context(), h.trail, by, h.as[:1])
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, c := range []struct {
		input, id, text string
		isError         bool
	}{
		{`{"type":"tool_use","id":"t1","name":"memory","input":{"command":"create","path":"/memories/a","file_text":"x"}}`, "t1", "File created successfully at: /memories/a", false},
		{`{"command":"create","path":"/memories/a","file_text":"x"}`, "", "Error: File /memories/a already exists", true},
		{`{"type":"tool_use","id":"t2","name":"bash","input":{}}`, "t2", "Error: unknown tool bash", true},
		{`{`, "", "Error: the input is not a JSON object", true},
	} {
		got, err := Call(t.Context(), a, by, json.RawMessage(c.input))
		if err != nil || got.ToolUse != c.id || got.Result.Text != c.text || got.Result.IsError != c.isError || (got.Change.Number > 0) == c.isError {
			t.Errorf("%s: %+v, %v", c.input, got, err)
		}
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := Call(gone, a, by, []byte(`{"command":"create","path":"/memories/b","file_text":"x"}`)); err == nil && got.Result.IsError || err != nil && got.Result.Text != cancelled {
		t.Errorf("cancelled before: %+v, %v", got, err)
	}
}
