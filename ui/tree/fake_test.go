package tree

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/review"
)

var (
	clock  = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	me     = versions.Actor{Kind: versions.Person, Name: "dana"}
	claude = versions.Actor{Kind: versions.Agent, Name: "claude"}
)

func at(s string) memfs.Path {
	p, err := memfs.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return p
}

// fakeStore holds entries and the saved view.
type fakeStore struct {
	upstream versions.Remote
	entries  []versions.Entry
	deleted  []versions.Entry // to be reviewed
	change   int64
	reviewed versions.ReviewState
	reads    map[versions.MemoryID]versions.ReadStat
	view     []byte
	writes   []string                   // in order
	broken   error                      // of every write
	beneath  map[versions.MemoryID]bool // others changed it before the person did
}

func (f *fakeStore) Info() versions.StoreInfo {
	return versions.StoreInfo{ID: "memstore_1", Name: "assistant", Folder: "/home/dana/memories", Upstream: f.upstream}
}

func (f *fakeStore) Tree(context.Context) ([]versions.Entry, error) {
	out := slices.Clone(f.entries)
	slices.SortFunc(out, func(a, b versions.Entry) int { return compare(a.Path, b.Path) })
	return out, nil
}

func compare(a, b memfs.Path) int {
	if a.String() < b.String() {
		return -1
	}
	return 1
}

func (f *fakeStore) Content(_ context.Context, v versions.VersionID) ([]byte, error) {
	return []byte("content of " + string(v)), nil
}

func (f *fakeStore) ReadStats(context.Context, ...versions.MemoryID) (map[versions.MemoryID]versions.ReadStat, error) {
	return maps.Clone(f.reads), nil
}

func (f *fakeStore) History(context.Context, versions.MemoryID, int, int) ([]versions.Version, error) {
	return nil, f.broken
}

func (f *fakeStore) MomentAt(_ context.Context, t time.Time) (versions.Moment, error) {
	return versions.Moment{Change: 7, Time: t}, f.broken
}

func (f *fakeStore) ReviewState(context.Context) (*versions.ReviewState, error) {
	l := f.reviewed
	l.Of = maps.Clone(l.Of)
	return &l, nil
}

func (f *fakeStore) HasUnreviewedChanges(_ context.Context, e *versions.Entry, _ int64, _ versions.Actor) (bool, error) {
	return f.beneath[e.Memory], f.broken
}

func (f *fakeStore) UnreviewedDeletions(context.Context, versions.Actor) ([]versions.Entry, error) {
	return f.deleted, f.broken
}

func (f *fakeStore) wrote(format string, args ...any) error {
	f.writes = append(f.writes, fmt.Sprintf(format, args...))
	return f.broken
}

func (f *fakeStore) MarkReviewed(_ context.Context, seen map[versions.MemoryID]int64) (before review.Marks, err error) {
	if err := f.wrote("see %d", len(seen)); err != nil {
		return before, err
	}
	if f.reviewed.Of == nil {
		f.reviewed.Of = map[versions.MemoryID]int64{}
	}
	for m, n := range seen {
		f.reviewed.Of[m] = max(f.reviewed.Of[m], n)
	}
	return before, nil
}

func (f *fakeStore) View(context.Context) ([]byte, error) { return f.view, nil }

func (f *fakeStore) SetView(_ context.Context, view []byte) error {
	if err := f.wrote("view"); err != nil {
		return err
	}
	f.view = view
	return nil
}

// put writes a memory as an actor, a duration ago.
func (f *fakeStore) put(by versions.Actor, p string, size int64, ago time.Duration) {
	f.change++
	e := versions.Entry{Kind: versions.Memory, Path: at(p), Memory: versions.MemoryID("mem_" + p), Version: versions.VersionID(fmt.Sprintf("memver_%d", f.change)),
		Change: f.change, Actor: by, Time: clock.Add(-ago), Size: size}
	for i := range f.entries {
		if f.entries[i].Path == e.Path {
			f.entries[i] = e
			return
		}
	}
	f.entries = append(f.entries, e)
}

// sim is a tree whose commands are run at once.
type sim struct {
	t     testing.TB
	store *fakeStore
	*Pane
	asks []tea.Msg // to the root
}

func newSim(t testing.TB, f *fakeStore, change ...func(*Config)) *sim {
	s := &sim{t: t, store: f}
	c := Config{Store: f, Me: me, Reopen: true}
	for _, do := range change {
		do(&c)
	}
	env := screentest.Env(t.Context())
	env.Actions = func() []keys.Entry {
		return []keys.Entry{{ID: "store.sync", Keys: []string{"f5"}}, {ID: "global.agents", Keys: []string{"A"}}, {ID: "agent.new", Keys: []string{"a"}}}
	}
	env.Later = func(time.Duration, tea.Msg) tea.Cmd { return nil }
	s.Pane = New(env, c)
	s.SetSize(46, 18)
	s.SetFocused(true)
	s.SetNow(clock)
	s.Scanned()
	s.read()
	return s
}

// read reads the store, as the root does after a change.
func (s *sim) read() {
	s.t.Helper()
	r, err := Read(context.Background(), s.store, s.Ask())
	if err != nil {
		s.t.Fatal(err)
	}
	s.run(s.Load(r))
}

func (s *sim) run(cmd tea.Cmd) {
	s.asks = append(s.asks, screentest.Requests(s.env)...)
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case screen.Reply:
		s.run(msg.Take())
	default:
		s.asks = append(s.asks, msg)
	}
}

// again returns the same store in another run of the program.
func (s *sim) again() *sim {
	s.t.Helper()
	if err := s.Saver()(context.Background()); err != nil {
		s.t.Fatal(err)
	}
	return newSim(s.t, s.store)
}

// sample returns a small store; nothing in it is to be reviewed.
func sample() *fakeStore {
	const day = 24 * time.Hour
	f := &fakeStore{}
	f.put(claude, "MEMORY.md", 900, 2*day)
	f.put(claude, "people/dana.md", 300, 40*day)
	f.put(me, "people/lee.md", 200, 50*day)
	f.put(claude, "projects/release/plan.md", 9000, 3*time.Hour)
	f.put(claude, "projects/release/checklist.md", 1500, day)
	f.put(versions.Actor{Kind: versions.APIKey, Name: "key_ci"}, "projects/api/errors.json", 30_000, 5*day)
	f.put(versions.Actor{Kind: versions.Outside}, "inbox/from-web.md", 120, 6*day)
	f.entries[6].Hidden = 4
	f.entries = append(f.entries,
		versions.Entry{Kind: versions.LinkEntry, Path: at("shared"), Note: "/srv/shared"},
		versions.Entry{Kind: versions.Special, Path: at("inbox/pipe")},
		versions.Entry{Kind: versions.TooBig, Path: at("logs/all.log"), Size: 104_857_600})
	f.reviewed = versions.ReviewState{Reviewed: f.change, Ledger: clock.Add(-90 * day)}
	f.reads = map[versions.MemoryID]versions.ReadStat{
		"mem_MEMORY.md":                {Reads: 40, Last: clock.Add(-time.Hour)},
		"mem_projects/release/plan.md": {Reads: 7, Last: clock.Add(-2 * day)},
		"mem_people/lee.md":            {Reads: 1, Last: clock.Add(-2 * day)},
	}
	return f
}
