package ui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/ui/actions"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/editing"
	"github.com/memend/memend/ui/live"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/search"
	"github.com/memend/memend/ui/stores"
	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/gitsync"
)

// namedStore is a fake store with another name.
type namedStore struct {
	*fakeStore
	name string
}

func (s namedStore) Info() versions.StoreInfo {
	return versions.StoreInfo{ID: versions.StoreID("memstore_" + s.name), Name: s.name, Folder: "/home/dana/" + s.name}
}

// fakeStores are stores that are opened by name.
type fakeStores struct {
	stores.Home
	all  map[string]Store
	used chan versions.StoreID
	git  map[versions.StoreID]branches.State
	sync func(context.Context, screen.Sync) (gitsync.Result, error)
}

func (f fakeStores) BranchStates(context.Context) (map[versions.StoreID]branches.State, error) {
	return f.git, nil
}

func (f fakeStores) SyncStore(ctx context.Context, order screen.Sync) (gitsync.Result, error) {
	if f.sync == nil {
		return gitsync.Result{}, errors.New("there is no git here")
	}
	return f.sync(ctx, order)
}

func (f fakeStores) Transfer(ctx context.Context, by versions.By, from, to versions.StoreID, moves bool, what ...versions.Transfer) (here, there versions.Change, err error) {
	return f.Home.(actions.Home).Transfer(ctx, by, from, to, moves, what...)
}

func (f fakeStores) OpenStore(ctx context.Context, id versions.StoreID) (*engine.Store, error) {
	return f.Home.(search.Home).OpenStore(ctx, id)
}

func (f fakeStores) UseStore(_ context.Context, id versions.StoreID) error {
	if f.used != nil {
		f.used <- id
	}
	return nil
}

func (f fakeStores) Open(_ context.Context, id versions.StoreID) (Store, editing.Drafts, error) {
	if s := f.all[strings.TrimPrefix(string(id), "memstore_")]; s != nil {
		return s, nil, nil
	}
	return nil, nil, errors.New("its folder is gone")
}

// program runs a model as Bubble Tea does: commands on their own goroutines, messages one by
// one.
type program struct {
	t    *testing.T
	m    *teaModel
	msgs chan tea.Msg
}

func (p *program) start(cmd tea.Cmd) {
	if cmd != nil {
		go func() { p.msgs <- cmd() }()
	}
}

func (p *program) send(msg tea.Msg) {
	if batch, ok := msg.(tea.BatchMsg); ok {
		for _, c := range batch {
			p.start(c)
		}
		return
	}
	_, cmd := p.m.Update(msg)
	p.start(cmd)
}

// until handles messages until a condition holds. A condition may also come true without a
// message, in a command.
func (p *program) until(what string, so func(*App) bool) {
	p.t.Helper()
	patience := time.After(10 * time.Second)
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !so(p.m.app) {
		select {
		case msg := <-p.msgs:
			p.send(msg)
		case <-again.C:
		case <-patience:
			p.t.Fatalf("it never came to be that %s:\n%s", what, ansi.Strip(p.m.app.View()))
		}
	}
}

func shows(s string) func(*App) bool {
	return func(a *App) bool { return strings.Contains(ansi.Strip(a.View()), s) }
}

func TestOpenStore_ReplacesTheShownStore(t *testing.T) {
	t.Parallel()
	one, two := namedStore{sample(), "one"}, namedStore{newFake(), "two"}
	two.write(agent, "elsewhere.md", "# Elsewhere\n")
	for len(one.events)+len(two.events) > 0 {
		select {
		case <-one.events:
		case <-two.events:
		}
	}
	used := make(chan versions.StoreID, 10)
	cfg := Config{Store: one, By: me, Now: func() time.Time { return clock }, Background: Light, Stores: fakeStores{all: map[string]Store{"two": two}, used: used}}
	p := &program{t: t, m: newModel(t.Context(), cfg), msgs: make(chan tea.Msg, 100)}
	p.start(p.m.Init())
	p.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	p.until("the first store is watched", func(a *App) bool { return a.watch() == live.Watching && shows("dana.md")(a) })

	p.send(screen.OpenStore{ID: "memstore_none", Name: "none"})
	p.until("it is told why not", shows("open none: its folder is gone"))
	old := p.m.app
	p.send(screen.Open{Path: at("people/dana.md")})
	p.send(screen.OpenStore{ID: "memstore_two", Name: "two"})
	p.until("the second store is watched", func(a *App) bool {
		return a != old && a.watch() == live.Watching && shows("elsewhere.md")(a)
	})
	if a := p.m.app; a.info.Name != "two" || a.w != 100 || shows("dana.md")(a) || a.th.Dark {
		t.Errorf("%+v, %d columns:\n%s", a.info, a.w, ansi.Strip(a.View()))
	}
	if err := old.ctx.Err(); err == nil {
		t.Error("what the first store had under way goes on")
	}
	close(one.events) // its watch ends, but the watch of the second store must not
	two.write(agent, "later.md", "x\n")
	p.until("a change of the second store shows", shows("later.md"))
	if p.m.app.watch() != live.Watching {
		t.Error("the end of the first store's watch was taken for the second one's")
	}
	for _, s := range []namedStore{one, two} {
		if id := <-used; id != s.Info().ID {
			t.Errorf("%s is noted as used, want %s", id, s.Info().ID)
		}
	}
	p.until("how the first was shown is kept", func(*App) bool {
		view, _ := one.View(t.Context())
		return len(view) > 0
	})
}

func TestOpenStore_ShowsAMemoryAtALine(t *testing.T) {
	t.Parallel()
	one, two := namedStore{sample(), "one"}, namedStore{newFake(), "two"}
	two.write(agent, "elsewhere.md", "# Elsewhere\n"+strings.Repeat("between\n", 40)+"the end\n")
	cfg := Config{Store: one, By: me, Now: func() time.Time { return clock }, Background: Light, Stores: fakeStores{all: map[string]Store{"two": two}}}
	p := &program{t: t, m: newModel(t.Context(), cfg), msgs: make(chan tea.Msg, 100)}
	p.start(p.m.Init())
	p.send(tea.WindowSizeMsg{Width: 100, Height: 24})
	p.until("the first store is shown", shows("dana.md"))
	p.send(screen.OpenStore{ID: "memstore_two", Name: "two", At: screen.Open{Path: at("elsewhere.md"), Line: 42, Find: "end"}})
	p.until("the line is shown", func(a *App) bool { return a.info.Name == "two" && shows("▸ 42")(a) && shows("the end")(a) })
}

func TestOpenStore_SavesEverything(t *testing.T) {
	t.Parallel()
	two := namedStore{newFake(), "two"}
	s := newSim(t, sample(), 100, 30, func(c *Config) { c.Stores = fakeStores{all: map[string]Store{"two": two}} })
	s.send(screen.Open{Path: at("people/dana.md")})
	s.keys("e")
	s.typed("mine ")
	s.send(screen.OpenStore{ID: "memstore_two", Name: "two"})
	s.shows("has changes that are not saved", "save, then open two")
	if s.app.next != nil {
		t.Fatal("it is left behind")
	}
	s.keys("s")
	if s.app.next == nil || s.app.next.Store != Store(two) || !strings.HasPrefix(content(s, "people/dana.md"), "mine") {
		t.Errorf("%q", content(s, "people/dana.md"))
	}
}

func TestFirst_IsUsedAsTheFirstReading(t *testing.T) {
	t.Parallel()
	cfg := Config{Store: sample(), By: me, Now: func() time.Time { return clock }, Background: Dark}
	cfg.First = ReadFirst(t.Context(), cfg)
	defer cfg.First.End()
	m := newModel(t.Context(), cfg)
	m.first = m.app.live.Await(cfg.First)
	if cmd := m.app.live.Start(); cmd != nil {
		t.Error("it is read a second time beside")
	}
	m.Update(tea.WindowSizeMsg{Width: 100, Height: 24})
	m.Update(fromApp{m.app, m.first()})
	if v := ansi.Strip(m.app.View()); m.app.live.Loading() || !strings.Contains(v, "people") {
		t.Errorf("the store does not show:\n%s", v)
	}
}
