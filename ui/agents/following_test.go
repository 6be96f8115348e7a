package agents

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/versions"
)

// begins starts a session the given time after the first one and notifies the pane.
func (f *fixture) begins(manager *fakeManager, name string, after time.Duration) *fakeTalk {
	s := (&fakeTalk{id: versions.NewSession(), name: name}).phase(agent.PhaseWaiting)
	s.state.Began = s.state.Began.Add(after)
	s.batches = [][]agent.Event{{{Kind: agent.Prompted, Text: "It is " + name + ".", Seq: 2}}}
	manager.sessions = append(manager.sessions, s)
	f.run(f.pane.Grown(s.id))
	return s
}

func TestFollowing_SelectsEachNewSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	first := f.begins(manager, "first", time.Hour)
	f.shows("> It is first.")
	first.phase(agent.PhaseEnded)
	f.begins(manager, "second", 2*time.Hour)
	f.shows("> It is second.")
	f.begins(manager, "earlier", time.Minute)
	f.shows("> It is second.")
}

// Following shows who works now, also if that agent began earlier than the one that was shown.
func TestFollowing_ReturnsToAnAgentThatWorksAgain(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	first := f.begins(manager, "first", time.Hour)
	began := first.state.Began
	first.phase(agent.PhaseIdle)
	second := f.begins(manager, "second", 2*time.Hour)
	f.shows("> It is second.")
	first.phase(agent.PhaseWaiting)
	first.state.Began = began
	f.run(f.pane.Grown(first.id))
	f.shows("> It is second.") // it is at work
	later := second.state.Began
	second.phase(agent.PhaseIdle).state.Began = later
	f.run(f.pane.Grown(second.id))
	f.shows("> It is first.")
}

func TestFollowing_EndsWhenThePersonActs(t *testing.T) {
	t.Parallel()
	for what, choose := range map[string]func(*fixture){
		"a key":     func(f *fixture) { f.press("j") },
		"the wheel": func(f *fixture) { f.run(f.pane.Update(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 5, Y: 30})) },
		"a click":   func(f *fixture) { f.run(f.pane.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: 30})) },
		"a prompt":  func(f *fixture) { f.press("i") },
	} {
		f := newFixture(t, 100, 40).story()
		manager := f.host()
		f.start()
		f.run(f.pane.Follow(true))
		f.begins(manager, "first", time.Hour)
		choose(f)
		if f.pane.TakesText() {
			f.press("esc")
		}
		f.begins(manager, "second", 2*time.Hour)
		if f.pane.Follows() {
			t.Errorf("after %s it follows", what)
		}
		f.shows("> It is first.")
	}
}

// A key that selects nothing is no choice: the person who undoes what an agent did sees the next
// one at work.
func TestFollowing_GoesOnAfterAnAct(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	s := f.begins(manager, "first", time.Hour)
	f.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "first"}, Session: s.id}, "new.md", "x\n")
	f.run(f.pane.sessions.refresh())
	f.press("U")
	f.press(".")
	f.begins(manager, "second", 2*time.Hour)
	f.shows("> It is second.")
}

func TestSessionWithoutChanges_CanNotBeUndone(t *testing.T) {
	t.Parallel()
	f := newFixture(t, 100, 40).story()
	manager := f.host()
	f.start()
	f.run(f.pane.Follow(true))
	s := f.begins(manager, "first", time.Hour)
	if why := f.pane.undoDisabled(); why != "it changed nothing here" {
		t.Errorf("it is refused because %q", why)
	}
	f.write(versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "first"}, Session: s.id}, "new.md", "x\n")
	f.run(f.pane.sessions.refresh())
	if why := f.pane.undoDisabled(); why != "" {
		t.Errorf("it is refused because %q", why)
	}
}
