package ui

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/memfs"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/storetest"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/review"
	vstores "github.com/memend/memend/versions/stores"
)

// The screens of plans and of the timeline need a store of the engine.

var _ Store = local.Store{}

// engineSim shows a store of the engine in which everything that has a name is named hostile:
// memories, actors, sessions, calls, the store, and the contents of texts.
func engineSim(t testing.TB, hostile string, w, h int, change ...func(*Config)) *sim {
	t.Helper()
	ctx := context.Background()
	start := clock.Add(-48 * time.Hour)
	var minutes atomic.Int64
	trail, err := engine.Open(ctx, storetest.Home(t), versions.Options{Now: func() time.Time { // also by the watcher
		return start.Add(time.Duration(minutes.Add(1)) * time.Minute)
	}})
	if err != nil {
		t.Fatal(err)
	}
	info, err := vstores.CreateStore(ctx, trail, versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}, "notes", strings.ToValidUTF8(hostile, "?"), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	store, err := trail.OpenStore(ctx, info.ID)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close(); trail.Close() })
	robot := versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: hostile}, Session: versions.SessionID(hostile), ToolUse: hostile, Turn: 1}
	if _, err := store.Write(ctx, robot, at("probe.md"), []byte("x\n"), versions.Pre{}); err != nil { // the name is not valid
		robot = versions.By{Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "run-1"}
	}
	name := at("evil.md")
	if p, err := memfs.ParsePath("d/" + hostile); err == nil && !p.Hidden() && p.Base() != "d" && !p.IsRoot() {
		name = p
	}
	write := func(by versions.By, p memfs.Path, s string) {
		store.Write(ctx, by, p, []byte(s), versions.Pre{}) // if it is refused, there is nothing to show
	}
	write(robot, name, "# one\n\n"+hostile+"\n\ntwo\nthree\n")
	write(robot, at("other.md"), hostile+"\n")
	write(me, name, "# mine\n\n"+hostile+"\n\ntwo\nthree\n")
	write(robot, name, "# theirs\n\n"+hostile+" "+hostile+"\n\ntwo\nfour\n")
	write(robot, at("safe.md"), "a safe line\n")
	store.Rename(ctx, robot, at("other.md"), at("moved.md"))
	write(me, name, "# mine again\n\n"+hostile+"\n\ntwo\nfour\n")
	store.NoteRead(robot, name)
	n, err := store.LastChange(ctx)
	if err == nil {
		_, err = review.MarkAllReviewed(ctx, store, n)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil { // writes the read, which else comes when it may
		t.Fatal(err)
	}
	if store, err = trail.OpenStore(ctx, info.ID); err != nil {
		t.Fatal(err)
	}
	s := newSim(t, newFake(), w, h, func(c *Config) {
		c.Store = local.Store{Store: store}
		c.Trail = local.Home{Trail: trail}
		c.Stores = fakeStores{Home: engineHome{Home: local.Home{Trail: trail}, hostile: hostile}}
		for _, f := range change {
			f(c)
		}
	})
	s.send(screen.Open{Path: name, Stay: true})
	return s
}

// engineHome is a home with a folder of another tool beside it and a store offered by a
// service, both with hostile names.
type engineHome struct {
	stores.Hoster
	local.Home
	hostile string
}

func (h engineHome) BranchStates(context.Context) (map[versions.StoreID]branches.State, error) {
	return nil, nil
}

var alice = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

func (h engineHome) CreateStore(ctx context.Context, name, description, folder string) (versions.StoreInfo, error) {
	return vstores.CreateStore(ctx, h.Trail, alice, name, description, folder)
}

func (h engineHome) UpdateStore(ctx context.Context, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error) {
	return vstores.Update(ctx, h.Trail, alice, id, u)
}

func (h engineHome) ArchiveStore(ctx context.Context, id versions.StoreID) (versions.StoreInfo, error) {
	return vstores.Archive(ctx, h.Trail, alice, id)
}

func (h engineHome) Discover(context.Context) (places.Found, error) {
	name := "/x/" + h.hostile
	return places.Found{Places: []places.Place{
		{Kind: places.ClaudeAgent, Folder: name, Project: name, Agent: h.hostile, Memories: 1},
		{Kind: places.Serena, Folder: name, Project: name, Within: versions.StoreInfo{ID: "memstore_x", Name: h.hostile}},
	}, Problems: []error{errors.New(h.hostile)}}, nil
}

func (h engineHome) Service(context.Context, string) (stores.Service, error) {
	about := versions.HostedStore{ID: h.hostile, Name: h.hostile, Description: h.hostile, Metadata: map[string]string{h.hostile: h.hostile}}
	return stores.Service{URL: h.hostile, Key: h.hostile, Stores: []versions.Offer{{HostedStore: about}, {HostedStore: about, Here: versions.StoreInfo{ID: "memstore_x", Name: h.hostile}}}}, nil
}

func (h engineHome) MakeHosted(context.Context, string, string, string) (versions.HostedStore, error) {
	return versions.HostedStore{}, errors.New(h.hostile)
}

func (h engineHome) ConnectStore(context.Context, string, versions.HostedStore) (versions.StoreInfo, versions.Pulled, error) {
	return versions.StoreInfo{}, versions.Pulled{}, errors.New(h.hostile)
}

func (h engineHome) AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error) {
	return places.Add(ctx, h.Trail, alice, p)
}

// robotOf returns the session of the sim's agent.
func robotOf(s *sim) versions.SessionID {
	changes, err := s.app.cfg.Store.Changes(context.Background(), versions.Filter{}, 0, 100)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range changes {
		if c.Actor.Kind == versions.Agent {
			return c.Session
		}
	}
	return ""
}

type engineScene struct {
	name string
	play func(s *sim, evil string)
}

// engineScenes are the states of the screens that need the engine; hostile is typed in them.
var engineScenes = []engineScene{
	{"timeline", func(s *sim, _ string) { s.keys("t left left") }},
	{"time line, what changed", func(s *sim, _ string) { s.keys("t left d tab") }},
	{"time line, before the first", func(s *sim, _ string) { s.keys("t home") }},
	{"go to", func(s *sim, evil string) {
		s.keys("t :")
		s.send(tea.PasteMsg{Content: evil})
		s.keys("enter")
	}},
	{"plan", func(s *sim, _ string) { s.send(screen.UndoSession{Session: robotOf(s)}) }},
	{"plan, decided", func(s *sim, _ string) { s.send(screen.UndoSession{Session: robotOf(s)}); s.keys("t enter") }},
	{"plan of everything", func(s *sim, _ string) { s.send(screen.RestoreAt{At: versions.Moment{Change: 2}}); s.keys("j enter") }},
	{"redact", func(s *sim, _ string) { s.send(screen.Redact{Match: "line"}) }},
	{"redact, asked", func(s *sim, evil string) {
		s.send(screen.Redact{})
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"redact, found", func(s *sim, evil string) {
		s.send(screen.Redact{})
		s.send(tea.PasteMsg{Content: evil})
		s.keys("enter")
	}},
	{"redact, sure", func(s *sim, _ string) { s.send(screen.Redact{Match: "line"}); s.keys("d X") }},
	{"redact, told", func(s *sim, _ string) { s.send(screen.Redact{Match: "a safe line"}); s.keys("d X y") }},
	{"search", func(s *sim, evil string) {
		s.send(screen.Search{})
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"search every version", func(s *sim, _ string) {
		s.send(screen.Search{Text: "two"})
		s.keys("tab")
	}},
	{"find", func(s *sim, _ string) { s.keys("ctrl+p"); s.typed("e") }},
	{"history", func(s *sim, _ string) { s.keys("H") }},
	{"history of all", func(s *sim, _ string) { s.keys("H c enter") }},
	{"history, filtered", func(s *sim, evil string) {
		s.keys("H /")
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"history, chosen", func(s *sim, _ string) { s.keys("H c V j j") }},
	{"history, only new", func(s *sim, _ string) { s.keys("H c ,") }},
	{"plan of several", func(s *sim, _ string) { s.keys("H V j j u") }},
	{"redact several", func(s *sim, _ string) { s.keys("H V j X") }},
	{"agents", func(s *sim, _ string) { s.keys("A enter") }},
	{"blame", func(s *sim, _ string) { s.keys("tab B") }},
	{"stores", func(s *sim, _ string) { s.keys("@") }},
	{"discovery", func(s *sim, _ string) { s.keys("@ d") }},
	{"connect", func(s *sim, _ string) { s.keys("@ c space") }},
	{"connect, in a replica", func(s *sim, _ string) { s.keys("@ c j / x enter") }},
	{"discovery, in a store", func(s *sim, _ string) { s.keys("@ d j") }},
	{"queue", func(s *sim, evil string) { waits(s, evil); s.keys("!") }},
	{"queue, has changed", func(s *sim, evil string) { waits(s, evil); s.keys("! G enter") }},
	{"queue, asked", func(s *sim, evil string) { waits(s, evil); s.keys("! a") }},
	{"queue, edited", func(s *sim, evil string) {
		waits(s, evil)
		s.keys("! e")
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"queue, a reason", func(s *sim, evil string) {
		waits(s, evil)
		s.keys("! -")
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"policy", func(s *sim, evil string) { waits(s, evil); s.keys("P") }},
	{"policy, as text", func(s *sim, evil string) {
		s.keys("P e")
		s.send(tea.PasteMsg{Content: evil})
		s.keys("ctrl+s")
	}},
	{"what waits, in the tree", waits},
	{"palette", func(s *sim, evil string) {
		s.keys("ctrl+k")
		s.send(tea.PasteMsg{Content: evil})
	}},
	{"themes", func(s *sim, _ string) { s.app.show(s.app.themes()); s.keys("down down") }},
	{"pending keys", func(s *sim, _ string) { s.keys("g"); s.elapse() }},
	{"question", func(s *sim, evil string) {
		s.send(screen.Choose{Title: evil, Text: strings.Repeat(evil+" ", 20), Options: []screen.Option{{Key: "y", Label: evil}, {Key: "n", Label: "keep"}}})
	}},
	{"prompt", func(s *sim, evil string) {
		s.send(screen.Prompt{Label: evil, Example: evil, Value: strings.Repeat(evil, 20), Then: func(string) tea.Cmd { return nil }})
	}},
	{"empty prompt", func(s *sim, evil string) {
		s.send(screen.Prompt{Label: evil, Example: strings.Repeat(evil, 20), Then: func(string) tea.Cmd { return nil }})
	}},
	{"long message", func(s *sim, evil string) {
		s.send(screen.Notice{Text: strings.Repeat("rename "+evil+": already exists ", 12), Bad: true})
	}},
	{"messages", func(s *sim, evil string) {
		s.send(screen.Notice{Text: strings.Repeat("rename "+evil+": already exists ", 12), Bad: true})
		s.keys("M")
	}},
}

// waits lets changes of agents wait, and others be made, with names and texts that are hostile.
func waits(s *sim, evil string) {
	ctx, store := context.Background(), s.app.cfg.Store.(local.Store).Store
	person := versions.By{Door: versions.DoorTUI, Actor: me.Actor}
	robot := versions.By{Door: versions.DoorMCP, Actor: versions.Actor{Kind: versions.Agent, Name: "robot"}, Session: "run-2", ToolUse: "toolu_1", Turn: 1}
	p, err := memfs.ParsePath("queue/" + evil)
	if err != nil || p.Hidden() || p.Base() == "queue" {
		p = at("queue/evil.md")
	}
	made := versions.By{Actor: versions.Actor{Kind: versions.Outside}}
	store.Write(ctx, made, p, []byte("made\n"+evil+"\n"), versions.Pre{}) // if it is refused, there is nothing to show
	for _, err := range []error{review.SetPolicy(ctx, store, person, "", "hold actor:agent"), review.Pin(ctx, store, person, at("d"), versions.PinAll)} {
		if err != nil {
			s.t.Fatal(err)
		}
	}
	for _, path := range []memfs.Path{at("safe.md"), p} {
		store.Write(ctx, robot, path, []byte(evil+"\nheld\n"), versions.Pre{})
	}
	store.Rename(ctx, robot, at("safe.md"), p)
	if err := review.Reject(ctx, store, person, 1, evil); err == nil {
		store.Write(ctx, robot, at("again.md"), []byte(strings.Repeat(evil+"\nheld\n", 3)), versions.Pre{})
	}
	s.happens(versions.Event{Reload: true, Trust: true})
	s.elapse()
}

func TestTimeline_BeforeTheFirstChangeHasNoActions(t *testing.T) {
	t.Parallel()
	s := engineSim(t, "x", 100, 30)
	s.keys("t home")
	s.shows("no memories existed then")
	s.hides("n makes one")
}

func TestFrame_FitsEveryScreenOfThePast(t *testing.T) {
	t.Parallel()
	widths, heights := []int{1, 8, 19, 20, 27, 40, 59, 60, 73, 80, 99, 100, 131, 170}, []int{1, 4, 5, 6, 7, 9, 12, 15, 16, 17, 24, 36}
	names := wholeNames{}
	for n, scene := range actionScenes() {
		s := engineSim(t, "日本 notes 👩‍👩‍👧‍👦", 40, 12)
		scene.play(s, "two")
		names.check(t, s.app, scene.name)
		atSizes(n, widths, heights, func(w, h int) {
			s.send(tea.WindowSizeMsg{Width: w, Height: h})
			checkFrame(t, scene.name, s.app, w, h)
		})
	}
	if len(names) < 300 {
		t.Errorf("%d names were looked at", len(names))
	}
}
