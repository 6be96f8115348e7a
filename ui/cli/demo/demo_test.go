package demo

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memend/memend/agent"
	"github.com/memend/memend/agent/messages"
	"github.com/memend/memend/agent/script"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/history"
)

// newDemo creates the demo's store in a new home.
func newDemo(t *testing.T, now func() time.Time) (*engine.Store, *engine.Trail) {
	t.Helper()
	clock := NewClock(now)
	trail, err := engine.Open(t.Context(), t.TempDir(), versions.Options{Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	info, err := Make(t.Context(), trail, clock)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trail.OpenStore(t.Context(), info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(); trail.Close() })
	return s, trail
}

func mustPath(t *testing.T, s string) memfs.Path {
	t.Helper()
	p, err := memfs.ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// At any time of day, the story lies in the past, in order, and every step of it succeeds.
func TestDemoWorksAtEveryHourOfTheDay(t *testing.T) {
	zone := time.FixedZone("", 9*60*60)
	for _, hour := range []int{0, 9, 23} {
		now := time.Date(2026, 3, 1, hour, 1, 0, 0, zone)
		s, _ := newDemo(t, func() time.Time { return now })
		changes, err := history.Changes(t.Context(), s, versions.Filter{}, 0, 1000)
		if err != nil || len(changes) < 50 {
			t.Fatalf("%d changes, %v", len(changes), err)
		}
		sessions := map[versions.SessionID]bool{}
		for i, c := range changes {
			sessions[c.Session] = true
			if c.Time.After(now) || i > 0 && !c.Time.Before(changes[i-1].Time) || now.Sub(c.Time) > 8*24*time.Hour {
				t.Errorf("change %d is of %v, the one after it of %v", c.Number, c.Time, changes[max(i-1, 0)].Time)
			}
		}
		if len(sessions) < 8 {
			t.Errorf("%d sessions", len(sessions))
		}
	}
}

func TestDemoContainsItsMistakes(t *testing.T) {
	s, _ := newDemo(t, time.Now)
	entries, err := history.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	hidden := 0
	for _, e := range entries {
		hidden += e.Hidden
	}
	if len(entries) < 15 || len(entries) > 25 || hidden == 0 {
		t.Errorf("%d memories with %d hidden characters", len(entries), hidden)
	}
	for path, mistake := range map[string]string{
		"support/refunds.md":         "up to 500 €",
		"project/runbooks/deploy.md": "prod-db.internal",
		"support/macros.md":          "\r\n",
	} {
		v, err := s.VersionAt(t.Context(), mustPath(t, path), 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := history.Content(t.Context(), s, v.ID); err != nil || !strings.Contains(string(b), mistake) {
			t.Errorf("%s is %q, %v", path, b, err)
		}
	}
}

// stage plays the demo's agents in a store, in the time of a clock that its waits turn.
type stage struct {
	t      *testing.T
	store  *engine.Store
	trail  *engine.Trail
	taken  func(agent.Event) // called with each event; may be nil
	report func(Status)      // may be nil

	mu   sync.Mutex
	time time.Duration // since the start
}

// elapsed returns the time of the clock.
func (g *stage) elapsed() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.time
}

func (g *stage) sleep(ctx context.Context, d time.Duration) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.time += d
	return ctx.Err()
}

// play plays until the context ends; pace holds the waits of Play.
func (g *stage) play(ctx context.Context, pace Pace) {
	g.t.Helper()
	o := API(1)
	o.Sleep = g.sleep
	api, err := script.New(o)
	if err != nil {
		g.t.Fatal(err)
	}
	client, err := messages.New(messages.Options{BaseURL: api.URL(), APIKey: "scripted"})
	if err != nil {
		g.t.Fatal(err)
	}
	manager := agent.NewManager(agent.ManagerOptions{API: client, Trail: g.trail, Simulated: true, Journal: func(versions.SessionID) (agent.Journal, error) {
		return listener(func(e agent.Event) {
			if g.taken != nil {
				g.taken(e)
			}
		}), nil
	}})
	report := g.report
	if report == nil {
		report = func(Status) {}
	}
	if err := Play(ctx, manager, g.trail, g.store, pace, testKeys, report); err != nil {
		g.t.Error(err)
	}
	if err := errors.Join(manager.Close(), api.Close()); err != nil {
		g.t.Error(err)
	}
}

// played runs the demo's agents in a store for a while, as fast as they can.
func played(t *testing.T, s *engine.Store, trail *engine.Trail, until func([]agent.Event) bool) []agent.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var mu sync.Mutex
	var events []agent.Event
	g := &stage{t: t, store: s, trail: trail, taken: func(e agent.Event) {
		mu.Lock()
		defer mu.Unlock()
		if events = append(events, e); until(events) {
			cancel()
		}
	}}
	pace := UsualPace
	pace.Sleep = g.sleep
	g.play(ctx, pace)
	if !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("after two minutes it was not where it should be: %v", ctx.Err())
	}
	return slices.DeleteFunc(events, func(e agent.Event) bool { return e.Kind == agent.Broken && e.Failure.Type == "cancelled" }) // by the end
}

// listener receives all recorded events.
type listener func(agent.Event)

func (l listener) Append(e agent.Event) error { l(e); return nil }
func (l listener) Sync() error                { return nil }
func (l listener) Close() error               { return nil }

// isHeld reports whether a call was held for review.
func isHeld(e agent.Event) bool {
	return e.Kind == agent.Answered && e.IsError && strings.Contains(e.Text, "held for review")
}

// A newcomer sees writing, what is held, a context that is cleared, a compaction, a planted rule, and no
// failure.
func TestPlay_ShowsItsScenes(t *testing.T) {
	t.Parallel()
	s, trail := newDemo(t, time.Now)
	solved := 0
	events := played(t, s, trail, func(events []agent.Event) bool {
		if last := events[len(events)-1]; last.Kind == agent.BlockEnded && strings.Contains(last.Block.Text, " is solved: ") {
			solved++
		}
		return solved == 2
	})
	sessions := map[versions.SessionID]bool{}
	seen := map[string]int{}
	for _, e := range events {
		sessions[e.Session] = true
		seen[string(e.Kind)]++
		switch {
		case isHeld(e):
			seen["held"]++
		case e.Kind == agent.Answered && e.IsError && !strings.Contains(e.Path, "/live"):
			t.Errorf("%s %s: %s", e.Command, e.Path, e.Text)
		case e.Kind == agent.Broken, e.Kind == agent.CompactedNow && e.Failure != nil:
			t.Errorf("%+v: %v", e, e.Failure)
		case e.Kind == agent.Replied:
			for _, edit := range e.Applied {
				seen[edit.Type]++
			}
		}
	}
	if len(sessions) != 3 || seen["held"] != 2 || seen["compacted"] == 0 || seen[agent.ClearToolUses] == 0 || seen[agent.ClearThinking] == 0 {
		t.Errorf("%d sessions, %v", len(sessions), seen)
	}
	for path, planted := range map[string]string{"project/worker.md": "LISTEN/NOTIFY"} {
		v, err := s.VersionAt(t.Context(), mustPath(t, path), 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := history.Content(t.Context(), s, v.ID); err != nil || !strings.Contains(string(b), planted) {
			t.Errorf("%s is %q, %v", path, b, err)
		}
	}
}

// However long the demo runs, the agent finds what it looks for and does not fill the disk.
func TestPlay_ContinuesAndLeavesFewFiles(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays two hundred turns")
	}
	s, trail := newDemo(t, time.Now)
	solved := 0
	events := played(t, s, trail, func(events []agent.Event) bool {
		if last := events[len(events)-1]; last.Kind == agent.BlockEnded && strings.Contains(last.Block.Text, " is solved: ") {
			solved++
		}
		return solved == logTurns+3
	})
	for _, e := range events {
		if e.Kind == agent.Answered && e.IsError && e.Text != "cancelled" && !isHeld(e) || e.Kind == agent.Broken || e.Kind == agent.CompactedNow && e.Failure != nil {
			t.Errorf("%s %s: %s %v", e.Command, e.Path, e.Text, e.Failure)
		}
	}
	entries, err := history.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Path.String(), "/live/") {
			live++
		}
	}
	if live > keptDone+4 {
		t.Errorf("%d files in live", live)
	}
}

// Whatever an agent of the demo is asked first, it says what it can be asked, and does it.
func TestScripts_ListTheirPrompts(t *testing.T) {
	t.Parallel()
	s, trail := newDemo(t, time.Now)
	o := API(1)
	o.Delay = 0
	api, err := script.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	client, err := messages.New(messages.Options{BaseURL: api.URL(), APIKey: "scripted"})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said strings.Builder
	manager := agent.NewManager(agent.ManagerOptions{API: client, Trail: trail, Simulated: true, Journal: func(versions.SessionID) (agent.Journal, error) {
		return listener(func(e agent.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.Kind == agent.BlockEnded && e.Block.Type == agent.TypeText {
				said.WriteString(e.Block.Text + "\n")
			}
		}), nil
	}})
	defer manager.Close()
	for _, first := range []string{"What is the weather?", askSupport, askProject, askTerms} {
		session, err := begin(t.Context(), manager, s, "agent", Settings(), first)
		if err != nil {
			t.Fatal(err)
		}
		said.Reset()
		if err := ask(t.Context(), session, "And tomorrow?"); err != nil {
			t.Fatal(err)
		}
		_, after, ok := strings.Cut(said.String(), "\n> ")
		example, _, _ := strings.Cut(after, "\n")
		if !ok || !strings.Contains(said.String(), "scripted agent") {
			t.Fatalf("after %q it says %q", first, said.String())
		}
		if err := ask(t.Context(), session, example); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(said.String(), " is solved: ") {
			t.Errorf("after %q and %q it says %q", first, example, said.String())
		}
	}
}
