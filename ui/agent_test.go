package ui

import (
	"context"
	"io"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	talking "github.com/memend/memend/agent"
	"github.com/memend/memend/ui/dialog"
	"github.com/memend/memend/ui/frame"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/talk"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/conversations"
)

// managerOf is a manager with sessions that are at work or wait for the user.
type managerOf []*workingTalk

func (c managerOf) Ready(context.Context) error { return nil }
func (c managerOf) Start(context.Context, talking.Start) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c managerOf) Resume(context.Context, versions.SessionID) (talk.Session, error) {
	return nil, talking.ErrNoCredentials
}
func (c managerOf) Session(id versions.SessionID) talk.Session {
	for _, s := range c {
		if s.id == id {
			return s
		}
	}
	return nil
}
func (c managerOf) Sessions() (out []talk.Session) {
	for _, s := range c {
		out = append(out, s)
	}
	return out
}

// workingTalk is a running session.
type workingTalk struct {
	talk.Session
	id    versions.SessionID
	state talking.State
}

func working1(prompt string) *workingTalk {
	s := &workingTalk{id: versions.NewSession()}
	for _, k := range []talking.Kind{talking.Started, talking.Prompted, talking.Sent} {
		s.state.Take(talking.Event{Kind: k, Session: s.id, Text: prompt, Time: clock, Actor: versions.Actor{Kind: versions.Agent, Name: "scribe"}})
	}
	return s
}

func (s *workingTalk) ID() versions.SessionID                        { return s.id }
func (s *workingTalk) State() talking.State                          { return s.state }
func (s *workingTalk) Watch(context.Context) talk.Watch              { return s }
func (s *workingTalk) Next(context.Context) ([]talking.Event, error) { return nil, io.EOF }

// fakeConversations records nothing and delivers what a test sends to grew.
type fakeConversations struct{ grew chan versions.SessionID }

func (k fakeConversations) List() ([]conversations.Info, error) { return nil, nil }
func (k fakeConversations) Read(versions.SessionID, int64) ([][]byte, int64, error) {
	return nil, 0, conversations.ErrNotFound
}
func (k fakeConversations) ReadBack(versions.SessionID, int64) ([][]byte, int64, error) {
	return nil, 0, conversations.ErrNotFound
}
func (k fakeConversations) Watch(context.Context) <-chan versions.SessionID { return k.grew }

// agentSim returns a sim with agents.
func agentSim(t *testing.T, manager managerOf, change ...func(*Config)) *sim {
	kept := fakeConversations{make(chan versions.SessionID, 1)}
	s := newSim(t, sample(), 100, 30, append([]func(*Config){func(c *Config) { c.Agents, c.Talks = manager, kept }}, change...)...)
	kept.grew <- "" // to end the wait for it
	close(kept.grew)
	s.run(s.app.live.Start())
	return s
}

func TestRunningAgents_AreCountedInTheStatusLine(t *testing.T) {
	t.Parallel()
	s := agentSim(t, managerOf{working1("one"), working1("two")})
	if got := s.screen(); !strings.Contains(got, "» 2 agents at work") {
		t.Errorf("the status line says\n%s", got)
	}
	s = agentSim(t, nil)
	if got := s.screen(); strings.Contains(got, "at work") {
		t.Errorf("nobody is at work\n%s", got)
	}
}

func TestQuitting_AsksOnceWhileAgentsWork(t *testing.T) {
	t.Parallel()
	s := agentSim(t, managerOf{working1("one")})
	s.keys("q")
	if s.over || !strings.Contains(s.screen(), "1 agent is at work") {
		t.Fatalf("it quits without a question\n%s", s.screen())
	}
	s.keys("n")
	if s.over {
		t.Fatal("to keep them working quits")
	}
	s.keys("q y")
	if !s.over {
		t.Error("it does not quit")
	}
	s = agentSim(t, managerOf{})
	s.keys("q")
	if !s.over {
		t.Error("it asks although nobody works")
	}
}

func TestRunningAgent_IsShownWhenItsPaneOpens(t *testing.T) {
	t.Parallel()
	s := agentSim(t, managerOf{working1("Tidy up the notes")})
	s.keys("A")
	if got := s.screen(); !strings.Contains(got, "◇ scribe") || !strings.Contains(got, "Tidy up the notes") || !strings.Contains(got, "waiting for the model") {
		t.Errorf("the pane shows\n%s", got)
	}
}

func TestReadOnly_RunsNoAgents(t *testing.T) {
	t.Parallel()
	s := agentSim(t, managerOf{}, func(c *Config) { c.ReadOnly = true })
	s.keys("A a")
	if len(s.app.screens) > 0 || !strings.Contains(s.screen(), "switched off") {
		t.Errorf("a new agent can be asked\n%s", s.screen())
	}
}

func TestPrompt_KeepsNavigationKeys(t *testing.T) {
	t.Parallel()
	busy := working1("Go.")
	for _, key := range []string{"tab", "shift+tab"} {
		s := agentSim(t, managerOf{busy})
		s.keys("A i")
		if !s.app.front().TakesText() {
			t.Fatalf("no prompt is written:\n%s", s.screen())
		}
		s.shows("Esc leave", "^X stop", "^K all actions")
		s.typed("half a prompt")
		s.keys(key)
		if s.app.frame.Focus() == frame.Agents {
			t.Errorf("%s does not change the pane", key)
		}
		s.send(screen.Cycle{By: map[string]int{"tab": -1, "shift+tab": 1}[key]})
		s.shows("half a prompt")
	}
	s := agentSim(t, managerOf{busy})
	s.keys("A i ctrl+k")
	if _, ok := s.app.overlay.(*dialog.Menu); !ok {
		t.Fatalf("Ctrl+K shows no actions:\n%s", s.screen())
	}
	s.typed("timeline")
	s.shows("timeline")
}

func TestPalette_OpensWhileTyping(t *testing.T) {
	t.Parallel()
	for name, keys := range map[string]string{"editor": "enter e", "filter": "/", "search": "ctrl+g", "filter of the history": "H /"} {
		s := newSim(t, sample(), 100, 30)
		s.on("people/dana.md").keys(keys)
		if !s.app.front().TakesText() {
			t.Fatalf("%s: nothing is typed:\n%s", name, s.screen())
		}
		s.keys("ctrl+k")
		if m, ok := s.app.overlay.(*dialog.Menu); !ok || m.Name != "all actions" {
			t.Errorf("%s: Ctrl+K shows no actions:\n%s", name, s.screen())
		}
	}
}

// The status line begins with what waits for the person, then what is to be reviewed, then who works;
// in fewer columns the last ones go first.
func TestStatusLine_OrdersWhatIsGoingOn(t *testing.T) {
	t.Parallel()
	talks := fakeConversations{make(chan versions.SessionID, 1)}
	q := newQueue(t, 160, 30, func(c *Config) { c.Agents, c.Talks = managerOf{working1("one")}, talks })
	talks.grew <- "" // to end the wait for it
	close(talks.grew)
	q.run(q.app.live.Start())
	q.policy("open")
	q.writes(robot, "safe.md", "of a robot\n")
	q.policy("review")
	q.held(robot, "held.md", "x\n")
	q.elapse()
	order := []string{"1 waits for you", "1 to review", "1 agent at work", "follow: o"}
	for w := 160; w >= 40; w -= 4 {
		q.send(tea.WindowSizeMsg{Width: w, Height: 30})
		var line string
		for row := range strings.Lines(q.screen()) {
			if strings.Contains(row, order[0]) {
				line = row
			}
		}
		last, shown := 0, 0
		for i, part := range order {
			at := strings.Index(line, part)
			if at < 0 {
				continue
			}
			if shown++; shown != i+1 || at < last {
				t.Errorf("%d columns: %q is in the wrong place in %q", w, part, line)
			}
			last = at
		}
		if shown == 0 || w == 160 && shown < 3 {
			t.Errorf("%d columns: %d parts in %q", w, shown, line)
		}
	}
}
