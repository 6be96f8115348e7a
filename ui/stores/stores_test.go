package stores

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/branches"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/keys"
	"github.com/memend/memend/ui/local"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
	vengine "github.com/memend/memend/versions/engine"
	"github.com/memend/memend/versions/stores"
)

var (
	update = flag.Bool("update", false, "write the golden frames anew")
	clock  = time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
)

// engine is a home of the engine, and folders of other tools beside it.
type engine struct {
	local.Home
	Hoster
	found *places.Found
}

var alice = versions.By{Actor: versions.Actor{Kind: versions.Person, Name: "alice"}}

func (e engine) CreateStore(ctx context.Context, name, description, folder string) (versions.StoreInfo, error) {
	return stores.CreateStore(ctx, e.Trail, alice, name, description, folder)
}

func (e engine) UpdateStore(ctx context.Context, id versions.StoreID, u versions.StoreUpdate) (versions.StoreInfo, error) {
	return stores.Update(ctx, e.Trail, alice, id, u)
}

func (e engine) ArchiveStore(ctx context.Context, id versions.StoreID) (versions.StoreInfo, error) {
	return stores.Archive(ctx, e.Trail, alice, id)
}

func (e engine) BranchStates(context.Context) (map[versions.StoreID]branches.State, error) {
	return nil, nil
}

func (e engine) Discover(ctx context.Context) (places.Found, error) { return *e.found, ctx.Err() }

func (e engine) AddPlace(ctx context.Context, p places.Place) (versions.StoreInfo, error) {
	return places.Add(ctx, e.Trail, alice, p)
}

// sim is the screen on a home of the engine.
type sim struct {
	*screentest.Sim[*Pane]
	home *vengine.Trail
}

func newSim(t *testing.T) *sim {
	t.Helper()
	trail, err := vengine.Open(t.Context(), filepath.Join(t.TempDir(), "home"), versions.Options{Now: func() time.Time { return clock }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { trail.Close() })
	var first versions.StoreID
	for _, name := range []string{"assistant", "work", "garden"} {
		info, err := stores.CreateStore(t.Context(), trail, alice, name, map[string]string{"work": "what the coding agents keep"}[name], "")
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = info.ID
		}
	}
	env := screentest.Env(t.Context())
	s := &sim{screentest.New(t, env, New(env, engine{Home: local.Home{Trail: trail}, found: &places.Found{}}, first, false), 100, 24), trail}
	s.Pane.SetNow(clock)
	s.Run(s.Pane.Start())
	return s
}

func (s *sim) names() (out []string) {
	for _, i := range s.Pane.listed {
		out = append(out, s.Pane.all[i].Name)
	}
	return out
}

func (s *sim) on(name string) *sim {
	s.Pane.step(slices.Index(s.names(), name) - s.Pane.Cur)
	return s
}

func TestList_OpensTheStoreUnderTheCursor(t *testing.T) {
	s := newSim(t)
	if s.Pane.current().Name != "assistant" {
		t.Errorf("the cursor is on %s", s.Pane.current().Name)
	}
	s.Keys("enter")
	if _, ok := s.Last().(screen.Back); !ok {
		t.Errorf("the store that is shown: %+v", s.Last())
	}
	s.on("work").Keys("enter")
	if o, ok := s.Last().(screen.OpenStore); !ok || o.ID != s.Pane.current().ID || o.Name != "work" {
		t.Errorf("%+v", s.Last())
	}
	s.Keys("/ c o d i n g")
	if !slices.Equal(s.names(), []string{"work"}) {
		t.Errorf("%q", s.names())
	}
	s.Keys("x esc")
	if len(s.names()) != 3 || s.Pane.TakesText() {
		t.Errorf("%q", s.names())
	}
	s.Keys("/ z z z enter q")
	if len(s.names()) != 3 {
		t.Error("leaving does not show all again first")
	}
	s.Keys("q")
	if _, ok := s.Last().(screen.Back); !ok {
		t.Errorf("%+v", s.Last())
	}
}

func TestList_HidesLetterKeysWhileTyping(t *testing.T) {
	s := newSim(t)
	s.Run(s.Pane.Start())
	for _, w := range []int{40, 100} {
		s.Pane.SetSize(w, 12)
		s.Keys("/")
		s.Typed("zz")
		s.Shows("no store matches: Esc shows all")
		s.Hides("n makes one", "…")
		s.Keys("enter")
		if offers := strings.Contains(s.Screen(), "n makes one"); offers != (w == 100) {
			t.Errorf("%d columns: that n makes one is said: %v", w, offers)
		}
		s.Hides("…")
		s.Keys("esc")
	}
}

func TestActions_CreateRenameDescribeAndArchive(t *testing.T) {
	s := newSim(t)
	s.Keys("n")
	s.Answer("fresh")
	s.Answer("")
	if s.Pane.current().Name != "fresh" || !strings.HasPrefix(s.Pane.current().Folder, s.home.Home()) {
		t.Errorf("%+v", s.Pane.current())
	}
	folder := t.TempDir()
	s.Keys("n")
	s.Answer("elsewhere")
	s.Answer(folder)
	if s.Pane.current().Name != "elsewhere" {
		t.Errorf("%+v", s.Pane.current())
	}
	s.Keys("r")
	s.Answer("renamed")
	s.Keys("e")
	s.Answer("for a test")
	if c := s.Pane.current(); c.Name != "renamed" || c.Description != "for a test" {
		t.Errorf("%+v", c)
	}
	s.Keys("r")
	s.Answer("work")
	if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || s.Pane.current().Name != "renamed" {
		t.Errorf("a taken name: %+v", s.Last())
	}
	s.Keys("A")
	ask, ok := s.Last().(screen.Choose)
	if !ok || ask.Options[len(ask.Options)-1].Then != nil {
		t.Fatalf("%+v", s.Last())
	}
	s.Run(ask.Options[0].Then())
	if s.Pane.current().Name != "renamed" || s.Pane.current().Archived.IsZero() || s.names()[len(s.names())-1] != "renamed" {
		t.Errorf("%q, %+v", s.names(), s.Pane.current())
	}
	s.Refuses("e", "archived")
	s.Pane.readOnly = true
	s.Refuses("n", "read-only")
}

// A hosted store shows its service in the list, not the folder of its replica: changes to it affect
// others too. Both are among its facts.
func TestHosted_StoresShowTheirService(t *testing.T) {
	f := home(false)
	f.all[1].Upstream, f.all[1].Title = versions.Remote{URL: "https://memory.example.com", Store: "memstore_9"}, "Team memory"
	env := screentest.Env(t.Context())
	s := &sim{screentest.New(t, env, New(env, f, "memstore_1", false), 120, 34), nil}
	s.Pane.SetNow(clock)
	s.Run(s.Pane.Start())
	row := func(y int) string { return ansi.Strip(strings.Split(s.Pane.View(), "\n")[y]) }
	if list := row(1 + 1); !strings.Contains(list, "https://memory.example.com") || strings.Contains(list, "serena/memories") {
		t.Errorf("%q", list)
	}
	s.on("serena")
	if view := ansi.Strip(s.Pane.View()); !strings.Contains(view, "hosted at https://memory.example.com as Team memory") {
		t.Error(view)
	}
	for _, c := range []struct {
		store  string
		warned bool
	}{{"serena", true}, {"assistant", false}} {
		s.on(c.store).Keys("A")
		if ask, ok := s.Last().(screen.Choose); !ok || strings.Contains(ask.Text, "archived at its service, for everybody") != c.warned {
			t.Errorf("%s: %+v", c.store, s.Last())
		}
	}
	for _, words := range []string{"m e m o r y . e x", "t e a m space m e m"} {
		s.Keys("/ " + words)
		if !slices.Equal(s.names(), []string{"serena"}) {
			t.Errorf("%s: %q", words, s.names())
		}
		s.Keys("esc")
	}
}

func TestStale_AnswersAreDropped(t *testing.T) {
	s := newSim(t)
	whole := s.Pane.home
	s.Pane.home = home(true)
	first := s.Pane.Start()
	s.Pane.home = whole
	s.Run(s.Pane.Start())
	want := s.names()
	s.Run(first)
	if got := s.names(); !slices.Equal(got, want) {
		t.Errorf("listed are %q, not %q", got, want)
	}
}

// fakeHome is a home without an engine.
type fakeHome struct {
	Home
	all   []versions.StoreInfo
	sizes map[versions.StoreID]versions.StoreSize
	git   map[versions.StoreID]branches.State
}

func (f fakeHome) Stores(context.Context) ([]versions.StoreInfo, error) { return f.all, nil }
func (f fakeHome) Sizes(context.Context) (map[versions.StoreID]versions.StoreSize, error) {
	return f.sizes, nil
}

func (f fakeHome) BranchStates(context.Context) (map[versions.StoreID]branches.State, error) {
	return f.git, nil
}

func (f fakeHome) SyncStates(context.Context) (map[versions.StoreID]SyncState, error) {
	return nil, nil
}

func home(hostile bool) fakeHome {
	f := fakeHome{all: []versions.StoreInfo{
		{ID: "memstore_1", Name: "assistant", Folder: "/home/dana/.local/share/memend/stores/assistant", Description: "what the assistant keeps of people and projects", Created: clock},
		{ID: "memstore_2", Name: "serena", Folder: "/home/dana/src/api/.serena/memories", Created: clock, Metadata: map[string]string{"team": "api", "owner": "lee"}},
		{ID: "memstore_3", Name: "last year", Folder: "/home/dana/old", Created: clock, Archived: clock},
	}, sizes: map[versions.StoreID]versions.StoreSize{
		"memstore_1": {Memories: 1240, Bytes: 3 << 20, Changes: 8123, Changed: clock.Add(-time.Hour)},
		"memstore_2": {Memories: 12, Bytes: 9000, Changes: 40, Changed: clock.Add(-50 * time.Hour)},
	}}
	if hostile {
		f.all[0].Name, f.all[0].Folder = "a\x1b[31m\u202e中文中文中文中文", "/x/\u009b中文\u200b/\x07"
		f.all[1].Upstream, f.all[1].Title = versions.Remote{URL: "https://\x1b[31m\u202e中文中文中文中文.example.com", Store: "x"}, "\x1b]0;t\a中文\u2066"
		f.git = map[versions.StoreID]branches.State{"memstore_1": {BranchState: versions.BranchState{Branch: versions.Branch{URL: "https://a:b@\x1b[31m/中文\u202e", Name: "\x1b]0;t\a中文", Subdir: "\u200b"}, Comes: 1},
			Failed: errors.New(strings.Repeat("fatal: \x1b[2J中文 ", 30))}}
		f.all[0].Description, f.all[0].Metadata = strings.Repeat("\x1b]0;t\a \u2066中文 ", 40), map[string]string{"\x1b[2J": "\u202e"}
	}
	return f
}

// shown returns the screen on a fakeHome.
func shown(t *testing.T, hostile bool, store versions.StoreID, w, h int) *sim {
	env := screentest.Env(t.Context())
	s := &sim{screentest.New(t, env, New(env, home(hostile), store, false), w, h), nil}
	s.Pane.SetNow(clock)
	return s
}

func TestFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		s := shown(t, false, "memstore_2", size.w, size.h)
		s.Run(s.Pane.Start())
		s.Keys("k")
		drawtest.Golden(t, *update, fmt.Sprintf("stores-%dx%d", size.w, size.h), s.Pane.View())
		s.Keys("/ l a")
		drawtest.Golden(t, *update, fmt.Sprintf("filter-%dx%d", size.w, size.h), s.Pane.View())
	}
}

func TestGeometry_FitsEverySize(t *testing.T) {
	for _, hostile := range []bool{false, true} {
		s := shown(t, hostile, "memstore_1", 80, 24)
		for _, k := range []string{"", "j", "G", "/ a", "enter"} {
			s.Keys(k)
			s.FitsEverySize()
			if k == "j" {
				s.Run(s.Pane.Start())
			}
		}
	}
}

func TestKeys_AreNotBoundTwice(t *testing.T) {
	for _, p := range keys.Check(nil, Keys(nil)) {
		t.Error(p)
	}
}

func TestMouse_ScrollsTheListPastTheCursorAndSelects(t *testing.T) {
	s := newSim(t)
	s.Pane.SetSize(100, 1+2)
	s.on(s.names()[0])
	s.Run(s.Pane.Update(tea.MouseWheelMsg{X: 5, Y: 1, Button: tea.MouseWheelDown}))
	if s.Pane.Cur != 0 || s.Pane.Top != 1 {
		t.Errorf("the cursor is on row %d, and row %d is the first", s.Pane.Cur, s.Pane.Top)
	}
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: 5, Y: 1 + 1, Button: tea.MouseLeft}))
	if s.Pane.Cur != 2 {
		t.Errorf("a click selects row %d", s.Pane.Cur)
	}
}

// The text about a store is longer than its room: it scrolls under the wheel, by half pages from the list, and like any text with the focus.
func TestText_ScrollsAndHasTheFocus(t *testing.T) {
	env := screentest.Env(t.Context())
	h := home(false)
	h.all[0].Description = "first\n" + strings.Repeat("more\n", 20) + "last"
	h.all[1].Description = h.all[0].Description
	s := screentest.New(t, env, New(env, h, h.all[0].ID, false), 80, 20)
	s.Pane.SetNow(clock)
	s.Run(s.Pane.Start())
	at := s.Pane.DetailBox()
	begins := func() bool { return strings.Contains(strings.Split(s.Pane.View(), "\n")[at.Y], "first") }
	ends := func() bool { return strings.Contains(s.Pane.View(), string(h.all[0].ID)) }
	if !begins() || ends() {
		t.Fatal(s.Pane.View())
	}
	for range 30 {
		s.Run(s.Pane.Update(tea.MouseWheelMsg{X: at.X + 1, Y: at.Y + 1, Button: tea.MouseWheelDown}))
	}
	if !ends() {
		t.Error("the wheel doesn't scroll to the end")
	}
	s.Keys("ctrl+u")
	if ends() {
		t.Error("half a page up stays at the end")
	}
	s.Keys("j")
	if !begins() {
		t.Error("another store's text begins where this one's was scrolled to")
	}
	s.Keys("k l G")
	if !s.Pane.InDetail || !ends() || s.Pane.Cur != 0 {
		t.Errorf("in the text %v, at its end %v, row %d", s.Pane.InDetail, ends(), s.Pane.Cur)
	}
	s.Keys("k")
	if ends() {
		t.Error("k after G stays at the end")
	}
	s.Keys("esc")
	if s.Pane.InDetail || s.Left {
		t.Error("Esc does not return to the list")
	}
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: at.X + 1, Y: at.Y, Button: tea.MouseLeft}))
	s.Run(s.Pane.Update(tea.MouseClickMsg{X: 1, Y: 1, Button: tea.MouseLeft}))
	if s.Pane.InDetail || len(s.Sent) > 0 {
		t.Errorf("a click in the list, on its row: in the text %v, sent %v", s.Pane.InDetail, s.Sent)
	}
	s.Pane.SetSize(40, 10)
	s.Keys("l")
	if view := s.Pane.View(); strings.Contains(view, "changed") || !strings.Contains(view, "‹ Esc") {
		t.Errorf("the titles of columns stand above a text without a list:\n%s", ansi.Strip(view))
	}
}
