package demo

import (
	"strings"
	"testing"
	"time"

	"github.com/memtrail/memtrail/memfs"
	"github.com/memtrail/memtrail/versions"
)

// newDemo makes the demo's store in a home of its own.
func newDemo(t *testing.T, now func() time.Time) *versions.Store {
	t.Helper()
	clock := NewClock(now)
	trail, err := versions.Open(t.Context(), t.TempDir(), versions.Options{Now: clock.Now})
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
	return s
}

// Whatever the hour, the story lies in the past, in order, and no act of it
// misses what it is about.
func TestStoryWorksAtEveryHourOfTheDay(t *testing.T) {
	zone := time.FixedZone("", 9*60*60)
	for _, hour := range []int{0, 9, 23} {
		now := time.Date(2026, 3, 1, hour, 1, 0, 0, zone)
		s := newDemo(t, func() time.Time { return now })
		changes, err := s.Changes(t.Context(), versions.Filter{}, 0, 1000)
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

func TestStoryLeavesTheMistakesToFind(t *testing.T) {
	s := newDemo(t, time.Now)
	entries, err := s.Tree(t.Context())
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
		p, err := memfs.ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.VersionAt(t.Context(), p, 0)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := s.Content(t.Context(), v.ID); err != nil || !strings.Contains(string(b), mistake) {
			t.Errorf("%s is %q, %v", path, b, err)
		}
	}
}

// However long somebody watches, the scripted agent stays in its folder, finds
// what it looks for, and does not fill the disk.
func TestScriptedAgentGoesOnAndStaysInItsFolder(t *testing.T) {
	s := newDemo(t, time.Now)
	before, err := s.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	failed := map[string]int{}
	const acts = stepsOfTicket * (2*logTurns + 3)
	for n := range acts {
		result, _, err := s.Tool(t.Context(), agent("scripted-agent", "sesn_scripted"), act(n), memfs.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if result.IsError {
			failed[act(n).Name()]++
		}
	}
	// The folder is missing at the first look, and the first tickets have no
	// older one to delete.
	if failed["view"] != 1 || failed["delete"] != keptDone || len(failed) != 2 {
		t.Errorf("of %d acts failed %v", acts, failed)
	}
	after, err := s.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	live := 0
	for _, e := range after {
		if strings.HasPrefix(e.Path.String(), "/live/") {
			live++
		}
	}
	if len(after)-live != len(before) || live > keptDone+4 {
		t.Errorf("%d memories became %d, %d of them live", len(before), len(after), live)
	}
}
