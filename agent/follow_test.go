package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	vstores "github.com/memend/memend/versions/stores"
)

// twoProcesses is a home with stores, seen by this process and, through other, by another.
type twoProcesses struct {
	t           *testing.T
	trail       *engine.Trail
	store       *engine.Store
	other       *engine.Trail
	otherStore  *engine.Store
	elsewhere   *engine.Store // another store of the home
	ctx         context.Context
	stopFollows context.CancelFunc
}

func newTwoProcesses(t *testing.T) *twoProcesses {
	t.Helper()
	return newTwoProcessesAt(t, nil)
}

func newTwoProcessesAt(t *testing.T, now func() time.Time) *twoProcesses {
	t.Helper()
	h := &twoProcesses{t: t}
	h.ctx, h.stopFollows = context.WithTimeout(t.Context(), 60*time.Second)
	home := t.TempDir()
	open := func() *engine.Trail {
		trail, err := engine.Open(t.Context(), home, versions.Options{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = trail.Close() })
		return trail
	}
	h.trail = open()
	info, err := vstores.CreateStore(t.Context(), h.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "one", "", "")
	if err != nil {
		t.Fatal(err)
	}
	second, err := vstores.CreateStore(t.Context(), h.trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "two", "", "")
	if err != nil {
		t.Fatal(err)
	}
	h.other = open()
	h.store, h.otherStore, h.elsewhere = h.opened(h.trail, info.ID), h.opened(h.other, info.ID), h.opened(h.trail, second.ID)
	return h
}

func (h *twoProcesses) opened(trail *engine.Trail, id versions.StoreID) *engine.Store {
	h.t.Helper()
	s, err := trail.OpenStore(h.t.Context(), id)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = s.Close() })
	return s
}

func by(session versions.SessionID) versions.By {
	return versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: session, Turn: 2, ToolUse: "toolu_7"}
}

func (h *twoProcesses) run(s *engine.Store, by versions.By, c memfs.Command) {
	h.t.Helper()
	if res, _, err := s.Tool(h.t.Context(), by, c, memfs.Options{}); err != nil || res.IsError {
		h.t.Fatal(err, res.Text)
	}
}

// follow returns what is reported, and waits until it holds all that is wanted, each in a
// line of the form "kind path".
func (h *twoProcesses) follow(f FollowOptions, meanwhile func(), want ...string) []Event {
	h.t.Helper()
	reported := make(chan Event, 1000)
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(h.ctx)
	go func() {
		ended <- Follow(ctx, h.trail, []*engine.Store{h.store}, f, func(e Event) error { reported <- e; return nil })
	}()
	var out []Event
	missing := func() []string {
		left := slices.Clone(want)
		for _, e := range out {
			if i := slices.Index(left, strings.TrimSpace(string(e.Kind)+" "+e.Path+e.Text)); i >= 0 {
				left = slices.Delete(left, i, i+1)
			}
		}
		return left
	}
	if f.Since.IsZero() { // it follows when it tells of something new
		for n, follows := 0, false; !follows; n++ {
			h.run(h.otherStore, by(f.Session), memfs.Create{Path: fmt.Sprintf("/memories/canary%d", n), FileText: "1\n"})
			select {
			case <-reported:
				follows = true
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	meanwhile()
	for len(missing()) > 0 {
		select {
		case e := <-reported:
			out = append(out, e)
		case err := <-ended:
			h.t.Fatalf("ended with %v; %q were not told", err, missing())
		case <-h.ctx.Done():
			h.t.Fatalf("%q were not told in a minute", missing())
		}
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		h.t.Errorf("ended with %v", err)
	}
	return out
}

func (h *twoProcesses) write(id versions.SessionID, events ...Event) {
	h.t.Helper()
	c, err := h.other.Conversations().Begin(id)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, e := range events {
		e.Session = id
		b, err := json.Marshal(e)
		if err == nil {
			err = c.Append(b)
		}
		if err != nil {
			h.t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		h.t.Fatal(err)
	}
}

func TestFollow_ReportsPastAndNewEventsOnce(t *testing.T) {
	t.Parallel()
	h := newTwoProcesses(t)
	start := time.Now().Add(-time.Hour)
	h.run(h.store, by("sesn_one"), memfs.Create{Path: "/memories/a", FileText: "1\n"})
	h.run(h.store, by("sesn_one"), memfs.View{Path: "/memories/a"})
	if err := h.trail.FlushReads(t.Context()); err != nil { // while it still stands there
		t.Fatal(err)
	}
	h.write(versions.NewSession(), Event{Kind: Started, Time: time.Now(), Stores: []Attachment{{Store: h.store.Info().ID}}},
		Event{Kind: Prompted, Time: time.Now(), Text: "do it"})
	events := h.follow(FollowOptions{Since: start}, func() {
		h.run(h.otherStore, by("sesn_two"), memfs.StrReplace{Path: "/memories/a", OldStr: "1", NewStr: "2\n3"})
		h.run(h.otherStore, by("sesn_two"), memfs.Rename{OldPath: "/memories/a", NewPath: "/memories/b"})
		h.run(h.otherStore, by("sesn_two"), memfs.View{Path: "/memories/b"})
		// In one step: a file that is seen before its text is two changes.
		part := filepath.Join(h.store.Info().Folder, ".outside")
		if err := errors.Join(os.WriteFile(part, []byte("x\n"), 0o600), os.Rename(part, filepath.Join(filepath.Dir(part), "outside"))); err != nil {
			t.Fatal(err)
		}
		h.run(h.elsewhere, by("sesn_two"), memfs.Create{Path: "/memories/unseen", FileText: "1\n"})
		h.write(versions.NewSession(), Event{Kind: Started, Time: time.Now(), Stores: []Attachment{{Store: h.elsewhere.Info().ID}}},
			Event{Kind: Prompted, Time: time.Now(), Text: "unseen"})
		h.write(versions.NewSession(), Event{Kind: Started, Time: time.Now(), Stores: []Attachment{{Store: h.store.Info().ID}}},
			Event{Kind: Prompted, Time: time.Now(), Text: "seen"})
	}, "change /memories/a", "read /memories/a", "session_started", "prompt do it",
		"change /memories/a", "change /memories/b", "read /memories/b", "change /memories/outside", "session_started", "prompt seen")
	var changes []int64
	for _, e := range events {
		switch {
		case e.Text == "unseen" || e.Path == "/memories/unseen" || e.Store == h.elsewhere.Info().ID:
			t.Errorf("of another store: %+v", e)
		case e.Kind == Changed:
			changes = append(changes, e.Change)
		case e.Kind == Read && (e.Version == "" || e.ToolUse != "toolu_7" || e.Turn != 2):
			t.Errorf("%+v", e)
		}
		if e.Kind == Changed && e.Change == 2 && (e.Plus != 2 || e.Minus != 1 || e.Session != "sesn_two" || e.Actor != (versions.Actor{Kind: versions.Agent, Name: "robot"}) || e.Operation != versions.Modified) {
			t.Errorf("%+v", e)
		}
		if e.Path == "/memories/b" && e.Kind == Changed && e.From != "/memories/a" {
			t.Errorf("%+v", e)
		}
	}
	if !slices.Equal(changes, []int64{1, 2, 3, 4}) {
		t.Errorf("changes %v", changes)
	}
	for i, e := range events[:4] {
		if i > 0 && e.Time.Before(events[i-1].Time) {
			t.Errorf("what was before is not in order: %v", events[:4])
		}
	}
}

// The read reaches the ledger after the change is known.
func TestFollow_ReportsAReadBeforeTheChangeThatFollowedIt(t *testing.T) {
	t.Parallel()
	h := newTwoProcesses(t)
	h.run(h.otherStore, by("sesn_one"), memfs.Create{Path: "/memories/a", FileText: "1\n"})
	events := h.follow(FollowOptions{NoTalk: true}, func() {
		h.run(h.otherStore, by("sesn_one"), memfs.View{Path: "/memories/a"})
		h.run(h.otherStore, by("sesn_one"), memfs.Create{Path: "/memories/b", FileText: "1\n"})
	}, "read /memories/a", "change /memories/b")
	at := func(kind Kind, path string) int {
		return slices.IndexFunc(events, func(e Event) bool { return e.Kind == kind && e.Path == path })
	}
	if at(Read, "/memories/a") > at(Changed, "/memories/b") {
		t.Errorf("%+v", events)
	}
}

func TestFollow_ReportsWhatHappensAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	for name, since := range map[string]time.Duration{"from now on": 0, "since a time": 10 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var back atomic.Int64
			now := func() time.Time { return time.Now().Add(time.Duration(back.Load())) }
			h := newTwoProcessesAt(t, now)
			h.run(h.store, by("sesn_one"), memfs.Create{Path: "/memories/a", FileText: "1\n"})
			h.run(h.store, by("sesn_one"), memfs.View{Path: "/memories/a"})
			if err := h.trail.FlushReads(t.Context()); err != nil {
				t.Fatal(err)
			}
			f := FollowOptions{}
			if since > 0 {
				f.Since = now().Add(-since)
			}
			session := versions.NewSession()
			h.follow(f, func() {
				time.Sleep(100 * time.Millisecond) // it follows
				back.Store(int64(-time.Hour))
				h.run(h.otherStore, by("sesn_two"), memfs.View{Path: "/memories/a"})
				h.run(h.otherStore, by("sesn_two"), memfs.Create{Path: "/memories/b", FileText: "1\n"})
				h.write(session, Event{Kind: Started, Time: now(), Stores: []Attachment{{Store: h.store.Info().ID}}},
					Event{Kind: Prompted, Time: now(), Text: "seen"})
			}, append(slices.Repeat([]string{"read /memories/a"}, 1+min(1, int(since))), "change /memories/b", "session_started", "prompt seen")...)
		})
	}
}

func TestFollow_OfOneSessionReportsOnlyItsNewEvents(t *testing.T) {
	t.Parallel()
	h := newTwoProcesses(t)
	h.run(h.store, by("sesn_one"), memfs.Create{Path: "/memories/old", FileText: "1\n"})
	h.run(h.store, by("sesn_one"), memfs.View{Path: "/memories/old"})
	if err := h.trail.FlushReads(t.Context()); err != nil {
		t.Fatal(err)
	}
	events := h.follow(FollowOptions{Session: "sesn_one"}, func() {
		h.write(versions.NewSession(), Event{Kind: Started, Stores: []Attachment{{Store: h.store.Info().ID}}}, Event{Kind: Prompted, Text: "unseen"})
		h.run(h.otherStore, by("sesn_two"), memfs.Create{Path: "/memories/b", FileText: "1\n"})
		h.run(h.otherStore, by("sesn_two"), memfs.View{Path: "/memories/b"})
		h.run(h.otherStore, by("sesn_one"), memfs.Create{Path: "/memories/c", FileText: "1\n"})
		h.run(h.otherStore, by("sesn_one"), memfs.View{Path: "/memories/c"})
	}, "change /memories/c", "read /memories/c")
	for _, e := range events {
		if e.Session != "sesn_one" || strings.Contains(e.Path, "old") {
			t.Errorf("%+v", e)
		}
	}
}

// A change while Follow begins is in what it reads first, or it is told of it.
func TestFollow_MissesNothingWhileItBegins(t *testing.T) {
	t.Parallel()
	h := newTwoProcesses(t)
	began := time.Now()
	for i := range 60 {
		ctx, cancel := context.WithTimeout(h.ctx, 10*time.Second)
		path := fmt.Sprintf("/memories/%d.md", i)
		var all sync.WaitGroup
		all.Go(func() {
			time.Sleep(time.Duration(i) * 100 * time.Microsecond)
			h.run(h.otherStore, by("s"), memfs.Create{Path: path, FileText: "x\n"})
		})
		enough := errors.New("enough")
		err := Follow(ctx, h.trail, []*engine.Store{h.store}, FollowOptions{Since: began, NoReads: true, NoTalk: true}, func(e Event) error {
			if e.Path == path {
				return enough
			}
			return nil
		})
		cancel()
		all.Wait()
		if err != enough {
			t.Fatalf("of a change after %d00 microseconds nothing is told: %v", i, err)
		}
	}
}

func TestFollow_ReportsAMassDeletionWithoutReads(t *testing.T) {
	t.Parallel()
	h := newTwoProcesses(t)
	var names []string
	for i := range 20 {
		names = append(names, filepath.Join(h.store.Info().Folder, fmt.Sprintf("%d.md", i)))
		if err := os.WriteFile(names[i], []byte("x\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	began := time.Now().Add(-time.Minute)
	sync := func() {
		if _, err := h.store.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	for _, name := range names {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	enough := errors.New("enough")
	err := Follow(h.ctx, h.trail, []*engine.Store{h.store}, FollowOptions{Since: began, NoReads: true, NoTalk: true}, func(e Event) error {
		if e.Kind == MassDeleted && e.Deleted == len(names) {
			return enough
		}
		return nil
	})
	if err != enough {
		t.Error(err)
	}
}

func TestFollow_EndsWithTheErrorOfItsCallback(t *testing.T) {
	h := newTwoProcesses(t)
	h.run(h.store, by("sesn_one"), memfs.Create{Path: "/memories/a", FileText: "1\n"})
	full := errors.New("full")
	err := Follow(h.ctx, h.trail, []*engine.Store{h.store}, FollowOptions{Since: time.Now().Add(-time.Hour)}, func(Event) error { return full })
	if !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestFollow_ReportsAllThatHappenedUntilItsEnd(t *testing.T) {
	h := newTwoProcesses(t)
	h.run(h.store, by("sesn_one"), memfs.Create{Path: "/memories/old", FileText: "1\n"})
	until, started := make(chan struct{}), make(chan []Event, 1)
	started <- []Event{{Kind: Idle}}
	var seen []string
	err := Follow(h.ctx, h.trail, []*engine.Store{h.store}, FollowOptions{Until: until, External: started}, func(e Event) error {
		seen = append(seen, string(e.Kind)+" "+e.Path)
		if e.Kind == Idle {
			h.run(h.store, by("sesn_two"), memfs.View{Path: "/memories/old"})
			h.run(h.store, by("sesn_two"), memfs.Create{Path: "/memories/new", FileText: "1\n"})
			h.run(h.store, by("sesn_two"), memfs.View{Path: "/memories/new"})
			close(until)
		}
		return nil
	})
	slices.Sort(seen)
	if want := []string{string(Changed) + " /memories/new", string(Idle) + " ", string(Read) + " /memories/new", string(Read) + " /memories/old"}; err != nil || !slices.Equal(seen, want) {
		t.Errorf("%v, %q, want %q", err, seen, want)
	}
}
