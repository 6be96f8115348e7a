package stores

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/memend/memend/agent/places"
	"github.com/memend/memend/ui/draw/testdata/drawtest"
	"github.com/memend/memend/ui/screen"
	"github.com/memend/memend/ui/screen/testdata/screentest"
	"github.com/memend/memend/versions"
)

// fakeFinder returns the folders of a test, and adds them unless they are set to fail.
type fakeFinder struct {
	found places.Found
	err   error
	added []string
	fails map[string]error
}

func (f *fakeFinder) Discover(context.Context) (places.Found, error) { return f.found, f.err }

func (f *fakeFinder) AddPlace(_ context.Context, p places.Place) (versions.StoreInfo, error) {
	if err := f.fails[p.Folder]; err != nil {
		return versions.StoreInfo{}, err
	}
	f.added = append(f.added, p.Folder)
	for i := range f.found.Places {
		if f.found.Places[i].Folder == p.Folder {
			f.found.Places[i].Store = versions.StoreInfo{ID: "memstore_new", Name: p.Name()}
		}
	}
	return versions.StoreInfo{ID: "memstore_new", Name: p.Name()}, nil
}

// somePlaces returns one place in each state.
func somePlaces() places.Found {
	const src = "/home/dana/src/"
	return places.Found{Places: []places.Place{
		{Kind: places.ClaudeAgent, Folder: "/home/dana/.claude/agent-memory/reviewer", Agent: "reviewer", Shared: true, Memories: 3, Bytes: 2100, Newest: clock.Add(-time.Hour)},
		{Kind: places.ClaudeAuto, Folder: "/home/dana/.claude/projects/-home-dana-src-api/memory", Project: src + "api", Memories: 12, Bytes: 31 << 10, Newest: clock.Add(-49 * time.Hour)},
		{Kind: places.Serena, Folder: src + "api/.serena/memories", Project: src + "api", Memories: 20000, More: true, Bytes: 9 << 20, Newest: clock,
			Store: versions.StoreInfo{ID: "memstore_1", Name: "serena of the api"}},
		{Kind: places.MemoryBank, Folder: src + "web/memory-bank", Project: src + "web", Memories: 6, Bytes: 800, Newest: clock, Within: versions.StoreInfo{ID: "memstore_2", Name: "web"}},
		{Kind: places.Copilot, Folder: "/home/dana/.config/Code/User/globalStorage/github.copilot-chat/memory-tool/memories", Shared: true},
	}}
}

func discovery(t *testing.T, f *fakeFinder, w, h int) *screentest.Sim[*Discovery] {
	t.Helper()
	env := screentest.Env(t.Context())
	s := screentest.New(t, env, NewDiscovery(env, f, "memstore_9", false), w, h)
	s.Pane.SetNow(clock)
	return s
}

func TestDiscovery_AddsTheFolderUnderTheCursor(t *testing.T) {
	f := &fakeFinder{found: somePlaces()}
	s := discovery(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("j enter")
	if !slices.Equal(f.added, []string{f.found.Places[1].Folder}) || !s.Left {
		t.Errorf("%q, left %v", f.added, s.Left)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Bad || n.Text != "made the store api-claude · Enter opens it" {
		t.Errorf("%+v", s.Last())
	}
}

func TestDiscovery_AddsSelectedFolders(t *testing.T) {
	f := &fakeFinder{found: somePlaces()}
	s := discovery(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("ctrl+a")
	if _, info := s.Pane.Title(); info != "5 · 2 chosen" {
		t.Errorf("all that is worth it: %q", info)
	}
	s.Keys("G space") // the empty one too
	if _, info := s.Pane.Title(); info != "5 · 3 chosen" {
		t.Errorf("%q", info)
	}
	s.Keys("g g space enter")
	if want := []string{f.found.Places[1].Folder, f.found.Places[4].Folder}; !slices.Equal(f.added, want) {
		t.Errorf("%q", f.added)
	}
	if n, ok := s.Last().(screen.Notice); !ok || n.Text != "made 2 stores · Enter opens one" {
		t.Errorf("%+v", s.Last())
	}
	s.Keys("g r ctrl+a ctrl+a")
	if len(s.Pane.chosen) != 0 {
		t.Errorf("%v", s.Pane.chosen)
	}
	s.Left = false
	s.Keys("g g space esc")
	if len(s.Pane.chosen) != 0 || s.Left {
		t.Error("Esc leaves before it chooses nothing")
	}
	s.Keys("esc")
	if !s.Left {
		t.Error("Esc does not leave")
	}
}

func TestDiscovery_SaysWhyAFolderIsNotAdded(t *testing.T) {
	f := &fakeFinder{found: somePlaces()}
	s := discovery(t, f, 100, 24)
	s.Refuses("enter", "no folder is listed")
	s.Run(s.Pane.Start())
	s.Keys("j j")
	s.Refuses("space", "the store serena of the api already")
	s.Keys("enter")
	if o, ok := s.Last().(screen.OpenStore); !ok || o.ID != "memstore_1" || o.Name != "serena of the api" {
		t.Errorf("Enter on a store: %+v", s.Last())
	}
	s.Pane.open, s.Sent = "memstore_1", nil
	s.Keys("enter")
	if want := []tea.Msg{screen.Back{}, screen.Back{}}; !slices.Equal(s.Sent, want) {
		t.Errorf("Enter on the store that is shown: %+v", s.Sent)
	}
	s.Keys("j")
	s.Refuses("enter", "in the folder of the store web")
	s.Pane.readOnly = true
	for _, k := range []string{"enter", "space", "ctrl+a"} {
		s.Refuses(k, "read-only")
	}
	s.Pane.readOnly = false
	f.found.Places = f.found.Places[2:4]
	s.Keys("g r")
	s.Refuses("ctrl+a", "no folder that could")
}

func TestDiscovery_ShowsErrorsAndStaysOpen(t *testing.T) {
	f := &fakeFinder{found: somePlaces(), fails: map[string]error{somePlaces().Places[1].Folder: errors.New("it is gone")}}
	s := discovery(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("ctrl+a enter")
	if n, ok := s.Last().(screen.Notice); !ok || !n.Bad || n.Text != "it is gone" || s.Left || len(f.added) != 1 {
		t.Errorf("%+v, left %v, added %q", s.Last(), s.Left, f.added)
	}
	if !s.Pane.found.Places[0].IsStore() || len(s.Pane.chosen) != 1 {
		t.Errorf("what was made is not shown, or what was not is chosen no more: %v", s.Pane.chosen)
	}

	// If nothing was made, the screen reports the error only. If something was made, it
	// reports that too.
	f.fails[f.found.Places[4].Folder] = errors.New("gone too")
	for _, c := range []struct {
		chosen []int
		failed bool
	}{{[]int{1, 4}, true}, {[]int{0, 1}, false}} {
		s.Pane.chosen = map[string]bool{}
		for _, i := range c.chosen {
			s.Pane.chosen[f.found.Places[i].Folder] = true
		}
		s.Pane.add(0)
		work, _ := s.Pane.env.Out.Next()
		msg, err := work.(screen.Work).Do(t.Context())
		s.Run(msg.(screen.Reply).Take())
		if n, ok := s.Last().(screen.Notice); (err != nil) != c.failed || !ok || n.Text != "it is gone" {
			t.Errorf("%v: %+v, %v", c.chosen, s.Last(), err)
		}
	}
}

func TestDiscovery_KeepsSelectionAndCursorWhenReloaded(t *testing.T) {
	f := &fakeFinder{found: somePlaces()}
	s := discovery(t, f, 100, 24)
	s.Run(s.Pane.Start())
	s.Keys("space")
	f.found.Places = slices.Insert(slices.Clone(f.found.Places), 0, places.Place{Kind: places.Serena, Folder: "/new", Memories: 1})
	late := s.Pane.Start()
	s.Keys("g r")
	if s.Pane.current().Folder != somePlaces().Places[1].Folder || !s.Pane.chosen[somePlaces().Places[0].Folder] {
		t.Errorf("%+v, %v", s.Pane.current(), s.Pane.chosen)
	}
	was := f.found
	f.found = places.Found{}
	msg := late()
	f.found = was
	s.Run(msg.(screen.Reply).Take())
	if len(s.Pane.found.Places) != 6 {
		t.Error("a stale answer is taken")
	}
	f.err = errors.New("no disk")
	s.Keys("g r")
	if view := s.Pane.View(); !strings.Contains(view, "no disk") || len(s.Pane.found.Places) != 6 {
		t.Error(view)
	}
}

func TestDiscovery_ClickSelectsARowAndThenChoosesIt(t *testing.T) {
	s := discovery(t, &fakeFinder{found: somePlaces()}, 100, 24)
	s.Run(s.Pane.Start())
	click := func(y int) { s.Run(s.Pane.Update(tea.MouseClickMsg{X: 5, Y: y, Button: tea.MouseLeft})) }
	click(1 + 1)
	if s.Pane.Cur != 1 || len(s.Pane.chosen) != 0 {
		t.Errorf("%d, %v", s.Pane.Cur, s.Pane.chosen)
	}
	click(1 + 1)
	if len(s.Pane.chosen) != 1 || s.Pane.Cur != 1 {
		t.Errorf("%d, %v", s.Pane.Cur, s.Pane.chosen)
	}
	click(1 + 2)
	click(1 + 2) // a store already
	click(0)
	click(23)
	if len(s.Pane.chosen) != 1 || s.Pane.Cur != 2 {
		t.Errorf("%d, %v", s.Pane.Cur, s.Pane.chosen)
	}
}

// Opening the screen from the list of stores and returning puts the cursor of the list on the
// new store.
func TestList_ShowsTheStoreMadeFromAFolder(t *testing.T) {
	s := newSim(t)
	folder := filepath.Join(t.TempDir(), "api", "memory-bank")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte("a"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.Pane.home.(engine).found.Places = []places.Place{{Kind: places.MemoryBank, Folder: folder, Project: filepath.Dir(folder), Memories: 1, Bytes: 1}}
	s.Keys("f")
	show, ok := s.Last().(screen.Show)
	if !ok {
		t.Fatalf("%+v", s.Last())
	}
	d := screentest.New(t, s.Pane.env, show.Pane.(*Discovery), 100, 24)
	d.Run(show.Pane.(screen.Starter).Start())
	d.Root = func(msg tea.Msg) tea.Cmd { return nil }
	d.Keys("enter")
	if !d.Left {
		t.Fatalf("%+v", d.Sent)
	}
	if c := s.Pane.current(); c == nil || c.Name != "api-memory-bank" || s.Pane.sizes[c.ID].Memories != 1 {
		t.Errorf("%+v", c)
	}
}

func TestDiscoveryFrames_MatchGoldens(t *testing.T) {
	for _, size := range []struct{ w, h int }{{120, 34}, {80, 22}, {40, 10}} {
		name := func(what string) string { return fmt.Sprintf("%s-%dx%d", what, size.w, size.h) }
		f := &fakeFinder{}
		s := discovery(t, f, size.w, size.h)
		drawtest.Golden(t, *update, name("looking"), s.Pane.View())
		s.Run(s.Pane.Start())
		drawtest.Golden(t, *update, name("nothing"), s.Pane.View())
		f.found = somePlaces()
		s.Keys("g r space")
		drawtest.Golden(t, *update, name("found"), s.Pane.View())
		f.found.Problems = []error{errors.New("open /home/dana/.claude/projects: permission denied"), errors.New("x")}
		s.Keys("g r j")
		drawtest.Golden(t, *update, name("partly"), s.Pane.View())
	}
}

func TestDiscovery_SuggestsOtherFoldersOnlyIfNothingIsFound(t *testing.T) {
	for n, want := range map[int]bool{0: true, 1: false, 2: false} {
		f := &fakeFinder{found: places.Found{Places: somePlaces().Places[:n]}}
		s := discovery(t, f, 100, 24)
		s.Run(s.Pane.Start())
		for _, text := range []string{"are looked for", "of any folder"} {
			if got := strings.Contains(s.Pane.View(), text); got != want {
				t.Errorf("%d found: %q is shown: %v", n, text, got)
			}
		}
	}
}

func TestDiscovery_ShowsTheSuggestionsInANarrowFrameToo(t *testing.T) {
	s := discovery(t, &fakeFinder{}, 40, 12)
	s.Run(s.Pane.Start())
	if got := strings.Join(strings.Fields(s.Screen()), " "); strings.Contains(got, "…") || !strings.Contains(got, "Copilot in VS Code and others are looked for n in the list of stores makes a store of any folder") {
		t.Errorf("it says %q", got)
	}
}

func TestDiscoveryGeometry_FitsEverySize(t *testing.T) {
	for _, hostile := range []bool{false, true} {
		f := &fakeFinder{found: somePlaces()}
		if hostile {
			p := &f.found.Places[1]
			p.Folder, p.Project, p.Agent = "/x/\u009b中文\u200b/\x07", "/w/a\x1b[31m\u202e中文中文中文中文", strings.Repeat("\x1b]0;t\a", 40)
			f.found.Places[2].Store.Name = strings.Repeat("中\x1b[2J", 50)
			f.found.Places[3].Within.Name = "\u202e" + strings.Repeat("x", 200)
			f.found.Problems = []error{errors.New("\x1b[2J" + strings.Repeat("中", 300))}
			f.found.Cut = true
		}
		s := discovery(t, f, 80, 24)
		for _, k := range []string{"", "j", "space", "j", "ctrl+a"} {
			s.Keys(k)
			s.FitsEverySize()
			if k == "" {
				s.Run(s.Pane.Start())
			}
		}
	}
}

func TestDiscovery_KeepsTheOwnerInALongName(t *testing.T) {
	project := "/home/dana/src/a-project-with-a-name-that-is-far-too-long-for-a-column"
	found := places.Found{Places: []places.Place{
		{Kind: places.ClaudeAuto, Folder: project + "/a", Project: project, Memories: 1},
		{Kind: places.Serena, Folder: project + "/b", Project: project, Memories: 1},
	}}
	for _, w := range []int{40, 80, 120} {
		s := discovery(t, &fakeFinder{found: found}, w, 12)
		s.Run(s.Pane.Start())
		s.Shows("a-project-", "…-claude ", "…-serena ")
	}
}
