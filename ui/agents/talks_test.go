package agents

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// fakeManager runs the sessions of a test.
type fakeManager struct {
	f        *fixture
	sessions []*fakeTalk
	notReady error
	started  []agent.Start
	resumed  []versions.SessionID
}

func (c *fakeManager) Ready(context.Context) error { return c.notReady }
func (c *fakeManager) Resume(_ context.Context, id versions.SessionID) (talk.Session, error) {
	c.resumed = append(c.resumed, id)
	s := &fakeTalk{id: id, name: "scribe"}
	s.phase(agent.PhaseIdle)
	c.sessions = append(c.sessions, s)
	return s, nil
}

func (c *fakeManager) Start(_ context.Context, s agent.Start) (talk.Session, error) {
	if c.notReady != nil {
		return nil, c.notReady
	}
	c.started = append(c.started, s)
	x := &fakeTalk{id: versions.NewSession(), name: s.Name}
	x.phase(agent.PhaseIdle)
	c.sessions = append(c.sessions, x)
	return x, nil
}

func (c *fakeManager) Session(id versions.SessionID) talk.Session {
	for _, s := range c.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

func (c *fakeManager) Sessions() (out []talk.Session) {
	for _, s := range c.sessions {
		out = append(out, s)
	}
	return out
}

// fakeTalk is a session in a given phase; it delivers the events in batches.
type fakeTalk struct {
	id      versions.SessionID
	name    string
	state   agent.State
	batches [][]agent.Event
	asked   []string
}

// phase puts the session into a phase by the events that lead to it.
func (s *fakeTalk) phase(p agent.Phase) *fakeTalk {
	s.state = agent.State{}
	e := func(k agent.Kind, change ...func(*agent.Event)) {
		ev := agent.Event{Kind: k, Time: time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC), Session: s.id, Actor: versions.Actor{Kind: versions.Agent, Name: s.name}}
		for _, f := range change {
			f(&ev)
		}
		s.state.Take(ev)
	}
	e(agent.Started)
	if p == agent.PhaseIdle {
		return s
	}
	e(agent.Prompted, func(ev *agent.Event) { ev.Text = "Write about " + s.name })
	e(agent.Sent)
	if p == agent.PhaseEnded {
		e(agent.Ended)
	}
	return s
}

func (s *fakeTalk) ID() versions.SessionID           { return s.id }
func (s *fakeTalk) State() agent.State               { return s.state }
func (s *fakeTalk) Send(text string) error           { s.asked = append(s.asked, "send "+text); return nil }
func (s *fakeTalk) Close() error                     { s.asked = append(s.asked, "close"); return nil }
func (s *fakeTalk) Stop()                            { s.asked = append(s.asked, "stop") }
func (s *fakeTalk) Compact() error                   { return nil }
func (s *fakeTalk) Watch(context.Context) talk.Watch { return s }
func (s *fakeTalk) Next(context.Context) ([]agent.Event, error) {
	if len(s.batches) == 0 {
		return nil, io.EOF
	}
	b := s.batches[0]
	s.batches = s.batches[1:]
	return b, nil
}

// keep writes a conversation as another process does that has ended or still runs.
func (f *fixture) keep(events ...agent.Event) (versions.SessionID, *conversations.Conversation) {
	f.t.Helper()
	id := versions.NewSession()
	c, err := f.trail.Conversations().Begin(id)
	f.must(err)
	for i, ev := range events {
		ev.Seq, ev.Session, ev.Time = int64(i+1), id, f.time()
		ev.Actor = versions.Actor{Kind: versions.Agent, Name: "scribe"}
		b, err := json.Marshal(ev)
		f.must(err)
		f.must(c.Append(b))
	}
	return id, c
}

// host connects the pane with a manager and the recorded conversations.
func (f *fixture) host(change ...func(*Host)) *fakeManager {
	manager := &fakeManager{f: f}
	h := Host{Manager: manager, Kept: f.trail.Conversations(), Here: f.store.Info().ID, Store: func(context.Context, versions.StoreID) (talk.Store, error) { return local.Store{Store: f.store}, nil }}
	for _, c := range change {
		c(&h)
	}
	f.pane.Connect(h)
	return manager
}

// press presses keys that are separated by blanks, sequences too; other text is typed.
func (f *fixture) press(names string) {
	f.t.Helper()
	seq := ""
	for _, k := range strings.Fields(names) {
		if f.pane.TakesText() {
			f.keys(k)
			continue
		}
		seq = strings.TrimSpace(seq + " " + k)
		cmd, r := f.pane.Press(strings.Fields(seq), 0)
		switch r {
		case keys.None:
			f.t.Fatalf("%s does nothing", seq)
		case keys.Done:
			seq = ""
			f.run(cmd)
		}
	}
}

func (f *fixture) typed(text string) {
	for _, r := range text {
		f.keys(string(r))
	}
}

func (f *fixture) screen() string { return f.view() }

func (f *fixture) shows(want ...string) {
	f.t.Helper()
	screentest.Shows(f.t, f.screen, want...)
}

// rowOf returns the row of the sessions that contains a text.
func (f *fixture) rowOf(text string) string {
	for _, row := range strings.Split(f.screen(), "\n") {
		if strings.Contains(row, text) {
			return row
		}
	}
	f.t.Fatalf("nothing shows %q:\n%s", text, f.screen())
	return ""
}

func said(text string) []agent.Event {
	return []agent.Event{{Kind: agent.Started}, {Kind: agent.Prompted, Text: text}}
}

func TestSessions_ShowThePhaseOfTheirAgents(t *testing.T) {
	f := newFixture(t, 100, 90).story()
	manager := f.host()
	_, gone := f.keep(said("was cut off")...)
	f.must(gone.Close())
	_, over := f.keep(append(said("was answered"), agent.Event{Kind: agent.Ended})...)
	f.must(over.Close())
	_, elsewhere := f.keep(said("of another")...)
	defer elsewhere.Close()
	manager.sessions = append(manager.sessions, (&fakeTalk{id: versions.NewSession(), name: "busy"}).phase(agent.PhaseWaiting), (&fakeTalk{id: versions.NewSession(), name: "idle"}).phase(agent.PhaseIdle))
	f.start()
	for text, sign := range map[string]string{"cut off": "!", "answered": "-", "another": "»", "busy": "»", "idle": "o", "claude": " "} {
		if row := f.rowOf(text); !strings.HasPrefix(row, sign+" ") {
			t.Errorf("the row of %q begins with %q, want %q", text, row[:4], sign)
		}
	}
	if _, info := f.pane.Title(); info != "1 agent at work" {
		t.Errorf("the title says %q", info)
	}
}

func TestChosenSession_ShowsItsConversationOrActivity(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	f.host()
	_, c := f.keep(append(said("Remember the plan."), agent.Event{Kind: agent.Ended})...)
	f.must(c.Close())
	f.start()
	f.press("h g g j")
	f.shows("> Remember the plan.", "· Remember the plan.")
	f.press("s")
	f.shows("This session did nothing here")
	f.press("s")
	f.shows("> Remember the plan.")
	f.press("enter")
	if !f.pane.talking() {
		t.Fatal("Enter does not go to the conversation")
	}
	f.press("esc")
	if f.pane.InDetail {
		t.Fatal("Esc does not go back to the sessions")
	}
	f.press("j")
	if strings.Contains(f.screen(), "Remember the plan.\n") {
		t.Error("the conversation of another session shows")
	}
}

func TestRunningAgent_IsShownWhenThePaneOpens(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	busy := (&fakeTalk{id: versions.NewSession(), name: "busy"}).phase(agent.PhaseWaiting)
	busy.batches = [][]agent.Event{{{Kind: agent.Prompted, Text: "It is at it.", Seq: 2}}}
	manager.sessions = append(manager.sessions, busy)
	f.start()
	f.shows("> It is at it.")
	if !f.pane.talking() {
		t.Error("it does not have the keys")
	}
}

func TestPrompt_BelongsToItsSession(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	unsent := map[versions.SessionID]string{}
	manager := f.host(func(h *Host) { h.Unsent = unsent })
	one := (&fakeTalk{id: versions.NewSession(), name: "one"}).phase(agent.PhaseIdle)
	two := (&fakeTalk{id: versions.NewSession(), name: "two"}).phase(agent.PhaseIdle)
	one.state.Seen, two.state.Seen = f.time().Add(2*time.Minute), f.time().Add(time.Minute)
	manager.sessions = append(manager.sessions, one, two)
	f.start()
	f.press("h g g j i")
	f.typed("for one")
	f.press("esc esc j i")
	f.typed("for two")
	f.press("enter")
	if len(one.asked) != 0 || fmt.Sprint(two.asked) != "[send for two]" {
		t.Fatalf("one was asked %q, two %q", one.asked, two.asked)
	}
	f.press("esc esc k l")
	f.shows("> for one")
	f.pane.Close()
	if unsent[one.id] != "for one" {
		t.Errorf("what is kept of it is %q", unsent[one.id])
	}
}

func TestNewAgent_StartsOnTheOpenStoreAndWaitsForItsPrompt(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.press("a")
	if len(manager.started) != 1 || !f.pane.talking() || !f.pane.TakesText() {
		t.Fatalf("started %d, in the conversation %t", len(manager.started), f.pane.talking())
	}
	if on := manager.started[0].Stores; len(on) != 1 || on[0].Store != f.pane.talks.Host.Here {
		t.Errorf("it works on %v", on)
	}
	f.shows("your turn")
	if !slices.Contains(f.asked, tea.Msg(screen.Follow{})) {
		t.Error("what it writes is not followed")
	}
}

func TestStop_WorksInTheListOfSessions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	s := f.begins(manager, "first", time.Hour)
	f.press("h x")
	if fmt.Sprint(s.asked) != "[stop]" {
		t.Errorf("asked of it was %q", s.asked)
	}
}

// A session is marked as reviewed with all that it changed, also with changes of several
// memories; a row of the stream alone.
func TestReviewed_MarksASessionOrAChange(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	f.write(dana, "drafts/a.md", "a\n")
	f.write(dana, "drafts/b.md", "b\n")
	_, err := f.store.Delete(t.Context(), helper, f.path("drafts"))
	f.must(err)
	f.start()
	marked := func() map[versions.MemoryID]int64 {
		for _, msg := range f.asked {
			if m, ok := msg.(screen.MarkReviewed); ok {
				f.asked = nil
				return m.UpTo
			}
		}
		return nil
	}
	f.press("h g g j .")
	if got := marked(); len(got) != 4 {
		t.Errorf("helper's session changed %v", got)
	}
	f.press("l g g .")
	if got := marked(); len(got) != 2 {
		t.Errorf("the newest change is of %v", got)
	}
	f.press("j .")
	if got := marked(); len(got) != 1 {
		t.Errorf("the change before it is of %v", got)
	}
}

// A key that can't act on a row of the sessions says what to do.
func TestSessionRow_SaysWhereKeysWork(t *testing.T) {
	f := newFixture(t, 100, 40).story().start()
	f.press("h j t")
	if _, ok := f.last().(screen.Timeline); !ok {
		t.Errorf("t asks for %#v", f.last())
	}
	f.press("B")
	if r, ok := f.last().(keys.Refused); !ok || !strings.Contains(r.Why, "l goes to what was done") {
		t.Errorf("b says %#v", f.last())
	}
}

func TestWithoutCredentials_ItShowsWhatToSetAndTheDemo(t *testing.T) {
	f := newFixture(t, 110, 40)
	manager := f.host()
	manager.notReady = fmt.Errorf("%w: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)", agent.ErrNoCredentials)
	f.start()
	f.shows("ANTHROPIC_API_KEY", "memend demo")
	f.press("a")
	if len(f.asked) > 0 {
		if _, ok := f.asked[len(f.asked)-1].(screen.Show); ok {
			t.Fatal("the form shows all the same")
		}
	}
	if why := f.pane.talks.whyNoAgent(); !strings.Contains(why, "ANTHROPIC_API_KEY") || !strings.Contains(why, "demo") {
		t.Errorf("it is refused because %q", why)
	}
}

func TestWithoutAManager_AgentsAreDisabled(t *testing.T) {
	f := newFixture(t, 100, 40).story().start()
	if why := f.pane.talks.whyNoAgent(); !strings.Contains(why, "switched off") {
		t.Errorf("it is refused because %q", why)
	}
}

func TestInterruptedSession_CanBeResumed(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	id, c := f.keep(said("What was begun.")...)
	f.must(c.Close())
	f.start()
	f.press("h g g j")
	f.shows("interrupted")
	f.press("i")
	if len(manager.resumed) != 1 || manager.resumed[0] != id {
		t.Fatalf("resumed %q", manager.resumed)
	}
	f.shows("your turn", "> What was begun.")
	if !f.pane.TakesText() {
		t.Error("a prompt can't be written at once")
	}
	f.press("esc i")
	if len(manager.resumed) != 1 {
		t.Errorf("it was resumed again: %q", manager.resumed)
	}
}

// A session that ended here may go on in another program: what it does there shows.
func TestEndedSession_ThatIsResumedElsewhereIsFollowedThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	id, c := f.keep(said("What was begun.")...)
	here := (&fakeTalk{id: id, name: "scribe"}).phase(agent.PhaseWaiting)
	here.batches = [][]agent.Event{{{Kind: agent.Ended, Seq: 3}}}
	manager.sessions = append(manager.sessions, here)
	f.start()
	f.press("h g g j")
	f.shows("> What was begun.")
	n := int64(len(said("")))
	add := func(c *conversations.Conversation, events ...agent.Event) {
		for _, ev := range events {
			n++
			ev.Seq, ev.Session, ev.Time, ev.Actor = n, id, f.time(), versions.Actor{Kind: versions.Agent, Name: "scribe"}
			b, err := json.Marshal(ev)
			f.must(err)
			f.must(c.Append(b))
		}
	}
	here.phase(agent.PhaseEnded)
	add(c, agent.Event{Kind: agent.Ended})
	f.run(f.pane.Grown(id)) // its file is not closed yet
	f.must(c.Close())
	f.run(f.pane.Grown(id))
	if f.pane.talks.view(id).Elsewhere() {
		t.Fatal("it ended, and is said to run elsewhere")
	}
	c, err := f.trail.Conversations().Begin(id)
	f.must(err)
	defer c.Close()
	add(c, agent.Event{Kind: agent.Resumed}, agent.Event{Kind: agent.Prompted, Text: "Go on."}, agent.Event{Kind: agent.Sent})
	f.run(f.pane.Grown(id))
	f.shows("> Go on.")
	if !f.pane.talks.view(id).Elsewhere() {
		t.Error("it does not say that it runs elsewhere")
	}
	if why := f.pane.promptDisabled(); why != "it runs in another program" {
		t.Errorf("a prompt is refused because %q", why)
	}
}

func TestConversations_AreMergedWithSessions(t *testing.T) {
	f := newFixture(t, 100, 40).story()
	f.host()
	id, c := f.keep(append(said("Both."), agent.Event{Kind: agent.Ended})...)
	f.must(c.Close())
	f.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "scribe"}, Session: id}, "said.md", "x\n")
	f.start()
	n := 0
	for _, s := range f.pane.sessions.list {
		if s.ID == id {
			n++
			if s.Changes != 1 {
				t.Errorf("its row counts %d changes", s.Changes)
			}
		}
	}
	if n != 1 {
		t.Errorf("the session has %d rows", n)
	}
	f.run(f.pane.Grown(id))
	f.run(f.pane.sessions.refresh())
	if f.rowOf("scribe Both.") == "" {
		t.Error("its row lost what it is about")
	}
}

func TestConversations_FitEverySize(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	busy := (&fakeTalk{id: versions.NewSession(), name: "b\x1b[31musy\u202e"}).phase(agent.PhaseWaiting)
	busy.batches = [][]agent.Event{{{Kind: agent.Prompted, Text: "It \x1b]0;x\x07is at it.", Seq: 2}, {Kind: agent.Sent, Seq: 3, Turn: 1}}}
	manager.sessions = append(manager.sessions, busy)
	f.start()
	for _, play := range []string{"", "i", "esc", "esc", "s"} {
		f.press(play)
		for w := 0; w < 150; w += 1 + min(w/4, 5) {
			for h := 0; h < 40; h += 1 + min(h/4, 3) {
				f.pane.SetSize(w, h)
				if wrong := drawtest.Problem(f.pane.View(), w, h); wrong != "" {
					t.Fatalf("after %q, %dx%d: %s", play, w, h, wrong)
				}
				if x, y, ok := f.pane.Cursor(); ok && (x < 0 || y < 0 || x >= w || y >= h) {
					t.Fatalf("%dx%d: the cursor is at %d,%d", w, h, x, y)
				}
			}
		}
	}
}

var errUnreachable = errors.New("no route")

func TestUnreachableAPI_IsReported(t *testing.T) {
	f := newFixture(t, 110, 40)
	f.host().notReady = errUnreachable
	f.start()
	f.shows("no route", "ANTHROPIC_BASE_URL")
	f.press("a")
	if why, ok := f.asked[len(f.asked)-1].(screen.Notice); !ok || !why.Bad || !strings.Contains(why.Text, "no route") {
		t.Errorf("a asks for %#v", f.asked[len(f.asked)-1])
	}
}

// talking reports whether a conversation has the focus.
func (p *Pane) talking() bool { return p.InDetail && p.talk() != nil }

// A key that is pressed again while an agent starts does not start a second one.
func TestNewAgent_StartsOnce(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	first, _ := f.pane.Press([]string{"a"}, 0)
	second, _ := f.pane.Press([]string{"a"}, 0)
	f.run(first)
	f.run(second)
	if n := len(manager.started); n != 1 || !f.pane.talking() {
		t.Errorf("%d agents started, in the conversation: %v", n, f.pane.talking())
	}
}
