package branches

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/gitsync"
)

var clock = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)

// fakeHome keeps what the last sync of each store did, as the home of the program does.
type fakeHome struct {
	states map[versions.StoreID]State
	orders []screen.Sync
	did    gitsync.Result
	err    error
}

func (h *fakeHome) BranchStates(context.Context) (map[versions.StoreID]State, error) {
	return maps.Clone(h.states), nil
}

func (h *fakeHome) SyncStore(_ context.Context, order screen.Sync) (gitsync.Result, error) {
	h.orders = append(h.orders, order)
	st := h.states[order.Store]
	st.Failed = h.err
	h.states[order.Store] = st
	return h.did, h.err
}

// sim is a room without a root.
type sim struct {
	*testing.T
	*Room
	home  *fakeHome
	env   screen.Env
	sent  []tea.Msg // to the root
	timed []tea.Msg
}

func newSim(t *testing.T, change ...func(*Config)) *sim {
	s := &sim{T: t, env: screentest.Env(t.Context()), home: &fakeHome{states: map[versions.StoreID]State{}}}
	for name, ago := range map[string]time.Duration{"notes": time.Hour, "team": time.Minute} {
		s.home.states[versions.StoreID("memstore_"+name)] = State{Store: name, BranchState: versions.BranchState{
			Branch: versions.Branch{URL: "/srv/" + name + ".git", Name: "main"}, ToSend: 2, Seen: clock.Add(-ago)}}
	}
	s.env.Later = func(_ time.Duration, msg tea.Msg) tea.Cmd {
		s.timed = append(s.timed, msg)
		return nil
	}
	cfg := Config{Home: s.home, Every: 10 * time.Minute, Now: func() time.Time { return clock }}
	for _, f := range change {
		f(&cfg)
	}
	s.Room = New(s.env, cfg)
	return s
}

// run runs a command and what follows, as the root does.
func (s *sim) run(cmd tea.Cmd) {
	s.Helper()
	for queue := []tea.Cmd{cmd}; len(queue) > 0; {
		cmd, queue = queue[0], queue[1:]
		if cmd != nil {
			msg := screentest.Call(s, cmd)
			if several := screentest.Several(msg); several != nil {
				queue = append(queue, several...)
			} else {
				queue = append(queue, s.take(msg))
			}
		}
		for _, asked := range screentest.Requests(s.env) {
			queue = append(queue, s.take(asked))
		}
	}
}

func (s *sim) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case nil:
		return nil
	case screen.Reply:
		return msg.Take()
	case screen.Work:
		s.sent = append(s.sent, msg)
		return func() tea.Msg { did, _ := msg.Do(s.Context()); return did }
	case screen.Sync:
		return s.Sync(msg)
	}
	s.sent = append(s.sent, msg)
	return nil
}

// elapse delivers the delayed messages, and returns the notices that follow.
func (s *sim) elapse() (out []string) {
	timed := s.timed
	s.timed, s.sent = nil, nil
	for _, msg := range timed {
		s.run(s.take(msg))
	}
	for _, msg := range s.sent {
		if n, ok := msg.(screen.Notice); ok {
			out = append(out, n.Text)
		} else {
			s.Errorf("%T was asked for", msg)
		}
	}
	return out
}

func (s *sim) said(want string, bad bool) {
	s.Helper()
	if n, ok := s.sent[len(s.sent)-1].(screen.Notice); !ok || n.Text != want || n.Bad != bad {
		s.Errorf("%+v", s.sent[len(s.sent)-1])
	}
}

func TestSync_SaysWhatItDid(t *testing.T) {
	s := newSim(t)
	s.run(s.Load())
	again := false
	order := screen.Sync{Store: "memstore_notes", Name: "notes", Then: func() tea.Cmd { again = true; return nil }}
	s.home.did = gitsync.Result{Imported: 3, Sent: 2, Held: []int64{7}, Queue: []int64{7}, Pushed: true, LeftOut: []string{`"x\ty" is left out: control characters`}}
	s.run(s.take(order))
	s.said(`synced notes: took in 3 changes, sent 2 changes, 1 waits in the review queue, 1 path is no memory: "x\ty" is left out: control characters`, false)
	if work, ok := s.sent[0].(screen.Work); !ok || work.Doing != "sync notes" || !work.Keeps || !again {
		t.Errorf("%+v, %v", s.sent[0], again)
	}
	s.home.did, s.home.err = gitsync.Result{}, context.Canceled
	s.run(s.take(order))
	s.said("stopped: sync notes · what was done is kept", false)
	s.home.err = &git.CommandError{Where: "/srv/notes.git", Said: "fatal: no such repository"}
	s.run(s.take(order))
	s.said("sync notes: git in /srv/notes.git: fatal: no such repository · `git ls-remote URL` shows whether git can reach it; the changes wait here", true)
	if st, ok := s.State("memstore_notes"); !ok || st.Failed == nil || st.ToSend != 2 {
		t.Errorf("%+v", st) // it was read again
	}
}

// A branch that lost commits, or that has what was erased, is replaced only after a person agrees.
func TestSync_AsksBeforeItReplacesABranch(t *testing.T) {
	for want, err := range map[string]error{
		"branch main was rewritten: it no longer has 1 of the commits that are known here: 1234567890 one. Replace branch main of /srv/notes.git with the content of store notes? Commits that exist only in the branch are lost.": &gitsync.RewrittenError{Branch: "main", Lost: []string{"1234567890 one"}},
		"Everything else in it stays.": &gitsync.ErasedError{URL: "/srv/notes.git", Branch: "main"},
	} {
		s := newSim(t)
		st := s.home.states["memstore_notes"]
		st.Erased = strings.HasPrefix(want, "Everything")
		s.home.states["memstore_notes"], s.home.err = st, err
		s.run(s.Load())
		s.run(s.take(screen.Sync{Store: "memstore_notes", Name: "notes"}))
		q, ok := s.sent[len(s.sent)-1].(screen.Choose)
		if !ok || !strings.Contains(q.Text, want) || len(q.Options) != 2 || q.First || !q.Arrows || q.Options[1].Then != nil {
			t.Fatalf("%+v", s.sent[len(s.sent)-1])
		}
		s.home.err = nil
		s.run(q.Options[0].Then())
		if len(s.home.orders) != 2 || s.home.orders[0].Rewrite || !s.home.orders[1].Rewrite {
			t.Errorf("%+v", s.home.orders)
		}
	}
	s := newSim(t)
	s.run(s.Load())
	s.home.err = &gitsync.ErasedError{}
	s.run(s.take(screen.Sync{Store: "memstore_notes", Name: "notes", URL: "/srv/other.git"}))
	if q := s.sent[len(s.sent)-1].(screen.Choose); !strings.Contains(q.Text, "Replace branch main of /srv/other.git with") {
		t.Error(q.Text)
	}
}

// In the background each branch is looked at once in a while, also by other programs; only news is said.
func TestBackground_SyncsAtItsPaceAndSaysOnlyNews(t *testing.T) {
	s := newSim(t)
	s.run(s.Start())
	names := func(want string) {
		t.Helper()
		var got []string
		for _, o := range s.home.orders {
			got = append(got, cmp.Or(o.Name, "?"))
		}
		if s.home.orders = nil; strings.Join(got, " ") != want {
			t.Errorf("synced are %q, not %q", got, want)
		}
	}
	said := func(want ...string) {
		t.Helper()
		if got := s.elapse(); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q", got)
		}
	}
	names("")
	said()
	names("notes") // team was looked at a minute ago
	if st, ok := s.State("memstore_team"); !ok || st.ToSend != 2 {
		t.Errorf("%+v", st)
	}
	team := s.home.states["memstore_team"]
	team.Seen = clock.Add(-8 * time.Minute)
	s.home.states["memstore_team"] = team
	s.home.did = gitsync.Result{Sent: 1, Pushed: true}
	said()
	names("notes team")
	s.home.did = gitsync.Result{Held: []int64{3}, Queue: []int64{3}}
	said("synced notes: 1 waits in the review queue", "synced team: 1 waits in the review queue")
	delete(s.home.states, "memstore_team")
	s.home.err = errors.New("no route")
	said("sync notes: no route")
	said() // it is the same
	s.home.err = errors.New("no name")
	said("sync notes: no name")
	s.home.did, s.home.err = gitsync.Result{}, nil
	said()
	s.home.err = errors.New("no name")
	said("sync notes: no name")
}

func TestBackground_IsOffUnlessItIsAskedFor(t *testing.T) {
	for name, change := range map[string]func(*Config){
		"no pace": func(c *Config) { c.Every = 0 }, "read-only": func(c *Config) { c.ReadOnly = true }, "one store": func(c *Config) { c.Home = nil },
	} {
		s := newSim(t, change)
		s.run(s.Start())
		for range 3 {
			s.elapse()
		}
		if len(s.home.orders) > 0 {
			t.Errorf("%s: %+v", name, s.home.orders)
		}
	}
}
