package talk

import (
	"context"
	"errors"
	"flag"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
	"github.com/memend/memend/versions/plan"
	"github.com/memend/memend/versions/stores"
)

// aTurnOfAll is a script with thinking, texts, calls that succeed and calls that fail, and a
// clearing.
func aTurnOfAll() script.Conversation {
	return script.Conversation{Name: "all", Prompts: []script.Prompt{{Turns: []script.Turn{
		{Blocks: []script.Block{script.Think("First I look."), script.Say("I look."), script.View("/memories")}},
		{Blocks: []script.Block{script.Create("/memories/a.md", "one\ntwo\n"), script.View("/memories/none.md"), script.Replace("/memories/a.md", "one", "1")}},
		{Blocks: []script.Block{script.Say("Written.")}},
	}}, {Turns: []script.Turn{{Blocks: []script.Block{script.Say("Again.")}}}}}}
}

// stopped runs a session that is stopped at its nth event, then prompted once more and closed.
// It returns the events that a watcher received, and reports whether there was an nth event.
func stopped(t *testing.T, trail *engine.Trail, store versions.StoreID, url string, n int) (id versions.SessionID, reported []agent.Event, was bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	api, err := messages.New(messages.Options{BaseURL: url, APIKey: "any"})
	if err != nil {
		t.Fatal(err)
	}
	set := agent.DefaultSettings()
	set.Model = "scripted"
	manager := agent.NewManager(agent.ManagerOptions{API: api, Trail: trail, Journal: agent.Keep(trail.Conversations()), Settings: set, Simulated: true})
	s, err := manager.Start(ctx, agent.Start{Stores: []versions.Attachment{{Store: store}}})
	if err != nil {
		t.Fatal(err)
	}
	sub := s.Watch(ctx)
	idle := func(stopAt int) {
		for {
			events, err := sub.Next(ctx)
			if err != nil {
				t.Fatal(err)
			}
			done := false
			for _, e := range events {
				reported = append(reported, e)
				if len(reported) == stopAt {
					was = true
					s.Stop()
				}
				done = done || e.Kind == agent.Idle
			}
			if done {
				return
			}
		}
	}
	ask := func(prompt string, stopAt int) {
		if err := s.Send(prompt); err != nil {
			t.Fatal(err)
		}
		idle(stopAt)
	}
	ask("go", n)
	ask("again", 0)
	if err := manager.Close(); err != nil {
		t.Fatal(err)
	}
	for {
		events, err := sub.Next(ctx)
		reported = append(reported, events...)
		if errors.Is(err, io.EOF) {
			return s.ID(), reported, was
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

var stopsEach = flag.Int("stops.each", 5, "stop a run at one of this many events")

// Wherever a run is stopped, the screen that watched it and a screen that reads the recorded
// conversation later are the same, and every change is in the store and on the screen.
func TestStop_AtEveryEventLeavesTheSameRecordedScreen(t *testing.T) {
	t.Parallel()
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = trail.Close() }()
	info, err := stores.CreateStore(t.Context(), trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "memories", "", "")
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	api, err := script.New(script.Options{Conversations: []script.Conversation{aTurnOfAll()}, Delay: 2 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = api.Close() }()
	for n, more := 1, true; more; n += *stopsEach {
		var id versions.SessionID
		var events []agent.Event
		id, events, more = stopped(t, trail, info.ID, api.URL(), n)

		for began, err := range agent.StoredEvents(trail.Conversations(), id) { // recorded before a watcher could start
			if err != nil {
				t.Fatal(err)
			}
			events = append([]agent.Event{began}, events...)
			break
		}
		live := newSim(t, 100, 60, func(c *Config) { c.ID = id })
		for i := range events { // a few at a time, as they may arrive
			live.run(live.v.batch(events[i:i+1], nil))
		}
		later := New(screentest.Env(t.Context()), Config{ID: id, Recorded: trail.Conversations(), Here: here, Tick: live.v.c.Tick})
		later.SetSize(100, 60)
		later.SetFocused(true)
		kept := &sim{t: t, v: later, session: &fakeSession{}}
		kept.run(later.Start())
		if a, b := rowsAbove(live), rowsAbove(kept); a != b {
			t.Fatalf("stopped at event %d, who watched sees\n%s\nand who reads it later\n%s", n, a, b)
		}
		changes, err := history.Changes(t.Context(), store, versions.Filter{Session: id}, 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, e := range events {
			if e.Kind == agent.Answered && e.Change > 0 {
				shown++
			}
		}
		if shown != len(changes) {
			t.Fatalf("stopped at event %d, %d changes are in the store and %d were told", n, len(changes), shown)
		}
		for _, c := range changes { // restore the state for the next session
			if _, err := plan.Do(t.Context(), store, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "test"}}, plan.UndoChange(c.Number)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// rowsAbove returns a view without the rows of the session's state.
func rowsAbove(s *sim) string {
	rows := strings.Split(ansi.Strip(s.v.View()), "\n")
	for i, r := range rows {
		rows[i] = strings.TrimRight(r, " ")
	}
	return strings.TrimSpace(strings.Join(rows[:len(rows)-3], "\n"))
}
